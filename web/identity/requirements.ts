// What a session asks for: the server's configuration, put into the words of this page.

import type { IdentityPaths, PathsBelow, ResponseOf } from "../shared/schema";

/** The operations of a session, by what follows it in their addresses. */
export type Operations = PathsBelow<IdentityPaths, "/idverify/v1/sessions/{sessionId}">;

export type Configuration = ResponseOf<Operations["/configuration"]["get"]>;
export type Resource = Configuration["capture"]["required_resources"][number];
type Check = Configuration["requested_checks"][number];
type Country = NonNullable<Resource["supported_countries"]>[number];

/** Kinds of identity documents. */
export type DocumentType = Country["supported_documents"][number]["type"];

/** A document of a country. */
export interface DocumentChoice {
  country: string;
  type: DocumentType;
}

/** A supplementary document, as far as it is asked what it is: words of the business's own, and codes of countries. */
export interface LetterChoice {
  country: string | undefined;
  type: string | undefined;
}

/** What kinds of things a session may ask for. */
export type RequirementKind = Resource["type"];

/** One thing that is asked for. */
export interface Requirement {
  id: string;
  kind: RequirementKind;
  /** Whether it is there already. */
  done: boolean;
  /** What may be chosen: types of identity documents by country. */
  countries: { code: string; types: DocumentType[] }[];
  /** What may be chosen of a supplementary document; where nothing is listed, it is not asked for. */
  letters: { countries: string[]; types: string[] };
  /** Whether a file may stand in for the camera. */
  upload: boolean;
  /** Whether the document is read while the person is there. */
  read: boolean;
  /** How often it may still be tried. */
  attempts: number;
  /** How often it may be tried again after it was another document than was said, or one that is not accepted. */
  reclassifications: number;
  /** Whether liveness is shown by coming nearer. */
  zoom: boolean;
}

/** Screens that a business may leave out. */
export type OptionalScreen = "welcome" | "documentTips" | "supplementaryTips" | "faceTips" | "completion";

/** Mails that a business can be asked to send. */
export type MailKind = Configuration["emails"][number];

export interface SessionConfig {
  /** Seconds that the person has. */
  secondsLeft: number;
  /** Whether consent to looking at the face is asked for here: on the first screen, before a face is taken, or not at all. */
  consent: "early" | "justInTime" | undefined;
  requirements: Requirement[];
  colours: Record<"primary" | "primaryDark" | "secondary" | "font", string | undefined>;
  /** Whether the page is dark; where nothing is said, as the device is set. */
  dark: boolean | undefined;
  locale: string | undefined;
  presetCountry: string | undefined;
  successUrl: string | undefined;
  errorUrl: string | undefined;
  privacyUrl: string | undefined;
  handOff: boolean;
  suppressedScreens: ReadonlySet<OptionalScreen>;
  /** What the business wants to be asked for. */
  mails: ReadonlySet<MailKind>;
}

/** Names of screens as a business writes them, and which of ours each means. */
const OPTIONAL_SCREENS = new Map<string, OptionalScreen>([
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
const FACE_CHECKS: ReadonlySet<Check> = new Set<Check>(["LIVENESS", "ID_DOCUMENT_FACE_MATCH", "FACE_COMPARISON"]);

const CONSENT_FLOWS = { EARLY: "early", JUST_IN_TIME: "justInTime" } as const;

/** Reads what a session asks for. */
export function readConfig(answer: Configuration): SessionConfig {
  const { capture, sdk_config: config } = answer;
  // A picture that only the business may bring is not asked of the person.
  const theirs = capture.required_resources.filter(({ allowed_sources: sources }) =>
    sources.some(({ type }) => type === "END_USER"),
  );
  const requirements = theirs.map(readRequirement);
  // Nobody is asked about a face that nothing looks at.
  const faces = requirements.some(({ kind }) => kind === "LIVENESS" || kind === "FACE_CAPTURE");
  const looked = faces || answer.requested_checks.some((check) => FACE_CHECKS.has(check));
  return {
    secondsLeft: answer.client_session_token_ttl,
    consent:
      looked && capture.biometric_consent === "REQUIRED"
        ? CONSENT_FLOWS[config.biometric_consent_flow ?? "EARLY"]
        : undefined,
    requirements,
    colours: {
      primary: config.primary_colour,
      primaryDark: config.primary_colour_dark_mode,
      secondary: config.secondary_colour,
      font: config.font_colour,
    },
    dark: config.dark_mode === undefined || config.dark_mode === "AUTO" ? undefined : config.dark_mode === "ON",
    locale: config.locale,
    presetCountry: config.preset_issuing_country,
    successUrl: config.success_url,
    errorUrl: config.error_url,
    privacyUrl: config.privacy_policy_url,
    handOff: config.allow_handoff,
    // The server passes the names on as the business wrote them, in whatever case.
    suppressedScreens: new Set(
      (config.suppressed_screens ?? []).flatMap((name) => OPTIONAL_SCREENS.get(name.toUpperCase()) ?? []),
    ),
    mails: new Set(answer.emails),
  };
}

/** What is still to be done. */
export function outstandingRequirements({ requirements }: SessionConfig): Requirement[] {
  return requirements.filter(({ done }) => !done);
}

/** Whether there is more than one document to choose from. */
export function hasChoice({ kind, countries, letters }: Requirement): boolean {
  if (kind === "SUPPLEMENTARY_DOCUMENT") {
    return letters.countries.length > 1 || letters.types.length > 1;
  }
  return countries.length > 1 || (countries[0]?.types.length ?? 0) > 1;
}

/** The sides of a document that are photographed: a passport's page with the picture, both of a card. */
export function sidesOf(requirement: Requirement, choice: DocumentChoice | undefined): DocumentSide[] {
  if (requirement.kind !== "ID_DOCUMENT") {
    return ["page"];
  }
  return choice?.type === "PASSPORT" ? ["page"] : ["front", "back"];
}

export type DocumentSide = "page" | "front" | "back";

/** What only some kinds have is absent of the others. */
function readRequirement(resource: Resource): Requirement {
  return {
    id: resource.id,
    kind: resource.type,
    done: resource.state === "FULFILLED",
    countries: (resource.supported_countries ?? []).map(readCountry),
    upload: resource.allowed_capture_methods === "CAMERA_AND_UPLOAD",
    read: (resource.requested_tasks ?? []).length > 0,
    letters: { countries: resource.country_codes ?? [], types: resource.document_types ?? [] },
    attempts: resource.attempts_remaining.GENERIC,
    reclassifications: resource.attempts_remaining.RECLASSIFICATION ?? 0,
    zoom: resource.liveness_type === "ZOOM",
  };
}

function readCountry({ code, supported_documents: documents }: Country): Requirement["countries"][number] {
  return { code, types: documents.map(({ type }) => type) };
}
