// The reducer of the age verification page: one pure function from a state and an event to the next state and its effects.
// Requests, timers and views have numbers, so that events that come late, twice or from a screen that is gone are ignored.

import { safeUrl } from "../../shared/safe-url";
import { availableMethods, isOpen, type Session } from "../session";
import { NO_SIGNATURE } from "../token-request";
import type { Effect, Failure, PageEvent } from "./events";
import { beginIssuerSession, deliverAnswer, deliverToTab, refuseOrder } from "./issuer-tab";
import { handlePollResponse, handleTimer } from "./polling";
import {
  applySession,
  applyTurn,
  beginMethod,
  chooseMethod,
  endSession,
  enterStep,
  expireSession,
  handleRefusal,
  isOrphanedIssuerSession,
  readAgain,
  showInterrupted,
} from "./session-updates";
import {
  type Attempt,
  canGiveConsent,
  canHandOff,
  canTakeBackConsent,
  isCancellable,
  methodForPath,
  type PageRequest,
  returnStateOf,
  type State,
  silentMethod,
} from "./state";
import { MIN_POLL_INTERVAL_MS } from "./timing";
import {
  END_SCREENS,
  enterScreen,
  schedulePoll,
  sendRequest,
  setSession,
  Transition,
  UNTIMED_SCREENS,
} from "./transition";

export interface Reduction {
  state: State;
  effects: Effect[];
}

export function reduce(state: State, event: PageEvent): Reduction {
  const transition = new Transition(state);
  if (state.screen.on !== "broken") {
    handle(transition, event);
  }
  return { state: transition.state, effects: transition.effects };
}

function handle(t: Transition, event: PageEvent): void {
  switch (event.is) {
    case "opened":
    case "returned":
    case "redirectTabOpened":
    case "issuerPageOpened":
    case "answerReturned":
    case "returnedWithoutState":
    case "forgetPageOpened":
    case "couldNotOpen":
      handleOpening(t, event);
      return;
    case "sessionReceived":
    case "turnReceived":
    case "loaded":
    case "issuerSessionCreated":
    case "signed":
    case "failed":
      handleResponse(t, event);
      return;
    case "submitted":
    case "providerChosen":
    case "walletOpened":
    case "pollRequested":
    case "watchRequested":
      if (t.state.view?.number === event.view && t.state.screen.on === "step") {
        handleStepEvent(t, event, t.state.screen.attempt);
      }
      return;
    case "timerFired":
      handleTimer(t, event.number);
      return;
    case "expired":
      if (!UNTIMED_SCREENS.has(t.state.screen.on)) {
        expireSession(t);
      }
      return;
    case "storageFailed":
      enterScreen(t, { on: "unable" });
      return;
    case "tabAcknowledged":
      t.setIssuer({ order: undefined, acknowledged: true });
      t.do({ do: "forgetOrder" });
      return;
    case "crashed":
      if (!END_SCREENS.has(t.state.screen.on)) {
        enterScreen(t, { on: "broken" });
      }
      return;
    default:
      handleUserAction(t, event);
  }
}

// --- how the page was opened ---

function handleOpening(t: Transition, event: PageEvent): void {
  switch (event.is) {
    case "opened":
      setSession(t, event.key, event.order);
      sendRequest(t, { ask: "open", path: event.path });
      return;
    case "returned":
      setSession(t, event.returnState, event.order);
      t.set({ returnedFromProvider: true });
      sendRequest(t, { ask: "return", returnState: event.returnState, returned: event.returned });
      return;
    case "redirectTabOpened": {
      // Ask before redirecting, because anybody can make such an address.
      const { url: address, ...returnState } = event.redirectTab;
      const url = safeUrl(address);
      if (url) {
        const key = { ...returnState, handedOff: true };
        setSession(t, key, undefined);
        enterScreen(t, { on: "departure", returnState: key, url });
      } else {
        endSession(t, "incomplete");
      }
      return;
    }
    case "issuerPageOpened":
      enterScreen(t, { on: "issue", base: event.base, order: event.order });
      return;
    case "answerReturned":
      deliverToTab(t, event.channel, event.response);
      return;
    case "returnedWithoutState":
      enterScreen(t, { on: "lost", what: "way" });
      return;
    case "forgetPageOpened":
      sendRequest(t, { ask: "loadKeys", base: event.base });
      return;
    case "couldNotOpen":
      endSession(t, event.why);
      return;
    default:
      return;
  }
}

// --- what the person does ---

function handleUserAction(t: Transition, event: PageEvent): void {
  const { screen, session } = t.state;
  switch (event.is) {
    case "methodChosen":
      if (session && screen.on === "start") {
        chooseMethod(t, session, event.method);
      }
      return;
    case "consented": {
      const { method, turn } = screen.on === "consent" ? screen : { method: undefined, turn: undefined };
      const changes = event.given ? canGiveConsent(t.state) : canTakeBackConsent(t.state);
      if (screen.on === "consent" || changes) {
        enterScreen(t, { on: "loading" });
        sendRequest(t, { ask: "consent", given: event.given, method, turn: event.given ? turn : undefined });
      }
      return;
    }
    case "continued":
      if (screen.on === "departure") {
        sendRequest(t, { ask: "departure", returnState: screen.returnState, url: screen.url.href });
      } else if (screen.on === "issue") {
        const { base, order } = screen;
        enterScreen(t, { on: "loading" });
        sendRequest(t, { ask: "issue", base, order });
      }
      return;
    case "backToChoice":
      if (isWithinSession(t.state)) {
        backToChoice(t);
      }
      return;
    case "handOffChosen": {
      const { method } = t.state;
      const methods = screen.on === "step" ? (method ? [method] : []) : session ? availableMethods(session) : [];
      if ((screen.on === "start" || screen.on === "step") && canHandOff(t.state, methods)) {
        enterScreen(t, { on: "following" });
      }
      return;
    }
    case "resumed":
      resume(t);
      return;
    case "stopped":
      if (isCancellable(t.state)) {
        enterScreen(t, { on: "loading" });
        sendRequest(t, { ask: "cancel" });
      }
      return;
    case "autoReturnDeclined":
      t.do({ do: "cancelAutoReturn" });
      return;
    case "navigatedBack":
      handleHistory(t, event.entry);
      return;
    default:
      return;
  }
}

/** Goes back to the choice of methods. */
function backToChoice(t: Transition): void {
  enterScreen(t, { on: "loading" });
  sendRequest(t, { ask: "choice" });
}

/** The browser's Back button was pressed or, with `entry`, Forward. */
function handleHistory(t: Transition, entry: boolean): void {
  t.set({ historyEntry: entry });
  if (entry) {
    return;
  }
  if (isWithinSession(t.state)) {
    backToChoice(t);
  } else {
    // The page had already left that screen: skip its history entry.
    t.do({ do: "navigateBack" });
  }
}

/** Whether there is a way back from this screen to the choice of methods. */
function isWithinSession({ screen, session }: State): boolean {
  switch (screen.on) {
    case "consent":
    case "following":
    case "begin":
    case "step":
    case "unable":
      return true;
    case "interrupted":
    case "retrying":
      return isWithinSession({ screen: screen.before, session } as State);
    case "loading":
      return session !== undefined && isOpen(session);
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
    // Keep the screen before, with what was typed, until there is a response.
    t.set({ screen: { on: "retrying", before: screen.before } });
    sendRequest(t, screen.request);
  } else {
    t.do({ do: "reload" });
  }
}

type StepEvent = Extract<PageEvent, { view: number }>;

function handleStepEvent(t: Transition, event: StepEvent, attempt: Attempt): void {
  const { pending, polling, session } = t.state;
  const returnState = returnStateOf(t.state);
  switch (event.is) {
    case "submitted":
      if (!pending) {
        // A poll must not overtake the answer.
        t.set({ polling: undefined });
        sendRequest(t, { ask: "answer", attempt, input: event.input, progress: event.progress });
      }
      return;
    case "providerChosen":
      if (returnState) {
        t.do({ do: "goToProvider", returnState, url: event.url });
      }
      return;
    case "walletOpened":
      if (returnState) {
        t.set({ walletReturn: returnState });
        t.do({ do: "saveWalletReturn", returnState });
      }
      return;
    case "pollRequested":
      if (polling?.inFlight) {
        t.set({ polling: { ...polling, ms: Math.max(event.ms, MIN_POLL_INTERVAL_MS) } });
      } else {
        schedulePoll(t, { ask: "poll", attempt }, event.ms);
      }
      return;
    case "watchRequested":
      if (session) {
        schedulePoll(t, { ask: "watch", seen: session }, event.ms);
      }
      return;
  }
}

// --- what the server says ---

function handleResponse(t: Transition, event: PageEvent & { number: number }): void {
  const { pending, polling } = t.state;
  if (polling?.inFlight && polling.number === event.number) {
    handlePollResponse(t, polling.poll, polling.ms, event);
  } else if (pending?.number === event.number) {
    t.set({ pending: undefined });
    handleExpectedResponse(t, pending.request, event);
  }
}

function handleExpectedResponse(t: Transition, request: PageRequest, event: PageEvent): void {
  switch (event.is) {
    case "sessionReceived":
      handleSession(t, request, event.session);
      return;
    case "turnReceived":
      // A wallet may return in a new tab, which has no order for the issuer's session.
      if (request.ask === "return" && isOrphanedIssuerSession(t.state, event.turn.session)) {
        applySession(t, event.turn.session);
      } else {
        applyTurn(t, event.turn);
      }
      return;
    case "loaded":
      if (request.ask === "loadKeys") {
        enterScreen(t, { on: "keys", base: request.base });
      } else if (t.state.attempt) {
        enterStep(t, t.state.attempt);
      }
      return;
    case "issuerSessionCreated":
      if (request.ask === "issue") {
        beginIssuerSession(t, request.base, request.order, event.began);
      }
      return;
    case "signed":
      if (request.ask === "sign") {
        deliverAnswer(t, request.order, event.response);
      }
      return;
    case "failed":
      handleFailure(t, request, event.failure);
      return;
    default:
      return;
  }
}

function handleSession(t: Transition, request: PageRequest, session: Session): void {
  switch (request.ask) {
    case "open": {
      const method = methodForPath(session, request.path);
      applySession(t, session);
      const begun = method ?? silentMethod(session, t.state.environment);
      if (begun && t.state.screen.on === "start") {
        chooseMethod(t, session, begun);
      }
      return;
    }
    case "recovery": {
      // Only after a refusal: time that is up here may not be up yet for the server.
      const { recovering: again } = t.state;
      t.set({ recovering: false });
      applySession(t, session);
      if (t.state.screen.on === "start") {
        t.set({ screen: { on: "start", again } });
      }
      return;
    }
    case "departure":
      // Frames open no tabs for an issuer's session: somebody else made this address to have another person prove their
      // age.
      if (session.issuerThreshold === undefined) {
        t.do({ do: "goToProvider", returnState: request.returnState, url: request.url });
      } else {
        applySession(t, session);
      }
      return;
    case "consent": {
      const { given, method, turn } = request;
      // Where somebody is blocked they can only refuse. Only a session that is read says whether they are.
      const locationBlocked = !given && t.state.session?.locationBlocked === true;
      const still = given ? availableMethods(session).find((one) => one.method === method?.method) : undefined;
      if (turn) {
        applyTurn(t, { ...turn, session });
      } else {
        applySession(t, { ...session, locationBlocked });
        if (still && isOpen(session)) {
          beginMethod(t, still);
        }
      }
      return;
    }
    default:
      applySession(t, session);
  }
}

function handleFailure(t: Transition, request: PageRequest, failure: Failure): void {
  if (failure.kind === "interrupted") {
    showInterrupted(t, failure.why, request);
  } else if (request.ask === "sign") {
    // A refusal to sign is final.
    deliverAnswer(t, request.order, NO_SIGNATURE);
  } else if (request.ask === "issue") {
    refuseOrder(t, request.order);
  } else if (request.ask === "consent" && failure.status === 410) {
    // Time is over, or a check that outlasted the session has ended: what came of it is shown for a while.
    readAgain(t);
  } else {
    handleRefusal(t, failure);
  }
}
