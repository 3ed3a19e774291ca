"""Fits the error table of the age model and reports what else was tried: fit.py <labels.csv> <measures.csv> <pack>

`measures.csv` is the output of `cargo run --example ages`; <pack> is the pack whose lines are fitted (other packs in the
file are compared with it). Everything is fitted on the half `fit` and reported on the half `held-out`, and the other way round.
"""

import csv
import statistics
import sys
from math import erf, log, sqrt

YOUNG = 30.0  # there are too few estimates below this age to fit anything


def read(labels, measures):
    ages = {row["path"]: row for row in csv.DictReader(open(labels))}
    packs = {}
    for row in csv.DictReader(open(measures)):
        label = ages[row["path"]]
        numbers = {k: float(v) for k, v in row.items() if k not in ("pack", "path", "box", "eyes")}
        packs.setdefault(row["pack"], {})[row["path"]] = {**numbers, **{k: label[k] for k in ("sex", "half", "captured")},
                                                          "age": float(label["age"])}
    return packs


def error_years(row):
    return row["years"] - row["age"]


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def normal(x):
    return (1 + erf(x / sqrt(2))) / 2


def likelihood(rows, base, weight, what="spread"):
    """Mean negative log-likelihood of normally distributed errors, without the constant; lower is better."""
    total = 0.0
    for row in rows:
        variance = base**2 + (weight * row[what]) ** 2
        total += log(variance) / 2 + error_years(row) ** 2 / variance / 2
    return total / len(rows)


def fit(rows, what="spread", weights=(0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)):
    grid = [(likelihood(rows, base / 10, weight, what), base / 10, weight)
            for base in range(20, 130) for weight in weights]
    return min(grid)


def coverage(rows, base, weight):
    def inside(reach):
        return mean(abs(error_years(row)) <= reach * sqrt(base**2 + (weight * row["spread"]) ** 2) for row in rows)
    return {"68 %": inside(0.9945), "80 %": inside(1.2816), "90 %": inside(1.6449)}


def share(values):
    return "  ".join(f"{name} {value * 100:.1f} %" for name, value in values.items())


def summary(name, rows, errors=None):
    errors = errors or [error_years(row) for row in rows]
    size = sorted(map(abs, errors))
    print(f"{name:<44} n {len(errors):>4}  MAE {mean(size):.2f}  bias {mean(errors):+.2f}  "
          f"68 % within {size[int(.68 * len(size))]:.1f}  90 % within {size[int(.9 * len(size))]:.1f}")


def stated(rows):
    """Coverage of the intervals that the pack's own error table states."""
    def inside(some, reach):
        return mean(abs(error_years(row)) <= reach * row["st_dev"] for row in some)
    print("\nAs the pack states them")
    for name, some in (("fit", [r for r in rows if r["half"] == "fit"]), ("held-out", [r for r in rows if r["half"] != "fit"]),
                       ("both", rows)):
        print(f"  {name:<9} n {len(some):>4}  "
              f"{share({'68 %': inside(some, 0.9945), '80 %': inside(some, 1.2816), '90 %': inside(some, 1.6449)})}")


def table(halves):
    print("\nThe table: one deviation and a weight for the spread over the crops, estimates from", YOUNG, "years on")
    for here, there in (("fit", "held-out"), ("held-out", "fit")):
        known, new = halves[here], halves[there]
        for weights, name in (((0.0,), "no spread"), ((1.0,), "spread 1.0"), ((0, .25, .5, .75, 1, 1.5, 2), "any spread")):
            _, base, weight = fit(known, weights=weights)
            print(f"  on {here:<9}{name:<11} base {base:.1f} weight {weight:.2f}   on {there}: "
                  f"{share(coverage(new, base, weight))}  -log p {likelihood(new, base, weight):.4f}")
    print("\nThe same by band of the estimate (base of each, no spread; root of the mean square on fit, held-out)")
    for low, high in ((YOUNG, 40), (40, 50), (50, 60), (60, 70), (70, 130)):
        cells = []
        for half in ("fit", "held-out"):
            rows = [row for row in halves[half] if low <= row["years"] < high]
            cells.append(f"{half} n {len(rows)} {sqrt(mean(error_years(r) ** 2 for r in rows)):.1f}" if len(rows) > 4 else half + " few")
        print(f"  {low:>3} to {high:<4} {'   '.join(cells)}")


def corrections(halves, source):
    """Whether a correction of the mean generalises to the other half, and to photographs of other days."""
    def line(rows):
        x, y = [r["years"] for r in rows], [r["age"] for r in rows]
        slope = statistics.covariance(x, y) / statistics.variance(x)
        return slope, mean(y) - slope * mean(x)

    def constant(rows):
        return 1.0, -mean(map(error_years, rows))

    def isotonic(rows):
        """Isotonic regression by pooling adjacent violators; evaluates to the step below."""
        blocks = []
        for row in sorted(rows, key=lambda r: r["years"]):
            blocks.append([row["years"], row["age"], 1])
            while len(blocks) > 1 and blocks[-2][1] >= blocks[-1][1]:
                start, value, n = blocks[-2]
                _, other, m = blocks.pop()
                blocks[-1] = [start, (value * n + other * m) / (n + m), n + m]
        return lambda years: ([b[1] for b in blocks if b[0] <= years] or [blocks[0][1]])[-1]

    print("\nCorrections of the mean")
    old, new = [[r for r in source if (r["captured"] < "2022-09") == side] for side in (True, False)]
    cuts = (("fit -> held-out", halves["fit"], halves["held-out"]), ("held-out -> fit", halves["held-out"], halves["fit"]),
            ("since autumn 2022 -> before", new, old), ("before -> since autumn 2022", old, new))
    for name, known, other in cuts:
        print(" ", name)
        summary("    none", other)
        for kind, of in (("constant", constant), ("affine", line)):
            slope, shift = of(known)
            summary(f"    {kind} ({slope:.2f} x {shift:+.1f})", other, [slope * r["years"] + shift - r["age"] for r in other])
        step = isotonic(known)
        summary("    isotonic", other, [step(r["years"]) - r["age"] for r in other])


def crops(packs, chosen):
    print("\nOther crops and the second net (all faces)")
    for name, rows in packs.items():
        both = [row for path, row in rows.items() if path in packs[chosen]]
        summary(f"  {name}", both)
        better("      beside the pack that is fitted it is", [abs(error_years(packs[chosen][path])) - abs(error_years(row)) for path, row in rows.items()
                                         if path in packs[chosen]])
        print(f"      milliseconds, median: {statistics.median(row['micros'] for row in both) / 1000:.0f}")
        summary(f"  {name}, with the mirror image", both, [(r["years"] + r["mirrored"]) / 2 - r["age"] for r in both])
        gain = [abs(error_years(r)) - abs((r["years"] + r["mirrored"]) / 2 - r["age"]) for r in both]
        better("      the mirror image makes it", gain)


def better(text, gain):
    print(f"{text} {mean(gain):.2f} years better, give or take {1.96 * statistics.stdev(gain) / sqrt(len(gain)):.2f}")


def mixed(packs, chosen, second):
    """The weighted mean of both nets; `part` is the weight of the second one."""
    print("\nA part of the second net in the mean")
    both = [(row, packs[second][path]) for path, row in packs[chosen].items() if path in packs[second]]
    for part in (0.1, 0.25, 0.4):
        summary(f"  {part}", [row for row, _ in both],
                [row["years"] * (1 - part) + other["years"] * part - row["age"] for row, other in both])


def signs(packs, chosen, second):
    """What correlates with the size of the error."""
    rows = [dict(row, path=path) for path, row in packs[chosen].items()]
    for row in rows:
        row["mirror"] = abs(row["years"] - row["mirrored"])
        other = packs.get(second, {}).get(row["path"])
        row["other"] = abs(row["years"] - other["years"]) if other else 0.0
    print("\nSigns of a large error (rank correlation with its size)")

    def ranks(values):
        order = sorted(range(len(values)), key=values.__getitem__)
        places = [0] * len(values)
        for place, at in enumerate(order):
            places[at] = place
        return places

    size = ranks([abs(error_years(row)) for row in rows])
    for what in ("spread", "mirror", "other", "years", "side", "sharpness", "luma", "frontal", "score"):
        print(f"  {what:<10} {statistics.correlation(ranks([row[what] for row in rows]), size):+.2f}")
    for what in ("mirror", "other"):
        for here, there in (("fit", "held-out"), ("held-out", "fit")):
            known, new = ([r for r in rows if r["half"] == half and r["years"] >= YOUNG] for half in (here, there))
            _, base, weight = fit(known, what)
            _, plain, _ = fit(known, what, (0.0,))
            print(f"  {what} widens: on {here} base {base:.1f} weight {weight:.2f}; on {there} -log p "
                  f"{likelihood(new, base, weight, what):.4f}, without {likelihood(new, plain, 0.0, what):.4f}")


def main():
    labels, measures, chosen, *second = sys.argv[1:]
    packs = read(labels, measures)
    rows = list(packs[chosen].values())
    for half in ("fit", "held-out"):
        summary(half, [row for row in rows if row["half"] == half])
    adult = [row for row in rows if row["years"] >= YOUNG]
    halves = {half: [row for row in adult if row["half"] == half] for half in ("fit", "held-out")}
    stated(rows)
    table(halves)
    corrections(halves, adult)
    crops(packs, chosen)
    if second:
        mixed(packs, chosen, second[0])
    signs(packs, chosen, second[0] if second else None)


main()
