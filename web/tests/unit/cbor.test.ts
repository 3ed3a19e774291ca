import assert from "node:assert/strict";
import { test } from "node:test";
import type { Bytes } from "../../shared/bytes";
import { decodeCbor, encodeByteString, Tagged } from "../../shared/cbor";

function of(hex: string): Bytes {
  return Uint8Array.from(Buffer.from(hex, "hex"));
}

test("items of RFC 8949, appendix A, are read", () => {
  assert.equal(decodeCbor(of("17")), 23);
  assert.equal(decodeCbor(of("1903e8")), 1000);
  assert.equal(decodeCbor(of("1b000000e8d4a51000")), 1_000_000_000_000);
  assert.equal(decodeCbor(of("3903e7")), -1000);
  assert.equal(decodeCbor(of("f5")), true);
  assert.equal(decodeCbor(of("f6")), null);
  assert.deepEqual(decodeCbor(of("4401020304")), of("01020304"));
  assert.equal(decodeCbor(of("62c3bc")), "ü");
  assert.deepEqual(decodeCbor(of("8301820203820405")), [1, [2, 3], [4, 5]]);
  assert.deepEqual(
    decodeCbor(of("a201020304")),
    new Map([
      [1, 2],
      [3, 4],
    ]),
  );
  assert.deepEqual(decodeCbor(of("c11a514b67b0")), new Tagged(1, 1_363_896_240));
});

test("what is not needed, lies or breaks off is refused", () => {
  const refused = {
    nothing: "",
    "two items": "0101",
    "an indefinite length": "9f01ff",
    "a float": "f97e00",
    "a number beyond 2^53": "1bffffffffffffffff",
    "an array longer than the bytes": "9affffffff01",
    "a map longer than the bytes": "bb001fffffffffffff01",
    "a byte string that breaks off": "5affffffff00",
    "text that is not UTF-8": "61ff",
    "deep nesting": `${"81".repeat(50)}01`,
    "a reserved head": "1c",
  };
  for (const [what, hex] of Object.entries(refused)) {
    assert.throws(() => decodeCbor(of(hex)), Error, what);
  }
});

test("byte strings have heads of the shortest form", () => {
  for (const [length, head] of [
    [0, "40"],
    [23, "57"],
    [24, "5818"],
    [255, "58ff"],
    [256, "590100"],
    [65_535, "59ffff"],
  ] as const) {
    const item = encodeByteString(new Uint8Array(length));
    assert.equal(Buffer.from(item.slice(0, item.length - length)).toString("hex"), head);
  }
  assert.throws(() => encodeByteString(new Uint8Array(65_536)), RangeError);
});
