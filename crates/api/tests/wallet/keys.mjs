// Keys on P-256, as each of the libraries wants them.
import { createHash, createPrivateKey, createPublicKey, randomBytes, sign, verify } from 'node:crypto';

export const b64 = (bytes) => Buffer.from(bytes).toString('base64url');
export const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
export const pair = () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);

/** A private JSON Web Key. */
export async function newKey() {
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey('jwk', (await pair()).privateKey);
  return { kty, crv, x, y, d };
}

export const publicOf = ({ kty, crv, x, y }) => ({ kty, crv, x, y });

/** A signature, r and s, over bytes or text. */
export function signed(jwk, data) {
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  return sign('sha256', Buffer.from(data), { key, dsaEncoding: 'ieee-p1363' });
}

export function verified(jwk, data, signature) {
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  return verify('sha256', Buffer.from(data), { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature));
}

export const sha256 = (data) => new Uint8Array(createHash('sha256').update(data).digest());
export const random = (length) => new Uint8Array(randomBytes(length));

/** What the library of mobile documents asks of its surroundings. */
export const context = {
  crypto: { random, digest: ({ bytes }) => sha256(bytes) },
  cose: { sign1: { sign: ({ toBeSigned, key }) => new Uint8Array(signed(key.jwk, toBeSigned)) } },
};

/** What the library of SD-JWT VC asks of its surroundings. */
export const surroundings = (issuer, holder) => ({
  signer: (data) => b64(signed(issuer, data)),
  signAlg: 'ES256',
  kbSigner: (data) => b64(signed(holder, data)),
  kbSignAlg: 'ES256',
  hashAlg: 'sha-256',
  hasher: (data) => sha256(data),
  saltGenerator: (length) => b64(random(length)),
});
