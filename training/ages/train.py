"""Trains the net, and goes on where it stopped.

    python train.py SET RUN EPOCHS [--finish EPOCHS] [--also SET=TIMES ...] [--device cuda] [--threads N] [--side PIXELS]
                    [--view SHARE] [--float32] [--width FACTOR] [--grow CHECKPOINT] [--batch N] [--rate RATE] [--balance POWER] [--quality WEIGHT] [--seed N]

SET is the output of pack.py. `--view` is the share of a stored crop that the net sees. RUN is a folder: `last.pt` is the checkpoint, written every few minutes and on SIGTERM; `log.csv` the measures on
the development part after each epoch. EPOCHS is the number of the epoch at which to stop; the same command goes on from the
checkpoint. The learning rate is constant and what is measured is the moving average of the weights, so a run may be stopped and
lengthened at will. `--grow` begins with the weights of a narrower net. `--also SET=TIMES` adds another set, each of its faces so many times an epoch. `--finish` lets the rate fall to
nothing over further epochs and writes `final.pt`, beside the checkpoint with which a longer run goes on.
"""

import argparse
import copy
import csv
import pathlib
import signal
import sys
import time
from collections import Counter

import numpy as np
import torch
import torch.nn.functional as F

import augment
import measures
from net import CHANNELS, GROUPS, SIDE, VIEW, AgeNet, age_loss, grown, quality_loss
from pack import POINTS

BATCH = 64
RATE = 1e-3
SAVE_SECONDS = 300
WARM_UP_STEPS = 500
WEIGHTS = (0.15, 8.0)


class Faces:
    """Packed sets, one behind the other: crops, labels, parts. A GPU holds all crops in its memory."""

    def __init__(self, *folders, device="cpu"):
        self.crops = [np.load(folder / "crops.npy", "r") for folder in folders]
        self.there = torch.cat([torch.from_numpy(crops[:]) for crops in self.crops]).to(device) if device != "cpu" else None
        self.starts = np.cumsum([0] + [len(crops) for crops in self.crops])
        self.rows = [row for folder in folders for row in csv.DictReader(open(folder / "rows.csv"))]
        column = lambda name: torch.tensor([float(row[name]) for row in self.rows])
        self.low, self.high = column("low"), column("high")
        self.points = torch.stack([torch.stack([column(f"{p}_x"), column(f"{p}_y")], 1) for p in POINTS], 1)
        self.photo = torch.stack([column(f"photo_{at}") for at in range(6)], 1).reshape(-1, 2, 3)
        self.woman = torch.tensor([{"Female": 1.0, "Male": 0.0}.get(row["gender"], -1) for row in self.rows])
        self.group = torch.tensor([GROUPS.index(row["group"]) if row["group"] in GROUPS else -1 for row in self.rows])
        self.first = torch.arange(len(self.rows)) < len(self.crops[0])
        self.dev = torch.tensor([row["part"] == "dev" for row in self.rows]) & self.first

    def take(self, at):
        if self.there is not None:
            return self.there[at.to(self.there.device)]
        files = np.searchsorted(self.starts, at.numpy(), "right") - 1
        return torch.from_numpy(np.stack([self.crops[file][row - self.starts[file]] for file, row in zip(files, at.tolist())]))


def weights(faces, used, power):
    """Weight of each face: faces of a band, sex and group weigh the more the fewer they are. Those of further sets weigh as much as
    one of the first set on average."""
    cells = [(row["low"], row["gender"], row["group"]) for row in faces.rows]
    count = Counter(cells[at] for at in used[faces.first[used]].tolist())
    weight = torch.tensor([float(count.get(cell, 1)) ** -power for cell in cells])
    weight = (weight / weight[used[faces.first[used]]].mean()).clamp(*WEIGHTS)
    return torch.where(faces.first, weight / weight[used[faces.first[used]]].mean(), 1.0)


def batch_loss(net, faces, chosen, weight, options, generator):
    device = options.device
    given = lambda values: values[chosen].to(device)
    crops, done = augment.augmented(faces.take(chosen).to(device), given(faces.points), given(faces.photo), options.view, options.side, generator)
    with torch.autocast(device, torch.bfloat16, enabled=not options.float32):
        place, scale, woman, group, quality = net(crops.contiguous(memory_format=torch.channels_last))
    loss = (age_loss(place, scale, given(faces.low), given(faces.high)) * given(weight)).mean() + options.quality * quality_loss(quality, done)
    known = given(faces.woman) >= 0
    if known.any():
        loss = loss + 0.1 * F.binary_cross_entropy_with_logits(woman[known], given(faces.woman)[known])
    return loss + 0.1 * F.cross_entropy(group, given(faces.group), ignore_index=-1) if (given(faces.group) >= 0).any() else loss


@torch.no_grad()
def predict(net, faces, at, options):
    """Location and scale for faces, as the server would cut them."""
    net.eval()
    places = []
    for part in at.split(200):
        crops = augment.plain(faces.take(part).to(options.device), options.view, options.side)
        with torch.autocast(options.device, torch.bfloat16, enabled=not options.float32):
            place, scale, *_ = net(crops.contiguous(memory_format=torch.channels_last))
        places.append(torch.stack([place, scale], 1).cpu())
    return torch.cat(places)


def moving_average(average, net, step):
    decay = min(0.999, (1 + step) / (20 + step))
    with torch.no_grad():
        for kept, new in zip(average.state_dict().values(), net.state_dict().values()):
            if kept.dtype.is_floating_point:
                kept.lerp_(new, 1 - decay)
            else:
                kept.copy_(new)


def optimiser(net, rate=RATE):
    decayed = [p for p in net.parameters() if p.ndim > 1]
    others = [p for p in net.parameters() if p.ndim <= 1]
    return torch.optim.AdamW([{"params": decayed, "weight_decay": 0.05}, {"params": others, "weight_decay": 0.0}], rate)


class Run:
    """A run of training with everything that it takes to go on with it."""

    def __init__(self, options, *names):
        """Goes on from the first of the named checkpoints that exists, and writes the first one."""
        self.options, self.step, self.epoch, self.at, self.stopping = options, 0, 0, 0, False
        signal.signal(signal.SIGTERM, lambda *_: setattr(self, "stopping", True))
        torch.manual_seed(options.seed)
        channels = tuple(8 * round(c * options.width / 8) for c in CHANNELS)
        self.net = AgeNet(channels).to(options.device, memory_format=torch.channels_last)
        if options.grow:
            self.net.load_state_dict(grown(torch.load(options.grow, map_location=options.device)["average"], self.net))
        self.average = copy.deepcopy(self.net)
        self.optimiser = optimiser(self.net, options.rate)
        options.run.mkdir(parents=True, exist_ok=True)
        self.path = options.run / names[0]
        here = [options.run / name for name in names if (options.run / name).exists()]
        if here:
            saved = torch.load(here[0], map_location=options.device)
            self.net.load_state_dict(saved["net"])
            self.average.load_state_dict(saved["average"])
            self.optimiser.load_state_dict(saved["optimiser"])
            self.step, self.epoch, self.at = saved["step"], saved["epoch"], saved["at"]

    def save(self):
        state = {"net": self.net.state_dict(), "average": self.average.state_dict(), "optimiser": self.optimiser.state_dict(),
                 "step": self.step, "epoch": self.epoch, "at": self.at, "side": self.options.side, "view": self.options.view,
                 "width": self.options.width}
        torch.save(state, self.path.with_suffix(".tmp"))
        self.path.with_suffix(".tmp").rename(self.path)

    def train_epoch(self, faces, used, weight, rate):
        """From batch `at` of the epoch on; `rate(share)` gives the learning rate after this share of the epoch."""
        options, saved = self.options, time.time()
        order = used[torch.randperm(len(used), generator=torch.Generator().manual_seed(options.seed * 1000 + self.epoch))]
        generator = torch.Generator(options.device).manual_seed(options.seed * 10**6 + self.step)
        self.net.train()
        batches, total, count = len(order) // options.batch, 0.0, 0
        while self.at < batches:
            for part in self.optimiser.param_groups:
                part["lr"] = rate(self.at / batches) * min(1, (self.step + 1) / WARM_UP_STEPS)
            chosen = order[self.at * options.batch : (self.at + 1) * options.batch]
            loss = batch_loss(self.net, faces, chosen, weight, options, generator)
            self.optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
            self.optimiser.step()
            self.step, self.at = self.step + 1, self.at + 1
            moving_average(self.average, self.net, self.step)
            total, count = total + float(loss.detach()), count + 1
            if self.stopping or time.time() - saved > SAVE_SECONDS:
                self.save()
                if self.stopping:
                    sys.exit("stopped")
                saved = time.time()
                print(f"epoch {self.epoch + 1}: {self.at} of {batches} batches, loss {total / count:.3f}", flush=True)
        self.epoch, self.at = self.epoch + 1, 0
        return total / max(count, 1)


def log(run, loss, faces, dev, began):
    two = predict(run.average, faces, dev, run.options)
    found = {"epoch": run.epoch, "step": run.step, "loss": f"{loss:.4f}", "seconds": round(time.time() - began),
             **measures.short(two, [faces.rows[i] for i in dev.tolist()])}
    path = run.options.run / "log.csv"
    fresh = not path.exists()
    with open(path, "a", newline="") as file:
        writer = csv.DictWriter(file, found.keys())
        if fresh:
            writer.writeheader()
        writer.writerow(found)
    print(found, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("set", type=pathlib.Path)
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("epochs", type=int)
    parser.add_argument("--finish", type=int, default=0)
    parser.add_argument("--also", nargs="*", default=[], metavar="SET=TIMES")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--side", type=int, default=SIDE)
    parser.add_argument("--view", type=float, default=VIEW)
    parser.add_argument("--float32", action="store_true")
    parser.add_argument("--width", type=float, default=1.0)
    parser.add_argument("--grow", type=pathlib.Path)
    parser.add_argument("--batch", type=int, default=BATCH)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--balance", type=float, default=0.7)
    parser.add_argument("--quality", type=float, default=0.2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    also = [one.rsplit("=", 1) for one in options.also]
    faces, run = Faces(options.set, *(pathlib.Path(path) for path, _ in also), device=options.device), Run(options, "last.pt")
    used, dev = (~faces.dev & faces.first).nonzero()[:, 0], faces.dev.nonzero()[:, 0]
    for (_, times), start, end in zip(also, faces.starts[1:].tolist(), faces.starts[2:].tolist()):
        used = torch.cat([used, torch.arange(start, end).repeat(int(times))])
    weight = weights(faces, used, options.balance)
    parameters = sum(p.numel() for p in run.net.parameters())
    print(f"{len(used)} faces to train on, {len(dev)} for development, {parameters} weights, from epoch {run.epoch}", flush=True)
    began = time.time()
    while run.epoch < options.epochs:
        loss = run.train_epoch(faces, used, weight, lambda share: options.rate)
        run.save()
        log(run, loss, faces, dev, began)
    if options.finish:
        run = Run(options, "final.pt", "last.pt")
        while run.epoch < options.epochs + options.finish:
            done = run.epoch - options.epochs
            loss = run.train_epoch(faces, used, weight, lambda share: options.rate * (1 - (done + share) / options.finish))
            run.save()
            log(run, loss, faces, dev, began)


if __name__ == "__main__":
    main()
