#!/usr/bin/env bash
# Builds a crate of ours so that libFuzzer sees where its inputs get to; cargo calls it for the workspace's crates alone
# (RUSTC_WORKSPACE_WRAPPER). Build scripts are run, and macros are loaded by the compiler, without libFuzzer.
if [[ " $* " == *" --crate-name build_script_build "* || " $* " == *" --crate-type proc-macro "* ]]; then
  exec "$@"
fi
# shellcheck disable=SC2086 # flags without spaces
exec "$@" $COVERAGE
