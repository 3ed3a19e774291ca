"""Labels of FairFace in the form that pack.py reads: fairface.py FOLDER

FOLDER is where the official archive (margin 0.25) and its two label files were unpacked: `train/`, `val/`,
`fairface_label_train.csv`, `fairface_label_val.csv`. Writes `labels.csv` (training half) and `labels-val.csv` there: `path`, the
band as `low` and `high` (exclusive), `gender`, `group`. Rows without a picture are left out, and so are the training pictures
that the validation half has, too.

Another set joins by a file of the same columns: where an age is known, `low` and `high` are half a year below and above it.
"""

import csv
import pathlib
import sys

# Training pictures whose person is in the validation half as well, in the same or nearly the same picture.
ALSO_IN_VAL = {1674, 6204, 6629, 9213, 12177, 17965, 21745, 22979, 24013, 26387, 29256, 34230, 50035, 61633, 62862, 67028}
# The oldest band is open; few people are older than this.
BANDS = {"0-2": (0, 3), "3-9": (3, 10), "10-19": (10, 20), "20-29": (20, 30), "30-39": (30, 40), "40-49": (40, 50), "50-59": (50, 60),
         "60-69": (60, 70), "more than 70": (70, 95)}


def main():
    folder = pathlib.Path(sys.argv[1])
    for half, name in (("train", "labels.csv"), ("val", "labels-val.csv")):
        rows = list(csv.DictReader(open(folder / f"fairface_label_{half}.csv")))
        with open(folder / name, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["path", "low", "high", "gender", "group"])
            for row in rows:
                doubled = half == "train" and int(pathlib.Path(row["file"]).stem) in ALSO_IN_VAL
                if not doubled and (folder / row["file"]).exists():
                    writer.writerow([row["file"], *BANDS[row["age"]], row["gender"], row["race"]])


if __name__ == "__main__":
    main()
