import assert from "node:assert/strict";
import { test } from "node:test";
import { pending, recommendation } from "../../identity/api";
import { type Event, next, START, type State, sideOf, stoppable } from "../../identity/journey";
import { readPlan } from "../../identity/plan";

const PASSPORT = { code: "SWE", supported_documents: [{ type: "PASSPORT" }] };
const CARDS = { code: "DEU", supported_documents: [{ type: "PASSPORT" }, { type: "NATIONAL_ID" }] };

function plan(resources: object[], sdk: object = {}, consent = "NOT_ALLOWED") {
  const required_resources = resources.map((resource, at) => ({ id: `r${at}`, state: "REQUIRED", ...resource }));
  return readPlan({
    client_session_token_ttl: 600,
    capture: { biometric_consent: consent, required_resources },
    sdk_config: sdk,
  });
}

const DOCUMENT = {
  type: "ID_DOCUMENT",
  requested_tasks: [{ type: "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }],
  supported_countries: [PASSPORT, CARDS],
  attempts_remaining: 2,
};

/** Where a list of happenings leads. */
function after(events: Event[], from: State = START): State {
  return events.reduce(next, from);
}

const card: Event = { is: "chose", choice: { country: "DEU", type: "NATIONAL_ID" } };
const took: Event = { is: "took", by: "camera" };
const again = (value: "PROGRESS" | "SHOULD_TRY_AGAIN" | "MUST_TRY_AGAIN"): Event => ({
  is: "recommended",
  recommendation: { value, reason: "QUALITY", detail: "PHOTO_TOO_BLURRY" },
});

test("a card's two sides are taken, sent and read, then it ends", () => {
  const steps: string[] = [];
  const events: Event[] = [
    { is: "loaded", plan: plan([DOCUMENT]) },
    { is: "agreed" },
    card,
    { is: "ready" },
    took,
    { is: "accepted" },
    { is: "sent" },
    took,
    { is: "accepted" },
    { is: "sent" },
    again("PROGRESS"),
    { is: "finished" },
  ];
  let state = START;
  for (const event of events) {
    state = next(state, event);
    steps.push(`${state.step.on} ${sideOf(state).side}`);
  }
  assert.deepEqual(steps, [
    "welcome front",
    "choose front",
    "tips front",
    "camera front",
    "review front",
    "sending front",
    "camera back",
    "review back",
    "sending back",
    "reading back",
    "finishing page",
    "done page",
  ]);
});

test("what is not asked for is not shown", () => {
  const single = { ...DOCUMENT, supported_countries: [PASSPORT] };
  const hidden = { suppressed_screens: ["WELCOME", "ID_DOCUMENT_EDUCATION"] };
  assert.equal(
    after([{ is: "loaded", plan: plan([single], hidden) }]).step.on,
    "camera",
    "nothing to choose, nothing to explain",
  );
  assert.equal(after([{ is: "loaded", plan: plan([{ ...DOCUMENT, state: "FULFILLED" }]) }]).step.on, "finishing");
  const face = { type: "LIVENESS", liveness_type: "STATIC" };
  const consent = after([{ is: "loaded", plan: plan([face], hidden, "REQUIRED") }]);
  assert.equal(consent.step.on, "welcome", "consent is asked for all the same");
  assert.deepEqual(after([{ is: "agreed" }, { is: "consented" }], consent).step.on, "tips");
  assert.equal(plan([DOCUMENT], {}, "REQUIRED").consent, false, "no face is looked at");
});

test("attempts count down; a doubt may be left, a must may not", () => {
  const reading = after([
    { is: "loaded", plan: plan([DOCUMENT]) },
    { is: "agreed" },
    { is: "chose", choice: { country: "SWE", type: "PASSPORT" } },
    { is: "ready" },
    took,
    { is: "accepted" },
    { is: "sent" },
  ]);
  assert.equal(reading.step.on, "reading");
  const must = next(reading, again("MUST_TRY_AGAIN"));
  assert.deepEqual([must.step.on, must.attempts], ["retry", 1]);
  assert.equal(next(must, { is: "goOn" }), must);
  const second = after([{ is: "again" }, took, { is: "accepted" }, { is: "sent" }], must);
  assert.deepEqual(next(second, again("MUST_TRY_AGAIN")).step, { on: "over", failure: "attemptsUsed" });
  assert.equal(next(second, again("SHOULD_TRY_AGAIN")).step.on, "finishing", "a recommendation ends no session");
  assert.equal(next(next(reading, again("SHOULD_TRY_AGAIN")), { is: "goOn" }).step.on, "finishing");
  assert.equal(next(must, { is: "otherDocument" }).step.on, "choose");
});

test("a face that cannot be used is tried again until it may not be", () => {
  const face = { type: "LIVENESS", liveness_type: "ZOOM", attempts_remaining: 1 };
  const sending = after([{ is: "loaded", plan: plan([face]) }, { is: "agreed" }, { is: "ready" }, took]);
  assert.equal(sending.step.on, "sending", "nobody is asked to judge his own face");
  assert.deepEqual(next(sending, { is: "refused", status: 422 }).step, { on: "over", failure: "livenessAttemptsUsed" });
});

test("an interruption goes on where it stopped", () => {
  const sending = after([
    { is: "loaded", plan: plan([{ type: "LIVENESS" }]) },
    { is: "agreed" },
    { is: "ready" },
    took,
  ]);
  const stopped = next(sending, { is: "interrupted", why: "network" });
  assert.equal(stopped.step.on, "interrupted");
  assert.equal(next(stopped, { is: "interrupted", why: "serviceDown" }), stopped);
  assert.equal(next(stopped, { is: "resumed" }).step, sending.step);
  assert.equal(next(sending, { is: "resumed" }), sending, "the network is back, and was never missed");
});

test("no file where none is allowed, and only the camera's trouble is the camera's", () => {
  const strict = { ...DOCUMENT, supported_countries: [PASSPORT], allowed_capture_methods: "camera" };
  const camera = after([{ is: "loaded", plan: plan([strict]) }, { is: "agreed" }, { is: "ready" }]);
  assert.equal(next(camera, { is: "byFile" }), camera);
  const trouble = next(camera, { is: "cameraFailed", trouble: "silent" });
  assert.deepEqual(trouble.step, { on: "trouble", trouble: "silent" });
  assert.equal(next(trouble, { is: "byCamera" }).step.on, "camera");
});

test("from every step that waits for a person something leads on, and he may stop", () => {
  const events: Event[] = [
    { is: "agreed" },
    { is: "handedOff" },
    { is: "tookBack" },
    card,
    { is: "ready" },
    { is: "byCamera" },
    { is: "byFile" },
    { is: "cameraFailed", trouble: "busy" },
    took,
    { is: "retake" },
    { is: "accepted" },
    { is: "sent" },
    { is: "again" },
    { is: "otherDocument" },
    { is: "goOn" },
    { is: "resumed" },
    { is: "interrupted", why: "network" },
    { is: "consented" },
    again("PROGRESS"),
    again("MUST_TRY_AGAIN"),
    again("SHOULD_TRY_AGAIN"),
    { is: "refused", status: 415 },
    { is: "finished" },
    { is: "finishedElsewhere" },
  ];
  const seen = new Map<string, State>();
  const walk = (state: State) => {
    const { step, side, todo, attempts, by, choice } = state;
    const key = JSON.stringify([step, side, todo.length, attempts, by, choice]);
    if (seen.has(key)) {
      return;
    }
    seen.set(key, state);
    events
      .map((event) => next(state, event))
      .filter((one) => one !== state)
      .forEach(walk);
  };
  const all = [DOCUMENT, { type: "SUPPLEMENTARY_DOCUMENT", supported_countries: [CARDS] }, { type: "LIVENESS" }];
  walk(after([{ is: "loaded", plan: plan(all, { allow_handoff: true }, "REQUIRED") }]));
  assert.ok(seen.size > 30);
  for (const state of seen.values()) {
    const { on } = state.step;
    const leads = events.some((event) => next(state, event) !== state);
    assert.ok(leads || on === "done" || on === "over", `${on} leads nowhere`);
    const stopped = next(state, { is: "failed", failure: "cancelled" });
    assert.ok(!stoppable(state) || stopped.step.on === "over", `${on} cannot be stopped`);
  }
  const reached = new Set([...seen.values()].map(({ step }) => step.on));
  for (const on of ["following", "file", "trouble", "review", "reading", "retry", "interrupted", "done", "over"]) {
    assert.ok(reached.has(on as never), on);
  }
});

test("whatever a server says, a plan comes of it", () => {
  for (const odd of [
    undefined,
    null,
    7,
    "text",
    [],
    {},
    { capture: 3, sdk_config: [] },
    { capture: { required_resources: [null, 5, {}] } },
  ]) {
    assert.deepEqual(readPlan(odd).needs, []);
  }
  const brought = plan([{ type: "FACE_CAPTURE", allowed_sources: [{ type: "RELYING_BUSINESS" }] }]);
  assert.deepEqual(brought.needs, [], "the business brings that picture");
  const map = plan([{ ...DOCUMENT, attempts_remaining: { GENERIC: 4, RECLASSIFICATION: 2 } }]);
  assert.equal(map.needs[0]?.attempts, 2);
  const strange = plan([
    {
      ...DOCUMENT,
      supported_countries: [{ code: "<b>", supported_documents: [{ type: "PASSPORT" }] }, { code: "FRA" }],
    },
  ]);
  assert.deepEqual(strange.needs[0]?.countries, []);
  assert.deepEqual([...readPlan({ emails: ["thank-you", "spam", 3] }).mails], ["thank-you"]);
  assert.equal(readPlan({ emails: "thank-you" }).mails.size, 0);
});

test("a recommendation is read out of a task's answer", () => {
  assert.equal(pending({ state: "PENDING" }), true);
  assert.equal(pending({ state: "DONE" }), false);
  assert.equal(pending(undefined), false);
  const answer = {
    state: "DONE",
    recommendation: { value: "MUST_TRY_AGAIN", reason: { value: "QUALITY", detail: "NO_DOCUMENT" } },
  };
  assert.deepEqual(recommendation(answer), { value: "MUST_TRY_AGAIN", reason: "QUALITY", detail: "NO_DOCUMENT" });
  assert.equal(recommendation({ state: "FAILED" }).value, "PROGRESS");
});
