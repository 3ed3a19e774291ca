#!/usr/bin/env bash
# Feeds made-up bytes to what reads bytes from outside. Stable Rust and a C++ compiler are enough.
#
#   fuzz/run.sh SECONDS [TARGET]
#
# Runs each target (or the one named) for so many seconds. Ends with an error at the first finding, and names the file
# that shows it again: fuzz/target/<host>/fuzz/<TARGET> <FILE>
set -euo pipefail
cd "$(dirname "$0")"

seconds=${1:-}
if ! [[ $seconds =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: fuzz/run.sh SECONDS [TARGET]" >&2
  exit 2
fi
targets=(gate signed_request bodies proof mrz aamva barcode scan page)
if [ $# -gt 1 ]; then
  targets=("$2")
fi
declare -A longest=([gate]=131072 [signed_request]=4096 [bodies]=4096 [proof]=4400 [mrz]=1024 [aamva]=4096 [barcode]=16384 [scan]=8192 [page]=4096)
for target in "${targets[@]}"; do
  if [ -z "${longest[$target]:-}" ]; then
    echo "no such target: $target (one of ${!longest[*]})" >&2
    exit 2
  fi
done

export CARGO_TARGET_DIR=$PWD/target
host=$(rustc -vV | sed -n 's/^host: //p')
# What cargo-fuzz would set, less the sanitisers, which need nightly Rust.
coverage=(
  -Cpasses=sancov-module
  -Cllvm-args=-sanitizer-coverage-level=4
  -Cllvm-args=-sanitizer-coverage-inline-8bit-counters
  -Cllvm-args=-sanitizer-coverage-pc-table
  -Cllvm-args=-sanitizer-coverage-trace-compares
  --cfg fuzzing
)

# Not --locked: this lock file follows the crates it depends on by path, whose dependencies change more often than it.
cargo run --quiet --features seeds --bin seeds -- corpus
# One build for all, so that what they share is built once. Naming the host as a target keeps the flags away from build
# scripts and macros.
features=$(IFS=,; echo "${targets[*]}")
RUSTFLAGS="${coverage[*]}" cargo build --profile fuzz --target "$host" --features "$features" "${targets[@]/#/--bin=}"
for target in "${targets[@]}"; do
  echo "== $target"
  mkdir -p "artifacts/$target"
  options=(
    "-max_total_time=$seconds"
    "-max_len=${longest[$target]}"
    -timeout=10
    -rss_limit_mb=2048
    -print_final_stats=1
    "-artifact_prefix=$PWD/artifacts/$target/"
  )
  if [ -f "dictionaries/$target" ]; then
    options+=("-dict=dictionaries/$target")
  fi
  if ! "target/$host/fuzz/$target" "${options[@]}" "corpus/$target"; then
    newest=$(find "artifacts/$target" -type f -printf '%T@ %p\n' | sort -n | tail -1 | cut -d ' ' -f 2-)
    echo "$target: found something; see $PWD/$newest" >&2
    exit 1
  fi
done
