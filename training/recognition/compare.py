"""How embeddings change from one pack to another, by cell of group and sex: compare.py SET PHOTOS BEFORE AFTER CROPS...

SET is the output of ../ages/pack.py, CROPS the folders that it was made from, PHOTOS the folder that the paths of the labels start in,
BEFORE and AFTER are packs. Prints how far a face lies from itself, and of the adults of one cell that transform.py measures, each with
each, which share is nearer than the distances that the pack states: before, after, and between an embedding of before and one of after,
as where a gallery is older than the pack. And at which distance 1 of 1000 of the worst cell is.
"""

import csv
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "ages"))
from features import read_faces, recognition_crop, session, set_arguments  # noqa: E402
from transform import ADULT, AGES, LEAST_FRONTAL, LEAST_SHARPNESS, LEAST_TO_MEASURE, MOST_FACES, in_fit  # noqa: E402

NET = "face-api-recognition.onnx"
BATCH = 32
DISTANCES = (0.485, 0.53, 0.585)
RATE = 1e-3


def embeddings(nets, photos, rows, faces):
    """Those of each net, float32 [n, 128]."""
    found = [[] for _ in nets]
    for start in range(0, len(rows), BATCH):
        crops = [recognition_crop(photos, faces[row["path"]]) for row in rows[start : start + BATCH]]
        for net, parts in zip(nets, found):
            parts.append(net.run(None, {"input": np.stack(crops)})[0])
    return [np.concatenate(parts) for parts in found]


def distances(one, other):
    square = (one**2).sum(1)[:, None] + (other**2).sum(1) - 2 * one @ other.T
    return np.sqrt(np.maximum(square[np.triu_indices(len(one), 1)], 0))


def measured(at, row):
    """Whether transform.py would measure a face of the set."""
    low, high, _ = next(age for age in AGES if age[2] == ADULT)
    good = float(row["sharpness"]) >= LEAST_SHARPNESS and float(row["frontal"]) >= LEAST_FRONTAL and int(row["same_as"]) == at
    return good and not in_fit(row["path"]) and low <= float(row["low"]) < high


def main():
    options = set_arguments("before", "after").parse_args()
    faces = read_faces(options.crops)
    cells = {}
    for at, row in enumerate(csv.DictReader(open(options.set / "rows.csv"))):
        if row["path"] in faces and measured(at, row):
            cells.setdefault((row["group"], row["gender"]), []).append(row)
    nets = [session(pack / NET) for pack in (options.before, options.after)]
    own, total, worst = [], 0, np.full(3, np.inf)
    print("cell, pairs: share in % nearer than", DISTANCES, "before, after, and of one before with one after")
    for cell, rows in sorted(cells.items()):
        if len(rows) < LEAST_TO_MEASURE:
            continue
        before, after = embeddings(nets, options.photos, rows[:MOST_FACES], faces)
        own.append(np.linalg.norm(before - after, axis=1))
        found = [distances(*pair) for pair in ((before, before), (after, after), (before, after))]
        counts = np.array([[(of < limit).sum() for limit in DISTANCES] for of in found])
        total = total + np.append(counts.ravel(), len(found[0]))
        worst = np.minimum(worst, [np.quantile(of, RATE) for of in found])
        print(*cell, len(found[0]), *np.round(100 * counts / len(found[0]), 3), flush=True)
    print("all", total[-1], *np.round(100 * total[:-1].reshape(3, -1) / total[-1], 4))
    print(f"{RATE:g} of the worst cell are nearer than", *np.round(worst, 5))
    own = np.concatenate(own)
    print(f"a face from itself: mean {own.mean():.4f}, 99 % below {np.quantile(own, 0.99):.4f}, farthest {own.max():.4f}")


if __name__ == "__main__":
    main()
