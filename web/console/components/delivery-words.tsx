// How deliveries and their attempts are called.

import type { DeliveryAttempt, DeliveryState } from "../api/deliveries";
import { useFormat, useTexts } from "../texts";
import { Badge, type Tone } from "./screen";

const TONES: Readonly<Record<DeliveryState, Tone>> = {
  FAILED: "bad",
  WAITING: "warn",
  RUNNING: "warn",
  DELIVERED: "good",
};

export function DeliveryBadge({ state }: { state: DeliveryState }) {
  const { deliveries: words } = useTexts();
  return <Badge tone={TONES[state]}>{words.states[state]}</Badge>;
}

/** What a receiver answered; that it did not answer, where it did not. */
export function AnswerBadge({ attempt: { status, error } }: { attempt: DeliveryAttempt }) {
  const { deliveries: words } = useTexts();
  return <Badge tone={error ? "bad" : "good"}>{status ? `${status}` : words.noAnswer}</Badge>;
}

/** What a receiver answered, and why that is not enough. */
export function AttemptAnswer({ attempt }: { attempt: DeliveryAttempt }) {
  return (
    <span>
      <AnswerBadge attempt={attempt} />
      {attempt.error && ` ${attempt.error}`}
    </span>
  );
}

/** That a receiver may show any certificate. */
export function UnverifiedBadge() {
  const { deliveries: words } = useTexts();
  return <Badge tone="warn">{words.unverified}</Badge>;
}

/** How long an attempt took. */
export function useMilliseconds(): (milliseconds: number) => string {
  const format = useFormat();
  const unit = new Intl.NumberFormat(format.language, { style: "unit", unit: "millisecond", unitDisplay: "short" });
  return (milliseconds) => unit.format(milliseconds);
}
