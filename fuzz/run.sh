#!/usr/bin/env bash
# Feeds made-up bytes to what reads bytes from outside. Stable Rust and a C++ compiler are enough.
#
#   fuzz/run.sh SECONDS [TARGET]
#
# Runs each target (or the one named) for so many seconds. Ends with an error at the first finding, and says what shows it
# again.
set -euo pipefail
cd "$(dirname "$0")"

seconds=${1:-}
if ! [[ $seconds =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: fuzz/run.sh SECONDS [TARGET]" >&2
  exit 2
fi
targets=(gate signed_request bodies proof wallet mrz aamva barcode scan page)
if [ $# -gt 1 ]; then
  targets=("$2")
fi
declare -A longest=([gate]=131072 [signed_request]=4096 [bodies]=4096 [proof]=4400 [wallet]=8192 [mrz]=1024 [aamva]=4096 [barcode]=16384 [scan]=8192 [page]=4096)
for target in "${targets[@]}"; do
  if [ -z "${longest[$target]:-}" ]; then
    echo "no such target: $target (one of ${!longest[*]})" >&2
    exit 2
  fi
done

cargo test --workspace --quiet --locked --features assay-fuzz/seeds --test fuzz_seeds -- "$PWD/corpus"
# What cargo-fuzz would set, less the sanitisers, which need nightly Rust.
export COVERAGE="-Cpasses=sancov-module
  -Cllvm-args=-sanitizer-coverage-level=4
  -Cllvm-args=-sanitizer-coverage-inline-8bit-counters
  -Cllvm-args=-sanitizer-coverage-pc-table
  -Cllvm-args=-sanitizer-coverage-trace-compares
  --cfg fuzzing"
# With DEEP set, the crates of others are watched as well, which means building them all again, elsewhere. Naming the host
# as a target keeps the flags away from build scripts and macros.
where=()
if [ -n "${DEEP:-}" ]; then
  export RUSTFLAGS=${COVERAGE//$'\n'/ } CARGO_TARGET_DIR=$PWD/target
  where=(--target "$(rustc -vV | sed -n 's/^host: //p')")
else
  export RUSTC_WORKSPACE_WRAPPER=$PWD/watched.sh
fi

binaries=$(cargo test --workspace --locked --no-run "${where[@]}" --features assay-fuzz/targets "${targets[@]/#/--test=fuzz_}" \
  --message-format json-render-diagnostics | sed -n 's/.*"executable":"\([^"]*\)".*/\1/p')
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
  binary=$(grep "/fuzz_$target-[0-9a-f]*$" <<<"$binaries")
  if ! "$binary" "${options[@]}" "corpus/$target"; then
    newest=$(find "artifacts/$target" -type f -printf '%T@ %p\n' | sort -n | tail -1 | cut -d ' ' -f 2-)
    echo "$target: found something; $binary $PWD/$newest shows it again" >&2
    exit 1
  fi
done
