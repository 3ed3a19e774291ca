import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, errandAddress, errandOf, type Key, keyOf, leaveOf, linkOf, placeOf } from "../../age/address";
import { open, type PageSession, readSession, readTurn, type Status, threshold, usable } from "../../age/session";
import { direct, needsConsent, offered, screenOf, stoppable } from "../../age/state-machine/state";
import { ownPage } from "../../age/steps/document";
import { parse } from "../../shared/network";
import * as answers from "../age-answers";

const ID = "5f0c7a1e-3b52-4d8e-9c11-8a7b6c5d4e01";
const SDK = "9d3e2f10-6a4b-4c7d-8e9f-0a1b2c3d4e5f";
const KEY: Key = { base: "", id: ID, sdkId: SDK, locale: undefined, handedOff: false };

const { method } = answers;

function session(more: Partial<PageSession> = {}) {
  return readSession(answers.session(ID, more));
}

test("every status leads somewhere, and only what goes on can be stopped", () => {
  const screens: Record<Status, string> = {
    PENDING: "start",
    IN_PROGRESS: "start",
    PROCESSING: "processing",
    COMPLETE: "done",
    FAIL: "failed",
    ERROR: "failed",
    CANCELLED: "cancelled",
  };
  for (const [status, screen] of Object.entries(screens) as [Status, string][]) {
    assert.equal(screenOf(session({ status })), screen, status);
  }
  for (const status of ["FAIL", "ERROR"] as const) {
    assert.equal(screenOf(session({ status, retry: true })), "start");
  }
  const blocked = { location_blocked: true };
  assert.equal(screenOf(session(blocked)), "blocked");
  assert.equal(screenOf(session({ ...blocked, status: "COMPLETE" })), "done");
  assert.equal(screenOf(session({ methods: [method("EMAIL", { state: "EXHAUSTED", available: false })] })), "none");
  assert.deepEqual(
    [stoppable({ on: "start", again: false }), stoppable({ on: "done", elsewhere: false }), stoppable({ on: "begin" })],
    [true, false, true],
  );
});

test("methods are usable while they are open or may be tried again, and new ones come first", () => {
  const one = session({
    methods: [
      method("MOBILE", { state: "FAILED" }),
      method("EMAIL"),
      method("CREDIT_CARD", { state: "FAILED", attempts_remaining: 0 }),
      method("CPF", { state: "EXHAUSTED", attempts_remaining: 0 }),
      method("AGE_ESTIMATION", { state: "DECLINED" }),
      method("SINGPASS", { available: false }),
      method("DOC_SCAN"),
    ],
  });
  assert.deepEqual(
    usable(one).map(({ method }) => method),
    ["MOBILE", "EMAIL", "DOC_SCAN"],
  );
  const { fresh, again } = offered(one);
  assert.deepEqual(
    [fresh, again].map((list) => list.map(({ method }) => method)),
    [["EMAIL", "DOC_SCAN"], ["MOBILE"]],
  );
  const phone = offered(session({ methods: [method("EMAIL", { hand_off: false }), method("MOBILE")] }), true);
  assert.deepEqual(
    phone.fresh.map(({ method }) => method),
    ["MOBILE"],
  );
  assert.ok(open(one) && !open(session({ status: "FAIL" })));
});

test("a method's own address begins it only where nothing was tried before", () => {
  assert.equal(direct(session(), "email")?.method, "EMAIL");
  assert.equal(direct(session(), "mobile"), undefined);
  assert.equal(direct(session(), undefined), undefined);
  assert.equal(direct(session({ methods: [method("EMAIL", { attempts: 1 })] }), "email"), undefined);
  assert.equal(direct(session({ status: "IN_PROGRESS" }), "email"), undefined);
});

test("faces are not measured before somebody agreed", () => {
  const methods = [method("AGE_ESTIMATION", { biometric: true })];
  const asked = (given: boolean | null, required = true) => {
    const one = session({ methods, consent: { required, given } });
    return usable(one).map((method) => needsConsent(one, method));
  };
  assert.deepEqual([asked(null), asked(false), asked(true), asked(null, false)], [[true], [true], [false], [false]]);
});

test("the age that is asked about is what has to be shown in the end", () => {
  const methods = [method("AGE_ESTIMATION", { threshold: 25 }), method("EMAIL")];
  assert.equal(threshold(session({ type: "OVER", methods })), 18);
  assert.equal(threshold(session({ type: "UNDER", methods })), 25);
  assert.equal(threshold(session({ type: "AGE", methods })), undefined);
  assert.equal(threshold(session({ methods: [] })), undefined);
});

test("an answer is put into the words of the page, and one that is no session is a mistake", () => {
  const { cancelUrl, reason, issues, locationBlocked } = session();
  assert.deepEqual([cancelUrl, reason, issues, locationBlocked], [undefined, undefined, undefined, false]);
  const read = session({
    seconds_left: 60,
    cancel_url: "https://shop.example/sorry",
    result: { method: "EMAIL", status: "FAIL", reason: "WRONG_CODE" },
    location_blocked: true,
    issues: 18,
  });
  assert.deepEqual(
    [read.secondsLeft, read.cancelUrl, read.tried, read.reason, read.locationBlocked, read.issues, read.days],
    [60, "https://shop.example/sorry", "EMAIL", "WRONG_CODE", true, 18, 30],
  );
  const turn = readTurn(answers.ended(answers.session(ID)));
  assert.deepEqual([turn.session.id, turn.step, turn.problem, turn.attempt], [ID, undefined, undefined, undefined]);
  for (const nothing of [undefined, {} as PageSession]) {
    assert.throws(() => readSession(nothing), TypeError);
  }
  assert.throws(() => readTurn(undefined), TypeError);
});

test("what is no JSON object is no answer", () => {
  assert.deepEqual(parse('{"a":1}'), { a: 1 });
  for (const bad of ["", "<!doctype html><title>502</title>", "{", "null", "7", '"text"', "[]"]) {
    assert.equal(parse(bad), undefined, bad);
  }
});

test("addresses say where the page is, which method, and whether a provider sends somebody back", () => {
  for (const [path, base, method, returned] of [
    ["/age", "", undefined, false],
    ["/age/", "", undefined, false],
    ["/sandbox/age", "/sandbox", undefined, false],
    ["/sandbox/age/age_estimation", "/sandbox", "age_estimation", false],
    ["/age/return", "", undefined, true],
    ["/below/sandbox/age/return", "/below/sandbox", undefined, true],
  ] as const) {
    assert.deepEqual(placeOf(path), { base, method, returned }, path);
  }
});

test("a session comes from the query or from a short link, and its address leads back to it", () => {
  const at = (address: string) => keyOf(new URL(address, "https://a.example"));
  assert.deepEqual(at(`/age?sessionId=${ID}&sdkId=${SDK}`), KEY);
  assert.deepEqual(at(`/sandbox/age/email?sessionID=${ID}&sdkid=${SDK}&locale=de-AT`), {
    ...KEY,
    base: "/sandbox",
    locale: "de",
  });
  assert.equal(at(`/age?sessionId=${ID}&sdkId=${SDK}&locale=ja`)?.locale, undefined);
  for (const bad of [
    "/age",
    `/age?sessionId=${ID}`,
    `/age?sdkId=${SDK}`,
    `/age?sessionId=../x&sdkId=${SDK}`,
    "/age#short",
  ]) {
    assert.equal(at(bad), undefined, bad);
  }
  for (const key of [
    KEY,
    { ...KEY, base: "/sandbox", locale: "pl" as const },
    { ...KEY, handedOff: true },
    { ...KEY, handedOff: true, locale: "ar" as const },
  ]) {
    assert.deepEqual(at(addressOf(key)), key);
  }
  const link = linkOf(KEY, "https://a.example");
  assert.match(link, /^https:\/\/a\.example\/age#[\w-]{43}$/);
  assert.equal(keyOf(new URL(link))?.handedOff, true);
});

test("what was kept is believed only as far as it has the form", () => {
  const leave = { ...KEY, attempt: "a", continuation: "c" };
  assert.deepEqual(leaveOf(JSON.parse(JSON.stringify(leave))), leave);
  for (const bad of [
    null,
    7,
    {},
    { ...leave, id: "x" },
    { ...leave, continuation: undefined },
    { ...leave, attempt: 1 },
  ]) {
    assert.equal(leaveOf(bad), undefined);
  }
  const errand = { ...leave, url: "https://id.example/?a=1&b=#2" };
  assert.deepEqual(errandOf(new URL(errandAddress(errand), "https://a.example").hash), errand);
  for (const bad of ["", "#", "#go=", "#go=%", "#go={}", "#go=null"]) {
    assert.equal(errandOf(bad), undefined, bad);
  }
});

test("only this server's own page for documents is shown", () => {
  Object.defineProperty(globalThis, "location", {
    configurable: true,
    value: { href: "https://a.example/age", origin: "https://a.example" },
  });
  assert.equal(ownPage("/idverify/v1/web/index.html?x=1"), "https://a.example/idverify/v1/web/index.html?x=1");
  for (const bad of ["https://b.example/", "//b.example/", "javascript:alert(1)", "data:text/html,x"]) {
    assert.equal(ownPage(bad), undefined, bad);
  }
});
