// As much CBOR (RFC 8949) as credentials need: definite lengths, integers that a double holds exactly.

import { type Bytes, concatBytes } from "./bytes";

/** What can be read. */
export type Cbor = number | boolean | null | string | Bytes | Cbor[] | Map<Cbor, Cbor> | Tagged;

/** An item with a tag in front. */
export class Tagged {
  constructor(
    readonly tag: number,
    readonly item: Cbor,
  ) {}
}

const MAX_DEPTH = 8;

/** Reads one item that fills `bytes`; throws a RangeError on anything else. */
export function decodeCbor(bytes: Bytes): Cbor {
  const reader = new Reader(bytes);
  const item = reader.item(0);
  reader.end();
  return item;
}

/** A byte string with its head in the shortest form. */
export function encodeByteString(bytes: Uint8Array): Bytes {
  const length = bytes.length;
  if (length < 24) {
    return concatBytes([0x40 + length], bytes);
  }
  if (length < 0x100) {
    return concatBytes([0x58, length], bytes);
  }
  if (length < 0x10000) {
    return concatBytes([0x59, length >> 8, length & 0xff], bytes);
  }
  throw new RangeError("a byte string longer than any that is written here");
}

class Reader {
  #at = 0;
  readonly #bytes: Bytes;
  readonly #view: DataView;

  constructor(bytes: Bytes) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  end(): void {
    if (this.#at !== this.#bytes.length) {
      throw new RangeError("bytes follow the item");
    }
  }

  item(depth: number): Cbor {
    if (depth > MAX_DEPTH) {
      throw new RangeError("nested too deeply");
    }
    const head = this.#view.getUint8(this.#take(1));
    const argument = this.#argument(head & 0x1f);
    switch (head >> 5) {
      case 0:
        return argument;
      case 1:
        return -1 - argument;
      case 2:
        return this.#span(argument);
      case 3:
        return new TextDecoder("utf-8", { fatal: true }).decode(this.#span(argument));
      case 4:
        return this.#times(argument, () => this.item(depth + 1));
      case 5:
        return new Map(this.#times(argument, () => [this.item(depth + 1), this.item(depth + 1)] as const));
      case 6:
        return new Tagged(argument, this.item(depth + 1));
      default:
        return simple(head);
    }
  }

  #argument(short: number): number {
    switch (short) {
      case 24:
        return this.#view.getUint8(this.#take(1));
      case 25:
        return this.#view.getUint16(this.#take(2));
      case 26:
        return this.#view.getUint32(this.#take(4));
      case 27: {
        const at = this.#take(8);
        const number = this.#view.getUint32(at) * 2 ** 32 + this.#view.getUint32(at + 4);
        if (!Number.isSafeInteger(number)) {
          throw new RangeError("a number too large");
        }
        return number;
      }
      default:
        if (short > 27) {
          throw new RangeError("an indefinite length");
        }
        return short;
    }
  }

  /** `many` items. Each takes a byte at least, so that a lie about the number ends soon. */
  #times<T>(many: number, read: () => T): T[] {
    if (many > this.#bytes.length - this.#at) {
      throw new RangeError("more items than bytes");
    }
    return Array.from({ length: many }, read);
  }

  #span(length: number): Bytes {
    const at = this.#take(length);
    return this.#bytes.slice(at, at + length);
  }

  #take(length: number): number {
    const at = this.#at;
    if (length > this.#bytes.length - at) {
      throw new RangeError("the bytes break off");
    }
    this.#at = at + length;
    return at;
  }
}

function simple(head: number): boolean | null {
  switch (head) {
    case 0xf4:
      return false;
    case 0xf5:
      return true;
    case 0xf6:
      return null;
    default:
      throw new RangeError("a simple value or float that is not read here");
  }
}
