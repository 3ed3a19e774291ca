"""Compares the net with MiniFASNet, on the same pictures of people who were never trained on.

    python beside.py PEOPLE PACK/liveness-net-1.onnx PACK/minifasnet.onnx COUNT SEED

Renders COUNT pictures like render.py and leaves out those whose face is below 64 pixels. MiniFASNet gets two crops of 80 x
80 pixels side by side, BGR, 2.7 and 4 times the face box and moved inside the picture, as `assay models add-minifasnet`
describes it in the pack.
"""

import os
import pathlib
import sys

import cv2
import numpy as np

import faces
import onnx_file
import render
import scene
from tables import apcer_at

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # it would report its use to its maker
import onnxruntime  # noqa: E402

MIN_FACE_SIDE = 64


def inside(picture, box, scale):
    """The crop rule `inside` of crates/vision/src/crop.rs: a square around the box, moved and shrunk to lie in the picture, bytes
    [80, 80, 3]."""
    height, width = picture.shape[:2]
    side = min(max(box[2] - box[0], box[3] - box[1]) * scale, height, width)
    x = min(max((box[0] + box[2]) / 2, side / 2), width - side / 2)
    y = min(max((box[1] + box[3]) / 2, side / 2), height - side / 2)
    return faces.crop(picture, [x - side / 2, y - side / 2, x + side / 2, y + side / 2], 1.0, 80)


def main():
    folder, own, other = (pathlib.Path(argument) for argument in sys.argv[1:4])
    cv2.setNumThreads(1)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    other = onnxruntime.InferenceSession(str(other), options)
    pool = scene.PersonPool(render.people(folder, "held"))
    kinds, pairs, theirs = [], [], []
    for number in range(int(sys.argv[4])):
        shot = pool.shoot(render.species_of(number), int(sys.argv[5]) + number)
        if max(shot.box[2] - shot.box[0], shot.box[3] - shot.box[1]) < MIN_FACE_SIDE:
            continue
        kinds.append(shot.species)
        pairs.append(render.crops(shot, np.random.default_rng(number))[0])
        both = np.concatenate([inside(shot.picture, shot.box, scale) for scale in (2.7, 4.0)], 1)
        pixels = both[..., ::-1].astype(np.float32).transpose(2, 0, 1)[None]
        theirs.append(other.run(["kinds"], {"input": np.ascontiguousarray(pixels)})[0])
    kinds, ours = np.array(kinds), onnx_file.answers(own, np.stack(pairs))
    theirs = np.concatenate(theirs)[:, 1]
    print(len(kinds), "pictures,", {name: int((kinds == name).sum()) for name in scene.SPECIES})
    for name, scores in (("liveness-net-1", ours), (pathlib.Path(sys.argv[3]).stem, theirs)):
        rates = {kind: f"{100 * apcer_at(scores[kinds == 'live'], scores[kinds == kind], 0.10):.1f} %" for kind in scene.SPECIES[1:]}
        print(f"APCER at BPCER 10 %, {name}:", rates)
    print(f"of the live {100 * (theirs[kinds == 'live'] < 0.5).mean():.0f} % score below 0.5 with the other")


if __name__ == "__main__":
    main()
