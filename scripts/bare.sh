#!/usr/bin/env bash
# Tries the README's commands on a bare machine: Debian's smallest system in a chroot, with this machine's Rust and Node,
# make, git and certificates, and a clone of HEAD. Whatever else is needed, the commands must install themselves.
#
#   scripts/bare.sh [setup|run|test|postgres|ci|dress|all ...] [--keep]
#
#   setup   make help, make setup, the packages of the tests, and what `make run` would do next; takes minutes
#   run     make help, then make run until it answers, then the README's first call
#   test    make test
#   postgres  what make test does on PostgreSQL: the tests that may meet a database
#   ci      .ci/run
#   dress   from here on with more fonts, and every package (Chromium among them) as new as the release has it
#   all     run, test, dress and test again; so also where nothing is said
#   --keep  leave the chroot in target/bare/root, to look around
#
# What is said is tried in that order, on the same machine.
#
# Needs root, mmdebstrap and about 20 GB of disk. Logs lie in target/bare/. Mounts are made in a namespace of their own and
# go with it.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/.."

usage() {
    sed -n 's/^#   \(.*\)/\1/p' "$0" >&2
    exit 2
}

what=() keep=''
for argument in "$@"; do
    case $argument in
        setup | run | test | postgres | ci | dress) what+=("$argument") ;;
        all) what+=(run test dress test) ;;
        --keep) keep=1 ;;
        *) usage ;;
    esac
done
[ ${#what[@]} -gt 0 ] || what=(run test dress test)

here=$PWD
logs=$here/target/bare
root=$logs/root
home=/srv/assay

say() { printf '== %s\n' "$*"; }

# --- outside the namespace: what is needed, and what is left behind ---

if [ -z "${ASSAY_BARE_INSIDE:-}" ]; then
    [ "$(id -u)" -eq 0 ] || { echo "a chroot needs root: sudo scripts/bare.sh" >&2; exit 1; }
    for tool in mmdebstrap unshare chroot git rustc node npm; do
        command -v "$tool" >/dev/null || { echo "$tool is missing on this machine" >&2; exit 1; }
    done
    rm -rf "$root"
    mkdir -p "$logs"
    # shellcheck disable=SC2317 # The trap calls it.
    leave() { if [ -n "$keep" ]; then say "the chroot is kept in $root"; else rm -rf "$root"; fi; }
    trap leave EXIT
    trap 'exit 130' INT TERM
    # Whatever is left running inside, a database or a browser, ends with its process namespace.
    ASSAY_BARE_INSIDE=1 unshare --mount --pid --fork --kill-child -- "$0" "$@"
    exit
fi
trap 'exit 130' INT TERM

# --- the machine ---

# What apt is told on this machine about fetching: mirrors, proxies, clocks. Other sources than Debian's are left out.
apt_settings=$logs/apt.conf
apt-config dump 2>/dev/null | grep -E '^Acquire::(https?|Retries|Check-|Languages)' >"$apt_settings" || true
sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
    if grep -qsE '^(deb |Types:)' "$file"; then sources+=("$file"); fi
done
release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)

# Copies files of this machine to where they lie here.
copy() {
    for path in "$@"; do
        [ -e "$path" ] || continue
        mkdir -p "$root$(dirname "$path")"
        cp -rL "$path" "$root$(dirname "$path")/"
    done
}

# Shows a file or folder of this machine inside, to be read.
lend() {
    local from=$1 to=$root$2
    if [ -d "$from" ]; then mkdir -p "$to"; else mkdir -p "$(dirname "$to")" && touch "$to"; fi
    mount --bind "$from" "$to"
    mount -o remount,bind,ro "$to"
}

# A variable of this machine and what it says, if it is set.
pass() {
    for name in "$@"; do
        if [ -n "${!name:-}" ]; then environment+=("$name=${!name}"); fi
    done
}

build_machine() {
    # shellcheck disable=SC2016 # The shell of the hook expands it.
    mmdebstrap --variant=minbase --include=ca-certificates,git,make --aptopt="$apt_settings" \
        --setup-hook='mkdir -p "$1/usr/local/share" && { [ ! -d /usr/local/share/ca-certificates ] || cp -r /usr/local/share/ca-certificates "$1/usr/local/share/"; }' \
        "$release" "$root" "${sources[@]}"
    copy /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt

    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs tmpfs "$root/dev/shm"

    lend "$(rustc --print sysroot)" /opt/rust
    # npm is a folder beside Node, wherever Node came from.
    lend "$(node --print process.execPath)" /opt/node/bin/node
    lend "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" /opt/node/lib/node_modules/npm
    ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/opt/node/bin/npm"

    # How this machine reaches registries, and the crates it has fetched already; not what it has built.
    copy "$(npm config get globalconfig)" /etc/pip.conf
    local userconfig cargo_home=${CARGO_HOME:-$HOME/.cargo}
    userconfig=$(npm config get userconfig)
    if [ -e "$userconfig" ]; then cp "$userconfig" "$root/root/.npmrc"; fi
    mkdir -p "$root/root/.cargo/registry"
    for part in config.toml registry/index registry/cache; do
        if [ -e "$cargo_home/$part" ]; then cp -r "$cargo_home/$part" "$root/root/.cargo/$part"; fi
    done

    git clone --quiet "$here" "$root$home"
    git -C "$root$home" checkout --quiet --detach "$(git rev-parse HEAD)"
}

# Everything that makes a machine look like one that somebody works at, as far as tests could notice.
dress_machine() {
    inside apt-get update -qq
    inside apt-get upgrade -y -qq
    inside apt-get install -y -qq --no-install-recommends fonts-liberation chromium
}

# Runs a command in the clone, with nothing of this machine's environment but the way to the registries: no language, no
# user's name, no terminal.
environment=(HOME=/root PATH=/opt/rust/bin:/opt/node/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    DEBIAN_FRONTEND=noninteractive)
pass http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY NODE_EXTRA_CA_CERTS
inside() {
    # shellcheck disable=SC2016 # The shell inside expands it.
    env --ignore-environment "${environment[@]}" \
        chroot "$root" /bin/bash -c 'cd "$1" 2>/dev/null || cd /; shift; exec "$@"' - "$home" "$@" </dev/null
}

# --- what is tried there ---

# The list of what can be made, before anything is installed.
try_help() { inside make help; }

try_setup() {
    try_help
    inside make setup
    inside scripts/system-packages.sh tests
    inside make --dry-run run
}

try_run() {
    local port answered='' line
    try_help
    port=$(shuf -i 20000-29999 -n 1)
    set -m
    # This shell outlives the signal that ends the server, or the time of processors that the build took would be lost.
    { trap : TERM; inside make run LISTEN="127.0.0.1:$port"; } &
    local server=$!
    set +m
    # An hour is more than a build takes; whoever waits for less sees a slow machine fail.
    for _ in $(seq 1200); do
        kill -0 "$server" 2>/dev/null || break
        if inside curl --silent --fail --output /dev/null "http://127.0.0.1:$port/readyz" 2>/dev/null; then
            answered=1
            break
        fi
        sleep 3
    done
    if [ -z "$answered" ]; then
        echo "make run came to no answer"
        kill -TERM -- "-$server" 2>/dev/null || true
        return 1
    fi
    echo ":: answers after $(minutes $((SECONDS - began))) minutes"
    line=$(grep -m 1 '^target/.*assay call ' README.md)
    echo "\$ $line"
    local status=0
    # The words of the line are the command's.
    # shellcheck disable=SC2086
    inside $line || status=$?
    kill -TERM -- "-$server"
    wait "$server" || true
    return "$status"
}

try_test() { inside make test; }

try_postgres() {
    inside make setup
    inside scripts/system-packages.sh tests
    inside cargo test --workspace --locked --no-run
    inside target/debug/assay models import --from models/node_modules --to models/pack
    inside make test-postgres
}

try_ci() { inside .ci/run; }

minutes() { printf '%d.%d' $(($1 / 60)) $(($1 % 60 / 6)); }

# Seconds of processors that finished commands have used, into a variable.
used_so_far() {
    local stat
    read -ra stat </proc/self/stat
    printf -v "$1" '%d' $(((stat[15] + stat[16]) / $(getconf CLK_TCK)))
}

# Takes a step: its words, its log, the command. One that fails is told, and does not keep the others from being tried.
failed=''
step() {
    local words=$1 log=$logs/$2.log used_before used_after status took
    shift 2
    say "$words (${log#"$here/"})"
    used_so_far used_before
    began=$SECONDS
    # No condition, inside which errors would not end it.
    set +e
    (
        set -e
        "$@"
    ) >"$log" 2>&1
    status=$?
    set -e
    used_so_far used_after
    took="$(minutes $((SECONDS - began))) minutes, of processors $(minutes $((used_after - used_before)))"
    if [ "$status" -eq 0 ]; then
        say "$words: done in $took"
        grep '^::' "$log" || true
        return
    fi
    say "$words: FAILED after $took; its log ends:"
    tail -n 40 "$log"
    failed=1
}

# A step without which the others make no sense.
needed() {
    local failed=''
    step "$@"
    if [ -n "$failed" ]; then exit 1; fi
}

needed "building a bare machine ($release)" machine build_machine
dressed=''
for each in "${what[@]}"; do
    case $each in
        setup) step "make setup${dressed:+, dressed}" "setup$dressed" try_setup ;;
        run) step "make run${dressed:+, dressed}" "run$dressed" try_run ;;
        test) step "make test${dressed:+, dressed}" "test$dressed" try_test ;;
        postgres) step "make test-postgres${dressed:+, dressed}" "postgres$dressed" try_postgres ;;
        ci) step ".ci/run${dressed:+, dressed}" "ci$dressed" try_ci ;;
        dress)
            needed "dressing it" dress dress_machine
            dressed=-dressed
            ;;
    esac
done
[ -z "$failed" ]
