// Polling while another device, another tab or a provider is at work.

import { availableMethods, type Session, type Step, type Turn } from "../session";
import type { PageEvent } from "./events";
import { applySession, applyTurn, handleRefusal, updateSession } from "./session-updates";
import { type Attempt, type Poll, screenOf } from "./state";
import { FOLLOW_INTERVAL_MS, MIN_POLL_INTERVAL_MS } from "./timing";
import { schedulePoll, type Transition } from "./transition";

export function handleTimer(t: Transition, number: number): void {
  const { polling, pending } = t.state;
  if (!polling || polling.inFlight || polling.number !== number) {
    return;
  }
  if (pending) {
    schedulePoll(t, polling.poll, Math.max(polling.ms, MIN_POLL_INTERVAL_MS));
    return;
  }
  const asked = t.nextNumber();
  t.set({ polling: { ...polling, number: asked, inFlight: true } });
  t.do({ do: "request", number: asked, request: polling.poll });
}

export function handlePollResponse(t: Transition, poll: Poll, ms: number, event: PageEvent): void {
  t.set({ polling: undefined });
  if (event.is === "failed") {
    if (event.failure.kind === "refused") {
      handleRefusal(t, event.failure);
    } else {
      // Do not show a short network failure to a person who only waits; poll again.
      schedulePoll(t, poll, Math.max(ms, FOLLOW_INTERVAL_MS));
    }
  } else if (event.is === "turnReceived" && poll.ask === "poll") {
    handlePolledTurn(t, poll.attempt, event.turn, ms);
  } else if (event.is === "sessionReceived" && poll.ask === "follow") {
    handleFollowedSession(t, event.session);
  } else if (event.is === "sessionReceived" && poll.ask === "watch") {
    if (fingerprint(event.session) === fingerprint(poll.seen)) {
      schedulePoll(t, poll, ms);
    } else {
      applySession(t, event.session);
    }
  }
}

function handlePolledTurn(t: Transition, before: Attempt, turn: Turn, ms: number): void {
  const { session, attempt: id, continuation, step, problem } = turn;
  if (id && continuation !== undefined && step && isSameStep(before.step, step) && !problem) {
    const attempt = { id, continuation, step, problem };
    t.set({ attempt });
    updateSession(t, session);
    schedulePoll(t, { ask: "poll", attempt }, Math.max(ms, MIN_POLL_INTERVAL_MS));
  } else {
    t.set({ view: undefined });
    applyTurn(t, turn);
  }
}

/** Whether it is still the same step. A wallet step with a new address is a new request; other steps continue, even if
 * their address has changed. */
function isSameStep(before: Step, step: Step): boolean {
  return step.kind === "wallet" && before.kind === "wallet" ? step.url === before.url : step.kind === before.kind;
}

function handleFollowedSession(t: Transition, session: Session): void {
  const { on } = t.state.screen;
  if (on === "following") {
    t.set({ finishedElsewhere: true });
  }
  const next = screenOf(session);
  // What is left may be for this device alone.
  const goesOnThere = next === "none" || (next === "start" && availableMethods(session).some(({ handOff }) => handOff));
  if (next === on || (on === "following" && goesOnThere)) {
    updateSession(t, session);
    schedulePoll(t, { ask: "follow" }, FOLLOW_INTERVAL_MS);
  } else {
    applySession(t, session);
  }
}

/** The parts of a session that change when another tab continues it. */
function fingerprint({ status, triedMethod: tried, methods }: Session): string {
  return JSON.stringify([status, tried, methods]);
}
