// An issuer of blind tokens with the key of RFC 9578's vectors, which crates/age_methods is held to as well.

import assert from "node:assert/strict";
import { constants, createHash, createPrivateKey, createPublicKey, privateDecrypt, verify } from "node:crypto";
import { readFileSync } from "node:fs";

const { skS, pkS } = JSON.parse(readFileSync("../crates/age_methods/tests/vectors/rfc9578-b2.json", "utf8"));
const KEY = createPrivateKey(Buffer.from(skS, "hex"));
const SPKI = Buffer.from(pkS, "hex");

/** The public half, as a step has it. */
export const PUBLIC_KEY = SPKI.toString("base64url");
/** A challenge of "issuer.example" with a context, for no site. */
export const CHALLENGE = Buffer.concat([
  Buffer.from([0, 2, 0, 14]),
  Buffer.from("issuer.example"),
  Buffer.from([32]),
  Buffer.alloc(32, 7),
  Buffer.from([0, 0]),
]).toString("base64url");

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest();

/** Signs what it cannot read: a TokenRequest gives a TokenResponse. */
export function sign(request: string): string {
  const bytes = Buffer.from(request, "base64url");
  assert.deepEqual([...bytes.subarray(0, 3)], [0, 2, sha256(SPKI)[31]]);
  assert.equal(bytes.length, 259);
  return privateDecrypt({ key: KEY, padding: constants.RSA_NO_PADDING }, bytes.subarray(3)).toString("base64url");
}

/** Whether a token is of this key and for the challenge. */
export function isValidToken(token: string, challenge = CHALLENGE): boolean {
  const bytes = Buffer.from(token, "base64url");
  const [signed, signature] = [bytes.subarray(0, 98), bytes.subarray(98)];
  const expected = [Buffer.from([0, 2]), sha256(Buffer.from(challenge, "base64url")), sha256(SPKI)];
  const parts = [signed.subarray(0, 2), signed.subarray(34, 66), signed.subarray(66)];
  // OpenSSL would hold the salt to what this form of the key says, and so it is.
  const key = createPublicKey({ key: SPKI, format: "der", type: "spki" });
  const fits = parts.every((part, at) => part.equals(expected[at] as Buffer));
  return fits && verify("sha384", signed, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 48 }, signature);
}
