// Addresses of the console: places, details, and links from messages.

import assert from "node:assert/strict";
import { test } from "node:test";
import { detailHref, isDeepLink, isId, parseRoute, placeHref } from "../../console/router";
import { isOpenTo, PLACE_ENTRIES } from "../../console/screens";
import { parseSignInLink } from "../../console/sign-in-link";
import { operator } from "../browser/operators-stand-in";

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

test("a detail may say what is to be done there", () => {
  const href = detailHref("application", ID, { new: "true" });
  assert.equal(href, `#application=${ID}?new=true`);
  assert.deepEqual([parseRoute(href).id, parseRoute(href).query.get("new")], [ID, "true"]);
  assert.deepEqual([parseRoute(`#account=${ID}`).screen, parseRoute(`#account=${ID}`).account], ["account", undefined]);
});

test("links by which people come in are told from addresses of screens", () => {
  const secret = "2mCk0S6yVqgE3fT8xJpQn5dWb1uR7zLhA4oKvXcYiBM";
  const kinds = {
    invite: "invitation",
    "sign-in": "link",
    "operator-invite": "operator_invitation",
    "operator-sign-in": "operator_link",
    choose: "choice",
  };
  for (const [name, kind] of Object.entries(kinds)) {
    assert.deepEqual(parseSignInLink(`#${name}=${secret}`), { kind, token: secret });
    assert.equal(parseSignInLink(`#${name}=short`), undefined);
  }
  assert.deepEqual(parseSignInLink("#sign-in-failed=busy"), { kind: "failed", token: "busy" });
  assert.equal(parseSignInLink("#inbox"), undefined);
  assert.equal(parseSignInLink(`#other=${secret}`), undefined);
});

test("no two places that somebody may open have the same keys", () => {
  for (const kind of ["member", "operator"] as const) {
    const keys = PLACE_ENTRIES.filter((entry) => entry[kind]).map(({ key }) => key);
    assert.deepEqual([...new Set(keys)], keys, kind);
  }
});

test("what is a member's is closed to operators, whatever their scopes", () => {
  const session = { operator: operator(1, "Root"), second_factor: "not-required" as const };
  assert.ok(!isOpenTo({ member: [] }, session, () => true));
  assert.ok(isOpenTo({ operator: [] }, session, () => false));
  assert.ok(!isOpenTo({ operator: ["keys:manage"] }, session, () => false));
});
