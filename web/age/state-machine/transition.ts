// A state on its way to the next: what changes with every screen, request and timer.

import type { Key } from "../address";
import type { IssuerOrder } from "../order";
import type { Effect } from "./events";
import type { Poll, Request, Screen, State } from "./state";
import { FOLLOW_MS } from "./timing";

/** Screens after which nothing is left to break. */
export const ENDS: ReadonlySet<string> = new Set(["done", "failed", "over", "issued", "notIssued"]);
/** Those on which the session's time does not matter any more. */
export const TIMELESS: ReadonlySet<string> = new Set([...ENDS, "lost", "signing"]);
/** Those that the browser's Back leads away from, to the choice. */
const ENTRIES: ReadonlySet<string> = new Set(["consent", "following", "begin"]);

/** A state on its way to the next, and what is to be done. */
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
    this.set({ numbers: this.state.numbers + 1 });
    return this.state.numbers;
  }
}

/** Leaves a screen for another: what belonged to it counts no more. */
export function enter(t: Transition, screen: Screen): void {
  const { awaited, historyEntry } = t.state;
  if (awaited) {
    t.do({ do: "awaitNoReturn", leave: awaited });
  }
  if (t.state.screen.on === "start" && !historyEntry && ENTRIES.has(screen.on)) {
    t.set({ historyEntry: true });
    t.do({ do: "pushEntry" });
  }
  t.set({ screen, pending: undefined, polling: undefined, view: undefined, awaited: undefined });
  if (TIMELESS.has(screen.on)) {
    t.do({ do: "watchTime", seconds: undefined });
  }
  if (screen.on === "following" || screen.on === "processing") {
    schedule(t, { ask: "follow" }, FOLLOW_MS);
  }
}

/** Asks for something; an earlier request's answer counts no more. */
export function ask(t: Transition, request: Request): void {
  const number = t.nextNumber();
  t.set({ pending: { number, request } });
  t.do({ do: "request", number, request });
}

/** Asks for something after so many milliseconds; there is one such thing at most. */
export function schedule(t: Transition, poll: Poll, ms: number): void {
  const number = t.nextNumber();
  t.set({ polling: { poll, ms, number, asking: false } });
  t.do({ do: "wait", number, ms });
}

/** Takes what opens a session, and an issuer's order for it. */
export function use(t: Transition, key: Key, order: IssuerOrder | undefined): void {
  t.set({ key });
  t.setIssuer({ order: key.handedOff ? undefined : order });
}
