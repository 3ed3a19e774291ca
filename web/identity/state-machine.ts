// Which step comes next: one pure function from where somebody is and what happened. What a step does is the page's.

import type { CameraProblem } from "../shared/camera";
import type { Recommendation } from "./api";
import type { Failure } from "./event-codes";
import {
  type DocumentChoice,
  type DocumentSide,
  hasChoice,
  type LetterChoice,
  type Requirement,
  type SessionConfig,
  sidesOf,
} from "./requirements";

/** Why something has to be done again, in the server's words; of a picture that it did not take, in those of this page. */
export interface RetryReason {
  value: Exclude<Recommendation["value"], "PROGRESS">;
  detail: string | undefined;
  kind: NonNullable<Recommendation["reason"]>["value"] | undefined;
}

/** Where somebody is. */
export type Step =
  | { on: "loading" }
  | { on: "welcome" }
  | { on: "consent" }
  | { on: "agreeing" }
  | { on: "following" }
  | { on: "choose" }
  | { on: "tips" }
  | { on: "camera" }
  | { on: "file" }
  | { on: "trouble"; trouble: CameraProblem }
  | { on: "review" }
  | { on: "sending" }
  | { on: "reading" }
  | { on: "retry"; reason: RetryReason }
  | { on: "interrupted"; why: "network" | "serviceDown"; resume: Step }
  | { on: "finishing" }
  | { on: "done"; elsewhere: boolean }
  | { on: "over"; failure: Failure };

export interface State {
  step: Step;
  config: SessionConfig | undefined;
  /** What is still to be done; the first is what is being done. */
  todo: Requirement[];
  /** How many there were when the page began. */
  total: number;
  choice: DocumentChoice | undefined;
  letter: LetterChoice | undefined;
  /** Which side of the document is next, from 0. */
  side: number;
  /** How often what is being done may still be tried. */
  attempts: number;
  /** How often it may be tried again after it was another document than was said, or one that is not accepted. */
  reclassifications: number;
  /** How the last picture was made. */
  by: "camera" | "file";
}

/** What happened. */
export type PageEvent =
  | { is: "loaded"; config: SessionConfig }
  | { is: "agreed" }
  | { is: "consented" }
  | { is: "handOffChosen" }
  | { is: "handOffCancelled" }
  | { is: "finishedElsewhere" }
  | { is: "documentChosen"; choice: DocumentChoice }
  | { is: "letterChosen"; choice: LetterChoice }
  | { is: "ready" }
  | { is: "cameraChosen" }
  | { is: "fileChosen" }
  | { is: "cameraFailed"; trouble: CameraProblem }
  | { is: "pictureTaken"; by: "camera" | "file" }
  | { is: "retake" }
  | { is: "accepted" }
  | { is: "sent" }
  /** `attempts`: how often it may still be tried, where the server says it. */
  | { is: "recommended"; recommendation: Recommendation; attempts?: number }
  | { is: "refused"; status: number }
  | { is: "retryChosen" }
  | { is: "otherDocument" }
  | { is: "continueAnyway" }
  | { is: "interrupted"; why: "network" | "serviceDown" }
  | { is: "resumed" }
  | { is: "finished" }
  | { is: "failed"; failure: Failure };

export const INITIAL_STATE: State = {
  step: { on: "loading" },
  config: undefined,
  todo: [],
  total: 0,
  choice: undefined,
  letter: undefined,
  side: 0,
  attempts: 0,
  reclassifications: 0,
  by: "camera",
};

/** The state after an event; one that does not fit the step changes nothing. */
export function reduce(state: State, event: PageEvent): State {
  const { step } = state;
  if (step.on === "over" || step.on === "done") {
    return state;
  }
  switch (event.is) {
    case "failed":
      return { ...state, step: { on: "over", failure: event.failure } };
    case "interrupted":
      return step.on === "interrupted"
        ? state
        : { ...state, step: { on: "interrupted", why: event.why, resume: step } };
    case "resumed":
      return step.on === "interrupted" ? { ...state, step: step.resume } : state;
    case "loaded":
      return handleLoaded(state, event.config);
    case "handOffChosen":
      return step.on === "welcome" || step.on === "trouble" ? { ...state, step: { on: "following" } } : state;
    case "finishedElsewhere":
      return step.on === "following" ? { ...state, step: { on: "done", elsewhere: true } } : state;
    case "handOffCancelled":
      return step.on === "following" ? { ...state, step: { on: "loading" } } : state;
    default:
      return advance(state, event);
  }
}

/** Whether a step of the person's own is going on, which can be stopped. */
export function isCancellable({ step }: State): boolean {
  return !["loading", "done", "over", "finishing", "agreeing"].includes(step.on);
}

/** What is being done. */
export function currentRequirement(state: State): Requirement | undefined {
  return state.todo[0];
}

/** The side that is photographed, and how many there are. */
export function currentSide(state: State): { side: DocumentSide; number: number; of: number } {
  const requirement = currentRequirement(state);
  const sides = requirement ? sidesOf(requirement, state.choice) : [];
  return { side: sides[state.side] ?? "page", number: state.side + 1, of: sides.length };
}

export function isFaceRequirement(requirement: Requirement | undefined): boolean {
  return requirement?.kind === "LIVENESS" || requirement?.kind === "FACE_CAPTURE";
}

function handleLoaded(state: State, config: SessionConfig): State {
  const todo = config.requirements.filter(({ done }) => !done);
  const fresh = { ...state, config, todo, total: Math.max(state.total, config.requirements.length) };
  // Nothing is explained to somebody who has nothing left to do.
  const welcomed = config.suppressedScreens.has("welcome") && config.consent !== "early";
  return welcomed || todo.length === 0 ? beginNext(fresh) : { ...fresh, step: { on: "welcome" } };
}

function advance(state: State, event: PageEvent): State {
  const at = `${state.step.on} ${event.is}`;
  const to = (step: Step): State => ({ ...state, step });
  switch (at) {
    case "welcome agreed":
      return state.config?.consent === "early" ? to({ on: "agreeing" }) : beginNext(state);
    case "consent agreed":
      return to({ on: "agreeing" });
    case "agreeing consented":
      return beginNext(state.config ? { ...state, config: { ...state.config, consent: undefined } } : state);
    case "tips ready":
    case "trouble cameraChosen":
    case "file cameraChosen":
      return to({ on: "camera" });
    case "tips fileChosen":
    case "trouble fileChosen":
    case "camera fileChosen":
      return currentRequirement(state)?.upload ? to({ on: "file" }) : state;
    case "review retake":
      return to({ on: state.by });
    case "review accepted":
      return to({ on: "sending" });
    case "sending sent":
      return pictureSent(state);
    case "retry retryChosen":
      return { ...state, side: 0, step: { on: state.by } };
    case "retry otherDocument":
    case "tips otherDocument":
      return canChooseAnew(currentRequirement(state))
        ? chooseDocument({ ...state, choice: undefined, letter: undefined, side: 0 })
        : state;
    case "retry continueAnyway":
      return canContinue(state) ? completeRequirement(state) : state;
    case "finishing finished":
      return to({ on: "done", elsewhere: false });
    default:
      return advanceWith(state, event);
  }
}

function advanceWith(state: State, event: PageEvent): State {
  const { on } = state.step;
  if (event.is === "documentChosen" && on === "choose") {
    return documentChosen({ ...state, choice: event.choice });
  }
  if (event.is === "letterChosen" && on === "choose") {
    return documentChosen({ ...state, letter: event.choice });
  }
  if (event.is === "cameraFailed" && on === "camera") {
    return { ...state, step: { on: "trouble", trouble: event.trouble } };
  }
  if (event.is === "pictureTaken" && (on === "camera" || on === "file")) {
    // Pictures of a face were chosen as they came; one of a document is looked at by its owner.
    return {
      ...state,
      by: event.by,
      step: { on: isFaceRequirement(currentRequirement(state)) ? "sending" : "review" },
    };
  }
  if (event.is === "recommended" && (on === "reading" || on === "sending")) {
    return applyRecommendation(state, event.recommendation, event.attempts);
  }
  if (event.is === "refused" && (on === "sending" || on === "reading")) {
    const detail = REFUSALS[event.status] ?? "REFUSED";
    return applyRecommendation(state, { value: "MUST_TRY_AGAIN", reason: { value: "ERROR", detail } });
  }
  return state;
}

/** Details that say that it was another document than was said, or one that is not accepted. */
const RECLASSIFICATIONS: ReadonlySet<string> = new Set([
  "INCORRECT_DOCUMENT_TYPE",
  "DOCUMENT_NOT_SUPPORTED",
  "COUNTRY_NOT_SUPPORTED",
]);

/** Whether another document can be named than the one before. */
function canChooseAnew(requirement: Requirement | undefined): boolean {
  return (
    requirement?.kind === "ID_DOCUMENT" || (requirement?.kind === "SUPPLEMENTARY_DOCUMENT" && hasChoice(requirement))
  );
}

/** Statuses that speak of the picture. */
const REFUSALS: Record<number, string> = { 413: "TOO_LARGE", 415: "UNSUPPORTED_FORMAT", 422: "UNPROCESSABLE" };

/** Whether a person may leave it at what was read. */
export function canContinue({ step }: State): boolean {
  return step.on === "retry" && step.reason.value === "SHOULD_TRY_AGAIN";
}

/** Begins with what is to be done first, or ends where nothing is. */
function beginNext(state: State): State {
  const requirement = currentRequirement(state);
  if (!requirement) {
    return { ...state, step: { on: "finishing" } };
  }
  const { attempts, reclassifications } = requirement;
  const begun = { choice: undefined, letter: undefined, side: 0, attempts, reclassifications, by: "camera" as const };
  const fresh: State = { ...state, ...begun };
  if (isFaceRequirement(requirement)) {
    return state.config?.consent === undefined ? showTips(fresh) : { ...fresh, step: { on: "consent" } };
  }
  return chooseDocument(fresh);
}

/** Asks what document it is, unless there is nothing to choose. */
function chooseDocument(state: State): State {
  const letters = currentRequirement(state)?.letters;
  if (letters && currentRequirement(state)?.kind === "SUPPLEMENTARY_DOCUMENT") {
    const [[country, ...countries], [type, ...types]] = [letters.countries, letters.types];
    return countries.length === 0 && types.length === 0
      ? documentChosen({ ...state, letter: { country, type } })
      : { ...state, step: { on: "choose" } };
  }
  const countries = currentRequirement(state)?.countries ?? [];
  const [country] = countries;
  const [type] = country?.types ?? [];
  if (country && type && countries.length === 1 && country.types.length === 1) {
    return documentChosen({ ...state, choice: { country: country.code, type } });
  }
  return { ...state, step: { on: "choose" } };
}

function documentChosen(state: State): State {
  return showTips({ ...state, side: 0 });
}

function showTips(state: State): State {
  const kind = currentRequirement(state)?.kind;
  const screen =
    kind === "ID_DOCUMENT" ? "documentTips" : kind === "SUPPLEMENTARY_DOCUMENT" ? "supplementaryTips" : "faceTips";
  return { ...state, step: { on: state.config?.suppressedScreens.has(screen) ? "camera" : "tips" } };
}

function pictureSent(state: State): State {
  if (state.side + 1 < currentSide(state).of) {
    return { ...state, side: state.side + 1, step: { on: state.by } };
  }
  return currentRequirement(state)?.read ? { ...state, step: { on: "reading" } } : completeRequirement(state);
}

function applyRecommendation(state: State, { value, reason }: Recommendation, left?: number): State {
  if (value === "PROGRESS") {
    return completeRequirement(state);
  }
  // Each reason has attempts of its own, as the server counts them.
  const reclassified = value === "MUST_TRY_AGAIN" && RECLASSIFICATIONS.has(reason?.detail ?? "");
  const exhausted = reclassified && state.reclassifications === 0;
  const attempts = left ?? (exhausted ? 0 : state.attempts - (reclassified ? 0 : 1));
  const reclassifications = state.reclassifications - (reclassified && !exhausted ? 1 : 0);
  if (attempts <= 0) {
    // Something that was only recommended does not end a session.
    const failure = isFaceRequirement(currentRequirement(state)) ? "livenessAttemptsUsed" : "attemptsUsed";
    return value === "SHOULD_TRY_AGAIN"
      ? completeRequirement(state)
      : { ...state, attempts, step: { on: "over", failure } };
  }
  return {
    ...state,
    attempts,
    reclassifications,
    side: 0,
    step: { on: "retry", reason: { value, detail: reason?.detail, kind: reason?.value } },
  };
}

/** What is being done is done. */
function completeRequirement(state: State): State {
  return beginNext({ ...state, todo: state.todo.slice(1) });
}
