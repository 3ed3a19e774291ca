#!/usr/bin/env bash
# Runs a test program (with its arguments) if it can meet the database that ASSAY_TEST_POSTGRES_URL names, or, after `--not`, if it
# cannot; cargo calls it for each. A program that does not know that name would do with another database what it does without one.
set -euo pipefail
wanted=0
if [ "$1" = --not ]; then
    wanted=1
    shift
fi
status=0
grep -qaF ASSAY_TEST_POSTGRES_URL "$1" || status=$?
case $status in
    "$wanted") exec "$@" ;;
    0) echo "left out: it meets a database" ;;
    1) echo "left out: it meets no database" ;;
    # It could not be read.
    *) exit "$status" ;;
esac
