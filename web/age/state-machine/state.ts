// The state of the age verification page, and what can be derived from it. reduce.ts changes it.

import { exitUrl } from "../../shared/safe-url";
import {
  availableMethods,
  isOpen,
  type Method,
  type MethodName,
  type Session,
  type SessionStatus,
  type Step,
  type StepKind,
  type StepProblem,
  type Turn,
  type TurnInput,
} from "../session";
import type { ReturnState, SessionKey } from "../session-url";
import type { IssuerOrder, TokenOrder } from "../token-request";

/** Why a session ended without a result. */
export type OverReason = "cancelled" | "notFound" | "expired" | "blocked" | "incomplete" | "unsupported";

/** What this tab has lost: the return state, the token order; or another tab has the turn. */
export type LostReason = "way" | "order" | "turn";

/** The current screen. */
export type ScreenState =
  | { on: "loading" }
  /** `again`: shown once more after the server refused something. */
  | { on: "start"; again: boolean }
  | { on: "none" }
  /** `turn` is a step that needs a face and waits for consent. */
  | { on: "consent"; method: Method; turn: Turn | undefined }
  | { on: "following" }
  | { on: "begin" }
  | { on: "step"; attempt: Attempt; view: number }
  /** The page or the browser does not support the next step. */
  | { on: "unable" }
  /** The server could not be reached. Without a request the page is reloaded. */
  | { on: "interrupted"; why: "network" | "serviceDown"; request: PageRequest | undefined; before: ScreenState }
  | { on: "retrying"; before: ScreenState }
  | { on: "processing" }
  | { on: "done"; elsewhere: boolean }
  | { on: "failed" }
  /** `issuing`: use the texts of an issuer's tab. */
  | { on: "over"; why: OverReason; issuing: boolean }
  /** In a tab opened from a frame: asks before going to a provider. */
  | { on: "departure"; returnState: ReturnState; url: URL }
  /** In an issuer's tab: before it begins, while the token is signed, and the result. */
  | { on: "issue"; base: string; order: TokenOrder }
  | { on: "signing" }
  | { on: "issued" }
  /** `stranger`: the order came from a page that is not among the issuer's redeemers. */
  | { on: "notIssued"; stranger: boolean }
  /** The page that deletes results kept under a passkey. */
  | { on: "keys"; base: string }
  | { on: "lost"; what: LostReason }
  | { on: "broken" };

/** A running attempt and its step. */
export interface Attempt {
  id: string;
  continuation: string;
  step: Step;
  problem: StepProblem | undefined;
}

/** The input of a step, or a function that makes it. */
export type StepInput = TurnInput | (() => Promise<TurnInput>);

/** A request to the server or, for `load`, for the module of a screen. */
export type PageRequest =
  | { ask: "open"; path: string | undefined }
  /** These three read the session: to go back to the choice, after a refusal or the end of its time, and before going to a provider. */
  | { ask: "choice" }
  | { ask: "recovery" }
  | { ask: "departure"; returnState: ReturnState; url: string }
  | { ask: "consent"; given: boolean; method: Method | undefined; turn: Turn | undefined }
  | { ask: "cancel" }
  | { ask: "begin"; method: Method; key: string | undefined }
  | { ask: "answer"; attempt: Attempt; input: StepInput; progress: ((part: number) => void) | undefined }
  /** The parameters with which a provider or a wallet sent the person back. */
  | { ask: "return"; returnState: ReturnState; returned: Record<string, string> }
  | { ask: "load"; kind: StepKind }
  | { ask: "loadKeys"; base: string }
  | { ask: "issue"; base: string; order: TokenOrder }
  | { ask: "sign"; order: IssuerOrder };

/** A repeated request: whether a step that others do is done, how far another device is, or whether the session has
 * changed. */
export type Poll = { ask: "poll"; attempt: Attempt } | { ask: "follow" } | { ask: "watch"; seen: Session };

/** A poll that waits for its timer or its response; the number is that of the timer or the request. */
interface PollState {
  poll: Poll;
  ms: number;
  number: number;
  inFlight: boolean;
}

export interface Environment {
  /** Whether another page embeds this one. */
  embedded: boolean;
  /** Whether this device is a phone, so that it does not offer to hand over to one. */
  phone: boolean;
  /** Whether the page was opened at the issuer's address. */
  issuerPage: boolean;
  /** Whether a result was kept under a passkey in this browser. */
  keptHere: boolean;
}

export interface State {
  readonly environment: Environment;
  screen: ScreenState;
  key: SessionKey | undefined;
  session: Session | undefined;
  /** The current method and its attempt. */
  method: Method | undefined;
  attempt: Attempt | undefined;
  /** The view of the step. It survives network failures and a repeated step, with what was typed. */
  view: { number: number; kind: StepKind } | undefined;
  /** The request in flight; responses to earlier ones are ignored. */
  pending: { number: number; request: PageRequest } | undefined;
  polling: PollState | undefined;
  /** The last number given to a request, a timer or a view. */
  lastNumber: number;
  /** The return state that this browser keeps for a wallet. */
  walletReturn: ReturnState | undefined;
  /** The status last reported to the embedding page. */
  reportedStatus: SessionStatus | undefined;
  /** Whether this page followed another device and has begun no method itself since: what is complete was completed there. */
  finishedElsewhere: boolean;
  /** Whether the session is being read again after the server refused something. */
  recovering: boolean;
  /** Whether a provider or a wallet sent the person back here. */
  returnedFromProvider: boolean;
  /** Whether there is a history entry for the screens after the choice of methods. */
  historyEntry: boolean;
  /** What an issuer's tab has besides its session. */
  issuer: IssuerState;
}

interface IssuerState {
  /** The order that the session is for. A phone that took over has none. */
  order: IssuerOrder | undefined;
  /** Whether another tab of this browser gets the result, and whether it has acknowledged it. */
  notifiesTab: boolean;
  acknowledged: boolean;
  /** The address of another server's page that gets the result instead. */
  returnUrl: string | undefined;
}

export function initialState(environment: Environment, historyEntry = false): State {
  return {
    environment,
    screen: { on: "loading" },
    key: undefined,
    session: undefined,
    method: undefined,
    attempt: undefined,
    view: undefined,
    pending: undefined,
    polling: undefined,
    lastNumber: 0,
    walletReturn: undefined,
    reportedStatus: undefined,
    finishedElsewhere: false,
    recovering: false,
    returnedFromProvider: false,
    historyEntry,
    issuer: { order: undefined, notifiesTab: false, acknowledged: false, returnUrl: undefined },
  };
}

// --- derived from a session ---

/** The screen that a session leads to. */
export function screenOf(
  session: Session,
): "start" | "none" | "processing" | "done" | "failed" | "cancelled" | "expired" | "blocked" {
  switch (session.status) {
    case "COMPLETE":
      return "done";
    case "CANCELLED":
      return "cancelled";
    case "EXPIRED":
      return "expired";
    case "PROCESSING":
      return "processing";
    default:
      break;
  }
  if (session.locationBlocked) {
    return "blocked";
  }
  if (!isOpen(session)) {
    return "failed";
  }
  return availableMethods(session).length > 0 ? "start" : "none";
}

/** The method of the address `/age/<method>`, if it may begin at once: only in a session in which nothing was tried. */
export function methodForPath(session: Session, path: string | undefined): Method | undefined {
  const method = availableMethods(session).find((one) => one.path === path);
  return method && session.status === "PENDING" && method.attempts === 0 ? method : undefined;
}

/** The method that the page tries by itself instead of offering it: a passkey, in a browser in which a result was kept, before
 * anything else was tried. */
export function silentMethod(session: Session, { keptHere }: Environment): Method | undefined {
  const possible = availableMethods(session);
  const method = possible.find(({ silent }) => silent);
  const hidden = possible.some(({ silent }) => !silent);
  return method && hidden && keptHere && session.status === "PENDING" && method.attempts === 0 ? method : undefined;
}

/** Whether the method needs a consent that was not given yet. */
export function needsConsent({ consent: { required, given } }: Session, method: Method): boolean {
  return method.biometric && required && given !== true;
}

/** Methods in the order in which they are offered: untried ones before failed ones, and a passkey last, because few
 * people have one. One that the page tries by itself is only offered where there is no other. A phone that took over is only
 * offered what may be done on it. */
export function offeredMethods(session: Session, handedOff = false): { fresh: Method[]; again: Method[] } {
  const possible = availableMethods(session).filter(({ handOff }) => handOff || !handedOff);
  const shown = possible.filter(({ silent }) => !silent);
  const all = shown.length > 0 ? shown : possible;
  const fresh = all.filter(({ state }) => state === "OPEN");
  const isPasskey = ({ method }: Method) => method === PASSKEY_METHOD;
  return {
    fresh: [...fresh.filter((one) => !isPasskey(one)), ...fresh.filter(isPasskey)],
    again: all.filter(({ state }) => state === "FAILED"),
  };
}

const PASSKEY_METHOD: MethodName = "SVC_KEY";

// --- derived from the state ---

/** Whether the session can be cancelled on this screen. */
export function isCancellable({ key, screen, session }: Pick<State, "key" | "screen" | "session">): boolean {
  switch (screen.on) {
    case "start":
    case "none":
    case "consent":
    case "following":
    case "begin":
    case "step":
    case "unable":
      return true;
    case "interrupted":
    case "retrying":
      // A check that runs on cannot be stopped. Without a key there is no session yet: an issuer's tab would only lose its order.
      return key !== undefined && session?.status !== "PROCESSING";
    case "over":
      return screen.why === "blocked" && session !== undefined && isOpen(session);
    default:
      return false;
  }
}

/** Whether the consent to face processing can be taken back on this screen: from a check that runs, or for what may still follow. */
export function canTakeBackConsent({ screen, session }: Pick<State, "screen" | "session">): boolean {
  if (!session?.consent.required || session.consent.given !== true) {
    return false;
  }
  switch (screen.on) {
    case "start":
    case "none":
    case "processing":
      return true;
    case "over":
      return screen.why === "blocked" && isOpen(session);
    default:
      return false;
  }
}

/** Whether consent to face processing can be given after all on this screen: at the choice, and after a failure if the refusal alone
 * is in the way. An issuer's session is over by then, and a phone that took over leaves it to the other device. */
export function canGiveConsent({ key, screen, session }: Pick<State, "key" | "screen" | "session">): boolean {
  switch (screen.on) {
    case "start":
    case "none":
      return true;
    case "failed":
      return session?.consent.may_give === true && session.issuerThreshold === undefined && key?.handedOff === false;
    default:
      return false;
  }
}

/** Whether this is an issuer's tab, as far as is known yet. */
export function isIssuerTab({ session, issuer, environment }: State): boolean {
  return session?.issuerThreshold !== undefined || issuer.order !== undefined || environment.issuerPage;
}

/** Whether a phone could take over with one of these methods. */
export function canHandOff({ key, environment }: State, methods: Method[]): boolean {
  return methods.some(({ handOff }) => handOff) && !environment.phone && key?.handedOff === false;
}

/** The business's address to return to. A phone that took over does not return. */
export function returnUrl({ key, session, issuer }: State): string | undefined {
  return key?.handedOff || !session ? undefined : (issuer.returnUrl ?? exitUrl(session.callback?.url)?.href);
}

/** The business's address for people who cancelled. */
export function cancelUrl({ key, session, issuer }: State): string | undefined {
  return key?.handedOff ? undefined : (issuer.returnUrl ?? exitUrl(session?.cancelUrl)?.href);
}

/** What brings the person back to the current attempt. */
export function returnStateOf({ key, attempt }: State): ReturnState | undefined {
  return key && { ...key, attempt: attempt?.id ?? "", continuation: attempt?.continuation ?? "" };
}

/** The name of the screen in error reports. */
export function screenName({ screen }: State): string {
  const shown = screen.on === "retrying" ? screen.before : screen;
  return shown.on === "step" ? shown.attempt.step.kind : shown.on;
}
