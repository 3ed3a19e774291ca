"""Do the built-in cues improve the net on species that it was not trained on?

    python combine.py SET CUES.npz WEIGHTS NAMES [WEIGHTS NAMES ...]

SET is the output of render.py, CUES of cues.py for some or all of its pictures, both of held-out people. NAMES are the
species, printers or displays, separated by commas, that the training of WEIGHTS left out. Nothing that is fitted here has
seen them: neither the combination nor the thresholds, which refuse 10 % of the live faces of the reported half. Species that
were trained on are reported on that half, species that were left out on all their pictures.
"""

import pathlib
import sys

import numpy as np
import torch
import torch.nn.functional as F

import scene
import train
from net import Net
from tables import threshold_at, wilson

RATE = 0.10
# From crates/vision/src/liveness/weights.rs: from, to, max.
SERVED = np.array([
    (1.286, 5.778, 6.65), (1.061, 1.897, 0.86), (1.392, 4.521, 5.03), (-2.325, 0.344, 4.55), (0.291, 0.488, 1.2),
    (0.639, 0.8, 0.8), (0.8, 1.051, 2.5),
])


def served(cues):
    """Log odds of a live face as `liveness-cues-1` computes them, without the constant."""
    low, high, weight = SERVED.T
    return -(np.clip((cues - low) / (high - low), 0, 1) @ weight)


def logistic(x, live, kind):
    """Slopes of a logistic regression; both classes weigh the same, and within the attacks all species."""
    weight = np.zeros(len(x))
    weight[live] = 0.5 / live.sum()
    for name in set(kind[~live]):
        weight[kind == name] = 0.5 / len(set(kind[~live])) / (kind == name).sum()
    x, y, weight = (torch.from_numpy(np.asarray(v, np.float64)) for v in (x, live, weight))
    parameters = torch.zeros(x.shape[1] + 1, dtype=torch.double, requires_grad=True)
    optimiser = torch.optim.LBFGS([parameters], max_iter=300, line_search_fn="strong_wolfe")

    def loss():
        optimiser.zero_grad()
        value = (F.binary_cross_entropy_with_logits(x @ parameters[:-1] + parameters[-1], y, reduction="none") * weight).sum()
        value = value + 1e-3 * (parameters[:-1] ** 2).sum()
        value.backward()
        return value

    optimiser.step(loss)
    return parameters.detach().numpy()[:-1]


def print_row(name, scores, live, reported, groups):
    """Prints a row, the APCER of each group at the threshold; returns which pictures pass."""
    limit = threshold_at(scores[live & reported], RATE)
    cells = []
    for of in groups.values():
        hits, count = int((scores[of] >= limit).sum()), int(of.sum())
        low, high = wilson(hits, count)
        cells.append(f"{100 * hits / count:.1f} % ({100 * low:.1f} to {100 * high:.1f})")
    print(f"| {name} | " + " | ".join(cells) + " |")
    return scores >= limit


def main():
    folder, cues = pathlib.Path(sys.argv[1]), np.load(sys.argv[2])
    torch.set_num_threads(1)
    held = {name: values[cues["numbers"]] for name, values in train.load([folder], "held").items()}
    sums = held["crops"].astype(np.int64).sum((1, 2, 3, 4))
    if not np.array_equal(sums, cues["crops"]):
        sys.exit("the cues are of other pictures")
    kind, live = held["species"], held["species"] == "live"
    choosing = cues["numbers"] // 8 % 2 == 0
    for weights, names in zip(sys.argv[3::2], sys.argv[4::2]):
        names = names.split(",")
        out = np.isin(kind, names) | np.isin(held["device"], names)
        net = Net()
        net.load_state_dict(torch.load(weights))
        odds = train.scores(net, held["crops"])
        fit = choosing & ~out
        centre, spread = cues["cues"][fit].mean(0), cues["cues"][fit].std(0)
        scaled = (cues["cues"] - centre) / spread
        groups = {}
        for name in names:
            groups[f"**{name}**, left out"] = (kind == name) | (held["device"] == name)
        for name in scene.SPECIES[1:]:
            if name not in names:
                groups[name] = (kind == name) & ~out & ~choosing
        print(f"\nleft out {', '.join(names)}; n " + ", ".join(str(int(of.sum())) for of in groups.values()) + "\n")
        print(f"| APCER at BPCER {100 * RATE:.0f} % | " + " | ".join(groups) + " |\n|---|" + "---:|" * len(groups))
        alone = None
        variants = {
            "net alone": odds[:, None],
            "cues alone, as they are served": served(cues["cues"])[:, None],
            "cues alone, fitted": scaled,
            "net and the served cues' score": np.column_stack([odds, served(cues["cues"])]),
            "net and seven cues": np.column_stack([odds, scaled]),
        }
        for name, x in variants.items():
            slopes = logistic(x[fit], live[fit], kind[fit]) if x.shape[1] > 1 else np.ones(1)
            passes = print_row(name, x @ slopes, live, ~choosing, groups)
            if alone is None:
                alone = passes
            elif name.startswith("net"):
                # Of the attacks left out: how many pass the net alone but not this combination, and the other way round.
                stopped, let_in = int((alone & ~passes & out).sum()), int((~alone & passes & out).sum())
                print(f"<!-- of those left out {stopped} more stopped, {let_in} more let in; slopes {slopes.round(2).tolist()} -->")


if __name__ == "__main__":
    main()
