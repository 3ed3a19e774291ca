"""The net beside another one of a pack, on the same pictures of people that were never trained on.

    python beside.py PEOPLE WEIGHTS PACK/minifasnet.onnx COUNT SEED

COUNT pictures as of render.py, those with a face below 64 pixels left out. The other net gets two squares of 80 pixels side
by side, 2.7 and 4 faces wide and pushed inside the picture, blue first, as its import describes it.
"""

import pathlib
import sys

import cv2
import numpy as np
import onnxruntime
import torch

import faces
import render
import scene
import train
from net import Net
from tables import apcer_at

LEAST_FACE = 64


def inside(picture, box, scale):
    """A square around the box, moved and shrunk until it lies in the picture, bytes [80, 80, 3]."""
    height, width = picture.shape[:2]
    side = min(max(box[2] - box[0], box[3] - box[1]) * scale, height, width)
    x = min(max((box[0] + box[2]) / 2, side / 2), width - side / 2)
    y = min(max((box[1] + box[3]) / 2, side / 2), height - side / 2)
    return faces.crop(picture, [x - side / 2, y - side / 2, x + side / 2, y + side / 2], 1.0, 80)


def main():
    folder, weights, other = (pathlib.Path(argument) for argument in sys.argv[1:4])
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    other = onnxruntime.InferenceSession(str(other), options)
    world = scene.World(render.people(folder, "held"))
    kinds, pairs, theirs = [], [], []
    for number in range(int(sys.argv[4])):
        shot = world.shoot(render.species_of(number), int(sys.argv[5]) + number)
        if max(shot.box[2] - shot.box[0], shot.box[3] - shot.box[1]) < LEAST_FACE:
            continue
        kinds.append(shot.species)
        pairs.append(render.crops(shot, np.random.default_rng(number))[0])
        both = np.concatenate([inside(shot.picture, shot.box, scale) for scale in (2.7, 4.0)], 1)
        pixels = both[..., ::-1].astype(np.float32).transpose(2, 0, 1)[None]
        theirs.append(other.run(["kinds"], {"input": np.ascontiguousarray(pixels)})[0])
    net = Net()
    net.load_state_dict(torch.load(weights))
    kinds, ours = np.array(kinds), train.scores(net, np.stack(pairs))
    theirs = np.concatenate(theirs)[:, 1]
    print(len(kinds), "pictures,", {name: int((kinds == name).sum()) for name in scene.SPECIES})
    for name, scores in (("liveness-net-1", ours), (pathlib.Path(sys.argv[3]).stem, theirs)):
        told = {kind: f"{100 * apcer_at(scores[kinds == 'live'], scores[kinds == kind], 0.10):.1f} %" for kind in scene.SPECIES[1:]}
        print(f"APCER at BPCER 10 %, {name}:", told)
    print(f"of the live {100 * (theirs[kinds == 'live'] < 0.5).mean():.0f} % score below 0.5 with the other")


if __name__ == "__main__":
    main()
