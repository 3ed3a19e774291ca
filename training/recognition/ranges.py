"""What the convolutions of the recognition net contain: ranges.py SET PHOTOS PACK CROPS... OUT.csv

SET is the output of ../ages/pack.py, CROPS the folders that it was made from, PHOTOS the folder that the paths of the labels start in,
PACK a pack whose recognition net is not quantised. Writes for each convolution the least and the greatest value of its input and of its
output, after `Relu` where one follows; over 500 faces.
"""

import csv
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "ages"))
from features import read_faces, recognition_crop, set_arguments  # noqa: E402

NET = "face-api-recognition.onnx"
FACES = 500


def main():
    parser = set_arguments("pack")
    parser.add_argument("out", type=pathlib.Path)
    options = parser.parse_args()
    faces = read_faces(options.crops)
    paths = [row["path"] for row in csv.DictReader(open(options.set / "rows.csv"))]
    model = onnx.load(options.pack / NET)
    users = {}
    for node in model.graph.node:
        for tensor in node.input:
            users.setdefault(tensor, []).append(node)
    pairs = []
    for node in (node for node in model.graph.node if node.op_type == "Conv"):
        after = users[node.output[0]]
        clamped = len(after) == 1 and after[0].op_type == "Relu"
        pairs.append((node.input[0], after[0].output[0] if clamped else node.output[0]))
    tensors = sorted({tensor for pair in pairs for tensor in pair})
    model.graph.output.extend(onnx.helper.make_empty_tensor_value_info(tensor) for tensor in tensors)
    net = onnxruntime.InferenceSession(model.SerializeToString())
    low, high = dict.fromkeys(tensors, np.inf), dict.fromkeys(tensors, -np.inf)
    for at in np.random.default_rng(1).permutation(len(paths))[:FACES]:
        cut = recognition_crop(options.photos, faces[paths[at]])
        for tensor, values in zip(tensors, net.run(tensors, {"input": cut[None]})):
            low[tensor], high[tensor] = min(low[tensor], values.min()), max(high[tensor], values.max())
    with open(options.out, "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["convolution", "input_low", "input_high", "output_low", "output_high"])
        for number, pair in enumerate(pairs):
            rows.writerow([number, *(f"{edge[tensor]:.6g}" for tensor in pair for edge in (low, high))])


if __name__ == "__main__":
    main()
