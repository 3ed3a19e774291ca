#!/usr/bin/env bash
# Installs the locked Python packages of a folder into a virtual environment there, when its list has changed since the
# last time: python-packages.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/../$1"

command -v python3 >/dev/null || { echo "python3 is missing: install Python 3.11 or newer" >&2; exit 1; }
stamp=.venv/.assay-stamp
if [ -f "$stamp" ] && cmp -s requirements.txt "$stamp"; then
    exit 0
fi
echo "installing the Python packages of $1"
rm -rf .venv
python3 -m venv .venv
.venv/bin/pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r requirements.txt
cp requirements.txt "$stamp"
