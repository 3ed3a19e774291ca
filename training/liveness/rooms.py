"""Backgrounds behind people, sheets and displays. Live faces and attacks have the same distribution of backgrounds."""

import cv2
import numpy as np

import light as lit


def room(height, width, random, photos=()):
    """A background as linear light [h, w, 3]: a drawn wall, or a strongly blurred piece of one of `photos`."""
    if photos and random.chance(0.3):
        back = _out_of_focus(height, width, random.pick(photos), random)
    else:
        back = _wall(height, width, random)
    level = random.log_between(0.3, 1.4)
    slope = np.linspace(-1, 1, width, dtype=np.float32)[None, :, None] * random.gauss(0.2)
    return np.maximum(back * level * (1 + slope), 0).astype(np.float32)


def _out_of_focus(height, width, photo, random):
    rows, columns = photo.shape[:2]
    h, w = max(8, int(rows * random.between(0.1, 0.4))), max(8, int(columns * random.between(0.1, 0.4)))
    top, left = random.below(rows - h + 1), random.below(columns - w + 1)
    piece = lit.linear(photo[top : top + h, left : left + w])
    piece = cv2.resize(lit.blurred(piece, 0.04 * w), (width, height), interpolation=cv2.INTER_CUBIC)
    return piece[:, ::-1] if random.chance(0.5) else piece


def _colour(random, low, high, spread=0.25):
    level = random.log_between(low, high)
    return np.array([level * np.exp(random.gauss(spread)) for _ in range(3)], np.float32)


def _wall(height, width, random):
    back = np.empty((height, width, 3), np.float32)
    back[:] = _colour(random, 0.06, 0.75, 0.15)
    if random.chance(0.5):
        back *= (1 + random.between(0.02, 0.2) * random.clouds(height, width, random.between(0.1, 1.0) * width, 3))[..., None]
    for _ in range(random.below(9)):
        _add_object(back, random)
    back = lit.blurred(back, random.log_between(0.3, 0.02 * width + 0.4))
    return np.maximum(back, 0)


def _add_object(back, random):
    """Adds a window, a picture, a bookshelf, a lamp, a door or a display that is switched off."""
    height, width = back.shape[:2]
    colour = _colour(random, 0.01, 1.2, 0.4)
    x, y = random.between(-0.2, 1.0) * width, random.between(-0.2, 1.0) * height
    w, h = random.log_between(0.04, 0.9) * width, random.log_between(0.04, 0.9) * height
    kind = random.below(5)
    corners = np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]])
    corners += random.rng.normal(0, 0.01 * width, (4, 2)) if random.chance(0.5) else 0
    points = np.round(corners * 16).astype(np.int32)
    if kind <= 1:
        cv2.fillConvexPoly(back, points, colour.tolist(), cv2.LINE_AA, 4)
    elif kind == 2:
        cv2.fillConvexPoly(back, points, colour.tolist(), cv2.LINE_AA, 4)
        frame = max(1, int(random.between(0.004, 0.04) * width))
        cv2.polylines(back, [points], True, _colour(random, 0.005, 0.9).tolist(), frame, cv2.LINE_AA, 4)
    elif kind == 3:
        axes = int(abs(w) / 2) + 1, int(abs(h) / 2) + 1
        cv2.ellipse(back, (int(x), int(y)), axes, random.between(0, 180), 0, 360, colour.tolist(), -1, cv2.LINE_AA)
    else:
        step = random.between(0.02, 0.12) * width
        for number in range(int(w / step)):
            at = int(x + number * step)
            book = _colour(random, 0.01, 0.6, 0.5).tolist()
            cv2.rectangle(back, (at, int(y)), (int(at + step * 0.9), int(y + 0.25 * height)), book, -1)
