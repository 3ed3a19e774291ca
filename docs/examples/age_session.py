"""Asks somebody to show that they are 18 or over, with Python alone: age_session.py CREDENTIALS.json

Prints the address of the page for them, waits until they are done, and prints the result. With `--sandbox` the session is
one of the sandbox, where whoever is in a photo is thirty.
"""

import json
import sys
import time
import urllib.error
import urllib.request
import uuid

with open(sys.argv[1]) as file:
    credentials = json.load(file)
base = credentials["base_url"] + ("/sandbox" if "--sandbox" in sys.argv else "") + "/api/v1"


def call(method, path, body=None):
    request = urllib.request.Request(base + path, method=method)
    request.add_header("Authorization", f"Bearer {credentials['api_key']}")
    request.add_header("Svc-Sdk-Id", credentials["sdk_id"])
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
        # A request that is repeated with the same key is answered alike, so a lost answer makes nothing twice.
        request.add_header("Idempotency-Key", str(uuid.uuid4()))
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        sys.exit(f"{method} {path}: {error.code} {error.read().decode()}")


session = call("POST", "/sessions", {
    "type": "OVER",
    "ttl": 900,
    "age_estimation": {"threshold": 18, "level": "PASSIVE"},
    "doc_scan": {"threshold": 18, "authenticity": "AUTO"},
})
print(session["url"], flush=True)

# Instead of asking again and again, name a `notification_url`: your server is told, signed. Then a `callback_url` brings the
# person back to you.
ends = time.monotonic() + 900
while True:
    time.sleep(1)
    record = call("GET", f"/sessions/{session['id']}/result")
    if record["status"] not in ("PENDING", "IN_PROGRESS", "PROCESSING") or time.monotonic() > ends:
        break
print(json.dumps({"session": session["id"], "status": record["status"], "method": record.get("method")}))
sys.exit(0 if record["status"] == "COMPLETE" else 1)
