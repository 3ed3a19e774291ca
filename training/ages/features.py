"""Features of the packaged nets for a packed set: features.py SET PHOTOS PACK CROPS...

SET is the output of pack.py, CROPS the folders that it was made from, PHOTOS the folder that the paths of the labels start in, PACK
a pack of models. Crops are cut out of the photos as crates/vision/src/crop.rs does it. Writes SET/features.npy, float16 [n, 644]:
the mean over both crops of the 512 numbers before the last layer of `face-api-age`, its two ages, its probability of a man, the
embedding of `face-api-recognition` (128), and whether the row is done, so that an interrupted run goes on. SET/packaged.csv has the
estimates of the packaged net, with the deviations of the pack's error table.
"""

import argparse
import csv
import json
import os
import pathlib

import cv2
import numpy as np
import onnx
from PIL import Image

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # it would report its use to its maker
import onnxruntime  # noqa: E402

AGE, RECOGNITION = "face-api-age", "face-api-recognition"
LAST = 512
WIDTH = LAST + 3 + 128 + 1
BATCH = 32


def square(face, rule, scale):
    """Centre, side and angle of a crop, by crates/vision/src/crop.rs."""
    point = lambda name: np.array([float(face[f"{name}_x"]), float(face[f"{name}_y"])])
    right, left, mouth = point("right_eye"), point("left_eye"), point("mouth")
    angle = np.arctan2(*(left - right)[::-1])
    if rule == "eyes_level":
        box = [float(face[edge]) for edge in ("left", "top", "right", "bottom")]
        return np.array([box[0] + box[2], box[1] + box[3]]) / 2, max(box[2] - box[0], box[3] - box[1]) * scale, angle
    side = np.hypot(*(mouth - (left + right) / 2)) / 0.45 * scale
    down = 0.07 * side
    return (right + left + mouth) / 3 + down * np.array([-np.sin(angle), np.cos(angle)]), side, angle


def crop(photo, centre, side, angle, pixels):
    """The square as float32 [3, pixels, pixels] from 0 to 255; black outside the photo. Reduced with a filter where it is large."""
    step = side / pixels
    if step > 1.5:
        reach = side / 2 * (abs(np.sin(angle)) + abs(np.cos(angle))) + 2 * step
        size = np.array(photo.shape[1::-1])
        low, high = (np.clip(edge, 0, size).astype(int) for edge in (np.floor(centre - reach), np.ceil(centre + reach)))
        new = np.round((high - low) / step).astype(int)
        if (new > 0).all():
            photo = np.asarray(Image.fromarray(photo[low[1] : high[1], low[0] : high[0]]).resize(tuple(new), Image.BILINEAR))
            share = new / (high - low)
            centre, side = (centre - low) * share, side * share.mean()
    step = side / pixels
    u, v = np.meshgrid(*[(np.arange(pixels) + 0.5) * step - side / 2] * 2)
    x, y = centre[0] + u * np.cos(angle) - v * np.sin(angle) - 0.5, centre[1] + u * np.sin(angle) + v * np.cos(angle) - 0.5
    cut = cv2.remap(photo, x.astype(np.float32), y.astype(np.float32), cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    return cut.transpose(2, 0, 1).astype(np.float32)


def session(path, also=None):
    model = onnx.load(path)
    if also:
        last = next(node for node in model.graph.node if node.output[0] == also)
        model.graph.output.append(onnx.helper.make_empty_tensor_value_info(last.input[0]))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options)


def set_arguments(*packs):
    """A parser for programs that cut faces of a packed set out of the photos: SET PHOTOS, the packs, CROPS..."""
    parser = argparse.ArgumentParser()
    for name in ("set", "photos", *packs):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("crops", type=pathlib.Path, nargs="+")
    return parser


def read_faces(folders):
    """Where the faces lie, by the path of the photo, from the folders of crops."""
    return {face["path"]: face for folder in folders for face in csv.DictReader(open(folder / "faces.csv"))}


def recognition_crop(photos, face):
    """What the recognition net sees of a face, float32 [3, 150, 150]."""
    return crop(np.asarray(Image.open(photos / face["path"]).convert("RGB")), *square(face, "d2", 1.0), 150)


def main():
    parser = set_arguments("pack")
    parser.add_argument("--most", type=int, help="stop after this many faces")
    options = parser.parse_args()
    faces = read_faces(options.crops)
    rows, parts = zip(*[(row["path"], row["part"]) for row in csv.DictReader(open(options.set / "rows.csv"))])
    path = options.set / "features.npy"
    found = np.lib.format.open_memmap(path, "r+") if path.exists() else np.lib.format.open_memmap(path, "w+", np.float16, (len(rows), WIDTH))
    age, recognition = session(options.pack / f"{AGE}.onnx", "age"), session(options.pack / f"{RECOGNITION}.onnx")
    # The development part first, then in any order, so that some of the faces stand for all.
    todo = np.random.default_rng(1).permutation(np.flatnonzero(found[:, -1] == 0))
    todo = todo[np.argsort([parts[at] != "dev" for at in todo], kind="stable")]
    for at in range(0, len(todo), BATCH):
        part, tight, wide, whole = todo[at : at + BATCH], [], [], []
        for name in (rows[i] for i in part):
            photo, face = np.asarray(Image.open(options.photos / name).convert("RGB")), faces[name]
            tight.append(crop(photo, *square(face, "eyes_level", 1.0), 112))
            wide.append(crop(photo, *square(face, "eyes_level", 1.2), 112))
            whole.append(crop(photo, *square(face, "d2", 1.0), 150))
        first, second = (age.run(None, {"input": np.stack(crops)}) for crops in (tight, wide))
        names = [output.name for output in age.get_outputs()]
        at_age, at_sex, at_last = names.index("age"), names.index("gender"), 2
        embedding = recognition.run(None, {"input": np.stack(whole)})[0]
        ages = [answer[at_age].reshape(-1, 1) for answer in (first, second)]
        found[part] = np.concatenate([(first[at_last] + second[at_last]) / 2, *ages, (first[at_sex] + second[at_sex])[:, :1] / 2, embedding,
                                      np.ones((len(part), 1))], 1)
        if options.most and at + BATCH >= options.most:
            break
    write_estimates(options, rows, found)


def write_estimates(options, rows, found):
    models = json.loads((options.pack / "pack.json").read_text())["models"]
    errors = next(model for model in models if model["id"] == AGE)["output"]["errors"]
    with open(options.set / "packaged.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["path", "years", "st_dev"])
        for name, row in zip(rows, np.asarray(found, np.float32)):
            if row[-1] == 0:
                continue
            ages = row[LAST : LAST + 2]
            base = [band["st_dev"] for band in errors["bands"] if ages.mean() >= band["from"]] or [errors["bands"][0]["st_dev"]]
            writer.writerow([name, f"{np.clip(ages.mean(), 0, 120):.3f}", f"{np.hypot(base[-1], errors['spread_weight'] * ages.std()):.3f}"])


if __name__ == "__main__":
    main()
