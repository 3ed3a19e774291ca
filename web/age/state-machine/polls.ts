// What is asked from time to time, while others are at work.

import type { Session, Step, Turn } from "../session";
import type { Event } from "./events";
import { know, refused, take, takeTurn } from "./outcomes";
import { type Attempt, type Poll, screenOf } from "./state";
import { FAST_MS, FOLLOW_MS } from "./timing";
import { schedule, type Transition } from "./transition";

export function waited(t: Transition, number: number): void {
  const { polling, pending } = t.state;
  if (!polling || polling.asking || polling.number !== number) {
    return;
  }
  if (pending) {
    schedule(t, polling.poll, Math.max(polling.ms, FAST_MS));
    return;
  }
  const asked = t.nextNumber();
  t.set({ polling: { ...polling, number: asked, asking: true } });
  t.do({ do: "request", number: asked, request: polling.poll });
}

export function hearPoll(t: Transition, poll: Poll, ms: number, event: Event): void {
  t.set({ polling: undefined });
  if (event.is === "failed") {
    if (event.failure.kind === "refused") {
      refused(t, event.failure);
    } else {
      // Somebody who only waits is not told of a network that was away for a moment: it is asked again.
      schedule(t, poll, Math.max(ms, FOLLOW_MS));
    }
  } else if (event.is === "turnTaken" && poll.ask === "poll") {
    hearStep(t, poll.attempt, event.turn, ms);
  } else if (event.is === "sessionRead" && poll.ask === "follow") {
    hearFollowed(t, event.session);
  } else if (event.is === "sessionRead" && poll.ask === "watch") {
    if (markOf(event.session) === markOf(poll.seen)) {
      schedule(t, poll, ms);
    } else {
      take(t, event.session);
    }
  }
}

function hearStep(t: Transition, before: Attempt, turn: Turn, ms: number): void {
  const { session, attempt: id, continuation, step, problem } = turn;
  if (id && continuation !== undefined && step && goesOn(before.step, step) && !problem) {
    const attempt = { id, continuation, step, problem };
    t.set({ attempt });
    know(t, session);
    schedule(t, { ask: "poll", attempt }, Math.max(ms, FAST_MS));
  } else {
    t.set({ view: undefined });
    takeTurn(t, turn);
  }
}

/** Whether a step is still the one that was there. A wallet may be called anew; what else there is goes on where it is,
 * whatever its address looks like by now. */
function goesOn(before: Step, step: Step): boolean {
  return step.kind === "wallet" && before.kind === "wallet" ? step.url === before.url : step.kind === before.kind;
}

function hearFollowed(t: Transition, session: Session): void {
  const { on } = t.state.screen;
  if (on === "following") {
    t.set({ followed: true });
  }
  const next = screenOf(session);
  if (next === on || (on === "following" && (next === "start" || next === "none"))) {
    know(t, session);
    schedule(t, { ask: "follow" }, FOLLOW_MS);
  } else {
    take(t, session);
  }
}

/** What of a session changes where another tab is at it. */
function markOf({ status, tried, methods }: Session): string {
  return JSON.stringify([status, tried, methods]);
}
