"""Writes the trained net as ONNX, and its estimates for packed sets.

    python export.py CHECKPOINT OUT.onnx [--mirror] [--younger YEARS] [--quantise SET]
    python export.py CHECKPOINT OUT.csv --set SET [--part dev] [--mirror] [--younger YEARS]
    python export.py CHECKPOINT OUT.onnx --quality

The file takes `input` [n, 3, side, side], RGB from -1 to 1, a crop of 1.6 times `--view` of the run times the box with the eyes level, and gives `age`
[n, 101], the probability of each whole year from 0 to 100 (its mean, from the middles of the years, is the estimate), and
`st_dev` [n], the standard deviation in years. With `--mirror` both are those of the even mixture of the picture and its mirror
image. `--younger` makes everybody whom the net takes for 28 or younger so many years younger, and older people by less, down to
nothing at 42: what it takes until no more of those labelled 10 to 19 pass at 25 than before. With `--quantise` convolutions calculate with
eight bits, in ranges that 500 training faces of SET have. With `--quality` the file gives `quality` [n, 5] instead: the probabilities that mouth, nose and eyes are covered, and the
standard deviations of blur, in hundredths of the crop's side, and of noise, in hundredths of full light. Weights are the moving
average of the run.
"""

import argparse
import hashlib
import os
import pathlib
import sys

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from torch import nn

import augment
from head import write
from net import CHANNELS, COVERED, AgeNet, probabilities
from train import Faces

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import int8  # noqa: E402

YOUNG_AGE, UNCHANGED_AGE = 28.0, 42.0
# Tensors of at least so many values are stored with 16 bits; what that may change, in years and hundredths.
HALVED_VALUES, HALVED_ERROR = 1024, 0.05
# What eight bits may change, years, in the mean over the faces of which the ranges are taken.
QUANTISED_ERROR = 0.6
CALIBRATION_FACES = 500


class Served(nn.Module):
    """What is exported."""

    def __init__(self, net, mirror, younger):
        super().__init__()
        self.net, self.mirror, self.younger = net, mirror, younger

    def probabilities(self, view):
        place, scale, *_ = self.net(view)
        young = ((UNCHANGED_AGE - place) / (UNCHANGED_AGE - YOUNG_AGE)).clamp(0, 1)
        return probabilities(place - self.younger * young, scale)

    def forward(self, crops):
        parts = [self.probabilities(view) for view in ([crops, crops.flip(3)] if self.mirror else [crops])]
        # Differences of rounded numbers may fall a little below nothing.
        age = (sum(parts) / len(parts)).clamp(min=0)
        years = torch.arange(age.shape[1], dtype=age.dtype) + 0.5
        mean = (age * years).sum(1, keepdim=True)
        return age, ((age * (years - mean) ** 2).sum(1)).sqrt()


class ServedQuality(nn.Module):
    """What is exported for the quality of the picture."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, crops):
        seen = self.net.quality(self.net.features(crops))
        return torch.cat([torch.sigmoid(seen[:, :COVERED]), (2.0 ** seen[:, COVERED:] - 1).clamp(0, 100)], 1)


def load(path):
    """The net of a checkpoint, the side of its crops in pixels, and the share of a stored crop that it sees."""
    saved = torch.load(path, map_location="cpu")
    net = AgeNet(tuple(8 * round(c * saved["width"] / 8) for c in CHANNELS))
    net.load_state_dict(saved["average"])
    return net.eval(), saved["side"], saved["view"]


def halved(path):
    """Stores large tensors with 16 bits, which the runtime widens as it loads them."""
    model = onnx.load(path)
    casts = []
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype == np.float32 and values.size >= HALVED_VALUES:
            name = tensor.name
            tensor.CopyFrom(numpy_helper.from_array(values.astype(np.float16), f"{name}.half"))
            casts.append(helper.make_node("Cast", [f"{name}.half"], [name], to=onnx.TensorProto.FLOAT))
    nodes = [*casts, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def estimates(served, side, view, faces, at):
    means, deviations = [], []
    with torch.no_grad():
        for part in at.split(200):
            age, deviation = served(augment.plain(faces.take(part), view, side))
            means.append((age * (torch.arange(age.shape[1]) + 0.5)).sum(1))
            deviations.append(deviation)
    return torch.cat(means), torch.cat(deviations)


def export(served, side, path, names, ranges=None):
    """Writes the net; with `ranges`, crops [n, 3, side, side], as one of eight bits."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # it would report its use to its maker
    from onnxruntime import InferenceSession

    shape = (1, 3, side, side)
    torch.onnx.export(served, (torch.zeros(shape),), path, dynamo=False, opset_version=13, input_names=["input"],
                      output_names=names, dynamic_axes={name: {0: "N"} for name in ("input", *names)})
    answers = lambda crops: InferenceSession(str(path), providers=["CPUExecutionProvider"]).run(None, {"input": crops.numpy()})
    crops = torch.rand(3, *shape[1:], generator=torch.Generator().manual_seed(1)) * 2 - 1
    with torch.no_grad():
        own = served(crops)
        own = own if isinstance(own, tuple) else (own,)
    assert all(np.abs(a.numpy() - b).max() < 1e-3 for a, b in zip(own, answers(crops)))
    if ranges is None:
        halved(path)
        assert all(np.abs(a.numpy() - b).max() < HALVED_ERROR for a, b in zip(own, answers(crops)))
    else:
        years = lambda age: (age * (np.arange(age.shape[1]) + 0.5)).sum(1)
        before = years(answers(ranges)[0])
        int8.quantise(path, ranges)
        apart = np.abs(years(answers(ranges)[0]) - before).mean()
        print(f"quantised: {apart:.2f} years apart in the mean")
        assert apart < QUANTISED_ERROR
    # The pack's probe: `probe_input` in crates/vision/src/models.rs.
    state, noise = 20_261_121, []
    for _ in range(3 * side * side):
        state = (state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) % 2**64
        noise.append(((state >> 56) - 127.5) / 127.5)
    first, *_ = answers(torch.tensor(noise, dtype=torch.float32).reshape(shape))
    print(path, path.stat().st_size, "bytes, SHA-256", hashlib.sha256(path.read_bytes()).hexdigest())
    print("probe:", [round(float(value), 6) for value in first[0, :8]])


def calibration_crops(folder, side, view):
    """Faces of which the ranges of a quantised net are taken, of the training part."""
    faces = Faces(folder)
    at = torch.tensor([i for i, row in enumerate(faces.rows) if row["part"] != "dev"])
    chosen = at[torch.randperm(len(at), generator=torch.Generator().manual_seed(1))[:CALIBRATION_FACES]]
    return augment.plain(faces.take(chosen), view, side)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--set", type=pathlib.Path)
    parser.add_argument("--part")
    parser.add_argument("--mirror", action="store_true")
    parser.add_argument("--younger", type=float, default=0.0)
    parser.add_argument("--quantise", type=pathlib.Path)
    parser.add_argument("--quality", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    net, side, view = load(options.checkpoint)
    if options.quality:
        export(ServedQuality(net).eval(), side, options.out, ["quality"])
        return
    served = Served(net, options.mirror, options.younger).eval()
    if options.set is None:
        ranges = calibration_crops(options.quantise, side, view) if options.quantise else None
        export(served, side, options.out, ["age", "st_dev"], ranges)
        return
    faces = Faces(options.set)
    at = torch.tensor([i for i, row in enumerate(faces.rows) if not options.part or row["part"] == options.part])
    mean, deviation = estimates(served, side, view, faces, at)
    write(options.out, [faces.rows[i] for i in at.tolist()], mean, deviation * 3**0.5 / np.pi)


if __name__ == "__main__":
    main()
