"""Fits the linear map after the recognition net that makes strangers of every group equally far from each other, and measures it.

    python transform.py SET PORTRAITS PAIRS.csv [--directions N] [--power P] [--out recognition-map.bin]

SET and PORTRAITS are packed sets with embeddings (embeddings.py), PAIRS.csv names pictures of PORTRAITS (`a`, `b`, `same`). Half of the
faces of SET, by a hash of their name, fit the map; the other half is measured. What is done:

- the mean is subtracted, each cell of group, sex and age weighing the same;
- the directions in which the means of the cells differ most are taken out;
- directions with much variance are shortened, those with little lengthened (whitening, to the power P);
- the result is scaled to one length, so that 1 of 1000 strangers of the worst adult cell is nearer than 0.53.

Prints, in Markdown, for the raw embeddings and the mapped ones: the false match rate of each cell at the same distances, and how
many pairs of one person are missed where the stated rate holds in the worst cell. `--out` writes 128 x 128 weights and 128 offsets
as float32, little-endian, row by row; the scaling follows them.
"""

import argparse
import csv
import hashlib
import pathlib

import numpy as np

RATES = (1e-4, 1e-3, 1e-2)
# Standard normal quantiles of the rates.
QUANTILES = (3.7190, 3.0902, 2.3263)
STATED_DISTANCE = 0.53  # at the rate 1e-3
AGES = ((0, 10, "0-9"), (10, 20, "10-19"), (20, 60, "20-59"), (60, 200, "60+"))
ADULT = "20-59"
LEAST_TO_FIT, LEAST_TO_MEASURE = 60, 300
MOST_FACES = 2500
# The limits of enrolment: crates/domain/src/faces/face_extraction.rs.
LEAST_SHARPNESS, LEAST_FRONTAL = 0.25, 0.2


class Embeddings:
    def __init__(self, folder):
        found = np.load(folder / "embeddings.npy", "r")
        rows = list(csv.DictReader(open(folder / "rows.csv")))
        good = lambda at, row: (found[at, -1] > 0 and int(row["same_as"]) == at and float(row["sharpness"]) >= LEAST_SHARPNESS
                                and float(row["frontal"]) >= LEAST_FRONTAL)
        at = [at for at, row in enumerate(rows) if good(at, row)]
        self.values, self.rows = np.asarray(found[at, :-1], np.float64), [rows[i] for i in at]
        self.paths = {row["path"]: at for at, row in enumerate(self.rows)}


def in_fit(name):
    return hashlib.sha256(f"recognition {name}".encode()).digest()[0] < 128


def cells(embeddings, fit):
    """The faces of each cell of group, sex and age in one of the halves."""
    found = {}
    for at, row in enumerate(embeddings.rows):
        if in_fit(row["path"]) == fit and row["group"] and row["gender"]:
            age = next(name for low, high, name in AGES if low <= float(row["low"]) < high)
            found.setdefault((row["group"], row["gender"], age), []).append(at)
    least = LEAST_TO_FIT if fit else LEAST_TO_MEASURE
    return {cell: np.array(at[:MOST_FACES]) for cell, at in sorted(found.items()) if len(at) >= least}


def unit(values):
    return values / np.linalg.norm(values, axis=1, keepdims=True)


class Map:
    def __init__(self, embeddings, parts, directions, power):
        means = np.array([embeddings[at].mean(0) for at in parts.values()])
        self.mean = means.mean(0)
        _, axes = np.linalg.eigh(np.cov(means.T))
        out = axes[:, ::-1][:, :directions]
        kept = np.eye(len(self.mean)) - out @ out.T
        spread = np.mean([(embeddings[at] - self.mean).T @ (embeddings[at] - self.mean) / len(at) for at in parts.values()], 0)
        values, axes = np.linalg.eigh(kept @ spread @ kept)
        # The directions that were taken out have no variance.
        scale = np.where(values > 1e-3 * values.mean(), np.maximum(values, 1e-12) ** (-power / 2), 0)
        self.weights = kept @ (axes * scale) @ axes.T
        self.length = 1.0

    def __call__(self, values):
        return unit((values - self.mean) @ self.weights) * self.length


def distances(values):
    squared = (values * values).sum(1)
    return np.sqrt(np.maximum(0, squared[:, None] + squared[None] - 2 * values @ values.T))[np.triu_indices(len(values), 1)]


def strangers(mapped, parts):
    return {cell: np.sort(distances(mapped[at].astype(np.float32))) for cell, at in parts.items()}


def rate_below(ordered, limit):
    return np.searchsorted(ordered, limit) / len(ordered)


def worst(found, rate):
    """The distance at which the rate holds in every adult cell."""
    return min(float(np.quantile(ordered, rate)) for cell, ordered in found.items() if cell[2] == ADULT)


def limits_of(found):
    """The distances of the three rates. Some people are in the set more than once, and nobody knows who: they are most of the nearest
    pairs. So that of the lowest rate is not counted but follows from the two others as if distances were normally distributed."""
    near, far = worst(found, RATES[1]), worst(found, RATES[2])
    return [near - (far - near) * (QUANTILES[0] - QUANTILES[1]) / (QUANTILES[1] - QUANTILES[2]), near, far]


def same_people(portraits, mapped, pairs):
    known = [(portraits.paths[row["a"]], portraits.paths[row["b"]]) for row in pairs
             if row["same"] == "1" and row["a"] in portraits.paths and row["b"] in portraits.paths]
    a, b = np.array(known).T
    return np.linalg.norm(mapped[a] - mapped[b], axis=1)


def summary(found, same):
    line = []
    for limit in limits_of(found):
        rates = [rate_below(ordered, limit) for cell, ordered in found.items() if cell[2] == ADULT]
        line += [f"{limit:.3f}", f"{100 * (same >= limit).mean():.1f} %", f"{max(rates) / max(min(rates), 1e-9):.0f}"]
    return line


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("set", type=pathlib.Path)
    parser.add_argument("portraits", type=pathlib.Path)
    parser.add_argument("pairs", type=pathlib.Path)
    # With several, the last of both is what is written and shown by cell.
    parser.add_argument("--directions", type=int, nargs="+", default=[10])
    parser.add_argument("--power", type=float, nargs="+", default=[0.5])
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    faces, portraits, pairs = Embeddings(options.set), Embeddings(options.portraits), list(csv.DictReader(open(options.pairs)))
    fit, measured = cells(faces, True), cells(faces, False)
    print(f"{len(faces.rows)} faces, {len(fit)} cells to fit, {len(measured)} to measure, {len(same_people(portraits, portraits.values, pairs))} pairs of one person\n")
    header = [f"{word} at {rate:g}" for rate in RATES for word in ("distance", "missed", "worst over best")]
    print(f"| directions | power | {' | '.join(header)} |\n|---|---|{'---:|' * len(header)}")
    raw = strangers(faces.values, measured)
    print(f"| raw | | {' | '.join(summary(raw, same_people(portraits, portraits.values, pairs)))} |", flush=True)
    for directions in options.directions:
        for power in options.power:
            made = Map(faces.values, fit, directions, power)
            found = strangers(made(faces.values), measured)
            made.length = STATED_DISTANCE / worst(found, 1e-3)
            found = {cell: ordered * made.length for cell, ordered in found.items()}
            same = same_people(portraits, made(portraits.values), pairs)
            print(f"| {directions} | {power} | {' | '.join(summary(found, same))} |", flush=True)
    limits = {name: limits_of(of) for name, of in (("raw", raw), ("mapped", found))}
    header = [f"{name} at {limit:.3f}" for name in limits for limit in limits[name]]
    print(f"\n| strangers of one cell | pairs | {' | '.join(header)} |\n|---|---:|{'---:|' * len(header)}")
    for cell in found:
        rates = [f"{100 * rate_below(of[cell], limit):.3f} %" for name, of in (("raw", raw), ("mapped", found)) for limit in limits[name]]
        print(f"| {', '.join(cell)} | {len(found[cell])} | {' | '.join(rates)} |")
    if options.out:
        weights = made.weights.astype("<f4")
        options.out.write_bytes(weights.tobytes() + (-made.mean @ made.weights).astype("<f4").tobytes())
        print(f"\nlength {made.length:.6f}; {options.out.stat().st_size} bytes, SHA-256 {hashlib.sha256(options.out.read_bytes()).hexdigest()}")


if __name__ == "__main__":
    main()
