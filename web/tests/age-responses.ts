// Answers of the interface for age sessions, whole, as its document has them.

import type { MethodName, PageMethod, PageSession, Step, StepProblem, TurnAnswer } from "../age/session";

export const CAPTURE = { path: "/ai/sm/v1/secure/1" };

/** A method that nobody has tried. */
export function method(name: MethodName, more: Partial<PageMethod> = {}): PageMethod {
  return {
    method: name,
    path: name.toLowerCase(),
    threshold: 18,
    level: "NONE",
    biometric: false,
    state: "OPEN",
    attempts: 0,
    attempts_remaining: 1,
    available: true,
    silent: false,
    in_app: false,
    preset_issuing_country: null,
    hand_off: true,
    ...more,
  };
}

/** A session that nobody has begun, with one method. */
export function session(id: string, more: Partial<PageSession> = {}): PageSession {
  const { seconds_left: seconds = 900 } = more;
  return {
    id,
    status: "PENDING",
    type: "OVER",
    expires_at: new Date(Date.now() + seconds * 1000).toISOString(),
    seconds_left: seconds,
    business: "Demo shop",
    sandbox: false,
    issues: null,
    consent: { required: false, given: null, may_give: false },
    methods: [method("EMAIL")],
    result: null,
    retry: false,
    callback: null,
    cancel_url: null,
    privacy_policy: null,
    terms_and_conditions: null,
    target_origin_url: null,
    keeps: { days: 30 },
    offers: { key: false, proof: false },
    ...more,
  };
}

/** An attempt that goes on at a step. */
export function openTurn(
  view: PageSession,
  attempt: string,
  continuation: string,
  step: Step,
  problem: StepProblem | null = null,
): TurnAnswer {
  return { session: view, attempt, continuation, step, problem };
}

/** An attempt that has ended. */
export function endedTurn(view: PageSession): TurnAnswer {
  return { session: view, attempt: null, continuation: null, step: null, problem: null };
}
