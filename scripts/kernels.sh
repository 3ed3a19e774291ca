#!/usr/bin/env bash
# Compares the loops of crates/search with the plain ones: those for NEON under QEMU, and those for AVX2 and AVX-512 where
# this processor has them. The last line says what ran.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/system-packages.sh kernels
rustup target list --installed | grep -qx aarch64-unknown-linux-gnu || rustup target add aarch64-unknown-linux-gnu

export CC_aarch64_unknown_linux_gnu=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu"
cargo test --quiet --locked -p assay-search --lib kernels
# Beside the loops themselves, whole searches that use them.
cargo test --quiet --locked -p assay-search --target aarch64-unknown-linux-gnu -- kernels exact::

native=(scalar)
if grep -q '^flags.* avx2' /proc/cpuinfo; then native+=(avx2); fi
if grep -q '^flags.* avx512_vnni' /proc/cpuinfo; then native+=(avx512); fi
echo "compared: ${native[*]} on this processor; neon under QEMU"
