// What the console fetches before anybody has opened a screen: sign-in and the frame, compressed; screens come later.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { test } from "node:test";

/** Bytes of document, style and program that are fetched at once, as brotli, at most. */
const MAX_FIRST_BYTES = 150_000;

test("the console begins with at most 150 kB, and fetches screens when they are opened", () => {
  const document = readFileSync("dist/console/index.html", "utf8");
  const named = [...document.matchAll(/(?:href|src)="(assets\/[^"]+)"/g)].map(([, path = ""]) => path);
  const first = [...new Set(named)];
  const size = (path: string) => {
    const compressed = `dist/console/${path}.br`;
    return statSync(compressed, { throwIfNoEntry: false })?.size ?? statSync(`dist/console/${path}`).size;
  };
  const bytes = ["index.html", ...first].reduce((sum, path) => sum + size(path), 0);
  process.stdout.write(`the console's first load: ${bytes} bytes\n`);
  assert.ok(bytes > 60_000 && bytes <= MAX_FIRST_BYTES, `${bytes} bytes`);
  assert.equal(first.filter((path) => path.endsWith(".css")).length, 1);

  // Everything that these import at once is among them, so nothing is waited for one after the other.
  const scripts = first.filter((path) => path.endsWith(".js"));
  for (const script of scripts) {
    const program = readFileSync(`dist/console/${script}`, "utf8");
    for (const [, path] of program.matchAll(/(?:import|from)"\.\/([^"]+)"/g)) {
      assert.ok(scripts.includes(`assets/${path}`), path);
    }
  }
  const files = readdirSync("dist/console/assets");
  for (const screen of [
    "queue",
    "queues",
    "case",
    "inbox",
    "notification",
    "people",
    "person",
    "contents",
    "content",
    "moderation",
    "face-search",
    "seen",
    "members",
    "quality",
    "roles",
    "organisations",
    "applications",
    "application",
    "accounts",
    "approvals",
    "operators",
    "operator-roles",
    "jobs",
    "deliveries",
    "delivery",
    "audit",
    "health",
    "settings",
    "models",
    "providers",
    "trust",
    "security",
    "second-factor",
    "command-palette",
  ]) {
    const own = files.filter((name) => new RegExp(`^${screen}-\\w+\\.js$`).test(name));
    assert.equal(own.length, 1, screen);
    assert.ok(!scripts.includes(`assets/${own[0]}`), `${screen} is fetched too early`);
  }
});

test("only languages that the console speaks are in it", () => {
  const programs = readdirSync("dist/console/assets")
    .filter((name) => name.endsWith(".js"))
    .map((name) => readFileSync(`dist/console/assets/${name}`, "utf8"));
  assert.ok(!programs.some((program) => program.includes("オフにする") || program.includes("Avvisa")));
});
