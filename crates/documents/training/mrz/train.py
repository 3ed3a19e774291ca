"""Trains the recogniser of MRZ lines and writes it as ONNX.

    python train.py STRIPS OUT.onnx --steps 5000

Reads the files that lines.py makes, in their order, and waits for those not made yet. What it writes every 500
steps is the running mean of the weights, so it can be used from early on.
"""

import argparse
import os
import time

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from lines import load_faces, make_shard
from text import ALPHABET

# Channels, kernel, stride and padding of each layer: 32 rows become one, four columns become a step in time.
LAYERS = (
    (1, 24, (3, 3), (2, 2), (1, 1)),
    (24, 48, (3, 3), (2, 2), (1, 1)),
    (48, 64, (3, 3), (2, 1), (1, 1)),
    (64, 96, (3, 3), (2, 1), (1, 1)),
    (96, 128, (2, 3), (1, 1), (0, 1)),
    (128, 128, (1, 5), (1, 1), (0, 2)),
)
CLASSES = len(ALPHABET) + 1
BATCH = 96


def build():
    parts = []
    for come, go, kernel, stride, padding in LAYERS:
        parts += [nn.Conv2d(come, go, kernel, stride, padding, bias=False), nn.BatchNorm2d(go), nn.ReLU()]
    return nn.Sequential(*parts, nn.Conv2d(LAYERS[-1][1], CLASSES, (1, 3), 1, (0, 1)))


def normalise(strips):
    """What the reader does too: mean out, spread to about one, flat strips not blown up."""
    strips = strips.float()
    mean = strips.mean((1, 2), keepdim=True)
    spread = strips.std((1, 2), keepdim=True, correction=0) + 8
    return ((strips - mean) / spread)[:, None]


def export(net, path):
    """Folds the batch norms into the convolutions; the graph is convolutions and nothing else."""
    nodes, weights, name = [], [], "strip"
    convolutions = [m for m in net if isinstance(m, nn.Conv2d)]
    norms = [m for m in net if isinstance(m, nn.BatchNorm2d)]
    for i, conv in enumerate(convolutions):
        weight = conv.weight.detach().clone()
        if i < len(norms):
            norm = norms[i]
            scale = norm.weight.detach() / torch.sqrt(norm.running_var + norm.eps)
            weight = weight * scale[:, None, None, None]
            bias = norm.bias.detach() - norm.running_mean * scale
        else:
            bias = conv.bias.detach()
        weights += [numpy_helper.from_array(weight.numpy(), f"weight{i}"), numpy_helper.from_array(bias.numpy(), f"bias{i}")]
        (ph, pw), last = conv.padding, i == len(norms)
        out = "logits" if last else f"conv{i}"
        nodes.append(helper.make_node("Conv", [name, f"weight{i}", f"bias{i}"], [out], kernel_shape=list(conv.kernel_size),
                                      strides=list(conv.stride), pads=[ph, pw, ph, pw]))
        name = out
        if not last:
            nodes.append(helper.make_node("Relu", [name], [f"relu{i}"]))
            name = f"relu{i}"
    graph = helper.make_graph(
        nodes, "mrz",
        [helper.make_tensor_value_info("strip", TensorProto.FLOAT, ["lines", 1, 32, "width"])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["lines", CLASSES, 1, "steps"])],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, path + ".part")
    os.replace(path + ".part", path)


def greedy(logits):
    answers = []
    for row in logits[:, :, 0].argmax(1).tolist():
        answers.append([c for c, before in zip(row, [0] + row[:-1]) if c and c != before])
    return answers


def exact(net, strips, labels):
    net.eval()
    right = 0
    with torch.no_grad():
        for i in range(0, len(strips), 128):
            for said, is_ in zip(greedy(net(normalise(strips[i : i + 128]))), labels[i : i + 128].tolist()):
                right += said == [c for c in is_ if c]
    return right / len(strips)


def batches(folder, shards, first):
    """Every strip of every shard from the first on, then all over again in another order."""
    lap = 0
    while True:
        for index in range(first if lap == 0 else 0, shards):
            path = f"{folder}/{index:05}.npz"
            while not os.path.exists(path):
                time.sleep(1)
            data = np.load(path)
            strips, labels = torch.from_numpy(data["strips"]), torch.from_numpy(data["labels"]).long()
            order = torch.from_numpy(np.random.default_rng([lap, index]).permutation(len(strips)))
            for i in range(0, len(order) - BATCH + 1, BATCH):
                yield strips[order[i : i + BATCH]], labels[order[i : i + BATCH]]
        lap += 1


def train(options):
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    net = build()
    mean = torch.optim.swa_utils.AveragedModel(net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.995), use_buffers=True)
    if options.resume:
        state = torch.load(options.resume, weights_only=True)
        net.load_state_dict(state)
        mean.module.load_state_dict(state)
    print(sum(p.numel() for p in net.parameters()), "weights", flush=True)
    optimiser = torch.optim.AdamW(net.parameters(), lr=options.rate, weight_decay=1e-4)
    # Rises, stays, falls to nothing over the last part.
    rate = lambda s: min(1, (s + 1) / 200, max(0.002, (options.steps - s) / (options.fall * options.steps)))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, rate)
    held = [torch.from_numpy(a) for a in make_shard(999, 0, load_faces(), 2048)]
    source, started, slow = batches(options.strips, options.shards, options.first), time.time(), 0
    for step in range(1, options.steps + 1):
        strips, labels = next(source)
        net.train()
        logits = net(normalise(strips))[:, :, 0].permute(2, 0, 1).log_softmax(-1)
        lengths = (labels > 0).sum(1)
        loss = nn.functional.ctc_loss(logits, labels, torch.full((len(labels),), len(logits)), lengths, zero_infinity=True)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5)
        optimiser.step()
        schedule.step()
        mean.update_parameters(net)
        slow = 0.98 * slow + 0.02 * loss.item() if step > 1 else loss.item()
        if step % 150 == 0 or step == options.steps:
            mean.module.eval()
            print(step, f"loss {slow:.4f} exact strips {exact(mean.module, *held):.4f} after {time.time() - started:.0f} s", flush=True)
            export(mean.module, options.out)
            torch.save(mean.module.state_dict(), options.out + ".pt")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("strips")
    parser.add_argument("out")
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--shards", type=int, default=60)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--fall", type=float, default=0.4)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", default="")
    train(parser.parse_args())
