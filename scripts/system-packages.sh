#!/usr/bin/env bash
# Installs the Debian packages that are missing; quiet and quick when none is.
set -euo pipefail

# What each is for: gcc builds the C parts of some crates, g++ the fuzzer's runtime; ffmpeg decodes video, poppler-utils
# reads PDF files; curl and openssl serve the examples. The tests start a throw-away PostgreSQL, drive the pages in a
# browser, run the examples for Python, decode answers with Go, print specimens of documents and keep a key in a token of software; the benches drive
# a page and have peers from PyPI.
# Spelling is checked by a package from PyPI, shell scripts by shellcheck. Loops for ARM are built with a cross compiler and run by QEMU. A bare machine to try all this on is made by mmdebstrap.
packages=(gcc g++ libc6-dev make pkg-config curl openssl ffmpeg poppler-utils)
[ "${1:-}" = tests ] && packages+=(postgresql chromium python3 python3-cryptography fonts-dejavu-core fonts-ocr-b softhsm2 golang-go)
[ "${1:-}" = lint ] && packages+=(python3 python3-venv)
[ "${1:-}" = shell ] && packages+=(shellcheck)
[ "${1:-}" = kernels ] && packages+=(qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
[ "${1:-}" = bare ] && packages=(git mmdebstrap)
[ "${1:-}" = benches ] && packages+=(chromium python3 python3-venv tesseract-ocr libgl1 fonts-dejavu-core fonts-ocr-b)

missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
    echo "These are needed: ${missing[*]}. Install them with your system's package manager." >&2
    exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "Run as root: apt-get install ${missing[*]}" >&2; exit 1; }
    as_root=(sudo)
fi
echo "installing ${missing[*]}"
# Debian would start a database cluster of its own; ours are throw-away.
if [[ " ${missing[*]} " == *" postgresql "* ]] && [ ! -e /etc/postgresql-common/createcluster.conf ]; then
    "${as_root[@]}" mkdir -p /etc/postgresql-common
    echo 'create_main_cluster = false' | "${as_root[@]}" tee /etc/postgresql-common/createcluster.conf >/dev/null
fi
# sudo hands no variables on. A machine that was just started may be updating itself.
apt_get=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive DEBCONF_NOWARNINGS=yes apt-get -qq -o DPkg::Lock::Timeout=300)
"${apt_get[@]}" update
"${apt_get[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null
