// What the server has to do, and what it has deleted for good: jobs, and receipts of deletions.

import type { ConsolePaths, ResponseOf } from "../../shared/schema";
import { call } from "./client";

type Lanes = ConsolePaths["/console/job-lanes"]["get"];
type Jobs = ConsolePaths["/console/jobs"]["get"];
type Receipt = ConsolePaths["/console/deletion-receipts/{accountId}"]["get"];

export type Lane = ResponseOf<Lanes>["lanes"][number];
export type Job = ResponseOf<Jobs>["jobs"][number];
export type DeletionReceipt = ResponseOf<Receipt>;

export const JOB_STATES = ["PARKED", "WAITING", "RUNNING"] as const satisfies readonly Job["state"][];

const job = (id: string, rest = "") => `/console/jobs/${encodeURIComponent(id)}${rest}`;

export async function listLanes(): Promise<Lane[]> {
  return (await call<Lanes>("GET", "/console/job-lanes")).lanes;
}

export function listJobs(state: Job["state"], after: string): Promise<ResponseOf<Jobs>> {
  return call<Jobs>("GET", `/console/jobs?${new URLSearchParams({ state, ...(after === "" ? {} : { after }) })}`);
}

export async function retryJob(id: string): Promise<void> {
  await call("POST", job(id, "/retry"));
}

export async function discardJob(id: string): Promise<void> {
  await call("DELETE", job(id));
}

/** The signed receipt of an account that was deleted. */
export function deletionReceipt(account: string): Promise<DeletionReceipt> {
  return call<Receipt>("GET", `/console/deletion-receipts/${encodeURIComponent(account)}`);
}
