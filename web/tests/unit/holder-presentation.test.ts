// The page's bytes against those of crates/credentials; crates/pages/src/tests/vectors.rs writes and reads the same files.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { isBoundTo, readCredential } from "../../holder/credential";
import {
  createPresentation,
  encodePayload,
  encodeSign1,
  encodeSigStructure,
  KEY_ALGORITHM,
} from "../../holder/presentation";
import { type Bytes, concatBytes, fromBase64url, toBase45 } from "../../shared/bytes";
import { fromBase45, parsePresentation } from "../presentation-parser";

const vectors = JSON.parse(readFileSync("tests/vectors/presentation.json", "utf8"));
const SHOWN = "tests/vectors/shown-by-page.txt";
const credential = unhex(vectors.credential);
const point = concatBytes([4], fromBase64url(vectors.holder_jwk.x), fromBase64url(vectors.holder_jwk.y));

function unhex(text: string): Bytes {
  return Uint8Array.from(Buffer.from(text, "hex"));
}

function holderKey(): Promise<CryptoKey> {
  return crypto.subtle.importKey("pkcs8", unhex(vectors.holder_pkcs8), KEY_ALGORITHM, false, ["sign"]);
}

test("base45 is that of RFC 9285", () => {
  for (const [bytes, text] of vectors.base45) {
    assert.equal(toBase45(unhex(bytes)), text);
    assert.deepEqual(fromBase45(text), unhex(bytes));
  }
});

test("a credential says what it proves, until when and to whom", () => {
  const read = readCredential(credential);
  assert.deepEqual(read.ages, [18, 16]);
  assert.equal(read.expires % 3600, 0, "whole hours tell nobody apart");
  assert.ok(read.expires >= vectors.now + 3600 && read.expires < vectors.now + 7200);
  assert.ok(isBoundTo(read, point));
  const mirrored = point.slice();
  mirrored[64] = (mirrored[64] ?? 0) ^ 1;
  assert.ok(!isBoundTo(read, mirrored), "the other point with this x");
  mirrored[1] = (mirrored[1] ?? 0) ^ 1;
  assert.ok(!isBoundTo(read, mirrored));
});

test("bytes that break off anywhere, or go on, are no credential", () => {
  for (let length = 0; length < credential.length; length += 1) {
    assert.throws(() => readCredential(credential.slice(0, length)), `${length} bytes`);
  }
  assert.throws(() => readCredential(concatBytes(credential, [0])));
});

test("a presentation is byte for byte what the issuer's side writes", async () => {
  const made = fromBase45(vectors.code.slice(5));
  const signature = made.slice(-64);
  const payload = encodePayload(credential, vectors.now);
  assert.deepEqual(encodeSign1(payload, signature), made);
  const key = await crypto.subtle.importKey("raw", point, KEY_ALGORITHM, false, ["verify"]);
  assert.ok(
    await crypto.subtle.verify({ ...KEY_ALGORITHM, hash: "SHA-256" }, key, signature, encodeSigStructure(payload)),
  );
});

test("what the page signs holds", async () => {
  const code = await createPresentation(credential, await holderKey(), vectors.now);
  if (process.env.UPDATE_VECTORS) {
    writeFileSync(SHOWN, `${code}\n`);
  }
  // A signature has chance in it; everything before it is the same each time.
  const kept = readFileSync(SHOWN, "utf8").trim();
  assert.deepEqual(fromBase45(code.slice(5)).slice(0, -64), fromBase45(kept.slice(5)).slice(0, -64));
  for (const each of [code, kept, vectors.code]) {
    const judged = parsePresentation(each);
    assert.ok(await judged.signedBy(point));
    assert.deepEqual([judged.iat, judged.exp], [vectors.now, vectors.now + 60]);
  }
  assert.match(code, /^POA1:[0-9A-Z $%*+\-./:]+$/);
});
