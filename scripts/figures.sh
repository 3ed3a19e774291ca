#!/usr/bin/env bash
# Draws the figures that docs/ACCURACY.md shows: figures.sh DATA [FIGURES]
#
# DATA has a folder for each set of labelled pictures. A set that is not there is left out, and its figures stay as they are.
#
#   congress/labels.csv     ages of members of the US Congress; training/ages/prepare.py lays them out. Only the half `held-out` is
#                           measured: our own net was trained with the other one
#   congress/pairs.csv      the same people years apart; also made by prepare.py
#   portraits/              portraits of that half with a labels.csv (path, age), to be degraded
#   attacks/labels.csv      live faces and attacks (path, label, species); docs/ACCURACY.md says how ours are simulated
#   fairface/labels.csv     ages as bands (path, low, high, gender, group), as training/ages/fairface.py writes them. Pictures
#                           must meet the limits: margin 1.25, 448 x 448 pixels. A band is taken for its middle.
#
# FIGURES is the folder that is written, docs/figures unless said. Of each evaluation only the figures are taken that the page shows.
# ASSAY is the program; its models are those that it finds by itself (see docs/RUNNING.md).
set -euo pipefail
if [ $# -lt 1 ] || [ ! -d "$1" ]; then
    echo "name the folder of labelled pictures: make figures DATA=folder (scripts/figures.sh says what is in it)" >&2
    exit 1
fi
repository=$(realpath "$(dirname "$0")/..")
data=$(realpath "$1")
figures=$(realpath -m "${2:-$repository/docs/figures}")
cd "$repository"

assay=${ASSAY:-${CARGO_TARGET_DIR:-target}/light/assay}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$figures"

# Names of the figures that the page shows, one a line.
grep -oE '\]\(figures/[a-z0-9-]+\.svg\)' docs/ACCURACY.md | sed -E 's|.*/([^)]*)\)|\1|' | sort -u >"$work/shown"
: >"$work/drawn"

# set, what its names begin with, kind of evaluation, arguments of `assay evaluate`
draw() {
    local set=$1 prefix=$2 kind=$3
    shift 3
    echo "$set: assay evaluate $kind"
    rm -rf "$work/svg"
    "$assay" evaluate "$kind" "$@" --figures "$work/svg" >"$work/report"
    local file name
    for file in "$work/svg"/*.svg; do
        name=$prefix${file##*/}
        if grep -qxF "$name" "$work/shown"; then
            cp "$file" "$figures/$name"
            echo "$name" >>"$work/drawn"
        fi
    done
}

if [ -f "$data/congress/labels.csv" ]; then
    # Paths must not depend on where this file is.
    awk -F, -v OFS=, -v folder="$data/congress/" '
        { sub(/\r$/, "") }
        NR == 1 { for (at = 1; at <= NF; at++) column[$at] = at; print; next }
        $column["half"] == "held-out" { $column["path"] = folder $column["path"]; print }
    ' "$data/congress/labels.csv" >"$work/congress.csv"
    for threshold in 25 50; do
        draw congress "" age --labels "$work/congress.csv" --relaxed --threshold $threshold --rate 0.05 \
            --groups sex ethnicity "age band"
    done
fi
if [ -f "$data/congress/pairs.csv" ]; then
    draw congress "" match --pairs "$data/congress/pairs.csv" --groups sex ethnicity age
fi
if [ -d "$data/portraits" ]; then
    draw portraits "" robustness "$data/portraits"
fi
if [ -f "$data/attacks/labels.csv" ]; then
    draw attacks "" antispoofing --labels "$data/attacks/labels.csv" --relaxed --groups species
fi
if [ -f "$data/fairface/labels.csv" ]; then
    # The evaluation wants one age, and paths that do not depend on where this file is.
    awk -F, -v OFS=, -v folder="$data/fairface/" '
        { sub(/\r$/, "") }
        NR == 1 { for (at = 1; at <= NF; at++) column[$at] = at; print "path", "age", "gender", "group"; next }
        { print folder $column["path"], ($column["low"] + $column["high"]) / 2, $column["gender"], $column["group"] }
    ' "$data/fairface/labels.csv" >"$work/fairface.csv"
    draw fairface fairface- age --labels "$work/fairface.csv" --relaxed --threshold 25 --rate 0.05 --groups gender group "age band"
fi

sort -u "$work/drawn" -o "$work/drawn"
if [ ! -s "$work/drawn" ]; then
    echo "no figure was drawn: $data has none of the sets that scripts/figures.sh names" >&2
    exit 1
fi
echo "$(wc -l <"$work/drawn") figures in $figures, $(sed "s|^|$figures/|" "$work/drawn" | tr '\n' '\0' | xargs -0 cat | wc -c) bytes"
if comm -23 "$work/shown" "$work/drawn" | grep -q .; then
    echo "shown in docs/ACCURACY.md and not drawn, for want of the set or of people in it:"
    comm -23 "$work/shown" "$work/drawn" | sed 's/^/  /'
fi
