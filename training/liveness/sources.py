"""Prepares the source photographs: finds one face in each, scales the photo and cuts the person out.

    python sources.py PACK SOURCES OUT

PACK is the folder of imported models, SOURCES holds the folders listed in SOURCES.md, OUT receives one .npz for each photo.
"""

import csv
import json
import os
import pathlib
import sys
import zlib

import cv2
import numpy as np
from PIL import Image

import faces

# Longer side of the face box in a prepared photo, pixels; smaller faces are not scaled.
FACE_SIDE = 300
# Share of the people who are never trained on; by name, so that all pictures of a person are in the same half.
HELD_OUT = 0.2
# Photographs of earlier members (before 2003) are scans of prints, which live faces are to be told from.
FIRST_CONGRESS = 108
# Faces of FairFace for each group and sex. They are cut out closely, so more of them would teach the net little about what is around a face.
FACES_PER_GROUP = 30
# Which person signs in which of Intel's clips, as judged by eye; two of the five are never trained on.
SIGNERS = {
    "a": "again brother help no student yes", "b": "bird milk please sorry thanks", "c": "book learn school walk",
    "d": "eat night sister", "e": "hungry want",
}
_SIGNER = {clip: f"signer-{who}" for who, clips in SIGNERS.items() for clip in clips.split()}
_HELD_SIGNERS = {"signer-c", "signer-e"}


def split(person):
    """The half of a person: 'train' or 'held'."""
    if person.startswith("fairface-"):
        return "train"
    if person.startswith("signer-"):
        return "held" if person in _HELD_SIGNERS else "train"
    return "held" if zlib.crc32(person.encode()) % 1000 < HELD_OUT * 1000 else "train"


def names(folder):
    """Both names of each member of the 117th Congress: an id of the Biographical Directory in some folders, first and last name in others."""
    other = {}
    for file in ("us-house.json", "us-senate.json"):
        for member in json.loads((folder / file).read_text()):
            other[member["bioguide"]] = member["name_slug"]
            other[member["name_slug"]] = member["bioguide"]
    return other


def cut_out(picture, box):
    """Alpha mask of the person, bytes [h, w] (GrabCut on a small copy)."""
    height, width = picture.shape[:2]
    share = 120 / max(height, width)
    small = cv2.resize(picture, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    left, top, right, bottom = (v * share for v in box)
    w, h = right - left, bottom - top
    rows, columns = small.shape[:2]
    y, x = np.mgrid[0:rows, 0:columns]
    cx, cy = (left + right) / 2, (top + bottom) / 2
    mask = np.full((rows, columns), cv2.GC_PR_BGD, np.uint8)
    body = ((x - cx) / (1.5 * w)) ** 2 + ((y - bottom - 1.6 * h) / (1.55 * h)) ** 2 < 1
    mask[body] = cv2.GC_PR_FGD
    mask[((x - cx) / (0.75 * w)) ** 2 + ((y - cy + 0.12 * h) / (0.85 * h)) ** 2 < 1] = cv2.GC_PR_FGD
    mask[((x - cx) / (0.45 * w)) ** 2 + ((y - cy) / (0.5 * h)) ** 2 < 1] = cv2.GC_FGD
    mask[(abs(x - cx) < 0.5 * w) & (y > bottom + 0.5 * h)] = cv2.GC_FGD
    mask[y < top - 0.6 * h] = cv2.GC_BGD
    mask[(y < cy) & (abs(x - cx) > 1.1 * w)] = cv2.GC_BGD
    cv2.setRNGSeed(1)
    cv2.grabCut(small[..., ::-1].copy(), mask, None, np.zeros((1, 65)), np.zeros((1, 65)), 2, cv2.GC_INIT_WITH_MASK)
    inside = np.isin(mask, (cv2.GC_FGD, cv2.GC_PR_FGD)).astype(np.uint8)
    count, labels = cv2.connectedComponents(inside)
    inside = (labels == labels[int(np.clip(cy, 0, rows - 1)), int(np.clip(cx, 0, columns - 1))]).astype(np.uint8) * 255
    alpha = cv2.resize(cv2.GaussianBlur(inside, (0, 0), 0.8), (width, height), interpolation=cv2.INTER_CUBIC)
    return np.clip((alpha.astype(np.float32) - 110) * 2.2, 0, 255).astype(np.uint8)


def prepare(net, picture):
    """The scaled picture with the face's box and points; None where no face is sure (0.7) and large (36 pixels) enough."""
    found = faces.surest(net, picture)
    if found is None or found[0] < 0.7:
        return None
    _, box, points = found
    side = max(box[2] - box[0], box[3] - box[1])
    if side < 36:
        return None
    if side > FACE_SIDE:
        share = FACE_SIDE / side
        size = round(picture.shape[1] * share), round(picture.shape[0] * share)
        picture = np.asarray(Image.fromarray(picture).resize(size, Image.BOX))
        box, points = box * share, points * share
    # No crop shows more than three face sides in each direction.
    side = min(side, FACE_SIDE)
    low = np.maximum(((box[:2] + box[2:]) / 2 - 3 * side).astype(int), 0)
    high = ((box[:2] + box[2:]) / 2 + 3 * side).astype(int)
    picture = np.ascontiguousarray(picture[low[1] : high[1], low[0] : high[0]])
    return picture, box - np.tile(low, 2), points - low


def first_congress(file):
    """By id, the number of the first Congress that somebody was a member of."""
    first = {}
    with open(file, newline="") as rows:
        for row in csv.DictReader(rows):
            person, number = row["bioguide_id"], int(row["congress"])
            first[person] = min(number, first.get(person, number))
    return first


def person_of(path):
    """The person in a portrait; the file's name has it, with what tells their photos apart before or after."""
    return {"portraits": path.stem, "pairs": path.stem.split("_")[0], "directory": path.stem.split("-")[-1]}.get(path.parent.name, path.stem)


def portraits(folder):
    """The paths of all portraits. Those in `directory` are trained on, or left out."""
    for name in ("house", "senate", "portraits", "pairs"):
        yield from sorted((folder / name).glob("*.jpg")) + sorted((folder / name).glob("*.png"))
    first = first_congress(folder / "data_aging_congress.csv")
    for path in sorted((folder / "directory").glob("*.jpg")):
        person = person_of(path)
        if first.get(person, 0) >= FIRST_CONGRESS and split(person) == "train":
            yield path


def open_faces(folder):
    """As many training faces of FairFace for each group and sex, drawn by their names."""
    chosen = {}
    with open(folder / "labels-train.csv", newline="") as rows:
        for row in csv.DictReader(rows):
            chosen.setdefault((row["group"], row["gender"]), []).append(folder / row["path"])
    for group in sorted(chosen):
        yield from sorted(chosen[group], key=lambda path: zlib.crc32(path.name.encode()))[:FACES_PER_GROUP]


def photos(folder):
    """(kind, person, picture) of every source photo."""
    other = names(folder)
    held = {person for path in portraits(folder) if split(person := person_of(path)) == "held"}
    for path in portraits(folder):
        person = person_of(path)
        if person not in held and other.get(person) in held:
            print(f"held out by another name: {path.name}", file=sys.stderr)
        else:
            yield "portrait", person, np.asarray(Image.open(path).convert("RGB"))
    for path in open_faces(folder / "fairface"):
        yield "photo", f"fairface-{path.stem}", np.asarray(Image.open(path).convert("RGB"))
    for path in sorted((folder / "asl").glob("*.mkv")):
        film = cv2.VideoCapture(str(path))
        count = 0
        while True:
            good, frame = film.read()
            if not good:
                break
            if count % 25 == 10:
                yield "webcam", _SIGNER[path.stem], np.ascontiguousarray(frame[..., ::-1])
            count += 1


def main():
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # it would report its use to its maker
    from onnxruntime import InferenceSession

    pack, folder, out = (pathlib.Path(argument) for argument in sys.argv[1:4])
    net = InferenceSession(str(pack / "blazeface.onnx"))
    save_all(net, folder, out)


def save_all(net, folder, out):
    out.mkdir(parents=True, exist_ok=True)
    counts = {"train": 0, "held": 0}
    for number, (kind, person, picture) in enumerate(photos(folder)):
        ready = prepare(net, picture)
        if ready is None:
            print(f"no face: {kind} {person}", file=sys.stderr)
            continue
        picture, box, points = ready
        half = split(person)
        counts[half] += 1
        np.savez(
            out / f"{half}-{kind}-{number:04d}.npz", picture=picture, box=box.astype(np.float32), points=points.astype(np.float32),
            alpha=cut_out(picture, box) if kind == "portrait" else np.zeros(0, np.uint8), person=person,
        )
    print(counts)


if __name__ == "__main__":
    main()
