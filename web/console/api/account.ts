// What the console asks of the documented moderation interface, in one account.

import type { ModerationPaths, PathsBelow, RequestBodyOf, ResponseOf } from "../../shared/schema";
import { type CallOptions, call, type Method } from "./client";
import type { Scope } from "./session";

/** The operations of an account, by what follows it in their addresses. */
export type Operations = PathsBelow<ModerationPaths, "/accounts/{accountId}">;

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
export type Contents = ResponseOf<Operations["/contents"]["get"]>;
export type Content = ResponseOf<Operations["/contents/{id}"]["get"]>;
export type ContentType = Content["type"];
export type Moderation = ResponseOf<Operations["/contents/{id}/moderations"]["get"]>["contents"][number];
export type ModerationOverview = ResponseOf<Operations["/moderations/{moderationId}"]["get"]>;
export type ModerationResults = ResponseOf<Operations["/moderations/{moderationId}/results"]["get"]>;
export type SeenFace = ModerationResults["face_check_results"][number];
export type ContentReports = ResponseOf<Operations["/contents/{id}/reports"]["get"]>;
export type ProfileMatch = ResponseOf<Operations["/profiles/search"]["post"]>["profiles"][number];
export type FindingMatches = ResponseOf<Operations["/findings/search"]["post"]>;
export type FindingMatch = FindingMatches["findings"][number];
export type FindingSearch = RequestBodyOf<Operations["/findings/search"]["post"]>;
/** Why there is a notification. */
export type Reason = Notification["data"]["reasons"][number];

/** Why there is one about a face: these can be decided. */
export const FACE_REASONS = ["BANNED_PROFILE", "AGE_ESTIMATION", "UNKNOWN_FACE"] as const satisfies readonly Reason[];

/** Entries on a page of the interface. */
export const PAGE_SIZE = 20;

/** Which notifications are listed. */
export interface NotificationFilter {
  reviewed?: boolean | undefined;
  reason?: Reason | undefined;
}

/** Which people are listed. */
export interface ProfileFilter {
  banned: boolean;
  /** The whole of it. */
  reference: string;
  /** A part of it. */
  name: string;
}

/** Which contents are listed. */
export type ContentFilter = Omit<NonNullable<Operations["/contents"]["get"]["parameters"]["query"]>, "page">;

/** The most people that a search by a picture answers here. */
const MAX_PEOPLE_FOUND = 20;

/** Everything that the console does in one account by the moderation interface. */
export class Account {
  readonly #base: string;

  constructor(readonly id: string) {
    this.#base = `/accounts/${encodeURIComponent(id)}`;
  }

  notifications(filter: NotificationFilter, page: number): Promise<Notifications> {
    const query = new URLSearchParams({ page: `${page}` });
    if (filter.reviewed !== undefined) {
      query.set("reviewed", `${filter.reviewed}`);
    }
    if (filter.reason) {
      query.set("reason", filter.reason);
    }
    return this.#request<Operations["/notifications"]["get"]>("GET", `/notifications?${query}`);
  }

  /** Those that a member is to see: moderations name them. */
  inbox(member: string, page: number): Promise<Notifications> {
    return this.#request<Operations["/members/{memberId}/inbox"]["get"]>(
      "GET",
      `/members/${member}/inbox?page=${page}`,
    );
  }

  notification(id: string, options?: CallOptions): Promise<Notification> {
    type Get = Operations["/notifications/{id}"]["get"];
    return this.#request<Get>("GET", `/notifications/${id}`, undefined, options);
  }

  /** Answers the notification with what members have said of it by then. */
  decide(id: string, word: "accept" | "dismiss", comment: string): Promise<Notification> {
    type Decide = Operations[`/notifications/{id}/${typeof word}`]["post"];
    return this.#request<Decide>("POST", `/notifications/${id}/${word}`, { comment });
  }

  /** The title of a content; empty where it was given none. */
  async title(content: string): Promise<string> {
    return (await this.content(content)).title ?? "";
  }

  /** Contents, newest first. */
  contents(filter: ContentFilter, page: number, options?: CallOptions): Promise<Contents> {
    const query = new URLSearchParams({ page: `${page}` });
    for (const [name, value] of Object.entries(filter)) {
      query.set(name, `${value}`);
    }
    return this.#request<Operations["/contents"]["get"]>("GET", `/contents?${query}`, undefined, options);
  }

  content(id: string, options?: CallOptions): Promise<Content> {
    return this.#request<Operations["/contents/{id}"]["get"]>("GET", `/contents/${id}`, undefined, options);
  }

  /** Moderations of a content, newest first; how many there are in all is not said. */
  async contentModerations(id: string, page: number): Promise<Moderation[]> {
    type List = Operations["/contents/{id}/moderations"]["get"];
    return (await this.#request<List>("GET", `/contents/${id}/moderations?page=${page}`)).contents;
  }

  contentReports(id: string, page: number): Promise<ContentReports> {
    return this.#request<Operations["/contents/{id}/reports"]["get"]>("GET", `/contents/${id}/reports?page=${page}`);
  }

  /** Decides on a report, with what is done about it. */
  async resolveReport(content: string, report: string, resolution: string): Promise<void> {
    type Resolve = Operations["/contents/{id}/reports/{reportId}"]["put"];
    await this.#request<Resolve>("PUT", `/contents/${content}/reports/${report}`, { resolution });
  }

  moderation(id: string, options?: CallOptions): Promise<ModerationOverview> {
    type Overview = Operations["/moderations/{moderationId}"]["get"];
    return this.#request<Overview>("GET", `/moderations/${id}`, undefined, options);
  }

  /** What a moderation was asked to do. */
  async moderationDetails(id: string): Promise<Moderation> {
    type Details = Operations["/moderations/{moderationId}/details"]["get"];
    return (await this.#request<Details>("GET", `/moderations/${id}/details`)).contents;
  }

  /** Every face that a moderation saw, up to 10,000. */
  moderationResults(id: string): Promise<ModerationResults> {
    return this.#request<Operations["/moderations/{moderationId}/results"]["get"]>("GET", `/moderations/${id}/results`);
  }

  moderationNotifications(id: string, page: number): Promise<Notifications> {
    type List = Operations["/moderations/{moderationId}/notifications"]["get"];
    return this.#request<List>("GET", `/moderations/${id}/notifications?page=${page}`);
  }

  /** Whom a face may be, the most similar first; `face` is a picture in base64. */
  async searchProfiles(face: string, options?: CallOptions): Promise<ProfileMatch[]> {
    type Search = Operations["/profiles/search"]["post"];
    const body = { face, most: MAX_PEOPLE_FOUND };
    return (await this.#request<Search>("POST", "/profiles/search", body, options)).profiles;
  }

  /** Where a face or a person was seen, the most similar first. */
  searchFindings(search: FindingSearch, options?: CallOptions): Promise<FindingMatches> {
    return this.#request<Operations["/findings/search"]["post"]>("POST", "/findings/search", search, options);
  }

  async reviews(id: string): Promise<Review[]> {
    type List = Operations["/notifications/{id}/reviews"]["get"];
    return (await this.#request<List>("GET", `/notifications/${id}/reviews`)).reviews;
  }

  /** People, newest first: those who exist, of a reference and a name or of any. */
  profiles({ banned, reference, name }: ProfileFilter, page: number, options?: CallOptions): Promise<Profiles> {
    const query = new URLSearchParams({ page: `${page}`, active: "true" });
    if (banned) {
      query.set("banned", "true");
    }
    if (reference !== "") {
      query.set("reference", reference);
    }
    if (name !== "") {
      query.set("name", name);
    }
    return this.#request<Operations["/profiles"]["get"]>("GET", `/profiles?${query}`, undefined, options);
  }

  profile(id: string, options?: CallOptions): Promise<Profile> {
    type Get = Operations["/profiles/{profileId}"]["get"];
    return this.#request<Get>("GET", `/profiles/${id}`, undefined, options);
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

  #request<Operation>(
    method: Method,
    path: string,
    body?: RequestBodyOf<Operation>,
    options?: CallOptions,
  ): Promise<ResponseOf<Operation>> {
    return call<Operation>(method, this.#base + path, body, options);
  }
}
