"""Fits the weights of the built-in liveness model and measures them.

    python fit.py fit     a.csv b.csv ...   prints what weights.rs holds
    python fit.py report  a.csv b.csv ...   prints that and the tables of docs/ACCURACY.md

The files come from the `liveness_cues` example. The numbers are chosen on one half of the people and of the parameters of
each species, and measured on the other half. Needs numpy.
"""

import csv
import re
import sys
from collections import defaultdict

import numpy as np

FIRST_CUE = "grid_fine"
# Upper bounds of a cue's weight, in log odds. The colour range depends on clothes, walls, skin and exposure: on its own it
# must not refuse anyone. Nor must the straight edge of a door at low assurance.
CAPS = {"lifted_black": 1.2, "pale": 0.8, "rim": 2.5}
# A cue counts only beyond the range that holds this share of the live pictures.
QUIET = 0.97
# Lowest start of a cue's range: the fitting half has too few rooms to tell how straight edges in a background can be.
FLOORS = {"rim": 0.8}
RIDGE = 0.002
TARGETS = {"low": 0.01, "medium": 0.03, "high": 0.10}


def read(paths):
    rows = []
    for path in paths:
        with open(path, newline="") as file:
            rows += [dict(row, file=path) for row in csv.DictReader(file)]
    return rows


def half_of(row):
    """The half of a row. The set splits people; sample photographs are split as wholes, because some people are in several of
    them and nothing says who."""
    photo = re.match(r"sample(\d)-", row["path"])
    return row["half"] if photo is None else ("fit" if int(photo[1]) % 2 else "report")


def cues_of(rows):
    names = list(rows[0])
    names = names[names.index(FIRST_CUE):]
    names = [name for name in names if name != "file"]
    return names, np.array([[float(row[name]) for name in names] for row in rows])


def balance(rows):
    """Weights by which live pictures and attacks count the same in all, and within each so do species and variations."""
    groups = defaultdict(list)
    for index, row in enumerate(rows):
        groups[row["label"], row["species"], row["variation"]].append(index)
    sides = defaultdict(int)
    for label, _, _ in groups:
        sides[label] += 1
    weight = np.zeros(len(rows))
    for (label, _, _), members in groups.items():
        weight[members] = 0.5 / sides[label] / len(members)
    return weight


def fit(rows):
    names, cues = cues_of(rows)
    live = np.array([row["label"] == "real" for row in rows])
    weight = balance(rows)
    start = np.zeros(len(names))
    stop = np.zeros(len(names))
    for i in range(len(names)):
        start[i] = quantile(cues[live, i], weight[live], QUIET)
        start[i] = max(start[i], FLOORS.get(names[i], -np.inf))
        above = (~live) & (cues[:, i] > start[i])
        reach = quantile(cues[above, i], weight[above], 0.6) if above.any() else start[i]
        spread = quantile(cues[live, i], weight[live], 0.9) - quantile(cues[live, i], weight[live], 0.5)
        stop[i] = max(reach, start[i] + spread)
    share = np.clip((cues - start) / (stop - start), 0, 1)
    caps = np.array([CAPS.get(name, 12.0) for name in names])
    bias, slope = 1.0, np.ones(len(names))
    step = 2.0
    for _ in range(20000):
        odds = bias - share @ slope
        miss = (live - 1 / (1 + np.exp(-odds))) * weight
        bias += step * miss.sum()
        slope = np.clip(slope - step * (share.T @ miss + RIDGE * slope / len(names)), 0, caps)
    model = {"names": names, "from": start.round(3), "to": stop.round(3), "weight": slope.round(2), "bias": round(bias, 2)}
    values = score(model, rows)
    model["thresholds"] = {k: quantile(values[live], weight[live], t) for k, t in TARGETS.items()}
    # Rounded down to thousandths, so that a face that just passed still passes.
    model["thresholds"] = {k: np.floor(t * 1000) / 1000 for k, t in model["thresholds"].items()}
    return model


def quantile(values, weight, share):
    order = np.argsort(values)
    total = np.cumsum(weight[order])
    return values[order][np.searchsorted(total, share * total[-1])]


def score(model, rows):
    _, cues = cues_of(rows)
    share = np.clip((cues - model["from"]) / (model["to"] - model["from"]), 0, 1)
    return 1 / (1 + np.exp(share @ model["weight"] - model["bias"]))


def print_model(model):
    """Prints the model as Rust, for crates/vision/src/liveness/weights.rs."""
    print(f"pub(super) const BIAS: f32 = {model['bias']};")
    for name, low, high, weight in zip(model["names"], model["from"], model["to"], model["weight"]):
        print(f"    // {name}\n    CueWeight {{ from: {low}, to: {high}, max: {weight} }},")
    levels = ", ".join(f"{level}: {value}" for level, value in model["thresholds"].items())
    print(f"super::CueThresholds {{ {levels} }}")


def passed(values, threshold):
    return float(np.mean(values >= threshold))


def table(rows, model, key, header, refused):
    """Prints the share of live faces refused, or of attacks that pass, at each level; one line for each group."""
    levels = list(TARGETS)
    print(f"| {header} | n | " + " | ".join(levels) + " |\n|---|---:|" + "---:|" * len(levels))
    groups = defaultdict(list)
    values = score(model, rows)
    for row, value in zip(rows, values):
        groups[key(row)].append(value)
    if len(groups) > 1:
        groups["all"] = list(values)
    for name, members in groups.items():
        shares = [passed(np.array(members), model["thresholds"][level]) for level in levels]
        shares = [1 - share if refused else share for share in shares]
        print(f"| {name} | {len(members)} | " + " | ".join(f"{100 * s:.1f} %" for s in shares) + " |")
    print()


def main():
    command, *paths = sys.argv[1:]
    rows = read(paths)
    fitted = [row for row in rows if half_of(row) == "fit"]
    model = fit(fitted)
    print_model(model)
    if command == "fit":
        return
    reported = [row for row in rows if half_of(row) == "report"]
    print("\n## held-out half\n")
    boxes = [row for row in reported if row["label"] == "fake"]
    attacks = [row for row in boxes if row["variation"] == "as is"]
    rims = {"true": "border in the frame", "false": "no border in the frame"}
    table(attacks, model, lambda row: row["species"], "APCER by species", False)
    table(attacks, model, lambda row: rims[row["framed"]], "APCER by framing", False)
    bare = [row for row in attacks if row["framed"] == "false"]
    table(bare, model, lambda row: row["species"], "APCER, no border in the frame", False)
    table(boxes, model, lambda row: row["variation"], "APCER by face box", False)
    for species in dict.fromkeys(row["species"] for row in reported if row["label"] == "real"):
        live = [row for row in reported if row["species"] == species]
        table(live, model, lambda row: row["variation"], f"BPCER, {species}", True)
    print("\n## leave one species out: APCER of the species that the fit never saw\n")
    for species in dict.fromkeys(row["species"] for row in attacks):
        without = fit([row for row in fitted if row["species"] != species])
        table([row for row in attacks if row["species"] == species], without, lambda row: row["species"], "left out", False)


if __name__ == "__main__":
    main()
