"""Measures what the net tells of the capture: quality.py CHECKPOINT SET [--part dev] [--sheet FILE.png]

Prints, in Markdown, how often something untouched is said to be covered, by sex and group (some faces of any set are covered, so
look at the sheet of them); how often what was drawn over a face is told; and what is told of blur and noise that was added.
"""

import argparse
import pathlib

import numpy as np
import torch
from PIL import Image

import augment
from export import ServedQuality, load
from measures import share, ways
from net import COVERED, QUALITIES
from train import Faces

BINS = ((0, 0.01), (0.5, 1), (1, 2), (2, 3), (3, 4), (4, 6), (6, 10))
COLUMNS = 12


@torch.no_grad()
def seen(served, crops):
    return torch.cat([served(part) for part in crops.split(200)])


def table(header, rows):
    print(f"\n| {' | '.join(header)} |\n|---|{'---:|' * (len(header) - 1)}")
    for row in rows:
        print(f"| {' | '.join(str(cell) for cell in row)} |")


def sheet(path, faces, at, told):
    """The faces that are said to be covered, most certain first."""
    order = told[:, :2].max(1).values.argsort(descending=True)[: COLUMNS * COLUMNS]
    tiles = [faces.take(at[[i]])[0].numpy() for i in order.tolist() if told[i, :2].max() > 0.5]
    tiles += [np.zeros_like(tiles[0])] * (-len(tiles) % COLUMNS)
    rows = [np.concatenate(tiles[i : i + COLUMNS], 1) for i in range(0, len(tiles), COLUMNS)]
    Image.fromarray(np.concatenate(rows, 0)).save(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint", type=pathlib.Path)
    parser.add_argument("set", type=pathlib.Path)
    parser.add_argument("--part")
    parser.add_argument("--sheet", type=pathlib.Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    net, side, view = load(options.checkpoint)
    served, faces = ServedQuality(net).eval(), Faces(options.set)
    at = torch.tensor([i for i, row in enumerate(faces.rows) if not options.part or row["part"] == options.part])
    rows = [faces.rows[i] for i in at.tolist()]

    told = torch.cat([seen(served, augment.plain(faces.take(part), view, side)) for part in at.split(1000)])
    found = []
    for way, groups in ways(rows).items():
        for key, who in groups.items():
            alarms = [f"{share(told[who, k].numpy() > 0.5):.1f} %" for k in range(COVERED)]
            good = [f"{np.median(told[who, k].numpy()):.1f}" for k in range(COVERED, len(QUALITIES))]
            found.append([key, len(who), *alarms, *good])
    table(["untouched", "n", "mouth covered", "nose covered", "eyes covered", "blur, median", "noise, median"], found)
    if options.sheet:
        sheet(options.sheet, faces, at, told)

    generator, pairs = torch.Generator().manual_seed(1), []
    for part in at.split(1000):
        crops, done = augment.augmented(faces.take(part), faces.points[part], faces.photo[part], view, side, generator)
        pairs.append(torch.cat([done, seen(served, crops)], 1))
    done, told = torch.cat(pairs).split(len(QUALITIES), 1)
    found = []
    for k in range(COVERED):
        hidden, open_ = done[:, k] > 0.75, done[:, k] < 0.25
        found.append([QUALITIES[k], int(hidden.sum()), f"{share(told[hidden, k].numpy() > 0.5):.1f} %", f"{share(told[open_, k].numpy() > 0.5):.1f} %"])
    table(["drawn over, beside all else that is done in training", "n", "told", "told, though open"], found)
    for k in range(COVERED, len(QUALITIES)):
        inside = [((low, high), ((done[:, k] >= low) & (done[:, k] < high)).nonzero()[:, 0]) for low, high in BINS]
        table([f"{QUALITIES[k]} added", "n", "told: median", "a tenth above", "a tenth below"],
              [[f"{low} to {high}" if high > 0.1 else "none", len(who), *(f"{np.quantile(told[who, k].numpy(), q):.1f}" for q in (0.5, 0.9, 0.1))]
               for (low, high), who in inside if len(who)])


if __name__ == "__main__":
    main()
