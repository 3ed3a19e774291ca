"""The cues of crates/vision/src/liveness, on the pictures that render.py made crops of.

    python cues.py PEOPLE OUT.npz HALF COUNT SEED [FROM]

Renders the whole pictures of a set again, from number FROM on, and measures them. OUT receives `cues` [n, 7], `numbers` and
`crops` (the sum over each picture's crops, which shows whether they are those of the set).

    python cues.py check PICTURES CUES.csv

prints how far these cues are from those that the Rust example `liveness_cues` wrote for the folder PICTURES. That example
takes no picture below 300 pixels, and most rendered pictures are smaller: hence this program.
"""

import csv
import pathlib
import sys

import cv2
import numpy as np

NAMES = ("grid_fine", "grid_coarse", "grid_colour", "grain", "lifted_black", "pale", "rim")
# As in spectrum.rs, frame_edges.rs and colour_range.rs of crates/vision/src/liveness, which give the reasons.
SIDE, AXIS, FLOOR, STRONG = 128, 3, 20.0, 12.5
LONG, SLANTS, SLANT, EDGE = 160, 8, 0.02, 9.0
POINTS = 96

_HANN = (0.5 - 0.5 * np.cos(2 * np.pi * (np.arange(SIDE) + 0.5) / SIDE)).astype(np.float32)
_BIN = (np.arange(SIDE) + SIDE // 2) % SIDE - SIDE // 2
_BIN[SIDE // 2] = SIDE // 2
_RADIUS = np.hypot(*np.meshgrid(_BIN / SIDE, _BIN / SIDE))
_OFF = (np.arange(SIDE) > AXIS) & (np.arange(SIDE) < SIDE - AXIS)
_OFF = _OFF[:, None] & _OFF[None, :]
# One half of the plane: the other half mirrors it.
_HALF = np.arange(SIDE)[:, None] <= SIDE // 2


def measure(picture, box):
    """The seven cues of the face in `box` (left, top, right, bottom) of bytes [h, w, 3]."""
    height, width = picture.shape[:2]
    left, right = np.clip([box[0], box[2]], 0, width)
    top, bottom = np.clip([box[1], box[3]], 0, height)
    face = int((left + right) / 2), int((top + bottom) / 2), max(int(right - left), 8), max(int(bottom - top), 8)
    return np.array([*_spectrum(picture, face), *_tone(picture, face), _rim(picture, face)], np.float32)


def _spectrum(picture, face):
    x, y, wide, tall = face
    height, width = picture.shape[:2]
    step = lambda size: min(max((size - SIDE) // 2, 24), SIDE)
    reach = lambda start, length: min(max(start, 0), max(length - SIDE, 0))
    rows, columns = max(SIDE - height, 0), max(SIDE - width, 0)
    part = np.pad(picture, ((0, rows), (0, columns), (0, 0)), "edge") if rows or columns else picture
    log = np.zeros((2, SIDE, SIDE))
    for row in (-1, 0, 1):
        for column in (-1, 0, 1):
            left = reach(x + column * step(wide) - SIDE // 2, width)
            top = reach(y + row * step(tall) - SIDE // 2, height)
            rgb = part[top : top + SIDE, left : left + SIDE].astype(np.float64)
            tile = rgb @ [0.299, 0.587, 0.114] + 1j * (rgb[..., 0] - rgb[..., 2])
            here = np.fft.fft2((tile - tile.mean()) * _HANN[:, None] * _HANN)
            there = np.roll(here[::-1, ::-1], 1, (0, 1)).conj()
            for at, sum_ in enumerate((here + there, here - there)):
                log[at] += np.log(_box(np.abs(sum_) ** 2 / 4, 1) / 9 + FLOOR)
    light, colour = log / 9
    band = lambda low, high: light[_HALF & _OFF & (_RADIUS >= low) & (_RADIUS < high)].mean()
    low, middle = band(0.05, 0.1), band(0.15, 0.25)
    grain = middle - low - max(STRONG - middle, 0)
    return _peak(light, 0.12, 0.71), _peak(light, 0.05, 0.12), _peak(colour, 0.04, 0.71), grain


def _box(plane, reach):
    """Sums over squares of `2 * reach + 1`, with wrap-around."""
    size = 2 * reach + 1
    return cv2.boxFilter(np.pad(plane, reach, "wrap"), -1, (size, size), normalize=False)[reach:-reach, reach:-reach]


def _peak(log, low, high):
    around = (_box(log, 7) - _box(log, 2)) / (15**2 - 5**2)
    of = _HALF & _OFF & (_RADIUS >= low) & (_RADIUS < high)
    return max(float((log - around)[of].max()), 0.0)


def _tone(picture, face):
    x, y, wide, tall = face
    height, width = picture.shape[:2]
    left, right = max(x - wide, 0), min(x + wide, width - 1)
    top, bottom = max(y - tall, 0), min(y + tall, height - 1)
    across = left + (right - left) * np.arange(POINTS) // POINTS
    down = top + (bottom - top) * np.arange(POINTS) // POINTS
    take = lambda dx, dy: picture[np.minimum(down + dy, height - 1)][:, np.minimum(across + dx, width - 1)].astype(int)
    rgb = sum(take(dx, dy) for dx in (0, 1) for dy in (0, 1)) // 4
    grey = (rgb @ [77, 150, 29]) >> 8
    most, least = rgb.max(2), rgb.min(2)
    skin = (abs(across - x) * 5 < wide * 2)[None, :] & (abs(down - y) * 5 < tall * 2)[:, None] & (most > 40)
    colour = (most - least)[skin] * 255 // most[skin]
    black = _share(grey, 0.02) / max(_share(grey, 0.98), 0.1)
    return min(black, 1.0), 1.0 - _share(colour, 0.95)


def _share(values, share):
    counts = np.bincount(np.ravel(values), minlength=256)
    over = np.flatnonzero(np.cumsum(counts) > int(counts.sum() * share))
    return over[0] / 255 if len(over) else 1.0


def _rim(picture, face):
    height, width = picture.shape[:2]
    shrink = max(-(-max(width, height) // LONG), 1)
    wide, tall, skip = width // shrink, height // shrink, 2 if shrink > 2 else 1
    if min(wide, tall) < 16:
        return 0.0
    blocks = picture[: tall * shrink, : wide * shrink].reshape(tall, shrink, wide, shrink, 3)[:, ::skip, :, ::skip]
    grey = blocks.astype(int).sum((1, 3)) @ [77, 150, 29] / (256 * blocks.shape[1] * blocks.shape[3])
    x, y, w, h = (v / shrink for v in face)
    upright, turned = _steps(grey), _steps(grey.T)
    left = _sides(upright, (0, x - 0.5 * w), (y - 0.8 * h, y + 0.8 * h))
    right = _sides(upright, (x + 0.5 * w, wide), (y - 0.8 * h, y + 0.8 * h))
    above = _sides(turned, (0, y - 0.5 * h), (x - 0.8 * w, x + 0.8 * w))
    below = _sides(turned, (y + 0.6 * h, tall), (x - 0.8 * w, x + 0.8 * w))
    near = lambda values, at: values[max(at - 2, 0) : at + 3].max()
    steps = 2 * SLANTS + 1
    thirds = []
    for at in range(steps):
        back = steps - 1 - at
        thirds.append(sorted([near(left, at), near(right, at), near(above, back), near(below, back)])[1])
    return max(thirds)


def _steps(grey):
    signs = np.zeros(grey.shape, np.int8)
    rise = grey[:, 2:] - grey[:, :-2]
    signs[:, 1:-1] = (rise > EDGE).astype(np.int8) - (rise < -EDGE)
    return signs


def _sides(signs, across, along):
    tall, wide = signs.shape
    first, last = int(max(along[0], 1)), min(int(max(along[1], 0)), tall - 1)
    start, stop = int(max(across[0], 2)), min(int(max(across[1], 0)), wide - 2)
    found = np.zeros(2 * SLANTS + 1)
    if last - first < 8 or start >= stop:
        return found
    rows = np.arange(first, last)
    for at in range(len(found)):
        shift = (at - SLANTS) * SLANT * (rows - (first + last) / 2)
        shift = (np.sign(shift) * np.floor(np.abs(shift) + 0.5)).astype(int)
        columns = np.clip(np.arange(start, stop)[None, :] + shift[:, None], 0, wide - 1)
        lines = signs[rows[:, None], columns]
        found[at] = max((lines > 0).sum(0).max(), (lines < 0).sum(0).max()) / len(rows)
    return found


def check(folder, reference):
    """Largest difference from the cues of the Rust example, which skips small pictures and also writes variations."""
    boxes = {}
    with open(folder / "faces.csv", newline="") as file:
        for row in csv.DictReader(file):
            boxes[row["path"]] = [float(row[name]) for name in ("left", "top", "right", "bottom")]
    with open(reference, newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["variation"] == "as is"]
    ours = np.array([measure(cv2.imread(str(folder / row["path"]))[..., ::-1], boxes[row["path"]]) for row in rows])
    theirs = np.array([[float(row[name]) for name in NAMES] for row in rows])
    print(len(rows), "pictures; largest differences:", dict(zip(NAMES, np.abs(ours - theirs).max(0).round(4).tolist())))


def main():
    if sys.argv[1] == "check":
        return check(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
    import render
    import scene

    folder, out, half, count, seed = pathlib.Path(sys.argv[1]), *sys.argv[2:6]
    cv2.setNumThreads(1)
    pool = scene.PersonPool(render.people(folder, half))
    cues, sums = [], []
    numbers = range(int(sys.argv[6]) if len(sys.argv) > 6 else 0, int(count))
    for number in numbers:
        shot = pool.shoot(render.species_of(number), int(seed) * 1_000_003 + number)
        pair, _ = render.crops(shot, np.random.default_rng([int(seed), number]))
        cues.append(measure(shot.picture, shot.box))
        sums.append(int(pair.astype(np.int64).sum()))
    np.savez(out, cues=np.array(cues), crops=np.array(sums), numbers=np.array(numbers))


if __name__ == "__main__":
    main()
