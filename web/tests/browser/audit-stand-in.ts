// A stand-in for the audit trail, and for the list of accounts that were deleted.

import type { AuditEntry, AuditRecord, AuditVerification, Deletion } from "../../console/api/audit";
import type { ConsolePaths, PathsBelow, ResponseOf } from "../../shared/schema";
import { refuse } from "./cases-stand-in";
import { type Reply, reply } from "./holder-stand-in";
import { APPLICATION } from "./sessions-stand-in";

type Operations = PathsBelow<ConsolePaths, "/console">;
type ListRecords = Operations["/audit-records"]["get"];

/** Who asks: an operator has neither application nor account. */
export interface Caller {
  application: string | undefined;
  account: string | undefined;
  scopes: readonly string[];
}

/** As many as the server lists at once. */
const ITEMS_PER_LIST = 50;

export function record(seq: number, action: string, more: Partial<AuditEntry> = {}): AuditRecord {
  return {
    seq,
    hash: seq.toString(16).padStart(64, "0"),
    entry: { at: "2026-01-16T14:40:00Z", action, actor: "system", details: {}, ...more },
  };
}

export function deletion(number: number, more: Partial<Deletion> = {}): Deletion {
  const numbered = (kind: string) => `${kind}000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
  return {
    receipt_id: numbered("75"),
    application_id: APPLICATION,
    account_id: numbered("65"),
    requested_by: "operator",
    requested_at: "2026-01-16T14:40:00Z",
    completed_at: "2026-01-16T14:41:00Z",
    ...more,
  };
}

export class AuditStandIn {
  /** The newest first. */
  records: AuditRecord[] = [];
  deletions: Deletion[] = [];
  /** How many records one call looks through. */
  lookedThrough = 20_000;
  verification: AuditVerification = { is_whole: true, verified_at: "2026-01-17T09:00:00Z" };
  isVerifying = false;

  answer(operation: string, query: URLSearchParams, caller: Caller): Reply | undefined {
    const asked = operation.replace("/console", "");
    if (!/ \/(audit-|deletion-receipts)/.test(asked)) {
      return undefined;
    }
    const isWhole = !asked.startsWith("GET /audit-records");
    if (isWhole && caller.account !== undefined) {
      return refuse(401, "this is for operators of the installation", "UNAUTHORIZED");
    }
    if (!caller.scopes.includes("audit:view")) {
      return refuse(401, "the scope audit:view is needed", "UNAUTHORIZED");
    }
    const foreign = this.#foreign(query, caller);
    if (foreign) {
      return refuse(404, `there is no such ${foreign}`, "NOT_FOUND");
    }
    switch (asked) {
      case "GET /audit-records":
        return this.#list(query, caller);
      case "POST /audit-trail/verification":
        return this.isVerifying
          ? refuse(429, "the trail is being verified already", "TOO_MANY_REQUESTS")
          : reply<Operations["/audit-trail/verification"]["post"]>(200, this.verification);
      case "GET /deletion-receipts": {
        const from = Number(query.get("after") ?? 0);
        const end = from + ITEMS_PER_LIST;
        return reply<Operations["/deletion-receipts"]["get"]>(200, {
          deletions: this.deletions.slice(from, end),
          ...(end < this.deletions.length ? { next: `${end}` } : {}),
        });
      }
      default:
        return undefined;
    }
  }

  /** The lines of a file; nothing where it is refused. */
  export(query: URLSearchParams, caller: Caller): string | undefined {
    if (!caller.scopes.includes("audit:view") || this.#foreign(query, caller)) {
      return undefined;
    }
    const found = this.#matching(query, caller).reverse();
    return found
      .map(({ seq, hash, entry }) => `${JSON.stringify({ hash, record: { seq, kind: entry?.action, ...entry } })}\n`)
      .join("");
  }

  /** What a member asks for that is not theirs. */
  #foreign(query: URLSearchParams, { account, application }: Caller): string | undefined {
    const isForeign = (name: string, own: string | undefined) => own && query.get(name) && query.get(name) !== own;
    return isForeign("account_id", account)
      ? "account"
      : isForeign("application_id", application)
        ? "application"
        : undefined;
  }

  #matching(query: URLSearchParams, { account }: Caller): AuditRecord[] {
    const wanted = (name: string) => query.get(name) ?? "";
    // The whole, or its first part.
    const begins = (name: string, text: string, separator: string) =>
      wanted(name) === "" || text === wanted(name) || text.startsWith(`${wanted(name)}${separator}`);
    const is = (name: string, value: string | null | undefined) => wanted(name) === "" || value === wanted(name);
    return this.records.filter(({ entry }) => {
      if (!entry) {
        return account === undefined && !wanted("application_id") && !wanted("account_id");
      }
      return (
        (account === undefined || entry.account_id === account) &&
        begins("actor", entry.actor, ":") &&
        begins("action", entry.action, ".") &&
        is("target", entry.target) &&
        (account !== undefined || is("application_id", entry.application_id)) &&
        is("account_id", entry.account_id) &&
        (wanted("from") === "" || Date.parse(entry.at) >= Date.parse(wanted("from"))) &&
        (wanted("to") === "" || Date.parse(entry.at) < Date.parse(wanted("to")))
      );
    });
  }

  #list(query: URLSearchParams, caller: Caller): Reply {
    const before = Number(query.get("before") ?? Number.POSITIVE_INFINITY);
    const reachable = this.records.filter(({ seq }) => seq < before).slice(0, this.lookedThrough);
    const found = this.#matching(query, caller).filter((one) => reachable.includes(one));
    const records = found.slice(0, ITEMS_PER_LIST);
    const last = found.length > ITEMS_PER_LIST ? records.at(-1) : reachable.at(-1);
    const hasMore = last !== undefined && this.records.some(({ seq }) => seq < last.seq);
    return reply<ListRecords>(200, {
      // Which details there are depends on the kind of record; the document leaves that open.
      records: records as ResponseOf<ListRecords>["records"],
      ...(hasMore && (found.length > ITEMS_PER_LIST || reachable.length === this.lookedThrough)
        ? { next_before: last.seq }
        : {}),
    });
  }
}
