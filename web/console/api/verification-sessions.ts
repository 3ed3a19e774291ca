// Sessions of document and of age verification: which there are, what happened in each, how many begin and finish.

import type { ConsolePaths, ResponseOf } from "../../shared/schema";
import { type CallOptions, call, queryOf } from "./client";

type List = ConsolePaths["/console/verification-sessions"]["get"];
type Get = ConsolePaths["/console/verification-sessions/{verificationSessionId}"]["get"];
type Redact = ConsolePaths["/console/verification-sessions/{verificationSessionId}"]["delete"];
type Funnel = ConsolePaths["/console/verification-sessions/funnel"]["get"];

export type VerificationSession = ResponseOf<List>["sessions"][number];
export type VerificationSessionList = ResponseOf<List>;
export type VerificationSessionHistory = ResponseOf<Get>;
export type TimelineEntry = VerificationSessionHistory["timeline"][number];
export type FunnelStep = ResponseOf<Funnel>["steps"][number];
/** Which sessions a list has. */
export type SessionFilter = NonNullable<List["parameters"]["query"]>;
export type FunnelFilter = Funnel["parameters"]["query"];

export const SESSION_KINDS = ["DOCUMENT", "AGE"] as const satisfies readonly VerificationSession["kind"][];
export const STEP_OUTCOMES = ["PASSED", "FAILED", "UNDECIDED", "LEFT"] as const satisfies readonly NonNullable<
  VerificationSession["outcome"]
>[];

const path = (id: string, rest = "") => `/console/verification-sessions/${encodeURIComponent(id)}${rest}`;

export function listVerificationSessions(filter: SessionFilter): Promise<VerificationSessionList> {
  return call<List>("GET", `/console/verification-sessions?${queryOf(filter)}`);
}

export function getVerificationSession(id: string, options?: CallOptions): Promise<VerificationSessionHistory> {
  return call<Get>("GET", path(id), undefined, options);
}

export async function cancelVerificationSession(id: string): Promise<void> {
  await call("POST", path(id, "/cancel"));
}

/** Erases a session; answers whether it was done at once. Otherwise another operator must approve it. */
export async function redactVerificationSession(id: string): Promise<boolean> {
  const pending: ResponseOf<Redact> | undefined = await call<Redact>("DELETE", path(id));
  return pending === undefined;
}

export async function sessionFunnel(filter: FunnelFilter): Promise<FunnelStep[]> {
  return (await call<Funnel>("GET", `/console/verification-sessions/funnel?${queryOf(filter)}`)).steps;
}
