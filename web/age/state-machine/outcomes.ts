// What the server says, and where it leads.

import { type Method, open, type Session, type StepKind, type Turn } from "../session";
import { kindOf } from "../steps/kinds";
import type { Failure } from "./events";
import { giveUp } from "./issuer";
import {
  type Attempt,
  cancelTo,
  issues,
  leaveTo,
  needsConsent,
  type Over,
  type Request,
  type State,
  screenOf,
} from "./state";
import { OFFER_S, THANKS_S } from "./timing";
import { ask, enter, type Transition } from "./transition";

/** Kinds of steps whose view stays where they stand again: what was typed is still there. */
const LASTING: ReadonlySet<StepKind> = new Set(["form", "code"]);
/** Those that measure a face, which has to be agreed to. */
const FACE: ReadonlySet<StepKind> = new Set(["camera", "frames"]);

/** Takes in what the server says of the session, and goes where it leads. */
export function take(t: Transition, session: Session): void {
  know(t, session);
  t.set({ method: undefined, attempt: undefined });
  if (strays(t.state, session)) {
    const ended = t.state.cameBack || session.status === "COMPLETE";
    enter(t, { on: "lost", what: ended ? "turn" : "order" });
    return;
  }
  const screen = screenOf(session);
  switch (screen) {
    case "done":
      finish(t, session);
      return;
    case "failed":
      giveUp(t);
      enter(t, { on: "failed" });
      announceReturn(t, session, THANKS_S);
      return;
    case "cancelled":
    case "blocked":
      over(t, screen);
      return;
    case "start":
      enter(t, { on: "start", again: false });
      return;
    default:
      enter(t, { on: screen });
  }
}

/** Takes in what the server says, and stays. */
export function know(t: Transition, session: Session): void {
  t.set({ session });
  const ends = open(session) || session.status === "PROCESSING";
  t.do({ do: "watchTime", seconds: ends ? session.secondsLeft : undefined });
  tellParent(t, session);
}

/** Tells the page around this one of each change; nobody else is told anything. */
function tellParent(t: Transition, { id, status, targetOrigin, tried }: Session): void {
  const { environment, told } = t.state;
  const origin = originOf(targetOrigin);
  if (!environment.embedded || !origin || told === status) {
    return;
  }
  const method = status === "IN_PROGRESS" ? (t.state.method?.method ?? tried) : tried;
  const message = { type: "age-session", sessionId: id, status, ...(method ? { method } : {}) };
  t.set({ told: status });
  t.do({ do: "tellParent", origin, message });
}

/** Whether a session is an issuer's that goes on, and this tab has no order for it: another tab began it, or somebody
 * who has sent a stranger here. */
export function strays({ issuer, cameBack }: State, session: Session): boolean {
  const goesOn = !["failed", "cancelled", "blocked"].includes(screenOf(session));
  return session.issues !== undefined && !issuer.order && (cameBack || goesOn);
}

/** What comes of a turn: its step, or the end of the attempt. */
export function takeTurn(t: Transition, turn: Turn): void {
  const { session, attempt: id, continuation, step, problem } = turn;
  const { view } = t.state;
  know(t, session);
  if (!step || !id || continuation === undefined) {
    take(t, session);
    return;
  }
  const attempt = { id, continuation, step, problem };
  t.set({ attempt });
  // Where a wallet has nothing to say, a face may be asked for.
  const method = t.state.method ?? session.methods.find((one) => one.method === "DIGITAL_ID");
  const { required, given } = session.consent;
  if (FACE.has(step.kind) && required && given !== true && method) {
    enter(t, { on: "consent", method, turn });
  } else if (view?.kind === step.kind && LASTING.has(step.kind) && t.state.method) {
    t.set({ screen: { on: "step", attempt, view: view.number }, polling: undefined });
  } else {
    const kind = kindOf(step);
    if (kind) {
      ask(t, { ask: "load", kind });
    } else {
      enter(t, { on: "unable" });
    }
  }
}

export function enterStep(t: Transition, attempt: Attempt): void {
  const view = t.nextNumber();
  enter(t, { on: "step", attempt, view });
  t.set({ view: { number: view, kind: attempt.step.kind } });
}

/** Begins a method, or asks what has to be asked before. */
export function choose(t: Transition, session: Session, method: Method): void {
  if (needsConsent(session, method)) {
    enter(t, { on: "consent", method, turn: undefined });
  } else {
    beginMethod(t, method);
  }
}

export function beginMethod(t: Transition, method: Method): void {
  t.set({ method });
  enter(t, { on: "begin" });
  ask(t, { ask: "begin", method, key: t.state.issuer.order?.key });
}

export function interrupt(t: Transition, why: "network" | "serviceDown", request: Request | undefined): void {
  const { screen } = t.state;
  const before = screen.on === "retrying" ? screen.before : screen;
  t.set({ screen: { on: "interrupted", why, request, before }, pending: undefined, polling: undefined });
}

export function refused(t: Transition, { status, code }: Extract<Failure, { kind: "refused" }>): void {
  if (code === "SESSION_EXPIRED" || status === 410) {
    over(t, "expired");
  } else if (code === "LOCATION_BLOCKED") {
    over(t, "blocked");
  } else if (status === 404 || status === 401) {
    over(t, "notFound");
  } else if (t.state.recovering) {
    interrupt(t, "serviceDown", undefined);
  } else {
    // It went on elsewhere, or an answer was lost: the session says where it stands.
    t.set({ recovering: true });
    enter(t, { on: "loading" });
    ask(t, { ask: "recovery" });
  }
}

function finish(t: Transition, session: Session): void {
  const { order } = t.state.issuer;
  if (order) {
    // The age was shown to the issuer: it signs, and the answer is handed on.
    enter(t, { on: "signing" });
    ask(t, { ask: "sign", order });
    return;
  }
  enter(t, { on: "done", elsewhere: t.state.followed });
  announceReturn(t, session, session.offers.key || session.offers.proof ? OFFER_S : THANKS_S);
}

/** Goes back to the business by itself, where it wants that and this page may. */
function announceReturn(t: Transition, { callback }: Session, seconds: number): void {
  const url = leaveTo(t.state);
  if (callback?.auto && url && !t.state.environment.embedded) {
    t.do({ do: "announceReturn", url, seconds });
  }
}

export function over(t: Transition, why: Over): void {
  const issuing = issues(t.state);
  giveUp(t);
  enter(t, { on: "over", why, issuing });
  const url = why === "cancelled" ? cancelTo(t.state) : undefined;
  if (url && !t.state.environment.embedded) {
    t.do({ do: "goTo", url });
  }
}

/** The origin that may be told something: never any. */
function originOf(address: string | undefined): string | undefined {
  try {
    const { origin } = new URL(address ?? "");
    return origin === "null" ? undefined : origin;
  } catch {
    return undefined;
  }
}
