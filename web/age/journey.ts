// Where somebody is in a session: what the server's view of it means for the screen.

import { type Method, open, type Session, usable } from "./session";

/** Ways for a page to be over without a result. */
export type Over = "cancelled" | "notFound" | "expired" | "blocked" | "incomplete" | "unsupported";

/** What a tab does not know: where somebody came from, or what a proof is for; or it is another tab's to go on. */
export type Lost = "way" | "order" | "turn";

export type Where =
  | { on: "loading" }
  | { on: "start" }
  | { on: "none" }
  | { on: "consent"; method: Method }
  | { on: "following" }
  | { on: "begin"; method: Method }
  | { on: "step" }
  | { on: "interrupted"; why: "network" | "serviceDown"; resume: () => void }
  | { on: "processing" }
  | { on: "done" }
  | { on: "failed" }
  | { on: "over"; why: Over }
  | { on: "errand" }
  | { on: "keys" }
  | { on: "lost"; what: Lost };

/** What a session's view leads to. */
export function whereFrom(session: Session): Where {
  switch (session.status) {
    case "COMPLETE":
      return { on: "done" };
    case "CANCELLED":
      return { on: "over", why: "cancelled" };
    case "PROCESSING":
      return { on: "processing" };
    default:
      break;
  }
  if (session.locationBlocked) {
    return { on: "over", why: "blocked" };
  }
  if (!open(session)) {
    return { on: "failed" };
  }
  return { on: usable(session).length > 0 ? "start" : "none" };
}

/** The method of the address `/age/<method>`, where it may be begun without asking: nothing was tried before. */
export function direct(session: Session, path: string | undefined): Method | undefined {
  const method = usable(session).find((one) => one.path === path);
  return method && session.status === "PENDING" && method.attempts === 0 ? method : undefined;
}

/** What comes when a method is chosen: its beginning, or the question that has to be answered before. */
export function chosen(session: Session, method: Method): Where {
  const { required, given } = session.consent;
  return { on: method.biometric && required && given !== true ? "consent" : "begin", method };
}

/** Methods in the order in which they are offered: what was not tried yet before what failed. A phone that took over is
 * offered what phones may do. */
export function offered(session: Session, handedOff = false): { fresh: Method[]; again: Method[] } {
  const all = usable(session).filter(({ handOff }) => handOff || !handedOff);
  return { fresh: all.filter(({ state }) => state === "OPEN"), again: all.filter(({ state }) => state === "FAILED") };
}

/** Whether there is something that can be stopped. */
export function stoppable({ on }: Where): boolean {
  return !["loading", "done", "failed", "over", "processing", "errand", "keys", "lost"].includes(on);
}
