"""Makes photographs of made-up documents, to measure the reader on; nothing is trained on them.

    python photos.py OUT --count 200 --seed 41 [--hard]

Writes OUT/0000.jpg ... and OUT/labels.csv (columns `path` and `mrz`, lines joined by `|`). Moderate photographs have
the document at 55 to 85 % of the width, turned by up to 10 degrees, seen at a slant, blurred a little; hard ones more
of everything, shadows, glare over the zone, bent pages, cheap sharpening, worn print, and one in eight lies on its
side or upside down.
"""

import argparse
import csv
import glob
import math
import os
import random

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from text import FORMATS, holder, print_zone

OCR_B = "/usr/share/fonts/opentype/ocr-b/OCRB.otf"
PLAIN = [p for p in sorted(glob.glob("/usr/share/fonts/truetype/dejavu/DejaVuS*.ttf"))] or [OCR_B]
# Width and height in millimetres, and the height of the band that the zone lies in (9303-3 to -7).
SIZES = {"TD3": (125, 88), "MRVA": (120, 80), "TD2": (105, 74), "MRVB": (105, 74), "FRA": (105, 74), "TD1": (85.6, 54)}
WIDTH, HEIGHT = 1600, 1200


def ground(r, width, height):
    """A page with a pattern of fine lines."""
    base = np.array([r.randint(205, 250) for _ in range(3)], np.float32)
    page = np.tile(base, (height, width, 1))
    colour = [r.randint(140, 215) for _ in range(3)]
    x = np.arange(0, width, 3)
    for k in range(r.randint(8, 26)):
        swing, waves, phase = r.uniform(4, height / 5), r.uniform(1, 7) * 2 * math.pi / width, r.uniform(0, 6.3)
        y = height * k / 18 + swing * np.sin(waves * x + phase) + swing / 3 * np.sin(3.1 * waves * x)
        cv2.polylines(page, [np.stack([x, y], 1).astype(np.int32).reshape(-1, 1, 2)], False, colour, r.choice((1, 1, 2)), cv2.LINE_AA)
    return page.astype(np.uint8)


def portrait(r, width, height):
    image = np.full((height, width, 3), r.randint(170, 230), np.uint8)
    skin = r.choice(((225, 180, 150), (190, 140, 110), (140, 95, 70)))
    cv2.ellipse(image, (width // 2, height), (int(width * 0.45), int(height * 0.3)), 0, 0, 360, (r.randint(20, 120),) * 3, -1, cv2.LINE_AA)
    cv2.ellipse(image, (width // 2, int(height * 0.45)), (int(width * 0.27), int(height * 0.3)), 0, 0, 360, skin, -1, cv2.LINE_AA)
    cv2.ellipse(image, (width // 2, int(height * 0.27)), (int(width * 0.3), int(height * 0.17)), 0, 180, 360, (25, 20, 20), -1, cv2.LINE_AA)
    return image


def document(r, form, hard):
    """A page at so many pixels a millimetre, and its lines."""
    scale = 14 if form in ("TD3", "MRVA") else 18
    w_mm, h_mm = SIZES[form]
    width, height = int(w_mm * scale), int(h_mm * scale)
    h = holder(r)
    lines = print_zone(h, form)
    page = ground(r, width, height)
    if r.random() < 0.55:
        page[int(height - 23.2 * scale) :] = (page[int(height - 23.2 * scale) :] * 0.3 + 172).astype(np.uint8)
    image = Image.fromarray(page)
    draw = ImageDraw.Draw(image)
    face = r.choice(PLAIN)
    write = lambda x, y, text, size: draw.text((x * scale, y * scale), text, font=ImageFont.truetype(face, int(size * scale)), fill=(20, 20, 40))
    if form != "TD1":
        image.paste(Image.fromarray(portrait(r, 30 * scale, 38 * scale)), (5 * scale, 12 * scale))
        left = 40
    else:
        left = 4
    write(left, 3, r.choice(("PASSPORT", "IDENTITY CARD", "VISA", "CARTE D'IDENTITE")), 4)
    names = h["names"].replace("<<", "\n").replace("<", " ").split("\n")
    for k, text in enumerate([*names, h["number"], h["state"].strip("<"), f"{h['birth'][4:]}.{h['birth'][2:4]}.19{h['birth'][:2]}"]):
        write(left, 9 + 5.5 * k, text[:28], 2.8)
        if 9 + 5.5 * (k + 1) > h_mm - 28:
            break
    pitch = 2.54 * scale
    probe = ImageFont.truetype(OCR_B, 100).getlength("0")
    font = ImageFont.truetype(OCR_B, round(100 * pitch / probe))
    ink = tuple([r.randint(0, 70)] * 3)
    x0 = (width - len(lines[0]) * pitch) / 2 + r.uniform(-0.6, 0.6) * scale
    y0 = height - 23.2 * scale + (6 if len(lines) == 2 else 3) * scale
    layer = Image.new("L", (width, height), 0)
    pen = ImageDraw.Draw(layer)
    for i, line in enumerate(lines):
        for j, c in enumerate(line):
            pen.text((x0 + j * pitch, y0 + i * 6.35 * scale), c, font=font, fill=255)
    mask = np.array(layer).astype(np.float32) / 255
    if r.random() < (0.5 if hard else 0.2):
        soft = cv2.GaussianBlur(mask, (0, 0), r.uniform(1, 3))
        mask = np.clip((soft - r.uniform(0.3, 0.62)) * r.uniform(3, 8) + 0.5, 0, 1)
    if hard and r.random() < 0.4:
        rs = np.random.default_rng(r.randrange(1 << 30))
        grain = cv2.resize(rs.random((height // 20, width // 20), np.float32), (width, height))
        mask *= np.clip(grain * 1.6 + r.uniform(0.25, 0.6), 0, 1)
    out = np.array(image).astype(np.float32)
    out = out * (1 - mask[:, :, None]) + np.array(ink, np.float32) * mask[:, :, None]
    return out.astype(np.uint8), lines


def desk(r, rs):
    base = np.zeros((HEIGHT, WIDTH, 3), np.float32) + np.array([r.randint(30, 220) for _ in range(3)])
    rough = rs.normal(0, 25, (HEIGHT // 40 + 1, WIDTH // 40 + 1, 3)).astype(np.float32)
    base += cv2.resize(rough, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)
    base = np.clip(base, 0, 255).astype(np.uint8)
    for _ in range(r.randint(0, 10)):
        a, b = [(r.randint(0, WIDTH), r.randint(0, HEIGHT)) for _ in range(2)]
        colour = [r.randint(0, 255) for _ in range(3)]
        if r.random() < 0.6:
            cv2.line(base, a, b, colour, r.randint(2, 20), cv2.LINE_AA)
        else:
            cv2.circle(base, a, r.randint(20, 150), colour, -1, cv2.LINE_AA)
    for _ in range(r.choice((0, 0, 1, 3))):
        # Other printed matter.
        x, y = r.randint(0, WIDTH - 300), r.randint(0, HEIGHT - 60)
        for k in range(r.randint(1, 5)):
            text = "".join(r.choice("abcdefghijklmnop  ") for _ in range(r.randint(10, 40)))
            cv2.putText(base, text, (x, y + 22 * k), cv2.FONT_HERSHEY_SIMPLEX, r.uniform(0.4, 0.8), [r.randint(0, 90)] * 3, 1, cv2.LINE_AA)
    return base


def photograph(r, page, hard):
    rs = np.random.default_rng(r.randrange(1 << 30))
    height, width = page.shape[:2]
    if hard and r.random() < 0.4:  # a page that bends
        depth = r.uniform(-0.012, 0.012) * height
        u = np.linspace(-1, 1, width, dtype=np.float32)[None]
        x = np.tile(np.arange(width, dtype=np.float32)[None], (height, 1))
        y = np.arange(height, dtype=np.float32)[:, None] + depth * (u * u - 0.33)
        page = cv2.remap(page, x, y.astype(np.float32), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    wide = r.uniform(0.55, 0.85) * WIDTH
    share = wide / width
    turn = math.radians(r.uniform(-10, 10))
    slant = 0.06 if hard else 0.035
    cx, cy = WIDTH / 2 + r.uniform(-60, 60), HEIGHT / 2 + r.uniform(-40, 40)
    corners = np.float32([[0, 0], [width, 0], [width, height], [0, height]])
    seen = []
    for x, y in corners:
        u, v = (x - width / 2) * share, (y - height / 2) * share
        u, v = u * math.cos(turn) - v * math.sin(turn), u * math.sin(turn) + v * math.cos(turn)
        seen.append([cx + u + r.uniform(-slant, slant) * wide, cy + v + r.uniform(-slant, slant) * wide])
    matrix = cv2.getPerspectiveTransform(corners, np.float32(seen))
    if share < 0.7:
        page = cv2.GaussianBlur(page, (0, 0), 0.4 / share)
    photo = cv2.warpPerspective(page, matrix, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR)
    mask = cv2.warpPerspective(np.full((height, width), 255, np.uint8), matrix, (WIDTH, HEIGHT))
    mask = cv2.GaussianBlur(mask, (0, 0), 1)[:, :, None] / 255.0
    photo = (photo * mask + desk(r, rs) * (1 - mask)).astype(np.float32)
    across, down = np.linspace(-1, 1, WIDTH)[None], np.linspace(-1, 1, HEIGHT)[:, None]
    where = r.uniform(0, 6.3)
    photo *= (r.uniform(0.7, 1.05) + (across * math.cos(where) + down * math.sin(where)) * r.uniform(0, 0.2))[:, :, None]
    if hard and r.random() < 0.35:  # the shadow of the hand or the telephone
        side = across * math.cos(where) + down * math.sin(where) - r.uniform(-0.5, 0.5)
        photo *= 1 - r.uniform(0.2, 0.5) * np.clip(side * r.uniform(3, 40) + 0.5, 0, 1)[:, :, None]
    if r.random() < (0.5 if hard else 0.25):
        glare = np.zeros((HEIGHT, WIDTH), np.float32)
        at = (r.randint(200, WIDTH - 200), r.randint(200, HEIGHT - 200))
        cv2.ellipse(glare, at, (r.randint(60, 220), r.randint(30, 90)), r.randint(0, 180), 0, 360, 1, -1)
        photo += cv2.GaussianBlur(glare, (0, 0), 40)[:, :, None] * r.uniform(60, 150)
    blur = r.uniform(0, 2.2 if hard else 1.5)
    if blur > 0.2:
        photo = cv2.GaussianBlur(photo, (0, 0), blur)
    if r.random() < (0.4 if hard else 0.15):
        size = r.randint(3, 9 if hard else 5)
        kernel = np.zeros((size, size), np.float32)
        cv2.line(kernel, (0, r.randrange(size)), (size - 1, r.randrange(size)), 1, 1)
        photo = cv2.filter2D(photo, -1, kernel / kernel.sum())
    photo += rs.normal(0, r.uniform(2, 16 if hard else 10), photo.shape)
    if hard and r.random() < 0.3:
        photo += r.uniform(0.5, 1.5) * (photo - cv2.GaussianBlur(photo, (0, 0), 1.2))
    photo = np.clip(photo, 0, 255).astype(np.uint8)
    if hard and r.random() < 0.125:
        photo = np.rot90(photo, r.choice((1, 2, 3))).copy()
    return photo


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=41)
    parser.add_argument("--hard", action="store_true")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    os.makedirs(options.out, exist_ok=True)
    with open(f"{options.out}/labels.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["path", "mrz"])
        for index in range(options.count):
            r = random.Random(options.seed * 1_000_003 + index)
            form = r.choice(("TD3", "TD3", "TD1", "TD1", *FORMATS))
            page, lines = document(r, form, options.hard)
            photo = photograph(r, page, options.hard)
            name = f"{index:04}.jpg"
            cv2.imwrite(f"{options.out}/{name}", photo[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, 65 if options.hard else 80])
            rows.writerow([name, "|".join(lines)])
