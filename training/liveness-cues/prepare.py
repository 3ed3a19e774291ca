"""Prepares the input of the simulator and of the fit. Needs Pillow and opencv-python-headless below 5.

    python prepare.py portraits <folders of portraits ...> <out>   copies portraits with a face, and detects it
    python prepare.py samples   <folder of the sample photos> <out>   cuts the faces of samples.csv out
    python prepare.py plain     <prepared folder> <simulated set> <out> <species>   the same people without the simulator,
                                                                    as a set that `liveness_cues` reads
"""

import csv
import shutil
import sys
from pathlib import Path


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


EDGES = ["left", "top", "right", "bottom"]


def portraits(*arguments):
    import cv2

    *folders, out = map(Path, arguments)
    out.mkdir(parents=True, exist_ok=True)
    finder = cv2.CascadeClassifier(cv2.data.haarcascades + "haarcascade_frontalface_default.xml")
    rows = {}
    for folder in folders:
        for path in sorted([*folder.glob("*.jpg"), *folder.glob("*.png")]):
            picture = cv2.imread(str(path))
            blue, red = picture[..., 0].astype(int), picture[..., 2].astype(int)
            faces = finder.detectMultiScale(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), 1.05, 6, minSize=(80, 80))
            if path.name in rows or len(faces) == 0 or abs(blue - red).max() < 8:
                continue
            x, y, w, h = map(int, max(faces, key=lambda face: face[2]))
            rows[path.name] = (path.name, x, y, x + w, y + h)
            shutil.copy(path, out)
    write(out / "faces.csv", ["file", *EDGES], rows.values())


def samples(folder, out):
    from PIL import Image

    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    with open(Path(__file__).parent / "samples.csv", newline="") as file:
        for row in csv.DictReader(file):
            x, y, side = int(row["left"]), int(row["top"]), int(row["side"])
            photo = Image.open(Path(folder) / f"sample{row['photo']}.jpg").convert("RGB")
            cx, cy = x + side / 2, y + side * 0.55
            left, right = max(0, int(cx - 1.15 * side)), min(photo.width, int(cx + 1.15 * side))
            top, bottom = max(0, int(cy - 1.3 * side)), min(photo.height, int(cy + 1.55 * side))
            name = f"sample{row['photo']}-{row['face']}.png"
            photo.crop((left, top, right, bottom)).save(out / name)
            rows.append((name, x - left, y - top, x + side - left, y + side - top))
    write(out / "faces.csv", ["file", *EDGES], rows)


def plain(prepared, simulated, out, species):
    prepared, out = Path(prepared), Path(out)
    out.mkdir(parents=True, exist_ok=True)
    with open(Path(simulated) / "faces.csv", newline="") as file:
        halves = {row["identity"]: row["half"] for row in csv.DictReader(file)}
    labels, faces = [], []
    with open(prepared / "faces.csv", newline="") as file:
        for row in csv.DictReader(file):
            shutil.copy(prepared / row["file"], out)
            identity = Path(row["file"]).stem.split("_")[0]
            labels.append((row["file"], "real", species))
            faces.append((row["file"], identity, halves[identity], "false", *(row[edge] for edge in EDGES)))
    write(out / "labels.csv", ["path", "label", "species"], labels)
    write(out / "faces.csv", ["path", "identity", "half", "framed", *EDGES], faces)


if __name__ == "__main__":
    {"portraits": portraits, "samples": samples, "plain": plain}[sys.argv[1]](*sys.argv[2:])
