"""Renders a set of live pictures and attacks, as the crops that the net gets.

    python render.py PEOPLE OUT HALF COUNT SEED [--part PART/PARTS] [--sides SMALLEST LARGEST]

PEOPLE is the output of sources.py, HALF is `train` or `held`, COUNT the number of pictures: half of them are live, the
attacks are spread evenly over the species. Several parts, counted from 0, can be rendered in parallel; chunks that exist already are kept.
`--sides` is the range of the longer side of a face's box, pixels.
OUT receives chunks as .npz: `crops` [n, 2, 96, 96, 3] bytes (tight, wide), `species`, `device`, `camera`, `face` (side of the
face box in pixels).
"""

import argparse
import pathlib

import cv2
import numpy as np

import faces
import scene

SCALES = (1.1, 2.6)
CHUNK = 250


def people(folder, half):
    out = []
    for path in sorted(folder.glob(f"{half}-*.npz")):
        with np.load(path) as file:
            kind = path.name.split("-")[1]
            out.append(scene.Person(str(file["person"]), kind, file["picture"], file["box"], file["points"], file["alpha"]))
    return out


def species_of(number):
    """Live pictures and attacks alternate; each species is a quarter of the attacks."""
    return "live" if number % 2 == 0 else scene.SPECIES[1 + number // 2 % 4]


def crops(shot, random):
    """The tight and the wide crop, with a box that is off by about as much as the detector's; and the side of the face box."""
    side = max(shot.box[2] - shot.box[0], shot.box[3] - shot.box[1])
    middle = (shot.box[:2] + shot.box[2:]) / 2 + random.normal(0, 0.03, 2) * side
    half = (shot.box[2:] - shot.box[:2]) / 2 * np.exp(random.normal(0, 0.05))
    box = np.concatenate([middle - half, middle + half])
    return np.stack([faces.crop(shot.picture, box, scale) for scale in SCALES]), side


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("people", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("half", choices=("train", "held"))
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--sides", nargs=2, type=int, default=(44, 190))
    options = parser.parse_args()
    out, half, count, seed = options.out, options.half, options.count, options.seed
    part, parts = (int(v) for v in options.part.split("/"))
    cv2.setNumThreads(1)
    pool = scene.PersonPool(people(options.people, half), options.sides)
    out.mkdir(parents=True, exist_ok=True)
    chunks = range(part, -(-count // CHUNK), parts)
    for chunk in chunks:
        path = out / f"{half}-{chunk:03d}.npz"
        if path.exists():
            continue
        rendered = []
        for number in range(chunk * CHUNK, min((chunk + 1) * CHUNK, count)):
            shot = pool.shoot(species_of(number), seed * 1_000_003 + number)
            pair, side = crops(shot, np.random.default_rng([seed, number]))
            rendered.append((pair, shot.species, shot.device, shot.camera, side))
        names = ("crops", "species", "device", "camera", "face")
        np.savez(path, **{n: np.array([row[i] for row in rendered]) for i, n in enumerate(names)})
        print(half, chunk, flush=True)


if __name__ == "__main__":
    main()
