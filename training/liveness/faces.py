"""Face detection as the server does it: BlazeFace of the imported pack, decoded as in crates/vision/src/detect.rs."""

import numpy as np
from PIL import Image

_MAPS = [(16, 2, 16.0), (8, 6, 32.0)]


def detect(net, picture, fit=1.0):
    """The face with the highest score in bytes [h, w, 3]: (score, box [4], points [6, 2]) in pixels, or None.

    The picture is letterboxed into the share `fit` of the input; overlapping anchors are averaged (weighted NMS).
    """
    height, width = picture.shape[:2]
    scale = min(256 * fit / width, 256 * fit / height)
    inner = max(1, round(width * scale)), max(1, round(height * scale))
    small = np.asarray(Image.fromarray(picture).resize(inner, Image.BILINEAR), np.float32)
    left, top = (256 - inner[0]) // 2, (256 - inner[1]) // 2
    tensor = np.full((256, 256, 3), -1.0, np.float32)
    tensor[top : top + inner[1], left : left + inner[0]] = small / 127.5 - 1
    answers = {a.size: a.reshape(-1) for a in net.run(None, {"input": tensor.transpose(2, 0, 1)[None].copy()})}
    found = []
    for cells, anchors, pixels in _MAPS:
        count = cells * cells * anchors
        scores = 1 / (1 + np.exp(-np.clip(answers[count], -60, 60)))
        values = answers[count * 16].reshape(count, 16)
        for at in np.flatnonzero(scores >= 0.5):
            cell = at // anchors
            anchor = np.array([(cell % cells + 0.5) * pixels, (cell // cells + 0.5) * pixels])
            centre, half = values[at, :2] + anchor, values[at, 2:4] / 2
            corners = np.stack([centre - half, centre + half, *(values[at, 4:].reshape(6, 2) + anchor)])
            found.append((scores[at], (corners - [left, top]) / scale))
    if not found:
        return None
    found.sort(key=lambda face: -face[0])
    best = found[0][1]
    same = [face for face in found if _iou(best, face[1]) > 0.3]
    weights = np.array([face[0] for face in same])
    mean = np.tensordot(weights, np.stack([face[1] for face in same]), 1) / weights.sum()
    return float(found[0][0]), mean[:2].reshape(4), mean[2:]


def surest(net, picture):
    """Like the server: detects once, and again with padding around the picture where the face is large or none was found."""
    first = detect(net, picture)
    if first is not None and max(first[1][2] - first[1][0], first[1][3] - first[1][1]) < 0.5 * max(picture.shape[:2]):
        return first
    return detect(net, picture, 0.6) or first


def _iou(a, b):
    low, high = np.maximum(a[0], b[0]), np.minimum(a[1], b[1])
    both = np.prod(np.maximum(high - low, 0))
    area = lambda box: np.prod(box[1] - box[0])
    return both / max(area(a) + area(b) - both, 1e-9)


def crop(picture, box, scale, side=96):
    """The crop rule `box` of crates/vision/src/crop.rs: a square around the box's centre, black outside the picture, bytes
    [side, side, 3]."""
    centre = np.array([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2])
    reach = max(box[2] - box[0], box[3] - box[1]) * scale / 2
    step = 2 * reach / side
    if step > 1.5:
        out = reach + 2 * step
        low = np.clip(np.floor(centre - out), 0, [picture.shape[1], picture.shape[0]]).astype(int)
        high = np.clip(np.ceil(centre + out), 0, [picture.shape[1], picture.shape[0]]).astype(int)
        size = np.round((high - low) / step).astype(int)
        if (size > 0).all():
            part = Image.fromarray(picture[low[1] : high[1], low[0] : high[0]])
            share = size / (high - low)
            picture = np.asarray(part.resize(tuple(size), Image.BILINEAR))
            centre, reach = (centre - low) * share, reach * share.mean()
    step = 2 * reach / side
    grid = (np.arange(side, dtype=np.float32) + 0.5) * step - reach - 0.5
    import cv2

    x, y = np.meshgrid(grid + centre[0], grid + centre[1])
    return cv2.remap(picture, x.astype(np.float32), y.astype(np.float32), cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
