// Reads answers of the interface for document sessions as a client with types does: node decode.mjs ANSWERS.json
//
// ANSWERS.json is a list of `{operation, stage, body}`. A member that is not known is passed over; one that is missing, is null
// or has another type ends the program with its path. Prints how many answers were read.

import { readFileSync } from "node:fs";

const fail = (path, words) => {
  throw new TypeError(`${path}: ${words}`);
};
const primitive = (kind) => (value, path) => typeof value === kind || fail(path, `${JSON.stringify(value)} is no ${kind}`);
const text = primitive("string");
const flag = primitive("boolean");
const matching = (pattern, name) => (value, path) =>
  (typeof value === "string" && pattern.test(value)) || fail(path, `${JSON.stringify(value)} is no ${name}`);
const uuid = matching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "UUID");
const time = matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, "time");
const day = matching(/^\d{4}-\d\d-\d\d$/, "day");
const integer = (value, path) => Number.isInteger(value) || fail(path, `${JSON.stringify(value)} is no whole number`);
const word = (...known) => (value, path) => known.includes(value) || fail(path, `${JSON.stringify(value)} is not known`);
const list = (of) => (value, path) => {
  Array.isArray(value) || fail(path, `${JSON.stringify(value)} is no list`);
  value.forEach((item, at) => of(item, `${path}[${at}]`));
};
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const mapOf = (of) => (value, path) => {
  isObject(value) || fail(path, `${JSON.stringify(value)} is no object`);
  Object.entries(value).forEach(([name, item]) => of(item, `${path}.${name}`));
};
const object = (required, optional = {}) => (value, path) => {
  isObject(value) || fail(path, `${JSON.stringify(value)} is no object`);
  for (const [name, of] of Object.entries(required)) {
    name in value || fail(`${path}.${name}`, "it is missing");
    of(value[name], `${path}.${name}`);
  }
  for (const [name, of] of Object.entries(optional)) {
    name in value && of(value[name], `${path}.${name}`);
  }
};
const notNull = (value, path) => {
  value === null && fail(path, "it is null");
  if (Array.isArray(value)) {
    value.forEach((item, at) => notNull(item, `${path}[${at}]`));
  } else if (isObject(value)) {
    Object.entries(value).forEach(([name, item]) => notNull(item, `${path}.${name}`));
  }
};

const idDocumentType = word("PASSPORT", "NATIONAL_ID", "RESIDENCE_PERMIT", "DRIVING_LICENCE");
const taskType = word("ID_DOCUMENT_TEXT_DATA_EXTRACTION", "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_EXTRACTION");
const checkType = word(
  "ID_DOCUMENT_AUTHENTICITY",
  "ID_DOCUMENT_TEXT_DATA_CHECK",
  "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_CHECK",
  "LIVENESS",
  "ID_DOCUMENT_FACE_MATCH",
  "FACE_COMPARISON",
  "ID_DOCUMENT_COMPARISON",
  "WATCHLIST_SCREENING",
  "THIRD_PARTY_IDENTITY",
);
const requirementState = word("REQUIRED", "IN_PROGRESS", "FULFILLED");
const source = object({ type: word("END_USER", "RELYING_BUSINESS") });
const media = object({ id: uuid, type: word("IMAGE", "JSON", "BINARY", "PDF"), created: time, last_updated: time });
const holder = object({}, { media });
const stored = object({ media });

const recommendation = object(
  { value: word("PROGRESS", "SHOULD_TRY_AGAIN", "MUST_TRY_AGAIN") },
  { reason: object({ value: word("QUALITY", "USER_ERROR", "ERROR") }, { detail: text }) },
);
const storedFrame = object({ media }, { recommendation, attempts_remaining: mapOf(integer) });
const task = object(
  {
    id: uuid,
    type: taskType,
    state: word("CREATED", "PENDING", "DONE", "FAILED"),
    created: time,
    last_updated: time,
    generated_media: list(media),
    generated_checks: list(object({ id: uuid, type: checkType })),
  },
  { recommendation },
);
const resource = {
  id: uuid,
  source,
  created_at: time,
  last_updated: time,
  tasks: list(task),
};
const pages = list(object({ capture_method: word("CAMERA", "UPLOAD"), frames: list(holder) }, { media }));
const idDocument = object(
  { ...resource, document_type: idDocumentType, issuing_country: text, pages },
  { document_fields: holder, document_id_photo: holder },
);
const supplementaryDocument = object(
  { ...resource, pages },
  { document_type: text, issuing_country: text, file: holder, document_fields: holder },
);
const liveness = object(
  { ...resource, liveness_type: word("STATIC", "ZOOM"), frames: list(holder) },
  { facemap: holder, image: holder },
);
const faceCapture = object(resource, { image: holder });

const advice = (value, path) => {
  object({ value: word("APPROVE", "REJECT", "NOT_AVAILABLE", "CONSIDER") }, { reason: text, recovery_suggestion: text })(
    value,
    path,
  );
  if (value.value === "REJECT") {
    object({ reason: text, recovery_suggestion: text })(value, path);
  }
};
const report = object({
  recommendation: advice,
  breakdown: list(
    object({
      sub_check: text,
      result: word("PASS", "FAIL"),
      details: list(object({ name: text, value: text })),
      process: word("AUTOMATED", "EXPERT_REVIEW"),
    }),
  ),
});
const check = object(
  {
    id: uuid,
    type: checkType,
    state: word("CREATED", "READY", "PENDING", "DONE", "INTERNAL_ERROR"),
    resources_used: list(uuid),
    generated_media: list(media),
    created: time,
    last_updated: time,
  },
  { report },
);
const identityProfile = object(
  { result: word("DONE", "ABORTED") },
  {
    subject_id: text,
    failure_reason: object({
      reason_code: text,
      requirements_not_met_details: list(
        object({
          failure_type: text,
          document_type: text,
          document_country_iso_code: text,
          audit_id: text,
          details: text,
        }),
      ),
    }),
    identity_profile_report: object({
      trust_framework: text,
      schemes_compliance: list(object({ scheme: object({ type: text }, { objective: text }), requirements_met: flag })),
      media,
    }),
  },
);
const session = object(
  {
    session_id: uuid,
    sessionId: uuid,
    client_session_token_ttl: integer,
    state: word("ONGOING", "COMPLETED", "EXPIRED"),
    created_at: time,
    resources: object({
      id_documents: list(idDocument),
      supplementary_documents: list(supplementaryDocument),
      liveness_capture: list(liveness),
      face_capture: list(faceCapture),
    }),
    checks: list(check),
  },
  { client_session_token: uuid, user_tracking_id: text, biometric_consent: time, identity_profile: identityProfile },
);

const countries = (document) => list(object({ code: text, supported_documents: list(document) }));
const REQUIRED = {
  ID_DOCUMENT: {
    requested_tasks: list(object({ type: taskType, state: requirementState }, { id: uuid, recommendation })),
    supported_countries: countries(object({ type: idDocumentType, is_strictly_latin: flag })),
    allowed_capture_methods: word("CAMERA", "CAMERA_AND_UPLOAD"),
  },
  SUPPLEMENTARY_DOCUMENT: {
    requested_tasks: list(object({ type: taskType, state: requirementState }, { id: uuid, recommendation })),
    document_types: list(text),
    country_codes: list(text),
    allowed_capture_methods: word("CAMERA", "CAMERA_AND_UPLOAD"),
  },
  LIVENESS: { liveness_type: word("STATIC", "ZOOM") },
  FACE_CAPTURE: {},
};
const required = (value, path) => {
  object({ type: word(...Object.keys(REQUIRED)) })(value, path);
  object(
    {
      id: uuid,
      state: requirementState,
      allowed_sources: list(source),
      attempts_remaining: mapOf(integer),
      ...REQUIRED[value.type],
    },
    { resource_id: uuid, objective: object({ type: text }), retry: flag, recommendation },
  )(value, path);
};
const configuration = object({
  session_id: uuid,
  client_session_token_ttl: integer,
  requested_checks: list(checkType),
  emails: list(text),
  capture: object({ biometric_consent: word("REQUIRED", "GIVEN", "NOT_ALLOWED"), required_resources: list(required) }),
  sdk_config: object(
    { allow_handoff: flag },
    {
      allowed_capture_methods: text,
      primary_colour: text,
      primary_colour_dark_mode: text,
      secondary_colour: text,
      font_colour: text,
      locale: text,
      preset_issuing_country: text,
      success_url: text,
      error_url: text,
      privacy_policy_url: text,
      biometric_consent_flow: word("EARLY", "JUST_IN_TIME"),
      dark_mode: word("ON", "OFF", "AUTO"),
      attempts_configuration: mapOf(mapOf(integer)),
      suppressed_screens: list(text),
    },
  ),
});

const advised = word("APPROVE", "REJECT", "NOT_AVAILABLE", "CONSIDER");
const review = object(
  { app_id: uuid, check_id: uuid, session_id: uuid, created_at: time, kind: checkType, proposed: advised },
  { decided_at: time, decision: advised, reason: text, reviewer: text },
);
const fraudListEntry = object(
  { id: uuid, type: word("DOCUMENT", "FACE"), reason: text, author: text, created_at: time },
  { expires_at: time },
);
const OPERATIONS = {
  "create a session": object({
    session_id: uuid,
    sessionId: uuid,
    client_session_token: uuid,
    client_session_token_ttl: integer,
    session_deadline: time,
    url: text,
  }),
  "read a session": session,
  "read a configuration": configuration,
  "list supported documents": object({
    supported_countries: countries(
      object({ type: idDocumentType, is_strictly_latin: flag, requirements: object({ date_from: day }) }),
    ),
  }),
  "add an identity document": idDocument,
  "add a supplementary document": supplementaryDocument,
  "add a liveness capture": object({ id: uuid }),
  "add a face capture": object({ id: uuid, frames: integer }),
  "put a media": stored,
  "put a frame": storedFrame,
  "extract text": task,
  "begin an upload": object({ id: uuid }),
  "list devices": list(object({ event: text, created: time, device: mapOf(text) }, { resource_id: uuid })),
  "read responses": object({}, { check_reports: mapOf(() => true), task_results: mapOf(() => true) }),
  "read document fields": object({ full_name: text }, { date_of_birth: day, structured_postal_address: mapOf(text) }),
  "run the agent": object({ outcome: word("FINISHED", "LEFT", "STUCK"), session }),
  "list reviews": object({ reviews: list(review) }),
  "read a review": object({ review }, { report }),
  "add to the fraud list": fraudListEntry,
  "list the fraud list": object({ entries: list(fraudListEntry), total_count: integer }),
  refuse: object({ code: text, message: text }, { errors: list(object({ property: text, message: text })) }),
};

const answers = JSON.parse(readFileSync(process.argv[2], "utf8"));
for (const { operation, stage, body } of answers) {
  const path = `${operation}, ${stage}`;
  const read = OPERATIONS[operation] ?? fail(path, "this operation is not known");
  read(body, path);
  notNull(body, path);
}
console.log(answers.length);
