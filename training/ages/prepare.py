"""Lays out the portraits and their labels: prepare.py <portraits.git> <legislators.git> <house.git> <senate.git> <folder>

The four are git directories (bare or not) of the repositories that README.md names. Written are `portraits/` with the
photographs, `earlier/` with other photographs of the same people, `labels.csv` (age at capture, from the date of birth and the
camera's own date) and `pairs.csv` (for `assay evaluate match`). People are assigned to the halves `fit` and `held-out` by a
hash of their id, so nobody is in both.
"""

import csv
import datetime
import hashlib
import io
import json
import subprocess
import sys
from pathlib import Path

import yaml
from PIL import Image

CAPTURED = 0x9003  # EXIF: DateTimeOriginal
EXIF_FOLDER = 0x8769
NEIGHBOURS = 6  # impostor pairs for each person


def git(repository, *arguments):
    return subprocess.run(["git", "--git-dir", repository, *arguments], capture_output=True, check=True).stdout


def files(repository, folder):
    """Name and bytes of every file in a folder."""
    for entry in git(repository, "ls-tree", "-z", "HEAD", folder + "/").split(b"\0"):
        if entry:
            about, path = entry.split(b"\t")
            yield Path(path.decode()).name, git(repository, "cat-file", "blob", about.split()[2].decode())


def people(legislators, civil):
    """By id: date of birth, sex and ethnicity as the data sets state them, and the file of another photograph."""
    known = {}
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for person in yaml.load(git(legislators, "show", "HEAD:legislators-current.yaml"), Loader=loader):
        bio = person["bio"]
        known[person["id"]["bioguide"]] = {"born": bio.get("birthday"), "sex": bio.get("gender"),
                                          "since": person["terms"][0]["start"]}
    for chamber, repository in civil.items():
        for person in json.loads(git(repository, "show", f"HEAD:us-{chamber}/data/us-{chamber}.json")):
            if not person.get("bioguide"):
                continue
            one = known.setdefault(person["bioguide"], {"born": person["date_of_birth"], "sex": person["gender"][0].upper()})
            one["ethnicity"] = person["ethnicity"]
            one["earlier"] = f"{chamber}-{person['name_slug']}.jpg"
    return known


def captured(photo):
    """The date of capture according to the camera (EXIF), or None."""
    date = Image.open(io.BytesIO(photo)).getexif().get_ifd(EXIF_FOLDER).get(CAPTURED)
    return datetime.date.fromisoformat(str(date)[:10].replace(":", "-")) if date else None


def band(age):
    return "under 50" if age < 50 else "50-64" if age < 65 else "65 and over"


def main():
    portraits, legislators, house, senate, folder = sys.argv[1:]
    folder = Path(folder)
    for name in ("portraits", "earlier"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    civil = {"house": house, "senate": senate}
    known = people(legislators, civil)
    rows = []
    for name, photo in files(portraits, "images"):
        if not name.endswith(".jpg"):
            continue
        person, day = known.get(name[:-4]), captured(photo)
        if not person or not person["born"] or not day:
            continue
        age = (day - datetime.date.fromisoformat(str(person["born"]))).days / 365.25
        (folder / "portraits" / name).write_bytes(photo)
        half = hashlib.sha256(name[:-4].encode()).digest()[0] & 1
        rows.append({
            "path": f"portraits/{name}", "age": f"{age:.2f}", "sex": person["sex"],
            "ethnicity": person.get("ethnicity", ""), "captured": day.isoformat(),
            "half": ["fit", "held-out"][half], "earlier": person.get("earlier", ""), "since": person.get("since", ""),
        })
    with open(folder / "labels.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)

    for chamber, repository in civil.items():
        for name, photo in files(repository, "source/headshots"):
            (folder / "earlier" / f"{chamber}-{name}").write_bytes(photo)
    # Each person is paired with their own earlier photograph, and with those of the people of the same sex and ethnicity who
    # are nearest in age: these impostor pairs are harder than random ones.
    both = [row for row in rows if row["earlier"] and (folder / "earlier" / row["earlier"]).exists()]
    with open(folder / "pairs.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["a", "b", "same", "sex", "ethnicity", "age"])
        for row in both:
            alike = [o for o in both if o is not row and (o["sex"], o["ethnicity"]) == (row["sex"], row["ethnicity"])]
            alike.sort(key=lambda other: abs(float(other["age"]) - float(row["age"])))
            for other in [row] + alike[:NEIGHBOURS]:
                writer.writerow([row["path"], f"earlier/{other['earlier']}", int(other is row), row["sex"],
                                 row["ethnicity"], band(float(row["age"]))])
    print(f"{len(rows)} portraits, {len(both)} people with another photograph")


if __name__ == "__main__":
    main()
