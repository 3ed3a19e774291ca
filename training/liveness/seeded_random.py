"""Random numbers for the simulator: every picture is determined by its seed."""

import cv2
import numpy as np


class SeededRandom:
    """The random numbers of one picture."""

    def __init__(self, *seed):
        self.rng = np.random.default_rng(seed)

    def between(self, low, high):
        return float(self.rng.uniform(low, high))

    def log_between(self, low, high):
        return float(np.exp(self.rng.uniform(np.log(low), np.log(high))))

    def chance(self, share):
        return bool(self.rng.random() < share)

    def below(self, count):
        return int(self.rng.integers(count))

    def pick(self, items):
        return items[self.below(len(items))]

    def gauss(self, deviation=1.0):
        return float(self.rng.normal(0.0, deviation))

    def noise(self, *shape):
        return self.rng.standard_normal(shape, dtype=np.float32)

    def clouds(self, height, width, coarse, octaves=3):
        """Smooth noise with a standard deviation of about 1, float32 [height, width]; `coarse` is the size of the largest patches in pixels."""
        total, weight = np.zeros((height, width), np.float32), 0.0
        for octave in range(octaves):
            patch = max(1.0, coarse / 2**octave)
            rows, columns = int(height / patch) + 3, int(width / patch) + 3
            layer = cv2.resize(self.noise(rows, columns), (width, height), interpolation=cv2.INTER_CUBIC)
            total += layer * 0.6**octave
            weight += 0.36**octave
        return total / np.sqrt(weight)
