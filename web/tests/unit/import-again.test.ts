// Modules that could not be fetched are asked for again, by an address that browsers do not remember as a failure.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ImportError, importAgain } from "../../shared/import-again";

const ADDRESS = "https://a.example/console/assets/people-ABC.js";
const CHROMIUM = new TypeError(`Failed to fetch dynamically imported module: ${ADDRESS}`);
const FIREFOX = new TypeError(`error loading dynamically imported module: ${ADDRESS}`);
const WEBKIT = new TypeError("Importing a module script failed.");

/** Fetches a module whose own address fails; answers what the others gave, and which they were. */
function fetchWith(failure: unknown, answer: (address: string) => Promise<string>) {
  const asked: string[] = [];
  const module = importAgain(
    () => Promise.reject(failure),
    (address) => {
      asked.push(address);
      return answer(address);
    },
  );
  return { module, asked };
}

test("a module that is there is asked for once", async () => {
  const module = await importAgain(
    async () => "module",
    () => Promise.reject(new Error("asked for again")),
  );
  assert.equal(module, "module");
});

test("one that fails is asked for by another address, which no attempt uses twice", async () => {
  const asked: string[] = [];
  for (const failure of [CHROMIUM, FIREFOX, CHROMIUM]) {
    const attempt = fetchWith(failure, async () => "module");
    assert.equal(await attempt.module, "module");
    asked.push(...attempt.asked);
  }
  assert.equal(new Set(asked).size, 3);
  for (const address of asked) {
    assert.match(address, /^https:\/\/a\.example\/console\/assets\/people-ABC\.js\?again=\d+$/);
  }
});

test("one that cannot be had says so, and nothing else is asked for where it has no name", async () => {
  const isUnavailable = (error: unknown) => error instanceof ImportError;
  const gone = fetchWith(CHROMIUM, () => Promise.reject(CHROMIUM));
  await assert.rejects(gone.module, isUnavailable);
  assert.equal(gone.asked.length, 1);
  for (const failure of [WEBKIT, "no error"]) {
    const nameless = fetchWith(failure, async () => "module");
    await assert.rejects(nameless.module, isUnavailable);
    assert.deepEqual(nameless.asked, []);
  }
});
