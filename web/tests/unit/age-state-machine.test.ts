// The page of age sessions as a state machine: each way through it, and what comes late, twice or from elsewhere.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type PageSession,
  readSession,
  readTurn,
  type Session,
  type Step,
  type Turn,
  type TurnInput,
} from "../../age/session";
import type { SessionKey } from "../../age/session-url";
import type { Effect, PageEvent } from "../../age/state-machine/events";
import { reduce } from "../../age/state-machine/reduce";
import { type Environment, initialState, type ScreenState, type State } from "../../age/state-machine/state";
import {
  AUTO_RETURN_S,
  AUTO_RETURN_WITH_OFFERS_S,
  FOLLOW_INTERVAL_MS,
  MIN_POLL_INTERVAL_MS,
} from "../../age/state-machine/timing";
import { type IssuerOrder, NO_SIGNATURE, type TokenOrder } from "../../age/token-request";
import { session as answer, CAPTURE, endedTurn, method, openTurn } from "../age-responses";

const ID = "5f0c7a1e-3b52-4d8e-9c11-8a7b6c5d4e01";
const SDK = "9d3e2f10-6a4b-4c7d-8e9f-0a1b2c3d4e5f";
const KEY: SessionKey = { base: "", id: ID, sdkId: SDK, locale: undefined, handedOff: false };
const RETURN_STATE = { ...KEY, attempt: "a1", continuation: "c1" };
const EMAIL = method("EMAIL");
const FACE = method("AGE_ESTIMATION", { biometric: true });
const ORDER: TokenOrder = { threshold: 18, request: "r".repeat(346), channel: "c".repeat(22), back: undefined };
const KEPT: IssuerOrder = { ...ORDER, id: ID, key: "k", redeemers: [] };
const SIGNED = "s".repeat(342);

const VIEW = { seconds_left: 600, methods: [EMAIL, FACE] };

function session(more: Partial<PageSession> = {}): Session {
  return readSession(answer(ID, { ...VIEW, ...more }));
}

/** What an attempt answers: a step, or nothing more. */
function turn(step: Step | null, more: Partial<PageSession> = {}, continuation = "c1"): Turn {
  const view = answer(ID, { ...VIEW, status: "IN_PROGRESS", ...more });
  return readTurn(step ? openTurn(view, "a1", continuation, step) : endedTurn(view));
}

const FORM: Step = { kind: "form", fields: [] };
const CODE: Step = { kind: "code", channel: "EMAIL", sent_to: "a•••@example.com", length: 6, resend_in: 30 };
const CAMERA: Step = { kind: "camera", level: "PASSIVE", capture: CAPTURE };
const WAIT: Step = { kind: "wait", poll_ms: 1000 };
const WALLET: Step = { kind: "wallet", url: "openid4vp://one", links: [], poll_ms: 1000 };
const DOCUMENT: Step = { kind: "document", url: "/idverify/v1/web/index.html" };
const REDIRECT: Step = { kind: "redirect", url: "https://id.example" };
/** Consent that is asked for. */
const ASKED = { required: true, given: null, may_give: true };

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

/** A page that is driven by hand. */
class Page {
  state: State;
  /** What the last event had done. */
  effects: Effect[] = [];

  constructor(environment: Partial<Environment> = {}) {
    this.state = initialState({ embedded: false, phone: false, issuerPage: false, keptHere: false, ...environment });
  }

  get on(): ScreenState["on"] {
    return this.state.screen.on;
  }

  /** What is asked, or was asked last. */
  get pending(): number {
    const { pending } = this.state;
    assert.ok(pending, `nothing is asked at ${this.on}`);
    return pending.number;
  }

  get view(): number {
    const { view } = this.state;
    assert.ok(view, `no step is shown at ${this.on}`);
    return view.number;
  }

  get asked(): string | undefined {
    return this.state.pending?.request.ask;
  }

  send(event: PageEvent): this {
    const { state, effects } = reduce(this.state, event);
    // A state is never changed, only followed by another: whoever tries to is told.
    this.state = frozen(state);
    this.effects = effects;
    return this;
  }

  read(view: Session, number = this.pending): this {
    return this.send({ is: "sessionReceived", number, session: view });
  }

  turn(taken: Turn, number = this.pending): this {
    return this.send({ is: "turnReceived", number, turn: taken });
  }

  loaded(): this {
    return this.send({ is: "loaded", number: this.pending });
  }

  refused(status: number, code: string, number = this.pending): this {
    return this.send({ is: "failed", number, failure: { kind: "refused", status, code } });
  }

  cut(number = this.pending): this {
    return this.send({ is: "failed", number, failure: { kind: "interrupted", why: "network" } });
  }

  submit(input: TurnInput = { fields: {} }, view = this.view): this {
    return this.send({ is: "submitted", view, input, progress: undefined });
  }

  /** Lets the time of what is asked from time to time come; answers the request's number. */
  poll(): number {
    const { polling } = this.state;
    assert.ok(polling && !polling.inFlight, `nothing waits at ${this.on}`);
    this.send({ is: "timerFired", number: polling.number });
    assert.ok(this.state.polling?.inFlight);
    return this.state.polling.number;
  }

  did<D extends Effect["do"]>(what: D): Extract<Effect, { do: D }>[] {
    return this.effects.filter((effect): effect is Extract<Effect, { do: D }> => effect.do === what);
  }

  /** At the choice of methods. */
  static atStart(view = session(), environment: Partial<Environment> = {}, key = KEY): Page {
    return new Page(environment).send({ is: "opened", key, path: undefined, order: undefined }).read(view);
  }

  /** At a step of a method. */
  static atStep(step: Step, method = 0, view = session()): Page {
    const page = Page.atStart(view);
    page.send({ is: "methodChosen", method: view.methods[method] as never });
    return page.turn(turn(step)).loaded();
  }
}

// --- how the page is opened ---

test("a session is opened at its choice, or at the method of its address", () => {
  const page = new Page().send({ is: "opened", key: KEY, path: undefined, order: undefined });
  assert.deepEqual([page.on, page.asked], ["loading", "open"]);
  page.read(session());
  assert.deepEqual([page.on, page.did("startCountdown")], ["start", [{ do: "startCountdown", seconds: 600 }]]);

  const direct = new Page().send({ is: "opened", key: KEY, path: "email", order: undefined }).read(session());
  assert.deepEqual([direct.on, direct.asked], ["begin", "begin"]);
  const face = new Page().send({ is: "opened", key: KEY, path: "age_estimation", order: undefined });
  face.read(session({ consent: ASKED }));
  assert.equal(face.on, "consent");
  const tried = new Page().send({ is: "opened", key: KEY, path: "email", order: undefined });
  tried.read(session({ methods: [{ ...EMAIL, attempts: 1 }] }));
  assert.equal(tried.on, "start");
});

test("every status has its screen, and a page that is over asks for nothing more", () => {
  for (const [more, on] of [
    [{ status: "COMPLETE" }, "done"],
    [{ status: "PROCESSING" }, "processing"],
    [{ status: "FAIL" }, "failed"],
    [{ status: "FAIL", retry: true }, "start"],
    [{ status: "CANCELLED" }, "over"],
    [{ location_blocked: true }, "over"],
    [{ methods: [] }, "none"],
  ] as [Partial<PageSession>, ScreenState["on"]][]) {
    const page = Page.atStart(session(more));
    assert.deepEqual([page.on, page.asked], [on, undefined], JSON.stringify(more));
  }
});

test("somebody comes back from a provider with what it said", () => {
  const page = new Page().send({
    is: "returned",
    returnState: RETURN_STATE,
    returned: { code: "c0de" },
    order: undefined,
  });
  assert.deepEqual(page.state.pending?.request, {
    ask: "return",
    returnState: RETURN_STATE,
    returned: { code: "c0de" },
  });
  assert.equal(page.turn(turn(null, { status: "COMPLETE" })).on, "done");
});

test("what cannot be opened says why", () => {
  assert.deepEqual(new Page().send({ is: "couldNotOpen", why: "unsupported" }).state.screen, {
    on: "over",
    why: "unsupported",
    issuing: false,
  });
  assert.deepEqual(new Page().send({ is: "returnedWithoutState" }).state.screen, { on: "lost", what: "way" });
  const keys = new Page().send({ is: "forgetPageOpened", base: "/sandbox" });
  assert.equal(keys.asked, "loadKeys");
  assert.deepEqual(keys.loaded().state.screen, { on: "keys", base: "/sandbox" });
});

test("a tab that a frame opened asks before it goes anywhere, and goes to no address of a stranger's", () => {
  const redirectTab = { ...RETURN_STATE, url: "https://id.example/go" };
  const page = new Page().send({ is: "redirectTabOpened", redirectTab });
  assert.deepEqual([page.on, page.asked], ["departure", undefined]);
  page.send({ is: "continued" }).read(session());
  assert.deepEqual(page.did("goToProvider"), [
    { do: "goToProvider", returnState: { ...RETURN_STATE, handedOff: true }, url: "https://id.example/go" },
  ]);
  for (const url of ["javascript:alert(1)", "http://evil.example/"]) {
    assert.equal(new Page().send({ is: "redirectTabOpened", redirectTab: { ...redirectTab, url } }).on, "over", url);
  }
  // Nor on behalf of an issuer's session, which is somebody else's.
  const issuing = new Page()
    .send({ is: "redirectTabOpened", redirectTab })
    .send({ is: "continued" })
    .read(session({ issues: 18 }));
  assert.deepEqual([issuing.state.screen, issuing.did("goToProvider")], [{ on: "lost", what: "order" }, []]);
});

// --- a method and its steps ---

test("a method is begun, its program is fetched, and its steps lead to the end", () => {
  const page = Page.atStart();
  page.send({ is: "methodChosen", method: session().methods[0] as never });
  assert.deepEqual([page.on, page.asked], ["begin", "begin"]);
  page.turn(turn(FORM));
  assert.deepEqual([page.on, page.asked], ["begin", "load"]);
  page.loaded();
  assert.deepEqual([page.on, page.state.view?.kind, page.asked], ["step", "form", undefined]);
  page.submit({ fields: { email: "ada@example.com" } });
  assert.deepEqual([page.on, page.asked], ["step", "answer"], "what was typed stays on the screen");
  page.turn(turn(CODE, {}, "c2")).loaded();
  assert.deepEqual([page.on, page.state.view?.kind, page.state.attempt?.continuation], ["step", "code", "c2"]);
  page.submit({ code: "123456" }).turn(turn(null, { status: "COMPLETE" }));
  assert.equal(page.on, "done");
});

test("a form that stands again keeps its view, a camera is opened anew", () => {
  const form = Page.atStep(FORM);
  const { view } = form;
  form.submit().turn(turn(FORM));
  assert.deepEqual([form.on, form.view, form.asked], ["step", view, undefined]);
  const camera = Page.atStep(CAMERA, 1);
  const before = camera.view;
  camera.submit().turn(turn(CAMERA));
  assert.equal(camera.asked, "load");
  assert.ok(camera.loaded().view > before);
});

test("a step that the page does not know leads back to the choice", () => {
  const page = Page.atStart();
  page
    .send({ is: "methodChosen", method: session().methods[0] as never })
    .turn(turn({ kind: "telepathy" } as unknown as Step));
  assert.deepEqual([page.on, page.asked], ["unable", undefined]);
  assert.deepEqual([page.send({ is: "backToChoice" }).on, page.asked], ["loading", "choice"]);
});

test("an attempt that failed leads to the choice, a session that is decided to its end", () => {
  const page = Page.atStep(FORM).submit();
  assert.equal(page.turn(turn(null)).on, "start");
  assert.equal(
    Page.atStep(FORM)
      .submit()
      .turn(turn(null, { status: "FAIL" })).on,
    "failed",
  );
});

// --- consent ---

test("a face is measured after somebody agreed, and not where they do not", () => {
  const view = session({ consent: ASKED });
  const asked = () => Page.atStart(view).send({ is: "methodChosen", method: view.methods[1] as never });
  assert.equal(asked().on, "consent");
  const agreed = asked().send({ is: "consented", given: true });
  assert.deepEqual([agreed.on, agreed.asked], ["loading", "consent"]);
  agreed.read(session({ consent: { required: true, given: true, may_give: true } }));
  assert.deepEqual([agreed.on, agreed.asked], ["begin", "begin"]);
  const declined = asked().send({ is: "consented", given: false });
  assert.equal(declined.read(session({ methods: [EMAIL, { ...FACE, state: "DECLINED" }] })).on, "start");
  // Somebody who agreed, and whose session has ended meanwhile.
  const late = asked().send({ is: "consented", given: true });
  assert.equal(late.read(session({ status: "CANCELLED" })).on, "over");
});

test("where a wallet has nothing to say and a face is asked for, that is agreed to first", () => {
  const consent = ASKED;
  const methods = [method("DIGITAL_ID"), EMAIL];
  const page = Page.atStep(WALLET, 0, session({ methods, consent }));
  page.send({ is: "pollRequested", view: page.view, ms: 500 });
  page.turn(turn(CAMERA, { methods, consent }), page.poll());
  assert.equal(page.on, "consent");
  page.send({ is: "consented", given: true });
  page.read(session({ methods, consent: { ...consent, given: true }, status: "IN_PROGRESS" }));
  assert.equal(page.asked, "load", "the turn that waited goes on");
  assert.equal(page.loaded().state.view?.kind, "camera");
});

/** Consent that was given, and that was refused or taken back. */
const GIVEN = { required: true, given: true, may_give: true };
const REFUSED = { required: true, given: false, may_give: true };
const DOC_WITH_FACE = method("DOC_SCAN", { biometric: true });
const TAKE_BACK: PageEvent = { is: "consented", given: false };

/** Where a check runs that uses a face. */
function checked(more: Partial<PageSession> = {}): Page {
  const methods = [DOC_WITH_FACE, EMAIL];
  return Page.atStart(session({ status: "PROCESSING", consent: GIVEN, methods, ...more }));
}

test("consent is taken back from a check that runs, and the page goes where the session stands then", () => {
  const page = checked();
  const late = page.poll();
  page.send(TAKE_BACK);
  assert.equal(page.on, "loading");
  assert.deepEqual(page.state.pending?.request, { ask: "consent", given: false, method: undefined, turn: undefined });
  assert.deepEqual(page.send(TAKE_BACK).effects, [], "once");
  assert.equal(page.read(session({ status: "COMPLETE" }), late).on, "loading", "an answer to the poll is late");
  const methods = [EMAIL, { ...DOC_WITH_FACE, state: "DECLINED" as const, available: false }];
  assert.equal(page.read(session({ status: "IN_PROGRESS", consent: REFUSED, methods })).on, "start");

  const alone = checked().send(TAKE_BACK);
  assert.equal(alone.read(session({ status: "FAIL", consent: REFUSED })).on, "failed");
  // Time was over for the other method.
  const timeUp = checked({ seconds_left: 0 }).send(TAKE_BACK);
  timeUp.read(session({ status: "EXPIRED", consent: REFUSED, seconds_left: 0 }));
  assert.deepEqual(timeUp.state.screen, { on: "over", why: "expired", issuing: false });
  // A check that uses no face goes on.
  const goesOn = checked().send(TAKE_BACK);
  goesOn.read(session({ status: "PROCESSING", consent: REFUSED }));
  assert.equal(goesOn.on, "processing");
  assert.deepEqual(goesOn.send(TAKE_BACK).effects, [], "there is nothing to take back any more");
  assert.equal(goesOn.read(session({ status: "COMPLETE" }), goesOn.poll()).on, "done");
});

test("a check that ends while consent is taken back shows what came of it", () => {
  for (const [status, code] of [
    [409, "INVALID_STATUS"],
    [410, "SESSION_EXPIRED"],
  ] as const) {
    const page = checked().send(TAKE_BACK).refused(status, code);
    assert.deepEqual([page.on, page.asked], ["loading", "recovery"], code);
    assert.equal(page.read(session({ status: "COMPLETE", seconds_left: 0 })).on, "done", code);
  }
  const over = checked().send(TAKE_BACK).refused(410, "SESSION_EXPIRED").refused(410, "SESSION_EXPIRED");
  assert.deepEqual(over.state.screen, { on: "over", why: "expired", issuing: false });
  assert.equal(checked().send(TAKE_BACK).refused(404, "SESSION_NOT_FOUND").on, "over");
});

test("a network that breaks off while consent is taken back is waited for, and there is nothing to stop", () => {
  const page = checked().send(TAKE_BACK).cut();
  assert.equal(page.on, "interrupted");
  assert.deepEqual(page.send({ is: "stopped" }).effects, []);
  page.send({ is: "resumed" });
  assert.deepEqual([page.on, page.asked], ["retrying", "consent"]);
  assert.equal(page.read(session({ status: "IN_PROGRESS", consent: REFUSED })).on, "start");
});

test("consent can be taken back at the choice, too, and only where it was given", () => {
  const page = Page.atStart(session({ consent: GIVEN })).send(TAKE_BACK);
  assert.equal(page.asked, "consent");
  assert.equal(page.read(session({ consent: REFUSED })).on, "start");
  for (const more of [
    { consent: ASKED },
    { consent: REFUSED },
    { status: "PROCESSING" as const, consent: ASKED },
    { status: "COMPLETE" as const, consent: GIVEN },
    { status: "FAIL" as const, consent: GIVEN },
  ]) {
    assert.deepEqual(Page.atStart(session(more)).send(TAKE_BACK).effects, [], JSON.stringify(more));
  }
});

const GIVE: PageEvent = { is: "consented", given: true };
/** A session that a refusal alone keeps from going on. */
const STOPPED_BY_REFUSAL = { status: "FAIL", consent: REFUSED } as const;

test("where a refusal alone is in the way after a failure, consent can be given after all", () => {
  const page = Page.atStart(session(STOPPED_BY_REFUSAL));
  assert.deepEqual([page.on, page.send(GIVE).on, page.asked], ["failed", "loading", "consent"]);
  page.read(session({ status: "FAIL", consent: GIVEN, retry: true }));
  assert.deepEqual([page.on, page.asked], ["start", undefined]);
  assert.deepEqual(page.did("startCountdown"), [{ do: "startCountdown", seconds: 600 }]);
  for (const more of [
    { consent: { ...REFUSED, may_give: false } },
    // Its tab was told that there is no token.
    { issues: 18 },
  ]) {
    assert.deepEqual(Page.atStart(session({ ...STOPPED_BY_REFUSAL, ...more })).send(GIVE).effects, []);
  }
  // The other device says so, too.
  const phone = Page.atStart(session(STOPPED_BY_REFUSAL), {}, { ...KEY, handedOff: true });
  assert.deepEqual([phone.on, phone.send(GIVE).effects], ["failed", []]);
});

test("consent that is given too late after a failure leaves the failure as it is", () => {
  const page = Page.atStart(session(STOPPED_BY_REFUSAL)).send(GIVE).refused(410, "SESSION_EXPIRED");
  assert.deepEqual([page.on, page.asked], ["loading", "recovery"]);
  assert.equal(page.read(session({ status: "FAIL", consent: { ...REFUSED, may_give: false } })).on, "failed");
  const over = Page.atStart(session({ consent: REFUSED }))
    .send(GIVE)
    .refused(410, "SESSION_EXPIRED");
  assert.deepEqual(over.refused(410, "SESSION_EXPIRED").state.screen, { on: "over", why: "expired", issuing: false });
});

test("who may still give consent has time for it before the page leads back", () => {
  const callback = { url: "https://shop.example/back", auto: true };
  const seconds = (consent: PageSession["consent"]) =>
    Page.atStart(session({ ...STOPPED_BY_REFUSAL, consent, callback }))
      .did("announceReturn")
      .map((effect) => effect.seconds);
  assert.deepEqual(seconds(REFUSED), [AUTO_RETURN_WITH_OFFERS_S]);
  assert.deepEqual(seconds({ ...REFUSED, may_give: false }), [AUTO_RETURN_S]);
});

test("who is blocked can still take back consent and stop, and stays blocked", () => {
  const over = { on: "over", why: "blocked", issuing: false };
  const opened = () => Page.atStart(session({ status: "IN_PROGRESS", location_blocked: true, consent: GIVEN }));
  const moved = Page.atStart(session({ consent: GIVEN }));
  moved.send({ is: "methodChosen", method: session().methods[1] as never }).refused(403, "LOCATION_BLOCKED");
  for (const page of [opened(), moved]) {
    assert.deepEqual(page.state.screen, over);
    assert.equal(page.send(TAKE_BACK).asked, "consent");
    // Of all answers, only that to a read says whether somebody is blocked.
    page.read(session({ status: "IN_PROGRESS", consent: REFUSED }));
    assert.deepEqual([page.state.screen, page.asked], [over, undefined]);
    assert.deepEqual(page.send(TAKE_BACK).effects, []);
    assert.equal(page.send({ is: "stopped" }).asked, "cancel");
    page.read(session({ status: "CANCELLED" }));
    assert.deepEqual(page.state.screen, { ...over, why: "cancelled" });
  }
  const failed = Page.atStart(session({ status: "FAIL", location_blocked: true, consent: GIVEN }));
  assert.deepEqual([failed.send(TAKE_BACK).effects, failed.send({ is: "stopped" }).effects], [[], []]);
});

// --- races ---

test("an answer to an earlier screen is late and changes nothing", () => {
  const page = Page.atStart();
  page.send({ is: "methodChosen", method: session().methods[0] as never });
  const late = page.pending;
  page.send({ is: "backToChoice" });
  const { state } = page;
  assert.equal(page.turn(turn(FORM), late).state, state);
  assert.equal(page.refused(410, "SESSION_EXPIRED", late).state, state);
  assert.equal(page.cut(late).state, state);
  assert.equal(page.read(session()).on, "start");
  assert.equal(page.read(session({ status: "COMPLETE" }), 1).on, "start", "nor does one that came already");
});

test("what is pressed twice is sent once", () => {
  const page = Page.atStep(FORM).submit();
  const { state } = page;
  assert.equal(page.submit().state, state);
  assert.deepEqual(page.effects, []);
  const begun = Page.atStart();
  begun.send({ is: "methodChosen", method: session().methods[0] as never });
  const before = begun.state;
  assert.equal(begun.send({ is: "methodChosen", method: session().methods[1] as never }).state, before);
  const consent = Page.atStart(session({ consent: ASKED }));
  consent.send({ is: "methodChosen", method: session().methods[1] as never }).send({ is: "consented", given: true });
  assert.deepEqual(consent.send({ is: "consented", given: true }).effects, []);
});

test("a view that is gone asks for nothing", () => {
  const page = Page.atStep(WAIT);
  const gone = page.view;
  page.send({ is: "pollRequested", view: gone, ms: 500 });
  page.turn(turn(FORM), page.poll()).loaded();
  const { state } = page;
  for (const event of [
    { is: "submitted", view: gone, input: {}, progress: undefined },
    { is: "providerChosen", view: gone, url: "https://id.example" },
    { is: "walletOpened", view: gone },
    { is: "pollRequested", view: gone, ms: 0 },
    { is: "watchRequested", view: gone, ms: 0 },
  ] as const) {
    assert.equal(page.send(event).state, state, event.is);
  }
});

test("somebody who stops while an answer is awaited has stopped, whatever it says", () => {
  const page = Page.atStep(FORM).submit();
  const late = page.pending;
  page.send({ is: "stopped" });
  assert.deepEqual([page.on, page.asked], ["loading", "cancel"]);
  page.turn(turn(null, { status: "COMPLETE" }), late);
  assert.equal(page.on, "loading");
  page.read(session({ status: "CANCELLED", cancel_url: "https://shop.example/sorry" }));
  assert.deepEqual([page.on, page.did("navigate")], ["over", [{ do: "navigate", url: "https://shop.example/sorry" }]]);
  const toApp = Page.atStart().send({ is: "stopped" });
  toApp.read(session({ status: "CANCELLED", cancel_url: "myapp://stopped" }));
  assert.deepEqual(toApp.did("navigate"), [{ do: "navigate", url: "myapp://stopped" }]);
  assert.deepEqual(page.send({ is: "stopped" }).effects, [], "once");
});

test("an attempt that another tab went on with is picked up where the session stands", () => {
  const page = Page.atStep(FORM).submit().refused(409, "STALE_CONTINUATION");
  assert.deepEqual([page.on, page.asked], ["loading", "recovery"]);
  page.read(session({ status: "IN_PROGRESS" }));
  assert.deepEqual(page.state.screen, { on: "start", again: true });
  // Where the other tab has ended it, that is the end here.
  const ended = Page.atStep(FORM).submit().refused(409, "STALE_CONTINUATION");
  assert.equal(ended.read(session({ status: "COMPLETE" })).on, "done");
  // A server that refuses to say even that is not asked for ever.
  const helpless = Page.atStep(FORM).submit().refused(409, "X").refused(409, "X");
  assert.equal(helpless.on, "interrupted");
  assert.deepEqual(helpless.send({ is: "resumed" }).effects, [{ do: "reload" }]);
});

test("refusals that end a session end it", () => {
  for (const [status, code, why] of [
    [410, "SESSION_EXPIRED", "expired"],
    [403, "LOCATION_BLOCKED", "blocked"],
    [404, "SESSION_NOT_FOUND", "notFound"],
    [401, "UNAUTHORIZED", "notFound"],
  ] as const) {
    const page = Page.atStep(FORM).submit().refused(status, code);
    assert.deepEqual(page.state.screen, { on: "over", why, issuing: false });
  }
});

// --- networks ---

test("a network that breaks off keeps what was typed, and goes on with the same when it is back", () => {
  const page = Page.atStep(FORM);
  const { view } = page;
  page.submit({ fields: { email: "ada@example.com" } }).cut();
  assert.deepEqual([page.on, page.state.view?.number], ["interrupted", view]);
  page.send({ is: "resumed" });
  assert.deepEqual([page.on, page.asked], ["retrying", "answer"]);
  page.cut();
  assert.equal(page.on, "interrupted");
  page.send({ is: "resumed" });
  assert.deepEqual(page.state.pending?.request.ask === "answer" && page.state.pending.request.input, {
    fields: { email: "ada@example.com" },
  });
  page.turn(turn(FORM));
  assert.deepEqual([page.on, page.view], ["step", view], "the same form, with what was typed");
  assert.deepEqual(page.send({ is: "resumed" }).effects, [], "a network that comes back twice");
});

test("a program that cannot be fetched is as much as a network that broke off", () => {
  const page = Page.atStart();
  page
    .send({ is: "methodChosen", method: session().methods[0] as never })
    .turn(turn(FORM))
    .cut();
  assert.equal(page.on, "interrupted");
  page.send({ is: "resumed" });
  assert.equal(page.asked, "load");
  assert.equal(page.loaded().on, "step");
});

// --- what is asked from time to time ---

test("what others do is asked after until it is done, through a network that goes away", () => {
  const page = Page.atStep(WAIT);
  page.send({ is: "pollRequested", view: page.view, ms: 500 });
  assert.equal(page.did("startTimer")[0]?.ms, 500);
  page.turn(turn(WAIT), page.poll());
  assert.deepEqual([page.on, page.did("startTimer")[0]?.ms], ["step", MIN_POLL_INTERVAL_MS]);
  page.cut(page.poll());
  assert.deepEqual([page.on, page.did("startTimer")[0]?.ms], ["step", FOLLOW_INTERVAL_MS], "nobody is told of it");
  assert.equal(page.turn(turn(null, { status: "COMPLETE" }), page.poll()).on, "done");
  const refused = Page.atStep(WAIT);
  refused.send({ is: "pollRequested", view: refused.view, ms: 500 });
  assert.equal(refused.refused(410, "SESSION_EXPIRED", refused.poll()).on, "over");
});

test("what is asked for at once while it is being asked for is asked for soon", () => {
  const page = Page.atStep(DOCUMENT);
  page.send({ is: "pollRequested", view: page.view, ms: 3000 });
  const number = page.poll();
  page.send({ is: "pollRequested", view: page.view, ms: 0 });
  assert.deepEqual(page.effects, [], "not twice at the same time");
  page.turn(turn(DOCUMENT), number);
  assert.equal(page.did("startTimer")[0]?.ms, MIN_POLL_INTERVAL_MS);
  page.send({ is: "pollRequested", view: page.view, ms: 0 });
  assert.equal(page.did("startTimer")[0]?.ms, 0, "at once");
});

test("what is asked from time to time does not come between", () => {
  const page = Page.atStep(WALLET);
  page.send({ is: "pollRequested", view: page.view, ms: 500 });
  const asked = page.poll();
  page.submit({ code: "c0de" });
  const { state } = page;
  assert.equal(page.turn(turn(WALLET), asked).state, state, "its answer is late");
  assert.equal(page.send({ is: "timerFired", number: 1 }).state, state, "and so is an old timer");
  assert.equal(page.turn(turn(null, { status: "COMPLETE" })).on, "done");
});

test("a wallet that is called anew is shown anew, one that waits stays", () => {
  const page = Page.atStep(WALLET);
  const { view } = page;
  page.send({ is: "pollRequested", view, ms: 500 });
  page.turn(turn(WALLET, {}, "c2"), page.poll());
  assert.deepEqual([page.view, page.state.attempt?.continuation], [view, "c2"]);
  page.turn(turn({ ...WALLET, url: "openid4vp://two" }), page.poll()).loaded();
  assert.ok(page.view > view);
});

test("what a wallet may bring back is kept while it is waited for, and no longer", () => {
  const page = Page.atStep(WALLET);
  page.send({ is: "walletOpened", view: page.view });
  assert.deepEqual(page.did("saveWalletReturn"), [{ do: "saveWalletReturn", returnState: RETURN_STATE }]);
  page.send({ is: "backToChoice" });
  assert.deepEqual(page.did("forgetWalletReturn"), [{ do: "forgetWalletReturn", returnState: RETURN_STATE }]);
});

test("a frame follows the tab that does a step for it", () => {
  const page = Page.atStep(REDIRECT);
  page.send({ is: "watchRequested", view: page.view, ms: 2500 });
  const same = session({ status: "IN_PROGRESS" });
  page.read(same, page.poll());
  assert.equal(page.on, "step", "nothing has changed");
  assert.equal(page.read(session({ status: "COMPLETE" }), page.poll()).on, "done");
});

// --- other devices ---

test("a phone that takes over is followed to the end, and can be called back", () => {
  const page = Page.atStart().send({ is: "handOffChosen" });
  assert.equal(page.on, "following");
  page.read(session({ status: "IN_PROGRESS" }), page.poll());
  assert.deepEqual([page.on, page.state.session?.status], ["following", "IN_PROGRESS"]);
  page.cut(page.poll());
  assert.equal(page.on, "following");
  page.read(session({ status: "COMPLETE" }), page.poll());
  assert.deepEqual(page.state.screen, { on: "done", elsewhere: true });

  const back = Page.atStart().send({ is: "handOffChosen" });
  const late = back.poll();
  back.send({ is: "backToChoice" });
  assert.deepEqual([back.on, back.asked], ["loading", "choice"]);
  assert.equal(back.read(session({ status: "COMPLETE" }), late).on, "loading", "an answer to what was left is late");
  assert.equal(back.read(session()).on, "start");
});

test("who goes back from a phone and ends it here has finished here, and who only goes back may have finished there", () => {
  const back = () => {
    const page = Page.atStart().send({ is: "handOffChosen" });
    page.read(session(), page.poll());
    return page.send({ is: "backToChoice" });
  };
  const here = back().read(session());
  here.send({ is: "methodChosen", method: session().methods[0] as never }).turn(turn(FORM));
  here.loaded().submit();
  here.turn(turn(null, { status: "COMPLETE" }));
  assert.deepEqual(here.state.screen, { on: "done", elsewhere: false });
  assert.deepEqual(back().read(session({ status: "COMPLETE" })).state.screen, { on: "done", elsewhere: true });
});

test("where a phone has no way left this device goes on, and where there is none the phone may yet give consent", () => {
  const paper = method("DOC_SCAN", { hand_off: false });
  const spent = { ...EMAIL, state: "EXHAUSTED", available: false } as const;
  const follow = () => Page.atStart(session({ methods: [EMAIL, paper] })).send({ is: "handOffChosen" });
  const page = follow();
  page.read(session({ status: "IN_PROGRESS", methods: [EMAIL, paper] }), page.poll());
  assert.equal(page.on, "following");
  page.read(session({ status: "IN_PROGRESS", methods: [spent, paper] }), page.poll());
  assert.equal(page.on, "start");
  const none = follow();
  const declined = method("AGE_ESTIMATION", { state: "DECLINED", available: false });
  none.read(session({ status: "IN_PROGRESS", methods: [spent, declined] }), none.poll());
  assert.equal(none.on, "following");
});

test("only a computer hands over, and what a phone may do", () => {
  for (const page of [
    Page.atStart(session(), { phone: true }),
    Page.atStart(session(), {}, { ...KEY, handedOff: true }),
    Page.atStart(session({ methods: [{ ...EMAIL, hand_off: false }] })),
  ]) {
    assert.equal(page.send({ is: "handOffChosen" }).on, "start");
  }
});

test("a check that goes on later is waited for", () => {
  const page = Page.atStart(session({ status: "PROCESSING" }));
  page.read(session({ status: "PROCESSING" }), page.poll());
  assert.equal(page.on, "processing");
  assert.equal(page.read(session({ status: "FAIL" }), page.poll()).on, "failed");
});

// --- the way out and back ---

test("somebody goes to a provider with what brings them back, in a browser that keeps it", () => {
  const page = Page.atStep(REDIRECT);
  page.send({ is: "providerChosen", view: page.view, url: "https://id.example" });
  assert.deepEqual(page.effects, [{ do: "goToProvider", returnState: RETURN_STATE, url: "https://id.example" }]);
  assert.equal(page.send({ is: "storageFailed" }).on, "unable");
});

test("the browser's Back leads to the choice and not out of the session", () => {
  const page = Page.atStart();
  page.send({ is: "methodChosen", method: session().methods[0] as never });
  assert.equal(page.did("pushHistoryEntry").length, 1);
  page.turn(turn(FORM)).loaded().submit();
  const late = page.pending;
  page.send({ is: "navigatedBack", entry: false });
  assert.deepEqual([page.on, page.asked], ["loading", "choice"]);
  page.turn(turn(null, { status: "COMPLETE" }), late);
  page.read(session({ status: "IN_PROGRESS" }));
  assert.deepEqual([page.on, page.did("pushHistoryEntry")], ["start", []]);

  // Back by the page's own button leaves the entry, which is no trap: the next Back leaves.
  page
    .send({ is: "methodChosen", method: session().methods[0] as never })
    .turn(turn(FORM))
    .loaded();
  page.send({ is: "backToChoice" }).read(session({ status: "IN_PROGRESS" }));
  page.send({ is: "methodChosen", method: session().methods[0] as never });
  assert.deepEqual(page.did("pushHistoryEntry"), [], "there is one entry, however often somebody chooses");
  page.send({ is: "backToChoice" }).read(session({ status: "IN_PROGRESS" }));
  assert.deepEqual(page.send({ is: "navigatedBack", entry: false }).effects, [{ do: "navigateBack" }]);
});

test("a session's end is final for the browser's Back, too", () => {
  const page = Page.atStep(FORM)
    .submit()
    .turn(turn(null, { status: "COMPLETE" }));
  page.send({ is: "navigatedBack", entry: false });
  assert.deepEqual([page.on, page.effects], ["done", [{ do: "navigateBack" }]]);
});

test("a business that wants it gets its person back after a while, longer where something is offered", () => {
  const callback = { url: "https://shop.example/thanks", auto: true };
  const done = (more: Partial<PageSession>, environment = {}, key = KEY) =>
    Page.atStart(session({ status: "COMPLETE", callback, ...more }), environment, key).did("announceReturn");
  assert.deepEqual(done({}), [{ do: "announceReturn", url: callback.url, seconds: AUTO_RETURN_S }]);
  assert.equal(done({ offers: { key: true, proof: false } })[0]?.seconds, AUTO_RETURN_WITH_OFFERS_S);
  assert.equal(done({ status: "FAIL" })[0]?.seconds, AUTO_RETURN_S);
  assert.deepEqual(done({ callback: { ...callback, auto: false } }), []);
  for (const url of ["http://shop.example/thanks", "myapp://done?sessionId=1"]) {
    assert.deepEqual(done({ callback: { url, auto: true } }), [{ do: "announceReturn", url, seconds: AUTO_RETURN_S }]);
  }
  assert.deepEqual(done({ callback: { ...callback, url: "javascript:alert(1)" } }), []);
  assert.deepEqual(done({}, { embedded: true }), [], "a frame leads nobody away");
  assert.deepEqual(done({}, {}, { ...KEY, handedOff: true }), [], "nor does a phone that helped");
  const page = Page.atStart(session({ status: "COMPLETE", callback }));
  assert.deepEqual(page.send({ is: "autoReturnDeclined" }).effects, [{ do: "cancelAutoReturn" }]);
});

test("a passkey's offers do not lead on: the end stays the end", () => {
  const page = Page.atStart(session({ status: "COMPLETE", offers: { key: true, proof: true } }));
  const { state } = page;
  page.send({ is: "autoReturnDeclined" });
  assert.equal(page.state, state);
  assert.equal(page.send({ is: "expired" }).state, state);
  assert.equal(page.send({ is: "backToChoice" }).state, state);
  assert.equal(page.send({ is: "stopped" }).state, state);
});

test("a passkey is tried by itself where a result was kept, once, and is offered beside no other method", () => {
  const both = { methods: [method("SVC_KEY", { silent: true }), EMAIL] };
  const opened = (environment: Partial<Environment>, more: Partial<PageSession>) =>
    new Page(environment).send({ is: "opened", key: KEY, path: undefined, order: undefined }).read(session(more));
  const tried = opened({ keptHere: true }, both);
  assert.deepEqual([tried.on, tried.asked, tried.state.method?.method], ["begin", "begin", "SVC_KEY"]);
  assert.equal(opened({ keptHere: false }, both).on, "start");
  assert.equal(opened({ keptHere: true }, { ...both, status: "IN_PROGRESS" }).on, "start");
  assert.equal(
    opened({ keptHere: true }, { methods: [method("SVC_KEY"), EMAIL] }).on,
    "start",
    "it is offered instead",
  );
});

test("a passkey that was tried by itself is noted as of no use only where nothing is kept any more", () => {
  const notes = (silent: boolean, reason: NonNullable<PageSession["result"]>["reason"]) => {
    const methods = [method("SVC_KEY", { silent }), EMAIL];
    const page = Page.atStart(session({ methods }), { keptHere: true });
    if (!silent) {
      page.send({ is: "methodChosen", method: session({ methods }).methods[0] as never });
    }
    page.turn(turn({ kind: "passkey", silent, options: {} }, { methods })).loaded();
    page.submit({ credential: { id: "x" } });
    page.turn(turn(null, { methods, result: { method: "SVC_KEY", status: "FAIL", reason } }));
    assert.equal(page.on, "start");
    return page.did("noteNothingKept").length;
  };
  assert.deepEqual([notes(true, "NO_KEY"), notes(true, "KEPT_RESULT_TOO_OLD")], [1, 1]);
  assert.equal(notes(true, "KEPT_RESULT_NOT_ENOUGH"), 0, "it is enough for others");
  assert.equal(notes(false, "NO_KEY"), 0, "it may be the passkey of another device");
});

test("a person is not kept while a check runs on, if the business wants them back", () => {
  const callback = { url: "https://shop.example/done", auto: true };
  const page = Page.atStart(session({ status: "PROCESSING", callback }));
  assert.equal(page.on, "processing");
  assert.equal(page.did("announceReturn").length, 1);
  const waits = Page.atStart(session({ status: "PROCESSING", callback: { ...callback, auto: false } }));
  assert.equal(waits.did("announceReturn").length, 0);
});

test("a passkey is used for its attempt, and one that is not used leaves the step as it is", () => {
  const passkey: Step = { kind: "passkey", silent: false, options: {} };
  const page = Page.atStep(passkey, 0, session({ methods: [method("SVC_KEY"), EMAIL] }));
  const { state } = page;
  assert.equal(page.send({ is: "pollRequested", view: 0, ms: 0 }).state, state);
  page.submit({ credential: { id: "x" } });
  assert.equal(page.asked, "answer");
  assert.equal(page.turn(turn(null, { status: "COMPLETE" })).on, "done");
});

test("time that runs out ends it wherever somebody is, but at an end", () => {
  for (const page of [Page.atStart(), Page.atStep(FORM)]) {
    page.send({ is: "expired" });
    assert.deepEqual([page.on, page.asked], ["loading", "recovery"], "the server says whether it is over");
    assert.deepEqual(page.did("startCountdown"), [{ do: "startCountdown", seconds: undefined }]);
    page.refused(410, "SESSION_EXPIRED");
    assert.deepEqual(page.state.screen, { on: "over", why: "expired", issuing: false });
  }
  const done = Page.atStart(session({ status: "COMPLETE" }));
  assert.equal(done.send({ is: "expired" }).on, "done");
});

test("only an open session counts down: a check takes as long as it takes, and an outcome stays", () => {
  for (const status of ["PENDING", "IN_PROGRESS"] as const) {
    const open = Page.atStart(session({ status }));
    assert.deepEqual(open.did("startCountdown"), [{ do: "startCountdown", seconds: 600 }], status);
  }
  for (const status of ["PROCESSING", "COMPLETE", "FAIL", "ERROR"] as const) {
    const counted = Page.atStart(session({ status })).did("startCountdown");
    assert.ok(counted.length > 0 && counted.every(({ seconds }) => seconds === undefined), status);
  }
  // A check that outlasts the session leads to its end like any other.
  const page = Page.atStart(session({ status: "PROCESSING", seconds_left: 0 }));
  page.read(session({ status: "PROCESSING", seconds_left: 0 }), page.poll());
  assert.equal(page.on, "processing");
  assert.equal(page.read(session({ status: "COMPLETE", seconds_left: 0 }), page.poll()).on, "done");
});

test("what was sent in time is waited for, and says whether time is up", () => {
  const page = Page.atStep(FORM).submit();
  const { pending } = page;
  page.send({ is: "expired" });
  assert.deepEqual([page.on, page.pending], ["step", pending]);
  assert.deepEqual(page.effects, [{ do: "startCountdown", seconds: undefined }]);
  assert.equal(page.turn(turn(null, { status: "COMPLETE", seconds_left: 0 })).on, "done");

  const late = Page.atStep(FORM).submit().send({ is: "expired" }).refused(410, "SESSION_EXPIRED");
  assert.deepEqual(late.state.screen, { on: "over", why: "expired", issuing: false });
  // A module is no answer.
  const loading = Page.atStart();
  loading.send({ is: "methodChosen", method: session().methods[0] as never }).turn(turn(FORM));
  assert.equal(loading.asked, "load");
  assert.equal(loading.send({ is: "expired" }).asked, "recovery");
});

test("where the network broke off, the server is asked whether what was sent came in time", () => {
  const cut = () => {
    const page = Page.atStep(CODE).submit({ code: "123456" }).cut();
    page.send({ is: "expired" });
    assert.equal(page.on, "interrupted");
    assert.deepEqual(page.effects, [{ do: "startCountdown", seconds: undefined }]);
    return page.send({ is: "resumed" });
  };
  const page = cut();
  assert.deepEqual([page.on, page.asked], ["retrying", "answer"]);
  assert.equal(page.turn(turn(null, { status: "COMPLETE", seconds_left: 0 })).on, "done");
  assert.deepEqual(cut().refused(410, "SESSION_EXPIRED").state.screen, { on: "over", why: "expired", issuing: false });
  // Whoever is to load the page again is told by the page that is loaded.
  const helpless = Page.atStep(FORM).submit().refused(409, "X").refused(409, "X").send({ is: "expired" });
  assert.equal(helpless.on, "interrupted");
  // A module is no answer.
  const loading = Page.atStart();
  loading.send({ is: "methodChosen", method: session().methods[0] as never }).turn(turn(FORM));
  assert.equal(loading.cut().send({ is: "expired" }).asked, "recovery");
  // An issuer's tab does not give up the order either.
  const issuer = issuing().read(session({ issues: 18 }));
  issuer.send({ is: "methodChosen", method: session().methods[0] as never }).cut();
  issuer.send({ is: "expired" });
  assert.deepEqual([issuer.on, issuer.did("postToTab"), issuer.did("forgetOrder")], ["interrupted", [], []]);
});

test("where others are at work, the server is asked before time is said to be up", () => {
  const wait = () => {
    const page = Page.atStep(WAIT);
    return page.send({ is: "pollRequested", view: page.view, ms: 500 }).send({ is: "expired" });
  };
  const page = wait();
  assert.deepEqual([page.on, page.asked], ["loading", "recovery"]);
  assert.equal(page.read(session({ status: "COMPLETE", seconds_left: 0 })).on, "done");
  assert.deepEqual(wait().refused(410, "SESSION_EXPIRED").state.screen, { on: "over", why: "expired", issuing: false });
});

test("what a phone brought after it was called back is known before time is said to be up", () => {
  const named = { target_origin_url: "https://shop.example" };
  const back = () => {
    const page = Page.atStart(session(named), { embedded: true }).send({ is: "handOffChosen" });
    page.send({ is: "backToChoice" }).read(session(named));
    assert.deepEqual([page.on, page.state.polling], ["start", undefined], "nobody asks any more");
    page.send({ is: "expired" });
    assert.deepEqual([page.on, page.asked, page.did("notifyParent")], ["loading", "recovery", []]);
    return page;
  };
  const told = (page: Page) => page.did("notifyParent").map(({ message }) => "status" in message && message.status);
  const done = back().read(session({ ...named, status: "COMPLETE", seconds_left: 0 }));
  assert.deepEqual([done.on, told(done)], ["done", ["COMPLETE"]]);
  const over = back().refused(410, "SESSION_EXPIRED");
  assert.deepEqual([over.on, told(over)], ["over", ["EXPIRED"]]);
  // Where nobody answers, that is said once, and asked again when somebody wants it or the network is back.
  const cut = back().cut();
  assert.deepEqual([cut.on, cut.effects], ["interrupted", []]);
  assert.equal(cut.send({ is: "resumed" }).asked, "recovery");
  assert.equal(cut.read(session({ ...named, status: "COMPLETE", seconds_left: 0 })).on, "done");
  // A server whose clock is behind goes on for so long.
  assert.deepEqual(back().read(session({ ...named, seconds_left: 1 })).state.screen, { on: "start", again: false });
});

test("a page that broke takes in nothing more, unless it had ended", () => {
  const page = Page.atStep(WALLET);
  page.send({ is: "walletOpened", view: page.view }).send({ is: "crashed" });
  assert.deepEqual([page.on, page.did("forgetWalletReturn").length], ["broken", 1]);
  const { state } = page;
  assert.equal(page.send({ is: "stopped" }).state, state);
  const done = Page.atStart(session({ status: "COMPLETE" })).send({ is: "crashed" });
  assert.equal(done.on, "done");
});

// --- the page around this one ---

test("the page around a frame is told each change once, if its origin is the one that was named", () => {
  const named = { target_origin_url: "https://shop.example/anything" };
  const page = Page.atStart(session(named), { embedded: true });
  const message = (status: string, more = {}) => [
    {
      do: "notifyParent",
      origin: "https://shop.example",
      message: { type: "age-session", sessionId: ID, status, ...more },
    },
  ];
  assert.deepEqual(page.did("notifyParent"), message("PENDING"));
  page.send({ is: "methodChosen", method: session().methods[0] as never }).turn(turn(FORM, named));
  assert.deepEqual(page.did("notifyParent"), message("IN_PROGRESS", { method: "EMAIL" }));
  page.loaded().submit().turn(turn(FORM, named));
  assert.deepEqual(page.did("notifyParent"), []);
  page
    .submit()
    .turn(turn(null, { ...named, status: "COMPLETE", result: { method: "EMAIL", status: "COMPLETE", reason: null } }));
  assert.deepEqual(page.did("notifyParent"), message("COMPLETE", { method: "EMAIL" }));
  // The server hands over no session whose time is over.
  const open = () => Page.atStart(session(named), { embedded: true });
  const late = open().send({ is: "expired" });
  assert.deepEqual(late.did("notifyParent"), []);
  assert.deepEqual(late.refused(410, "SESSION_EXPIRED").did("notifyParent"), message("EXPIRED"));
  const refused = open().send({ is: "methodChosen", method: session().methods[0] as never });
  assert.deepEqual(refused.refused(410, "SESSION_EXPIRED").did("notifyParent"), message("EXPIRED"));
  // What was sent in time may have been answered, and a failure stays one.
  const cut = open().send({ is: "methodChosen", method: session().methods[0] as never });
  assert.deepEqual(cut.cut().send({ is: "expired" }).did("notifyParent"), []);
  const failed = Page.atStart(session({ ...named, status: "FAIL", retry: true }), { embedded: true });
  failed.send({ is: "expired" }).refused(410, "SESSION_EXPIRED");
  assert.deepEqual([failed.on, failed.did("notifyParent")], ["over", []]);
  for (const target of ["nonsense", "*", "data:text/html,x", null]) {
    const told = Page.atStart(session({ target_origin_url: target }), { embedded: true }).did("notifyParent");
    assert.deepEqual(told, [], String(target));
  }
  assert.deepEqual(Page.atStart(session(named)).did("notifyParent"), [], "there is no page around it");
});

// --- blind tokens ---

/** An issuer's tab that has begun its session. */
function issuing(order: TokenOrder = ORDER, redeemers: string[] = []): Page {
  const page = new Page({ issuerPage: true }).send({ is: "issuerPageOpened", base: "", order });
  page.send({ is: "continued" });
  assert.equal(page.asked, "issue");
  return page.send({
    is: "issuerSessionCreated",
    number: page.pending,
    began: { id: ID, sdkId: SDK, key: "k", redeemers },
  });
}

test("an issuer's tab shows the age, has the token signed, and hands it to the tab that waits", () => {
  const page = issuing();
  assert.deepEqual(page.did("saveOrder"), [{ do: "saveOrder", order: KEPT }]);
  assert.deepEqual([page.asked, page.did("replaceAddress").length], ["open", 1]);
  page.read(session({ issues: 18 }));
  page.send({ is: "methodChosen", method: session().methods[0] as never });
  assert.equal(page.state.pending?.request.ask === "begin" && page.state.pending.request.key, "k");
  page.turn(turn(null, { status: "COMPLETE", issues: 18 }));
  assert.deepEqual([page.on, page.asked], ["signing", "sign"]);
  page.cut().send({ is: "resumed" });
  assert.equal(page.asked, "sign");
  page.send({ is: "signed", number: page.pending, response: SIGNED });
  assert.deepEqual(
    [page.on, page.effects.filter((effect) => effect.do === "postToTab")],
    ["issued", [{ do: "postToTab", channel: ORDER.channel, response: SIGNED }]],
  );
  assert.ok(page.state.issuer.order, "until the other tab has heard it can be signed again");
  page.send({ is: "tabAcknowledged" });
  assert.deepEqual([page.state.issuer.order, page.effects], [undefined, [{ do: "forgetOrder" }]]);
});

test("where an issuer signs nothing, or somebody stops, the tab that waits is told that nothing comes", () => {
  const refused = issuing()
    .read(session({ issues: 18, status: "COMPLETE" }))
    .refused(409, "INVALID_STATUS");
  assert.equal(refused.on, "notIssued");
  const stopped = issuing()
    .read(session({ issues: 18 }))
    .send({ is: "stopped" });
  stopped.read(session({ issues: 18, status: "CANCELLED" }));
  assert.deepEqual(stopped.state.screen, { on: "over", why: "cancelled", issuing: true });
  for (const page of [refused, stopped]) {
    assert.deepEqual(page.did("postToTab"), [{ do: "postToTab", channel: ORDER.channel, response: NO_SIGNATURE }]);
    assert.equal(page.did("forgetOrder").length, 1);
  }
  const never = new Page({ issuerPage: true })
    .send({ is: "issuerPageOpened", base: "", order: ORDER })
    .send({ is: "continued" });
  never.refused(400, "INVALID_REQUEST");
  assert.deepEqual([never.on, never.did("postToTab").length], ["notIssued", 1]);
});

test("where the network breaks off before an issuer's session is there, the order is kept and there is nothing to stop", () => {
  const page = new Page({ issuerPage: true })
    .send({ is: "issuerPageOpened", base: "", order: ORDER })
    .send({ is: "continued" });
  page.cut();
  assert.deepEqual([page.on, page.send({ is: "stopped" }).effects], ["interrupted", []]);
  page.send({ is: "resumed" });
  assert.deepEqual([page.on, page.send({ is: "stopped" }).effects], ["retrying", []]);
  assert.deepEqual(page.state.pending?.request, { ask: "issue", base: "", order: ORDER });
});

test("another server's order goes back where the issuer knows that server, and nowhere else", () => {
  const back = "https://shop.example";
  const known = issuing({ ...ORDER, back }, ["https://shop.example"]).read(session({ issues: 18, status: "COMPLETE" }));
  known.send({ is: "signed", number: known.pending, response: SIGNED });
  const url = `${back}/age/return#answer=${ORDER.channel}.${SIGNED}`;
  assert.deepEqual(known.did("navigate"), [{ do: "navigate", url }]);
  const stranger = issuing({ ...ORDER, back }, ["https://other.example"]);
  assert.deepEqual(stranger.state.screen, { on: "notIssued", stranger: true });
  assert.deepEqual(stranger.did("saveOrder"), []);
  const stopped = issuing({ ...ORDER, back }, ["https://shop.example"]).read(session({ issues: 18 }));
  stopped.send({ is: "stopped" }).read(session({ issues: 18, status: "CANCELLED" }));
  assert.equal(stopped.did("navigate")[0]?.url, `${back}/age/return#answer=${ORDER.channel}.`);
});

test("an issuer's session goes on only in the tab that has its order", () => {
  const without = (more: Partial<PageSession>) => Page.atStart(session({ issues: 18, ...more })).state.screen;
  assert.deepEqual(without({}), { on: "lost", what: "order" });
  assert.deepEqual(without({ status: "COMPLETE" }), { on: "lost", what: "turn" });
  assert.equal(without({ status: "FAIL" }).on, "failed");
  const kept = new Page().send({ is: "opened", key: KEY, path: undefined, order: KEPT }).read(session({ issues: 18 }));
  assert.equal(kept.on, "start");
  // A phone has no part in it, and neither has a tab that a wallet opened to come back.
  const phone = new Page().send({ is: "opened", key: { ...KEY, handedOff: true }, path: undefined, order: KEPT });
  assert.equal(phone.read(session({ issues: 18 })).on, "lost");
  const wallet = new Page().send({ is: "returned", returnState: RETURN_STATE, returned: {}, order: undefined });
  wallet.turn(turn(null, { status: "COMPLETE", issues: 18 }));
  assert.deepEqual(wallet.state.screen, { on: "lost", what: "turn" });
});

test("a tab that an issuer of another origin sent back hands its answer over", () => {
  const page = new Page().send({ is: "answerReturned", channel: ORDER.channel, response: SIGNED });
  assert.deepEqual([page.on, page.did("postToTab").length], ["issued", 1]);
  assert.equal(
    new Page().send({ is: "answerReturned", channel: ORDER.channel, response: NO_SIGNATURE }).on,
    "notIssued",
  );
});
