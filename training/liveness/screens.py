"""Displays: sub-pixels, light leakage, flicker, reflections."""

import cv2
import numpy as np

# Each display: its sub-pixel layout, the range of its pixel pitch in pixels of the taken picture, the kind of its body.
SCREENS = {
    "phone-oled": ("pentile", (0.25, 0.8), "phone"),
    "phone-lcd": ("stripes", (0.25, 0.9), "phone"),
    "tablet-lcd": ("stripes", (0.4, 1.3), "tablet"),
    "laptop-lcd": ("stripes", (0.6, 2.0), "laptop"),
    "monitor-lcd": ("stripes", (0.9, 3.0), "laptop"),
    "tablet-oled": ("pentile", (0.35, 1.2), "tablet"),
}


def shown(light, at, scale, screen, random):
    """The light that a display emits. As in `prints.printed`, `at` is each pixel's position on it and `scale` the number of
    pixels of `light` for one of the taken picture."""
    layout, (low, high), _ = SCREENS[screen]
    height, width = light.shape[:2]
    gamma = random.between(0.85, 1.2)
    out = np.clip(light, 0, 1) ** gamma
    mean = out.mean(axis=2, keepdims=True)
    out = np.clip(mean + (out - mean) * random.between(0.8, 1.35), 0, 1.2)
    out = out * np.array([np.exp(random.gauss(0.06)), 1.0, np.exp(random.gauss(0.08) + 0.05)], np.float32)
    pitch = random.log_between(low, high) * scale
    # Contrast that the optics and the pixel aperture leave of a pattern of this pitch.
    optics = random.between(0.16, 0.36) * scale
    contrast = np.exp(-0.5 * (2 * np.pi * optics / pitch) ** 2)
    if contrast > 0.004:
        out = out * _grid(at, pitch, layout, contrast, random)
    # Seen at an angle, a panel gets darker or its black gets grey.
    slope = np.linspace(-1, 1, width, dtype=np.float32)[None, :] * random.gauss(0.1)
    slope = slope + np.linspace(-1, 1, height, dtype=np.float32)[:, None] * random.gauss(0.1)
    leak = (0.0006 if layout == "pentile" else random.log_between(0.001, 0.012)) * (1 + random.between(0, 1))
    out = (out * (1 + slope[..., None]) + leak) * random.between(0.7, 1.0)
    if random.chance(0.2):
        # The backlight flickers while a rolling shutter reads the rows.
        wave = np.sin(np.arange(height, dtype=np.float32) * (2 * np.pi / (random.between(20, 160) * scale)) + random.between(0, 6))
        out = out * (1 + random.between(0.02, 0.14) * wave)[:, None, None]
    return out.astype(np.float32)


def _grid(at, pitch, layout, contrast, random):
    """Modulation by the sub-pixels, with a mean of 1, for each channel."""
    u, v = (x * np.float32(2 * np.pi / pitch) for x in at)
    depth = min(1.0, 1.25 * contrast) * random.between(0.5, 1.0)
    rows = 1 + 0.45 * depth * np.cos(v)
    grid = np.empty((*u.shape, 3), np.float32)
    if layout == "stripes":
        for channel in range(3):
            grid[..., channel] = rows * (1 + 0.85 * depth * np.cos(u - channel * (2 * np.pi / 3)))
    else:
        # PenTile: green at every pixel, red and blue at every other one, in a diamond pattern.
        grid[..., 1] = 1 + 0.6 * depth * np.cos(u) * np.cos(v) + 0.4 * depth * np.cos(v)
        half = 0.5 * (u + v), 0.5 * (u - v)
        grid[..., 0] = 1 + 0.8 * depth * np.cos(half[0]) * np.cos(half[1])
        grid[..., 2] = 1 - 0.8 * depth * np.cos(half[0]) * np.cos(half[1])
    return np.maximum(grid, 0)


def reflections(height, width, random):
    """Light of the room reflected by glass, [h, w, 3]; smooth, so it is rendered at a quarter of the size."""
    small = _reflections(height // 4 + 1, width // 4 + 1, random)
    return cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)


def _reflections(height, width, random):
    room = random.log_between(0.002, 0.05)
    glow = room * (1 + 0.5 * random.clouds(height, width, width / 2, 2))[..., None]
    glow = np.repeat(np.maximum(glow, 0), 3, axis=2).astype(np.float32)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    for _ in range(random.below(3)):
        cx, cy = random.between(0, width), random.between(0, height)
        rx, ry = random.log_between(0.03, 0.4) * width, random.log_between(0.03, 0.4) * height
        power = random.pick([2.0, 6.0])
        away = np.abs((x - cx) / rx) ** power + np.abs((y - cy) / ry) ** power
        tint = np.array([1.0, random.between(0.85, 1.05), random.between(0.7, 1.15)], np.float32)
        glow += random.log_between(0.01, 0.35) * np.exp(-away)[..., None] * tint
    return glow
