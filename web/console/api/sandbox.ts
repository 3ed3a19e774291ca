// What the sandbox of the member's application answers.

import type { ConsolePaths, RequestBodyOf, ResponseOf } from "../../shared/schema";
import { call } from "./client";

type GetResponses = ConsolePaths["/console/sandbox/document-responses"]["get"];
type SetResponses = ConsolePaths["/console/sandbox/document-responses"]["put"];
type SetOutcome = ConsolePaths["/console/sandbox/age-sessions/{verificationSessionId}/response"]["put"];

export type SentResponses = ResponseOf<GetResponses>["config"];
export type DocumentResponses = RequestBodyOf<SetResponses>["config"];
export type AgeOutcome = RequestBodyOf<SetOutcome>;
export type AgeStatus = NonNullable<AgeOutcome["status"]>;
export type AgeMethod = NonNullable<AgeOutcome["method"]>;

/** Ends first: they are what is set most. */
export const AGE_STATUSES = [
  "COMPLETE",
  "FAIL",
  "ERROR",
  "CANCELLED",
  "EXPIRED",
  "PENDING",
  "IN_PROGRESS",
  "PROCESSING",
] as const satisfies readonly AgeStatus[];

export const AGE_METHODS = [
  "AGE_ESTIMATION",
  "DIGITAL_ID",
  "DOC_SCAN",
  "CREDIT_CARD",
  "MOBILE",
  "EMAIL",
  "ELECTRONIC_ID",
  "LA_WALLET",
  "SOCIAL_SECURITY_NUMBER",
  "US_FLORIDA_HB3",
  "SINGPASS",
  "CPF",
  "SVC_KEY",
  "DOUBLE_ANONYMITY",
  "DEVICE_SIGNAL",
] as const satisfies readonly AgeMethod[];

export async function documentResponses(): Promise<SentResponses> {
  return (await call<GetResponses>("GET", "/console/sandbox/document-responses")).config;
}

export async function setDocumentResponses(config: DocumentResponses): Promise<void> {
  await call<SetResponses>("PUT", "/console/sandbox/document-responses", { config });
}

export async function setAgeOutcome(session: string, outcome: AgeOutcome): Promise<void> {
  await call<SetOutcome>("PUT", `/console/sandbox/age-sessions/${encodeURIComponent(session)}/response`, outcome);
}
