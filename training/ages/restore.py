"""A checkpoint from exported weights, so that training goes on where they were made: restore.py AGE.onnx SET OUT.pt --side PIXELS [--view SHARE] [--younger YEARS]

SET is the output of pack.py. Export folds each batch normalisation into the convolution before it; here each gets the mean and deviation that
its convolution gives on faces of SET, and a scale and a shift that undo them, so the net gives what the file gives. The heads that only help to
train, and the state of the optimiser, begin anew.
"""

import argparse
import os
import pathlib

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn

import augment
from export import Served
from net import VIEW, AgeNet
from train import Faces, optimiser

FACES, CHECKED = 512, 64
# What the net and the file may tell apart: probabilities, or, where the file calculates with eight bits, years in the mean.
MOST_APART, QUANTISED_APART = 1e-3, 1.0


def convolutions(net):
    """Each convolution with the normalisation after it, in the order in which they run."""
    return [part for part in net.modules() if isinstance(part, nn.Sequential) and len(part) == 2 and isinstance(part[0], nn.Conv2d)]


def undo(norm, bias):
    """As the first faces pass, makes a normalisation give what it gets, plus `bias`."""

    def measure(_, given):
        variance, mean = torch.var_mean(given[0], (0, 2, 3), correction=0)
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(variance)
        norm.weight.data.copy_((variance + norm.eps).sqrt())
        norm.bias.data.copy_(mean + bias)

    return norm.register_forward_pre_hook(measure)


def constants(graph):
    """All of a graph, as float32 by name; of a quantised one, what its bytes stand for."""
    # `export.py` stores large ones with 16 bits under this name.
    weights = {one.name.removesuffix(".half"): torch.tensor(numpy_helper.to_array(one).astype(np.float32)) for one in graph.initializer}
    for node in graph.node:
        if node.op_type == "DequantizeLinear" and node.input[0] in weights:
            values, scale = weights[node.input[0]], weights[node.input[1]]
            # Zero points of weights are 0.
            weights[node.output[0]] = values * scale.reshape(-1, *[1] * (values.ndim - 1))
    return weights


@torch.no_grad()
def restored(path, faces, side, view):
    graph = onnx.load(path).graph
    weights = constants(graph)
    net, folded = AgeNet().eval(), [node for node in graph.node if node.op_type == "Conv"]
    hooks = []
    for (convolution, norm), node in zip(convolutions(net), folded, strict=True):
        convolution.weight.data.copy_(weights[node.input[1]])
        hooks.append(undo(norm, weights[node.input[2]]))
    own = net.state_dict()
    for name, values in weights.items():
        if name.startswith("net."):
            own[name.removeprefix("net.")].copy_(values)
    at = torch.randperm(len(faces.rows), generator=torch.Generator().manual_seed(1))[:FACES]
    crops, _ = augment.augmented(faces.take(at), faces.points[at], faces.photo[at], view, side, torch.Generator().manual_seed(1))
    net(crops)
    for hook in hooks:
        hook.remove()
    return net


@torch.no_grad()
def check(path, net, faces, side, view, younger):
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # it would report its use to its maker
    from onnxruntime import InferenceSession

    crops = augment.plain(faces.take(torch.arange(CHECKED)), view, side)
    age, deviation = (own.numpy() for own in Served(net, False, younger).eval()(crops))
    found = InferenceSession(str(path), providers=["CPUExecutionProvider"]).run(None, {"input": crops.numpy()})
    if any(node.op_type == "QuantizeLinear" for node in onnx.load(path).graph.node):
        apart, most = float(np.abs((age - found[0]) @ np.arange(age.shape[1])).mean()), QUANTISED_APART
    else:
        apart, most = max(float(np.abs(own - other).max()) for own, other in zip((age, deviation), found)), MOST_APART
    assert apart < most, f"the net and the file differ by {apart}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weights", type=pathlib.Path)
    parser.add_argument("set", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--side", type=int, default=96)
    parser.add_argument("--view", type=float, default=VIEW, help="share of a stored crop that the net of the file sees")
    parser.add_argument("--younger", type=float, default=4.0, help="what the file was exported with")
    options = parser.parse_args()
    faces = Faces(options.set)
    net = restored(options.weights, faces, options.side, options.view)
    check(options.weights, net, faces, options.side, options.view, options.younger)
    state = net.state_dict()
    torch.save({"net": state, "average": state, "optimiser": optimiser(net).state_dict(), "step": 0, "epoch": 0, "at": 0,
                "side": options.side, "view": options.view, "width": 1.0}, options.out)


if __name__ == "__main__":
    main()
