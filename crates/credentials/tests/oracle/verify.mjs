// Checks what Assay issued and presented: cose-kit for the issuer's signature, WebCrypto for the holder's.
import { coseVerify } from 'cose-kit';
import { importJWK } from 'jose';
import { cbor } from './cwt.mjs';

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:';

function unbase45(text) {
  const bytes = [];
  for (let at = 0; at < text.length; at += 3) {
    const [a, b, c] = [...text.slice(at, at + 3)].map((letter) => LETTERS.indexOf(letter));
    const number = a + b * 45 + (c ?? 0) * 2025;
    bytes.push(...(c === undefined ? [number] : [number >> 8, number & 255]));
  }
  return Uint8Array.from(bytes);
}

async function issued(message, jwk) {
  const { isValid, decoded } = await coseVerify(message, await importJWK(jwk, 'ES256'));
  return { ok: isValid, claims: cbor.decode(decoded.payload) };
}

/** { code, jwk } → { ok, issuer, seconds, ages, id, holder? }: `jwk` is the issuer's public key. */
export async function verify({ code, jwk }) {
  if (!code.startsWith('POA1:')) return { ok: false };
  const message = unbase45(code.slice(5));
  // Without its first byte, the tag, which cose-kit has taught cbor-x to read in a way of its own.
  const outer = cbor.decode(message.subarray(1));
  const shown = cbor.decode(outer[2]);
  if (!shown.has(-65538)) {
    const { ok, claims } = await issued(message, jwk);
    return { ok, ...words(claims) };
  }
  const { ok, claims } = await issued(shown.get(-65538), jwk);
  const key = claims.get(8).get(1);
  const holder = await holderKey(key);
  const signed = cbor.encode(['Signature1', outer[0], Buffer.from('POA1'), outer[2]]);
  const held = await crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, holder, outer[3], signed);
  return { ok: ok && held, ...words(claims), holder: { seconds: shown.get(4) - shown.get(6) } };
}

const words = (claims) => ({
  issuer: claims.get(1),
  seconds: claims.get(4) - claims.get(6),
  ages: [...claims.get(-65537).keys()],
  id: Buffer.from(claims.get(7)).toString('hex'),
});

/** A compressed P-256 point, which WebCrypto does not take everywhere: y² = x³ - 3x + b. */
async function holderKey(key) {
  if (key.get(1) !== 2 || key.get(-1) !== 1) throw new Error('not a P-256 key');
  const p = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
  const b = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;
  const x = BigInt(`0x${Buffer.from(key.get(-2)).toString('hex')}`);
  const power = (base, exponent) => {
    let [result, square] = [1n, base % p];
    for (let left = exponent; left > 0n; left >>= 1n) {
      if (left & 1n) result = (result * square) % p;
      square = (square * square) % p;
    }
    return result;
  };
  let y = power((((x * x * x - 3n * x + b) % p) + p) % p, (p + 1n) / 4n);
  if ((y & 1n) !== (key.get(-3) ? 1n : 0n)) y = p - y;
  const bytes = (number) => Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
  const raw = Buffer.concat([Buffer.from([4]), bytes(x), bytes(y)]);
  return crypto.subtle.importKey('raw', raw, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['verify']);
}
