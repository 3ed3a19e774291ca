// Opens a session for a passport and a live face: node document-session.mjs CREDENTIALS.json FACE.jpg
//
// FACE.jpg is the face that you know, which the live one is compared with. Prints the session and the address of the page
// for the person; `--cancel` deletes the session again.
import { randomUUID, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

const [credentialsFile, face] = process.argv.slice(2);
const credentials = JSON.parse(readFileSync(credentialsFile, "utf8"));
// The key's path is relative to the folder of the credentials.
const key = readFileSync(resolve(dirname(credentialsFile), credentials.private_key_path), "utf8");

/** Signs a call and makes it. The body is what `fetch` takes: text, bytes or a form. */
async function call(expected, method, path, body, headers = {}) {
  const query = `sdkID=${credentials.sdk_id}&nonce=${randomUUID()}&timestamp=${Math.floor(Date.now() / 1000)}`;
  const address = `/idverify/v1${path}?${query}`;
  // What is signed is what is sent: a form is written out first, whose boundary the headers then name.
  const request = new Request(credentials.base_url + address, { method, body, headers });
  const bytes = Buffer.from(await request.arrayBuffer());
  const signed = [method, address, ...(body === undefined ? [] : [bytes.toString("base64")])].join("&");
  request.headers.set("X-Svc-Auth-Digest", sign("sha256", Buffer.from(signed), key).toString("base64"));
  request.headers.set("X-Svc-SDK", "Node");
  const answer = await fetch(request.url, {
    method,
    headers: request.headers,
    ...(body === undefined ? {} : { body: bytes }),
  });
  const text = await answer.text();
  if (answer.status !== expected) {
    throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  }
  return text && JSON.parse(text);
}

const asJson = { "Content-Type": "application/json" };
const wanted = {
  client_session_token_ttl: 900,
  requested_checks: [
    { type: "ID_DOCUMENT_AUTHENTICITY", config: { manual_check: "FALLBACK" } },
    { type: "LIVENESS", config: { liveness_type: "STATIC", max_retries: 3 } },
    { type: "ID_DOCUMENT_FACE_MATCH", config: { manual_check: "NEVER" } },
    { type: "FACE_COMPARISON", config: { manual_check: "NEVER" } },
  ],
  requested_tasks: [{ type: "ID_DOCUMENT_TEXT_DATA_EXTRACTION", config: { manual_check: "NEVER" } }],
  required_documents: [
    {
      type: "ID_DOCUMENT",
      filter: {
        type: "ORTHOGONAL_RESTRICTIONS",
        type_restriction: { inclusion: "WHITELIST", document_types: ["PASSPORT"] },
      },
    },
  ],
  sdk_config: { allowed_capture_methods: "CAMERA_AND_UPLOAD", locale: "en", allow_handoff: true },
};
const session = await call(201, "POST", "/sessions", JSON.stringify(wanted), asJson);
const path = `/sessions/${session.session_id}`;

// The person's page waits for the face that theirs is compared with.
const { capture } = await call(200, "GET", `${path}/configuration`);
const requirement = capture.required_resources.find(({ type }) => type === "FACE_CAPTURE");
const named = JSON.stringify({ requirement_id: requirement.id });
const resource = await call(201, "POST", `${path}/resources/face-capture`, named, asJson);
const form = new FormData();
form.append("binary-content", new Blob([readFileSync(face)], { type: "image/jpeg" }), "face.jpg");
await call(200, "PUT", `${path}/resources/face-capture/${resource.id}/image`, form);

let { state } = await call(200, "GET", path);
if (process.argv.includes("--cancel")) {
  await call(204, "DELETE", path);
  state = "DELETED";
}
console.log(JSON.stringify({ session: session.session_id, state, page: session.url }));
