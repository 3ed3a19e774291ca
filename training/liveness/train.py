"""Trains the net.

    python train.py SET OUT EPOCHS SEED [--also SET] [--chunks N] [--resume WEIGHTS] [--rate RATE] [--without NAME] [--threads N]

SET is the output of render.py, and so is what `--also` adds to the pictures to train on. `--without` leaves species, printers, displays or cameras (separated by commas) out of
training; the log then tells how the net does on them. `--chunks` trains on the first N chunks only. OUT receives the
weights, OUT.log the log, and OUT.state what the same command needs to go on after it was interrupted.
"""

import argparse
import pathlib
import time

import numpy as np
import torch
import torch.nn.functional as F

import scene
from net import Net
from tables import apcer_at

BATCH = 64


def load(folders, half, max_chunks=None):
    """The first chunks of a half in each folder, concatenated, as a dictionary of arrays."""
    paths = [path for folder in folders for path in sorted(folder.glob(f"{half}-*.npz"))[:max_chunks]]
    names = ("crops", "species", "device", "camera", "face")
    return {name: np.concatenate([np.load(path)[name] for path in paths]) for name in names}


def tensor(crops):
    """Bytes [n, 2, 96, 96, 3] to the input of the net, [n, 2, 3, 96, 96] from -1 to 1."""
    return (torch.from_numpy(crops).float() - 127.5).div_(127.5).permute(0, 1, 4, 2, 3).contiguous()


def augmented(crops, generator):
    """The same with augmentation: mirrored, shifted, with other light, colour and contrast; in 10 % of the pairs one crop is blank."""
    n = len(crops)
    draw = lambda *shape: torch.rand(n, *shape, generator=generator)
    flip = (draw() < 0.5).numpy()
    crops[flip] = crops[flip, :, :, ::-1]
    move = [int(v) for v in torch.randint(-4, 5, (2,), generator=generator)]
    pairs = torch.from_numpy(np.roll(crops, move, (2, 3))).float()
    gain = (1 + 0.2 * (draw(1, 1, 1, 1) - 0.5)) * (1 + 0.16 * (draw(1, 1, 1, 3) - 0.5))
    shift = 0.3 * (draw(1, 1, 1, 1) - 0.5)
    pairs = pairs.mul_(gain / 127.5).add_(shift - gain).clamp_(-1, 1)
    alone = draw()
    pairs[alone < 0.04, 0] = 0
    pairs[alone > 0.94, 1] = 0
    return pairs.permute(0, 1, 4, 2, 3)


def scores(net, crops, rough=False):
    """Log odds of a live face, averaged over each picture and its mirror image."""
    net.eval()
    out = []
    with torch.no_grad():
        for at in range(0, len(crops), 200):
            pairs = tensor(crops[at : at + 200])
            with torch.autocast("cpu", torch.bfloat16, enabled=rough):
                out.append((net(pairs)[0].float() + net(pairs.flip(-1))[0].float()) / 2)
    return torch.cat(out).numpy()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("set", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("epochs", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("--also", type=pathlib.Path)
    parser.add_argument("--without")
    parser.add_argument("--chunks", type=int)
    parser.add_argument("--resume", type=pathlib.Path)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    state = pathlib.Path(f"{options.out}.state")
    log = open(f"{options.out}.log", "a" if state.exists() else "w")

    def log_line(text):
        print(text, flush=True)
        print(text, file=log, flush=True)

    sets = [options.set, options.also] if options.also else [options.set]
    data, held = load(sets, "train", options.chunks), load([options.set], "held")
    keep = np.ones(len(data["species"]), bool)
    for name in ("species", "device", "camera"):
        keep &= ~np.isin(data[name], (options.without or "").split(","))
    crops = data.pop("crops")[keep]
    kind = torch.from_numpy(np.array([scene.SPECIES.index(s) for s in data["species"][keep]]))
    live = (kind == 0).float()
    log_line(f"{len(crops)} pictures, {int(live.sum())} live, without {options.without}, {options.epochs} epochs, seed {options.seed}")
    # Both classes weigh the same, also where species are left out.
    weight = torch.where(live > 0, 0.5 / live.mean(), 0.5 / (1 - live.mean()))
    net = Net().to(memory_format=torch.channels_last)
    if options.resume:
        net.load_state_dict(torch.load(options.resume))
        log_line(f"from {options.resume.name}")
    log_line(f"{sum(p.numel() for p in net.parameters())} weights")
    optimiser = torch.optim.AdamW(net.parameters(), 2e-3, weight_decay=5e-3)
    steps = options.epochs * (len(crops) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, options.rate, steps, pct_start=0.2)
    generator = torch.Generator().manual_seed(options.seed)
    first = 0
    if state.exists():
        first = go_on(torch.load(state), net, optimiser, schedule, generator)
        log_line(f"on from epoch {first}")
    began = time.time()
    for epoch in range(first, options.epochs):
        net.train()
        order = torch.randperm(len(crops), generator=generator)
        lost = 0.0
        for at in range(len(crops) // BATCH):
            chosen = order[at * BATCH : (at + 1) * BATCH]
            pairs = augmented(crops[chosen.numpy()], generator)
            with torch.autocast("cpu", torch.bfloat16):
                odds, kinds = net(pairs)
            odds, kinds = odds.float(), kinds.float()
            aim = live[chosen] * 0.94 + 0.03
            loss = (F.binary_cross_entropy_with_logits(odds, aim, reduction="none") * weight[chosen]).mean()
            loss = loss + 0.25 * F.cross_entropy(kinds, kind[chosen])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            lost += float(loss.detach())
        log_line(f"epoch {epoch + 1}: loss {lost / (len(crops) // BATCH):.4f}, {time.time() - began:.0f} s")
        if epoch % 4 == 3 or epoch + 1 == options.epochs:
            log_line(report(scores(net, held["crops"], True), held))
            torch.save(net.state_dict(), options.out)
        parts = {"net": net, "optimiser": optimiser, "schedule": schedule}
        saved = {name: part.state_dict() for name, part in parts.items()}
        torch.save(saved | {"generator": generator.get_state(), "drop": torch.get_rng_state(), "epochs": epoch + 1}, f"{state}.new")
        pathlib.Path(f"{state}.new").replace(state)


def go_on(saved, net, optimiser, schedule, generator):
    """Takes up what was saved; the number of epochs that are done."""
    for name, part in (("net", net), ("optimiser", optimiser), ("schedule", schedule)):
        part.load_state_dict(saved[name])
    generator.set_state(saved["generator"])
    torch.set_rng_state(saved["drop"])
    return saved["epochs"]


def report(odds, held):
    live = held["species"] == "live"
    lines = []
    for rate in (0.05, 0.10):
        parts = []
        for name in scene.SPECIES[1:]:
            of = held["species"] == name
            parts.append(f"{name} {100 * apcer_at(odds[live], odds[of], rate):.1f}")
        devices = sorted(set(held["device"][~live]))
        parts += [f"{name} {100 * apcer_at(odds[live], odds[held['device'] == name], rate):.0f}" for name in devices]
        lines.append(f"  APCER % at BPCER {100 * rate:.0f} %: " + ", ".join(parts))
    return "\n".join(lines)


if __name__ == "__main__":
    main()
