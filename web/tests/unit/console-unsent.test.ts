// What somebody typed outlives a session that ended by itself, and reaches nobody else.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isOver, type Session } from "../../console/api/session";
import { UnsentInput } from "../../console/unsent";
import { ACCOUNT, member } from "../browser/console-stand-in";
import { operator } from "../browser/operators-stand-in";
import { APPLICATION } from "../browser/sessions-stand-in";

function ofMember(number: number, account = ACCOUNT): Session {
  return {
    member: member(number, "Ada"),
    account: { id: account, name: "Corner shop", created_at: "2026-01-16T14:40:00Z" },
    application_id: APPLICATION,
    scopes: [],
    console_scopes: [],
    second_factor: "not-required",
  };
}

const ofOperator = (number: number): Session => ({
  operator: operator(number, "Root"),
  second_factor: "not-required",
});

/** Ada's session ended while a comment stood in its field. */
function ended(): UnsentInput {
  const input = new UnsentInput();
  const leave = input.show("comment", "half a sentence");
  assert.equal(input.keep(ofMember(1), "#queue"), true);
  leave();
  return input;
}

test("whoever is signed in again finds where they were and what they had typed, until a field has it", () => {
  const input = ended();
  assert.equal(input.comeBack(ofMember(1)), "#queue");
  assert.equal(input.isKept("comment"), true);
  assert.equal(input.keptOr("comment", ""), "half a sentence");
  assert.equal(input.keptOr("reason", "none"), "none");
  assert.equal(input.isKeeping, true);
  input.drop("comment");
  assert.equal(input.isKeeping, false, "the door has nothing to warn of");
  assert.equal(input.keptOr("comment", ""), "");
  assert.equal(input.comeBack(ofMember(1)), undefined, "where they were is told once");
});

test("nobody else finds it, and it is gone from then on", () => {
  for (const other of [ofMember(2), ofMember(1, ACCOUNT.replace(/1$/, "2")), ofOperator(1)]) {
    const input = ended();
    assert.equal(input.comeBack(other), undefined);
    assert.equal(input.isKept("comment"), false);
    assert.equal(input.comeBack(ofMember(1)), undefined);
    assert.equal(input.isKept("comment"), false);
  }
  const input = ended();
  input.dropOthers(ofMember(1));
  assert.equal(input.isKept("comment"), true, "a second factor that is missing is no other person");
  input.dropOthers(ofMember(2));
  assert.equal(input.isKept("comment"), false);
});

test("a session is over when there is none, somebody else's, or one that lacks another factor", () => {
  assert.equal(isOver(ofMember(1), ofMember(1)), false);
  assert.equal(isOver(ofMember(1), { ...ofMember(1), second_factor: "presented" }), false);
  assert.equal(isOver(ofMember(1), undefined), true);
  for (const other of [ofMember(2), ofMember(1, ACCOUNT.replace(/1$/, "2")), ofOperator(1)]) {
    assert.equal(isOver(ofMember(1), other), true);
  }
  assert.equal(isOver(ofMember(1), { ...ofMember(1), second_factor: "required" }), true);
});

test("what the one has not seen again is nothing to the next whose session ends", () => {
  const input = ended();
  input.comeBack(ofMember(1));
  assert.equal(input.keep(ofOperator(1), "#jobs"), false);
  assert.equal(input.comeBack(ofOperator(1)), "#jobs");
  assert.equal(input.isKept("comment"), false);
});

test("only what is shown is kept, and whoever signs out leaves nothing", () => {
  const input = new UnsentInput();
  const first = input.show("comment", "the same words");
  const second = input.show("comment", "the same words");
  first();
  assert.equal(input.keep(ofMember(1), ""), true, "it is shown elsewhere by now");
  second();
  input.clear();
  assert.equal(input.isKept("comment"), false);
  assert.equal(input.keep(ofMember(1), "#inbox"), false);
  assert.equal(input.comeBack(ofMember(1)), "#inbox");
});

test("a session that ends twice, before anybody is back, leaves what stood there first", () => {
  const input = ended();
  assert.equal(input.keep(ofMember(1), ""), true);
  assert.equal(input.comeBack(ofMember(1)), "#queue");
  assert.equal(input.keptOr("comment", ""), "half a sentence");
});
