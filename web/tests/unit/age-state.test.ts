import assert from "node:assert/strict";
import { test } from "node:test";
import {
  availableMethods,
  isOpen,
  type PageMethod,
  type PageSession,
  readSession,
  readTurn,
  type SessionStatus,
  sessionThreshold,
} from "../../age/session";
import {
  handOffLink,
  parsePagePath,
  parseRedirectTab,
  parseReturnState,
  parseSessionUrl,
  redirectTabPath,
  type SessionKey,
  sessionPath,
} from "../../age/session-url";
import {
  canTakeBackConsent,
  isCancellable,
  methodForPath,
  needsConsent,
  offeredMethods,
  type ScreenState,
  screenOf,
} from "../../age/state-machine/state";
import { sameOriginUrl } from "../../age/steps/document";
import { parseObject } from "../../shared/network";
import * as answers from "../age-responses";

const ID = "5f0c7a1e-3b52-4d8e-9c11-8a7b6c5d4e01";
const SDK = "9d3e2f10-6a4b-4c7d-8e9f-0a1b2c3d4e5f";
const KEY: SessionKey = { base: "", id: ID, sdkId: SDK, locale: undefined, handedOff: false };

const { method } = answers;

function session(more: Partial<PageSession> = {}) {
  return readSession(answers.session(ID, more));
}

test("every status leads somewhere, and only what goes on can be stopped", () => {
  const screens: Record<SessionStatus, string> = {
    PENDING: "start",
    IN_PROGRESS: "start",
    PROCESSING: "processing",
    COMPLETE: "done",
    FAIL: "failed",
    ERROR: "failed",
    CANCELLED: "cancelled",
    EXPIRED: "expired",
  };
  for (const [status, screen] of Object.entries(screens) as [SessionStatus, string][]) {
    assert.equal(screenOf(session({ status })), screen, status);
  }
  for (const status of ["FAIL", "ERROR"] as const) {
    assert.equal(screenOf(session({ status, retry: true })), "start");
  }
  const key = method("SVC_KEY", { silent: true });
  const offered = (...methods: PageMethod[]) => offeredMethods(session({ methods })).fresh.map((one) => one.method);
  assert.deepEqual(offered(key, method("EMAIL")), ["EMAIL"]);
  assert.deepEqual(offered(key), ["SVC_KEY"], "there is no other");
  const blocked = { location_blocked: true };
  assert.equal(screenOf(session(blocked)), "blocked");
  assert.equal(screenOf(session({ ...blocked, status: "COMPLETE" })), "done");
  assert.equal(screenOf(session({ methods: [method("EMAIL", { state: "EXHAUSTED", available: false })] })), "none");
  const stoppable = (screen: ScreenState, more: Partial<PageSession> = {}) =>
    isCancellable({ key: KEY, screen, session: session(more) });
  assert.deepEqual(
    [
      stoppable({ on: "start", again: false }),
      stoppable({ on: "done", elsewhere: false }),
      stoppable({ on: "begin" }),
      stoppable({ on: "processing" }, { status: "PROCESSING" }),
    ],
    [true, false, true, false],
  );
  const cut: ScreenState = { on: "interrupted", why: "network", request: undefined, before: { on: "loading" } };
  assert.deepEqual([stoppable(cut), stoppable(cut, { status: "PROCESSING" })], [true, false]);
  for (const screen of [cut, { on: "retrying", before: cut.before }] as const) {
    const opening = { screen, session: undefined };
    assert.ok(isCancellable({ ...opening, key: KEY }), "a session that could not be read yet");
    assert.ok(!isCancellable({ ...opening, key: undefined }), "there is none yet");
  }
  const over: ScreenState = { on: "over", why: "blocked", issuing: false };
  assert.deepEqual(
    [stoppable(over), stoppable({ ...over, why: "expired" }), stoppable(over, { status: "FAIL" })],
    [true, false, false],
  );
  assert.ok(!isCancellable({ key: KEY, screen: over, session: undefined }), "nothing is known of the session");
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
    availableMethods(one).map(({ method }) => method),
    ["MOBILE", "EMAIL", "DOC_SCAN"],
  );
  const { fresh, again } = offeredMethods(one);
  assert.deepEqual(
    [fresh, again].map((list) => list.map(({ method }) => method)),
    [["EMAIL", "DOC_SCAN"], ["MOBILE"]],
  );
  const phone = offeredMethods(session({ methods: [method("EMAIL", { hand_off: false }), method("MOBILE")] }), true);
  assert.deepEqual(
    phone.fresh.map(({ method }) => method),
    ["MOBILE"],
  );
  assert.ok(isOpen(one) && !isOpen(session({ status: "FAIL" })));
});

test("a method's own address begins it only where nothing was tried before", () => {
  assert.equal(methodForPath(session(), "email")?.method, "EMAIL");
  assert.equal(methodForPath(session(), "mobile"), undefined);
  assert.equal(methodForPath(session(), undefined), undefined);
  assert.equal(methodForPath(session({ methods: [method("EMAIL", { attempts: 1 })] }), "email"), undefined);
  assert.equal(methodForPath(session({ status: "IN_PROGRESS" }), "email"), undefined);
});

test("faces are not measured before somebody agreed", () => {
  const methods = [method("AGE_ESTIMATION", { biometric: true })];
  const asked = (given: boolean | null, required = true) => {
    const one = session({ methods, consent: { required, given, may_give: required } });
    return availableMethods(one).map((method) => needsConsent(one, method));
  };
  assert.deepEqual([asked(null), asked(false), asked(true), asked(null, false)], [[true], [true], [false], [false]]);
});

test("consent is taken back where it was given, from a check that runs and as long as the session can go on", () => {
  const given = { required: true, given: true, may_give: true };
  const possible = (screen: ScreenState, more: Partial<PageSession> = {}) =>
    canTakeBackConsent({ screen, session: session({ consent: given, ...more }) });
  const start: ScreenState = { on: "start", again: false };
  const blocked: ScreenState = { on: "over", why: "blocked", issuing: false };
  assert.ok(possible(start) && possible({ on: "none" }) && possible(blocked));
  assert.ok(possible({ on: "processing" }, { status: "PROCESSING", seconds_left: 0 }));
  for (const consent of [
    { required: true, given: null, may_give: true },
    { required: true, given: false, may_give: true },
    { required: false, given: true, may_give: false },
  ]) {
    assert.ok(!possible({ on: "processing" }, { status: "PROCESSING", consent }), JSON.stringify(consent));
  }
  assert.ok(!possible({ on: "done", elsewhere: false }, { status: "COMPLETE" }));
  assert.ok(!possible({ on: "failed" }, { status: "FAIL" }));
  assert.ok(!possible(blocked, { status: "FAIL" }) && possible(blocked, { status: "FAIL", retry: true }));
  assert.ok(!possible({ ...blocked, why: "expired" }));
  assert.ok(!canTakeBackConsent({ screen: blocked, session: undefined }));
});

test("the age that is asked about is what has to be shown in the end", () => {
  const methods = [method("AGE_ESTIMATION", { threshold: 25 }), method("EMAIL")];
  assert.equal(sessionThreshold(session({ type: "OVER", methods })), 18);
  assert.equal(sessionThreshold(session({ type: "UNDER", methods })), 25);
  assert.equal(sessionThreshold(session({ type: "AGE", methods })), undefined);
  assert.equal(sessionThreshold(session({ methods: [] })), undefined);
});

test("an answer is put into the words of the page, and one that is no session is a mistake", () => {
  const { cancelUrl, reason, issuerThreshold: issues, locationBlocked } = session();
  assert.deepEqual([cancelUrl, reason, issues, locationBlocked], [undefined, undefined, undefined, false]);
  const read = session({
    seconds_left: 60,
    cancel_url: "https://shop.example/sorry",
    result: { method: "EMAIL", status: "FAIL", reason: "WRONG_CODE" },
    location_blocked: true,
    issues: 18,
  });
  assert.deepEqual(
    [
      read.secondsLeft,
      read.cancelUrl,
      read.triedMethod,
      read.reason,
      read.locationBlocked,
      read.issuerThreshold,
      read.keptDays,
    ],
    [60, "https://shop.example/sorry", "EMAIL", "WRONG_CODE", true, 18, 30],
  );
  const turn = readTurn(answers.endedTurn(answers.session(ID)));
  assert.deepEqual([turn.session.id, turn.step, turn.problem, turn.attempt], [ID, undefined, undefined, undefined]);
  for (const nothing of [undefined, {} as PageSession]) {
    assert.throws(() => readSession(nothing), TypeError);
  }
  assert.throws(() => readTurn(undefined), TypeError);
});

test("what is not a JSON object is no answer", () => {
  assert.deepEqual(parseObject('{"a":1}'), { a: 1 });
  for (const bad of ["", "<!doctype html><title>502</title>", "{", "null", "7", '"text"', "[]"]) {
    assert.equal(parseObject(bad), undefined, bad);
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
    assert.deepEqual(parsePagePath(path), { base, method, returned }, path);
  }
});

test("a session comes from the query or from a short link, and its address leads back to it", () => {
  const at = (address: string) => parseSessionUrl(new URL(address, "https://a.example"));
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
    assert.deepEqual(at(sessionPath(key)), key);
  }
  const link = handOffLink(KEY, "https://a.example");
  assert.match(link, /^https:\/\/a\.example\/age#[\w-]{43}$/);
  assert.equal(parseSessionUrl(new URL(link))?.handedOff, true);
});

test("what was kept is believed only as far as it has the form", () => {
  const returnState = { ...KEY, attempt: "a", continuation: "c" };
  assert.deepEqual(parseReturnState(JSON.parse(JSON.stringify(returnState))), returnState);
  for (const bad of [
    null,
    7,
    {},
    { ...returnState, id: "x" },
    { ...returnState, continuation: undefined },
    { ...returnState, attempt: 1 },
  ]) {
    assert.equal(parseReturnState(bad), undefined);
  }
  const redirectTab = { ...returnState, url: "https://id.example/?a=1&b=#2" };
  assert.deepEqual(parseRedirectTab(new URL(redirectTabPath(redirectTab), "https://a.example").hash), redirectTab);
  for (const bad of ["", "#", "#go=", "#go=%", "#go={}", "#go=null"]) {
    assert.equal(parseRedirectTab(bad), undefined, bad);
  }
});

test("only this server's own page for documents is shown", () => {
  Object.defineProperty(globalThis, "location", {
    configurable: true,
    value: { href: "https://a.example/age", origin: "https://a.example" },
  });
  assert.equal(sameOriginUrl("/idverify/v1/web/index.html?x=1"), "https://a.example/idverify/v1/web/index.html?x=1");
  for (const bad of ["https://b.example/", "//b.example/", "javascript:alert(1)", "data:text/html,x"]) {
    assert.equal(sameOriginUrl(bad), undefined, bad);
  }
});
