"""The exported net: its calibration, and what it answers."""

import hashlib
import os

import numpy as np

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # it would report its use to its maker
import onnx  # noqa: E402
from onnx import helper, numpy_helper  # noqa: E402
from onnxruntime import InferenceSession, SessionOptions  # noqa: E402

from net import SIDE  # noqa: E402

BATCH = 100


def session(path):
    options = SessionOptions()
    options.intra_op_num_threads = 1
    return InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def joined(crops):
    """Bytes [n, 2, h, w, 3] of render.py as the file takes them, [n, 3, h, 2 w]."""
    pixels = ((crops.astype(np.float32) - 127.5) / 127.5).transpose(0, 1, 4, 2, 3)
    return np.ascontiguousarray(np.concatenate([pixels[:, 0], pixels[:, 1]], -1))


def answers(path, crops):
    """The file's output for each pair of crops [n]: `odds` of export.py, or `live` once it is calibrated."""
    net = session(path)
    parts = [net.run(None, {"input": joined(crops[at : at + BATCH])})[0][:, 0] for at in range(0, len(crops), BATCH)]
    return np.concatenate(parts)


def calibrate(path, slope, shift, out):
    """Writes a file whose output is `live` [n, 1], the probability of a live face by those log odds times `slope` plus `shift`."""
    model = onnx.load(path)
    graph = model.graph
    graph.initializer.extend(numpy_helper.from_array(np.float32(value), name) for name, value in (("slope", slope), ("shift", shift)))
    for operator, inputs, name in (("Mul", ["odds", "slope"], "scaled"), ("Add", ["scaled", "shift"], "calibrated"), ("Sigmoid", ["calibrated"], "live")):
        graph.node.append(helper.make_node(operator, inputs, [name], name))
    graph.output[0].name = "live"
    onnx.checker.check_model(model)
    onnx.save(model, out)


def described(path):
    """Size and hash of the file, and its answer to the pack's probe (`probe_input` in crates/vision/src/models.rs)."""
    state, noise = 20_261_121, []
    for _ in range(3 * SIDE * 2 * SIDE):
        state = (state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) % 2**64
        noise.append(((state >> 56) - 127.5) / 127.5)
    probe = session(path).run(None, {"input": np.array(noise, np.float32).reshape(1, 3, SIDE, 2 * SIDE)})[0]
    file = path.read_bytes()
    return f"{len(file)} bytes, SHA-256 {hashlib.sha256(file).hexdigest()}, probe {float(probe[0, 0])}"
