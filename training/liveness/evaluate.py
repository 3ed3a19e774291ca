"""Calibrates a trained net, chooses its thresholds and prints its tables (ISO/IEC 30107-3).

    python evaluate.py NET.onnx SET REPORTED OUT.onnx

NET.onnx is the output of export.py, OUT.onnx is written: the same, calibrated. SET and REPORTED are outputs of render.py. Nobody in
their held-out pictures was trained on. Those of SET choose the calibration and the thresholds, those of REPORTED are reported.
"""

import pathlib
import sys

import numpy as np
import torch

import onnx_file
import scene
import train
from tables import threshold_at, wilson

# The share that each level of assurance refuses of the live faces that choose the thresholds.
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
    net, *folders, out = (pathlib.Path(argument) for argument in sys.argv[1:5])
    torch.set_num_threads(1)
    choosing, held = (train.load([folder], "held") for folder in folders)
    odds, live = onnx_file.answers(net, choosing["crops"]), choosing["species"] == "live"
    slope, shift = calibrated(odds, live)
    onnx_file.calibrate(net, slope, shift, out)
    real = 1 / (1 + np.exp(-(slope * odds + shift)))
    levels = {name: threshold_at(real[live], share) for name, share in LEVELS.items()}
    print(f"{out}: {onnx_file.described(out)}")
    print(f"slope {slope:.4f}, shift {shift:.4f}, thresholds", {name: round(v, 3) for name, v in levels.items()})
    real, live = onnx_file.answers(out, held["crops"]), held["species"] == "live"
    print("\nAPCER by species, worst first, at the thresholds that refuse 5 and 10 % of the reported live faces:\n")
    print_rates(real, held, live)
    print("\nAt the levels of assurance:\n")
    print_levels(real, held, live, levels)
    print("\nIs the score a probability?\n")
    print_reliability(real, live)


def cell(hits, count):
    low, high = wilson(hits, count)
    return f"{100 * hits / max(count, 1):.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def groups(held):
    """Name and mask of each species and device."""
    for column in ("species", "device"):
        for name in sorted(set(held[column])):
            if name not in ("live", "person"):
                yield f"{column} {name}", held[column] == name


def print_rates(real, held, live):
    limits = [threshold_at(real[live], share) for share in (0.05, 0.10)]
    print("| | n | APCER at BPCER 5 % | APCER at BPCER 10 % |\n|---|---:|---:|---:|")
    rows = []
    for name, of in groups(held):
        hits = [int((real[of] >= limit).sum()) for limit in limits]
        rows.append((not name.startswith("species"), -hits[1] / of.sum(), f"| {name} | {of.sum()} | {cell(hits[0], of.sum())} | {cell(hits[1], of.sum())} |"))
    print("\n".join(row for _, _, row in sorted(rows)))


def print_levels(real, held, live, levels):
    print("| | n | low | medium | high |\n|---|---:|---:|---:|---:|")
    row = lambda name, of, passes: print(f"| {name} | {of.sum()} | " + " | ".join(
        cell(int(((real[of] >= limit) == passes).sum()), int(of.sum())) for limit in levels.values()) + " |")
    row("BPCER, all live", live, False)
    for kind in sorted(set(held["camera"][live])):
        row(f"BPCER, {kind}", live & (held["camera"] == kind), False)
    for name in scene.SPECIES[1:]:
        row(f"APCER, {name}", held["species"] == name, True)


def print_reliability(real, live):
    print("| score | faces | live among as many attacks |\n|---|---:|---:|")
    weight = np.where(live, 0.5 / live.mean(), 0.5 / (~live).mean())
    for low in np.arange(0, 1, 0.2):
        of = (real >= low) & (real < low + 0.2 + (low > 0.7))
        if of.any():
            print(f"| {low:.1f} to {low + 0.2:.1f} | {of.sum()} | {np.average(live[of], weights=weight[of]):.2f} |")


if __name__ == "__main__":
    main()
