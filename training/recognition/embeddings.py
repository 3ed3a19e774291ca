"""Embeddings of the packaged recognition net for a packed set: embeddings.py SET PHOTOS PACK CROPS... [--half 0|1]

SET is the output of ../ages/pack.py, CROPS the folders that it was made from, PHOTOS the folder that the paths of the labels start in,
PACK a pack of models. Faces are cut out of the photos as crates/vision/src/crop.rs does it. Writes SET/embeddings.npy, float32
[n, 129]: the embedding and whether the row is done, so that an interrupted run goes on, and several may each do a half.
"""

import csv
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "ages"))
from features import read_faces, recognition_crop, session, set_arguments  # noqa: E402

NET = "face-api-recognition.onnx"
WIDTH = 128
BATCH = 32


def main():
    parser = set_arguments("pack")
    parser.add_argument("--half", type=int)
    options = parser.parse_args()
    faces = read_faces(options.crops)
    rows = [row["path"] for row in csv.DictReader(open(options.set / "rows.csv"))]
    path = options.set / "embeddings.npy"
    shape = (len(rows), WIDTH + 1)
    found = np.lib.format.open_memmap(path, "r+") if path.exists() else np.lib.format.open_memmap(path, "w+", np.float32, shape)
    net = session(options.pack / NET)
    # In any order, so that some of the faces stand for all.
    todo = np.random.default_rng(1).permutation(len(rows))
    todo = [at for at in todo if found[at, -1] == 0 and (options.half is None or at % 2 == options.half)]
    for start in range(0, len(todo), BATCH):
        part = todo[start : start + BATCH]
        crops = [recognition_crop(options.photos, faces[rows[at]]) for at in part]
        found[part] = np.column_stack([net.run(None, {"input": np.stack(crops)})[0], np.ones(len(part))])


if __name__ == "__main__":
    main()
