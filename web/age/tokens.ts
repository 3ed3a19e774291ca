// Blind tokens (RFC 9578, type 2): this page makes one and blinds it, an issuer signs it without seeing it, and this page
// takes the blinding off. What links the two never leaves this page's memory.

import { RSABSSA } from "@cloudflare/blindrsa-ts";
import { type Bytes, fromBase64url, join, same, toBase64url } from "../shared/bytes";

/** Publicly verifiable tokens. */
const TYPE = [0, 2];
/** A modulus of 2,048 bits. */
const SIZE = 256;
/** What stands around the modulus in a key: RSASSA-PSS with SHA-384 and 48 bytes of salt (RFC 9578, section 6.5), and the
 * exponent 65537. */
const BEFORE =
  "MIIBUjA9BgkqhkiG9w0BAQowMKANMAsGCWCGSAFlAwQCAqEaMBgGCSqGSIb3DQEBCDALBglghkgBZQMEAgKiAwIBMAOCAQ8AMIIBCgKCAQEA";
const AFTER = [2, 3, 1, 0, 1];

/** A token that waits for its signature. */
export interface Blinded {
  /** What the issuer is sent: a TokenRequest, base64url. */
  request: string;
  /** The token, base64url, out of what the issuer answers; rejects where that is no signature of the key. */
  finish(response: string): Promise<string>;
}

/** Makes a token for a challenge and blinds it for a key, both in base64url. Rejects where the key is no such key. */
export async function blind(challenge: string, key: string): Promise<Blinded> {
  const spki = fromBase64url(key);
  const suite = RSABSSA.SHA384.PSS.Deterministic();
  const [publicKey, id, digest] = await Promise.all([read(spki), sha256(spki), sha256(fromBase64url(challenge))]);
  const token = join(TYPE, crypto.getRandomValues(new Uint8Array(32)), digest, id);
  const { blindedMsg, inv } = await suite.blind(publicKey, token);
  return {
    request: toBase64url(join(TYPE, id.subarray(31), blindedMsg)),
    finish: async (response) =>
      toBase64url(join(token, await suite.finalize(publicKey, token, fromBase64url(response), inv))),
  };
}

/** Browsers do not read this form of a key, but they know its numbers. */
function read(spki: Bytes): Promise<CryptoKey> {
  const before = fromBase64url(BEFORE);
  const end = before.length + SIZE;
  if (!same(spki.subarray(0, before.length), before) || !same(spki.subarray(end), Uint8Array.from(AFTER))) {
    throw new TypeError("a key of another form");
  }
  const jwk = { kty: "RSA", n: toBase64url(spki.subarray(before.length, end)), e: "AQAB", ext: true };
  return crypto.subtle.importKey("jwk", jwk, { name: "RSA-PSS", hash: "SHA-384" }, true, ["verify"]);
}

async function sha256(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}
