#!/usr/bin/env bash
# Compiles a crate of the workspace with coverage flags, so that libFuzzer sees which code its inputs reach. Cargo calls it for
# the workspace's crates alone (RUSTC_WORKSPACE_WRAPPER). Not for build scripts and macros, which run without libFuzzer.
if [[ " $* " == *" --crate-name build_script_build "* || " $* " == *" --crate-type proc-macro "* ]]; then
  exec "$@"
fi
# shellcheck disable=SC2086 # flags without spaces
exec "$@" $COVERAGE
