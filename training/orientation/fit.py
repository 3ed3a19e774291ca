"""Fits the weights by which an upright face is told from one that is sideways or upside down.

    python fit.py portraits.csv crops.csv ...

The files come from the `orientation_features` example; each counts as much as any other. The weights are fitted on one half of
the people and measured on the other. Prints the constants of crates/vision/src/upright_face.rs, and for each file and threshold
how many upright faces are accepted and how many turned ones. Needs numpy and scikit-learn.
"""

import csv
import sys
import zlib
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

# What the test is applied to: confident faces that lean little, with a box of 50 to 160 pixels of the input.
MIN_SCORE = 0.7
MAX_ROLL_RADIANS = 0.35
BOX_PIXELS = (50, 160)
THRESHOLDS = (0.5, 0.8, 0.9, 0.95, 0.99)
# The rule that it replaces.
SCORE_RULE = 0.85


def read(path):
    """The features of each face, whether it is upright, its score, and whether it is in the half that is fitted."""
    features, upright, scores, fitted = [], [], [], []
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            score, pixels = float(row["score"]), float(row["box_pixels"])
            if score < MIN_SCORE or abs(float(row["roll"])) >= MAX_ROLL_RADIANS:
                continue
            if not BOX_PIXELS[0] <= pixels <= BOX_PIXELS[1]:
                continue
            features.append([float(row[name]) for name in row if name.startswith("f_")])
            upright.append(row["quarter_turns"] == "0")
            scores.append(score)
            fitted.append(zlib.crc32(Path(row["file"]).stem.encode()) % 2 == 0)
    return tuple(map(np.array, (features, upright, scores, fitted)))


def fit(sets):
    x = np.vstack([features[fitted] for features, _, _, fitted in sets])
    y = np.concatenate([upright[fitted] for _, upright, _, fitted in sets])
    weight = np.concatenate([np.full(fitted.sum(), 1 / fitted.sum()) for *_, fitted in sets])
    mean, deviation = x.mean(0), x.std(0)
    model = LogisticRegression(C=1, max_iter=9000)
    model.fit((x - mean) / deviation, y, sample_weight=weight * len(y) / weight.sum())
    slope = model.coef_[0] / deviation
    return np.round(slope, 2), round(float(model.intercept_[0] - (slope * mean).sum()), 2)


def main():
    sets = {path: read(path) for path in sys.argv[1:]}
    slope, offset = fit(list(sets.values()))
    print(f"const UPRIGHT_WEIGHTS: [f32; {len(slope)}] = {[float(value) for value in slope]};")
    print(f"const UPRIGHT_OFFSET: f32 = {offset};\n")
    print("| held-out half | rule | upright accepted | turned accepted |\n|---|---|---:|---:|")
    for path, (features, upright, scores, fitted) in sets.items():
        probability = 1 / (1 + np.exp(-(features @ slope + offset)))
        rules = [(f"score >= {SCORE_RULE}", scores >= SCORE_RULE)]
        rules += [(f"probability >= {threshold}", probability >= threshold) for threshold in THRESHOLDS]
        for rule, accepted in rules:
            good, bad = accepted[~fitted & upright], accepted[~fitted & ~upright]
            share = f"{100 * good.mean():.1f} % of {len(good)}"
            print(f"| {Path(path).stem} | {rule} | {share} | {bad.sum()} of {len(bad)} |")


if __name__ == "__main__":
    main()
