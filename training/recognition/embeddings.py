"""Embeddings of the packaged recognition net for a packed set: embeddings.py SET PHOTOS PACK CROPS... [--half 0|1]

SET is the output of ../ages/pack.py, CROPS the folders that it was made from, PHOTOS the folder that the paths of the labels start in,
PACK a pack of models. Faces are cut out of the photos as crates/vision/src/crop.rs does it. Writes SET/embeddings.npy, float32
[n, 129]: the embedding and whether the row is done, so that an interrupted run goes on, and several may each do a half.
"""

import argparse
import csv
import pathlib
import sys

import numpy as np
from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "ages"))
from features import crop, session, square  # noqa: E402

NET = "face-api-recognition.onnx"
SIDE = 150
WIDTH = 128
BATCH = 32


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("set", type=pathlib.Path)
    parser.add_argument("photos", type=pathlib.Path)
    parser.add_argument("pack", type=pathlib.Path)
    parser.add_argument("crops", type=pathlib.Path, nargs="+")
    parser.add_argument("--half", type=int)
    options = parser.parse_args()
    faces = {face["path"]: face for folder in options.crops for face in csv.DictReader(open(folder / "faces.csv"))}
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
        crops = []
        for at in part:
            photo = np.asarray(Image.open(options.photos / rows[at]).convert("RGB"))
            crops.append(crop(photo, *square(faces[rows[at]], "d2", 1.0), SIDE))
        found[part] = np.column_stack([net.run(None, {"input": np.stack(crops)})[0], np.ones(len(part))])


if __name__ == "__main__":
    main()
