"""Writes the trained net as ONNX, with convolutions of eight bits.

    python export.py WEIGHTS SET OUT.onnx

The ranges of the values are taken from training pictures of SET, the output of render.py. The file takes `input` [n, 3, 96, 192], the
tight and the wide crop side by side, RGB from -1 to 1, and gives `odds` [n, 1]: the log odds of a live face, averaged over the picture
and its mirror image. evaluate.py calibrates them. Batch normalisation is folded into the convolutions.
"""

import pathlib
import sys

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

import onnx_file
import train
from net import CHANNELS, GRAIN, SIDE, STRIDES, Net

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import int8  # noqa: E402


def main():
    weights, folder, out = (pathlib.Path(argument) for argument in sys.argv[1:4])
    net = Net()
    net.load_state_dict(torch.load(weights))
    net.eval()
    out.write_bytes(exported(net))
    check(net, out)
    crops = np.load(min(folder.glob("train-*.npz")))["crops"]
    before = onnx_file.answers(out, crops)
    int8.quantise(out, onnx_file.joined(crops))
    after = onnx_file.answers(out, crops)
    print(f"quantised: log odds {np.abs(after - before).mean():.2f} apart in the mean, correlation {np.corrcoef(before, after)[0, 1]:.4f}")
    print(out, out.stat().st_size, "bytes")


def exported(net):
    nodes, constants = [], []

    def constant(name, values, kind=np.float32):
        constants.append(numpy_helper.from_array(np.asarray(values, kind), name))
        return name

    def node(operator, inputs, name, **attributes):
        nodes.append(helper.make_node(operator, inputs, [name], name, **attributes))
        return name

    axis = constant("width_axis", [3], np.int64)
    back = node("Slice", ["input", constant("last", [-1], np.int64), constant("before", [-(2**31)], np.int64), axis, constant("back", [-1], np.int64)], "mirrored")
    seen = []
    # Mirroring the joined input swaps the halves.
    for at, (name, branch) in enumerate((("tight", net.tight), ("wide", net.wide))):
        halves = []
        for source, start in (("input", at * SIDE), (back, (1 - at) * SIDE)):
            label = f"{name}_{source}"
            ends = [constant(f"{label}_from", [start], np.int64), constant(f"{label}_to", [start + SIDE], np.int64)]
            halves.append(node("Slice", [source, *ends, axis], label))
        x = node("Concat", halves, f"{name}_both", axis=0)
        around = node("AveragePool", [x], f"{name}_around", kernel_shape=[3, 3], strides=[1, 1], pads=[1] * 4, count_include_pad=1)
        more = node("Sub", [x, around], f"{name}_more")
        grain = node("Mul", [more, constant(f"{name}_lift", GRAIN)], f"{name}_grain")
        x = node("Concat", [x, grain], f"{name}_all", axis=1)
        for layer, (channels, stride) in enumerate(zip(CHANNELS, STRIDES)):
            conv, norm = branch[3 * layer], branch[3 * layer + 1]
            factor = (norm.weight / torch.sqrt(norm.running_var + norm.eps)).detach()
            kernel = (conv.weight.detach() * factor[:, None, None, None]).numpy()
            bias = (norm.bias.detach() - norm.running_mean * factor).numpy()
            label = f"{name}_{layer}"
            size = kernel.shape[-1]
            x = node("Conv", [x, constant(f"{label}_w", kernel), constant(f"{label}_b", bias)], f"{label}_conv",
                     kernel_shape=[size, size], strides=[stride, stride], pads=[size // 2] * 4)
            x = node("Relu", [x], label)
        x = node("GlobalAveragePool", [x], f"{name}_mean")
        seen.append(node("Flatten", [x], f"{name}_seen", axis=1))
    x = node("Concat", seen, "seen", axis=1)
    for name, layer in (("mix", net.mix), ("each", net.live)):
        inputs = [x, constant(f"{name}_w", layer.weight.detach().numpy()), constant(f"{name}_b", layer.bias.detach().numpy())]
        x = node("Gemm", inputs, f"{name}_sum" if name == "mix" else name, transB=1)
        if name == "mix":
            x = node("Relu", [x], name)
    # [2 n, 1]: all pictures, then all mirror images.
    x = node("Reshape", [x, constant("pairs", [2, -1], np.int64)], "pair")
    x = node("ReduceMean", [x], "mean", axes=[0], keepdims=0)
    node("Reshape", [x, constant("column", [-1, 1], np.int64)], "odds")
    graph = helper.make_graph(
        nodes, "liveness-net-1",
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["N", 3, SIDE, 2 * SIDE])],
        [helper.make_tensor_value_info("odds", TensorProto.FLOAT, ["N", 1])], constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8, producer_name="assay")
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString()


def check(net, path):
    """Asserts that the file answers as the net does."""
    generator = torch.Generator().manual_seed(1)
    crops = torch.randint(0, 256, (4, 2, SIDE, SIDE, 3), generator=generator, dtype=torch.uint8).numpy()
    own, found = train.scores(net, crops), onnx_file.answers(path, crops)
    assert np.abs(own - found).max() < 1e-3, (own, found)


if __name__ == "__main__":
    main()
