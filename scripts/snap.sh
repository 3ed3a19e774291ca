#!/usr/bin/env bash
# Accepts what the interfaces answer now: writes openapi/*.json, web/tests/recorded/ and the snapshots of answers. With arguments,
# only tests with one of them in their names run; without, all run, and snapshots that no test has any more go.
set -euo pipefail
cd "$(dirname "$0")/.."

# The whole workspace is built, as by every other target; of its tests those of the interfaces are run.
artifacts=$(cargo test --workspace --locked --test it --no-run --message-format=json)
it=$(node -e '
  const lines = require("node:fs").readFileSync(0, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
  const built = lines.find((line) => line.executable && line.manifest_path?.endsWith("/crates/api/Cargo.toml"));
  console.log(built.executable);
' <<< "$artifacts")

cd crates/api
if [ $# -eq 0 ]; then find tests -name '*.snap' -delete; fi
UPDATE_OPENAPI=1 UPDATE_RECORDED=1 INSTA_UPDATE=always "$it" "$@" --skip response_snapshots::
