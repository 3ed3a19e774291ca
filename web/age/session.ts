// What the server says of an age session: its types are those of the interface's document, and the session is put into the
// words of this page.

import type { AgePaths, AnswerOf, Below, BodyOf } from "../shared/schema";

/** The operations of a session, by what follows it in their addresses. */
export type Operations = Below<AgePaths, "/age/v1/sessions/{sessionId}">;

export type PageSession = AnswerOf<Operations[""]["get"]>;
export type PageMethod = PageSession["methods"][number];
export type TurnAnswer = AnswerOf<Operations["/attempts/{attemptId}"]["post"]>;
type TurnRequest = BodyOf<Operations["/attempts/{attemptId}"]["post"]>;

/** Where a session is. */
export type Status = PageSession["status"];

/** What a method is called, for example AGE_ESTIMATION. */
export type MethodName = PageMethod["method"];

/** What a person is to do next. */
export type Step = NonNullable<TurnAnswer["step"]>;
export type StepKind = Step["kind"];
/** Steps by their kinds. */
export type Steps = { [One in Step as One["kind"]]: One };

/** Why an input could not be used. */
export type Problem = NonNullable<TurnAnswer["problem"]>;

/** What a step is answered with. */
export type TurnInput = Omit<TurnRequest, "continuation">;

/** A way to prove an age, as the session offers it. */
export interface Method {
  method: MethodName;
  /** What stands for it in an address. */
  path: string;
  /** Years. */
  threshold: number;
  /** Whether somebody's face is measured. */
  biometric: boolean;
  state: PageMethod["state"];
  /** Whether it may be begun now. */
  available: boolean;
  attempts: number;
  remaining: number;
  /** Whether a phone may take over. */
  handOff: boolean;
  /** The country whose documents the business expects, three letters. */
  country: string | undefined;
}

export interface Session {
  id: string;
  status: Status;
  type: PageSession["type"];
  secondsLeft: number;
  business: string;
  sandbox: boolean;
  consent: PageSession["consent"];
  /** In the order in which they are to be offered. */
  methods: Method[];
  /** The method of the last attempt that ended, and in one word why it did not succeed. */
  tried: MethodName | undefined;
  reason: string | undefined;
  /** Whether it may be tried again after it failed. */
  retry: boolean;
  callback: PageSession["callback"];
  cancelUrl: string | undefined;
  privacyPolicy: string | undefined;
  terms: string | undefined;
  /** Which page is told how it goes when it embeds this one. */
  targetOrigin: string | undefined;
  locationBlocked: boolean;
  /** For how many days the result is kept. */
  days: number;
  offers: PageSession["offers"];
  /** Of a session of an issuer of blind tokens: the age that the token is for. */
  issues: number | undefined;
}

/** What an attempt's turn answers. */
export interface Turn {
  session: Session;
  attempt: string | undefined;
  continuation: string | undefined;
  /** None where the attempt has ended; the session says how. */
  step: Step | undefined;
  problem: Problem | undefined;
}

/** Throws where it is no session at all. */
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
    tried: answer.result?.method,
    reason: answer.result?.reason ?? undefined,
    retry,
    callback,
    cancelUrl: answer.cancel_url ?? undefined,
    privacyPolicy: answer.privacy_policy ?? undefined,
    terms: answer.terms_and_conditions ?? undefined,
    targetOrigin: answer.target_origin_url ?? undefined,
    locationBlocked: answer.location_blocked ?? false,
    days: answer.keeps.days,
    offers,
    issues: answer.issues ?? undefined,
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

/** Methods that somebody may begin now. */
export function usable({ methods }: Session): Method[] {
  return methods.filter(
    ({ state, remaining, available }) => available && (state === "OPEN" || (state === "FAILED" && remaining > 0)),
  );
}

/** Whether the session goes on: nothing of it has been decided, or it may be tried again. */
export function open({ status, retry }: Session): boolean {
  return status === "PENDING" || status === "IN_PROGRESS" || ((status === "FAIL" || status === "ERROR") && retry);
}

/** The age that is asked about: of several methods' thresholds, what has to be shown in the end. */
export function threshold({ type, methods }: Session): number | undefined {
  if (type === "AGE" || methods.length === 0) {
    return undefined;
  }
  const all = methods.map((one) => one.threshold);
  return type === "UNDER" ? Math.max(...all) : Math.min(...all);
}
