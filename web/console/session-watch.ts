// Whose session the browser has may change in any of its tabs: a sign-in there replaces the one cookie. So a tab looks whose it is
// when somebody comes back to it, and when another one says that somebody is signed in.

import { missingFactor, personOf, resumeSession, type Session } from "./api/session";

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
 * whose this tab has. Where nobody answers, nothing is known to have changed.
 */
export function watchSession(known: Session | undefined, onLooked: (now: Session | undefined) => void): () => void {
  let isWanted = true;
  let isUnderWay = false;
  let isOutdated = false;
  const look = async () => {
    isUnderWay = true;
    do {
      isOutdated = false;
      await resumeSession().then(
        (now) => isWanted && onLooked(now),
        () => undefined,
      );
    } while (isOutdated && isWanted);
    isUnderWay = false;
  };
  const isSeen = () => document.visibilityState === "visible";
  const comeBack = () => {
    if (isSeen() && !isUnderWay) {
      void look();
    }
  };
  const hear = ({ data }: MessageEvent<unknown>) => {
    // Each page that is opened says it: whose session is this tab's already, and lacks nothing, has no news for it.
    const isNews = !known || missingFactor(known) !== undefined || data !== personOf(known);
    if (!isNews || !isSeen()) {
      return;
    }
    if (isUnderWay) {
      // What is answered may be older than the news.
      isOutdated = true;
    } else {
      void look();
    }
  };
  document.addEventListener("visibilitychange", comeBack);
  window.addEventListener("focus", comeBack);
  signIns().addEventListener("message", hear);
  return () => {
    isWanted = false;
    document.removeEventListener("visibilitychange", comeBack);
    window.removeEventListener("focus", comeBack);
    signIns().removeEventListener("message", hear);
  };
}
