// Gets a bearer token for a signed assertion and verifies a proof of age with it, with what Node brings along:
// node token.mjs CREDENTIALS.json "WHAT WAS SCANNED"
import { constants, randomUUID, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

const [credentialsFile, scanned] = process.argv.slice(2);
const credentials = JSON.parse(readFileSync(credentialsFile, "utf8"));
// The key's path is relative to the folder of the credentials.
const key = readFileSync(resolve(dirname(credentialsFile), credentials.private_key_path), "utf8");

// What the application says of itself, signed as PS384. (For RS256: { alg: "RS256" }, and sign("sha256", …, key).)
const endpoint = `${credentials.base_url}/v1/oauth/token`;
const me = `sdk:${credentials.sdk_id}`;
const claims = { iss: me, sub: me, aud: endpoint, jti: randomUUID(), exp: Math.floor(Date.now() / 1000) + 300 };
const encode = (json) => Buffer.from(JSON.stringify(json)).toString("base64url");
const unsigned = `${encode({ alg: "PS384", typ: "JWT" })}.${encode(claims)}`;
const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
const signature = sign("sha384", Buffer.from(unsigned), { key, ...padding });

// A token lives 45 minutes: get one, and use it until it ends.
const granted = await fetch(endpoint, {
  method: "POST",
  body: new URLSearchParams({
    grant_type: "client_credentials",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: `${unsigned}.${signature.toString("base64url")}`,
    scope: "poa:verify",
  }),
});
const token = await granted.json();
if (!granted.ok) throw new Error(`${token.error}: ${token.error_description}`);

const answer = await fetch(`${credentials.base_url}/poa/v1/verify`, {
  method: "POST",
  // A request that is repeated with the same key is answered alike, so a lost answer costs nobody the proof.
  headers: { Authorization: `Bearer ${token.access_token}`, "Idempotency-Key": randomUUID() },
  body: JSON.stringify({
    qr: { value: scanned, scanned_at: new Date().toISOString() },
    terminal: { id: "till-1", store_id: "shop-1" },
  }),
});
console.log(await answer.text());
process.exitCode = answer.ok ? 0 : 1;
