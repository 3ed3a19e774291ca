// A holder's page presents a credential: the layout is fixed, so neither CBOR nor COSE needs a library.
const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:';

export function base45(bytes) {
  let text = '';
  for (let at = 0; at < bytes.length; at += 2) {
    const pair = at + 1 < bytes.length;
    let number = pair ? bytes[at] * 256 + bytes[at + 1] : bytes[at];
    for (let digit = 0; digit < (pair ? 3 : 2); digit += 1) {
      text += LETTERS[number % 45];
      number = Math.floor(number / 45);
    }
  }
  return text;
}

const join = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
const text = (string) => new TextEncoder().encode(string);
const uint32 = (number) => [number >>> 24, (number >>> 16) & 255, (number >>> 8) & 255, number & 255];

/** A CBOR byte string of up to 65,535 bytes. */
function bstr(bytes) {
  if (bytes.length < 24) return join([0x40 + bytes.length], bytes);
  if (bytes.length < 256) return join([0x58, bytes.length], bytes);
  return join([0x59, bytes.length >> 8, bytes.length & 255], bytes);
}

/** The text of a QR code that shows `credential`, signed by its holder's key, for one minute from `now` (seconds). */
export async function present(credential, key, now) {
  const header = [0xa1, 0x01, 0x26];
  const payload = join([0xa3, 0x04, 0x1a], uint32(now + 60), [0x06, 0x1a], uint32(now),
    [0x3a, 0x00, 0x01, 0x00, 0x01], bstr(credential));
  const signed = join([0x84, 0x6a], text('Signature1'), bstr(header), bstr(text('POA1')), bstr(payload));
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, signed);
  const message = join([0xd2, 0x84], bstr(header), [0xa0], bstr(payload), bstr(new Uint8Array(signature)));
  return `POA1:${base45(message)}`;
}
