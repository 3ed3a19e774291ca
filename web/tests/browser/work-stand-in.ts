// A stand-in for what the server has to do, and for receipts of what was deleted.

import type { Job, Lane } from "../../console/api/work";
import type { ConsolePaths, PathsBelow } from "../../shared/schema";
import { refuse } from "./cases-stand-in";
import { type Reply, reply } from "./holder-stand-in";

type Operations = PathsBelow<ConsolePaths, "/console">;

export function job(number: number, kind: string, more: Partial<Job> = {}): Job {
  return {
    id: `74000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
    kind,
    lane: "quick",
    state: "PARKED",
    attempts: 5,
    interruptions: 0,
    last_error: "the mail server cannot be reached: connection refused",
    created_at: "2026-01-16T14:40:00Z",
    run_at: "2026-01-16T15:40:00Z",
    subjects: {},
    ...more,
  };
}

export class WorkStandIn {
  jobs: Job[] = [];
  /** Jobs that were tried again. */
  readonly retried: string[] = [];

  answer(asked: string, query: URLSearchParams): Reply | undefined {
    const [, id = ""] = /\/(?:jobs|deletion-receipts)\/([\da-f-]{36})/.exec(asked) ?? [];
    switch (id === "" ? asked : asked.replace(id, "ID")) {
      case "GET /job-lanes":
        return reply<Operations["/job-lanes"]["get"]>(200, { lanes: this.#lanes() });
      case "GET /jobs":
        return reply<Operations["/jobs"]["get"]>(200, {
          jobs: this.jobs.filter(({ state }) => state === query.get("state")),
        });
      case "POST /jobs/ID/retry": {
        const found = this.jobs.find((one) => one.id === id);
        if (!found) {
          return refuse(404, "there is no such job", "NOT_FOUND");
        }
        found.state = "WAITING";
        this.retried.push(found.kind);
        return [204];
      }
      case "DELETE /jobs/ID":
        this.jobs = this.jobs.filter((one) => one.id !== id);
        return [204];
      case "GET /deletion-receipts/ID":
        return reply<Operations["/deletion-receipts/{accountId}"]["get"]>(200, {
          jws: "eyJhbGciOiJFUzI1NiJ9.e30.c2ln",
          key: { alg: "ES256", kid: "1", kty: "EC", crv: "P-256", use: "sig" },
          receipt: {
            id: "75000000-0000-4000-8000-000000000001",
            account_id: id,
            by: "operator",
            requested_at: "2026-01-16T14:40:00Z",
            completed_at: "2026-01-16T14:41:00Z",
            what: {},
          },
        });
      default:
        return undefined;
    }
  }

  #lanes(): Lane[] {
    const lanes = ["quick", "documents", "heavy", "live", "upkeep"] as const;
    return lanes.map((lane) => ({
      lane,
      due: 0,
      running: 1,
      scheduled: 2,
      parked: this.jobs.filter((one) => one.lane === lane && one.state === "PARKED").length,
    }));
  }
}
