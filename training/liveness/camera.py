"""The camera: light in, bytes out. Live faces and attacks pass through the same one."""

import cv2
import numpy as np

import light as lit

# Old webcam to phone of today: share, blur in pixels, noise at mid grey (of 255), JPEG quality.
KINDS = {
    "webcam-old": (0.27, (0.6, 1.6), (2.0, 9.0), (35, 80)),
    "webcam": (0.27, (0.4, 1.1), (1.0, 5.0), (55, 92)),
    "phone-old": (0.2, (0.3, 0.9), (0.8, 4.0), (70, 94)),
    "phone": (0.26, (0.15, 0.6), (0.2, 1.8), (82, 98)),
}


def draw(dice):
    """A kind of camera, by its share."""
    at = dice.between(0, 1)
    for kind, (share, *_) in KINDS.items():
        if at < share:
            return kind
        at -= share
    return "phone"


def take(light, kind, dice):
    """Light [h, w, 3] to bytes [h, w, 3]: lens, exposure, white balance, noise, tone, processing, JPEG."""
    _, blurs, noises, qualities = KINDS[kind]
    height, width = light.shape[:2]
    light = lit.blurred(light, dice.between(*blurs))
    if dice.chance(0.15):
        light = _moved(light, dice)
    if dice.chance(0.5):
        light = light * _vignette(height, width, dice)
    # Metered like cameras do, wrong like cameras are.
    middle = light[height // 4 : 3 * height // 4, width // 4 : 3 * width // 4]
    level = max(float(np.mean(lit.grey(middle))), 0.004)
    light = light * (dice.log_between(0.11, 0.36) / level)
    # Glare in the lens lifts black a little, for every subject.
    light = light + dice.between(0, 0.035) * dice.between(0, 1)
    spread = 0.16 if kind.startswith("webcam") else 0.08
    light = light * np.array([np.exp(dice.gauss(spread)), 1.0, np.exp(dice.gauss(spread))], np.float32)
    noise = dice.between(*noises) / 255.0
    if noise > 0.002:
        shot = np.sqrt(np.clip(light, 0, 1) * 0.2 + 0.004)
        grain = dice.noise(height, width, 3)
        if dice.chance(0.6):
            # Demosaicing and denoising leave grain that hangs together.
            grain = cv2.GaussianBlur(grain, (0, 0), dice.between(0.4, 0.9)) * 1.8
        light = light + grain * shot * noise * 2.2
    # Highlights roll off in some cameras and clip in others.
    if dice.chance(0.5):
        knee = dice.between(0.6, 0.9)
        over = np.maximum(light - knee, 0)
        light = np.minimum(light, knee) + (1 - knee) * (1 - np.exp(-over / (1 - knee)))
    picture = lit.encoded(light)
    contrast, bend = dice.between(0.82, 1.22), dice.gauss(0.07)
    tone = picture / 255.0
    picture = 255.0 * np.clip((tone - 0.5) * contrast + 0.5 + bend * tone * (1 - tone) * 4, 0, 1)
    saturation = dice.between(0.55, 1.3)
    mean = picture.mean(axis=2, keepdims=True)
    picture = mean + (picture - mean) * saturation
    if dice.chance(0.55):
        amount, sigma = dice.between(0.2, 1.4), dice.between(0.6, 1.6)
        picture = picture + amount * (picture - cv2.GaussianBlur(picture, (0, 0), sigma))
    picture = np.clip(picture + 0.5, 0, 255).astype(np.uint8)
    if kind == "webcam-old" and dice.chance(0.4) and min(height, width) > 90:
        # A small sensor, blown up by its driver.
        share = dice.between(0.5, 0.85)
        small = cv2.resize(picture, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        picture = cv2.resize(small, (width, height), interpolation=dice.pick([cv2.INTER_LINEAR, cv2.INTER_CUBIC]))
    if dice.chance(0.12):
        picture = cv2.bilateralFilter(picture, 5, dice.between(8, 30), 2.0)
    picture = lit.jpeg(picture, dice.between(*qualities), dice.chance(0.8))
    if dice.chance(0.15):
        picture = lit.jpeg(picture, dice.between(60, 95))
    return picture


def _moved(light, dice):
    """Shaken in the hand."""
    length = int(dice.between(2, 6))
    kernel = np.zeros((2 * length + 1, 2 * length + 1), np.float32)
    angle = dice.between(0, np.pi)
    reach = 0.5 * length
    ends = [(int(round(length + s * reach * np.cos(angle))), int(round(length + s * reach * np.sin(angle)))) for s in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0, 1)
    return cv2.filter2D(light, -1, kernel / kernel.sum())


def _vignette(height, width, dice):
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    away = ((x / width - dice.between(0.4, 0.6)) ** 2 + (y / height - dice.between(0.4, 0.6)) ** 2) * 2
    return (1 - dice.between(0, 0.35) * away)[..., None].astype(np.float32)
