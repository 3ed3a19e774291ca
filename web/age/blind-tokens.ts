// Blind tokens (RFC 9578, type 2): this page makes a token and blinds it, an issuer signs it without seeing it, and this
// page unblinds the signature. What links the two never leaves this page's memory.

import { RSABSSA } from "@cloudflare/blindrsa-ts";
import { type Bytes, concatBytes, equalBytes, fromBase64url, toBase64url } from "../shared/bytes";

/** Token type 0x0002: publicly verifiable, blind RSA of 2,048 bits. */
const TOKEN_TYPE = [0, 2];
const MODULUS_BYTES = 256;
/** The bytes around the modulus in an SPKI key: RSASSA-PSS with SHA-384 and 48 bytes of salt (RFC 9578, section 6.5),
 * and the exponent 65537. */
const SPKI_PREFIX =
  "MIIBUjA9BgkqhkiG9w0BAQowMKANMAsGCWCGSAFlAwQCAqEaMBgGCSqGSIb3DQEBCDALBglghkgBZQMEAgKiAwIBMAOCAQ8AMIIBCgKCAQEA";
const SPKI_SUFFIX = [2, 3, 1, 0, 1];

/** A blinded token that is not signed yet. */
export interface BlindedToken {
  /** The TokenRequest for the issuer, base64url. */
  request: string;
  /** Makes the token, base64url, from the issuer's TokenResponse; rejects if the signature is not the key's. */
  finish(response: string): Promise<string>;
}

/** Makes a token for a challenge and blinds it for a key, both in base64url. Rejects if the key has another form. */
export async function blindToken(challenge: string, key: string): Promise<BlindedToken> {
  const spki = fromBase64url(key);
  const suite = RSABSSA.SHA384.PSS.Deterministic();
  const [publicKey, id, digest] = await Promise.all([importKey(spki), sha256(spki), sha256(fromBase64url(challenge))]);
  const token = concatBytes(TOKEN_TYPE, crypto.getRandomValues(new Uint8Array(32)), digest, id);
  const { blindedMsg, inv } = await suite.blind(publicKey, token);
  return {
    request: toBase64url(concatBytes(TOKEN_TYPE, id.subarray(31), blindedMsg)),
    finish: async (response) =>
      toBase64url(concatBytes(token, await suite.finalize(publicKey, token, fromBase64url(response), inv))),
  };
}

/** Browsers do not import SPKI keys of RSASSA-PSS, but they import the same key as a JWK. */
function importKey(spki: Bytes): Promise<CryptoKey> {
  const before = fromBase64url(SPKI_PREFIX);
  const end = before.length + MODULUS_BYTES;
  if (
    !equalBytes(spki.subarray(0, before.length), before) ||
    !equalBytes(spki.subarray(end), Uint8Array.from(SPKI_SUFFIX))
  ) {
    throw new TypeError("a key of another form");
  }
  const jwk = { kty: "RSA", n: toBase64url(spki.subarray(before.length, end)), e: "AQAB", ext: true };
  return crypto.subtle.importKey("jwk", jwk, { name: "RSA-PSS", hash: "SHA-384" }, true, ["verify"]);
}

async function sha256(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}
