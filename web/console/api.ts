// What the console asks the server for: the documented moderation interface, and sessions.

import type { AnswerOf, ModerationPaths } from "../shared/schema";

type Answer<Path extends keyof ModerationPaths> = AnswerOf<ModerationPaths[Path]["get" & keyof ModerationPaths[Path]]>;

export type Notifications = Answer<"/accounts/{accountId}/notifications">;
/** What members have said of it is `average_score`, 0 to 100, and `total_revies`: the interface spells it so. */
export type Notification = Notifications["notifications"][number];
export type Reviews = Answer<"/accounts/{accountId}/notifications/{id}/reviews">;
export type Review = Reviews["reviews"][number];
export type Members = Answer<"/accounts/{accountId}/members">;
export type Member = Members["members"][number];
export type Invitations = Answer<"/accounts/{accountId}/invitations">;
export type Invitation = Invitations["invitations"][number];
type Content = Answer<"/accounts/{accountId}/contents/{id}">;

/** Who is signed in, to which account, and what they may do there. The console's own operations are in no document. */
export interface Session {
  member: Member;
  account: { id: string; name: string };
  scopes: string[];
}

/** A refusal, in the server's words. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Nobody answered. */
export class Unreachable extends Error {}

/** Calls the server as the console; the session travels in a cookie that no program can read. */
export async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const headers: Record<string, string> = { "x-assay-console": "1" };
  if (body) {
    headers["content-type"] = "application/json";
  }
  let answer: Response;
  let text: string;
  try {
    const sent = body ? JSON.stringify(body) : null;
    answer = await fetch(path, { method, headers, body: sent, credentials: "same-origin", cache: "no-store" });
    text = await answer.text();
  } catch {
    throw new Unreachable();
  }
  const read = parse(text);
  if (!answer.ok) {
    const { message } = (read ?? {}) as { message?: string };
    throw new Refused(answer.status, message ?? `${answer.status}`);
  }
  return read as T;
}

function parse(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Everything that the console does in one account. */
export class Account {
  readonly #base: string;

  constructor(id: string) {
    this.#base = `/accounts/${encodeURIComponent(id)}`;
  }

  notifications(page: number): Promise<Notifications> {
    return call("GET", `${this.#base}/notifications?page=${page}`);
  }

  /** Those that a member is to see: moderations name them. */
  inbox(member: string, page: number): Promise<Notifications> {
    return call("GET", `${this.#base}/members/${member}/inbox?page=${page}`);
  }

  notification(id: string): Promise<Notification> {
    return call("GET", `${this.#base}/notifications/${id}`);
  }

  /** Answers the notification with what members have said of it by then. */
  decide(id: string, word: "accept" | "dismiss", comment: string): Promise<Notification> {
    return call("POST", `${this.#base}/notifications/${id}/${word}`, { comment });
  }

  /** The title of a content, where it was given one. */
  async title(content: string): Promise<string | undefined> {
    const { title } = await call<Content>("GET", `${this.#base}/contents/${content}`);
    return title || undefined;
  }

  async reviews(id: string): Promise<Review[]> {
    const { reviews } = await call<Reviews>("GET", `${this.#base}/notifications/${id}/reviews`);
    return reviews;
  }

  async members(): Promise<Member[]> {
    const { members } = await call<Members>("GET", `${this.#base}/members`);
    return members;
  }

  async invitations(): Promise<Invitation[]> {
    const { invitations } = await call<Invitations>("GET", `${this.#base}/invitations`);
    return invitations;
  }

  invite(email: string, admin: boolean, scopes: string[]): Promise<unknown> {
    return call("POST", `${this.#base}/invitations`, { email, admin, scopes });
  }

  revoke(id: string): Promise<unknown> {
    return call("DELETE", `${this.#base}/invitations/${id}`);
  }

  setScopes(id: string, scopes: string[]): Promise<unknown> {
    return call("PUT", `${this.#base}/members/${id}`, { scopes });
  }

  setAdmin(id: string, admin: boolean): Promise<unknown> {
    return admin ? call("POST", `${this.#base}/admin`, { member_id: id }) : call("DELETE", `${this.#base}/admin/${id}`);
  }

  remove(id: string): Promise<unknown> {
    return call("DELETE", `${this.#base}/members/${id}`);
  }
}

/** Notifications on a page of the interface. */
export const PAGE = 20;

/** What a member may be allowed, in the interface's order. */
export const SCOPES = [
  "contents:list",
  "contents:manage",
  "contents:moderate",
  "contents:view",
  "contents:reports:list",
  "contents:reports:moderate",
  "flags:manage",
  "members:manage",
  "moderations:manage",
  "moderations:view",
  "notifications:manage",
  "notifications:view",
  "profiles:list",
  "profiles:manage",
  "profiles:view",
  "reports:view",
  "reports:manage",
] as const;
export type Scope = (typeof SCOPES)[number];
