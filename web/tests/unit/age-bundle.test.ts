// What is fetched before a method is chosen: what the documents name, and nothing of what some methods need.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { test } from "node:test";

const MOST = 150_000;

for (const [document, below] of [
  ["index.html", ""],
  ["above.html", "age/"],
] as const) {
  test(`${document} names files that are there, and little program`, () => {
    const text = readFileSync(`dist/age/${document}`, "utf8");
    const named = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path = ""]) => path);
    assert.ok(
      named.every((path) => path.startsWith(`${below}assets/`)),
      named.join(),
    );
    const scripts = new Set(named.map((path) => path.slice(below.length)).filter((path) => path.endsWith(".js")));
    const read = [...scripts].map((path) => readFileSync(`dist/age/${path}`, "utf8"));
    // Everything that these import at once is among them, so nothing is waited for one after the other.
    const imported = read.flatMap((program) => [...program.matchAll(/(?:import|from)"\.\/([^"]+)"/g)]);
    assert.ok(imported.length > 0);
    for (const [, path] of imported) {
      assert.ok(scripts.has(`assets/${path}`), path);
    }
    const all = read.reduce((sum, program) => sum + program.length, 0);
    assert.ok(all > 10_000 && all < MOST, `${all} bytes`);
    for (const word of ["getUserMedia", "navigator.credentials", "depthwise_filter", "cc-csc", "RSABSSA"]) {
      assert.ok(!read.some((program) => program.includes(word)), word);
    }
    assert.ok(statSync(`dist/age/${document}`).size < 4000);
    assert.equal(named.filter((path) => path.endsWith(".css")).length, 1);
  });
}

test("what some methods need is there, each for itself", () => {
  const files = readdirSync("dist/age/assets");
  for (const name of [
    "face",
    "form",
    "code",
    "choose",
    "redirect",
    "document",
    "wallet",
    "passkey",
    "token",
    "wait",
    "completion-offers",
  ]) {
    assert.ok(
      files.some((file) => file.startsWith(`${name}-`) && file.endsWith(".js")),
      name,
    );
  }
  const read = files
    .filter((file) => file.endsWith(".js"))
    .map((file) => readFileSync(`dist/age/assets/${file}`, "utf8"));
  assert.ok(read.some((program) => program.includes("getUserMedia")));
  assert.ok(read.some((program) => program.includes("navigator.credentials")));
});
