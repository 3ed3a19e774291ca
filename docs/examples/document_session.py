"""Opens a session that compares a live face with one of yours: document_session.py CREDENTIALS.json FACE.jpg

Prints the session and the address of the page for the person; `--cancel` deletes the session again.
"""

import base64
import json
import os
import sys
import time
import urllib.request
import uuid

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

with open(sys.argv[1]) as file:
    credentials = json.load(file)
# The key's path is relative to the folder of the credentials.
with open(os.path.join(os.path.dirname(sys.argv[1]), credentials["private_key_path"]), "rb") as file:
    key = serialization.load_pem_private_key(file.read(), password=None)
with open(sys.argv[2], "rb") as file:
    face = file.read()


def call(expected, method, path, body=None, content_type="application/json"):
    """Signs a call and makes it; the answer's JSON, where there is any."""
    path = f"/idverify/v1{path}?sdkId={credentials['sdk_id']}&nonce={uuid.uuid4()}&timestamp={int(time.time())}"
    parts = [method.encode(), path.encode()]
    if body is not None:
        parts.append(base64.b64encode(body))
    digest = key.sign(b"&".join(parts), padding.PKCS1v15(), hashes.SHA256())
    request = urllib.request.Request(credentials["base_url"] + path, data=body, method=method)
    request.add_header("X-Svc-Auth-Digest", base64.b64encode(digest).decode())
    request.add_header("X-Svc-SDK", "Python")
    if body is not None:
        request.add_header("Content-Type", content_type)
    with urllib.request.urlopen(request) as answer:
        if answer.status != expected:
            sys.exit(f"{method} {path}: {answer.status}, not {expected}")
        text = answer.read()
    return json.loads(text) if text else None


wanted = {
    "client_session_token_ttl": 900,
    "requested_checks": [
        {"type": "LIVENESS", "config": {"liveness_type": "STATIC", "max_retries": 3}},
        {"type": "FACE_COMPARISON", "config": {"manual_check": "NEVER"}},
    ],
    "user_tracking_id": str(uuid.uuid4()),
}
session = call(201, "POST", "/sessions", json.dumps(wanted).encode())
path = f"/sessions/{session['session_id']}"

# The person's page waits for the face that theirs is compared with.
required = call(200, "GET", f"{path}/configuration")["capture"]["required_resources"]
requirement = next(one["id"] for one in required if one["type"] == "FACE_CAPTURE")
resource = call(201, "POST", f"{path}/resources/face-capture", json.dumps({"requirement_id": requirement}).encode())
boundary = uuid.uuid4().hex
form = (
    f"--{boundary}\r\n"
    'Content-Disposition: form-data; name="binary-content"; filename="face.jpg"\r\n'
    "Content-Type: image/jpeg\r\n\r\n"
).encode() + face + f"\r\n--{boundary}--\r\n".encode()
call(200, "PUT", f"{path}/resources/face-capture/{resource['id']}/image", form, f"multipart/form-data; boundary={boundary}")

state = call(200, "GET", path)["state"]
if "--cancel" in sys.argv:
    call(204, "DELETE", path)
    state = "DELETED"
print(json.dumps({"session": session["session_id"], "state": state, "page": session["url"]}))
