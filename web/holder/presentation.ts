// What the QR code says: a credential, signed by its holder's key for one minute. The layout is fixed, so it is
// written byte for byte; crates/credentials/src/cwt.rs has the CDDL.

import { type Bytes, join, toBase45 } from "../shared/bytes";
import { byteString } from "../shared/cbor";

/** How a key pair is made, and how it signs. */
export const KEY = { name: "ECDSA", namedCurve: "P-256" } as const;
const SIGNATURE = { name: "ECDSA", hash: "SHA-256" } as const;

const PREFIX = "POA1:";
/** A presentation lives this long, in seconds. */
const LIFETIME = 60;
/** Protected header: `{1: -7}`, ES256. */
const HEADER = [0xa1, 0x01, 0x26];
/** Outside data, so that a signature given elsewhere is no presentation. */
const OUTSIDE = new TextEncoder().encode("POA1");

/** The text of a QR code that shows `credential` from the second `now` of the Unix epoch on. */
export async function present(credential: Bytes, key: CryptoKey, now: number): Promise<string> {
  const payload = shown(credential, now);
  const signature = await crypto.subtle.sign(SIGNATURE, key, signed(payload));
  return PREFIX + toBase45(message(payload, new Uint8Array(signature)));
}

/** The claims `{4: exp, 6: iat, -65538: credential}`. */
export function shown(credential: Bytes, now: number): Bytes {
  const label = [0x3a, 0x00, 0x01, 0x00, 0x01];
  return join([0xa3, 0x04], seconds(now + LIFETIME), [0x06], seconds(now), label, byteString(credential));
}

/** What the holder's key signs: `["Signature1", header, outside, payload]`. */
export function signed(payload: Bytes): Bytes {
  const context = new TextEncoder().encode("Signature1");
  return join([0x84, 0x60 + context.length], context, bytes(HEADER), byteString(OUTSIDE), byteString(payload));
}

/** The COSE_Sign1 message; the signature is r and s, 32 bytes each, as WebCrypto gives it. */
export function message(payload: Bytes, signature: Bytes): Bytes {
  return join([0xd2, 0x84], bytes(HEADER), [0xa0], byteString(payload), byteString(signature));
}

/** A moment as CBOR; 32 bits are enough until 2106, and always needed. */
function seconds(moment: number): Bytes {
  const item = new Uint8Array(5);
  item[0] = 0x1a;
  new DataView(item.buffer).setUint32(1, moment);
  return item;
}

function bytes(list: number[]): Bytes {
  return byteString(Uint8Array.from(list));
}
