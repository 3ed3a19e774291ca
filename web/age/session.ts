// What the server says of an age session, read with care: a member that is missing or strange does not break the page.

/** Where a session is. */
export type Status = "PENDING" | "IN_PROGRESS" | "PROCESSING" | "COMPLETE" | "FAIL" | "ERROR" | "CANCELLED";
export const STATUSES: readonly Status[] = [
  "PENDING",
  "IN_PROGRESS",
  "PROCESSING",
  "COMPLETE",
  "FAIL",
  "ERROR",
  "CANCELLED",
];

/** A way to prove an age, as the session offers it. */
export interface Method {
  /** In the interface's words, for example AGE_ESTIMATION. */
  method: string;
  /** What stands for it in an address. */
  path: string;
  /** Years. */
  threshold: number | undefined;
  /** Whether somebody's face is measured. */
  biometric: boolean;
  state: "OPEN" | "FAILED" | "EXHAUSTED" | "DECLINED";
  /** Whether it may be begun now, as far as the server says so. */
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
  type: "OVER" | "UNDER" | "AGE";
  secondsLeft: number;
  business: string;
  sandbox: boolean;
  consent: { required: boolean; given: boolean | undefined };
  /** In the order in which they are to be offered. */
  methods: Method[];
  /** The method of the last attempt that ended, and in one word why it did not succeed. */
  tried: string | undefined;
  reason: string | undefined;
  /** Whether it may be tried again after it failed. */
  retry: boolean;
  callback: { url: string; auto: boolean } | undefined;
  cancelUrl: string | undefined;
  privacyPolicy: string | undefined;
  terms: string | undefined;
  /** Which page is told how it goes when it embeds this one. */
  targetOrigin: string | undefined;
  locationBlocked: boolean;
  /** For how many days the result is kept. */
  days: number | undefined;
  offers: { key: boolean; proof: boolean };
  /** Of a session of an issuer of blind tokens: the age that the token is for. */
  issues: number | undefined;
}

/** What a person is to do next. What a kind has beside its name is read by what shows it. */
export interface Step {
  kind: string;
  [member: string]: unknown;
}

/** Why an input could not be used. */
export interface Problem {
  code: string;
  field: string | undefined;
  remaining: number | undefined;
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

type Json = Record<string, unknown>;

/** Throws where it is no session at all. */
export function readSession(answer: unknown): Session {
  const body = json(answer);
  const status = STATUSES.find((one) => one === body.status);
  const id = text(body.id);
  if (!status || !id) {
    throw new TypeError("an answer that is no session");
  }
  const [consent, callback, offers] = [json(body.consent), json(body.callback), json(body.offers)];
  const url = text(callback.url);
  return {
    id,
    status,
    type: body.type === "UNDER" || body.type === "AGE" ? body.type : "OVER",
    secondsLeft: number(body.seconds_left) ?? 0,
    business: text(body.business) ?? "",
    sandbox: body.sandbox === true,
    consent: {
      required: consent.required === true,
      given: typeof consent.given === "boolean" ? consent.given : undefined,
    },
    methods: list(body.methods).flatMap(readMethod),
    tried: text(json(body.result).method),
    reason: text(json(body.result).reason),
    retry: body.retry === true,
    callback: url ? { url, auto: callback.auto === true } : undefined,
    cancelUrl: text(body.cancel_url),
    privacyPolicy: text(body.privacy_policy),
    terms: text(body.terms_and_conditions),
    targetOrigin: text(body.target_origin_url),
    locationBlocked: body.location_blocked === true,
    days: number(json(body.keeps).days),
    offers: { key: offers.key === true, proof: offers.proof === true },
    issues: number(body.issues),
  };
}

function readMethod(entry: unknown): Method[] {
  const body = json(entry);
  const method = text(body.method);
  if (!method) {
    return [];
  }
  const states = ["OPEN", "FAILED", "EXHAUSTED", "DECLINED"] as const;
  return [
    {
      method,
      path: text(body.path) ?? method.toLowerCase(),
      threshold: number(body.threshold),
      biometric: body.biometric === true,
      state: states.find((one) => one === body.state) ?? "OPEN",
      available: body.available !== false,
      attempts: number(body.attempts) ?? 0,
      remaining: number(body.attempts_remaining) ?? 0,
      handOff: body.hand_off !== false,
      country: text(body.preset_issuing_country),
    },
  ];
}

export function readTurn(answer: unknown): Turn {
  const body = json(answer);
  const [step, problem] = [json(body.step), json(body.problem)];
  const kind = text(step.kind);
  const code = text(problem.code);
  return {
    session: readSession(body.session),
    attempt: text(body.attempt),
    continuation: text(body.continuation),
    step: kind ? { ...step, kind } : undefined,
    problem: code ? { code, field: text(problem.field), remaining: number(problem.remaining) } : undefined,
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
  const all = methods.flatMap((one) => (one.threshold === undefined ? [] : [one.threshold]));
  if (type === "AGE" || all.length === 0) {
    return undefined;
  }
  return type === "UNDER" ? Math.max(...all) : Math.min(...all);
}

export function json(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
