// Which step comes next: one pure function from where somebody is and what happened. What a step does is the page's.

import type { Trouble } from "../shared/camera";
import type { Recommendation } from "./api";
import type { Failure } from "./codes";
import { type Choice, type Need, type Plan, type Side, sidesOf } from "./plan";

/** Why something has to be done again, in the server's words; of a picture that it did not take, in those of this page. */
export interface Reason {
  value: Exclude<Recommendation["value"], "PROGRESS">;
  detail: string | undefined;
  kind: NonNullable<Recommendation["reason"]>["value"] | undefined;
}

/** Where somebody is. */
export type Step =
  | { on: "loading" }
  | { on: "welcome" }
  | { on: "agreeing" }
  | { on: "following" }
  | { on: "choose" }
  | { on: "tips" }
  | { on: "camera" }
  | { on: "file" }
  | { on: "trouble"; trouble: Trouble }
  | { on: "review" }
  | { on: "sending" }
  | { on: "reading" }
  | { on: "retry"; reason: Reason }
  | { on: "interrupted"; why: "network" | "serviceDown"; resume: Step }
  | { on: "finishing" }
  | { on: "done"; elsewhere: boolean }
  | { on: "over"; failure: Failure };

export interface State {
  step: Step;
  plan: Plan | undefined;
  /** What is still to be done; the first is what is being done. */
  todo: Need[];
  /** How many there were when the page began. */
  total: number;
  choice: Choice | undefined;
  /** Which side of the document is next, from 0. */
  side: number;
  /** How often what is being done may still be tried. */
  attempts: number;
  /** How the last picture was made. */
  by: "camera" | "file";
}

/** What happened. */
export type Event =
  | { is: "loaded"; plan: Plan }
  | { is: "agreed" }
  | { is: "consented" }
  | { is: "handedOff" }
  | { is: "tookBack" }
  | { is: "finishedElsewhere" }
  | { is: "chose"; choice: Choice }
  | { is: "ready" }
  | { is: "byCamera" }
  | { is: "byFile" }
  | { is: "cameraFailed"; trouble: Trouble }
  | { is: "took"; by: "camera" | "file" }
  | { is: "retake" }
  | { is: "accepted" }
  | { is: "sent" }
  | { is: "recommended"; recommendation: Recommendation }
  | { is: "refused"; status: number }
  | { is: "again" }
  | { is: "otherDocument" }
  | { is: "goOn" }
  | { is: "interrupted"; why: "network" | "serviceDown" }
  | { is: "resumed" }
  | { is: "finished" }
  | { is: "failed"; failure: Failure };

export const START: State = {
  step: { on: "loading" },
  plan: undefined,
  todo: [],
  total: 0,
  choice: undefined,
  side: 0,
  attempts: 0,
  by: "camera",
};

/** The state after an event; one that does not fit the step changes nothing. */
export function next(state: State, event: Event): State {
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
      return loaded(state, event.plan);
    case "handedOff":
      return step.on === "welcome" || step.on === "trouble" ? { ...state, step: { on: "following" } } : state;
    case "finishedElsewhere":
      return step.on === "following" ? { ...state, step: { on: "done", elsewhere: true } } : state;
    case "tookBack":
      return step.on === "following" ? { ...state, step: { on: "loading" } } : state;
    default:
      return advance(state, event);
  }
}

/** Whether a step of the person's own is going on, which can be stopped. */
export function stoppable({ step }: State): boolean {
  return !["loading", "done", "over", "finishing", "agreeing"].includes(step.on);
}

/** What is being done. */
export function current(state: State): Need | undefined {
  return state.todo[0];
}

/** The side that is photographed, and how many there are. */
export function sideOf(state: State): { side: Side; number: number; of: number } {
  const need = current(state);
  const sides = need ? sidesOf(need, state.choice) : [];
  return { side: sides[state.side] ?? "page", number: state.side + 1, of: sides.length };
}

export function isFace(need: Need | undefined): boolean {
  return need?.kind === "LIVENESS" || need?.kind === "FACE_CAPTURE";
}

function loaded(state: State, plan: Plan): State {
  const todo = plan.needs.filter(({ done }) => !done);
  const fresh = { ...state, plan, todo, total: Math.max(state.total, plan.needs.length) };
  // Nothing is explained to somebody who has nothing left to do.
  const welcomed = plan.suppressed.has("welcome") && !plan.consent;
  return welcomed || todo.length === 0 ? begin(fresh) : { ...fresh, step: { on: "welcome" } };
}

function advance(state: State, event: Event): State {
  const at = `${state.step.on} ${event.is}`;
  const to = (step: Step): State => ({ ...state, step });
  switch (at) {
    case "welcome agreed":
      return state.plan?.consent ? to({ on: "agreeing" }) : begin(state);
    case "agreeing consented":
      return begin(state);
    case "tips ready":
    case "trouble byCamera":
    case "file byCamera":
      return to({ on: "camera" });
    case "tips byFile":
    case "trouble byFile":
    case "camera byFile":
      return current(state)?.upload ? to({ on: "file" }) : state;
    case "review retake":
      return to({ on: state.by });
    case "review accepted":
      return to({ on: "sending" });
    case "sending sent":
      return sent(state);
    case "retry again":
      return { ...state, side: 0, step: { on: state.by } };
    case "retry otherDocument":
    case "tips otherDocument":
      return current(state)?.kind === "ID_DOCUMENT" ? choosing({ ...state, choice: undefined, side: 0 }) : state;
    case "retry goOn":
      return mayGoOn(state) ? after(state) : state;
    case "finishing finished":
      return to({ on: "done", elsewhere: false });
    default:
      return advanceWith(state, event);
  }
}

function advanceWith(state: State, event: Event): State {
  const { on } = state.step;
  if (event.is === "chose" && on === "choose") {
    return chosen({ ...state, choice: event.choice });
  }
  if (event.is === "cameraFailed" && on === "camera") {
    return { ...state, step: { on: "trouble", trouble: event.trouble } };
  }
  if (event.is === "took" && (on === "camera" || on === "file")) {
    // Pictures of a face were chosen as they came; one of a document is looked at by its owner.
    return { ...state, by: event.by, step: { on: isFace(current(state)) ? "sending" : "review" } };
  }
  if (event.is === "recommended" && on === "reading") {
    return recommended(state, event.recommendation);
  }
  if (event.is === "refused" && (on === "sending" || on === "reading")) {
    const detail = REFUSALS[event.status] ?? "REFUSED";
    return recommended(state, { value: "MUST_TRY_AGAIN", reason: { value: "ERROR", detail } });
  }
  return state;
}

/** Statuses that speak of the picture. */
const REFUSALS: Record<number, string> = { 413: "TOO_LARGE", 415: "UNSUPPORTED_FORMAT", 422: "UNPROCESSABLE" };

/** Whether a person may leave it at what was read. */
export function mayGoOn({ step }: State): boolean {
  return step.on === "retry" && step.reason.value === "SHOULD_TRY_AGAIN";
}

/** Begins with what is to be done first, or ends where nothing is. */
function begin(state: State): State {
  const need = current(state);
  if (!need) {
    return { ...state, step: { on: "finishing" } };
  }
  const fresh = { ...state, choice: undefined, side: 0, attempts: need.attempts, by: "camera" as const };
  return need.kind === "ID_DOCUMENT" ? choosing(fresh) : tips(fresh);
}

/** Asks what identity document it is, unless there is nothing to choose. */
function choosing(state: State): State {
  const countries = current(state)?.countries ?? [];
  const [country] = countries;
  const [type] = country?.types ?? [];
  if (country && type && countries.length === 1 && country.types.length === 1) {
    return chosen({ ...state, choice: { country: country.code, type } });
  }
  return { ...state, step: { on: "choose" } };
}

function chosen(state: State): State {
  return tips({ ...state, side: 0 });
}

function tips(state: State): State {
  const kind = current(state)?.kind;
  const screen =
    kind === "ID_DOCUMENT" ? "documentTips" : kind === "SUPPLEMENTARY_DOCUMENT" ? "supplementaryTips" : "faceTips";
  return { ...state, step: { on: state.plan?.suppressed.has(screen) ? "camera" : "tips" } };
}

function sent(state: State): State {
  if (state.side + 1 < sideOf(state).of) {
    return { ...state, side: state.side + 1, step: { on: state.by } };
  }
  return current(state)?.read ? { ...state, step: { on: "reading" } } : after(state);
}

function recommended(state: State, { value, reason }: Recommendation): State {
  if (value === "PROGRESS") {
    return after(state);
  }
  const attempts = state.attempts - 1;
  if (attempts <= 0) {
    // Something that was only recommended does not end a session.
    const failure = isFace(current(state)) ? "livenessAttemptsUsed" : "attemptsUsed";
    return value === "SHOULD_TRY_AGAIN" ? after(state) : { ...state, attempts, step: { on: "over", failure } };
  }
  return {
    ...state,
    attempts,
    side: 0,
    step: { on: "retry", reason: { value, detail: reason?.detail, kind: reason?.value } },
  };
}

/** What is being done is done. */
function after(state: State): State {
  return begin({ ...state, todo: state.todo.slice(1) });
}
