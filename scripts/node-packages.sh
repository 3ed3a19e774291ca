#!/usr/bin/env bash
# Installs the locked packages that carry the models, when the lock file has changed since the last time.
set -euo pipefail
cd "$(dirname "$0")/../models"

for tool in node npm; do
    command -v "$tool" >/dev/null || { echo "$tool is missing: install Node 20 or newer" >&2; exit 1; }
done
stamp=node_modules/.assay-stamp
if [ -f "$stamp" ] && cmp -s package-lock.json "$stamp"; then
    exit 0
fi
echo "installing the packages that carry the models"
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
cp package-lock.json "$stamp"
