// A stand-in for the server's cases: claims, leases, decisions that can be taken back, views.

import type { Case, Exposure, Queue } from "../../console/api/cases";
import type { ConsolePaths, PathsBelow, RequestBodyOf, ResponseOf } from "../../shared/schema";
import { FRAME } from "./case-pictures";
import { type Reply, reply } from "./holder-stand-in";

type Operations = PathsBelow<ConsolePaths, "/console">;
type Claim = Operations["/cases/claim"]["post"];
type CreateQueue = Operations["/queues"]["post"];
type Decision = Operations["/cases/{caseId}/decision"];

const LEASE_MS = 60_000;
/** Longer than any machine needs to press Undo. */
const UNDO_MS = 60_000;
const HOUR_MS = 3_600_000;

export function refuse(status: number, message: string, code = "REFUSED"): Reply {
  return [status, { code, message }];
}

export function numbered(kind: number, number: number): string {
  return `${kind}0000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

const fromNow = (ms: number) => new Date(Date.now() + ms).toISOString();

const COMMON = {
  state: "OPEN",
  priority: 0,
  is_appeal: false,
  is_overdue: false,
} as const;

const NO_CODES = { reason_codes: [] };

const NO_HISTORY = { findings: 0, confirmed: 0, dismissed: 0 };

/** A face that was found, and what is known of it. */
export function findingCase(number: number, more: Partial<Case> = {}): Case {
  return {
    ...COMMON,
    ...NO_CODES,
    id: numbered(7, number),
    kind: "FINDING",
    reason: "AGE_ESTIMATION",
    due_at: fromNow(3 * HOUR_MS),
    created_at: fromNow(-HOUR_MS),
    decisions: ["CONFIRM", "FALSE_ALARM"],
    policy: "Confirm if the person may be under 18. Costumes and make-up are no reason for a false alarm.",
    pictures: [
      { name: "face", role: "FACE", width: 320, height: 320, time: 12.5 },
      { name: "frame", role: "FRAME", width: FRAME.width, height: FRAME.height, time: 12.5 },
      ...[1, 2, 3, 4, 5].map((at) => ({
        name: `strip-${at}`,
        role: "STRIP" as const,
        width: 112,
        height: 112,
        time: 10 + at,
      })),
    ],
    deletes_at: "2026-12-03T09:00:00Z",
    finding: {
      notification_id: numbered(1, number),
      moderation_id: numbered(3, number),
      reason: "AGE_ESTIMATION",
      content: {
        id: numbered(2, number),
        type: "VIDEO",
        url: `https://videos.example.com/${number}.mp4`,
        title: "Summer at the lake",
        uploader_id: numbered(8, number),
        is_gone: false,
      },
      frame_time: 12.5,
      observed_at: 1_768_574_412.5,
      face_edges: FRAME.edges,
      age: { years: 19.4, low: 14.6, high: 24.1, threshold: 18 },
      age_group: "adult_young",
      quality: 0.83,
      person_history: NO_HISTORY,
      uploader_history: { findings: 12, confirmed: 7, dismissed: 4 },
    },
    ...more,
  };
}

/** A face that looks like a banned person's. */
export function matchCase(number: number): Case {
  const made = findingCase(number, { reason: "BANNED_PROFILE", policy: "" });
  if (made.finding) {
    made.finding.reason = "BANNED_PROFILE";
    made.finding.person = {
      profile_id: numbered(4, number),
      display_name: "Bob",
      reference: "customer-1",
      is_banned: true,
      ban_reason: "fights",
      faces: 3,
    };
    made.finding.distance = 0.41;
    made.finding.max_distance = 0.52;
    made.finding.false_match_rate = 0.000_08;
    made.pictures.push(
      { name: "enrolled-1", role: "ENROLLED", width: 320, height: 320 },
      { name: "enrolled-2", role: "ENROLLED", width: 112, height: 112 },
    );
    made.finding.person_history = { findings: 4, confirmed: 3, dismissed: 1 };
  }
  return made;
}

/** A document whose check waits for a reviewer. */
export function documentCase(number: number): Case {
  const document = numbered(9, 1);
  return {
    ...COMMON,
    ...NO_CODES,
    id: numbered(7, number),
    kind: "DOCUMENT_CHECK",
    reason: "ID_DOCUMENT_FACE_MATCH",
    due_at: fromNow(-2 * HOUR_MS),
    is_overdue: true,
    created_at: fromNow(-26 * HOUR_MS),
    decisions: ["APPROVE", "CONSIDER", "REJECT"],
    policy: "",
    pictures: [
      { name: "page-1", role: "PAGE", resource_id: document },
      { name: "portrait", role: "PORTRAIT", resource_id: document },
      { name: "selfie", role: "SELFIE", resource_id: numbered(9, 2) },
    ],
    deletes_at: "2026-12-24T09:00:00Z",
    document_check: {
      check_id: numbered(5, number),
      session_id: numbered(6, number),
      type: "ID_DOCUMENT_FACE_MATCH",
      proposed: "CONSIDER",
      proposed_reason: "LARGE_DIFFERENCE",
      breakdown: [
        { sub_check: "ai_face_match", passed: false, details: [{ name: "confidence_score", value: "0.47" }] },
        { sub_check: "manual_face_match", passed: true, details: [] },
      ],
      resources: [
        {
          id: document,
          kind: "ID_DOCUMENT",
          document_type: "PASSPORT",
          issuing_country: "GBR",
          fields: [
            { name: "family_name", zone: "SPECIMEN", print: "SPECIMEN", agrees: true },
            { name: "date_of_birth", zone: "1985-09-04", print: "1985-09-14", agrees: false },
            { name: "document_number", zone: "533380006" },
          ],
          zone: ["P<GBRSPECIMEN<<ANGELA<ZOE<<<<<<<<<<<<<<<<<<<", "5333800068GBR8509047F2509286<<<<<<<<<<<<<<04"],
          measures: [
            { check: "screen", value: 1.64, limit: "at most 1.8 decades", verdict: "pass", reason: "" },
            { check: "sharpness", value: 0.21, limit: "at least 0.35", verdict: "doubt", reason: "print is blurred" },
            { check: "known_form", value: 0, limit: "the forms of the issuer", verdict: "fail", reason: "" },
          ],
          faults: ["GLARE"],
        },
        { id: numbered(9, 2), kind: "FACE_CAPTURE", fields: [], zone: [], measures: [], faults: [] },
      ],
    },
  };
}

/** Somebody who was refused for their age asks that a person looks again. */
export function ageAppealCase(number: number, more: Partial<NonNullable<Case["age_appeal"]>> = {}): Case {
  const reason = more.reason ?? "UNDER_AGE";
  return {
    ...COMMON,
    ...NO_CODES,
    id: numbered(7, number),
    kind: "AGE_APPEAL",
    reason,
    language: "en",
    due_at: fromNow(20 * HOUR_MS),
    created_at: fromNow(-HOUR_MS),
    decisions: ["UPHOLD", "OVERTURN"],
    policy: "",
    pictures: [{ name: "capture", role: "SELFIE" }],
    deletes_at: "2026-12-24T09:00:00Z",
    age_appeal: {
      session_id: numbered(6, number),
      state: "OPEN",
      type: "OVER",
      method: "AGE_ESTIMATION",
      threshold: 18,
      estimate: { years: 17.2, low: 14.1, high: 20.3 },
      reason,
      level: "ACTIVE",
      session_state: "FAIL",
      attempts: 2,
      refused_at: "2026-11-23T14:05:00Z",
      appealed_at: "2026-11-24T09:00:00Z",
      statement: "I am 19 years old.",
      ...more,
    },
  };
}

/** A queue as it was set up. */
function queueOf(id: string, input: RequestBodyOf<CreateQueue>): Queue {
  return {
    id,
    name: input.name,
    of_application: input.of_application ?? false,
    rules: input.rules ?? {},
    priority: input.priority ?? 0,
    target_minutes: input.target_minutes ?? 1440,
    opinions: input.opinions ?? 1,
    second_opinion_percent: input.second_opinion_percent ?? 0,
    golden_percent: input.golden_percent ?? 0,
    policy: input.policy ?? "",
    reason_codes: input.reason_codes ?? [],
    created_at: "2026-01-16T14:40:00Z",
    figures: { open: 3, overdue: 1, held: 0, mine: 0 },
  };
}

export class CasesStandIn {
  /** Cases that wait or were decided here, in the order in which they are claimed. */
  all: Case[] = [];
  queues: Queue[] = [];
  exposure: Exposure = { seconds_today: 480, budget_seconds: 14_400, is_break_due: false };
  /** Whether the day's budget is used up. */
  isUsedUp = false;
  /** What was decided, and what was put on hold: each by its case. */
  readonly decisions = new Map<string, RequestBodyOf<Decision["put"]>>();
  readonly holds = new Map<string, RequestBodyOf<Operations["/cases/{caseId}/hold"]["post"]>>();
  readonly held = new Set<string>();
  readonly views: { picture: string; seconds: number }[] = [];
  /** Right answers of golden cases, by the case that they were made of. */
  readonly golden = new Map<string, string>();
  quality: ResponseOf<Operations["/quality"]["get"]>["reviewers"] = [];
  queueQuality: ResponseOf<Operations["/quality"]["get"]>["queues"] = [];
  /** To whom every case may be handed. */
  assignees: ResponseOf<Operations["/cases/{caseId}/assignees"]["get"]>["assignees"] = [];
  /** Those of `held` whose leases have ended, and that nobody else has taken. */
  readonly ended = new Set<string>();

  /** Sets a queue up. */
  setUp(id: string, input: RequestBodyOf<CreateQueue>): void {
    this.queues.push(queueOf(id, input));
  }

  /** Somebody else has it from now on. */
  take(id: string): void {
    this.#letGo(id);
    const found = this.all.find((one) => one.id === id);
    if (found) {
      found.assigned_to = numbered(0, 9);
    }
  }

  answer(operation: string, body: unknown, query: URLSearchParams, me: string): Reply {
    const [, id = ""] = /\/cases\/([\da-f-]{36})/.exec(operation) ?? [];
    const [, queue] = /\/queues\/([\da-f-]{36})$/.exec(operation) ?? [];
    if (queue) {
      return this.#changed(queue, operation.startsWith("PUT") ? (body as RequestBodyOf<CreateQueue>) : undefined);
    }
    const found = this.all.find((one) => one.id === id);
    switch (operation.replace(id || "-", "ID").replace("/console", "")) {
      case "GET /queues":
        return reply<Operations["/queues"]["get"]>(200, {
          queues: this.queues,
          without_queue: this.#figures(undefined),
          exposure: this.exposure,
        });
      case "POST /queues":
        return this.#created(body as RequestBodyOf<CreateQueue>);
      case "GET /quality":
        return reply<Operations["/quality"]["get"]>(200, { reviewers: this.quality, queues: this.queueQuality });
      case "POST /cases/claim":
        return this.#claim(body as RequestBodyOf<Claim>, me);
      case "POST /cases/renew": {
        const { case_ids } = body as RequestBodyOf<Operations["/cases/renew"]["post"]>;
        const leases = case_ids
          .filter((one) => this.held.has(one))
          .map((case_id) => ({ case_id, lease_until: fromNow(LEASE_MS) }));
        for (const { case_id } of leases) {
          this.ended.delete(case_id);
        }
        return reply<Operations["/cases/renew"]["post"]>(200, { leases });
      }
      case "GET /cases": {
        const page = Number(query.get("page"));
        const matching = this.all
          .filter(({ state }) => !query.get("state") || state === query.get("state"))
          .filter(({ kind }) => !query.get("kind") || kind === query.get("kind"))
          .filter(({ reason }) => !query.get("reason") || reason === query.get("reason"))
          .filter(({ is_overdue }) => query.get("overdue") !== "true" || is_overdue);
        const cases = matching.slice(20 * (page - 1), 20 * page);
        return reply<Operations["/cases"]["get"]>(200, { cases, total_count: matching.length, page });
      }
      case "POST /cases/ID/release":
        this.#letGo(id);
        delete found?.held_by;
        delete found?.assigned_to;
        return [204];
      case "DELETE /cases/ID/decision":
        this.decisions.delete(id);
        this.held.add(id);
        return reply<Decision["delete"]>(200, { lease_until: fromNow(LEASE_MS) });
    }
    if (!found) {
      return refuse(404, "there is no such case", "NOT_FOUND");
    }
    switch (operation.replace(/^(\w+) .*\/(\S+)$/, "$1 $2")) {
      case "POST appeal": {
        const made = { ...found, id: numbered(7, 100 + this.all.length), state: "OPEN" as const, is_appeal: true };
        delete made.closed_at;
        delete made.outcome;
        this.all.push(made);
        return reply<Operations["/cases/{caseId}/appeal"]["post"]>(201, { id: made.id });
      }
      case "POST golden":
        this.golden.set(id, (body as RequestBodyOf<Operations["/cases/{caseId}/golden"]["post"]>).decision);
        return reply<Operations["/cases/{caseId}/golden"]["post"]>(201, { id: numbered(7, 99) });
      case `GET ${id}`:
        return reply<Operations["/cases/{caseId}"]["get"]>(200, found);
      case "POST views": {
        const { views } = body as RequestBodyOf<Operations["/cases/{caseId}/views"]["post"]>;
        this.views.push(...(views ?? []));
        this.exposure = { ...this.exposure, seconds_today: this.exposure.seconds_today + 1 };
        return reply<Operations["/cases/{caseId}/views"]["post"]>(200, this.exposure);
      }
      case "GET assignees":
        return reply<Operations["/cases/{caseId}/assignees"]["get"]>(200, { assignees: this.assignees });
      case "POST assign":
        this.#letGo(id);
        found.assigned_to = (body as RequestBodyOf<Operations["/cases/{caseId}/assign"]["post"]>).member_id;
        return [204];
    }
    if (this.ended.has(id) || !this.held.delete(id)) {
      return refuse(409, "the case is not yours", "CASE_NOT_HELD");
    }
    if (operation.endsWith("/hold")) {
      found.state = "HELD";
      this.holds.set(id, body as RequestBodyOf<Operations["/cases/{caseId}/hold"]["post"]>);
      return [204];
    }
    this.decisions.set(id, body as RequestBodyOf<Decision["put"]>);
    return reply<Decision["put"]>(200, { settles_at: fromNow(UNDO_MS) });
  }

  #letGo(id: string): void {
    this.held.delete(id);
    this.ended.delete(id);
  }

  #created(input: RequestBodyOf<CreateQueue>): Reply {
    const id = numbered(6, this.queues.length + 1);
    this.setUp(id, input);
    return reply<CreateQueue>(201, { id });
  }

  /** A queue is changed, or deleted. */
  #changed(id: string, input: RequestBodyOf<CreateQueue> | undefined): Reply {
    this.queues = this.queues.flatMap((one) => (one.id !== id ? [one] : input ? [queueOf(id, input)] : []));
    return [204];
  }

  #claim({ count, queue_id }: RequestBodyOf<Claim>, me: string): Reply {
    if (this.isUsedUp) {
      return refuse(409, "you have looked at pictures for 240 minutes today", "EXPOSURE_BUDGET_USED_UP");
    }
    const isFull = () => this.held.size - this.ended.size >= (count ?? 1);
    for (const id of [...this.ended]) {
      if (!isFull()) {
        this.ended.delete(id);
      }
    }
    for (const { id } of this.#open(queue_id)) {
      if (!isFull()) {
        this.held.add(id);
      }
    }
    const cases = this.all
      .filter(({ id }) => this.held.has(id) && !this.ended.has(id))
      .map((one) => ({ ...one, held_by: me }));
    return reply<Claim>(200, { cases, exposure: this.exposure });
  }

  #open(queue: string | null | undefined): Case[] {
    return this.all
      .filter(({ id, state, assigned_to }) => state === "OPEN" && !assigned_to && !this.decisions.has(id))
      .filter((one) => !queue || one.queue?.id === queue);
  }

  #figures(queue: string | undefined): Queue["figures"] {
    const open = this.#open(undefined).filter((one) => one.queue?.id === queue);
    return { open: open.length, overdue: open.filter((one) => one.is_overdue).length, held: 0, mine: 0 };
  }
}
