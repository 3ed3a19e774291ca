"""Renders whole pictures with labels, for `assay evaluate antispoofing`.

    python pictures.py PEOPLE OUT COUNT SEED

Like render.py, but whole pictures, and only of people who are never trained on. OUT receives PNG files and `labels.csv`
(path, label, species, device, camera). Pictures that are too small for the server are left out, for every species alike.
"""

import pathlib
import sys

import cv2

import render
import scene

# Smallest face box and smallest side of a picture, pixels.
MIN_FACE_SIDE, MIN_PICTURE_SIDE = 64, 300


def main():
    folder, out, count, seed = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    cv2.setNumThreads(1)
    pool = scene.PersonPool(render.people(folder, "held"))
    out.mkdir(parents=True, exist_ok=True)
    lines = ["path,label,species,device,camera"]
    for number in range(count):
        shot = pool.shoot(render.species_of(number), seed * 1_000_003 + number)
        if max(shot.box[2] - shot.box[0], shot.box[3] - shot.box[1]) < MIN_FACE_SIDE or min(shot.picture.shape[:2]) < MIN_PICTURE_SIDE:
            continue
        cv2.imwrite(str(out / f"{number:05d}.png"), shot.picture[..., ::-1])
        label = "real" if shot.species == "live" else "fake"
        lines.append(f"{number:05d}.png,{label},{shot.species},{shot.device},{shot.camera}")
    (out / "labels.csv").write_text("\n".join(lines) + "\n")
    print(len(lines) - 1, "pictures")


if __name__ == "__main__":
    main()
