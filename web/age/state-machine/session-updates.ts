// Applies the server's view of a session to the state, and picks the next screen.

import {
  type FailureReason,
  isOpen,
  type Method,
  type Session,
  type SessionStatus,
  type StepKind,
  type Turn,
} from "../session";
import { knownKind } from "../steps/step-kinds";
import type { Failure } from "./events";
import { abandonOrder } from "./issuer-tab";
import {
  type Attempt,
  cancelUrl,
  canGiveConsent,
  isIssuerTab,
  needsConsent,
  type OverReason,
  type PageRequest,
  returnUrl,
  type State,
  screenOf,
} from "./state";
import { AUTO_RETURN_S, AUTO_RETURN_WITH_OFFERS_S } from "./timing";
import { enterScreen, sendRequest, type Transition } from "./transition";

/** Steps whose view is kept when they are repeated, so that nothing typed is lost. */
const PERSISTENT_VIEWS: ReadonlySet<StepKind> = new Set(["form", "code"]);
/** Steps that process a face and need consent. */
const FACE_STEPS: ReadonlySet<StepKind> = new Set(["camera", "frames"]);

/** Why a passkey that the page tried by itself was of no use, and will be of none again. */
const NOTHING_KEPT_REASONS: ReadonlySet<string> = new Set<FailureReason>(["NO_KEY", "KEPT_RESULT_TOO_OLD"]);

/** Statuses of sessions that become `EXPIRED` when their time is over. */
const RUNNING_STATUSES: ReadonlySet<SessionStatus> = new Set(["PENDING", "IN_PROGRESS", "PROCESSING"]);

/** Stores the session and enters the screen that follows from it. */
export function applySession(t: Transition, session: Session): void {
  updateSession(t, session);
  t.set({ method: undefined, attempt: undefined });
  if (isOrphanedIssuerSession(t.state, session)) {
    const ended = t.state.returnedFromProvider || session.status === "COMPLETE";
    enterScreen(t, { on: "lost", what: ended ? "turn" : "order" });
    return;
  }
  const screen = screenOf(session);
  switch (screen) {
    case "done":
      completeSession(t, session);
      return;
    case "failed":
      abandonOrder(t);
      enterScreen(t, { on: "failed" });
      announceReturn(t, session, canGiveConsent(t.state) ? AUTO_RETURN_WITH_OFFERS_S : AUTO_RETURN_S);
      return;
    case "cancelled":
    case "expired":
    case "blocked":
      endSession(t, screen);
      return;
    case "start":
      enterScreen(t, { on: "start", again: false });
      return;
    case "processing":
      // The business did not ask people to wait for the check.
      enterScreen(t, { on: "processing" });
      announceReturn(t, session, AUTO_RETURN_S);
      return;
    default:
      enterScreen(t, { on: screen });
  }
}

/** Stores the session and stays on the screen. */
export function updateSession(t: Transition, session: Session): void {
  t.set({ session });
  // Only an open session runs out: a check may take longer, and an outcome stays.
  t.do({ do: "startCountdown", seconds: isOpen(session) ? session.secondsLeft : undefined });
  tellParent(t, session);
}

/** Reports each change of status to the embedding page, if its origin is the configured one. */
function tellParent(t: Transition, { id, status, targetOrigin, triedMethod: tried }: Session): void {
  const { environment, reportedStatus: told } = t.state;
  const origin = originOf(targetOrigin);
  if (!environment.embedded || !origin || told === status) {
    return;
  }
  const method = status === "IN_PROGRESS" ? (t.state.method?.method ?? tried) : tried;
  const message = { type: "age-session", sessionId: id, status, ...(method ? { method } : {}) };
  t.set({ reportedStatus: status });
  t.do({ do: "notifyParent", origin, message });
}

/** Whether an issuer's session is still running and this tab has no order for it: another tab began it, or a stranger
 * sent the person here. */
export function isOrphanedIssuerSession({ issuer, returnedFromProvider: cameBack }: State, session: Session): boolean {
  const goesOn = !["failed", "cancelled", "expired", "blocked"].includes(screenOf(session));
  return session.issuerThreshold !== undefined && !issuer.order && (cameBack || goesOn);
}

/** Shows the step of a turn, or ends the attempt. */
export function applyTurn(t: Transition, turn: Turn): void {
  const { session, attempt: id, continuation, step, problem } = turn;
  const { view } = t.state;
  updateSession(t, session);
  if (!step || !id || continuation === undefined) {
    if (t.state.method?.silent && NOTHING_KEPT_REASONS.has(session.reason ?? "")) {
      t.do({ do: "noteNothingKept" });
    }
    applySession(t, session);
    return;
  }
  const attempt = { id, continuation, step, problem };
  t.set({ attempt });
  // When a wallet gives no result, the server may fall back to a face.
  const method = t.state.method ?? session.methods.find((one) => one.method === "DIGITAL_ID");
  const { required, given } = session.consent;
  if (FACE_STEPS.has(step.kind) && required && given !== true && method) {
    enterScreen(t, { on: "consent", method, turn });
  } else if (view?.kind === step.kind && PERSISTENT_VIEWS.has(step.kind) && t.state.method) {
    t.set({ screen: { on: "step", attempt, view: view.number }, polling: undefined });
  } else {
    const kind = knownKind(step);
    if (kind) {
      sendRequest(t, { ask: "load", kind });
    } else {
      enterScreen(t, { on: "unable" });
    }
  }
}

export function enterStep(t: Transition, attempt: Attempt): void {
  const view = t.nextNumber();
  enterScreen(t, { on: "step", attempt, view });
  t.set({ view: { number: view, kind: attempt.step.kind } });
}

/** Begins a method, or asks for consent first. */
export function chooseMethod(t: Transition, session: Session, method: Method): void {
  if (needsConsent(session, method)) {
    enterScreen(t, { on: "consent", method, turn: undefined });
  } else {
    beginMethod(t, method);
  }
}

export function beginMethod(t: Transition, method: Method): void {
  t.set({ method, finishedElsewhere: false });
  enterScreen(t, { on: "begin" });
  sendRequest(t, { ask: "begin", method, key: t.state.issuer.order?.key });
}

export function showInterrupted(t: Transition, why: "network" | "serviceDown", request: PageRequest | undefined): void {
  const { screen } = t.state;
  const before = screen.on === "retrying" ? screen.before : screen;
  t.set({ screen: { on: "interrupted", why, request, before }, pending: undefined, polling: undefined });
}

export function handleRefusal(t: Transition, { status, code }: Extract<Failure, { kind: "refused" }>): void {
  if (code === "SESSION_EXPIRED" || status === 410) {
    endSession(t, "expired");
  } else if (code === "LOCATION_BLOCKED") {
    const { session } = t.state;
    t.set({ session: session && { ...session, locationBlocked: true } });
    endSession(t, "blocked");
  } else if (status === 404 || status === 401) {
    endSession(t, "notFound");
  } else if (t.state.recovering) {
    showInterrupted(t, "serviceDown", undefined);
  } else {
    // Another device continued the session, or a response was lost: ask the server for its state.
    t.set({ recovering: true });
    readAgain(t);
  }
}

/** Asks the server where the session stands. */
export function readAgain(t: Transition): void {
  enterScreen(t, { on: "loading" });
  sendRequest(t, { ask: "recovery" });
}

function completeSession(t: Transition, session: Session): void {
  const { order } = t.state.issuer;
  if (order) {
    // The age was proven to the issuer: have the token signed and pass it on.
    enterScreen(t, { on: "signing" });
    sendRequest(t, { ask: "sign", order });
    return;
  }
  enterScreen(t, { on: "done", elsewhere: t.state.finishedElsewhere });
  announceReturn(t, session, session.offers.key || session.offers.proof ? AUTO_RETURN_WITH_OFFERS_S : AUTO_RETURN_S);
}

/** Starts the countdown to the business's page, if it asked for that and this page may navigate. */
function announceReturn(t: Transition, { callback }: Session, seconds: number): void {
  const url = returnUrl(t.state);
  if (callback?.auto && url && !t.state.environment.embedded) {
    t.do({ do: "announceReturn", url, seconds });
  }
}

/** The session's time is over. What was sent in time may be answered yet, and what others do, such as a phone that took over, may
 * have brought an outcome: the server knows. */
export function expireSession(t: Transition): void {
  const { screen, pending } = t.state;
  const answers = pending !== undefined && pending.request.ask !== "load";
  // The answer may have been lost on its way here: trying again asks the server.
  const interrupted = screen.on === "interrupted" && screen.request?.ask !== "load";
  t.do({ do: "startCountdown", seconds: undefined });
  if (!answers && !interrupted) {
    readAgain(t);
  }
}

export function endSession(t: Transition, why: OverReason): void {
  const { session } = t.state;
  const issuing = isIssuerTab(t.state);
  // The server hands over no session whose time is over, so it is told from here. An outcome stays what it is.
  if (why === "expired" && session && RUNNING_STATUSES.has(session.status)) {
    tellParent(t, { ...session, status: "EXPIRED" });
  }
  abandonOrder(t);
  enterScreen(t, { on: "over", why, issuing });
  const url = why === "cancelled" ? cancelUrl(t.state) : undefined;
  if (url && !t.state.environment.embedded) {
    t.do({ do: "navigate", url });
  }
}

/** The origin to post messages to; never `*`. */
function originOf(address: string | undefined): string | undefined {
  try {
    const { origin } = new URL(address ?? "");
    return origin === "null" ? undefined : origin;
  } catch {
    return undefined;
  }
}
