// The capture module as a page would use it, and then the business's server signing what it got.
// node capture.mjs CREDENTIALS.json IMAGE
import { randomUUID, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

const [credentialsFile, imageFile] = process.argv.slice(2);
const credentials = JSON.parse(readFileSync(credentialsFile, "utf8"));
const base = credentials.base_url;

const module = await (await fetch(`${base}/ai/sm/v1/secure/1/capture.js`)).text();
const { SecureCapture } = await import(`data:text/javascript;base64,${Buffer.from(module).toString("base64")}`);
const session = await SecureCapture.start({ baseUrl: base, sdkId: credentials.sdk_id });
const image = readFileSync(imageFile);
const sealed = await session.seal(image);
const other = await session.seal(Buffer.from("another image"));

async function call(content) {
  const body = Buffer.from(JSON.stringify(content));
  const path = `/ai/v1/age?secure=true&nonce=${randomUUID()}&timestamp=${Date.now()}`;
  const text = Buffer.from(`POST&${path}&${body.toString("base64")}`);
  const key = readFileSync(resolve(dirname(credentialsFile), credentials.private_key_path));
  const digest = sign("sha256", text, key).toString("base64");
  const headers = { "X-Svc-Auth-Id": credentials.sdk_id, "X-Svc-Auth-Digest": digest };
  const answer = await (await fetch(base + path, { method: "POST", body, headers })).json();
  return answer.error_code ?? (typeof answer.age === "number" ? "an age" : "nothing");
}

console.log(session.expired ? "expired" : "fresh");
console.log(await call(sealed));
console.log(await call({ img: sealed.img, secure: other.secure }));
console.log(await call({ img: sealed.img }));
