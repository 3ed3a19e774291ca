// What the page for documents fetches at once: little program, and nothing of what comes later.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

/** Bytes of program that are fetched at once, and of what sends files, at most. */
const [MAX_FIRST_BYTES, MAX_UPLOAD_BYTES] = [100_000, 40_000];

test("the page for documents begins with little program, and fetches what sends files later", () => {
  const document = readFileSync("dist/identity/index.html", "utf8");
  const named = [...document.matchAll(/(?:href|src)="(assets\/[^"]+\.js)"/g)].map(([, path = ""]) => path);
  assert.ok(named.length > 0);
  const first = [...new Set(named)].map((path) => readFileSync(`dist/identity/${path}`, "utf8"));
  const bytes = first.reduce((sum, program) => sum + program.length, 0);
  assert.ok(bytes > 10_000 && bytes < MAX_FIRST_BYTES, `${bytes} bytes`);
  assert.ok(!first.some((program) => program.includes("Tus-Resumable")));
  const uploads = readdirSync("dist/identity/assets").filter((name) => /^resumable-upload-\w+\.js$/.test(name));
  assert.equal(uploads.length, 1);
  const program = readFileSync(`dist/identity/assets/${uploads[0]}`, "utf8");
  assert.ok(program.includes("Tus-Resumable") && program.length < MAX_UPLOAD_BYTES, `${program.length} bytes`);
});
