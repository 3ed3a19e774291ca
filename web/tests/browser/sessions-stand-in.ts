// A stand-in for sessions of document and age verification, and for what an application uses.

import type { LimitUsage, LoggedRequest, UsageDay } from "../../console/api/usage";
import type { FunnelStep, TimelineEntry, VerificationSession } from "../../console/api/verification-sessions";
import type { ConsolePaths, PathsBelow, RequestBodyOf } from "../../shared/schema";
import { refuse } from "./cases-stand-in";
import { type Reply, reply } from "./holder-stand-in";

type Operations = PathsBelow<ConsolePaths, "/console">;

/** As many as the server lists at once. */
const ITEMS_PER_LIST = 50;
export const APPLICATION = "63000000-0000-4000-8000-000000000001";

export function verificationSession(number: number, more: Partial<VerificationSession> = {}): VerificationSession {
  return {
    id: `71000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
    kind: "AGE",
    application_id: APPLICATION,
    sandbox: false,
    state: "FAIL",
    outcome: "FAILED",
    reason: "UNDER_AGE",
    last_step: "AGE_ESTIMATION",
    created_at: "2026-01-16T14:40:00Z",
    ended_at: "2026-01-16T14:42:00Z",
    expires_at: "2026-01-16T15:40:00Z",
    deleted_at: "2026-01-23T14:40:00Z",
    ...more,
  };
}

export class SessionsStandIn {
  all: VerificationSession[] = [];
  timeline: TimelineEntry[] = [];
  steps: FunnelStep[] = [];
  days: UsageDay[] = [];
  limits: LimitUsage[] = [
    { limit: "burst", allowed: 60, used: 57, reset_seconds: 3, is_own: false },
    { limit: "stored_bytes", used: 1024, is_own: false },
    { limit: "calls_per_minute", allowed: 600, is_own: true },
  ];
  requests: LoggedRequest[] = [];
  fourEyes = false;
  /** References of sessions, by their ids. */
  readonly references = new Map<string, string>();

  answer(operation: string, body: unknown, query: URLSearchParams): Reply | undefined {
    const asked = operation.replace("/console", "");
    const [, id = ""] = /\/verification-sessions\/([\da-f-]{36})/.exec(asked) ?? [];
    const found = this.all.find((one) => one.id === id);
    if (id !== "" && !found) {
      return refuse(404, "there is no such session", "NOT_FOUND");
    }
    switch (id === "" ? asked.replace(/[\da-f-]{36}/, "ID") : asked.replace(id, "ID")) {
      case "GET /verification-sessions":
        return this.#list(query);
      case "GET /verification-sessions/funnel":
        return reply<Operations["/verification-sessions/funnel"]["get"]>(200, {
          steps: this.steps.filter(({ kind }) => !query.get("kind") || kind === query.get("kind")),
        });
      case "GET /verification-sessions/ID":
        return found
          ? reply<Operations["/verification-sessions/{verificationSessionId}"]["get"]>(200, {
              session: found,
              timeline: this.timeline,
            })
          : undefined;
      case "POST /verification-sessions/ID/cancel":
        if (found) {
          Object.assign(found, { state: "CANCELLED", outcome: "LEFT", ended_at: "2026-01-16T15:00:00Z" });
        }
        return [204];
      case "DELETE /verification-sessions/ID": {
        if (this.fourEyes) {
          const approval_id = "66000000-0000-4000-8000-000000000009";
          return reply<Operations["/verification-sessions/{verificationSessionId}"]["delete"]>(202, { approval_id });
        }
        this.all = this.all.filter((one) => one !== found);
        return [204];
      }
      case "GET /applications/ID/usage":
        return reply<Operations["/applications/{applicationId}/usage"]["get"]>(200, {
          days: this.days,
          limits: this.limits,
        });
      case "PATCH /applications/ID":
        this.#setLimits(body as RequestBodyOf<Operations["/applications/{applicationId}"]["patch"]>);
        // What else changes is answered where applications are.
        return undefined;
      case "GET /applications/ID/requests": {
        const refused = query.get("refused") === "true";
        return reply<Operations["/applications/{applicationId}/requests"]["get"]>(200, {
          requests: this.requests.filter(({ status }) => !refused || status >= 400),
        });
      }
      case "POST /sandbox/clock": {
        const { seconds } = body as RequestBodyOf<Operations["/sandbox/clock"]["post"]>;
        return seconds > 0
          ? reply<Operations["/sandbox/clock"]["post"]>(200, { sessions: 2 })
          : refuse(400, "seconds: it is 0");
      }
      default:
        return undefined;
    }
  }

  /** The configuration has no limits here. */
  #setLimits({ limits }: RequestBodyOf<Operations["/applications/{applicationId}"]["patch"]>): void {
    for (const { limit, allowed } of limits ?? []) {
      const at = this.limits.findIndex((one) => one.limit === limit);
      const { allowed: _, ...known } = this.limits[at] as LimitUsage;
      this.limits[at] = { ...known, is_own: typeof allowed === "number", ...(allowed ? { allowed } : {}) };
    }
  }

  #list(query: URLSearchParams): Reply {
    if (query.get("reference") && !query.get("application_id")) {
      return refuse(400, "application_id: a reference belongs to an application; name it");
    }
    const matching = this.all.filter(
      (one) =>
        (!query.get("kind") || one.kind === query.get("kind")) &&
        (!query.get("outcome") || one.outcome === query.get("outcome")) &&
        (!query.get("sandbox") || `${one.sandbox}` === query.get("sandbox")) &&
        (!query.get("reference") || this.references.get(one.id) === query.get("reference")),
    );
    const from = Number(query.get("after") ?? 0);
    const sessions = matching.slice(from, from + ITEMS_PER_LIST);
    const end = from + ITEMS_PER_LIST;
    const next = end < matching.length ? { next: `${end}` } : {};
    return reply<Operations["/verification-sessions"]["get"]>(200, { sessions, ...next });
  }
}
