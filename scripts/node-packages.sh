#!/usr/bin/env bash
# Installs the locked packages of a folder, when its lock file has changed since the last time:
# node-packages.sh [FOLDER]. Without a folder: those that carry the models.
set -euo pipefail
folder=${1:-models}
cd "$(dirname "$0")/../$folder"

for tool in node npm; do
    command -v "$tool" >/dev/null || { echo "$tool is missing: install Node 20.19 or newer" >&2; exit 1; }
done
# Two commands at once, `make run` and `make test` for example, install them once.
exec 9<.
flock 9
stamp=node_modules/.assay-stamp
if [ -f "$stamp" ] && cmp -s package-lock.json "$stamp"; then
    exit 0
fi
echo "installing the npm packages of $folder"
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
cp package-lock.json "$stamp"
