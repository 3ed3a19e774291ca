// Addresses of the console: places, details, and links from messages.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepLink, isId, parseRoute, placeHref } from "../../console/router";

const ID = "10000000-0000-4000-8000-000000000001";

test("an address names a place, or what an id is of", () => {
  assert.equal(parseRoute("#inbox").screen, "inbox");
  const { screen, query } = parseRoute("#people?banned=true&page=2");
  assert.equal(screen, "people");
  assert.deepEqual(Object.fromEntries(query), { banned: "true", page: "2" });
  assert.deepEqual([parseRoute(`#profile=${ID}`).screen, parseRoute(`#profile=${ID}`).id], ["profile", ID]);
  assert.equal(parseRoute(`#moderation=${ID}`).screen, "moderation");
  assert.equal(parseRoute("#contents?title=lake").query.get("title"), "lake");
  for (const other of ["", "#", "#nowhere", "#inboxes", `#profile=${ID}0`, "#profile=../etc"]) {
    assert.equal(parseRoute(other).screen, undefined, other);
  }
});

test("an id is told from what only looks like one", () => {
  assert.ok(isId(ID) && isId(ID.toUpperCase().replace("1", "A")));
  for (const other of ["", null, undefined, ` ${ID}`, `${ID}0`, ID.replaceAll("-", "")]) {
    assert.ok(!isId(other), `${other}`);
  }
});

test("links from messages name their account", () => {
  for (const kind of ["notification", "profile"]) {
    const link = `#account=${ID}&${kind}=${ID}`;
    assert.ok(isDeepLink(link));
    assert.deepEqual([parseRoute(link).screen, parseRoute(link).account], [kind, ID]);
  }
  assert.ok(!isDeepLink(`#notification=${ID}`));
  assert.ok(!isDeepLink(`#account=${ID}&inbox`));
});

test("what is empty does not stand in an address", () => {
  assert.equal(placeHref("inbox"), "#inbox");
  assert.equal(placeHref("inbox", { show: "", page: undefined }), "#inbox");
  assert.equal(placeHref("people", { reference: "a b&c", banned: "" }), "#people?reference=a+b%26c");
});
