#!/usr/bin/env bash
# Feeds generated input to the code that parses input from outside. Needs stable Rust and a C++ compiler.
#
#   fuzz/run.sh SECONDS [TARGET]
#
# Runs each target (or the named one) for this many seconds, as many at once as there are cores. Begins none after a
# finding, says how to reproduce it, and ends with an error.
set -euo pipefail
cd "$(dirname "$0")"

seconds=${1:-}
if ! [[ $seconds =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: fuzz/run.sh SECONDS [TARGET]" >&2
  exit 2
fi
targets=(bodies gate signed_request proof wallet mrz aamva barcode scan page)
if [ $# -gt 1 ]; then
  targets=("$2")
fi
declare -A max_bytes=([gate]=131072 [signed_request]=4096 [bodies]=4096 [proof]=4400 [wallet]=8192 [mrz]=1024 [aamva]=4096 [barcode]=16384 [scan]=8192 [page]=4096)
for target in "${targets[@]}"; do
  if [ -z "${max_bytes[$target]:-}" ]; then
    echo "no such target: $target (one of ${!max_bytes[*]})" >&2
    exit 2
  fi
done

cargo test --workspace --quiet --locked --features assay-fuzz/seeds --test fuzz_seeds -- "$PWD/corpus"
# The flags of cargo-fuzz, without the sanitisers, which need nightly Rust.
export COVERAGE="-Cpasses=sancov-module
  -Cllvm-args=-sanitizer-coverage-level=4
  -Cllvm-args=-sanitizer-coverage-inline-8bit-counters
  -Cllvm-args=-sanitizer-coverage-pc-table
  -Cllvm-args=-sanitizer-coverage-trace-compares
  --cfg fuzzing"
# With DEEP set, third-party crates are instrumented, too, and therefore all rebuilt in another folder. Naming the host as a
# target keeps the flags away from build scripts and macros.
target_options=()
if [ -n "${DEEP:-}" ]; then
  export RUSTFLAGS=${COVERAGE//$'\n'/ } CARGO_TARGET_DIR=$PWD/target
  target_options=(--target "$(rustc -vV | sed -n 's/^host: //p')")
else
  export RUSTC_WORKSPACE_WRAPPER=$PWD/instrument.sh
fi

# Compiles targets with what the feature of this package asks for.
compile() {
  local feature=$1
  shift
  cargo test --workspace --locked --no-run "${target_options[@]}" --features "assay-fuzz/$feature" "${@/#/--test=fuzz_}" \
    --message-format json-render-diagnostics | sed -n 's/.*"executable":"\([^"]*\)".*/\1/p'
}

# `bodies` alone needs the interfaces, so it compiles them while others run.
parsers=()
for target in "${targets[@]}"; do
  [ "$target" = bodies ] || parsers+=("$target")
done
binaries=
if [ ${#parsers[@]} -gt 0 ]; then
  binaries=$(compile parsers "${parsers[@]}")
fi

# What one target prints is kept together. Whoever finds something leaves a file.
fuzz() {
  local target=$1 binary options newest
  mkdir -p "artifacts/$target"
  options=(
    "-max_total_time=$seconds"
    "-max_len=${max_bytes[$target]}"
    -timeout=10
    -rss_limit_mb=2048
    -print_final_stats=1
    "-artifact_prefix=$PWD/artifacts/$target/"
  )
  if [ -f "dictionaries/$target" ]; then
    options+=("-dict=dictionaries/$target")
  fi
  if [ "$target" = bodies ]; then
    binary=$(compile targets bodies)
  else
    binary=$(grep "/fuzz_$target-[0-9a-f]*$" <<<"$binaries")
  fi
  if "$binary" "${options[@]}" "corpus/$target" >"artifacts/$target.log" 2>&1; then
    echo "== $target"
    cat "artifacts/$target.log"
  else
    newest=$(find "artifacts/$target" -type f -printf '%T@ %p\n' | sort -n | tail -1 | cut -d ' ' -f 2-)
    echo "== $target"
    cat "artifacts/$target.log"
    echo "$target: a finding; reproduce it with: $binary $PWD/$newest" >&2
    return 1
  fi
}

# One for each core; what runs beside a finding comes to its end.
running=0 found=0
for target in "${targets[@]}"; do
  if [ "$running" -ge "$(nproc)" ]; then
    running=$((running - 1))
    wait -n || { found=1 && break; }
  fi
  fuzz "$target" &
  running=$((running + 1))
done
while [ "$running" -gt 0 ]; do
  running=$((running - 1))
  wait -n || found=1
done
exit "$found"
