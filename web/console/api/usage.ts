// What an application uses: calls by day, limits, its latest requests; and the clock of its sandbox.

import type { ConsolePaths, RequestBodyOf, ResponseOf } from "../../shared/schema";
import { call } from "./client";

type Usage = ConsolePaths["/console/applications/{applicationId}/usage"]["get"];
type Requests = ConsolePaths["/console/applications/{applicationId}/requests"]["get"];
type AdvanceClock = ConsolePaths["/console/sandbox/clock"]["post"];

export type ApplicationUsage = ResponseOf<Usage>;
export type UsageDay = ApplicationUsage["days"][number];
export type LimitUsage = ApplicationUsage["limits"][number];
export type LoggedRequest = ResponseOf<Requests>["requests"][number];

const application = (id: string) => `/console/applications/${encodeURIComponent(id)}`;

export function applicationUsage(id: string, from: string, to: string): Promise<ApplicationUsage> {
  return call<Usage>("GET", `${application(id)}/usage?${new URLSearchParams({ from, to })}`);
}

/** A page of the latest requests; `refused`: only those. */
export function listRequests(id: string, refused: boolean, after: string): Promise<ResponseOf<Requests>> {
  const query = new URLSearchParams({ ...(refused ? { refused: "true" } : {}), ...(after === "" ? {} : { after }) });
  return call<Requests>("GET", `${application(id)}/requests?${query}`);
}

/** Puts the clock of sandbox sessions forward; answers of how many. */
export async function advanceSandboxClock(input: RequestBodyOf<AdvanceClock>): Promise<number> {
  return (await call<AdvanceClock>("POST", "/console/sandbox/clock", input)).sessions;
}
