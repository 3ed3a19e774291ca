"""A new last layer on the features of the packaged nets: head.py SET OUT [--features age embedding] [--also SET ...]

Trains a small net on SET/features.npy (features.py) by the loss of the own net, chooses the epoch by the likelihood on the
development part, and writes OUT/NAME.csv with estimates for that part, OUT/NAME-SET.csv for all faces of each further set, and
OUT/NAME.pt. Takes a minute.
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("set", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--features", nargs="+", default=["age", "ages", "embedding"])
    parser.add_argument("--also", nargs="*", type=pathlib.Path, default=[])
    parser.add_argument("--epochs", type=int, default=25)
    parser.add_argument("--balance", type=float, default=0.7)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--name")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    columns = [at for name in options.features for at in PARTS[name]]
    faces, seen = Faces(options.set), read(options.set, columns)
    done = torch.from_numpy(np.load(options.set / "features.npy", "r")[:, -1] > 0)
    used, dev = (done & ~faces.dev).nonzero()[:, 0], (done & faces.dev).nonzero()[:, 0]
    head = Head(seen[used].mean(0), seen[used].std(0) + 1e-3)
    weight = weights(faces, used, options.balance)
    optimiser = torch.optim.AdamW(head.parameters(), 1e-3, weight_decay=0.02)
    steps = options.epochs * (len(used) // 512)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2e-3, steps, pct_start=0.1)
    best = (1e9, None)
    for epoch in range(options.epochs):
        head.train()
        for chosen in used[torch.randperm(len(used))][: len(used) // 512 * 512].split(512):
            loss = (age_loss(*head(seen[chosen]), faces.low[chosen], faces.high[chosen]) * weight[chosen]).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
        head.eval()
        with torch.no_grad():
            lost = float((age_loss(*head(seen[dev]), faces.low[dev], faces.high[dev]) * weight[dev]).mean())
        if lost < best[0]:
            best = (lost, copy.deepcopy(head.state_dict()))
        print(f"epoch {epoch + 1}: {lost:.4f}", flush=True)
    head.load_state_dict(best[1])
    name = options.name or "head-" + "-".join(options.features)
    options.out.mkdir(parents=True, exist_ok=True)
    torch.save(best[1], options.out / f"{name}.pt")
    with torch.no_grad():
        write(options.out / f"{name}.csv", [faces.rows[i] for i in dev.tolist()], *head(seen[dev]))
        for folder in options.also:
            write(options.out / f"{name}-{folder.name}.csv", Faces(folder).rows, *head(read(folder, columns)))


if __name__ == "__main__":
    main()
