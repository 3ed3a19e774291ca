import assert from "node:assert/strict";
import { test } from "node:test";
import { isPending, recommendationOf } from "../../identity/api";
import { type Configuration, type Resource, readConfig } from "../../identity/requirements";
import {
  currentSide,
  INITIAL_STATE,
  isCancellable,
  type PageEvent,
  reduce,
  type State,
} from "../../identity/state-machine";
import * as answers from "../identity-responses";

const { LETTER, LIVENESS, PROOF_OF_ADDRESS, READ_LETTER, SWEDISH_PASSPORT, task } = answers;
const DOCUMENT: Resource = { ...answers.DOCUMENT, attempts_remaining: { GENERIC: 2, RECLASSIFICATION: 1 } };

type Consent = Configuration["capture"]["biometric_consent"];

function plan(
  required_resources: Resource[],
  sdk: Partial<Configuration["sdk_config"]> = {},
  biometric_consent: Consent = "GIVEN",
) {
  const capture = { biometric_consent, required_resources };
  return readConfig(answers.configuration({ capture, sdk_config: { allow_handoff: false, ...sdk } }));
}

/** Where a list of happenings leads. */
function after(events: PageEvent[], from: State = INITIAL_STATE): State {
  return events.reduce(reduce, from);
}

const card: PageEvent = { is: "documentChosen", choice: { country: "DEU", type: "NATIONAL_ID" } };
const took: PageEvent = { is: "pictureTaken", by: "camera" };
const again = (value: "PROGRESS" | "SHOULD_TRY_AGAIN" | "MUST_TRY_AGAIN"): PageEvent => ({
  is: "recommended",
  recommendation: { value, reason: { value: "QUALITY", detail: "PHOTO_TOO_BLURRY" } },
});

test("a card's two sides are taken, sent and read, then it ends", () => {
  const steps: string[] = [];
  const events: PageEvent[] = [
    { is: "loaded", config: plan([DOCUMENT]) },
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
  let state = INITIAL_STATE;
  for (const event of events) {
    state = reduce(state, event);
    steps.push(`${state.step.on} ${currentSide(state).side}`);
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
  const single = { ...DOCUMENT, supported_countries: [SWEDISH_PASSPORT] };
  const hidden = { suppressed_screens: ["WELCOME", "ID_DOCUMENT_EDUCATION"] };
  assert.equal(
    after([{ is: "loaded", config: plan([single], hidden) }]).step.on,
    "camera",
    "nothing to choose, nothing to explain",
  );
  assert.equal(after([{ is: "loaded", config: plan([{ ...DOCUMENT, state: "FULFILLED" }]) }]).step.on, "finishing");
  const consent = after([{ is: "loaded", config: plan([LIVENESS], hidden, "REQUIRED") }]);
  assert.equal(consent.step.on, "welcome", "consent is asked for all the same");
  assert.deepEqual(after([{ is: "agreed" }, { is: "consented" }], consent).step.on, "tips");
  assert.equal(plan([DOCUMENT], {}, "REQUIRED").consent, undefined, "no face is looked at");
  const letter = after([{ is: "loaded", config: plan([LETTER]) }, { is: "agreed" }]);
  assert.equal(letter.step.on, "tips", "a letter is of no kind that could be chosen");
  assert.equal(reduce(letter, { is: "otherDocument" }), letter);
});

test("consent is asked for where a face is looked at and nobody has answered", () => {
  for (const [asked, expected] of [
    ["REQUIRED", "early"],
    ["GIVEN", undefined],
    ["NOT_ALLOWED", undefined],
  ] as [Consent, string | undefined][]) {
    assert.equal(plan([LIVENESS], {}, asked).consent, expected, asked);
  }
  // The business brings its own picture, which is compared all the same.
  const capture: Configuration["capture"] = { biometric_consent: "REQUIRED", required_resources: [] };
  for (const check of ["LIVENESS", "ID_DOCUMENT_FACE_MATCH", "FACE_COMPARISON"] as const) {
    assert.ok(readConfig(answers.configuration({ capture, requested_checks: [check] })).consent, check);
  }
});

test("consent may be asked for just before the face", () => {
  const config = plan([DOCUMENT, LIVENESS], { biometric_consent_flow: "JUST_IN_TIME" }, "REQUIRED");
  const chosen = after([{ is: "loaded", config }, { is: "agreed" }, card]);
  assert.equal(chosen.step.on, "tips", "documents need none");
  const read = after([{ is: "ready" }, took, { is: "accepted" }, { is: "sent" }, took, { is: "accepted" }], chosen);
  const asked = after([{ is: "sent" }, again("PROGRESS")], read);
  assert.equal(asked.step.on, "consent");
  const agreeing = reduce(asked, { is: "agreed" });
  assert.equal(agreeing.step.on, "agreeing");
  assert.deepEqual(reduce(agreeing, { is: "consented" }).step.on, "tips");
  const suppressed = { biometric_consent_flow: "JUST_IN_TIME", suppressed_screens: ["WELCOME"] } as const;
  const at_once = plan([LIVENESS], { ...suppressed, suppressed_screens: ["WELCOME"] }, "REQUIRED");
  assert.equal(after([{ is: "loaded", config: at_once }]).step.on, "consent");
});

test("a letter is chosen where the business takes certain ones only", () => {
  const start = (letter: Resource) => after([{ is: "loaded", config: plan([letter]) }, { is: "agreed" }]);
  assert.equal(start(READ_LETTER).step.on, "tips", "any will do");
  const asked = start(PROOF_OF_ADDRESS);
  assert.equal(asked.step.on, "choose");
  const choice = { country: "SWE", type: "PHONE_BILL" };
  const chosen = reduce(asked, { is: "letterChosen", choice });
  assert.deepEqual([chosen.step.on, chosen.letter], ["tips", choice]);
  assert.equal(reduce(chosen, { is: "otherDocument" }).step.on, "choose");
  const single = start({ ...PROOF_OF_ADDRESS, country_codes: ["GBR"], document_types: ["PHONE_BILL"] });
  assert.deepEqual([single.step.on, single.letter], ["tips", { country: "GBR", type: "PHONE_BILL" }]);
});

test("a document that is another than was said uses attempts of its own", () => {
  const config = plan([DOCUMENT]);
  const wrong: PageEvent = {
    is: "recommended",
    recommendation: { value: "MUST_TRY_AGAIN", reason: { value: "USER_ERROR", detail: "INCORRECT_DOCUMENT_TYPE" } },
  };
  const choice: PageEvent = { is: "documentChosen", choice: { country: "SWE", type: "PASSPORT" } };
  const supply: PageEvent[] = [choice, { is: "ready" }, took, { is: "accepted" }, { is: "sent" }];
  const first = after([{ is: "loaded", config }, { is: "agreed" }, ...supply, wrong]);
  assert.deepEqual([first.step.on, first.attempts, first.reclassifications], ["retry", 2, 0]);
  const second = after([{ is: "otherDocument" }, ...supply, wrong], first);
  assert.deepEqual(second.step, { on: "over", failure: "attemptsUsed" }, "none is left for that reason");
});

test("attempts count down; a doubt may be left, a must may not", () => {
  const reading = after([
    { is: "loaded", config: plan([DOCUMENT]) },
    { is: "agreed" },
    { is: "documentChosen", choice: { country: "SWE", type: "PASSPORT" } },
    { is: "ready" },
    took,
    { is: "accepted" },
    { is: "sent" },
  ]);
  assert.equal(reading.step.on, "reading");
  const must = reduce(reading, again("MUST_TRY_AGAIN"));
  assert.deepEqual([must.step.on, must.attempts], ["retry", 1]);
  assert.equal(reduce(must, { is: "continueAnyway" }), must);
  const second = after([{ is: "retryChosen" }, took, { is: "accepted" }, { is: "sent" }], must);
  assert.deepEqual(reduce(second, again("MUST_TRY_AGAIN")).step, { on: "over", failure: "attemptsUsed" });
  assert.equal(reduce(second, again("SHOULD_TRY_AGAIN")).step.on, "finishing", "a recommendation ends no session");
  assert.equal(reduce(reduce(reading, again("SHOULD_TRY_AGAIN")), { is: "continueAnyway" }).step.on, "finishing");
  assert.equal(reduce(must, { is: "otherDocument" }).step.on, "choose");
});

test("a face that cannot be used is tried again until it may not be", () => {
  const face: Resource = { ...LIVENESS, liveness_type: "ZOOM", attempts_remaining: { GENERIC: 1 } };
  const sending = after([{ is: "loaded", config: plan([face]) }, { is: "agreed" }, { is: "ready" }, took]);
  assert.equal(sending.step.on, "sending", "nobody is asked to judge their own face");
  assert.deepEqual(reduce(sending, { is: "refused", status: 422 }).step, {
    on: "over",
    failure: "livenessAttemptsUsed",
  });
});

test("a face that was judged is shown again as often as the server says, and the last failure ends it", () => {
  const face: Resource = { ...LIVENESS, attempts_remaining: { GENERIC: 2 } };
  const sending = after([{ is: "loaded", config: plan([face]) }, { is: "agreed" }, { is: "ready" }, took]);
  const judged = (value: "MUST_TRY_AGAIN" | "SHOULD_TRY_AGAIN" | "PROGRESS", attempts: number): PageEvent => ({
    is: "recommended",
    recommendation: { value, reason: { value: "USER_ERROR", detail: "FACE_NOT_NEARER" } },
    attempts,
  });
  assert.equal(reduce(sending, judged("PROGRESS", 2)).step.on, "finishing");
  const unseen = reduce(sending, judged("MUST_TRY_AGAIN", 2));
  assert.deepEqual([unseen.step.on, unseen.attempts], ["retry", 2], "nobody was there, and no attempt is used");
  const once = reduce(sending, judged("MUST_TRY_AGAIN", 1));
  assert.equal(reduce(once, { is: "continueAnyway" }), once);
  const again = after([{ is: "retryChosen" }, took], once);
  assert.deepEqual(reduce(again, judged("MUST_TRY_AGAIN", 0)).step, { on: "over", failure: "livenessAttemptsUsed" });
  const doubted = reduce(sending, judged("SHOULD_TRY_AGAIN", 1));
  assert.equal(reduce(doubted, { is: "continueAnyway" }).step.on, "finishing", "a reviewer may look at it");
  assert.equal(reduce(again, judged("SHOULD_TRY_AGAIN", 0)).step.on, "finishing");
});

test("an interruption goes on where it stopped", () => {
  const sending = after([{ is: "loaded", config: plan([LIVENESS]) }, { is: "agreed" }, { is: "ready" }, took]);
  const stopped = reduce(sending, { is: "interrupted", why: "network" });
  assert.equal(stopped.step.on, "interrupted");
  assert.equal(reduce(stopped, { is: "interrupted", why: "serviceDown" }), stopped);
  assert.equal(reduce(stopped, { is: "resumed" }).step, sending.step);
  assert.equal(reduce(sending, { is: "resumed" }), sending, "the network is back, and was never missed");
});

test("no file where none is allowed, and only the camera's trouble is the camera's", () => {
  const strict: Resource = {
    ...DOCUMENT,
    supported_countries: [SWEDISH_PASSPORT],
    allowed_capture_methods: "CAMERA",
  };
  const camera = after([{ is: "loaded", config: plan([strict]) }, { is: "agreed" }, { is: "ready" }]);
  assert.equal(reduce(camera, { is: "fileChosen" }), camera);
  const trouble = reduce(camera, { is: "cameraFailed", trouble: "silent" });
  assert.deepEqual(trouble.step, { on: "trouble", trouble: "silent" });
  assert.equal(reduce(trouble, { is: "cameraChosen" }).step.on, "camera");
});

test("from every step that waits for a person something leads on, and they may stop", () => {
  const events: PageEvent[] = [
    { is: "agreed" },
    { is: "handOffChosen" },
    { is: "handOffCancelled" },
    card,
    { is: "ready" },
    { is: "cameraChosen" },
    { is: "fileChosen" },
    { is: "cameraFailed", trouble: "busy" },
    took,
    { is: "retake" },
    { is: "accepted" },
    { is: "sent" },
    { is: "retryChosen" },
    { is: "otherDocument" },
    { is: "continueAnyway" },
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
      .map((event) => reduce(state, event))
      .filter((one) => one !== state)
      .forEach(walk);
  };
  const all = [DOCUMENT, LETTER, LIVENESS];
  walk(after([{ is: "loaded", config: plan(all, { allow_handoff: true }, "REQUIRED") }]));
  assert.ok(seen.size > 30);
  for (const state of seen.values()) {
    const { on } = state.step;
    const leads = events.some((event) => reduce(state, event) !== state);
    assert.ok(leads || on === "done" || on === "over", `${on} leads nowhere`);
    const stopped = reduce(state, { is: "failed", failure: "cancelled" });
    assert.ok(!isCancellable(state) || stopped.step.on === "over", `${on} cannot be stopped`);
  }
  const reached = new Set([...seen.values()].map(({ step }) => step.on));
  for (const on of ["following", "file", "trouble", "review", "reading", "retry", "interrupted", "done", "over"]) {
    assert.ok(reached.has(on as never), on);
  }
});

test("the configuration is put into the words of the page", () => {
  const [document, letter, face] = plan([
    DOCUMENT,
    { ...LETTER, state: "FULFILLED", allowed_capture_methods: "CAMERA" },
    { ...LIVENESS, liveness_type: "ZOOM" },
  ]).requirements;
  assert.deepEqual(document, {
    id: DOCUMENT.id,
    kind: "ID_DOCUMENT",
    done: false,
    countries: [
      { code: "DEU", types: ["PASSPORT", "NATIONAL_ID"] },
      { code: "SWE", types: ["PASSPORT"] },
      { code: "USA", types: ["DRIVING_LICENCE"] },
    ],
    upload: true,
    read: true,
    letters: { countries: [], types: [] },
    attempts: 2,
    reclassifications: 1,
    zoom: false,
  });
  assert.deepEqual([letter?.done, letter?.upload, letter?.read, letter?.countries], [true, false, false, []]);
  assert.deepEqual([face?.zoom, face?.upload, face?.attempts], [true, false, 2]);
  const brought: Resource = {
    id: LIVENESS.id,
    type: "FACE_CAPTURE",
    state: "REQUIRED",
    allowed_sources: [{ type: "RELYING_BUSINESS" }],
    attempts_remaining: { GENERIC: 1 },
  };
  assert.deepEqual(plan([brought]).requirements, [], "the business brings that picture");
  const { suppressedScreens: suppressed } = plan([], {
    suppressed_screens: ["flow_completion", "SOMETHING_ELSE", "WELCOME"],
  });
  assert.deepEqual([...suppressed], ["completion", "welcome"], "as the business wrote them");
  assert.deepEqual([...readConfig(answers.configuration({ emails: ["thank-you"] })).mails], ["thank-you"]);
});

test("a session that asks for nothing is finished at once", () => {
  assert.equal(after([{ is: "loaded", config: plan([]) }]).step.on, "finishing");
});

test("a recommendation is read out of a task", () => {
  assert.deepEqual(
    [isPending(task("CREATED")), isPending(task("PENDING")), isPending(task("DONE")), isPending(task("FAILED"))],
    [true, true, false, false],
  );
  const recommendation = { value: "MUST_TRY_AGAIN", reason: { value: "QUALITY", detail: "NO_DOCUMENT" } } as const;
  assert.deepEqual(recommendationOf(task("DONE", recommendation)), recommendation);
  assert.equal(recommendationOf(task("FAILED")).value, "PROGRESS");
  assert.deepEqual(
    [isPending(undefined), recommendationOf(undefined).value],
    [false, "PROGRESS"],
    "no answer of the server's",
  );
});
