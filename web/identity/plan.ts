// What a session asks for: the server's configuration, put into the words of this page.

import type { AnswerOf, Below, IdentityPaths } from "../shared/schema";

/** The operations of a session, by what follows it in their addresses. */
export type Operations = Below<IdentityPaths, "/idverify/v1/sessions/{sessionId}">;

export type Configuration = AnswerOf<Operations["/configuration"]["get"]>;
export type Resource = Configuration["capture"]["required_resources"][number];
type Check = Configuration["requested_checks"][number];
type Country = NonNullable<Resource["supported_countries"]>[number];

/** Kinds of identity documents. */
export type DocumentType = Country["supported_documents"][number]["type"];

/** A document of a country. */
export interface Choice {
  country: string;
  type: DocumentType;
}

/** What kinds of things a session may ask for. */
export type Kind = Resource["type"];

/** One thing that is asked for. */
export interface Need {
  id: string;
  kind: Kind;
  /** Whether it is there already. */
  done: boolean;
  /** What may be chosen: types of identity documents by country. */
  countries: { code: string; types: DocumentType[] }[];
  /** Whether a file may stand in for the camera. */
  upload: boolean;
  /** Whether the document is read while the person is there. */
  read: boolean;
  /** How often it may still be tried. */
  attempts: number;
  /** Whether liveness is shown by coming nearer. */
  zoom: boolean;
}

/** Screens that a business may leave out. */
export type Optional = "welcome" | "documentTips" | "supplementaryTips" | "faceTips" | "completion";

/** Mails that a business can be asked to send. */
export type Mail = Configuration["emails"][number];

export interface Plan {
  /** Seconds that the person has. */
  secondsLeft: number;
  /** Whether consent to looking at the face is asked for here. */
  consent: boolean;
  needs: Need[];
  colours: { primary: string | undefined; secondary: string | undefined; font: string | undefined };
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

/** Names of screens as a business writes them, and which of ours each means. */
const SCREENS = new Map<string, Optional>([
  ["WELCOME", "welcome"],
  ["ID_DOCUMENT_EDUCATION", "documentTips"],
  ["ID_DOCUMENT_REQUIREMENTS", "documentTips"],
  ["SUPPLEMENTARY_DOCUMENT_EDUCATION", "supplementaryTips"],
  ["ZOOM_LIVENESS_EDUCATION", "faceTips"],
  ["STATIC_LIVENESS_EDUCATION", "faceTips"],
  ["FACE_CAPTURE_EDUCATION", "faceTips"],
  ["FLOW_COMPLETION", "completion"],
]);

/** Checks that look at a face. */
const OF_FACES: ReadonlySet<Check> = new Set<Check>(["LIVENESS", "ID_DOCUMENT_FACE_MATCH", "FACE_COMPARISON"]);

/** Reads what a session asks for. */
export function readPlan(answer: Configuration): Plan {
  const { capture, sdk_config: config } = answer;
  // A picture that only the business may bring is not asked of the person.
  const theirs = capture.required_resources.filter(({ allowed_sources: sources }) =>
    sources.some(({ type }) => type === "END_USER"),
  );
  const needs = theirs.map(readNeed);
  // Nobody is asked about a face that nothing looks at.
  const faces = needs.some(({ kind }) => kind === "LIVENESS" || kind === "FACE_CAPTURE");
  const looked = faces || answer.requested_checks.some((check) => OF_FACES.has(check));
  return {
    secondsLeft: answer.client_session_token_ttl,
    consent: looked && capture.biometric_consent === "REQUIRED",
    needs,
    colours: { primary: config.primary_colour, secondary: config.secondary_colour, font: config.font_colour },
    locale: config.locale,
    presetCountry: config.preset_issuing_country,
    successUrl: config.success_url,
    errorUrl: config.error_url,
    privacyUrl: config.privacy_policy_url,
    handOff: config.allow_handoff,
    // The server passes the names on as the business wrote them, in whatever case.
    suppressed: new Set((config.suppressed_screens ?? []).flatMap((name) => SCREENS.get(name.toUpperCase()) ?? [])),
    mails: new Set(answer.emails),
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

/** What only some kinds have is absent of the others. */
function readNeed(resource: Resource): Need {
  return {
    id: resource.id,
    kind: resource.type,
    done: resource.state === "FULFILLED",
    countries: (resource.supported_countries ?? []).map(readCountry),
    upload: resource.allowed_capture_methods === "CAMERA_AND_UPLOAD",
    read: (resource.requested_tasks ?? []).length > 0,
    attempts: resource.attempts_remaining,
    zoom: resource.liveness_type === "ZOOM",
  };
}

function readCountry({ code, supported_documents: documents }: Country): Need["countries"][number] {
  return { code, types: documents.map(({ type }) => type) };
}
