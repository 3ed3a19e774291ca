// Keys of the console: what they are called, which shortcut they mean, and two that follow one another.

import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOf, type Press, SEQUENCE_MS, type Shortcut, ShortcutRegistry } from "../../console/keys/registry";

function press(key: string, held: Partial<Press> = {}): Press {
  return { key, ctrlKey: false, metaKey: false, altKey: false, ...held };
}

function shortcut(keys: string, scope: Shortcut["scope"] = "here"): Shortcut {
  return { keys, label: keys, scope, run: () => undefined };
}

test("keys have the names that shortcuts use", () => {
  assert.equal(nameOf(press("A")), "a");
  assert.equal(nameOf(press("?")), "?");
  assert.equal(nameOf(press(" ")), "space");
  assert.equal(nameOf(press("k", { ctrlKey: true })), "mod+k");
  assert.equal(nameOf(press("k", { metaKey: true })), "mod+k");
  assert.equal(nameOf(press("é", { altKey: true })), undefined);
  assert.equal(nameOf(press("Shift")), undefined);
});

test("a key means what was declared last, and nothing once that is gone", () => {
  const registry = new ShortcutRegistry();
  const [outer, inner] = [shortcut("a", "everywhere"), shortcut("a")];
  registry.declare([outer]);
  const withdraw = registry.declare([inner]);
  assert.equal(registry.resolve(press("a"), 0), inner);
  assert.deepEqual(registry.list(), [inner]);
  withdraw();
  assert.equal(registry.resolve(press("a"), 0), outer);
  assert.equal(registry.resolve(press("b"), 0), undefined);
});

test("a second key counts for a while after the first, and a first key that leads nowhere means itself", () => {
  const registry = new ShortcutRegistry();
  const [go, plain] = [shortcut("g p", "everywhere"), shortcut("p")];
  registry.declare([go, plain]);
  assert.deepEqual(registry.list(), [plain, go], "those of the open screen come first");
  assert.equal(registry.resolve(press("g"), 0), "pending");
  assert.equal(registry.resolve(press("p"), SEQUENCE_MS), go);
  assert.equal(registry.resolve(press("p"), SEQUENCE_MS + 1), plain, "the first key is used up");
  assert.equal(registry.resolve(press("g"), 5000), "pending");
  assert.equal(registry.resolve(press("p"), 5001 + SEQUENCE_MS), plain, "too late");
  assert.equal(registry.resolve(press("g"), 9000), "pending");
  assert.equal(registry.resolve(press("x"), 9001), undefined);
});

test("nothing acts as long as something is opened that letters are meant for", () => {
  const registry = new ShortcutRegistry();
  const [first, second] = [registry.suspend(), registry.suspend()];
  first();
  assert.ok(registry.isSuspended);
  second();
  assert.ok(!registry.isSuspended);
});
