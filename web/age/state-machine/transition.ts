// A transition: what changes with every screen, request and timer.

import type { SessionKey } from "../session-url";
import type { IssuerOrder } from "../token-request";
import type { Effect } from "./events";
import type { PageRequest, Poll, ScreenState, State } from "./state";
import { FOLLOW_INTERVAL_MS } from "./timing";

/** Final screens: an error on them does not replace them. */
export const END_SCREENS: ReadonlySet<string> = new Set(["done", "failed", "over", "issued", "notIssued"]);
/** Screens without the session's countdown. */
export const UNTIMED_SCREENS: ReadonlySet<string> = new Set([...END_SCREENS, "lost", "signing"]);
/** Screens from which the browser's Back leads to the choice of methods. */
const HISTORY_SCREENS: ReadonlySet<string> = new Set(["consent", "following", "begin"]);

/** The next state as it is built, and the effects to run. */
export class Transition {
  state: State;
  readonly effects: Effect[] = [];

  constructor(state: State) {
    this.state = state;
  }

  set(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
  }

  setIssuer(change: Partial<State["issuer"]>): void {
    this.set({ issuer: { ...this.state.issuer, ...change } });
  }

  do(effect: Effect): void {
    this.effects.push(effect);
  }

  nextNumber(): number {
    this.set({ lastNumber: this.state.lastNumber + 1 });
    return this.state.lastNumber;
  }
}

/** Enters a screen; requests, polls and the view of the one before are dropped. */
export function enterScreen(t: Transition, screen: ScreenState): void {
  const { walletReturn: awaited, historyEntry } = t.state;
  if (awaited) {
    t.do({ do: "forgetWalletReturn", returnState: awaited });
  }
  if (t.state.screen.on === "start" && !historyEntry && HISTORY_SCREENS.has(screen.on)) {
    t.set({ historyEntry: true });
    t.do({ do: "pushHistoryEntry" });
  }
  t.set({ screen, pending: undefined, polling: undefined, view: undefined, walletReturn: undefined });
  if (UNTIMED_SCREENS.has(screen.on)) {
    t.do({ do: "startCountdown", seconds: undefined });
  }
  if (screen.on === "following" || screen.on === "processing") {
    schedulePoll(t, { ask: "follow" }, FOLLOW_INTERVAL_MS);
  }
}

/** Sends a request; the response to an earlier one is ignored. */
export function sendRequest(t: Transition, request: PageRequest): void {
  const number = t.nextNumber();
  t.set({ pending: { number, request } });
  t.do({ do: "request", number, request });
}

/** Schedules a poll; it replaces the one before. */
export function schedulePoll(t: Transition, poll: Poll, ms: number): void {
  const number = t.nextNumber();
  t.set({ polling: { poll, ms, number, inFlight: false } });
  t.do({ do: "startTimer", number, ms });
}

/** Sets the session's key and the issuer's order for it. */
export function setSession(t: Transition, key: SessionKey, order: IssuerOrder | undefined): void {
  t.set({ key });
  t.setIssuer({ order: key.handedOff ? undefined : order });
}
