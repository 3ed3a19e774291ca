// How sessions, their steps and their outcomes are called.

import type { VerificationSession } from "../api/verification-sessions";
import { lookup, type Texts, useTexts } from "../texts";
import { Badge, type Tone } from "./screen";

const TONES: Readonly<Record<string, Tone>> = {
  PASSED: "good",
  FAILED: "bad",
  UNDECIDED: "warn",
  LEFT: "plain",
  DELIVERED: "good",
  WAITING: "warn",
  RUNNING: "warn",
};

/** An outcome of a session or a step, or the state of a message; a word that the console does not know is shown as it is. */
export function OutcomeWord({ outcome }: { outcome: string }) {
  const { sessions: words } = useTexts();
  return <Badge tone={TONES[outcome] ?? "plain"}>{lookup(words.outcomes, outcome) ?? outcome}</Badge>;
}

/** How far a session is: its outcome, or its state while it has none. */
export function SessionBadge({ session }: { session: VerificationSession }) {
  const { sessions: words } = useTexts();
  return session.outcome ? (
    <OutcomeWord outcome={session.outcome} />
  ) : (
    <Badge tone="plain">{lookup(words.states, session.state) ?? session.state}</Badge>
  );
}

/** A code of an interface in words that can be read: `AGE_ESTIMATION`, `doc.scan`. */
export function codeWords(code: string): string {
  const words = code.replaceAll(/[_.]/g, " ").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function kindWords({ sessions }: Texts, kind: VerificationSession["kind"]): string {
  return sessions.kinds[kind];
}
