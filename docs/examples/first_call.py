"""Asks for an age with the `cryptography` package: first_call.py CREDENTIALS.json FACE.jpg"""

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
    body = json.dumps({"img": base64.b64encode(file.read()).decode()}).encode()

# What is signed: the method, the path with its query, and the body in base64, joined by "&".
path = f"/ai/v1/age?nonce={uuid.uuid4()}&timestamp={int(time.time())}"
message = b"&".join([b"POST", path.encode(), base64.b64encode(body)])
digest = key.sign(message, padding.PKCS1v15(), hashes.SHA256())

request = urllib.request.Request(credentials["base_url"] + path, data=body)
request.add_header("X-Svc-Auth-Id", credentials["sdk_id"])
request.add_header("X-Svc-Auth-Digest", base64.b64encode(digest).decode())
request.add_header("Content-Type", "application/json")
with urllib.request.urlopen(request) as answer:
    print(answer.read().decode())
