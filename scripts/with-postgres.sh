#!/usr/bin/env bash
# Runs a command with a throw-away PostgreSQL: with-postgres.sh COMMAND [ARGUMENT ...]
# ASSAY_TEST_POSTGRES_URL names it. The cluster lives in a temporary folder and is gone afterwards: in memory where there is room,
# because each test has a database of its own, and making its hundreds of files would take longer than what is in them.
set -euo pipefail

# The newest server: clients that are newer have a folder without one.
initdb=$(find /usr/lib/postgresql -mindepth 3 -maxdepth 3 -path '*/bin/initdb' 2>/dev/null | sort -V | tail -n 1 || true)
[ -n "$initdb" ] || { echo "PostgreSQL is missing; run scripts/system-packages.sh tests" >&2; exit 1; }
binaries=${initdb%/initdb}
version=$(basename "${binaries%/bin}")
if [ "${version%%.*}" -lt 15 ]; then
    echo "PostgreSQL is of version $version; from 15 on it can order texts as these tests need it" >&2
    exit 1
fi

# PostgreSQL refuses to run as root, so root lends it to the user Debian made for it.
as_postgres=()
if [ "$(id -u)" -eq 0 ]; then as_postgres=(setpriv --reuid=postgres --regid=postgres --init-groups --); fi
# Whether a cluster can lie in a folder. Some folders for root's temporary files are closed to everyone else.
is_open() { [ -w "$1" ] && (cd / && "${as_postgres[@]}" test -x "$1"); }

NEEDED_KIB=$((3 << 20))
free_kib=$(df --output=avail /dev/shm 2>/dev/null | tail -n 1 || true)
parent=${TMPDIR:-/tmp}
if ! is_open "$parent"; then parent=/tmp; fi
if [ "${free_kib:-0}" -ge "$NEEDED_KIB" ] && is_open /dev/shm; then parent=/dev/shm; fi
folder=$(mktemp -d -p "$parent" assay-postgres.XXXXXX)
run() { "$@"; }
if [ ${#as_postgres[@]} -gt 0 ]; then
    chown postgres "$folder"
    run() { (cd "$folder" && "${as_postgres[@]}" "$@"); }
fi
# shellcheck disable=SC2317 # The trap calls it.
stop() {
    run "$binaries/pg_ctl" --pgdata="$folder/data" --mode=immediate --silent stop >/dev/null 2>&1 || true
    rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT TERM

# Texts are in the order of a language, as in most databases, and not in that of their bytes, as in SQLite. For the rest there is
# the locale that every Debian has: the one that LANG names may not be installed.
run "$initdb" --pgdata="$folder/data" --username=assay --auth=trust --encoding=UTF8 --locale=C.UTF-8 --locale-provider=icu \
    --icu-locale=en-US --no-sync >/dev/null
# Durability is the one thing that tests of a throw-away cluster do not need.
for port in $(shuf -i 20000-29999 -n 20); do
    options="-c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories=$folder -c fsync=off \
        -c full_page_writes=off -c max_connections=300"
    if run "$binaries/pg_ctl" --pgdata="$folder/data" --log="$folder/log" --options="$options" --wait --silent start; then
        ASSAY_TEST_POSTGRES_URL="postgres://assay@127.0.0.1:$port/postgres" "$@"
        exit
    fi
done
echo "PostgreSQL did not start:" >&2
cat "$folder/log" >&2
exit 1
