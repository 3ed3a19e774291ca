#!/usr/bin/env bash
# Runs a test program (with its arguments) if it can meet the database that ASSAY_TEST_POSTGRES_URL names; cargo calls it for
# each. A program that does not know that name would do again what it does without one.
set -euo pipefail
status=0
grep -qaF ASSAY_TEST_POSTGRES_URL "$1" || status=$?
case $status in
    0) exec "$@" ;;
    1) echo "left out: it meets no database" ;;
    # It could not be read.
    *) exit "$status" ;;
esac
