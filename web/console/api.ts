// What the console asks the server for: the documented moderation interface, and sessions.

import type { ConsolePaths, ModerationPaths, PathsBelow, RequestBodyOf, ResponseOf } from "../shared/schema";

/** The operations of an account, by what follows it in their addresses. */
export type Operations = PathsBelow<ModerationPaths, "/accounts/{accountId}">;
type SessionPath = ConsolePaths["/console/session"];

export type Notifications = ResponseOf<Operations["/notifications"]["get"]>;
/** What members have said of it is `average_score`, 0 to 100, and `total_revies`: the interface spells it so. */
export type Notification = Notifications["notifications"][number];
export type Review = ResponseOf<Operations["/notifications/{id}/reviews"]["get"]>["reviews"][number];
export type Member = ResponseOf<Operations["/members"]["get"]>["members"][number];
export type Invitation = ResponseOf<Operations["/invitations"]["get"]>["invitations"][number];

export type Profiles = ResponseOf<Operations["/profiles"]["get"]>;
export type ProfileItem = Profiles["profiles"][number];
export type Profile = ResponseOf<Operations["/profiles/{profileId}"]["get"]>;
export type Dismissal = ResponseOf<Operations["/profiles/{profileId}/dismissals"]["get"]>["dismissals"][number];
export type BanInput = RequestBodyOf<Operations["/profiles/{profileId}/ban"]["post"]>;

/** What a member may be allowed. */
export type Scope = Member["scopes"][number];
/** Why there is a notification. */
export type Reason = Notification["data"]["reasons"][number];
export type AgeGroup = NonNullable<Notification["data"]["age_group"]>;

/** Who is signed in, to which account, and what they may do there. */
export type Session = ResponseOf<SessionPath["get"]>;

/** A refusal, in the server's words. */
export class RefusedError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Nobody answered. */
export class UnreachableError extends Error {}

/** Calls the server as the console; the session travels in a cookie that no program can read. */
async function call<Operation>(
  method: string,
  path: string,
  body?: RequestBodyOf<Operation>,
): Promise<ResponseOf<Operation>> {
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
    throw new UnreachableError();
  }
  const read = parse(text);
  if (!answer.ok) {
    const { message } = (read ?? {}) as { message?: string };
    throw new RefusedError(answer.status, message ?? `${answer.status}`);
  }
  return read as ResponseOf<Operation>;
}

function parse(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The session that the browser has. */
export function resumeSession(): Promise<Session> {
  return call<SessionPath["get"]>("GET", "/console/session");
}

/** Begins a session by what was in a link. */
export function beginSession(link: RequestBodyOf<SessionPath["post"]>): Promise<Session> {
  return call<SessionPath["post"]>("POST", "/console/session", link);
}

export async function endSession(): Promise<void> {
  await call("DELETE", "/console/session");
}

/** Has a link sent to an address, where it is a member's. */
export async function sendLink(email: string): Promise<void> {
  await call<ConsolePaths["/console/sign-in"]["post"]>("POST", "/console/sign-in", { email });
}

/** Everything that the console does in one account. */
export class Account {
  readonly #base: string;

  constructor(id: string) {
    this.#base = `/accounts/${encodeURIComponent(id)}`;
  }

  notifications(page: number): Promise<Notifications> {
    return this.#request<Operations["/notifications"]["get"]>("GET", `/notifications?page=${page}`);
  }

  /** Those that a member is to see: moderations name them. */
  inbox(member: string, page: number): Promise<Notifications> {
    return this.#request<Operations["/members/{memberId}/inbox"]["get"]>(
      "GET",
      `/members/${member}/inbox?page=${page}`,
    );
  }

  notification(id: string): Promise<Notification> {
    return this.#request<Operations["/notifications/{id}"]["get"]>("GET", `/notifications/${id}`);
  }

  /** Answers the notification with what members have said of it by then. */
  decide(id: string, word: "accept" | "dismiss", comment: string): Promise<Notification> {
    type Decide = Operations[`/notifications/{id}/${typeof word}`]["post"];
    return this.#request<Decide>("POST", `/notifications/${id}/${word}`, { comment });
  }

  /** The title of a content, where it was given one. */
  async title(content: string): Promise<string | undefined> {
    const { title } = await this.#request<Operations["/contents/{id}"]["get"]>("GET", `/contents/${content}`);
    return title || undefined;
  }

  async reviews(id: string): Promise<Review[]> {
    type List = Operations["/notifications/{id}/reviews"]["get"];
    return (await this.#request<List>("GET", `/notifications/${id}/reviews`)).reviews;
  }

  /** People, newest first: those who exist, of a reference or of any. */
  profiles({ banned, reference }: { banned: boolean; reference: string }, page: number): Promise<Profiles> {
    const query = new URLSearchParams({ page: `${page}`, active: "true" });
    if (banned) {
      query.set("banned", "true");
    }
    if (reference !== "") {
      query.set("reference", reference);
    }
    return this.#request<Operations["/profiles"]["get"]>("GET", `/profiles?${query}`);
  }

  profile(id: string): Promise<Profile> {
    return this.#request<Operations["/profiles/{profileId}"]["get"]>("GET", `/profiles/${id}`);
  }

  async ban(id: string, ban: BanInput): Promise<void> {
    await this.#request<Operations["/profiles/{profileId}/ban"]["post"]>("POST", `/profiles/${id}/ban`, ban);
  }

  async unban(id: string): Promise<void> {
    await this.#request("POST", `/profiles/${id}/unban`);
  }

  /** The faces that were dismissed as not being a profile's. */
  async dismissals(profile: string): Promise<Dismissal[]> {
    type List = Operations["/profiles/{profileId}/dismissals"]["get"];
    return (await this.#request<List>("GET", `/profiles/${profile}/dismissals`)).dismissals;
  }

  async undoDismissal(profile: string, dismissal: string): Promise<void> {
    await this.#request("DELETE", `/profiles/${profile}/dismissals/${dismissal}`);
  }

  async members(): Promise<Member[]> {
    return (await this.#request<Operations["/members"]["get"]>("GET", "/members")).members;
  }

  async invitations(): Promise<Invitation[]> {
    return (await this.#request<Operations["/invitations"]["get"]>("GET", "/invitations")).invitations;
  }

  async invite(email: string, admin: boolean, scopes: Scope[]): Promise<void> {
    await this.#request<Operations["/invitations"]["post"]>("POST", "/invitations", { email, admin, scopes });
  }

  async revoke(id: string): Promise<void> {
    await this.#request("DELETE", `/invitations/${id}`);
  }

  async setScopes(id: string, scopes: Scope[]): Promise<void> {
    await this.#request<Operations["/members/{memberId}"]["put"]>("PUT", `/members/${id}`, { scopes });
  }

  async setAdmin(id: string, admin: boolean): Promise<void> {
    if (admin) {
      await this.#request<Operations["/admin"]["post"]>("POST", "/admin", { member_id: id });
    } else {
      await this.#request("DELETE", `/admin/${id}`);
    }
  }

  async remove(id: string): Promise<void> {
    await this.#request("DELETE", `/members/${id}`);
  }

  #request<Operation>(method: string, path: string, body?: RequestBodyOf<Operation>): Promise<ResponseOf<Operation>> {
    return call<Operation>(method, this.#base + path, body);
  }
}

/** Entries on a page of the interface. */
export const PAGE_SIZE = 20;

/** All that a member may be allowed, in the interface's order. */
export const SCOPES: readonly Scope[] = [
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
];
