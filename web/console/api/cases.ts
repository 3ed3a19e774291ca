// What reviewers do with cases: claim, judge, decide, take back.

import { type CallOptions, call } from "./client";

export type CaseKind = "FINDING" | "DOCUMENT_CHECK" | "AGE_APPEAL";
export type CaseState = "OPEN" | "HELD" | "DECIDED" | "SETTLED" | "WITHDRAWN" | "GOLDEN";
export type CaseDecision = "CONFIRM" | "FALSE_ALARM" | "APPROVE" | "CONSIDER" | "REJECT" | "UPHOLD" | "OVERTURN";
export type PictureRole = "FACE" | "FRAME" | "STRIP" | "PAGE" | "PORTRAIT" | "SELFIE";

export interface CaseItem {
  id: string;
  kind: CaseKind;
  reason: string;
  state: CaseState;
  priority: number;
  queue?: { id: string; name: string };
  language?: string;
  is_appeal: boolean;
  held_by?: string;
  lease_until?: string;
  assigned_to?: string;
  held_until?: string;
  note?: string;
  due_at: string;
  is_overdue: boolean;
  created_at: string;
  outcome?: CaseDecision;
  closed_at?: string;
}

export interface CasePicture {
  name: string;
  role: PictureRole;
  resource_id?: string;
  width?: number;
  height?: number;
  time?: number;
}

export interface CaseHistory {
  findings: number;
  confirmed: number;
  dismissed: number;
}

export interface CaseAge {
  years: number;
  low?: number;
  high?: number;
  threshold?: number;
}

export interface Finding {
  notification_id: string;
  moderation_id: string;
  reason: "BANNED_PROFILE" | "AGE_ESTIMATION" | "UNKNOWN_FACE";
  content: { id: string; type: string; url?: string; title?: string; uploader_id?: string; is_gone: boolean };
  frame_time?: number;
  observed_at: number;
  face_edges?: number[];
  person?: {
    profile_id: string;
    display_name?: string;
    reference?: string;
    is_banned: boolean;
    ban_reason?: string;
    faces: number;
  };
  distance?: number;
  max_distance?: number;
  age?: CaseAge;
  age_group?: string;
  quality?: number;
  person_history: CaseHistory;
  uploader_history: CaseHistory;
}

export interface CaseField {
  name: string;
  zone?: string;
  barcode?: string;
  print?: string;
  agrees?: boolean;
}

export interface CaseMeasure {
  check: string;
  value: number;
  limit: string;
  verdict: string;
  reason: string;
}

export interface CaseResource {
  id: string;
  kind: string;
  document_type?: string;
  issuing_country?: string;
  fields: CaseField[];
  zone: string[];
  measures: CaseMeasure[];
  faults: string[];
}

export interface DocumentCheck {
  check_id: string;
  session_id: string;
  type: string;
  proposed: string;
  proposed_reason?: string;
  breakdown: { sub_check: string; passed: boolean; details: { name: string; value: string }[] }[];
  resources: CaseResource[];
}

export interface Case extends CaseItem {
  decisions: CaseDecision[];
  policy: string;
  pictures: CasePicture[];
  deletes_at?: string;
  finding?: Finding;
  document_check?: DocumentCheck;
}

export interface Exposure {
  seconds_today: number;
  budget_seconds?: number;
  is_break_due: boolean;
}

export interface QueueFigures {
  open: number;
  overdue: number;
  held: number;
  mine: number;
  first_due_at?: string;
}

export interface Queue {
  id: string;
  name: string;
  figures: QueueFigures;
}

/** A case as the page sends it to be decided. */
export interface DecisionInput {
  decision: CaseDecision;
  reason_code?: string;
  comment?: string;
  exposure_seconds: number;
}

interface Claimed {
  cases: Case[];
  exposure: Exposure;
}

interface QueueList {
  queues: Queue[];
  without_queue: QueueFigures;
  exposure: Exposure;
}

/** Which cases a list has. */
export interface CaseFilter {
  state?: string;
  kind?: string;
  queue_id?: string;
  member_id?: string;
  overdue?: string;
}

interface CaseList {
  cases: CaseItem[];
  total_count: number;
  page: number;
}

const path = (id: string, rest = "") => `/console/cases/${encodeURIComponent(id)}${rest}`;

export function listQueues(): Promise<QueueList> {
  return call("GET", "/console/queues") as Promise<QueueList>;
}

/** Claims until the reviewer holds `count` cases; answers all that they hold. */
export function claimCases(queue: string | undefined, count: number): Promise<Claimed> {
  return call("POST", "/console/cases/claim", {
    count,
    ...(queue ? { queue_id: queue } : {}),
  } as never) as Promise<Claimed>;
}

/** Leases that go on; cases that are missing are the reviewer's no more. */
export function renewLeases(cases: readonly string[]): Promise<{ leases: { case_id: string; lease_until: string }[] }> {
  return call("POST", "/console/cases/renew", { case_ids: cases } as never) as Promise<{
    leases: { case_id: string; lease_until: string }[];
  }>;
}

export async function releaseCase(id: string, options?: CallOptions): Promise<void> {
  await call("POST", path(id, "/release"), undefined, options);
}

export interface HoldInput {
  until: string;
  note?: string;
}

export async function holdCase(id: string, input: HoldInput): Promise<void> {
  await call("POST", path(id, "/hold"), input as never);
}

export async function assignCase(id: string, member: string): Promise<void> {
  await call("POST", path(id, "/assign"), { member_id: member } as never);
}

export function decideCase(id: string, input: DecisionInput): Promise<{ settles_at: string }> {
  return call("PUT", path(id, "/decision"), input as never) as Promise<{ settles_at: string }>;
}

export async function undoDecision(id: string): Promise<void> {
  await call("DELETE", path(id, "/decision"));
}

export function recordViews(id: string, views: { picture: string; seconds: number }[]): Promise<Exposure> {
  return call("POST", path(id, "/views"), { views } as never) as Promise<Exposure>;
}

export function getCase(id: string): Promise<Case> {
  return call("GET", path(id)) as Promise<Case>;
}

export function listCases(filter: CaseFilter, page: number): Promise<CaseList> {
  const query = new URLSearchParams({ page: `${page}` });
  for (const [name, value] of Object.entries(filter)) {
    if (value) {
      query.set(name, value);
    }
  }
  return call("GET", `/console/cases?${query}`) as Promise<CaseList>;
}
