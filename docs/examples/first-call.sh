#!/usr/bin/env bash
# Asks for an age with curl and openssl: first-call.sh CREDENTIALS.json FACE.jpg
set -euo pipefail

field() { sed -n "s/.*\"$1\": \"\([^\"]*\)\".*/\1/p" "$credentials"; }
credentials=$1
body=$(mktemp)
trap 'rm -f "$body"' EXIT
# The key's path is relative to the folder of the credentials, unless it begins with a slash.
key=$(field private_key_path)
[[ $key == /* ]] || key=$(dirname "$credentials")/$key
printf '{"img":"%s"}' "$(base64 -w0 "$2")" >"$body"

# What is signed: the method, the path with its query, and the body in base64, joined by "&".
path="/ai/v1/age?nonce=$(cat /proc/sys/kernel/random/uuid)&timestamp=$(date +%s)"
digest=$({ printf 'POST&%s&' "$path"; base64 -w0 "$body"; } |
    openssl dgst -sha256 -sign "$key" | base64 -w0)

curl --silent --show-error --fail-with-body --data-binary @"$body" \
    --header "X-Svc-Auth-Id: $(field sdk_id)" --header "X-Svc-Auth-Digest: $digest" \
    --header 'Content-Type: application/json' "$(field base_url)$path"
