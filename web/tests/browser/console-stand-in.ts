// A stand-in for the server, as far as the console sees it: sessions, and the documented moderation interface.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type {
  BanInput,
  Dismissal,
  Invitation,
  Member,
  Notification,
  Operations,
  Profile,
  Review,
} from "../../console/api/account";
import type { Operator } from "../../console/api/operators";
import { type MemberSession, SCOPES, type Session } from "../../console/api/session";
import type { ConsolePaths, RequestBodyOf } from "../../shared/schema";
import { AuditStandIn, type Caller } from "./audit-stand-in";
import { casePicture } from "./case-pictures";
import { CasesStandIn, refuse } from "./cases-stand-in";
import { ContentsStandIn, content } from "./contents-stand-in";
import { CODE, CredentialsStandIn, PASSWORD, TICKET } from "./credentials-stand-in";
import { DeliveriesStandIn } from "./deliveries-stand-in";
import { type Reply, reply, sendFile } from "./holder-stand-in";
import { OperatorsStandIn, operator } from "./operators-stand-in";
import { RolesStandIn } from "./roles-stand-in";
import { SandboxStandIn } from "./sandbox-stand-in";
import { APPLICATION, SessionsStandIn } from "./sessions-stand-in";

/** What counts of a name: letters and digits, without case and accents. */
const plain = (text: string) =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");

export const ACCOUNT = "6f1b8f0a-4b1e-4c57-9d3e-2f6a5f3d1c01";
const SESSION = "assay-session=token";

type SessionPath = ConsolePaths["/console/session"];
type SecondFactorPath = ConsolePaths["/console/session/second-factor"];
type Accept = Operations["/notifications/{id}/accept"]["post"];
type Invite = Operations["/invitations"]["post"];

export function member(number: number, name: string, more: Partial<Member> = {}): Member {
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
  const made = { admin: false, scopes: [], created_at: "2026-01-16T14:40:00Z" };
  return { id, email: `${name.toLowerCase()}@example.com`, username: name, ...made, ...more };
}

const FACE_REASONS: Notification["data"]["reasons"] = ["BANNED_PROFILE", "AGE_ESTIMATION", "UNKNOWN_FACE"];

export function notification(
  number: number,
  reasons: Notification["data"]["reasons"],
  more: Partial<Notification["data"]> = {},
): Notification {
  const isFace = reasons.some((reason) => FACE_REASONS.includes(reason));
  const numbered = (kind: number) => `${kind}0000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
  return {
    id: numbered(1),
    account_id: ACCOUNT,
    type: isFace ? "FACE" : "ACTION",
    created_at: "2026-01-16T14:40:00Z",
    data: {
      moderation_id: numbered(3),
      content_id: numbered(2),
      content_type: "VIDEO",
      url: `https://videos.example.com/${number}.mp4`,
      reasons,
      observed_at: 1_768_574_412.5,
      ...(isFace ? { frame_time: 12.54 } : {}),
      ...more,
    },
    average_score: 0,
    total_revies: 0,
  };
}

export function profile(number: number, name: string, more: Partial<Profile> = {}): Profile {
  return {
    profile_id: `40000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
    display_name: name,
    is_banned: false,
    is_active: true,
    active: true,
    profile_type: 1,
    biometric_consent: "form 7",
    is_id_verified: false,
    is_adult: false,
    faces: [],
    groups: [],
    created_at: "2026-01-16T14:40:00Z",
    updated_at: "2026-01-16T14:40:00Z",
    ...more,
  };
}

export class ConsoleStandIn {
  /** Links that still work, and who signs in by them. */
  readonly links = new Map<string, Member>();
  members: Member[] = [];
  invitations: Invitation[] = [];
  notifications: Notification[] = [];
  /** Those that are meant for who is signed in. */
  readonly mine = new Set<string>();
  readonly reviews = new Map<string, Review[]>();
  profiles: Profile[] = [];
  /** How many profiles are looked through for a name. */
  namesAtOnce = 10_000;
  readonly dismissals = new Map<string, Dismissal[]>();
  readonly contents = new ContentsStandIn();
  /** Titles of contents of which nothing else matters. */
  readonly titles = new Map<string, string>();
  /** Each call: method, path, body. */
  readonly requests: string[] = [];
  readonly cases = new CasesStandIn();
  readonly credentials = new CredentialsStandIn();
  readonly operators = new OperatorsStandIn();
  readonly roles = new RolesStandIn();
  readonly sessions = new SessionsStandIn();
  readonly deliveries = new DeliveriesStandIn();
  readonly audit = new AuditStandIn();
  readonly sandbox = new SandboxStandIn();
  /** Links that make somebody an operator, or sign an operator in. */
  readonly operatorLinks = new Map<string, Operator>();
  consoleScopes: MemberSession["console_scopes"] = [];
  /** What begins with a session: whether a second factor is missing. */
  secondFactor: Session["second_factor"] = "not-required";
  me: Member | undefined;
  operator: Operator | undefined;
  #server: Server | undefined;
  #port = 0;

  get page(): string {
    return `http://127.0.0.1:${this.#port}/console/`;
  }

  /** The same by a name, which passkeys need. */
  get namedPage(): string {
    return this.page.replace("127.0.0.1", "localhost");
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    this.#server?.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://stand-in");
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk);
    }
    const text = Buffer.concat(chunks).toString();
    const isPage = request.method === "GET" && /^\/console\/(assets\/.*)?$/.test(pathname);
    if (isPage) {
      await sendFile(response, pathname.slice(1).replace(/\/$/, "/index.html"));
      return;
    }
    this.requests.push(`${request.method} ${pathname}${text === "" ? "" : ` ${text}`}`);
    const operation = `${request.method} ${pathname.replace(`/accounts/${ACCOUNT}/`, "")}`;
    const [, picture] = /^\/console\/cases\/[\w-]+\/pictures\/([\w-]+)$/.exec(pathname) ?? [];
    if (picture && request.headers["x-assay-console"] === "1" && this.me) {
      response.writeHead(200, { "content-type": "image/jpeg", "cache-control": "no-store" }).end(casePicture(picture));
      return;
    }
    const file = request.headers["x-assay-console"] === "1" ? this.#file(operation, searchParams) : undefined;
    if (file) {
      const [type, content] = file;
      response.writeHead(200, { "content-type": type, "cache-control": "no-store" }).end(content);
      return;
    }
    const [status, answer] = this.#decide(operation, text === "" ? {} : JSON.parse(text), searchParams, request);
    const begun = operation === "POST /console/session" && this.#session();
    response.writeHead(status, {
      "content-type": "application/json",
      ...(begun ? { "set-cookie": `${SESSION}; Path=/; HttpOnly; SameSite=Strict` } : {}),
    });
    response.end(answer ? JSON.stringify(answer) : undefined);
  }

  /** The type and the content of what is answered as a file; nothing where it is refused. */
  #file(operation: string, query: URLSearchParams): readonly [string, string] | undefined {
    if (operation === "GET /console/audit-records/export") {
      const lines = this.audit.export(query, this.#caller());
      return lines === undefined ? undefined : ["application/x-ndjson", lines];
    }
    const [, name] = /^GET \/console\/reports\/([\w.-]+)$/.exec(operation) ?? [];
    const { reports } = this.operators.health;
    const isThere = reports.some((one) => one.name === name) && this.#caller().scopes.includes("models:view");
    return isThere ? ["text/html; charset=utf-8", "<!DOCTYPE html><h1>Age estimation</h1>"] : undefined;
  }

  #decide(operation: string, body: unknown, query: URLSearchParams, { headers }: IncomingMessage): Reply {
    if (headers["x-assay-console"] !== "1") {
      return refuse(401, "this is for the console's own pages");
    }
    if (operation === "POST /console/session") {
      this.#begin(body as RequestBodyOf<SessionPath["post"]>);
      const begun = this.#session();
      return begun
        ? reply<SessionPath["post"]>(200, begun)
        : refuse(401, "the link was used already, or is too old; ask for a new one");
    }
    const forStrangers = this.credentials.forStrangers(operation, body);
    if (forStrangers) {
      return forStrangers;
    }
    const session = this.#session();
    if (!session || !headers.cookie?.includes(SESSION)) {
      return refuse(401, "the session is over; sign in again");
    }
    if (operation === "GET /console/session") {
      return reply<SessionPath["get"]>(200, session);
    }
    if (operation === "DELETE /console/session") {
      this.me = undefined;
      this.operator = undefined;
      return [204];
    }
    return this.#inSession(operation, body, query);
  }

  /** What somebody comes in with; nobody is in where it is good for nothing. */
  #begin(credential: RequestBodyOf<SessionPath["post"]>): void {
    const { invitation, link, operator_invitation, operator_link, passkey, password, choice } = credential;
    this.me = this.#taken(this.links, invitation ?? link);
    this.operator = this.#taken(this.operatorLinks, operator_invitation ?? operator_link);
    if (passkey && this.credentials.takeChallenge(passkey.challenge)) {
      this.operator = this.operators.operators[0];
      this.secondFactor = "presented";
    }
    if (password?.password === PASSWORD) {
      this.operator = this.operators.operators.find(({ email }) => email === password.email);
      this.secondFactor = password.code === CODE ? "presented" : this.secondFactor;
    }
    if (choice?.ticket === TICKET) {
      this.operator = this.operators.operators.find(({ id }) => id === choice.id);
      this.me = this.members.find(({ id }) => id === choice.id);
    }
  }

  #taken<T>(links: Map<string, T>, token: string | null | undefined): T | undefined {
    const found = links.get(token ?? "");
    links.delete(token ?? "");
    return found;
  }

  #inSession(operation: string, body: unknown, query: URLSearchParams): Reply {
    if (operation === "POST /console/session/second-factor") {
      if (!this.credentials.isSecondFactor(body as RequestBodyOf<SecondFactorPath["post"]>)) {
        return refuse(401, "the code is wrong");
      }
      this.secondFactor = "presented";
      return [204];
    }
    const isComplete = !["required", "enrolment-required"].includes(this.secondFactor);
    const answer = this.credentials.answer(operation, body, isComplete);
    if (answer) {
      const isFactor = ["POST /console/passkeys", "POST /console/totp/confirmation"].includes(operation);
      if (isFactor && answer[0] < 300 && this.secondFactor === "enrolment-required") {
        this.secondFactor = "presented";
      }
      return answer;
    }
    const ofSandbox = this.operator ? undefined : this.sandbox.answer(operation, body, this.consoleScopes);
    if (ofSandbox) {
      return ofSandbox;
    }
    const ofSessions = this.sessions.answer(operation, body, query);
    if (ofSessions) {
      return ofSessions;
    }
    const caller = this.#caller();
    const recorded =
      this.deliveries.answer(operation, body, query, caller) ?? this.audit.answer(operation, query, caller);
    if (recorded) {
      return recorded;
    }
    if (this.operator) {
      return this.operators.answer(operation, body, this.operator, query);
    }
    if (/^\w+ \/console\/applications\/[^/]+\/keys/.test(operation)) {
      // Members who have the scope see the keys of their own application.
      return this.operators.answer(operation, body, operator(9, "Member", { scopes: ["keys:manage"] }));
    }
    if (/^\w+ \/console\/(roles|members)/.test(operation)) {
      return this.roles.answer(operation, body, this.members, this.consoleScopes);
    }
    if (/^\w+ \/console\/(cases|queues|quality)/.test(operation)) {
      return this.cases.answer(operation, body, query, this.me?.id ?? "");
    }
    return this.#inAccount(operation, body, query);
  }

  /** What who is signed in may see. */
  #caller(): Caller {
    return this.operator
      ? { application: undefined, account: undefined, scopes: this.operator.scopes }
      : { application: APPLICATION, account: ACCOUNT, scopes: this.consoleScopes };
  }

  /** Who is signed in. */
  #session(): Session | undefined {
    if (this.operator) {
      return { operator: this.operator, second_factor: this.secondFactor };
    }
    if (!this.me) {
      return undefined;
    }
    const member = this.me;
    const account = { id: ACCOUNT, name: "Corner shop", created_at: member.created_at };
    const scopes = member.admin ? [...SCOPES] : member.scopes;
    return {
      member,
      account,
      application_id: APPLICATION,
      scopes,
      console_scopes: this.consoleScopes,
      second_factor: this.secondFactor,
    };
  }

  /** Somebody says something of a notification; a later word of theirs replaces an earlier one. */
  review(notification: string, user: string, score: number, description = ""): void {
    const others = (this.reviews.get(notification) ?? []).filter(({ user_id }) => user_id !== user);
    const made = { id: crypto.randomUUID(), notification_id: notification, user_id: user, description, score };
    this.reviews.set(notification, [...others, { ...made, created_at: "2026-01-16T15:00:00Z" }]);
  }

  /** A notification with what members said of it. */
  #reviewed(notification: Notification): Notification {
    const scores = (this.reviews.get(notification.id) ?? []).map(({ score }) => score);
    const average = scores.length > 0 ? Math.round(scores.reduce((sum, score) => sum + score, 0) / scores.length) : 0;
    return { ...notification, average_score: average, total_revies: scores.length };
  }

  #inAccount(operation: string, body: unknown, query: URLSearchParams): Reply {
    const [, id = ""] = /([0-9a-f]{8}-[0-9a-f-]{27})/.exec(operation) ?? [];
    const [, dismissal] = /dismissals\/([0-9a-f-]{36})$/.exec(operation) ?? [];
    if (operation.startsWith("DELETE") && dismissal) {
      const others = (this.dismissals.get(id) ?? []).filter((one) => one.id !== dismissal);
      this.dismissals.set(id, others);
      return [204];
    }
    const judged = this.notifications.map((one) => this.#reviewed(one));
    const answered = this.contents.answer(operation, body, query, judged);
    if (answered) {
      return answered;
    }
    const found = this.members.find((one) => one.id === id);
    switch (operation.replace(id || "-", "ID")) {
      case "GET notifications": {
        const page = Number(query.get("page"));
        const [reason, reviewed] = [query.get("reason"), query.get("reviewed")];
        const found = judged
          .filter(({ data }) => !reason || data.reasons.some((one) => one === reason))
          .filter(({ total_revies }) => !reviewed || `${total_revies > 0}` === reviewed);
        const notifications = found.slice((page - 1) * 20, page * 20);
        const meta = { total_count: found.length, page };
        return reply<Operations["/notifications"]["get"]>(200, { notifications, meta });
      }
      case "GET members/ID/inbox": {
        const mine = this.notifications.filter((one) => this.mine.has(one.id)).map((one) => this.#reviewed(one));
        const meta = { total_count: mine.length, page: 1 };
        return reply<Operations["/members/{memberId}/inbox"]["get"]>(200, { notifications: mine, meta });
      }
      case "GET notifications/ID": {
        const notification = this.notifications.find((one) => one.id === id);
        return notification
          ? reply<Operations["/notifications/{id}"]["get"]>(200, this.#reviewed(notification))
          : refuse(404, "there is no such notification");
      }
      case "POST notifications/ID/accept":
        return this.#decided(id, 100, body as RequestBodyOf<Accept>);
      case "POST notifications/ID/dismiss":
        return this.#decided(id, 0, body as RequestBodyOf<Accept>);
      case "GET contents/ID": {
        const isTold = this.titles.has(id) || this.notifications.some(({ data }) => data.content_id === id);
        const told = isTold ? { ...content(1, this.titles.get(id) ?? null), id } : undefined;
        const answer = this.contents.all.find((one) => one.id === id) ?? told;
        return answer
          ? reply<Operations["/contents/{id}"]["get"]>(200, answer)
          : refuse(404, "there is no such content");
      }
      case "GET notifications/ID/reviews": {
        const reviews = this.reviews.get(id) ?? [];
        return reply<Operations["/notifications/{id}/reviews"]["get"]>(200, { reviews, total_count: reviews.length });
      }
      case "GET profiles": {
        const [page, reference, name] = [Number(query.get("page")), query.get("reference"), query.get("name")];
        const looked = name === null ? this.profiles : this.profiles.slice(0, this.namesAtOnce);
        const oldest = looked.length < this.profiles.length ? looked.at(-1) : undefined;
        const found = looked.filter(
          (one) =>
            (!reference || one.reference === reference) &&
            (!name || plain(one.display_name ?? "").includes(plain(name))) &&
            (query.get("banned") !== "true" || one.is_banned),
        );
        const profiles = found.slice((page - 1) * 20, page * 20);
        return reply<Operations["/profiles"]["get"]>(200, {
          profiles,
          total_count: found.length,
          ...(oldest ? { searched_back_to: oldest.created_at } : {}),
        });
      }
      case "GET profiles/ID": {
        const found = this.profiles.find((one) => one.profile_id === id);
        return found
          ? reply<Operations["/profiles/{profileId}"]["get"]>(200, found)
          : refuse(404, "there is no such profile");
      }
      case "POST profiles/ID/ban":
        return this.#banned(id, body as BanInput);
      case "POST profiles/ID/unban":
        return this.#banned(id, undefined);
      case "GET profiles/ID/dismissals": {
        const dismissals = this.dismissals.get(id) ?? [];
        return reply<Operations["/profiles/{profileId}/dismissals"]["get"]>(200, { dismissals });
      }
      case "GET members":
        return reply<Operations["/members"]["get"]>(200, {
          members: this.members.map((one) => ({ ...one, scopes: this.roles.scopesOf(one) })),
        });
      case "GET invitations":
        return reply<Operations["/invitations"]["get"]>(200, { invitations: this.invitations });
      case "POST invitations":
        return this.#invited(body as RequestBodyOf<Invite>);
      case "DELETE invitations/ID":
        this.invitations = this.invitations.filter((one) => one.id !== id);
        return [204];
      case "PUT members/ID":
        if (found) {
          this.roles.setScopes(found, (body as RequestBodyOf<Operations["/members/{memberId}"]["put"]>).scopes);
        }
        return [204];
      case "DELETE members/ID":
        this.members = this.members.filter((one) => one !== found);
        return [204];
      case "POST admin": {
        const { member_id } = body as RequestBodyOf<Operations["/admin"]["post"]>;
        const promoted = this.members.find((one) => one.id === member_id);
        if (!promoted) {
          return refuse(404, "there is no such member");
        }
        promoted.admin = true;
        return reply<Operations["/admin"]["post"]>(200, promoted);
      }
      case "DELETE admin/ID":
        if (this.members.filter(({ admin }) => admin).length < 2) {
          return refuse(409, "they are the account's last administrator; make another member one first");
        }
        if (found) {
          found.admin = false;
        }
        return [204];
      default:
        return refuse(404, `there is no ${operation}`);
    }
  }

  /** Somebody accepts or dismisses a notification. */
  #decided(id: string, score: number, { comment }: RequestBodyOf<Accept>): Reply {
    const notification = this.notifications.find((one) => one.id === id);
    if (!notification) {
      return refuse(404, "there is no such notification");
    }
    this.review(id, this.me?.id ?? "", score, comment ?? "");
    return reply<Accept>(200, this.#reviewed(notification));
  }

  /** Somebody is banned, or their ban is lifted. */
  #banned(id: string, ban: BanInput | undefined): Reply {
    this.profiles = this.profiles.map((one) => {
      if (one.profile_id !== id) {
        return one;
      }
      const { ban: _, ...rest } = one;
      const imposed = ban && { ...ban, user_id: this.me?.id ?? "", since: "2026-01-16T15:00:00Z" };
      return { ...rest, is_banned: ban !== undefined, ...(imposed ? { ban: imposed } : {}) };
    });
    return [204];
  }

  #invited({ email, admin }: RequestBodyOf<Invite>): Reply {
    if (this.members.some((one) => one.email === email)) {
      return refuse(409, "email: the account has a member with that address");
    }
    const { id, username, created_at } = member(100 + this.invitations.length + 1, email.split("@")[0] ?? "");
    const expires_at = "2026-01-23T14:40:00Z";
    this.invitations.push({ id, email, username, admin: admin ?? false, created_at, expires_at });
    return reply<Invite>(201, { id });
  }
}
