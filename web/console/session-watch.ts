// Whose session the browser has may change in any of its tabs: a sign-in there replaces the one cookie. So a tab looks whose it is
// when somebody comes back to it, and when another one says that somebody is signed in. What would change something waits for
// what the look finds: the server takes it for whoever has the cookie.

import { admitChanges, SessionOverError, UnreachableError } from "./api/client";
import { isOver, missingFactor, personOf, resumeSession, type Session } from "./api/session";

let channel: BroadcastChannel | undefined;

/** One object for both ways: what is said by it is heard by all others, and not here. */
function signIns(): BroadcastChannel {
  channel ??= new BroadcastChannel("assay-console-sign-ins");
  return channel;
}

/** Tells the other tabs who is signed in. */
export function announceSignIn(session: Session): void {
  signIns().postMessage(personOf(session));
}

/**
 * Looks whose session the browser has, one time at a time and while the page is seen, until what it answers is called. `known` is
 * whose this tab has. Where nobody answers, nothing is known to have changed; but nothing is changed either before somebody does.
 */
export function watchSession(known: Session | undefined, onLooked: (now: Session | undefined) => void): () => void {
  let isWanted = true;
  let underWay: Promise<void> | undefined;
  /** Whether what is answered may be older than the news. */
  let isOutdated = false;
  /** Whether the session may be another than when it was last looked at. */
  let isInDoubt = false;
  let isKnownOver = false;
  const ask = async () => {
    do {
      isOutdated = false;
      const answer = await resumeSession().then(
        (now) => ({ now }),
        () => undefined,
      );
      if (answer) {
        isInDoubt = isOutdated;
        isKnownOver = known !== undefined && isOver(known, answer.now);
        if (isWanted) {
          onLooked(answer.now);
        }
      }
    } while (isOutdated && isWanted);
    underWay = undefined;
  };
  const look = (): Promise<void> => {
    isInDoubt = true;
    underWay ??= ask();
    return underWay;
  };
  const admit = async () => {
    if (isInDoubt) {
      await look();
    }
    if (isKnownOver) {
      throw new SessionOverError();
    }
    if (isInDoubt) {
      throw new UnreachableError();
    }
  };
  const isSeen = () => document.visibilityState === "visible";
  const comeBack = () => {
    if (isSeen()) {
      void look();
    }
  };
  const hear = ({ data }: MessageEvent<unknown>) => {
    // Each page that is opened says it: whose session is this tab's already, and lacks nothing, has no news for it.
    const isNews = !known || missingFactor(known) !== undefined || data !== personOf(known);
    if (isNews && underWay) {
      isOutdated = true;
    } else if (isNews && isSeen()) {
      void look();
    } else if (isNews) {
      // The next call that changes something looks.
      isInDoubt = true;
    }
  };
  const stopAdmitting = known ? admitChanges(() => (isInDoubt || isKnownOver ? admit() : undefined)) : undefined;
  // Before whatever else the page does when somebody comes back.
  window.addEventListener("visibilitychange", comeBack, { capture: true });
  window.addEventListener("focus", comeBack);
  signIns().addEventListener("message", hear);
  return () => {
    isWanted = false;
    stopAdmitting?.();
    window.removeEventListener("visibilitychange", comeBack, { capture: true });
    window.removeEventListener("focus", comeBack);
    signIns().removeEventListener("message", hear);
  };
}
