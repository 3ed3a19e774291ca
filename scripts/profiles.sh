#!/usr/bin/env bash
# Makes a flame graph of each interface in docs/profiles/: perf samples the work of `assay bench`, inferno draws it.
# SECONDS_EACH says how long each is sampled. Needs a build of the profile `light`, and the right to use perf.
set -euo pipefail
cd "$(dirname "$0")/.."

assay=${CARGO_TARGET_DIR:-target}/light/assay
out=docs/profiles
frequency=199
# Of the stack that is copied with each sample, in bytes: deep enough for a call through HTTP, rules and a net.
stack=24576
# Narrower frames, in percent of the whole, are left out: they cannot be read, and make the files large.
narrowest=0.25
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

command -v perf >/dev/null || { echo "perf is missing (Debian: apt-get install linux-perf)" >&2; exit 1; }
command -v inferno-flamegraph >/dev/null || cargo install --locked --quiet inferno

# name, what is sampled (the server, or the program itself where there is none), title, arguments of `assay bench`
draw() {
    local name=$1 who=$2 title=$3
    shift 3
    if [ "$who" = server ]; then
        "$assay" bench --only "$@" >"$work/$name.txt" 2>&1 &
        local bench=$! server=""
        # The server is the only child that lasts.
        until server=$(pgrep -P "$bench" -x assay) || ! kill -0 "$bench" 2>/dev/null; do sleep 0.1; done
        perf record --quiet -F $frequency --call-graph dwarf,$stack -o "$work/$name.data" -p "$server" 2>"$work/$name.perf" || true
        wait "$bench"
    else
        perf record --quiet -F $frequency --call-graph dwarf,$stack -o "$work/$name.data" -- "$assay" bench --only "$@" >"$work/$name.txt" 2>"$work/$name.perf"
    fi
    perf script --no-inline -i "$work/$name.data" 2>/dev/null | inferno-collapse-perf >"$work/$name.folded"
    # Disambiguators and generic arguments of symbols say little and take most of the room.
    sed -E 's/::h[0-9a-f]{16}//g; s/\{\{closure\}\}/{closure}/g' "$work/$name.folded" |
        inferno-flamegraph --title "$title" --countname "nanoseconds of processor time" --minwidth $narrowest --hash --fontwidth 0.6 >"$out/$name.svg"
    cp "$work/$name.folded" "${KEEP:-$work}/" 2>/dev/null || true
    echo "$out/$name.svg: $(awk '{ sum += $NF } END { print sum }' "$work/$name.folded") nanoseconds"
}

mkdir -p "$out"
draw image-analysis server "Image analysis: age and liveness of a face" images --seconds "${SECONDS_EACH:-10}"
draw document-reading server "Document verification: a page is read" documents --seconds "${SECONDS_EACH:-10}"
draw video-moderation server "Content moderation: stored video, 1080p" video
draw proofs-of-age self "Proof of age: codes and presentations" proofs --seconds "${SECONDS_EACH:-10}"
draw age-sessions server "Age verification: sessions created and read" ages --seconds "${SECONDS_EACH:-10}"
