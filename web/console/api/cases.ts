// What reviewers do with cases: claim, judge, decide, take back.

import type { ConsolePaths, RequestBodyOf, ResponseOf } from "../../shared/schema";
import { type CallOptions, call } from "./client";

type Claim = ConsolePaths["/console/cases/claim"]["post"];
type Renew = ConsolePaths["/console/cases/renew"]["post"];
type Hold = ConsolePaths["/console/cases/{caseId}/hold"]["post"];
type Assign = ConsolePaths["/console/cases/{caseId}/assign"]["post"];
type Assignees = ConsolePaths["/console/cases/{caseId}/assignees"]["get"];
type Decision = ConsolePaths["/console/cases/{caseId}/decision"];
type Appeal = ConsolePaths["/console/cases/{caseId}/appeal"]["post"];
type Golden = ConsolePaths["/console/cases/{caseId}/golden"]["post"];
type Views = ConsolePaths["/console/cases/{caseId}/views"]["post"];
type List = ConsolePaths["/console/cases"]["get"];
type Queues = ConsolePaths["/console/queues"]["get"];
type CreateQueue = ConsolePaths["/console/queues"]["post"];
type ChangeQueue = ConsolePaths["/console/queues/{queueId}"]["put"];
type Quality = ConsolePaths["/console/quality"]["get"];

/** A case with everything that it is judged by. */
export type Case = ResponseOf<ConsolePaths["/console/cases/{caseId}"]["get"]>;
/** A case as lists have it. */
export type CaseItem = ResponseOf<List>["cases"][number];
export type CaseKind = CaseItem["kind"];
export type CaseState = CaseItem["state"];
export type CasePicture = Case["pictures"][number];
export type CaseDecision = Case["decisions"][number];
/** A reason that a decision is given with one key. */
export type ReasonCode = Case["reason_codes"][number];
export type Finding = NonNullable<Case["finding"]>;
export type CaseHistory = Finding["person_history"];
export type CaseAge = NonNullable<Finding["age"]>;
export type AgeAppeal = NonNullable<Case["age_appeal"]>;
export type DocumentCheck = NonNullable<Case["document_check"]>;
export type CaseResource = DocumentCheck["resources"][number];
export type CaseField = CaseResource["fields"][number];
export type CaseMeasure = CaseResource["measures"][number];
export type Queue = ResponseOf<Queues>["queues"][number];
export type QueueInput = RequestBodyOf<CreateQueue>;
/** How one reviewer decides. */
export type ReviewerQuality = ResponseOf<Quality>["reviewers"][number];
/** How the cases of one queue are decided. */
export type QueueQuality = ResponseOf<Quality>["queues"][number];
export type Agreement = ReviewerQuality["with_others"];
/** How long the reviewer has looked at pictures. */
export type Exposure = ResponseOf<Views>;
export type DecisionInput = RequestBodyOf<Decision["put"]>;
export type HoldInput = RequestBodyOf<Hold>;

/** Which cases a list has. */
export type CaseFilter = Omit<NonNullable<List["parameters"]["query"]>, "page">;

/** The longest side that the server keeps of the picture that a face is in, in pixels: what was longer was scaled down. */
export const MAX_FRAME_PIXELS = 960;

export const CASE_KINDS: readonly CaseKind[] = ["FINDING", "DOCUMENT_CHECK", "AGE_APPEAL"];

/** What was done with a case is shown as done before the server has answered, so it arrives though the page is closed meanwhile. */
const SENT_FOR_GOOD: CallOptions = { keepalive: true };

const path = (id: string, rest = "") => `/console/cases/${encodeURIComponent(id)}${rest}`;

export function listQueues(): Promise<ResponseOf<Queues>> {
  return call<Queues>("GET", "/console/queues");
}

export async function createQueue(input: QueueInput): Promise<void> {
  await call<CreateQueue>("POST", "/console/queues", input);
}

export async function changeQueue(id: string, input: RequestBodyOf<ChangeQueue>): Promise<void> {
  await call<ChangeQueue>("PUT", `/console/queues/${encodeURIComponent(id)}`, input);
}

/** Deletes a queue; its cases stay, in no queue. */
export async function deleteQueue(id: string): Promise<void> {
  await call("DELETE", `/console/queues/${encodeURIComponent(id)}`);
}

/** How well reviewers agree, from a moment on; the busiest first. */
export function caseQuality(from: string, kind: CaseKind | "", queue: string): Promise<ResponseOf<Quality>> {
  const query = new URLSearchParams({
    from,
    ...(kind === "" ? {} : { kind }),
    ...(queue === "" ? {} : { queue_id: queue }),
  });
  return call<Quality>("GET", `/console/quality?${query}`);
}

/** Claims until the reviewer holds `count` cases; answers all that they hold. */
export function claimCases(queue: string | undefined, count: number): Promise<ResponseOf<Claim>> {
  return call<Claim>("POST", "/console/cases/claim", { count, ...(queue ? { queue_id: queue } : {}) });
}

/** Leases that go on; cases that are missing are the reviewer's no more. */
export function renewLeases(cases: string[]): Promise<ResponseOf<Renew>> {
  return call<Renew>("POST", "/console/cases/renew", { case_ids: cases });
}

export async function releaseCase(id: string, options?: CallOptions): Promise<void> {
  await call("POST", path(id, "/release"), undefined, options);
}

export async function holdCase(id: string, input: HoldInput): Promise<void> {
  await call<Hold>("POST", path(id, "/hold"), input, SENT_FOR_GOOD);
}

/** Colleagues who may decide the case. */
export async function listAssignees(id: string): Promise<ResponseOf<Assignees>["assignees"]> {
  return (await call<Assignees>("GET", path(id, "/assignees"))).assignees;
}

export async function assignCase(id: string, member: string): Promise<void> {
  await call<Assign>("POST", path(id, "/assign"), { member_id: member }, SENT_FOR_GOOD);
}

export function decideCase(id: string, input: DecisionInput): Promise<ResponseOf<Decision["put"]>> {
  return call<Decision["put"]>("PUT", path(id, "/decision"), input, SENT_FOR_GOOD);
}

/** Takes a decision back; answers until when the case is the reviewer's. */
export function undoDecision(id: string): Promise<ResponseOf<Decision["delete"]>> {
  return call<Decision["delete"]>("DELETE", path(id, "/decision"), undefined, SENT_FOR_GOOD);
}

/** Reports which pictures were looked at. */
export function recordViews(id: string, views: RequestBodyOf<Views>["views"]): Promise<Exposure> {
  return call<Views>("POST", path(id, "/views"), { views: views ?? null }, SENT_FOR_GOOD);
}

/** Has a settled decision looked at again by somebody else; answers the id of the appeal, a case of its own. */
export async function appealCase(id: string): Promise<string> {
  return (await call<Appeal>("POST", path(id, "/appeal"))).id;
}

/** Makes a golden case of a settled one, with the right answer. */
export async function makeGoldenCase(id: string, decision: CaseDecision): Promise<void> {
  await call<Golden>("POST", path(id, "/golden"), { decision });
}

export function getCase(id: string, options?: CallOptions): Promise<Case> {
  return call<ConsolePaths["/console/cases/{caseId}"]["get"]>("GET", path(id), undefined, options);
}

export function listCases(filter: CaseFilter, page: number): Promise<ResponseOf<List>> {
  const query = new URLSearchParams({ page: `${page}` });
  for (const [name, value] of Object.entries(filter)) {
    query.set(name, `${value}`);
  }
  return call<List>("GET", `/console/cases?${query}`);
}
