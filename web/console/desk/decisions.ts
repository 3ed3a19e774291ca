// Which keys decide a case, and which reasons go with a decision. Reasons are codes on the wire and words on the screen.

import type { Case, CaseDecision, CaseKind, ReasonCode } from "../api/cases";

/** The key of each decision; a match has a second one, which says what it means. */
export const DECISION_KEYS: Readonly<Record<CaseDecision, string>> = {
  CONFIRM: "a",
  FALSE_ALARM: "d",
  APPROVE: "a",
  CONSIDER: "c",
  REJECT: "d",
  UPHOLD: "a",
  OVERTURN: "d",
};
export const MATCH_KEYS: Readonly<Partial<Record<CaseDecision, string>>> = { CONFIRM: "s", FALSE_ALARM: "n" };

export const DECISION_TONES: Readonly<Record<CaseDecision, "good" | "bad" | "warn">> = {
  CONFIRM: "bad",
  FALSE_ALARM: "good",
  APPROVE: "good",
  CONSIDER: "warn",
  REJECT: "bad",
  UPHOLD: "bad",
  OVERTURN: "good",
};

const FINDING_REASONS = [
  "CLEAR",
  "LOOKALIKE",
  "POOR_PICTURE",
  "NOT_A_LIVE_PERSON",
  "CLEARLY_ADULT",
  "CLEARLY_MINOR",
] as const;
const DOCUMENT_REASONS = [
  "DATA_MISMATCH",
  "FACE_MISMATCH",
  "TAMPERED",
  "COPY_OR_SCREEN",
  "POOR_PICTURE",
  "EXPIRED",
  "UNCLEAR",
  "GENUINE",
] as const;
const APPEAL_REASONS = ["NEW_EVIDENCE", "SAME_RESULT"] as const;

/** Reasons that go with a decision where the queue has none of its own. */
export type UsualReason =
  | (typeof FINDING_REASONS)[number]
  | (typeof DOCUMENT_REASONS)[number]
  | (typeof APPEAL_REASONS)[number];

const REASONS: Readonly<Record<CaseKind, readonly UsualReason[]>> = {
  FINDING: FINDING_REASONS,
  DOCUMENT_CHECK: DOCUMENT_REASONS,
  AGE_APPEAL: APPEAL_REASONS,
};
/** What is no reason to reject a document. */
const NO_REJECTION: readonly UsualReason[] = ["UNCLEAR", "GENUINE"];

/** The reasons that a reviewer chooses from, by number: those of the queue, or else the usual ones in the reader's words.
 * `decision` is the one that waits for its reason. */
export function reasonsFor(
  { kind, reason_codes }: Pick<Case, "kind" | "reason_codes">,
  decision: CaseDecision | undefined,
  words: Readonly<Record<UsualReason, string>>,
): readonly ReasonCode[] {
  if (reason_codes.length > 0) {
    return reason_codes;
  }
  const usual = REASONS[kind].filter((one) => decision !== "REJECT" || !NO_REJECTION.includes(one));
  return usual.map((code) => ({ code, label: words[code] }));
}

/** The reason that goes without saying; a decision about a document needs one. */
const PLAIN_REASONS: Readonly<Partial<Record<CaseDecision, UsualReason>>> = { APPROVE: "GENUINE", CONSIDER: "UNCLEAR" };

/** What is sent as the reason of a decision, empty for none; `undefined` where the reviewer has to choose one first. */
export function reasonFor(decision: CaseDecision, chosen: string, comment: string): string | undefined {
  const reason = chosen || PLAIN_REASONS[decision] || "";
  return decision === "REJECT" && reason === "" && comment.trim() === "" ? undefined : reason;
}

/** The comment beside a reason that is chosen now: it begins with the reason's own, unless the reviewer has typed another one. `before`
 * is the reason that was chosen until now. */
export function commentFor(chosen: ReasonCode, before: ReasonCode | undefined, comment: string): string {
  const isTyped = comment.trim() !== "" && comment !== before?.comment;
  return isTyped ? comment : (chosen.comment ?? "");
}

/** Whether the case asks if a face is a certain person's. */
export function isMatch({ finding }: Case): boolean {
  return finding?.person !== undefined;
}
