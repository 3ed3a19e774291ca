// What searches of the console do before the server is asked, and with its answers.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProfileItem } from "../../console/api/account";
import { peopleFound } from "../../console/components/palette-search";
import { fittedSize, MAX_SIDE_PIXELS } from "../../console/desk/search-picture";
import { toBase64 } from "../../shared/bytes";
import { profile } from "../browser/console-stand-in";

test("a picture keeps its shape, and is made no larger", () => {
  assert.deepEqual(fittedSize(800, 600), { width: 800, height: 600 });
  assert.deepEqual(fittedSize(2 * MAX_SIDE_PIXELS, MAX_SIDE_PIXELS), {
    width: MAX_SIDE_PIXELS,
    height: MAX_SIDE_PIXELS / 2,
  });
  assert.deepEqual(fittedSize(1, 100_000), { width: 1, height: MAX_SIDE_PIXELS });
});

test("bytes become the base64 that servers read, however many there are", () => {
  const bytes = Uint8Array.from({ length: 50_001 }, (_, at) => (at * 31) % 256);
  assert.equal(toBase64(bytes), Buffer.from(bytes).toString("base64"));
  assert.equal(toBase64(new Uint8Array()), "");
});

test("who has just this reference comes first, then who is called so, each once and few in all", () => {
  const [bob, bobby, ann] = [profile(1, "Bob"), profile(2, "Bobby"), profile(3, "Ann", { reference: "bob" })];
  const found = peopleFound([ann], [bob, bobby, ann]);
  assert.deepEqual(
    found.map(({ display_name }) => display_name),
    ["Ann", "Bob", "Bobby"],
  );
  const many: ProfileItem[] = Array.from({ length: 20 }, (_, at) => profile(at, `Guest ${at}`));
  assert.equal(peopleFound([], many).length, 6);
});
