// Answers of the interface for document sessions: what the server answered, as a test of it records and compares
// (crates/api/tests/it/document_verification/decoders.rs), and what tests make of it.

import type { Task } from "../identity/api";
import type { Configuration, Operations, RequirementKind, Resource } from "../identity/requirements";
import type { ResponseOf } from "../shared/schema";
import answers from "./recorded/identity.json" with { type: "json" };

interface RecordedAnswers {
  configuration: Configuration;
  idDocument: ResponseOf<Operations["/resources/id-documents"]["post"]>;
  supplementaryDocument: ResponseOf<Operations["/resources/supplementary-documents"]["post"]>;
  livenessCapture: ResponseOf<Operations["/resources/liveness/zoom"]["post"]>;
  faceCapture: ResponseOf<Operations["/resources/face-capture"]["post"]>;
  media: ResponseOf<Operations["/resources/id-documents/{resourceId}/pages/{page}"]["put"]>;
  judgedFrame: ResponseOf<Operations["/resources/liveness/static/{resourceId}/frames/{frame}"]["put"]>;
  task: Task;
  refusal: { code: string; message: string };
}

/** The types of what was recorded are those of the interface's document, which the server's own tests hold it to. */
export const RECORDED = answers as unknown as RecordedAnswers;

type Country = NonNullable<Resource["supported_countries"]>[number];

function required(kind: RequirementKind, number = 0): Resource {
  const found = RECORDED.configuration.capture.required_resources.filter(({ type }) => type === kind)[number];
  if (!found) {
    throw new Error(`no ${kind} was recorded`);
  }
  return found;
}

/** An identity document that is read. */
export const DOCUMENT: Resource = required("ID_DOCUMENT");

function countryOf(code: string): Country {
  const found = DOCUMENT.supported_countries?.find((country) => country.code === code);
  if (!found) {
    throw new Error(`${code} was not recorded`);
  }
  return found;
}

export const SWEDISH_PASSPORT: Country = countryOf("SWE");
export const GERMAN_DOCUMENTS: Country = countryOf("DEU");

/** A letter of any kind that is read. */
export const READ_LETTER: Resource = required("SUPPLEMENTARY_DOCUMENT");

/** A letter that nobody reads. */
export const LETTER: Resource = { ...READ_LETTER, requested_tasks: [] };

/** A letter of two kinds from two countries, which must have an address. */
export const PROOF_OF_ADDRESS: Resource = required("SUPPLEMENTARY_DOCUMENT", 1);

export const LIVENESS: Resource = {
  ...required("LIVENESS"),
  liveness_type: "STATIC",
  attempts_remaining: { GENERIC: 2 },
};

/** What a session asks for: nothing yet. */
export function configuration(more: Partial<Configuration> = {}): Configuration {
  return {
    ...RECORDED.configuration,
    requested_checks: ["ID_DOCUMENT_AUTHENTICITY"],
    capture: { biometric_consent: "GIVEN", required_resources: [] },
    sdk_config: { allow_handoff: false },
    emails: [],
    ...more,
  };
}

/** A task at a document. */
export function task(state: Task["state"], recommendation?: Task["recommendation"]): Task {
  const { recommendation: _, ...recorded } = RECORDED.task;
  return { ...recorded, id: crypto.randomUUID(), state, ...(recommendation ? { recommendation } : {}) };
}
