// A credential as crates/credentials issues it: a CWT in COSE_Sign1, bound to one key of the holder. Only read here;
// its signature is for whoever scans the code.

import { type Bytes, concatBytes, equalBytes } from "../shared/bytes";
import { type Cbor, decodeCbor, Tagged } from "../shared/cbor";

const SIGN1 = 18;
const EXP = 4;
const CNF = 8;
const AGE_OVER = -65537;

/** What the page needs to know of a credential. */
export interface Credential {
  /** The thresholds that it shows as reached, in years, highest first. */
  ages: number[];
  /** When it expires, in seconds of the Unix epoch. */
  expires: number;
  /** The holder's key that it is bound to: the start of a compressed point (2 or 3), and x. */
  holder: Bytes;
}

/** Reads a credential; throws where it is none. */
export function readCredential(bytes: Bytes): Credential {
  const message = decodeCbor(bytes);
  const parts = message instanceof Tagged && message.tag === SIGN1 ? message.item : undefined;
  const payload = Array.isArray(parts) ? parts[2] : undefined;
  if (!(payload instanceof Uint8Array)) {
    throw new TypeError("no COSE_Sign1 message with a payload");
  }
  const claims = expectMap(decodeCbor(payload));
  const reached = [...expectMap(claims.get(AGE_OVER))].filter(([, over]) => over === true).map(([years]) => years);
  const ages = reached.filter((years) => typeof years === "number").sort((one, other) => other - one);
  const expires = claims.get(EXP);
  const key = expectMap(expectMap(claims.get(CNF)).get(1));
  const [x, odd] = [key.get(-2), key.get(-3)];
  if (ages.length === 0 || typeof expires !== "number" || !(x instanceof Uint8Array) || typeof odd !== "boolean") {
    throw new TypeError("no credential of a holder");
  }
  return { ages, expires, holder: concatBytes([odd ? 3 : 2], x) };
}

/** Whether a credential is bound to the key with this uncompressed point (65 bytes). */
export function isBoundTo(credential: Credential, point: Bytes): boolean {
  const odd = (point[64] ?? 0) % 2;
  return equalBytes(credential.holder, concatBytes([2 + odd], point.subarray(1, 33)));
}

function expectMap(item: Cbor | undefined): Map<Cbor, Cbor> {
  if (item instanceof Map) {
    return item;
  }
  throw new TypeError("a map is missing");
}
