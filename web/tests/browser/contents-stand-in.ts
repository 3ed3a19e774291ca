// A stand-in for the server's contents, moderations and searches by faces.

import type {
  Content,
  ContentReports,
  FindingMatch,
  FindingSearch,
  Moderation,
  Notification,
  Operations,
  ProfileMatch,
  SeenFace,
} from "../../console/api/account";
import type { RequestBodyOf } from "../../shared/schema";
import { refuse } from "./cases-stand-in";
import { type Reply, reply } from "./holder-stand-in";

type Resolve = Operations["/contents/{id}/reports/{reportId}"]["put"];

const PAGE_SIZE = 20;
const MAX_FINDINGS = 100;
/** How a JPEG file begins, in base64. */
const JPEG = "/9j/";

function numbered(kind: string, number: number): string {
  return `${kind}0000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

export function content(number: number, title: string | null, more: Partial<Content> = {}): Content {
  return {
    id: numbered("2", number),
    type: "VIDEO",
    url: `https://videos.example.com/${number}.mp4`,
    title,
    profile_ids: [],
    archived: false,
    created_at: "2026-01-16T14:40:00Z",
    ...more,
  };
}

export function moderation(number: number, of: Content, more: Partial<Moderation> = {}): Moderation {
  return {
    id: numbered("3", number),
    content_id: of.id,
    content_type: of.type,
    url: of.url ?? null,
    state: "DONE",
    position: 61.2,
    unjudged_faces: 0,
    created_at: "2026-01-16T14:41:00Z",
    started_at: "2026-01-16T14:41:02Z",
    ended_at: "2026-01-16T14:43:00Z",
    checks: [
      { id: numbered("b", 2 * number), check_type: "BANNED_PROFILE" },
      { id: numbered("b", 2 * number + 1), check_type: "AGE_ESTIMATION" },
    ],
    requested: { unknown_faces: false, age_estimation: 18, profile_ids: [], group_ids: [] },
    notifications: [],
    ...more,
  };
}

/** A face that a moderation saw. */
export function seenFace(number: number, more: Partial<SeenFace> = {}): SeenFace {
  return {
    id: numbered("c", number),
    frame_time: number,
    profile_id: null,
    is_banned: false,
    age_group: "adult",
    face_top: 68,
    face_right: 439,
    face_bottom: 175,
    face_left: 333,
    ...more,
  };
}

/** A face that is like the one that is looked for. */
export function findingMatch(of: Moderation, face: SeenFace, similarity: number): FindingMatch {
  const { id, ...rest } = face;
  return {
    ...rest,
    finding_id: id,
    moderation_id: of.id,
    content_id: of.content_id,
    content_type: of.content_type,
    url: of.url ?? null,
    observed_at: "2026-01-16T14:42:00Z",
    similarity,
    distance: Math.round(1000 * (1 - similarity)) / 1000,
  };
}

export class ContentsStandIn {
  all: Content[] = [];
  moderations: Moderation[] = [];
  readonly reports = new Map<string, ContentReports["reports"]>();
  /** Faces that a moderation saw. */
  readonly faces = new Map<string, SeenFace[]>();
  /** What searches find, whatever the picture: whom a face may be, and where it was seen. */
  people: ProfileMatch[] = [];
  seen: FindingMatch[] = [];
  /** Why the server takes no picture, where it does not. */
  refusal: string | undefined;
  /** How many findings one search compares. */
  comparedAtOnce = MAX_FINDINGS;

  /** Answers what is asked of contents, moderations and searches; nothing of anything else. */
  answer(
    operation: string,
    body: unknown,
    query: URLSearchParams,
    notifications: readonly Notification[],
  ): Reply | undefined {
    const [, id = ""] = /([0-9a-f]{8}-[0-9a-f-]{27})/.exec(operation) ?? [];
    const page = Number(query.get("page") ?? 1);
    const part = <T>(all: readonly T[]) => all.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
    const made = this.moderations.find((one) => one.id === id);
    const [, report = ""] = /reports\/([0-9a-f-]{36})$/.exec(operation) ?? [];
    switch (operation.replace(id || "-", "ID").replace(report || "-", "REPORT")) {
      case "GET contents": {
        const found = this.all.filter((one) => isAskedFor(one, query));
        const answer = { contents: part(found), id: part(found)[0]?.id ?? null, total_count: found.length };
        return reply<Operations["/contents"]["get"]>(201, answer);
      }
      case "GET contents/ID/moderations": {
        const contents = part(this.moderations.filter((one) => one.content_id === id));
        return reply<Operations["/contents/{id}/moderations"]["get"]>(200, { contents });
      }
      case "GET contents/ID/reports": {
        const reports = this.reports.get(id) ?? [];
        const answer = { reports: part(reports), total_count: reports.length };
        return reply<Operations["/contents/{id}/reports"]["get"]>(200, answer);
      }
      case "GET moderations/ID":
        return made ? this.#overview(made) : refuse(404, "there is no such moderation");
      case "GET moderations/ID/details":
        return made
          ? reply<Operations["/moderations/{moderationId}/details"]["get"]>(200, { contents: made })
          : refuse(404, "there is no such moderation");
      case "GET moderations/ID/results": {
        const faces = this.faces.get(id) ?? [];
        return made
          ? reply<Operations["/moderations/{moderationId}/results"]["get"]>(200, {
              content_type: made.content_type,
              state: made.state,
              total_count: faces.length,
              face_check_results: faces,
            })
          : refuse(404, "there is no such moderation");
      }
      case "GET moderations/ID/notifications": {
        const all = notifications.filter(({ data }) => data.moderation_id === id);
        const answer = { notifications: part(all), meta: { total_count: all.length, page } };
        return reply<Operations["/moderations/{moderationId}/notifications"]["get"]>(200, answer);
      }
      case "PUT contents/ID/reports/REPORT":
        return this.#resolved(id, report, body as RequestBodyOf<Resolve>);
      case "POST profiles/search":
        return this.#searchPeople(body as RequestBodyOf<Operations["/profiles/search"]["post"]>);
      case "POST findings/search":
        return this.#searchFindings(body as FindingSearch);
      default:
        return undefined;
    }
  }

  #overview(made: Moderation): Reply {
    const { id, state, position, unjudged_faces, created_at, started_at, ended_at, error } = made;
    const of = this.all.find((one) => one.id === made.content_id);
    const uploader = of?.uploader_id ? { id: of.uploader_id, display_name: "", reference: "" } : null;
    return reply<Operations["/moderations/{moderationId}"]["get"]>(200, {
      content: {
        id: made.content_id,
        type: made.content_type,
        url: made.url ?? null,
        uploader,
        profiles: [],
        groups: [],
      },
      moderation: {
        id,
        state,
        position,
        unjudged_faces,
        created_at,
        started_at: started_at ?? null,
        ended_at: ended_at ?? null,
        error: error ?? null,
      },
    });
  }

  #resolved(content: string, report: string, { resolution }: RequestBodyOf<Resolve>): Reply {
    const all = this.reports.get(content) ?? [];
    if (!all.some(({ id }) => id === report)) {
      return refuse(404, "there is no such report");
    }
    const decided = { resolution, reviewed_at: "2026-01-18T09:00:00Z" };
    this.reports.set(
      content,
      all.map((one) => (one.id === report ? { ...one, ...decided } : one)),
    );
    return [204];
  }

  #searchPeople({ face, most }: RequestBodyOf<Operations["/profiles/search"]["post"]>): Reply {
    const problem = this.#problem(face);
    if (problem) {
      return problem;
    }
    const profiles = this.people.slice(0, most ?? 5);
    return reply<Operations["/profiles/search"]["post"]>(200, { profiles });
  }

  #searchFindings({ face, profile_id, most, continue_from }: FindingSearch): Reply {
    const problem = profile_id ? undefined : this.#problem(face);
    if (problem || (face && profile_id)) {
      return problem ?? refuse(400, "profile_id: it is given instead of face, not beside it", "INVALID_REQUEST");
    }
    const at = continue_from ? 1 + this.seen.findIndex((one) => one.finding_id === continue_from) : 0;
    const compared = this.seen.slice(at, at + this.comparedAtOnce);
    const rest = this.seen.length > at + compared.length;
    const alike = [...compared].sort((one, other) => other.similarity - one.similarity);
    const last = compared.at(-1);
    return reply<Operations["/findings/search"]["post"]>(200, {
      findings: alike.slice(0, most ?? PAGE_SIZE),
      total_count: alike.length,
      compared: compared.length,
      not_comparable: 0,
      keep_embeddings_days: 90,
      ...(last ? { searched_back_to: last.observed_at } : {}),
      ...(rest && last ? { continue_from: last.finding_id } : {}),
    });
  }

  #problem(face: string | null | undefined): Reply | undefined {
    if (!face?.startsWith(JPEG)) {
      return refuse(400, "face: it is a JPEG or PNG file in padded base64", "INVALID_REQUEST");
    }
    return this.refusal ? refuse(422, this.refusal, "FACE_REFUSED") : undefined;
  }
}

function isAskedFor(one: Content, query: URLSearchParams): boolean {
  const [title, from, before] = [query.get("title"), query.get("created_from"), query.get("created_before")];
  return (
    (!title || (one.title ?? "").toLowerCase().includes(title.toLowerCase())) &&
    (!query.get("type") || one.type === query.get("type")) &&
    (!query.get("uploader_id") || one.uploader_id === query.get("uploader_id")) &&
    (!query.get("archived") || `${one.archived}` === query.get("archived")) &&
    (!from || Date.parse(one.created_at) >= Date.parse(from)) &&
    (!before || Date.parse(one.created_at) < Date.parse(before))
  );
}
