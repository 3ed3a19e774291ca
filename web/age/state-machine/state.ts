// What the page of age sessions knows, and what follows from it alone. How it changes stands in reduce.ts.

import { followable } from "../../shared/follow";
import type { Key, Leave } from "../address";
import type { IssuerOrder, Order } from "../order";
import {
  type Method,
  type MethodName,
  open,
  type Problem,
  type Session,
  type Status,
  type Step,
  type StepKind,
  type Turn,
  type TurnInput,
  usable,
} from "../session";

/** Ways for a page to be over without a result. */
export type Over = "cancelled" | "notFound" | "expired" | "blocked" | "incomplete" | "unsupported";

/** What a tab does not know: where somebody came from, or what a proof is for; or it is another tab's to go on. */
export type Lost = "way" | "order" | "turn";

/** Where somebody is. */
export type Screen =
  | { on: "loading" }
  /** `again`: something did not work, and the session says where it stands. */
  | { on: "start"; again: boolean }
  | { on: "none" }
  /** `turn` asks for a face, and waits for the answer. */
  | { on: "consent"; method: Method; turn: Turn | undefined }
  | { on: "following" }
  | { on: "begin" }
  | { on: "step"; attempt: Attempt; view: number }
  /** The page, or this browser, cannot do what comes next. */
  | { on: "unable" }
  /** Nobody answered. Without a request the page is loaded again. */
  | { on: "interrupted"; why: "network" | "serviceDown"; request: Request | undefined; before: Screen }
  | { on: "retrying"; before: Screen }
  | { on: "processing" }
  | { on: "done"; elsewhere: boolean }
  | { on: "failed" }
  /** `issuing`: the words are those of an issuer's tab. */
  | { on: "over"; why: Over; issuing: boolean }
  /** In the tab that a page in a frame opened: it asks before it goes to a provider. */
  | { on: "departure"; leave: Leave; url: URL }
  /** In an issuer's tab: before it begins, while the proof is made, and how that ended. */
  | { on: "issue"; base: string; order: Order }
  | { on: "signing" }
  | { on: "issued" }
  /** `stranger`: the order came from a page that this issuer gives nothing to. */
  | { on: "notIssued"; stranger: boolean }
  /** Where what is kept under a passkey is forgotten. */
  | { on: "keys"; base: string }
  | { on: "lost"; what: Lost }
  | { on: "broken" };

/** An attempt that goes on, at a step. */
export interface Attempt {
  id: string;
  continuation: string;
  step: Step;
  problem: Problem | undefined;
}

/** What a step is answered with, or what makes it. */
export type Input = TurnInput | (() => Promise<TurnInput>);

/** What the server is asked, or, for `load`, the program of a screen. */
export type Request =
  | { ask: "open"; path: string | undefined }
  /** The session, to go back to the choice; to see where it stands after a refusal; before a provider is gone to. */
  | { ask: "choice" }
  | { ask: "recovery" }
  | { ask: "departure"; leave: Leave; url: string }
  | { ask: "consent"; given: boolean; method: Method | undefined; turn: Turn | undefined }
  | { ask: "cancel" }
  | { ask: "begin"; method: Method; key: string | undefined }
  | { ask: "answer"; attempt: Attempt; input: Input; progress: ((part: number) => void) | undefined }
  /** What a provider or a wallet sent its person back with. */
  | { ask: "return"; leave: Leave; returned: Record<string, string> }
  | { ask: "load"; kind: StepKind }
  | { ask: "loadKeys"; base: string }
  | { ask: "issue"; base: string; order: Order }
  | { ask: "sign"; order: IssuerOrder };

/** What is asked from time to time: whether a step that others do is done, how far another device is, whether anything of
 * the session has changed. */
export type Poll = { ask: "poll"; attempt: Attempt } | { ask: "follow" } | { ask: "watch"; seen: Session };

/** A poll that waits for its time, or for its answer. Its number is the timer's or the request's. */
interface Polling {
  poll: Poll;
  ms: number;
  number: number;
  asking: boolean;
}

export interface Environment {
  /** Whether another page embeds this one. */
  embedded: boolean;
  /** Whether this device is a phone, which has no other that could go on. */
  phone: boolean;
  /** Whether the page was opened at the issuer's address. */
  issuerPage: boolean;
}

export interface State {
  readonly environment: Environment;
  screen: Screen;
  key: Key | undefined;
  session: Session | undefined;
  /** The method that is being done, and its attempt. */
  method: Method | undefined;
  attempt: Attempt | undefined;
  /** What shows the step: it stays while a network is away, and where a step stands again, with what was typed. */
  view: { number: number; kind: StepKind } | undefined;
  /** The request whose answer is waited for; answers to earlier ones are late and count no more. */
  pending: { number: number; request: Request } | undefined;
  polling: Polling | undefined;
  /** How many requests, timers and views there were; each is known by its number. */
  numbers: number;
  /** What is kept in this browser until a wallet brings its holder back. */
  awaited: Leave | undefined;
  /** The status that the page around this one was told last. */
  told: Status | undefined;
  /** Whether the session went on elsewhere while this page watched. */
  followed: boolean;
  /** Whether the session is asked where it stands, after the server refused something. */
  recovering: boolean;
  /** Whether somebody came back here from a provider or a wallet. */
  cameBack: boolean;
  /** Whether the browser's history has an entry for the screens within the session. */
  historyEntry: boolean;
  /** What this tab has beside its session where it is an issuer's. */
  issuer: Issuer;
}

interface Issuer {
  /** What leads the session. A phone that took over has no part in it. */
  order: IssuerOrder | undefined;
  /** Whether another tab of this browser is told how it ended, and whether it has heard. */
  tells: boolean;
  heard: boolean;
  /** Where another server's page is told instead. */
  back: string | undefined;
}

export function begin(environment: Environment, historyEntry = false): State {
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
    numbers: 0,
    awaited: undefined,
    told: undefined,
    followed: false,
    recovering: false,
    cameBack: false,
    historyEntry,
    issuer: { order: undefined, tells: false, heard: false, back: undefined },
  };
}

// --- what a session's view means ---

/** The screen that a session's view leads to; `failed` and `over` need more than the view. */
export function screenOf(
  session: Session,
): "start" | "none" | "processing" | "done" | "failed" | "cancelled" | "blocked" {
  switch (session.status) {
    case "COMPLETE":
      return "done";
    case "CANCELLED":
      return "cancelled";
    case "PROCESSING":
      return "processing";
    default:
      break;
  }
  if (session.locationBlocked) {
    return "blocked";
  }
  if (!open(session)) {
    return "failed";
  }
  return usable(session).length > 0 ? "start" : "none";
}

/** The method of the address `/age/<method>`, where it may be begun without asking: nothing was tried before. */
export function direct(session: Session, path: string | undefined): Method | undefined {
  const method = usable(session).find((one) => one.path === path);
  return method && session.status === "PENDING" && method.attempts === 0 ? method : undefined;
}

/** Whether a question has to be answered before a method is begun. */
export function needsConsent({ consent: { required, given } }: Session, method: Method): boolean {
  return method.biometric && required && given !== true;
}

/** Methods in the order in which they are offered: what was not tried yet before what failed, and a passkey last, because
 * most people have kept nothing under one. A phone that took over is offered what phones may do. */
export function offered(session: Session, handedOff = false): { fresh: Method[]; again: Method[] } {
  const all = usable(session).filter(({ handOff }) => handOff || !handedOff);
  const fresh = all.filter(({ state }) => state === "OPEN");
  const isPasskey = ({ method }: Method) => method === PASSKEY;
  return {
    fresh: [...fresh.filter((one) => !isPasskey(one)), ...fresh.filter(isPasskey)],
    again: all.filter(({ state }) => state === "FAILED"),
  };
}

const PASSKEY: MethodName = "SVC_KEY";

// --- what the state means ---

/** Whether there is something that can be stopped. */
export function stoppable(screen: Screen): boolean {
  switch (screen.on) {
    case "start":
    case "none":
    case "consent":
    case "following":
    case "begin":
    case "step":
    case "unable":
    case "interrupted":
    case "retrying":
      return true;
    default:
      return false;
  }
}

/** Whether this is an issuer's tab, as far as it knows. */
export function issues({ session, issuer, environment }: State): boolean {
  return session?.issues !== undefined || issuer.order !== undefined || environment.issuerPage;
}

/** Whether a phone could go on with one of these. */
export function mayHandOff({ key, environment }: State, methods: Method[]): boolean {
  return methods.some(({ handOff }) => handOff) && !environment.phone && key?.handedOff === false;
}

/** Where the business wants people at the end. A phone that helped goes nowhere. */
export function leaveTo({ key, session, issuer }: State): string | undefined {
  return key?.handedOff || !session ? undefined : (issuer.back ?? followable(session.callback?.url)?.href);
}

/** Where it wants those who stopped. */
export function cancelTo({ key, session, issuer }: State): string | undefined {
  return key?.handedOff ? undefined : (issuer.back ?? followable(session?.cancelUrl)?.href);
}

/** What brings somebody back to an attempt. */
export function leaveOf({ key, attempt }: State): Leave | undefined {
  return key && { ...key, attempt: attempt?.id ?? "", continuation: attempt?.continuation ?? "" };
}

/** What a report of a mistake calls the screen. */
export function screenName({ screen }: State): string {
  const shown = screen.on === "retrying" ? screen.before : screen;
  return shown.on === "step" ? shown.attempt.step.kind : shown.on;
}
