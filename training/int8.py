"""Nets whose convolutions calculate with numbers of eight bits."""

import os
import tempfile

import numpy as np

# It would report its use to its maker.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnx  # noqa: E402
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static  # noqa: E402
from onnxruntime.quantization.shape_inference import quant_pre_process  # noqa: E402

# Range of the input, pixels from -1 to 1. With exactly these bounds all pixels would lie half-way between two bytes, and how they are
# rounded would depend on the processor.
INPUT_RANGE = {"rmin": np.array(-1.0, np.float32), "rmax": np.array(1.02, np.float32)}
# Share of the values between zero and a tensor's bounds; what lies outside is clamped.
PERCENTILE = 99.99


class Inputs(CalibrationDataReader):
    def __init__(self, inputs):
        self.rest = iter(inputs)

    def get_next(self):
        one = next(self.rest, None)
        return None if one is None else {"input": one[None]}


def quantise(path, inputs):
    """Rewrites an ONNX file: all convolutions, also the first, get eight bits for values and, so that no processor needs more than 16
    bits for the sum of two products, seven for weights, with a scale for each output channel. `inputs` are float32 [n, ...] of
    the kind that the net is for, of which the ranges are taken. Integers add up to the same on every processor."""
    inputs = np.asarray(inputs, np.float32)
    with tempfile.TemporaryDirectory() as folder:
        ready = os.path.join(folder, "ready.onnx")
        quant_pre_process(str(path), ready)
        quantize_static(
            ready, str(path), Inputs(inputs), op_types_to_quantize=["Conv"], quant_format=QuantFormat.QDQ, per_channel=True,
            reduce_range=True, activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8,
            calibrate_method=CalibrationMethod.Percentile,
            extra_options={"CalibPercentile": PERCENTILE, "TensorQuantOverrides": {"input": [INPUT_RANGE]}},
        )
    model = onnx.load(path)
    onnx.checker.check_model(model)
    # The tool numbers what it adds as it pleases; the same net shall give the same file.
    model.producer_name, model.producer_version = "assay", ""
    onnx.save(model, path)
