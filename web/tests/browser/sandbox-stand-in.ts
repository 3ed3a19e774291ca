// A stand-in for what the sandbox of an application answers.

import type { AgeOutcome, SentResponses } from "../../console/api/sandbox";
import type { ConsoleScope } from "../../console/api/session";
import type { ConsolePaths, PathsBelow, RequestBodyOf } from "../../shared/schema";
import { refuse } from "./cases-stand-in";
import { type Reply, reply } from "./holder-stand-in";

type Operations = PathsBelow<ConsolePaths, "/console">;
type SetResponses = Operations["/sandbox/document-responses"]["put"];

const MAX_DELAY_SECONDS = 3600;
const MAX_AGE_YEARS = 120;

export class SandboxStandIn {
  documents: SentResponses = { check_reports: {}, task_results: {} };
  /** Age sessions of the sandbox, and the outcomes that they were given. */
  readonly ageSessions = new Map<string, AgeOutcome | undefined>();

  answer(operation: string, body: unknown, granted: readonly ConsoleScope[]): Reply | undefined {
    const asked = operation.replace("/console/sandbox", "");
    const [, session] = /^PUT \/age-sessions\/([\da-f-]{36})\/response$/.exec(asked) ?? [];
    if (!session && !asked.endsWith("/document-responses")) {
      return undefined;
    }
    if (!granted.includes("sandbox:manage")) {
      return refuse(401, "the scope sandbox:manage is needed", "UNAUTHORIZED");
    }
    if (session) {
      return this.#setAge(session, body as AgeOutcome);
    }
    if (asked.startsWith("GET ")) {
      return reply<Operations["/sandbox/document-responses"]["get"]>(200, { config: this.documents });
    }
    const { config } = body as RequestBodyOf<SetResponses>;
    const delay = config.async_report_delay ?? 0;
    if (delay < 0 || delay > MAX_DELAY_SECONDS) {
      return refuse(400, `config.async_report_delay: it is ${delay}`, "INVALID_REQUEST");
    }
    this.documents = config as SentResponses;
    return [204];
  }

  #setAge(session: string, outcome: AgeOutcome): Reply {
    const age = outcome.age ?? 0;
    if (age < 0 || age > MAX_AGE_YEARS) {
      return refuse(400, `age: it is ${age}; a whole number from 0 to 120 is expected`, "INVALID_REQUEST");
    }
    if (!this.ageSessions.has(session)) {
      return refuse(404, "there is no such session", "NOT_FOUND");
    }
    this.ageSessions.set(session, outcome);
    return [204];
  }
}
