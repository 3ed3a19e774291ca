// How the page of age sessions changes: one pure function from its state and an event to the next state and the effects that
// belong to it. Whatever comes late, twice or from a screen that is gone is told by its number and changes nothing.

import { followable } from "../../shared/follow";
import { NOTHING } from "../order";
import { open, type Session, usable } from "../session";
import type { Effect, Event, Failure } from "./events";
import { beginIssuing, handOn, refuseOrder, tellTab } from "./issuer";
import { beginMethod, choose, enterStep, interrupt, over, refused, strays, take, takeTurn } from "./outcomes";
import { hearPoll, waited } from "./polls";
import { type Attempt, direct, leaveOf, mayHandOff, type Request, type State, stoppable } from "./state";
import { FAST_MS } from "./timing";
import { ask, ENDS, enter, schedule, TIMELESS, Transition, use } from "./transition";

export interface Reduced {
  state: State;
  effects: Effect[];
}

export function reduce(state: State, event: Event): Reduced {
  const transition = new Transition(state);
  if (state.screen.on !== "broken") {
    handle(transition, event);
  }
  return { state: transition.state, effects: transition.effects };
}

function handle(t: Transition, event: Event): void {
  switch (event.is) {
    case "opened":
    case "returned":
    case "sentOn":
    case "ordered":
    case "handedBack":
    case "cameFromNowhere":
    case "keysOpened":
    case "couldNotOpen":
      arrive(t, event);
      return;
    case "sessionRead":
    case "turnTaken":
    case "loaded":
    case "issuerBegan":
    case "signed":
    case "failed":
      hear(t, event);
      return;
    case "submitted":
    case "departed":
    case "walletOpened":
    case "pollWanted":
    case "watchWanted":
      if (t.state.view?.number === event.view && t.state.screen.on === "step") {
        handleStep(t, event, t.state.screen.attempt);
      }
      return;
    case "waited":
      waited(t, event.number);
      return;
    case "expired":
      if (!TIMELESS.has(t.state.screen.on)) {
        over(t, "expired");
      }
      return;
    case "keptNothing":
      enter(t, { on: "unable" });
      return;
    case "heard":
      t.setIssuer({ order: undefined, heard: true });
      t.do({ do: "forgetOrder" });
      return;
    case "broke":
      if (!ENDS.has(t.state.screen.on)) {
        enter(t, { on: "broken" });
      }
      return;
    default:
      act(t, event);
  }
}

// --- how the page was opened ---

function arrive(t: Transition, event: Event): void {
  switch (event.is) {
    case "opened":
      use(t, event.key, event.order);
      ask(t, { ask: "open", path: event.path });
      return;
    case "returned":
      use(t, event.leave, event.order);
      t.set({ cameBack: true });
      ask(t, { ask: "return", leave: event.leave, returned: event.returned });
      return;
    case "sentOn": {
      // It is asked before anything is gone to, because anybody can make such an address.
      const { url: address, ...leave } = event.errand;
      const url = followable(address);
      if (url) {
        const key = { ...leave, handedOff: true };
        use(t, key, undefined);
        enter(t, { on: "departure", leave: key, url });
      } else {
        over(t, "incomplete");
      }
      return;
    }
    case "ordered":
      enter(t, { on: "issue", base: event.base, order: event.order });
      return;
    case "handedBack":
      tellTab(t, event.channel, event.response);
      return;
    case "cameFromNowhere":
      enter(t, { on: "lost", what: "way" });
      return;
    case "keysOpened":
      ask(t, { ask: "loadKeys", base: event.base });
      return;
    case "couldNotOpen":
      over(t, event.why);
      return;
    default:
      return;
  }
}

// --- what the person does ---

function act(t: Transition, event: Event): void {
  const { screen, session } = t.state;
  switch (event.is) {
    case "chose":
      if (session && screen.on === "start") {
        choose(t, session, event.method);
      }
      return;
    case "consented": {
      const { method, turn } = screen.on === "consent" ? screen : { method: undefined, turn: undefined };
      if (screen.on === "consent" || screen.on === "start" || screen.on === "none") {
        enter(t, { on: "loading" });
        ask(t, { ask: "consent", given: event.given, method, turn: event.given ? turn : undefined });
      }
      return;
    }
    case "wentOn":
      if (screen.on === "departure") {
        ask(t, { ask: "departure", leave: screen.leave, url: screen.url.href });
      } else if (screen.on === "issue") {
        const { base, order } = screen;
        enter(t, { on: "loading" });
        ask(t, { ask: "issue", base, order });
      }
      return;
    case "wentBack":
      if (within(t.state)) {
        goBack(t);
      }
      return;
    case "handedOff": {
      const { method } = t.state;
      const methods = screen.on === "step" ? (method ? [method] : []) : session ? usable(session) : [];
      if ((screen.on === "start" || screen.on === "step") && mayHandOff(t.state, methods)) {
        enter(t, { on: "following" });
      }
      return;
    }
    case "resumed":
      resume(t);
      return;
    case "stopped":
      if (stoppable(screen)) {
        enter(t, { on: "loading" });
        ask(t, { ask: "cancel" });
      }
      return;
    case "stayed":
      t.do({ do: "stay" });
      return;
    case "navigatedBack":
      navigate(t, event.entry);
      return;
    default:
      return;
  }
}

/** Back to the choice. */
function goBack(t: Transition): void {
  enter(t, { on: "loading" });
  ask(t, { ask: "choice" });
}

/** Somebody pressed the browser's or the phone's Back, or Forward (`entry`). */
function navigate(t: Transition, entry: boolean): void {
  t.set({ historyEntry: entry });
  if (entry) {
    return;
  }
  if (within(t.state)) {
    goBack(t);
  } else {
    // The entry was left over from a way that led back here already.
    t.do({ do: "navigateBack" });
  }
}

/** Whether somebody is somewhere within a session, from where there is a way back to the choice. */
function within({ screen, session }: State): boolean {
  switch (screen.on) {
    case "consent":
    case "following":
    case "begin":
    case "step":
    case "unable":
      return true;
    case "interrupted":
    case "retrying":
      return within({ screen: screen.before, session } as State);
    case "loading":
      return session !== undefined && open(session);
    default:
      return false;
  }
}

function resume(t: Transition): void {
  const { screen } = t.state;
  if (screen.on !== "interrupted") {
    return;
  }
  if (screen.request) {
    // What was on the screen stays as it was, with what was typed, until there is an answer.
    t.set({ screen: { on: "retrying", before: screen.before } });
    ask(t, screen.request);
  } else {
    t.do({ do: "reload" });
  }
}

type StepEvent = Extract<Event, { view: number }>;

function handleStep(t: Transition, event: StepEvent, attempt: Attempt): void {
  const { pending, polling, session } = t.state;
  const leave = leaveOf(t.state);
  switch (event.is) {
    case "submitted":
      if (!pending) {
        // What is asked from time to time must not come between.
        t.set({ polling: undefined });
        ask(t, { ask: "answer", attempt, input: event.input, progress: event.progress });
      }
      return;
    case "departed":
      if (leave) {
        t.do({ do: "depart", leave, url: event.url });
      }
      return;
    case "walletOpened":
      if (leave) {
        t.set({ awaited: leave });
        t.do({ do: "awaitReturn", leave });
      }
      return;
    case "pollWanted":
      if (polling?.asking) {
        t.set({ polling: { ...polling, ms: Math.max(event.ms, FAST_MS) } });
      } else {
        schedule(t, { ask: "poll", attempt }, event.ms);
      }
      return;
    case "watchWanted":
      if (session) {
        schedule(t, { ask: "watch", seen: session }, event.ms);
      }
      return;
  }
}

// --- what the server says ---

function hear(t: Transition, event: Event & { number: number }): void {
  const { pending, polling } = t.state;
  if (polling?.asking && polling.number === event.number) {
    hearPoll(t, polling.poll, polling.ms, event);
  } else if (pending?.number === event.number) {
    t.set({ pending: undefined });
    hearAnswer(t, pending.request, event);
  }
}

function hearAnswer(t: Transition, request: Request, event: Event): void {
  switch (event.is) {
    case "sessionRead":
      hearSession(t, request, event.session);
      return;
    case "turnTaken":
      // A wallet may open a tab of its own to come back, where an issuer's order is not known.
      if (request.ask === "return" && strays(t.state, event.turn.session)) {
        take(t, event.turn.session);
      } else {
        takeTurn(t, event.turn);
      }
      return;
    case "loaded":
      if (request.ask === "loadKeys") {
        enter(t, { on: "keys", base: request.base });
      } else if (t.state.attempt) {
        enterStep(t, t.state.attempt);
      }
      return;
    case "issuerBegan":
      if (request.ask === "issue") {
        beginIssuing(t, request.base, request.order, event.began);
      }
      return;
    case "signed":
      if (request.ask === "sign") {
        handOn(t, request.order, event.response);
      }
      return;
    case "failed":
      fail(t, request, event.failure);
      return;
    default:
      return;
  }
}

function hearSession(t: Transition, request: Request, session: Session): void {
  switch (request.ask) {
    case "open": {
      const method = direct(session, request.path);
      take(t, session);
      if (method && t.state.screen.on === "start") {
        choose(t, session, method);
      }
      return;
    }
    case "recovery":
      t.set({ recovering: false });
      take(t, session);
      if (t.state.screen.on === "start") {
        t.set({ screen: { on: "start", again: true } });
      }
      return;
    case "departure":
      // No frame opens a tab for an issuer's session: it is somebody else's, who wants another to show an age.
      if (session.issues === undefined) {
        t.do({ do: "depart", leave: request.leave, url: request.url });
      } else {
        take(t, session);
      }
      return;
    case "consent": {
      const { given, method, turn } = request;
      const still = given ? usable(session).find((one) => one.method === method?.method) : undefined;
      if (turn) {
        takeTurn(t, { ...turn, session });
      } else {
        take(t, session);
        if (still && open(session)) {
          beginMethod(t, still);
        }
      }
      return;
    }
    default:
      take(t, session);
  }
}

function fail(t: Transition, request: Request, failure: Failure): void {
  if (failure.kind === "interrupted") {
    interrupt(t, failure.why, request);
  } else if (request.ask === "sign") {
    // What is refused now would be refused for ever.
    handOn(t, request.order, NOTHING);
  } else if (request.ask === "issue") {
    refuseOrder(t, request.order);
  } else {
    refused(t, failure);
  }
}
