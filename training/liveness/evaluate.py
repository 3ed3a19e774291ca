"""Calibrates a trained net, chooses its thresholds and prints its tables (ISO/IEC 30107-3).

    python evaluate.py WEIGHTS SET CALIBRATION.json

Nobody in the held-out pictures was trained on. One half of the pictures chooses the calibration and the thresholds, the
other half is reported.
"""

import json
import pathlib
import sys

import numpy as np
import torch

import scene
import train
from net import Net
from tables import threshold_at, wilson

# Share of live faces that each level of assurance refuses, on the half that chooses.
LEVELS = {"low": 0.02, "medium": 0.05, "high": 0.10}


def calibrated(odds, live):
    """Slope and shift that calibrate log odds for equal numbers of live faces and attacks (Platt scaling)."""
    x, y = torch.from_numpy(odds).double(), torch.from_numpy(live).double()
    weight = torch.where(y > 0, 0.5 / y.mean(), 0.5 / (1 - y.mean()))
    parameters = torch.tensor([1.0, 0.0], dtype=torch.double, requires_grad=True)
    optimiser = torch.optim.LBFGS([parameters], max_iter=100, line_search_fn="strong_wolfe")

    def loss():
        optimiser.zero_grad()
        value = torch.nn.functional.binary_cross_entropy_with_logits(parameters[0] * x + parameters[1], y, weight=weight)
        value.backward()
        return value

    optimiser.step(loss)
    return [float(v) for v in parameters.detach()]


def main():
    weights, folder, out = (pathlib.Path(argument) for argument in sys.argv[1:4])
    torch.set_num_threads(1)
    net = Net()
    net.load_state_dict(torch.load(weights))
    held = train.load(folder, "held")
    odds = train.scores(net, held["crops"])
    live = held["species"] == "live"
    choosing = np.arange(len(odds)) // 8 % 2 == 0
    slope, shift = calibrated(odds[choosing], live[choosing])
    real = 1 / (1 + np.exp(-(slope * odds + shift)))
    levels = {name: threshold_at(real[choosing & live], share) for name, share in LEVELS.items()}
    out.write_text(json.dumps({"slope": slope, "shift": shift, "thresholds": levels}, indent=1) + "\n")
    print(f"slope {slope:.4f}, shift {shift:.4f}, thresholds", {name: round(v, 3) for name, v in levels.items()})
    reported = ~choosing
    print("\nAPCER by species, worst first, at the thresholds that refuse 5 and 10 % of the reported live faces:\n")
    print_rates(real, held, reported, live)
    print("\nAt the levels of assurance:\n")
    print_levels(real, held, reported, live, levels)
    print("\nIs the score a probability?\n")
    print_reliability(real[reported], live[reported])


def cell(hits, count):
    low, high = wilson(hits, count)
    return f"{100 * hits / max(count, 1):.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def groups(held, reported):
    """Name and mask of each species and device."""
    for column in ("species", "device"):
        for name in sorted(set(held[column][reported])):
            if name not in ("live", "person"):
                yield f"{column} {name}", reported & (held[column] == name)


def print_rates(real, held, reported, live):
    limits = [threshold_at(real[reported & live], share) for share in (0.05, 0.10)]
    print("| | n | APCER at BPCER 5 % | APCER at BPCER 10 % |\n|---|---:|---:|---:|")
    rows = []
    for name, of in groups(held, reported):
        hits = [int((real[of] >= limit).sum()) for limit in limits]
        rows.append((not name.startswith("species"), -hits[1] / of.sum(), f"| {name} | {of.sum()} | {cell(hits[0], of.sum())} | {cell(hits[1], of.sum())} |"))
    print("\n".join(row for _, _, row in sorted(rows)))


def print_levels(real, held, reported, live, levels):
    print("| | n | low | medium | high |\n|---|---:|---:|---:|---:|")
    row = lambda name, of, passes: print(f"| {name} | {of.sum()} | " + " | ".join(
        cell(int(((real[of] >= limit) == passes).sum()), int(of.sum())) for limit in levels.values()) + " |")
    row("BPCER, all live", reported & live, False)
    for kind in sorted(set(held["camera"][reported & live])):
        row(f"BPCER, {kind}", reported & live & (held["camera"] == kind), False)
    for name in scene.SPECIES[1:]:
        row(f"APCER, {name}", reported & (held["species"] == name), True)


def print_reliability(real, live):
    print("| score | faces | live among as many attacks |\n|---|---:|---:|")
    weight = np.where(live, 0.5 / live.mean(), 0.5 / (~live).mean())
    for low in np.arange(0, 1, 0.2):
        of = (real >= low) & (real < low + 0.2 + (low > 0.7))
        if of.any():
            print(f"| {low:.1f} to {low + 0.2:.1f} | {of.sum()} | {np.average(live[of], weights=weight[of]):.2f} |")


if __name__ == "__main__":
    main()
