"""Further photographs of members of the US Congress, with ages as ranges:

    directory.py PORTRAITS LEGISLATORS.git TERMS.csv PHOTOS.git CURRENT.git

PORTRAITS is the output of prepare.py, the others are git directories and a file of the repositories that README.md names. A photograph was
taken between its member's first term and the end of their last one, or the day on which it was collected, so its label is a range of ages; one year where
the camera recorded the day. Written are `directory/` and `ages-directory.csv`. Nobody of the half `held-out` is in it.
"""

import csv
import datetime
import io
import json
import sys
from collections import Counter
from pathlib import Path

import yaml

from congress import COLUMNS, YEAR_DAYS
from prepare import captured, files, git

FIRST_YEAR = 1971  # of a member's first term; photographs from before are of another look
MOST_YEARS = 12  # from the youngest that somebody may be to the oldest
COLLECTED = {"photos": datetime.date(2025, 6, 18), "current": datetime.date(2025, 8, 15)}
SEX = {"M": "Male", "F": "Female"}


def day(text):
    """A date, or None where somebody has yet to write it."""
    try:
        return datetime.date.fromisoformat(str(text))
    except ValueError:
        return None


def members(legislators, terms):
    """By id: date of birth, sex, start of the first term and end of the last one. Who has left is in the files of earlier years."""
    known = {}

    def add(member, born, sex, start, end):
        if born and start and end:
            one = known.setdefault(member, {"born": born, "sex": None, "start": start, "end": end})
            one.update(sex=one["sex"] or SEX.get(sex), start=min(one["start"], start), end=max(one["end"], end))

    for row in csv.DictReader(open(terms)):
        start = day(row["termstart"])
        # A Congress, the 80th from January 1947 on, lasts two years, the term of a senator six.
        end = datetime.date(1949 + 2 * (int(row["congress"]) - 80), 1, 3)
        add(row["bioguide"], day(row["birthday"]), None, start, end)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    months = {}
    for line in git(legislators, "log", "--format=%H %ad", "--date=format:%Y-%m", "--", "legislators-current.yaml").decode().splitlines():
        commit, month = line.split()
        months.setdefault(f"{month[:4]} {int(month[5:]) // 7}", commit)
    for commit in months.values():
        for person in yaml.load(git(legislators, "show", f"{commit}:legislators-current.yaml"), Loader=loader):
            for term in person["terms"]:
                add(person["id"].get("bioguide"), day(person["bio"].get("birthday")), person["bio"].get("gender"), day(term["start"]), day(term["end"]))
    return known


def photographs(photos, current):
    """Where it is from, id of the member and bytes of each photograph."""
    ids = {int(row["icpsr"]): row.get("bioguide_id") for row in json.loads(git(photos, "show", "HEAD:config/database-raw.json"))}
    for name, photo in files(photos, "images/bio_guide"):
        yield "photos", ids.get(int(Path(name).stem)), photo
    for name, photo in files(current, "images"):
        yield "current", Path(name).stem, photo


def main():
    portraits, legislators, terms, photos, current = sys.argv[1:]
    folder, known = Path(portraits), members(legislators, terms)
    ours = {Path(row["path"]).stem: row for row in csv.DictReader(open(folder / "labels.csv"))}
    (folder / "directory").mkdir(exist_ok=True)
    rows, count = [], Counter()
    for source, member, photo in photographs(photos, current):
        one, portrait = known.get(member), ours.get(member, {})
        if not one or portrait.get("half") == "held-out" or one["start"].year < FIRST_YEAR:
            count["not used"] += 1
            continue
        taken, start, end = captured(photo), one["start"], min(one["end"], COLLECTED[source])
        if taken and start <= taken <= end:
            start = end = taken
        low, high = ((edge - one["born"]).days / YEAR_DAYS for edge in (start, end))
        if high - low > MOST_YEARS:
            count["too vague"] += 1
            continue
        path = f"directory/{source}-{member}.jpg"
        (folder / path).write_bytes(photo)
        count[source, "year" if start == end else "range"] += 1
        rows.append([path, f"{low - 0.5:.2f}", f"{high + 0.5:.2f}", one["sex"] or "", portrait.get("ethnicity", "")])
    with open(folder / "ages-directory.csv", "w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    print(len(rows), "photographs", dict(count))


if __name__ == "__main__":
    main()
