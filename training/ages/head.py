"""A new last layer on the features of the packaged nets.

    python head.py SET OUT [--features age ages embedding] [--also SET ...] [--cross SET=TIMES]

Trains a small net on SET/features.npy (features.py) by the loss of the own net, chooses the epoch by the likelihood on the
development part, and writes OUT/NAME.csv with estimates for that part, OUT/NAME-SET.csv for all faces of each further set, and
OUT/NAME.pt. With `--cross` half of another set is added to the training part, each face so many times, and the other half
estimated, and the other way round: OUT/NAME-cross-SET.csv. Takes a minute.
"""

import argparse
import copy
import csv
import pathlib

import numpy as np
import torch
from torch import nn

from features import LAST
from net import age_loss, distribution
from train import Faces, weights

PARTS = {"age": range(LAST), "ages": range(LAST, LAST + 2), "sex": range(LAST + 2, LAST + 3), "embedding": range(LAST + 3, LAST + 131)}
BATCH = 512


class Head(nn.Module):
    """Features [n, d] to location and scale of the distribution over ages."""

    def __init__(self, mean, deviation, hidden=256):
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("deviation", deviation)
        self.layers = nn.Sequential(nn.Dropout(0.1), nn.Linear(len(mean), hidden), nn.ReLU(), nn.Dropout(0.3), nn.Linear(hidden, 2))

    def forward(self, seen):
        return distribution(self.layers((seen - self.mean) / self.deviation))


def read(folder, columns):
    return torch.from_numpy(np.load(folder / "features.npy", "r")[:, columns].astype(np.float32))


def write(path, rows, place, scale):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["path", "years", "st_dev"])
        writer.writerows([row["path"], f"{p:.3f}", f"{s * np.pi / 3**0.5:.3f}"] for row, p, s in zip(rows, place.tolist(), scale.tolist()))


def trained(options, data, check):
    """A head trained on features, labels and weights; the epoch is the one with the highest likelihood of `check`."""
    seen, low, high, weight = data
    torch.manual_seed(options.seed)
    head = Head(seen.mean(0), seen.std(0) + 1e-3)
    optimiser, batches = torch.optim.AdamW(head.parameters(), 1e-3, weight_decay=0.02), len(seen) // BATCH
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2e-3, options.epochs * batches, pct_start=0.1)
    best = (float("inf"), None)
    for epoch in range(options.epochs):
        head.train()
        for chosen in torch.randperm(len(seen))[: batches * BATCH].split(BATCH):
            loss = (age_loss(*head(seen[chosen]), low[chosen], high[chosen]) * weight[chosen]).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
        head.eval()
        with torch.no_grad():
            lost = float((age_loss(*head(check[0]), *check[1:3]) * check[3]).mean())
        if lost < best[0]:
            best = (lost, copy.deepcopy(head.state_dict()))
    print(f"{len(seen)} faces, loss on the development part {best[0]:.4f}", flush=True)
    head.load_state_dict(best[1])
    return head


def cross(options, columns, name, data, check, folder, times):
    """Estimates for the people of another set by heads that were trained with the other half of it, each face `times` times."""
    faces, seen = Faces(folder), read(folder, columns)
    places = torch.zeros(len(seen), 2)
    for fold in (0, 1):
        own = torch.arange(len(seen)) % 2 == fold
        other = (~own).nonzero()[:, 0].repeat(times)
        added = (seen[other], faces.low[other], faces.high[other], torch.ones(len(other)))
        head = trained(options, [torch.cat(pair) for pair in zip(data, added)], check)
        with torch.no_grad():
            places[own] = torch.stack(head(seen[own]), 1)
    write(options.out / f"{name}-cross-{folder.name}.csv", faces.rows, *places.T)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("set", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--features", nargs="+", default=["age", "ages", "embedding"])
    parser.add_argument("--also", nargs="*", type=pathlib.Path, default=[])
    parser.add_argument("--cross", metavar="SET=TIMES")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--balance", type=float, default=0.7)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--name")
    options = parser.parse_args()
    torch.set_num_threads(1)
    columns = [at for name in options.features for at in PARTS[name]]
    name = options.name or "head-" + "-".join(options.features)
    options.out.mkdir(parents=True, exist_ok=True)
    faces, seen = Faces(options.set), read(options.set, columns)
    done = torch.from_numpy(np.load(options.set / "features.npy", "r")[:, -1] > 0)
    used, dev = (done & ~faces.dev).nonzero()[:, 0], (done & faces.dev).nonzero()[:, 0]
    weight = weights(faces, used, options.balance)
    data, check = ([values[at] for values in (seen, faces.low, faces.high, weight)] for at in (used, dev))
    head = trained(options, data, check)
    torch.save(head.state_dict(), options.out / f"{name}.pt")
    with torch.no_grad():
        write(options.out / f"{name}.csv", [faces.rows[i] for i in dev.tolist()], *head(seen[dev]))
        for folder in options.also:
            write(options.out / f"{name}-{folder.name}.csv", Faces(folder).rows, *head(read(folder, columns)))
    if options.cross:
        folder, times = options.cross.rsplit("=", 1)
        cross(options, columns, name, data, check, pathlib.Path(folder), int(times))


if __name__ == "__main__":
    main()
