"""Renders strips of MRZ text as a locator would cut them out of bad photographs.

    python lines.py OUT --shards 90 --seed 1        files OUT/00000.npz ..., 4096 strips each

A strip is 32 x 320 pixels, grey; its label the indices of its characters in the alphabet, plus one, then zeros.
Each file depends on the seed and its own index alone, so any number of processes may make them.
"""

import argparse
import os
import random

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from text import ALPHABET, words

HEIGHT, WIDTH, LONGEST = 32, 320, 24
PITCH = 32  # of the canvas, in pixels
CAPITAL = 30  # height of an H beside that pitch
SHARD = 4096
VIEWS = 2  # strips cut from one drawing
FOLDER = "/usr/share/fonts/"
# The third column is how often: OCR-B as documents have it, its drawn variants, and a little of what the makers
# of specimens and of some states use instead.
FONTS = (
    ("opentype/ocr-b/OCRB.otf", 40),
    ("opentype/ocr-b/OCRBS.otf", 14),
    ("opentype/ocr-b/OCRBL.otf", 14),
    ("opentype/ocr-b/OCRBF.otf", 6),
    ("opentype/ocr-b/OCRBX.otf", 3),
    ("truetype/dejavu/DejaVuSansMono.ttf", 3),
    ("truetype/noto/NotoMono-Regular.ttf", 3),
    ("truetype/liberation/LiberationMono-Regular.ttf", 4),
    ("opentype/urw-base35/NimbusMonoPS-Bold.otf", 3),
    ("truetype/ocr-a/OCRA.ttf", 2),
)


class Face:
    """The glyphs of a font, drawn so that a capital H is as tall as OCR-B's is beside its pitch."""

    def __init__(self, path, capital=CAPITAL):
        box = ImageFont.truetype(path, 100).getbbox("H")
        font = ImageFont.truetype(path, round(100 * CAPITAL / (box[3] - box[1])))
        box = font.getbbox("H")
        self.glyphs = {}
        for character in ALPHABET:
            image = Image.new("L", (3 * PITCH, 3 * PITCH), 0)
            # Centred on the advance, as a line printer does.
            x = 1.5 * PITCH - font.getlength(character) / 2
            y = 1.5 * PITCH - (box[1] + box[3]) / 2
            ImageDraw.Draw(image).text((x, y), character, font=font, fill=255)
            self.glyphs[character] = np.array(image)


def load_faces():
    return [(Face(FOLDER + path), weight) for path, weight in FONTS if os.path.exists(FOLDER + path)]


def put(canvas, glyph, x, y):
    """Lays a glyph's middle on a point of the canvas."""
    h, w = glyph.shape
    left, top = round(x - w / 2), round(y - h / 2)
    a, b = max(0, -top), max(0, -left)
    c, d = min(h, canvas.shape[0] - top), min(w, canvas.shape[1] - left)
    if c > a and d > b:
        part = canvas[top + a : top + c, left + b : left + d]
        np.maximum(part, glyph[a:c, b:d], out=part)


def draw_text(r, face, length):
    """The mask of a line with its neighbours above and below, and what the line says."""
    text = words(r, length)
    width, height = (length + 6) * PITCH, int(5.4 * PITCH)
    mask = np.zeros((height, width), np.uint8)
    jitter = r.choice((0, 0, 0.6, 1.2))
    slant = r.gauss(0, 0.02)
    for i, c in enumerate(text):
        put(mask, face.glyphs[c], (3.5 + i) * PITCH + r.gauss(0, jitter), height / 2 + r.gauss(0, jitter))
    spacing = r.uniform(1.55, 2.7) * PITCH
    for side in (-1, 1):
        if r.random() < 0.65:
            shift = r.choice((0, 0, r.uniform(-0.5, 0.5)))
            for i, c in enumerate(words(r, length + (4 if r.random() < 0.5 else 0))):
                put(mask, face.glyphs[c], (3.5 + i + shift) * PITCH, height / 2 + side * spacing)
    if abs(slant) > 0.005:
        shear = np.float32([[1, slant, -slant * height / 2], [0, 1, 0]])
        mask = cv2.warpAffine(mask, shear, (width, height))
    # Weight and roundness of the stroke: blur, then cut at a level.
    blurred = cv2.GaussianBlur(mask, (0, 0), r.uniform(0.5, 2.1)).astype(np.float32) / 255
    level = float(np.clip(r.gauss(0.46, 0.13), 0.16, 0.72))
    return text, np.clip((blurred - level) * r.uniform(3, 9) + 0.5, 0, 1)


def wear(r, rs, mask):
    """Worn and broken print: pale patches, pinholes, scratches, ribbon stripes."""
    height, width = mask.shape
    if r.random() < 0.35:
        grain = cv2.resize(rs.random((height // r.randint(6, 30) + 2, width // r.randint(6, 30) + 2), np.float32), (width, height))
        mask = mask * np.clip(grain * r.uniform(0.8, 2.2) + r.uniform(0.25, 0.7), 0, 1)
    if r.random() < 0.2:
        for _ in range(r.randint(5, 60)):
            cv2.circle(mask, (r.randrange(width), r.randrange(height)), r.randint(1, 4), r.uniform(0, 0.4), -1)
    if r.random() < 0.12:
        for _ in range(r.randint(1, 4)):
            ends = [(r.randrange(width), r.randrange(height)) for _ in range(2)]
            cv2.line(mask, ends[0], ends[1], r.uniform(0, 0.3), r.randint(1, 3), cv2.LINE_AA)
    if r.random() < 0.06:
        step = r.randint(5, 11)
        mask[r.randrange(step) :: step] *= r.uniform(0.2, 0.7)
    return mask


def paper(r, rs, height, width):
    """Document paper: tone, guilloche, a security raster, stains, the edge of the page and what lies beyond."""
    tone = r.uniform(110, 250)
    ground = np.full((height, width), tone, np.float32)
    if r.random() < 0.75:
        deep = r.uniform(4, 55)
        x = np.arange(0, width, 6)
        bend, frequency, phase = r.uniform(3, 70), r.uniform(0.003, 0.05), r.uniform(0, 6)
        gap = r.uniform(5, 60)
        slope = r.uniform(-0.6, 0.6)
        for k in range(-4, int(height / gap) + 4):
            y = k * gap + slope * x + bend * np.sin(x * frequency + phase + k * r.uniform(0, 0.2))
            points = np.stack([x, y], 1).astype(np.int32).reshape(-1, 1, 2)
            cv2.polylines(ground, [points], False, max(0, tone - deep), r.choice((1, 1, 2, 3)), cv2.LINE_AA)
    if r.random() < 0.4:
        patches = rs.normal(0, r.uniform(3, 25), (height // 40 + 2, width // 40 + 2)).astype(np.float32)
        ground += cv2.resize(patches, (width, height), interpolation=cv2.INTER_CUBIC)
    for _ in range(r.choice((0, 0, 1, 3))):
        cv2.ellipse(ground, (r.randrange(width), r.randrange(height)), (r.randint(20, 200), r.randint(10, 120)),
                    r.uniform(0, 180), 0, 360, float(np.clip(tone + r.uniform(-60, 40), 0, 255)), -1, cv2.LINE_AA)
    if r.random() < 0.15:
        ends = [(r.randrange(width), r.randrange(height)) for _ in range(2)]
        cv2.line(ground, ends[0], ends[1], r.uniform(0, 255), r.randint(2, 12), cv2.LINE_AA)
    return ground, tone


def edge(r, rs, canvas, length):
    """The page may end shortly before or after the line."""
    height, width = canvas.shape
    for x in ((3 - r.uniform(0.35, 2.4)) * PITCH, (3 + length + r.uniform(0.35, 2.4)) * PITCH):
        if r.random() < 0.3:
            x = int(x)
            part = canvas[:, :x] if x < width / 2 else canvas[:, x:]
            part[:] = r.uniform(0, 255) + rs.normal(0, r.uniform(0, 25), part.shape)
            if r.random() < 0.5:
                cv2.line(canvas, (x, 0), (x + r.randint(-6, 6), height), r.uniform(0, 255), r.randint(1, 5), cv2.LINE_AA)


def cut(r, canvas, length, pitch):
    """Cuts the strip out of the canvas as a locator with its errors would: tilt, height, offset, bend, perspective."""
    height, width = canvas.shape
    source = r.choice((r.uniform(6, 11), r.uniform(9, 18), r.uniform(14, 30)))  # pixels a character in the photo
    tall = CAPITAL * float(np.clip(r.gauss(1.62, 0.14), 1.25, 2.2))
    offset = r.gauss(0, 0.08) * CAPITAL
    # A strip is stretched to its height and drawn to its pitch.
    out_w, out_h = max(24, int(WIDTH * source / pitch)), max(6, int(tall * source / PITCH))
    span = WIDTH / pitch * PITCH
    x0 = (3 - (r.uniform(0.05, 0.6) if r.random() < 0.4 else r.uniform(0.1, 2.2))) * PITCH
    u = np.linspace(0, 1, out_w, dtype=np.float32)[None]
    v = np.linspace(-0.5, 0.5, out_h, dtype=np.float32)[:, None]
    tilt = np.tan(np.radians(r.gauss(0, 0.9)))
    # The page bends and leans: the base line is a shallow curve, heights and pitches drift along the line.
    bend = r.gauss(0, 0.05) * CAPITAL if r.random() < 0.5 else 0
    drift = r.gauss(0, 0.03)
    squeeze = r.gauss(0, 0.04)
    wave = bend * (4 * (u - 0.5) ** 2 - 0.5)
    map_x = x0 + span * (u + squeeze * u * (1 - u)) + r.gauss(0, 0.05) * tall * v
    map_y = height / 2 + offset + (u - 0.5) * span * tilt + wave + v * tall * (1 + drift * (u - 0.5) * 2)
    shrink = source * 1.3 / PITCH
    if shrink < 1:
        size = round(width * shrink), round(height * shrink)
        canvas = cv2.resize(canvas, size, interpolation=cv2.INTER_AREA)
        map_x, map_y = map_x * size[0] / width, map_y * size[1] / height
    return cv2.remap(canvas, map_x.astype(np.float32), map_y.astype(np.float32), cv2.INTER_LINEAR,
                     borderMode=cv2.BORDER_REPLICATE), source


def blur_line(r, strip, length):
    kernel = np.zeros((length, length), np.float32)
    cv2.line(kernel, (0, r.randrange(length)), (length - 1, r.randrange(length)), 1, 1)
    if r.random() < 0.4:
        kernel = kernel.T.copy()
    return cv2.filter2D(strip, -1, kernel / kernel.sum())


def photograph(r, rs, strip, source, contrast):
    """Optics, light, sensor, and what a cheap telephone does to the picture."""
    h, w = strip.shape
    out_of_focus = abs(r.gauss(0, 0.055)) * source
    if out_of_focus > 0.25:
        strip = cv2.GaussianBlur(strip, (0, 0), min(out_of_focus, 2.8))
    if r.random() < 0.22:
        strip = blur_line(r, strip, r.randint(2, max(3, int(source * 0.36))))
    x = np.linspace(0, 1, w, dtype=np.float32)[None]
    y = np.linspace(0, 1, h, dtype=np.float32)[:, None]
    light = r.uniform(0.35, 1.05)
    contrast *= light
    strip = strip * light + (x - 0.5) * r.uniform(-60, 60) + (y - 0.5) * r.uniform(-20, 20)
    if r.random() < 0.2:  # the hard edge of a shadow
        where = x + (y - 0.5) * r.uniform(-0.3, 0.3) - r.random()
        strip = strip * (1 - r.uniform(0.2, 0.6) * np.clip(where * r.uniform(5, 80) + 0.5, 0, 1))
    if r.random() < 0.2:  # laminate glare: light added, contrast lost
        spot = np.exp(-(((x - r.random()) * r.uniform(2, 14)) ** 2) - ((y - r.random()) * r.uniform(0, 2)) ** 2)
        veil = r.uniform(0.2, 0.75)
        strip = strip * (1 - veil * spot * 0.6) + 255 * veil * spot
    if r.random() < 0.15:  # holographic stripes
        strip = strip + contrast * r.uniform(0.05, 0.25) * np.sin(x * r.uniform(10, 120) + y * r.uniform(-8, 8))
    strip = strip + rs.normal(0, min(0.4 * contrast, r.choice((r.uniform(0, 5), r.uniform(0, 17)))), strip.shape)
    if r.random() < 0.15:
        strip = cv2.medianBlur(np.clip(strip, 0, 255).astype(np.uint8), 3).astype(np.float32)
    if r.random() < 0.3:
        soft = cv2.GaussianBlur(strip, (0, 0), r.uniform(0.6, 2))
        strip = strip + r.uniform(0.4, 2.2) * (strip - soft)
    if r.random() < 0.3:
        strip = 255 * (np.clip(strip, 0, 255) / 255) ** r.uniform(0.6, 1.7)
    strip = np.clip(strip, 0, 255).astype(np.uint8)
    if r.random() < 0.75:
        done, code = cv2.imencode(".jpg", strip, [1, r.choice((r.randint(25, 60), r.randint(50, 95)))])
        strip = cv2.imdecode(code, 0) if done else strip
    if r.random() < 0.03:
        strip = 255 - strip
    return strip


def make_strips(r, rs, faces):
    """One drawing, photographed several times."""
    pitches = [r.uniform(14.5, 25) for _ in range(VIEWS)]
    longest = min(LONGEST, int((WIDTH - 0.3 * max(pitches)) / max(pitches)))
    length = r.randint(5, longest)
    face = r.choices([f for f, _ in faces], [weight for _, weight in faces])[0]
    text, mask = draw_text(r, face, length)
    mask = wear(r, rs, mask)
    ground, tone = paper(r, rs, *mask.shape)
    contrast = r.uniform(45, max(60, tone))
    canvas = ground * (1 - mask) + max(0, tone - contrast) * mask
    edge(r, rs, canvas, length)
    for pitch in pitches:
        strip, source = cut(r, canvas, length, pitch)
        strip = photograph(r, rs, strip, source, contrast)
        how = cv2.INTER_LINEAR if strip.shape[1] < WIDTH else cv2.INTER_AREA
        yield cv2.resize(strip, (WIDTH, HEIGHT), interpolation=how), text


def make_shard(seed, index, faces, size=SHARD):
    r, rs = random.Random(seed * 1_000_003 + index), np.random.default_rng([seed, index])
    strips = np.zeros((size, HEIGHT, WIDTH), np.uint8)
    labels = np.zeros((size, LONGEST), np.int8)
    for i in range(0, size, VIEWS):
        for k, (strip, text) in enumerate(make_strips(r, rs, faces)):
            strips[i + k] = strip
            labels[i + k, : len(text)] = [ALPHABET.index(c) + 1 for c in text]
    return strips, labels


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--shards", type=int, default=90)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    os.makedirs(options.out, exist_ok=True)
    faces = load_faces()
    for index in range(options.first, options.shards):
        path = f"{options.out}/{index:05}.npz"
        if not os.path.exists(path):
            strips, labels = make_shard(options.seed, index, faces)
            np.savez(path + ".part.npz", strips=strips, labels=labels)
            os.replace(path + ".part.npz", path)
