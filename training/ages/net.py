"""The net: a small residual net that gives a distribution over ages, and what it is trained with."""

import torch
import torch.nn.functional as F
from torch import nn

SIDE = 96
# Share of a stored crop (1.6 times the box of the face) that the net sees: 1.2 times the box.
VIEW = 0.75
CHANNELS = (24, 48, 96, 160)
BLOCKS = (0, 2, 2, 2)
GROUPS = ("White", "Black", "Indian", "East Asian", "Southeast Asian", "Middle Eastern", "Latino_Hispanic")
# What is seen of the picture besides: covered mouth, nose, eyes; blur and noise (see `augmented` in augment.py).
QUALITIES = ("mouth", "nose", "eyes", "blur", "noise")
COVERED = 3
# Probability that a label is arbitrary.
LABEL_NOISE = 0.01
OLDEST = 100


def conv(before, after, stride=1, kernel=3):
    return nn.Sequential(nn.Conv2d(before, after, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(after))


class Block(nn.Module):
    """Two convolutions around a shortcut, and a factor for each channel from the whole picture (squeeze and excitation)."""

    def __init__(self, channels):
        super().__init__()
        self.first, self.second = conv(channels, channels), conv(channels, channels)
        self.squeeze, self.excite = nn.Linear(channels, channels // 4), nn.Linear(channels // 4, channels)
        # The block starts as the identity.
        nn.init.zeros_(self.second[1].weight)

    def forward(self, x):
        y = self.second(torch.relu(self.first(x)))
        factor = torch.sigmoid(self.excite(torch.relu(self.squeeze(y.mean((2, 3))))))
        return torch.relu(x + y * factor[:, :, None, None])


class AgeNet(nn.Module):
    """Crops [n, 3, side, side] from -1 to 1 to location and scale of a logistic distribution over ages, years, [n] each; the logits of
    sex [n] and group [n, 7], which only help to train; and the qualities of the picture [n, 5]: logits of what is covered, and
    log2(1 + x) of blur and noise."""

    def __init__(self, channels=CHANNELS, blocks=BLOCKS, drop=0.2):
        super().__init__()
        layers, before = [], 3
        for count, after in zip(blocks, channels):
            layers += [conv(before, after, 2), nn.ReLU(), *(Block(after) for _ in range(count))]
            before = after
        self.body, self.drop = nn.Sequential(*layers), nn.Dropout(drop)
        self.age, self.aside, self.quality = nn.Linear(before, 2), nn.Linear(before, 1 + len(GROUPS)), nn.Linear(before, len(QUALITIES))

    def features(self, crops):
        return self.body(crops).mean((2, 3))

    def forward(self, crops):
        seen = self.drop(self.features(crops).float())
        with torch.autocast(seen.device.type, enabled=False):
            aside = self.aside(seen)
            return *distribution(self.age(seen)), aside[:, 0], aside[:, 1:], self.quality(seen)


def grown(small, net):
    """Weights for `net` that give what a narrower net gives: `small`, its state, in the corner of each tensor; what the old channels
    would take from new ones is nothing, and the new ones are as `net` has them."""
    weights = {}
    for name, own in net.state_dict().items():
        weights[name], old = own.clone(), small[name]
        if own.ndim > 1:
            weights[name][: old.shape[0], old.shape[1] :] = 0
        weights[name][tuple(slice(length) for length in old.shape)] = old
    return weights


def distribution(two):
    """The last layer's two numbers as location and scale in years."""
    return 32 + 16 * two[:, 0], 0.7 + 4 * F.softplus(two[:, 1])


def log_probability(place, scale, low, high):
    """Log probability of an age from `low` to `high` by the logistic distribution, also far from its location."""
    a, b = (low - place) / scale, (high - place) / scale
    return F.logsigmoid(b) + F.logsigmoid(-a) + torch.log(-torch.expm1(a - b))


def age_loss(place, scale, low, high):
    """Negative log likelihood of labels that are ranges of ages [low, high): bands, or one year where the age is known. The
    youngest band has no lower end."""
    log_p = log_probability(place, scale, torch.where(low <= 0, -50.0, low), high)
    arbitrary = LABEL_NOISE * (high - low) / OLDEST
    return -torch.logaddexp(log_p + torch.log1p(torch.tensor(-LABEL_NOISE)), torch.log(arbitrary))


def quality_loss(seen, done):
    """What the net saw of the picture against what was done to it. Something half covered is neither."""
    hidden = (done[:, :COVERED] * 2 - 0.5).clamp(0, 1)
    told = F.smooth_l1_loss(seen[:, COVERED:], torch.log2(1 + done[:, COVERED:]), beta=0.5)
    return F.binary_cross_entropy_with_logits(seen[:, :COVERED], hidden) + told


def probabilities(place, scale):
    """Probability of each whole year of age, 0 to 100: [n, 101]."""
    edges = torch.arange(1, OLDEST + 1, device=place.device, dtype=place.dtype)
    below = torch.sigmoid((edges[None] - place[:, None]) / scale[:, None])
    zero, one = torch.zeros_like(below[:, :1]), torch.ones_like(below[:, :1])
    # Not `torch.diff`, which has no operator in ONNX.
    return torch.cat([below, one], 1) - torch.cat([zero, below], 1)
