// An age verification session: the response types of the OpenAPI document, and the page's own model, read from them.

import type { AgePaths, PathsBelow, RequestBodyOf, ResponseOf } from "../shared/schema";

/** The operations of a session, by their paths below it. */
export type Operations = PathsBelow<AgePaths, "/age/v1/sessions/{sessionId}">;

export type PageSession = ResponseOf<Operations[""]["get"]>;
export type PageMethod = PageSession["methods"][number];
export type TurnAnswer = ResponseOf<Operations["/attempts/{attemptId}"]["post"]>;
type TurnRequest = RequestBodyOf<Operations["/attempts/{attemptId}"]["post"]>;

export type SessionStatus = PageSession["status"];

/** For example AGE_ESTIMATION. */
export type MethodName = PageMethod["method"];

/** Why an attempt did not pass. */
export type FailureReason = NonNullable<NonNullable<PageSession["result"]>["reason"]>;

/** What the person does next. */
export type Step = NonNullable<TurnAnswer["step"]>;
export type StepKind = Step["kind"];
export type StepsByKind = { [One in Step as One["kind"]]: One };

/** Why an input was not accepted. */
export type StepProblem = NonNullable<TurnAnswer["problem"]>;

/** The input of a step. */
export type TurnInput = Omit<TurnRequest, "continuation">;

/** A method of proving an age, as the session offers it. */
export interface Method {
  method: MethodName;
  /** Its name in `/age/<method>`. */
  path: string;
  /** Years. */
  threshold: number;
  /** Whether a face is processed. */
  biometric: boolean;
  state: PageMethod["state"];
  /** Whether an attempt may begin now. */
  available: boolean;
  attempts: number;
  remaining: number;
  /** Whether a phone may take over. */
  handOff: boolean;
  /** Whether the page tries it by itself at the start, instead of offering it. */
  silent: boolean;
  /** Whether only the business's app can use it, and not this page. */
  inApp: boolean;
  /** The country whose documents the business expects, three letters. */
  country: string | undefined;
}

export interface Session {
  id: string;
  status: SessionStatus;
  type: PageSession["type"];
  secondsLeft: number;
  business: string;
  sandbox: boolean;
  consent: PageSession["consent"];
  /** In the order in which they are offered. */
  methods: Method[];
  /** The method of the last attempt that ended, and the code of why it failed. */
  triedMethod: MethodName | undefined;
  reason: string | undefined;
  /** Whether further attempts are allowed after a failure. */
  retry: boolean;
  callback: PageSession["callback"];
  cancelUrl: string | undefined;
  privacyPolicy: string | undefined;
  terms: string | undefined;
  /** The origin of the embedding page that status changes are posted to. */
  targetOrigin: string | undefined;
  locationBlocked: boolean;
  /** How many days the result is kept. */
  keptDays: number;
  offers: PageSession["offers"];
  /** Only in an issuer's session: the age that the token is for. */
  issuerThreshold: number | undefined;
}

/** The response to an input. */
export interface Turn {
  session: Session;
  attempt: string | undefined;
  continuation: string | undefined;
  /** `undefined` once the attempt has ended; the session says how. */
  step: Step | undefined;
  problem: StepProblem | undefined;
}

/** Throws if it is not a session. */
export function readSession(answer: PageSession | undefined): Session {
  if (!answer?.id) {
    throw new TypeError("an answer that is no session");
  }
  const { id, status, type, business, sandbox, consent, retry, callback, offers } = answer;
  return {
    id,
    status,
    type,
    secondsLeft: answer.seconds_left,
    business,
    sandbox,
    consent,
    methods: answer.methods.map(readMethod),
    triedMethod: answer.result?.method,
    reason: answer.result?.reason ?? undefined,
    retry,
    callback,
    cancelUrl: answer.cancel_url ?? undefined,
    privacyPolicy: answer.privacy_policy ?? undefined,
    terms: answer.terms_and_conditions ?? undefined,
    targetOrigin: answer.target_origin_url ?? undefined,
    locationBlocked: answer.location_blocked ?? false,
    keptDays: answer.keeps.days,
    offers,
    issuerThreshold: answer.issues ?? undefined,
  };
}

function readMethod(one: PageMethod): Method {
  const { method, path, threshold, biometric, state, available, attempts } = one;
  return {
    method,
    path,
    threshold,
    biometric,
    state,
    available,
    attempts,
    remaining: one.attempts_remaining,
    handOff: one.hand_off,
    silent: one.silent,
    inApp: one.in_app,
    country: one.preset_issuing_country ?? undefined,
  };
}

export function readTurn(answer: TurnAnswer | undefined): Turn {
  return {
    session: readSession(answer?.session),
    attempt: answer?.attempt ?? undefined,
    continuation: answer?.continuation ?? undefined,
    step: answer?.step ?? undefined,
    problem: answer?.problem ?? undefined,
  };
}

/** Methods that can be begun now. */
export function availableMethods({ methods }: Session): Method[] {
  return methods.filter(
    ({ state, remaining, available }) => available && (state === "OPEN" || (state === "FAILED" && remaining > 0)),
  );
}

/** Whether there is a method that the business's app can still use. */
export function isLeftToApp({ methods }: Session): boolean {
  return methods.some(({ inApp, state }) => inApp && (state === "OPEN" || state === "FAILED"));
}

/** Whether the session still accepts attempts. */
export function isOpen({ status, retry }: Session): boolean {
  return status === "PENDING" || status === "IN_PROGRESS" || ((status === "FAIL" || status === "ERROR") && retry);
}

/** The age that the session asks about: methods may have stricter thresholds of their own. */
export function sessionThreshold({ type, methods }: Session): number | undefined {
  if (type === "AGE" || methods.length === 0) {
    return undefined;
  }
  const all = methods.map((one) => one.threshold);
  return type === "UNDER" ? Math.max(...all) : Math.min(...all);
}
