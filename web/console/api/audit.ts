// The audit trail: who did what, as a list and as a file, whether it is whole; and which accounts were deleted.

import type { ConsolePaths, ResponseOf } from "../../shared/schema";
import { call, fetchFile, queryOf } from "./client";

type List = ConsolePaths["/console/audit-records"]["get"];
type Export = ConsolePaths["/console/audit-records/export"]["get"];
type Verify = ConsolePaths["/console/audit-trail/verification"]["post"];
type Deletions = ConsolePaths["/console/deletion-receipts"]["get"];

type DocumentedRecord = ResponseOf<List>["records"][number];

/** What a record says. The document does not say which details there are: each kind of record has its own. */
export type AuditEntry = Omit<NonNullable<DocumentedRecord["entry"]>, "details"> & {
  details: Readonly<Record<string, unknown>>;
};
export type AuditRecord = Omit<DocumentedRecord, "entry"> & { entry?: AuditEntry | null };
export type AuditRecordList = Omit<ResponseOf<List>, "records"> & { records: AuditRecord[] };
export type AuditVerification = ResponseOf<Verify>;
export type DeletionList = ResponseOf<Deletions>;
export type Deletion = DeletionList["deletions"][number];
/** Which records. */
export type AuditFilter = NonNullable<Export["parameters"]["query"]>;

/** Who acts, by kind. */
export const ACTOR_KINDS = ["operator", "member", "api-key", "application", "system"] as const;

/** A page of the trail: what was done before a record, or the latest. */
export function listAuditRecords(filter: AuditFilter, before: number | undefined): Promise<AuditRecordList> {
  return call<List>("GET", `/console/audit-records?${queryOf({ ...filter, before })}`);
}

/** The records as a file of JSON lines. */
export function exportAuditRecords(filter: AuditFilter): Promise<Blob> {
  return fetchFile(`/console/audit-records/export?${queryOf(filter)}`);
}

export function verifyAuditTrail(): Promise<AuditVerification> {
  return call<Verify>("POST", "/console/audit-trail/verification");
}

export function listDeletions(after: string): Promise<DeletionList> {
  return call<Deletions>("GET", `/console/deletion-receipts?${queryOf({ after })}`);
}
