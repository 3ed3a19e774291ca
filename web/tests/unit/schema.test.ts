// The types of the server's interfaces are those of its OpenAPI documents.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

test("what was generated from the OpenAPI documents is what they say now", () => {
  const { status, stderr } = spawnSync(process.execPath, ["tools/generate-schema.mjs", "--check"], {
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
});
