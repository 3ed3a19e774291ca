"""Printers and paper: how a picture looks when it is printed."""

import cv2
import numpy as np

# Each printer: its halftone screen, its inks, and the range of its dot pitch in pixels of the taken picture.
PRINTERS = {
    "laser-colour": ("clustered", "cmyk", (0.8, 3.2)),
    "laser-grey": ("clustered", "k", (0.9, 3.4)),
    "magazine": ("clustered", "cmyk", (0.7, 2.0)),
    "inkjet-plain": ("scattered", "cmyk", (0.45, 1.6)),
    "inkjet-photo": ("scattered", "cmy", (0.3, 0.8)),
    "dye": ("none", "cmy", (1.0, 1.0)),
    "lab": ("none", "cmy", (1.0, 1.0)),
}
_ANGLES = {"c": 15.0, "m": 75.0, "y": 0.0, "k": 45.0}
_TILE = None


def _tile():
    """Blue noise, uniform from 0 to 1, [256, 256, 4]: thresholds for dispersed dots."""
    global _TILE
    if _TILE is None:
        noise = np.random.default_rng(3).standard_normal((256, 256, 4)).astype(np.float32)
        wide = np.concatenate([noise] * 3, axis=0)
        wide = np.concatenate([wide] * 3, axis=1)
        high = (wide - cv2.GaussianBlur(wide, (0, 0), 1.2))[256:512, 256:512]
        ranks = high.reshape(-1, 4).argsort(axis=0).argsort(axis=0)
        _TILE = (ranks / (256.0 * 256.0)).astype(np.float32).reshape(256, 256, 4)
    return _TILE


def printed(light, at, scale, printer, random):
    """Reflectance of a print.

    `light` [h, w, 3] is the artwork as it lies in the frame, `at` = (u, v) each pixel's position on the sheet in the same
    unit, `scale` the number of pixels of `light` for one of the taken picture. Returns the paper and whether it is glossy.
    """
    screen, inks, (low, high) = PRINTERS[printer]
    glossy = printer in ("dye", "lab", "inkjet-photo", "magazine")
    white = random.between(0.78, 0.95) * np.array([1.0, random.between(0.97, 1.01), random.between(0.88, 1.06)], np.float32)
    black = random.between(0.012, 0.05) if glossy else random.between(0.035, 0.11)
    if inks == "k":
        light = np.repeat((light @ np.array([0.2126, 0.7152, 0.0722], np.float32))[..., None], 3, axis=2)
    # The printer driver changes contrast and saturation, and has a colour cast.
    tone = np.clip(light, 0, 1) ** random.between(0.8, 1.3)
    mean = tone.mean(axis=2, keepdims=True)
    tone = np.clip(mean + (tone - mean) * random.between(0.65, 1.15), 0, 1)
    cast = np.array([np.exp(random.gauss(0.07)), np.exp(random.gauss(0.04)), np.exp(random.gauss(0.09))], np.float32)
    tone = np.clip(tone * cast, 0, 1)
    pitch = random.log_between(low, high) * scale
    if screen == "clustered":
        tone = _clustered(tone, at, pitch, scale, inks, random)
    elif screen == "scattered":
        tone = _scattered(tone, at, pitch, scale, inks)
        if random.chance(0.4):
            # Banding between the passes of the print head.
            wave = np.sin(at[random.below(2)] * (2 * np.pi / (random.between(5, 30) * scale)) + random.between(0, 6))
            tone = tone * (1 - random.between(0.01, 0.05) * (wave > random.between(-0.5, 0.9)))[..., None]
    paper = black + tone * (white - black)
    height, width = light.shape[:2]
    fibre = random.between(0.002, 0.008) if glossy else random.between(0.005, 0.03)
    paper = paper * (1 + fibre * random.clouds(height, width, random.between(2, 8) * scale, 2))[..., None]
    return paper.astype(np.float32), glossy


def _clustered(tone, at, pitch, scale, inks, random):
    """Amplitude-modulated halftone: one screen for each ink, at the usual screen angles."""
    u, v = at
    cover = 1 - np.sqrt(tone)
    turn = random.between(0, 90)
    # Dots have visible edges only where they are large compared with a pixel.
    soft = 0.16 + 0.35 * scale / pitch
    out = np.ones_like(tone)
    names = "k" if inks == "k" else inks
    key = cover.min(axis=2) * 0.7 if "k" in names and names != "k" else None
    for ink in names:
        angle = np.radians(_ANGLES[ink] + turn)
        a = (u * np.cos(angle) + v * np.sin(angle)) * (2 * np.pi / pitch)
        b = (v * np.cos(angle) - u * np.sin(angle)) * (2 * np.pi / pitch)
        spot = 0.5 + 0.25 * (np.cos(a) + np.cos(b))
        if names == "k":
            share = cover[..., 0]
        elif ink == "k":
            share = key
        else:
            share = cover[..., "cmy".index(ink)]
            share = share if key is None else np.clip((share - key) / (1 - key + 1e-3), 0, 1)
        dots = np.clip((share - spot) / soft + 0.5, 0, 1) if soft < 1 else share
        # The screen must not change the mean tone.
        dots = dots + cv2.blur(share - dots, (int(2 * pitch) | 1,) * 2)
        keep = np.clip(1 - dots, 0, 1) ** 2
        if ink == "k":
            out = out * keep[..., None]
        else:
            out[..., "cmy".index(ink)] *= keep
            for other in range(3):
                if other != "cmy".index(ink):
                    out[..., other] *= 1 - 0.08 * (1 - keep)
    return out


def _scattered(tone, at, pitch, scale, inks):
    """Frequency-modulated halftone: droplets by blue-noise thresholds."""
    u, v = (np.floor(x / pitch).astype(np.int32) & 255 for x in at)
    thresholds = _tile()[v, u]
    cover = 1 - np.sqrt(tone)
    hard = float(np.clip(pitch / scale * 0.75, 0.1, 0.9))
    out = np.ones_like(tone)
    for channel in range(3):
        drop = (cover[..., channel] > thresholds[..., channel]).astype(np.float32)
        mixed = cover[..., channel] * (1 - hard) + drop * hard
        out[..., channel] = (1 - mixed) ** 2
    return out
