"""What a bad capture adds to the error of the packaged age net: capture.py CHECKPOINT SET PACK [--part dev] [--most N]

Each face of SET is degraded in one way at a time, and the packaged net estimates the age of both pictures. Prints, in Markdown, the
change of the estimate (mean and root mean square, years) by what the quality net tells of the degraded picture, and how often it is told at
all. `capture_errors` in crates/model-import/src/recipe.rs is made of the root mean squares, as its comment says.
"""

import argparse
import pathlib

import numpy as np
import torch
import torch.nn.functional as F

import augment
from export import ServedQuality, load
from features import session
from net import COVERED, QUALITIES
from train import Faces

SIDE = 112  # of the packaged net's input
TIGHT = 1.0 / 1.2
BINS = {"blur": (0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3.25, 4, 100), "noise": (0, 0.25, 0.75, 1.5, 2.5, 3.5, 4.5, 6, 100)}
WAYS = {"blur": (augment.blur, augment.small), "noise": (augment.sensor_noise,), "covered": (augment.mask, augment.hidden, augment.glasses)}


def estimate(net, pictures):
    """The mean over the two crops of the packaged net, years."""
    tight = F.grid_sample(pictures, augment.plain_views(len(pictures), TIGHT, SIDE), align_corners=False)
    ages = [net.run(["age"], {"input": (crops.clamp(0, 1) * 255).numpy()})[0].reshape(-1) for crops in (tight, pictures)]
    return (ages[0] + ages[1]) / 2


@torch.no_grad()
def told(served, side, pictures):
    return served(F.interpolate(pictures.clamp(0, 1), size=side, mode="area") * 2 - 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint", type=pathlib.Path)
    parser.add_argument("set", type=pathlib.Path)
    parser.add_argument("pack", type=pathlib.Path)
    parser.add_argument("--part")
    parser.add_argument("--most", type=int, default=2000)
    options = parser.parse_args()
    torch.set_num_threads(1)
    net, side, view = load(options.checkpoint)
    served, faces, packaged = ServedQuality(net).eval(), Faces(options.set), session(options.pack / "face-api-age.onnx")
    at = torch.tensor([i for i, row in enumerate(faces.rows) if not options.part or row["part"] == options.part])[: options.most]
    generator, found = torch.Generator().manual_seed(1), {way: [] for way in WAYS}
    for part in at.split(64):
        pictures = augment.plain(faces.take(part), view, SIDE) / 2 + 0.5
        grid, before = augment.plain_views(len(part), view, SIDE), estimate(packaged, pictures)
        for way, changes in WAYS.items():
            for change in changes:
                also = (grid, faces.points[part]) if way == "covered" else ()
                changed, _ = change(pictures, augment.Draw(len(part), "cpu", generator), *also)
                seen = told(served, side, changed).numpy()
                found[way].append(np.column_stack([seen, estimate(packaged, changed.float()) - before]))
    found = {way: np.concatenate(parts) for way, parts in found.items()}
    for way, edges in BINS.items():
        print(f"\n| {way} told | n | told, mean | moved | root mean square |\n|---|---:|---:|---:|---:|")
        values, moved = found[way][:, QUALITIES.index(way)], found[way][:, -1]
        for low, high in zip(edges, edges[1:]):
            who = (values >= low) & (values < high)
            if who.sum() >= 20:
                print(f"| {low} to {high} | {who.sum()} | {values[who].mean():.2f} | {moved[who].mean():+.1f} | {(moved[who] ** 2).mean() ** 0.5:.1f} |")
    print("\n| covered as told | n | moved | root mean square |\n|---|---:|---:|---:|")
    values, moved = found["covered"][:, :COVERED] > 0.5, found["covered"][:, -1]
    for pattern in sorted(set(map(tuple, values))):
        who = (values == pattern).all(1)
        words = ", ".join(name for name, hidden in zip(QUALITIES, pattern) if hidden) or "nothing"
        print(f"| {words} | {who.sum()} | {moved[who].mean():+.1f} | {(moved[who] ** 2).mean() ** 0.5:.1f} |")


if __name__ == "__main__":
    main()
