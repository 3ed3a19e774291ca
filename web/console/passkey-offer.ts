// Passkeys that the browser offers where somebody fills in their address (WebAuthn's conditional mediation), as long as the field
// is there. A challenge is good for ten minutes, so a new one is asked for before.

import { useEffect, useRef } from "react";
import { conditionalPasskeysSupported, getPasskey } from "../shared/passkeys";
import { beginPasskeySignIn, type PasskeyAnswer, passkeyAnswer } from "./api/sign-in";

const RENEW_AFTER_MS = 8 * 60_000;

/** Offers passkeys while it is enabled. `onAnswer` gets what the browser answers; that nobody chose one is no error. */
export function usePasskeyOffer(isEnabled: boolean, onAnswer: (answer: PasskeyAnswer) => void): void {
  const latest = useRef(onAnswer);
  latest.current = onAnswer;
  useEffect(() => {
    if (!isEnabled) {
      return;
    }
    const over = new AbortController();
    void offer(over.signal, (answer) => latest.current(answer));
    return () => over.abort();
  }, [isEnabled]);
}

async function offer(over: AbortSignal, onAnswer: (answer: PasskeyAnswer) => void): Promise<void> {
  if (!(await conditionalPasskeysSupported())) {
    return;
  }
  while (!over.aborted) {
    const round = new AbortController();
    const end = () => round.abort();
    over.addEventListener("abort", end);
    const timer = setTimeout(end, RENEW_AFTER_MS);
    try {
      const { challenge, options } = await beginPasskeySignIn();
      const credential = await getPasskey(options, { mediation: "conditional", signal: round.signal });
      if (!over.aborted) {
        onAnswer(passkeyAnswer(challenge, credential));
      }
      return;
    } catch {
      if (!round.signal.aborted) {
        // The server or the browser has no passkeys to offer: whoever has one presses the button.
        return;
      }
    } finally {
      clearTimeout(timer);
      over.removeEventListener("abort", end);
    }
  }
}
