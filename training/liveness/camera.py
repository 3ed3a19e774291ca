"""The simulated camera: linear light in, bytes out. Live faces and attacks pass through the same cameras."""

import cv2
import numpy as np

import light as lit

# From an old webcam to a phone of today: share of the pictures, then ranges of blur in pixels, of noise at mid grey (of 255)
# and of JPEG quality.
KINDS = {
    "webcam-old": (0.27, (0.6, 1.6), (2.0, 9.0), (35, 80)),
    "webcam": (0.27, (0.4, 1.1), (1.0, 5.0), (55, 92)),
    "phone-old": (0.2, (0.3, 0.9), (0.8, 4.0), (70, 94)),
    "phone": (0.26, (0.15, 0.6), (0.2, 1.8), (82, 98)),
}


def draw(random):
    """Draws a kind of camera, by its share."""
    at = random.between(0, 1)
    for kind, (share, *_) in KINDS.items():
        if at < share:
            return kind
        at -= share
    return "phone"


def take(light, kind, random):
    """Linear light [h, w, 3] to bytes [h, w, 3]: lens, exposure, white balance, noise, tone curve, processing, JPEG."""
    _, blurs, noises, qualities = KINDS[kind]
    height, width = light.shape[:2]
    light = lit.blurred(light, random.between(*blurs))
    if random.chance(0.15):
        light = _shaken(light, random)
    if random.chance(0.5):
        light = light * _vignette(height, width, random)
    # Centre-weighted metering, with the errors that cameras make.
    middle = light[height // 4 : 3 * height // 4, width // 4 : 3 * width // 4]
    level = max(float(np.mean(lit.grey(middle))), 0.004)
    light = light * (random.log_between(0.11, 0.36) / level)
    # Lens flare lifts black a little, whatever the subject.
    light = light + random.between(0, 0.035) * random.between(0, 1)
    spread = 0.16 if kind.startswith("webcam") else 0.08
    light = light * np.array([np.exp(random.gauss(spread)), 1.0, np.exp(random.gauss(spread))], np.float32)
    noise = random.between(*noises) / 255.0
    if noise > 0.002:
        shot = np.sqrt(np.clip(light, 0, 1) * 0.2 + 0.004)
        grain = random.noise(height, width, 3)
        if random.chance(0.6):
            # Demosaicing and denoising leave correlated grain.
            grain = cv2.GaussianBlur(grain, (0, 0), random.between(0.4, 0.9)) * 1.8
        light = light + grain * shot * noise * 2.2
    # Highlights roll off in some cameras and clip in others.
    if random.chance(0.5):
        knee = random.between(0.6, 0.9)
        over = np.maximum(light - knee, 0)
        light = np.minimum(light, knee) + (1 - knee) * (1 - np.exp(-over / (1 - knee)))
    picture = lit.encoded(light)
    contrast, bend = random.between(0.82, 1.22), random.gauss(0.07)
    tone = picture / 255.0
    picture = 255.0 * np.clip((tone - 0.5) * contrast + 0.5 + bend * tone * (1 - tone) * 4, 0, 1)
    saturation = random.between(0.55, 1.3)
    mean = picture.mean(axis=2, keepdims=True)
    picture = mean + (picture - mean) * saturation
    if random.chance(0.55):
        amount, sigma = random.between(0.2, 1.4), random.between(0.6, 1.6)
        picture = picture + amount * (picture - cv2.GaussianBlur(picture, (0, 0), sigma))
    picture = np.clip(picture + 0.5, 0, 255).astype(np.uint8)
    if kind == "webcam-old" and random.chance(0.4) and min(height, width) > 90:
        # A small sensor whose driver scales the picture up.
        share = random.between(0.5, 0.85)
        small = cv2.resize(picture, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        picture = cv2.resize(small, (width, height), interpolation=random.pick([cv2.INTER_LINEAR, cv2.INTER_CUBIC]))
    if random.chance(0.12):
        picture = cv2.bilateralFilter(picture, 5, random.between(8, 30), 2.0)
    picture = lit.jpeg(picture, random.between(*qualities), random.chance(0.8))
    if random.chance(0.15):
        picture = lit.jpeg(picture, random.between(60, 95))
    return picture


def _shaken(light, random):
    """Camera shake: motion blur along a random direction."""
    length = int(random.between(2, 6))
    kernel = np.zeros((2 * length + 1, 2 * length + 1), np.float32)
    angle = random.between(0, np.pi)
    reach = 0.5 * length
    ends = [(int(round(length + s * reach * np.cos(angle))), int(round(length + s * reach * np.sin(angle)))) for s in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0, 1)
    return cv2.filter2D(light, -1, kernel / kernel.sum())


def _vignette(height, width, random):
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    away = ((x / width - random.between(0.4, 0.6)) ** 2 + (y / height - random.between(0.4, 0.6)) ** 2) * 2
    return (1 - random.between(0, 0.35) * away)[..., None].astype(np.float32)
