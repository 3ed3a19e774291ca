// Response configurations of the sandbox, as far as they are simple: one answer to every check of a kind.

type Config = Readonly<Record<string, unknown>>;

interface Rejection {
  reason: string;
  recovery_suggestion: string;
}

const ANOTHER_DOCUMENT: Rejection = { reason: "TAMPERED", recovery_suggestion: "USE_ANOTHER_DOCUMENT" };
const ANOTHER_READING: Rejection = { reason: "DATA_MISMATCH", recovery_suggestion: "USE_ANOTHER_DOCUMENT" };
const ANOTHER_PERSON: Rejection = { reason: "DIFFERENT_PERSON", recovery_suggestion: "USE_OWN_RECENT_DOCUMENT" };

/** The checks, with why each of them rejects: reasons that real checks have. */
const REJECTIONS = {
  ID_DOCUMENT_AUTHENTICITY: ANOTHER_DOCUMENT,
  ID_DOCUMENT_TEXT_DATA_CHECK: ANOTHER_READING,
  SUPPLEMENTARY_DOCUMENT_TEXT_DATA_CHECK: ANOTHER_READING,
  LIVENESS: { reason: "LIVENESS_NOT_PROVEN", recovery_suggestion: "RETAKE_FACE_CAPTURE" },
  ID_DOCUMENT_FACE_MATCH: ANOTHER_PERSON,
  FACE_COMPARISON: ANOTHER_PERSON,
  ID_DOCUMENT_COMPARISON: { reason: "NAME_MISMATCH", recovery_suggestion: "USE_MATCHING_DOCUMENTS" },
  WATCHLIST_SCREENING: { reason: "WATCHLIST_MATCH", recovery_suggestion: "REVIEW_MANUALLY" },
  THIRD_PARTY_IDENTITY: { reason: "IDENTITY_NOT_FOUND", recovery_suggestion: "REVIEW_MANUALLY" },
} as const satisfies Record<string, Rejection>;

export type SandboxCheck = keyof typeof REJECTIONS;
export const SANDBOX_CHECKS = Object.keys(REJECTIONS) as SandboxCheck[];

/** What a check answers; nothing was set for it where it approves. */
export const SIMPLE_ANSWERS = ["APPROVE", "CONSIDER", "REJECT", "NOT_AVAILABLE"] as const;
export type SimpleAnswer = (typeof SIMPLE_ANSWERS)[number];

function isObject(value: unknown): value is Config {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether two values of JSON say the same: the order of members, which the server sorts, says nothing. */
function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((value, at) => isSame(value, other[at]));
  }
  if (isObject(one) && isObject(other)) {
    const names = Object.keys(one);
    const isAsLong = names.length === Object.keys(other).length;
    return isAsLong && names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]));
  }
  return one === other;
}

/** The reports of checks in a configuration. */
function reportsOf(config: Config): Config {
  const { check_reports } = config;
  return isObject(check_reports) ? check_reports : {};
}

function reportOf(check: SandboxCheck, answer: SimpleAnswer): object {
  const why = answer === "REJECT" ? REJECTIONS[check] : {};
  return { result: { report: { recommendation: { value: answer, ...why } } } };
}

/** What a configuration answers to a check; nothing where it says more than one word. */
export function simpleAnswer(config: Config, check: SandboxCheck): SimpleAnswer | undefined {
  const items = reportsOf(config)[check];
  if (items === undefined || (Array.isArray(items) && items.length === 0)) {
    return "APPROVE";
  }
  return SIMPLE_ANSWERS.find((answer) => isSame(items, [reportOf(check, answer)]));
}

/** The same configuration with another answer to a check. */
export function withAnswer(config: Config, check: SandboxCheck, answer: SimpleAnswer): Config {
  const { [check]: _, ...others } = reportsOf(config);
  const own = answer === "APPROVE" ? {} : { [check]: [reportOf(check, answer)] };
  return { ...config, check_reports: { ...others, ...own } };
}

/** Seconds by which reports are delayed. */
export function delayOf({ async_report_delay: delay }: Config): number {
  return typeof delay === "number" ? delay : 0;
}

export function withDelay(config: Config, seconds: number): Config {
  const { async_report_delay: _, ...others } = config;
  return seconds === 0 ? others : { ...others, async_report_delay: seconds };
}

/** A configuration as text that people change. */
export function writeConfig(config: Config): string {
  return JSON.stringify(config, undefined, 2);
}

/** A configuration that was typed; nothing where it is none. */
export function readConfig(text: string): Config | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return isObject(read) ? read : undefined;
  } catch {
    return undefined;
  }
}
