// Bytes, and the texts they travel as.

/** Bytes that own their memory, as WebCrypto and IndexedDB want them. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** One array of several. */
export function concatBytes(...parts: ArrayLike<number>[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Whether both hold the same bytes. Not in constant time: nothing secret is compared here. */
export function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** How many bytes `String.fromCharCode` is given at once. */
const CHUNK_BYTES = 8192;

/** Base64 (RFC 4648, section 4). */
export function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  }
  return btoa(text);
}

/** Base64url without padding (RFC 4648, section 5). */
export function toBase64url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The bytes of base64url, padded or not. Throws where the text is none. */
export function fromBase64url(text: string): Bytes {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}

const BASE45_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";

/** Base45 (RFC 9285): the letters of a QR code's alphanumeric mode, three for two bytes. */
export function toBase45(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 2) {
    const pair = bytes.subarray(at, at + 2);
    let number = pair.reduce((value, byte) => value * 256 + byte, 0);
    for (let digit = 0; digit <= pair.length; digit += 1) {
      text += BASE45_ALPHABET.charAt(number % 45);
      number = Math.floor(number / 45);
    }
  }
  return text;
}
