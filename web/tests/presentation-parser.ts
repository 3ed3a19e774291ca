// Takes a scanned code apart and judges what a holder's page is responsible for. Written for the tests, so that the
// page is not judged by itself.

import type { Bytes } from "../shared/bytes";
import { type Cbor, decodeCbor, Tagged } from "../shared/cbor";

const BASE45_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";
const P256 = { name: "ECDSA", namedCurve: "P-256" };

/** What a presentation says. */
export interface ParsedPresentation {
  iat: number;
  exp: number;
  /** The credential's id, ages and key (x). */
  id: Bytes;
  ages: Map<Cbor, Cbor>;
  x: Bytes;
  /** Whether a holder's key (an uncompressed point) signed it. */
  signedBy(point: Bytes): Promise<boolean>;
}

export function parsePresentation(code: string): ParsedPresentation {
  if (!code.startsWith("POA1:")) {
    throw new Error(`not a proof of age: ${code}`);
  }
  const [header, , payload, signature] = sign1(fromBase45(code.slice(5)));
  const claims = decodeCbor(payload) as Map<Cbor, Cbor>;
  const [, , issued] = sign1(claims.get(-65538) as Bytes);
  const held = decodeCbor(issued) as Map<Cbor, Cbor>;
  const cnf = held.get(8) as Map<Cbor, Map<Cbor, Cbor>>;
  return {
    iat: claims.get(6) as number,
    exp: claims.get(4) as number,
    id: held.get(7) as Bytes,
    ages: held.get(-65537) as Map<Cbor, Cbor>,
    x: cnf.get(1)?.get(-2) as Bytes,
    signedBy: async (point) => {
      const key = await crypto.subtle.importKey("raw", point, P256, false, ["verify"]);
      const message = Buffer.concat([
        Buffer.from("846a5369676e617475726531", "hex"),
        head(0x40, header.length),
        header,
        Buffer.from("44504f4131", "hex"),
        head(0x40, payload.length),
        payload,
      ]);
      return crypto.subtle.verify({ ...P256, hash: "SHA-256" }, key, signature, message);
    },
  };
}

export function fromBase45(text: string): Bytes {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at += 3) {
    const digits = [...text.slice(at, at + 3)].map((letter) => BASE45_ALPHABET.indexOf(letter));
    const number = digits.reduceRight((value, digit) => value * 45 + digit, 0);
    bytes.push(...(digits.length === 3 ? [number >> 8, number & 255] : [number]));
  }
  return Uint8Array.from(bytes);
}

function sign1(bytes: Bytes): [Bytes, Cbor, Bytes, Bytes] {
  const message = decodeCbor(bytes);
  if (message instanceof Tagged && message.tag === 18 && Array.isArray(message.item)) {
    return message.item as [Bytes, Cbor, Bytes, Bytes];
  }
  throw new Error("not a COSE_Sign1 message");
}

function head(major: number, length: number): Buffer {
  if (length < 24) {
    return Buffer.from([major + length]);
  }
  return length < 256 ? Buffer.from([major + 24, length]) : Buffer.from([major + 25, length >> 8, length & 255]);
}
