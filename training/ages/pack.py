"""Packs cut-out faces and their labels into one file for training: pack.py OUT FACES.csv CROPS... [--seed N]

FACES.csv is the output of labels.py, each CROPS a folder written by `cargo run --example age_crops`. OUT receives `crops.npy`,
bytes [n, side, side, 3], and `rows.csv`: label, part, quality, and where the six points of the face and the edges of the photo lie
in the crop. One face in ten is left out of training for development: `part` is train or dev, by a hash of the seed and the name, pictures of the same
face alike. `pack.py OUT --webp MEGABYTES` writes `crops-N.webps` files of about that size, which hold the same crops a thirtieth
as large for a machine far away; `pack.py OUT --unpack` makes `crops.npy` of them there.
"""

import argparse
import csv
import hashlib
import io
import pathlib
import struct
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from PIL import Image

PORTRAIT_SCALE = 1.6  # of face_portrait in crates/vision
POINTS = ("right_eye", "left_eye", "nose", "mouth", "right_ear", "left_ear")
DEV_SHARE = 0.1
# Correlation, less the mean face, from which two crops are taken for the same picture.
SAME_PICTURE = 0.97


def places(face):
    """The six points in the crop, from -1 to 1, by the rule `eyes_level` of crates/vision/src/crop.rs; and the matrix [2, 3] that leads
    from there to the place in the whole photo, from -1 to 1."""
    points = np.array([[face[f"{name}_x"], face[f"{name}_y"]] for name in POINTS])
    box = [face[edge] for edge in ("left", "top", "right", "bottom")]
    centre, half = np.array([box[0] + box[2], box[1] + box[3]]) / 2, max(box[2] - box[0], box[3] - box[1]) * PORTRAIT_SCALE / 2
    along = points[1] - points[0]
    sin, cos = along[1] / np.hypot(*along), along[0] / np.hypot(*along)
    turn = np.array([[cos, -sin], [sin, cos]])
    size = np.array([face["width"], face["height"]])
    return (points - centre) @ turn / half, np.column_stack([turn * half, centre - size / 2]) / (size[:, None] / 2)


def same_pictures(crops):
    """For each crop the number of the first one that shows the same picture."""
    small = np.stack([np.asarray(Image.fromarray(crop).convert("L").resize((20, 20), Image.BOX), np.float32).ravel() for crop in crops])
    small = (small - small.mean(1, keepdims=True)) / (small.std(1, keepdims=True) + 1)
    small -= small.mean(0)
    small /= np.linalg.norm(small, axis=1, keepdims=True)
    first = np.arange(len(crops))
    for at in range(0, len(crops), 1000):
        alike = small[at : at + 1000] @ small[: at + 1000].T
        for row, other in zip(*np.nonzero(alike > SAME_PICTURE)):
            if other < row + at:
                first[row + at] = min(first[row + at], first[other])
    return first


def in_dev(seed, name):
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:4]) < DEV_SHARE * 2**32


def pack(out, labels, folders, seed):
    known = {row["path"]: row for row in csv.DictReader(open(labels))}
    faces, files = [], []
    for folder in folders:
        rows = list(csv.DictReader(open(folder / "faces.csv")))
        side = round((folder.joinpath("crops.rgb").stat().st_size // len(rows) // 3) ** 0.5)
        crops = np.memmap(folder / "crops.rgb", np.uint8, "r", shape=(len(rows), side, side, 3))
        faces += [(row, len(files), at) for at, row in enumerate(rows) if row["path"] in known]
        files.append(crops)
    out.mkdir(parents=True, exist_ok=True)
    target = np.lib.format.open_memmap(out / "crops.npy", "w+", np.uint8, (len(faces), side, side, 3))
    for at, (_, file, row) in enumerate(faces):
        target[at] = files[file][row]
    target.flush()
    first = same_pictures(target)
    numbers = ("score", "side", "sharpness", "luma", "frontal")
    with open(out / "rows.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["path", "low", "high", "gender", "group", "part", "same_as", *numbers, *(f"{p}_{a}" for p in POINTS for a in "xy"),
                         *(f"photo_{at}" for at in range(6))])
        for at, (face, *_) in enumerate(faces):
            label = known[face["path"]]
            part = "dev" if in_dev(seed, faces[first[at]][0]["path"]) else "train"
            points, photo = places({k: float(v) for k, v in face.items() if k != "path"})
            writer.writerow([face["path"], label["low"], label["high"], label["gender"], label["group"], part, first[at],
                             *(face[k] for k in numbers), *(f"{v:.4f}" for v in (*points.ravel(), *photo.ravel()))])
    print(f"{len(faces)} of {len(known)} faces were found, {np.count_nonzero(first != np.arange(len(first)))} are in another picture again")


def write_webp(out, megabytes):
    crops, at, part = np.load(out / "crops.npy", "r"), 0, 0
    while at < len(crops):
        with open(out / f"crops-{part:02}.webps", "wb") as file:
            while at < len(crops) and file.tell() < megabytes * 1e6:
                picture = io.BytesIO()
                Image.fromarray(crops[at]).save(picture, "webp", quality=80, method=4)
                file.write(struct.pack("<I", len(picture.getvalue())) + picture.getvalue())
                at += 1
        part += 1
    print(f"{part} files")


def decoded(path):
    pictures, data, at = [], path.read_bytes(), 0
    while at < len(data):
        (size,) = struct.unpack_from("<I", data, at)
        pictures.append(np.asarray(Image.open(io.BytesIO(data[at + 4 : at + 4 + size])).convert("RGB")))
        at += 4 + size
    return np.stack(pictures)


def unpack(out):
    with ProcessPoolExecutor() as pool:
        crops = np.concatenate(list(pool.map(decoded, sorted(out.glob("crops-*.webps")))))
    np.save(out / "crops.npy", crops)
    print(f"{len(crops)} crops")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("faces", nargs="?", type=pathlib.Path)
    parser.add_argument("crops", nargs="*", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--webp", type=float)
    parser.add_argument("--unpack", action="store_true")
    options = parser.parse_args()
    if options.webp:
        write_webp(options.out, options.webp)
    elif options.unpack:
        unpack(options.out)
    else:
        pack(options.out, options.faces, options.crops, options.seed)


if __name__ == "__main__":
    main()
