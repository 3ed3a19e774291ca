// Answers of the interface for document sessions, whole, as its document has them.

import type { Task } from "../identity/api";
import type { Configuration, Resource } from "../identity/requirements";

type Country = NonNullable<Resource["supported_countries"]>[number];

export const SWEDISH_PASSPORT: Country = { code: "SWE", supported_documents: [{ type: "PASSPORT" }] };
export const GERMAN_DOCUMENTS: Country = {
  code: "DEU",
  supported_documents: [{ type: "PASSPORT" }, { type: "NATIONAL_ID" }],
};

const REQUIRED_RESOURCE: Pick<Resource, "state" | "allowed_sources" | "attempts_remaining"> = {
  state: "REQUIRED",
  allowed_sources: [{ type: "END_USER" }],
  attempts_remaining: 3,
};

/** An identity document that is read. */
export const DOCUMENT: Resource = {
  ...REQUIRED_RESOURCE,
  id: "11111111-0000-4000-8000-000000000001",
  type: "ID_DOCUMENT",
  requested_tasks: [{ type: "ID_DOCUMENT_TEXT_DATA_EXTRACTION", state: null }],
  supported_countries: [
    GERMAN_DOCUMENTS,
    SWEDISH_PASSPORT,
    { code: "USA", supported_documents: [{ type: "DRIVING_LICENCE" }] },
  ],
  allowed_capture_methods: "CAMERA_AND_UPLOAD",
};

/** A letter that nobody reads. */
export const LETTER: Resource = {
  ...REQUIRED_RESOURCE,
  id: "11111111-0000-4000-8000-000000000002",
  type: "SUPPLEMENTARY_DOCUMENT",
  requested_tasks: [],
  allowed_capture_methods: "CAMERA_AND_UPLOAD",
};

export const LIVENESS: Resource = {
  ...REQUIRED_RESOURCE,
  id: "11111111-0000-4000-8000-000000000003",
  type: "LIVENESS",
  liveness_type: "STATIC",
  attempts_remaining: 2,
};

/** What a session asks for: nothing yet. */
export function configuration(more: Partial<Configuration> = {}): Configuration {
  return {
    session_id: "0d6d9a5e-6c26-4c1f-9f7e-2f3a5b7c9d01",
    client_session_token_ttl: 600,
    requested_checks: ["ID_DOCUMENT_AUTHENTICITY"],
    capture: { biometric_consent: "GIVEN", required_resources: [] },
    sdk_config: { allow_handoff: false },
    emails: [],
    ...more,
  };
}

/** A task at an identity document. */
export function task(state: Task["state"], recommendation?: Task["recommendation"]): Task {
  return {
    id: crypto.randomUUID(),
    type: "ID_DOCUMENT_TEXT_DATA_EXTRACTION",
    state,
    created: "2026-01-16T14:40:00Z",
    last_updated: "2026-01-16T14:40:00Z",
    generated_checks: [],
    generated_media: [],
    ...(recommendation ? { recommendation } : {}),
  };
}
