"""Displays: sub-pixels, light that leaks, reflections."""

import cv2
import numpy as np

# Each display: how its sub-pixels lie, the range of its pixels in pixels of the taken picture, how it is framed.
SCREENS = {
    "phone-oled": ("pentile", (0.25, 0.8), "phone"),
    "phone-lcd": ("stripes", (0.25, 0.9), "phone"),
    "tablet-lcd": ("stripes", (0.4, 1.3), "tablet"),
    "laptop-lcd": ("stripes", (0.6, 2.0), "laptop"),
    "monitor-lcd": ("stripes", (0.9, 3.0), "laptop"),
    "tablet-oled": ("pentile", (0.35, 1.2), "tablet"),
}


def shown(light, at, scale, screen, dice):
    """What a display emits; as in `prints.printed`, `at` is each pixel's place on it and `scale` the pixels of `light` to
    one of the taken picture."""
    layout, (low, high), _ = SCREENS[screen]
    height, width = light.shape[:2]
    gamma = dice.between(0.85, 1.2)
    out = np.clip(light, 0, 1) ** gamma
    mean = out.mean(axis=2, keepdims=True)
    out = np.clip(mean + (out - mean) * dice.between(0.8, 1.35), 0, 1.2)
    out = out * np.array([np.exp(dice.gauss(0.06)), 1.0, np.exp(dice.gauss(0.08) + 0.05)], np.float32)
    pitch = dice.log_between(low, high) * scale
    # What lens and pixel leave of a pattern of this pitch.
    optics = dice.between(0.16, 0.36) * scale
    contrast = np.exp(-0.5 * (2 * np.pi * optics / pitch) ** 2)
    if contrast > 0.004:
        out = out * _grid(at, pitch, layout, contrast, dice)
    # Seen from the side a panel darkens, or its black turns grey.
    slope = np.linspace(-1, 1, width, dtype=np.float32)[None, :] * dice.gauss(0.1)
    slope = slope + np.linspace(-1, 1, height, dtype=np.float32)[:, None] * dice.gauss(0.1)
    leak = (0.0006 if layout == "pentile" else dice.log_between(0.001, 0.012)) * (1 + dice.between(0, 1))
    out = (out * (1 + slope[..., None]) + leak) * dice.between(0.7, 1.0)
    if dice.chance(0.2):
        # The backlight flickers while the sensor reads its rows.
        wave = np.sin(np.arange(height, dtype=np.float32) * (2 * np.pi / (dice.between(20, 160) * scale)) + dice.between(0, 6))
        out = out * (1 + dice.between(0.02, 0.14) * wave)[:, None, None]
    return out.astype(np.float32)


def _grid(at, pitch, layout, contrast, dice):
    """Brightness of the sub-pixels about 1, for each channel."""
    u, v = (x * np.float32(2 * np.pi / pitch) for x in at)
    depth = min(1.0, 1.25 * contrast) * dice.between(0.5, 1.0)
    rows = 1 + 0.45 * depth * np.cos(v)
    grid = np.empty((*u.shape, 3), np.float32)
    if layout == "stripes":
        for channel in range(3):
            grid[..., channel] = rows * (1 + 0.85 * depth * np.cos(u - channel * (2 * np.pi / 3)))
    else:
        # Green at every pixel, red and blue at every other, on a diamond.
        grid[..., 1] = 1 + 0.6 * depth * np.cos(u) * np.cos(v) + 0.4 * depth * np.cos(v)
        half = 0.5 * (u + v), 0.5 * (u - v)
        grid[..., 0] = 1 + 0.8 * depth * np.cos(half[0]) * np.cos(half[1])
        grid[..., 2] = 1 - 0.8 * depth * np.cos(half[0]) * np.cos(half[1])
    return np.maximum(grid, 0)


def reflections(height, width, dice):
    """Light of the room on glass, [h, w, 3]; smooth, so it is drawn small."""
    small = _reflections(height // 4 + 1, width // 4 + 1, dice)
    return cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)


def _reflections(height, width, dice):
    room = dice.log_between(0.002, 0.05)
    glow = room * (1 + 0.5 * dice.clouds(height, width, width / 2, 2))[..., None]
    glow = np.repeat(np.maximum(glow, 0), 3, axis=2).astype(np.float32)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    for _ in range(dice.below(3)):
        cx, cy = dice.between(0, width), dice.between(0, height)
        rx, ry = dice.log_between(0.03, 0.4) * width, dice.log_between(0.03, 0.4) * height
        power = dice.pick([2.0, 6.0])
        away = np.abs((x - cx) / rx) ** power + np.abs((y - cy) / ry) ** power
        tint = np.array([1.0, dice.between(0.85, 1.05), dice.between(0.7, 1.15)], np.float32)
        glow += dice.log_between(0.01, 0.35) * np.exp(-away)[..., None] * tint
    return glow
