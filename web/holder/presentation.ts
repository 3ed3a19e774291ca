// What the QR code says: a credential, signed by its holder's key for one minute. The layout is fixed, so it is
// written byte for byte; crates/credentials/src/cwt.rs has the CDDL.

import { type Bytes, concatBytes, toBase45 } from "../shared/bytes";
import { encodeByteString } from "../shared/cbor";

/** How a key pair is made, and how it signs. */
export const KEY_ALGORITHM = { name: "ECDSA", namedCurve: "P-256" } as const;
const SIGNATURE_ALGORITHM = { name: "ECDSA", hash: "SHA-256" } as const;

const PREFIX = "POA1:";
/** A presentation lives this long, in seconds. */
const LIFETIME_S = 60;
/** Protected header: `{1: -7}`, ES256. */
const PROTECTED_HEADER = [0xa1, 0x01, 0x26];
/** Outside data, so that a signature given elsewhere is no presentation. */
const EXTERNAL_AAD = new TextEncoder().encode("POA1");

/** The text of a QR code that shows `credential` from the second `now` of the Unix epoch on. */
export async function createPresentation(credential: Bytes, key: CryptoKey, now: number): Promise<string> {
  const payload = encodePayload(credential, now);
  const signature = await crypto.subtle.sign(SIGNATURE_ALGORITHM, key, encodeSigStructure(payload));
  return PREFIX + toBase45(encodeSign1(payload, new Uint8Array(signature)));
}

/** The claims `{4: exp, 6: iat, -65538: credential}`. */
export function encodePayload(credential: Bytes, now: number): Bytes {
  const label = [0x3a, 0x00, 0x01, 0x00, 0x01];
  return concatBytes(
    [0xa3, 0x04],
    encodeTime(now + LIFETIME_S),
    [0x06],
    encodeTime(now),
    label,
    encodeByteString(credential),
  );
}

/** What the holder's key signs: `["Signature1", header, outside, payload]`. */
export function encodeSigStructure(payload: Bytes): Bytes {
  const context = new TextEncoder().encode("Signature1");
  return concatBytes(
    [0x84, 0x60 + context.length],
    context,
    encodeBytes(PROTECTED_HEADER),
    encodeByteString(EXTERNAL_AAD),
    encodeByteString(payload),
  );
}

/** The COSE_Sign1 message; the signature is r and s, 32 bytes each, as WebCrypto gives it. */
export function encodeSign1(payload: Bytes, signature: Bytes): Bytes {
  return concatBytes(
    [0xd2, 0x84],
    encodeBytes(PROTECTED_HEADER),
    [0xa0],
    encodeByteString(payload),
    encodeByteString(signature),
  );
}

/** A moment as CBOR; 32 bits are enough until 2106, and always needed. */
function encodeTime(moment: number): Bytes {
  const item = new Uint8Array(5);
  item[0] = 0x1a;
  new DataView(item.buffer).setUint32(1, moment);
  return item;
}

function encodeBytes(list: number[]): Bytes {
  return encodeByteString(Uint8Array.from(list));
}
