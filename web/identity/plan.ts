// What a session asks for: the server's configuration, read once into what the page needs. Members that are missing or of
// another type are as good as absent; nothing here throws.

/** A document of a country. */
export interface Choice {
  country: string;
  type: string;
}

/** What kinds of things a session may ask for. */
export type Kind = "ID_DOCUMENT" | "SUPPLEMENTARY_DOCUMENT" | "LIVENESS" | "FACE_CAPTURE";

/** One thing that is asked for. */
export interface Need {
  id: string;
  kind: Kind;
  /** Whether it is there already. */
  done: boolean;
  /** What may be chosen: types of documents by country. */
  countries: { code: string; types: string[] }[];
  /** Whether a file may stand in for the camera. */
  upload: boolean;
  /** Whether the document is read while the person is there. */
  read: boolean;
  /** How often it may still be tried; `undefined` where nobody counts. */
  attempts: number | undefined;
  /** Whether liveness is shown by coming nearer. */
  zoom: boolean;
}

/** Screens that a business may leave out. */
export type Optional = "welcome" | "documentTips" | "supplementaryTips" | "faceTips" | "completion";

/** Mails that a business can be asked to send. */
export type Mail = "instructions" | "thank-you";

export interface Plan {
  /** Seconds that the person has. */
  secondsLeft: number;
  /** Whether consent to looking at the face is asked for here. */
  consent: boolean;
  needs: Need[];
  colours: { primary?: string; secondary?: string; font?: string };
  locale: string | undefined;
  presetCountry: string | undefined;
  successUrl: string | undefined;
  errorUrl: string | undefined;
  privacyUrl: string | undefined;
  handOff: boolean;
  suppressed: ReadonlySet<Optional>;
  /** What the business wants to be asked for. */
  mails: ReadonlySet<Mail>;
}

const KINDS: readonly string[] = ["ID_DOCUMENT", "SUPPLEMENTARY_DOCUMENT", "LIVENESS", "FACE_CAPTURE"];
const TYPE = /^[A-Z][A-Z_]{1,60}$/;
const COUNTRY = /^[A-Z]{3}$/;

/** Names of screens as a business writes them, and which of ours each means. */
const SCREENS: Record<string, Optional> = {
  WELCOME: "welcome",
  ID_DOCUMENT_EDUCATION: "documentTips",
  ID_DOCUMENT_REQUIREMENTS: "documentTips",
  SUPPLEMENTARY_DOCUMENT_EDUCATION: "supplementaryTips",
  ZOOM_LIVENESS_EDUCATION: "faceTips",
  STATIC_LIVENESS_EDUCATION: "faceTips",
  FACE_CAPTURE_EDUCATION: "faceTips",
  FLOW_COMPLETION: "completion",
};

const MAILS: readonly Mail[] = ["instructions", "thank-you"];

type Unknown = Record<string, unknown>;

/** Reads `GET /sessions/{id}/configuration`. */
export function readPlan(answer: unknown): Plan {
  const body = object(answer);
  const capture = object(body.capture);
  const config = object(body.sdk_config);
  const needs = list(capture.required_resources).map(object).flatMap(readNeed);
  const checks = list(body.requested_checks).map((check) => text(check) ?? text(object(check).type) ?? "");
  // Nobody is asked about a face that nothing looks at.
  const faces = needs.some(({ kind }) => kind === "LIVENESS" || kind === "FACE_CAPTURE");
  const looked = faces || checks.some((check) => /FACE|LIVENESS/.test(check));
  return {
    secondsLeft: number(body.client_session_token_ttl) ?? 600,
    consent: looked && wanted(capture.biometric_consent),
    needs,
    colours: {
      ...named("primary", text(config.primary_colour)),
      ...named("secondary", text(config.secondary_colour)),
      ...named("font", text(config.font_colour)),
    },
    locale: text(config.locale),
    presetCountry: text(config.preset_issuing_country)?.toUpperCase(),
    successUrl: text(config.success_url),
    errorUrl: text(config.error_url),
    privacyUrl: text(config.privacy_policy_url),
    handOff: (config.allow_handoff ?? config.enable_handoff) === true,
    suppressed: new Set(
      list(config.suppressed_screens).flatMap((name) => SCREENS[(text(name) ?? "").toUpperCase()] ?? []),
    ),
    mails: new Set(MAILS.filter((mail) => list(body.emails).includes(mail))),
  };
}

/** What is still to be done. */
export function outstanding({ needs }: Plan): Need[] {
  return needs.filter(({ done }) => !done);
}

/** The sides of a document that are photographed: a passport's page with the picture, both of a card. */
export function sidesOf(need: Need, choice: Choice | undefined): Side[] {
  if (need.kind !== "ID_DOCUMENT") {
    return ["page"];
  }
  return choice?.type === "PASSPORT" ? ["page"] : ["front", "back"];
}

export type Side = "page" | "front" | "back";

function readNeed(from: Unknown): Need[] {
  const kind = text(from.type)?.toUpperCase();
  const id = text(from.id);
  if (!kind || !id || !KINDS.includes(kind)) {
    return [];
  }
  const sources = list(from.allowed_sources).map((source) => text(object(source).type) ?? text(source));
  // A picture that only the business may bring is not asked of the person.
  if (sources.length > 0 && !sources.includes("END_USER")) {
    return [];
  }
  const methods = text(from.allowed_capture_methods)?.toUpperCase() ?? "CAMERA_AND_UPLOAD";
  const document = kind === "ID_DOCUMENT" || kind === "SUPPLEMENTARY_DOCUMENT";
  return [
    {
      id,
      kind: kind as Kind,
      done: ["FULFILLED", "DONE", "COMPLETE", "COMPLETED"].includes(text(from.state)?.toUpperCase() ?? ""),
      countries: readCountries(from.supported_countries),
      upload: document && methods !== "CAMERA",
      read: list(from.requested_tasks).length > 0,
      attempts: readAttempts(from.attempts_remaining),
      zoom: text(from.liveness_type)?.toUpperCase() === "ZOOM",
    },
  ];
}

/** Reads a list of countries with their documents. */
export function readCountries(from: unknown): Need["countries"] {
  return list(from).map(object).flatMap(readCountry);
}

function readCountry(from: Unknown): { code: string; types: string[] }[] {
  const code = text(from.code);
  const types = list(from.supported_documents).map((document) => text(object(document).type) ?? text(document));
  const known = types.filter((type) => type !== undefined && TYPE.test(type)) as string[];
  return code && COUNTRY.test(code) && known.length > 0 ? [{ code, types: known }] : [];
}

/** A number, or a map of numbers by reason: the least of them is what is sure. */
function readAttempts(from: unknown): number | undefined {
  const counts = [from, ...Object.values(object(from))].map(number).filter((count) => count !== undefined);
  return counts.length > 0 ? Math.min(...(counts as number[])) : undefined;
}

/** Consent is wanted, unless it is said not to be, was given, or is blocked. */
function wanted(consent: unknown): boolean {
  const word = text(consent)?.toUpperCase();
  return consent === true || word === "REQUIRED" || word === "PENDING";
}

function object(from: unknown): Unknown {
  return typeof from === "object" && from !== null && !Array.isArray(from) ? (from as Unknown) : {};
}

function list(from: unknown): unknown[] {
  return Array.isArray(from) ? from : [];
}

function text(from: unknown): string | undefined {
  return typeof from === "string" && from.trim() !== "" ? from.trim() : undefined;
}

function number(from: unknown): number | undefined {
  return typeof from === "number" && Number.isFinite(from) ? from : undefined;
}

function named<K extends string>(name: K, value: string | undefined): { [key in K]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { [key in K]?: string });
}
