// Asks for an age with what Node brings along: node first-call.mjs CREDENTIALS.json FACE.jpg
import { randomUUID, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

const [credentialsFile, face] = process.argv.slice(2);
const credentials = JSON.parse(readFileSync(credentialsFile, "utf8"));
// The key's path is relative to the folder of the credentials.
const key = readFileSync(resolve(dirname(credentialsFile), credentials.private_key_path), "utf8");
const body = Buffer.from(JSON.stringify({ img: readFileSync(face).toString("base64") }));

// What is signed: the method, the path with its query, and the body in base64, joined by "&".
const path = `/ai/v1/age?nonce=${randomUUID()}&timestamp=${Math.floor(Date.now() / 1000)}`;
const digest = sign("sha256", Buffer.from(`POST&${path}&${body.toString("base64")}`), key);

const answer = await fetch(credentials.base_url + path, {
  method: "POST",
  body,
  headers: {
    "X-Svc-Auth-Id": credentials.sdk_id,
    "X-Svc-Auth-Digest": digest.toString("base64"),
    "Content-Type": "application/json",
  },
});
console.log(await answer.text());
process.exitCode = answer.ok ? 0 : 1;
