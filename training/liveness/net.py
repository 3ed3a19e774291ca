"""The net: one branch for the tight crop, one for the wide, about 310,000 weights."""

import torch
import torch.nn.functional as F
from torch import nn

SIDE = 96
CHANNELS = (24, 48, 48, 64, 64, 96)
STRIDES = (2, 2, 1, 2, 1, 2)
# Factor by which the high-pass channels are amplified.
GRAIN = 6.0


def branch():
    """Six convolutions, from the 6 channels of `with_grain` to 96."""
    layers, before = [], 6
    for channels, stride in zip(CHANNELS, STRIDES):
        layers += [nn.Conv2d(before, channels, 3, stride, 1, bias=False), nn.BatchNorm2d(channels), nn.ReLU()]
        before = channels
    return nn.Sequential(*layers)


def with_grain(crops):
    """Adds to [n, 3, h, w] three high-pass channels: each pixel less the mean of its 3 x 3 neighbourhood, where dots of ink and
    sub-pixels show."""
    return torch.cat([crops, (crops - F.avg_pool2d(crops, 3, 1, 1)) * GRAIN], 1)


class Net(nn.Module):
    """Pairs of crops [n, 2, 3, 96, 96] from -1 to 1 (tight, wide) to log odds of a live face [n] and logits of the species [n, 5]."""

    def __init__(self):
        super().__init__()
        self.tight, self.wide = branch(), branch()
        self.drop = nn.Dropout(0.3)
        self.mix = nn.Linear(2 * CHANNELS[-1], 32)
        self.live = nn.Linear(32, 1)
        # An auxiliary task for training: the features must tell the species apart, too. Not exported.
        self.kind = nn.Linear(32, 5)

    def forward(self, pairs):
        seen = [part(with_grain(pairs[:, at])).mean((2, 3)) for at, part in enumerate((self.tight, self.wide))]
        mixed = torch.relu(self.mix(self.drop(torch.cat(seen, 1))))
        return self.live(mixed)[:, 0], self.kind(mixed)
