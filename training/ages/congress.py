"""Labels of the portraits in the form that pack.py reads: congress.py FOLDER

FOLDER is the output of prepare.py. Writes `ages-fit.csv` and `ages-held-out.csv`, with the portraits of each half and their ages, and
`ages-train.csv`: the half `fit` with the earlier photographs of the same people. Those were taken between their first term and
the day on which they were published, so their label is a range of ages.
"""

import csv
import datetime
import pathlib
import sys

COLUMNS = ("path", "low", "high", "gender", "group")
# The earlier photographs were collected in the summer of 2021; few of them were older than the year.
PUBLISHED, OLDEST = datetime.date(2021, 7, 1), datetime.date(2009, 1, 1)
YEAR_DAYS = 365.25


def main():
    folder = pathlib.Path(sys.argv[1])
    halves = {"fit": [], "held-out": [], "train": []}
    for row in csv.DictReader(open(folder / "labels.csv")):
        age, about = float(row["age"]), [{"M": "Male", "F": "Female"}[row["sex"]], row["ethnicity"]]
        portrait = [row["path"], f"{age - 0.5:.2f}", f"{age + 0.5:.2f}", *about]
        halves[row["half"]].append(portrait)
        if row["half"] != "fit":
            continue
        halves["train"].append(portrait)
        if row["since"] and row["earlier"] and (folder / "earlier" / row["earlier"]).exists():
            day = datetime.date.fromisoformat(row["captured"])
            since = max(datetime.date.fromisoformat(row["since"]), OLDEST)
            low, high = (age + (end - day).days / YEAR_DAYS for end in (since, PUBLISHED))
            if low < high:
                halves["train"].append([f"earlier/{row['earlier']}", f"{low - 0.5:.2f}", f"{high + 0.5:.2f}", *about])
    for name, rows in halves.items():
        with open(folder / f"ages-{name}.csv", "w", newline="") as file:
            csv.writer(file).writerows([COLUMNS, *rows])


if __name__ == "__main__":
    main()
