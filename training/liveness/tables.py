"""Error rates of ISO/IEC 30107-3 and their intervals."""

import math

import numpy as np


def threshold_at(live, rate):
    """The score below which the share `rate` of the live faces is refused (BPCER)."""
    return float(np.quantile(live, rate))


def apcer_at(live, attacks, rate):
    """The share of attacks that pass at that threshold."""
    return float(np.mean(attacks >= threshold_at(live, rate))) if len(attacks) else math.nan


def wilson(hits, count, z=1.96):
    """Wilson's 95 % interval of a share."""
    if count == 0:
        return 0.0, 1.0
    share = hits / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    reach = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return max(0.0, middle - reach), min(1.0, middle + reach)
