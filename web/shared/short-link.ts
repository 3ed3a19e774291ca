// Short links: two ids as 32 bytes in base64url.

import { fromBase64url, toBase64url } from "./bytes";

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Two UUIDs as 43 letters. */
export function packIds(one: string, other: string): string {
  const hex = (one + other).replaceAll("-", "");
  return toBase64url(Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)));
}

/** The UUIDs of 43 letters; `undefined` where they are none. */
export function unpackIds(text: string): [string, string] | undefined {
  if (!/^[\w-]{43}$/.test(text)) {
    return undefined;
  }
  const hex = [...fromBase64url(text)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const uuid = (at: number) => hex.slice(at, at + 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return [uuid(0), uuid(32)];
}
