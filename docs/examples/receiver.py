"""Tells whether a delivery is genuine, with the standard library alone.

`verify` is what a receiver needs. Run as a filter, this reads header lines, an empty line and the body:
WEBHOOK_SECRET=whsec_… python3 receiver.py < delivery
"""

import base64
import hashlib
import hmac
import os
import sys
import time

TOLERANCE = 5 * 60  # seconds


def verify(secret: str, headers: dict[str, str], body: bytes) -> str:
    """The delivery's id; a ValueError where it is not genuine. Names of `headers` are in lower case, `body` is raw."""
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if name not in headers:
            raise ValueError(f"{name} is missing")
    delivery, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    # Each attempt is signed anew, so an old timestamp is a replay, or one of the clocks is wrong.
    if abs(time.time() - int(timestamp)) > TOLERANCE:
        raise ValueError("it was not signed within five minutes of now")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{delivery}.{timestamp}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # While the secret is being changed there are two: "v1,… v1,…".
    for signature in headers["webhook-signature"].split():
        version, _, value = signature.partition(",")
        if version == "v1" and hmac.compare_digest(value.encode(), expected):
            return delivery
    raise ValueError("no signature is right")


if __name__ == "__main__":
    head, _, body = sys.stdin.buffer.read().partition(b"\n\n")
    lines = [line.split(":", 1) for line in head.decode().splitlines()]
    headers = {name.lower(): value.strip() for name, value in lines}
    try:
        print("genuine:", verify(os.environ["WEBHOOK_SECRET"], headers, body))
    except ValueError as problem:
        sys.exit(f"refused: {problem}")
