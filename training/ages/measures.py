"""Measures estimates of ages: measures.py ROWS.csv [--part dev] NAME=ESTIMATES.csv ...

ROWS.csv has the labels (`path`, `low`, `high`, `gender`, `group`), each ESTIMATES.csv `path`, `years` and `st_dev`. Prints one table
for each way to group people, in Markdown. Where the label is a band, the error is the distance from the middle of the band, and
`outside` the distance from the band itself, nothing within it. A band is right if it contains the estimate.
"""

import argparse
import csv

import numpy as np

EDGES = np.array([0, 3, 10, 20, 30, 40, 50, 60, 70, 200])
BANDS = ("0-2", "3-9", "10-19", "20-29", "30-39", "40-49", "50-59", "60-69", "70+")
OLDEST_MIDDLE = 75.0
EXACT_YEARS = 1.01  # labels that span no more are ages, not bands


def labels(rows):
    low, high = (np.array([float(row[end]) for row in rows]) for end in ("low", "high"))
    middle = np.where((low >= 70) & (high - low > EXACT_YEARS), OLDEST_MIDDLE, (low + high) / 2)
    return low, high, middle


def band(years):
    return np.clip(np.searchsorted(EDGES, years, "right") - 1, 0, len(BANDS) - 1)


def share(of):
    return 100 * float(np.mean(of)) if len(of) else float("nan")


def measure(years, st_dev, rows):
    """All measures of some people, by name."""
    low, high, middle = labels(rows)
    error, actual = years - middle, band(middle)
    off = np.abs(band(years) - actual)
    exact = high - low <= EXACT_YEARS
    found = {"n": len(rows), "MAE": np.abs(error).mean(), "bias": error.mean(),
             "outside": np.maximum(0, np.maximum(low - years, years - high)).mean(),
             "band right": share(off == 0), "one off": share(off <= 1),
             "10-19 pass 25": share(years[actual == 2] >= 25), "10-19 pass 20": share(years[actual == 2] >= 20),
             "20-29 refused 18": share(years[actual == 3] < 18), "st_dev": st_dev.mean()}
    if exact.all():
        found |= {f"in {name}": share(np.abs(error) <= reach * st_dev) for name, reach in (("68 %", 0.9945), ("90 %", 1.6449))}
    return found


def short(two, rows):
    """What a run of training logs: `two` are location and scale of logistic distributions."""
    place, scale = np.asarray(two[:, 0], np.float64), np.asarray(two[:, 1], np.float64)
    found = measure(place, scale * np.pi / 3**0.5, rows)
    low, high, _ = labels(rows)
    inside = 1 / (1 + np.exp(-np.clip((high - place) / scale, -60, 60))) - 1 / (1 + np.exp(-np.clip((np.where(low <= 0, -50, low) - place) / scale, -60, 60)))
    biases = [measure(place[at], scale[at], [rows[i] for i in at])["bias"] for at in ways(rows)["group"].values() if len(at) > 30]
    found |= {"nll": -np.log(np.maximum(inside, 1e-4)).mean(), "group spread": max(biases) - min(biases) if biases else 0.0}
    return {name: round(float(value), 3) for name, value in found.items()}


def ways(rows):
    """For each way to group people: the places of the rows of each group."""
    _, _, middle = labels(rows)
    keys = {"everybody": ["all"] * len(rows), "sex": [row["gender"] for row in rows], "group": [row["group"] or "unknown" for row in rows],
            "band": [BANDS[at] for at in band(middle)]}
    return {way: {key: np.array([at for at, k in enumerate(of) if k == key]) for key in sorted(set(of))} for way, of in keys.items()}


def read(path):
    return {row["path"]: (float(row["years"]), float(row["st_dev"])) for row in csv.DictReader(open(path))}


def cell(name, value):
    if np.isnan(value):
        return "-"
    return f"{value:.0f}" if name == "n" else f"{value:+.2f}" if name == "bias" else f"{value:.2f}" if name in ("MAE", "outside") else f"{value:.1f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rows")
    parser.add_argument("estimates", nargs="+")
    parser.add_argument("--part")
    options = parser.parse_args()
    named = [one.split("=", 1) for one in options.estimates]
    estimates = {name: read(path) for name, path in named}
    rows = [row for row in csv.DictReader(open(options.rows))
            if (not options.part or row["part"] == options.part) and all(row["path"] in known for known in estimates.values())]
    for way, groups in ways(rows).items():
        print(f"\n### By {way}\n" if way != "everybody" else "\n### Everybody\n")
        header = None
        for key, at in groups.items():
            for name, known in estimates.items():
                some = [rows[i] for i in at]
                found = measure(*np.array([known[row["path"]] for row in some]).T, some)
                if not header:
                    header = list(found)
                    print(f"| | net | {' | '.join(header)} |\n|---|---|{'---:|' * len(header)}")
                print(f"| {key} | {name} | {' | '.join(cell(of, value) for of, value in found.items())} |")
        if way in ("sex", "group"):
            for name, known in estimates.items():
                parts = [measure(*np.array([known[rows[i]["path"]] for i in at]).T, [rows[i] for i in at]) for at in groups.values() if len(at) >= 30]
                spread = lambda what: max(p[what] for p in parts) - min(p[what] for p in parts)
                print(f"\n{name}: between the best and the worst of {len(parts)}: MAE {spread('MAE'):.2f}, bias {spread('bias'):.2f} years")


if __name__ == "__main__":
    main()
