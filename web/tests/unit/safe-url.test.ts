// Where people may be sent, and what may be linked to.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { exitUrl, linkUrl, safeUrl } from "../../shared/safe-url";

const { pages, applications, refused } = JSON.parse(readFileSync("tests/vectors/redirect-urls.json", "utf8"));

test("people are sent to what the server accepts of a business, and links lead to its pages", () => {
  for (const address of pages) {
    assert.ok(exitUrl(address) && linkUrl(address), address);
  }
  for (const address of applications) {
    assert.ok(exitUrl(address), address);
    assert.equal(linkUrl(address), undefined, address);
  }
  for (const address of [...refused, undefined]) {
    assert.equal(exitUrl(address), undefined, address);
    assert.equal(linkUrl(address), undefined, address);
  }
  assert.equal(exitUrl("myapp://age-done?sessionId=1")?.href, "myapp://age-done?sessionId=1");
});

test("nobody is sent to an address that is none", () => {
  for (const bad of [
    ...refused,
    ...applications,
    "javascript:alert(1)",
    "data:text/html,x",
    "http://a.example/",
    "https://me@a.example/",
    "/x",
    "",
    undefined,
  ]) {
    assert.equal(safeUrl(bad), undefined, bad);
  }
  assert.equal(safeUrl("http://127.0.0.1:8080/x")?.pathname, "/x");
});
