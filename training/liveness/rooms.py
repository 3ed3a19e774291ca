"""What is seen behind people, sheets and displays. Live faces and attacks draw from the same rooms."""

import cv2
import numpy as np

import light as lit


def room(height, width, dice, photos=()):
    """Light [h, w, 3]. `photos` are the sources, of which a strongly blurred piece may serve."""
    if photos and dice.chance(0.3):
        back = _out_of_focus(height, width, dice.pick(photos), dice)
    else:
        back = _wall(height, width, dice)
    level = dice.log_between(0.3, 1.4)
    slope = np.linspace(-1, 1, width, dtype=np.float32)[None, :, None] * dice.gauss(0.2)
    return np.maximum(back * level * (1 + slope), 0).astype(np.float32)


def _out_of_focus(height, width, photo, dice):
    rows, columns = photo.shape[:2]
    h, w = max(8, int(rows * dice.between(0.1, 0.4))), max(8, int(columns * dice.between(0.1, 0.4)))
    top, left = dice.below(rows - h + 1), dice.below(columns - w + 1)
    piece = lit.linear(photo[top : top + h, left : left + w])
    piece = cv2.resize(lit.blurred(piece, 0.04 * w), (width, height), interpolation=cv2.INTER_CUBIC)
    return piece[:, ::-1] if dice.chance(0.5) else piece


def _colour(dice, low, high, spread=0.25):
    level = dice.log_between(low, high)
    return np.array([level * np.exp(dice.gauss(spread)) for _ in range(3)], np.float32)


def _wall(height, width, dice):
    back = np.empty((height, width, 3), np.float32)
    back[:] = _colour(dice, 0.06, 0.75, 0.15)
    if dice.chance(0.5):
        back *= (1 + dice.between(0.02, 0.2) * dice.clouds(height, width, dice.between(0.1, 1.0) * width, 3))[..., None]
    for _ in range(dice.below(9)):
        _thing(back, dice)
    back = lit.blurred(back, dice.log_between(0.3, 0.02 * width + 0.4))
    return np.maximum(back, 0)


def _thing(back, dice):
    """A window, a picture, a shelf, a lamp, a door, a display that is switched off."""
    height, width = back.shape[:2]
    colour = _colour(dice, 0.01, 1.2, 0.4)
    x, y = dice.between(-0.2, 1.0) * width, dice.between(-0.2, 1.0) * height
    w, h = dice.log_between(0.04, 0.9) * width, dice.log_between(0.04, 0.9) * height
    kind = dice.below(5)
    corners = np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]])
    corners += dice.rng.normal(0, 0.01 * width, (4, 2)) if dice.chance(0.5) else 0
    points = np.round(corners * 16).astype(np.int32)
    if kind <= 1:
        cv2.fillConvexPoly(back, points, colour.tolist(), cv2.LINE_AA, 4)
    elif kind == 2:
        cv2.fillConvexPoly(back, points, colour.tolist(), cv2.LINE_AA, 4)
        frame = max(1, int(dice.between(0.004, 0.04) * width))
        cv2.polylines(back, [points], True, _colour(dice, 0.005, 0.9).tolist(), frame, cv2.LINE_AA, 4)
    elif kind == 3:
        axes = int(abs(w) / 2) + 1, int(abs(h) / 2) + 1
        cv2.ellipse(back, (int(x), int(y)), axes, dice.between(0, 180), 0, 360, colour.tolist(), -1, cv2.LINE_AA)
    else:
        step = dice.between(0.02, 0.12) * width
        for number in range(int(w / step)):
            at = int(x + number * step)
            book = _colour(dice, 0.01, 0.6, 0.5).tolist()
            cv2.rectangle(back, (at, int(y)), (int(at + step * 0.9), int(y + 0.25 * height)), book, -1)
