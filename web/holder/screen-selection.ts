// Which screen is shown: one decision from what is known, so that no two states can be on at once.

import type { RemainingCredentials } from "./credential-store";

/** How the last attempt to fetch credentials went. */
export type SupplyStatus = "idle" | "asking" | "offline" | "busy" | "broken";

/** Everything the decision needs. */
export interface ScreenInput {
  /** Whether the browser failed at something that it should be able to do. */
  failed: boolean;
  /** Whether everything was removed just now. */
  removed: boolean;
  /** Whether the clock can be believed. */
  clockBelievable: boolean;
  /** Milliseconds by which the machine's clock was found wrong. */
  clockOffset: number;
  /** Whether there is an invitation at all. */
  invited: boolean;
  /** Whether it gives nothing more. */
  spent: boolean;
  /** Whether a newer invitation was refused while the older one goes on. */
  refusedAnother: boolean;
  supply: SupplyStatus;
  /** Whether the browser says that there is a network. */
  online: boolean;
  /** Whether a code is on show that can still be scanned. */
  showing: boolean;
  remaining: RemainingCredentials;
}

/** A screen with a message instead of a code. */
export type MessageKind =
  | "loading"
  | "unfit"
  | "removed"
  | "clock"
  | "uninvited"
  | "spent"
  | "stranded"
  | "busy"
  | "broken";

/** A line below the code. */
export type Remark = "refused-another" | "last" | "server-busy" | "server-broken" | "clock-corrected";

export type Screen = { kind: "code"; offline: boolean; remarks: Remark[] } | { kind: MessageKind };

/** Off by more than this, the clock is worth a word to its owner. */
const NOTABLE_OFFSET_MS = 60_000;

export function selectScreen(facts: ScreenInput): Screen {
  if (facts.removed) {
    return { kind: "removed" };
  }
  if (facts.failed) {
    return { kind: "broken" };
  }
  if (!facts.clockBelievable) {
    return { kind: "clock" };
  }
  if (facts.showing || facts.remaining.count > 0) {
    const offline = !facts.online || facts.supply === "offline";
    return { kind: "code", offline, remarks: selectRemarks(facts, offline) };
  }
  if (!facts.invited) {
    return { kind: "uninvited" };
  }
  if (facts.spent) {
    return { kind: "spent" };
  }
  switch (facts.supply) {
    case "idle":
    case "asking":
      return { kind: "loading" };
    case "offline":
      return { kind: "stranded" };
    default:
      return { kind: facts.supply };
  }
}

function selectRemarks(facts: ScreenInput, offline: boolean): Remark[] {
  const all: [Remark, boolean][] = [
    ["refused-another", facts.refusedAnother],
    ["last", facts.spent],
    ["server-busy", facts.supply === "busy" && !offline],
    ["server-broken", facts.supply === "broken" && !offline],
    ["clock-corrected", Math.abs(facts.clockOffset) > NOTABLE_OFFSET_MS],
  ];
  return all.filter(([, holds]) => holds).map(([remark]) => remark);
}

/** Whether it is time to fetch: few are left, or they end soon. Moments in seconds. */
export function isRunningLow(left: RemainingCredentials, now: number): boolean {
  const [few, soon] = [20, 10 * 60];
  return left.count < few || left.until - now < soon;
}
