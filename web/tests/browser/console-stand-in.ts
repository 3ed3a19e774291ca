// A stand-in for the server, as far as the console sees it: sessions, and the documented moderation interface.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type {
  Invitation,
  Invitations,
  Member,
  Members,
  Notification,
  Notifications,
  Review,
  Reviews,
} from "../../console/api";
import { sendFile } from "./stand-in";

export const ACCOUNT = "6f1b8f0a-4b1e-4c57-9d3e-2f6a5f3d1c01";
const SESSION = "assay-session=token";

export function member(number: number, name: string, more: Partial<Member> = {}): Member {
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
  const made = { admin: false, scopes: [], created_at: "2026-01-16T14:40:00Z" };
  return { id, email: `${name.toLowerCase()}@example.com`, username: name, ...made, ...more };
}

export function notification(
  number: number,
  reasons: Notification["data"]["reasons"],
  more: object = {},
): Notification {
  const numbered = (kind: number) => `${kind}0000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
  return {
    id: numbered(1),
    account_id: ACCOUNT,
    type: "FACE",
    created_at: "2026-01-16T14:40:00Z",
    data: {
      moderation_id: numbered(3),
      content_id: numbered(2),
      content_type: "VIDEO",
      url: `https://videos.example.com/${number}.mp4`,
      reasons,
      observed_at: 1_768_574_412.5,
      frame_time: 12.54,
      ...more,
    },
    average_score: 0,
    total_revies: 0,
  };
}

export class ConsoleStandIn {
  /** Links that still work, and who signs in by them. */
  readonly links = new Map<string, Member>();
  members: Member[] = [];
  invitations: Invitation[] = [];
  notifications: Notification[] = [];
  readonly reviews = new Map<string, Review[]>();
  /** Titles of contents. */
  readonly titles = new Map<string, string>();
  /** Each call: method, path, body. */
  readonly asked: string[] = [];
  me: Member | undefined;
  #server: Server | undefined;
  #port = 0;

  get page(): string {
    return `http://127.0.0.1:${this.#port}/console/`;
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
    const isPage = request.method === "GET" && /^\/console\/(?!session)/.test(pathname);
    if (isPage) {
      await sendFile(response, pathname.slice(1).replace(/\/$/, "/index.html"));
      return;
    }
    this.asked.push(`${request.method} ${pathname}${text === "" ? "" : ` ${text}`}`);
    const send = (status: number, body?: object, headers = {}) =>
      response
        .writeHead(status, { "content-type": "application/json", ...headers })
        .end(body ? JSON.stringify(body) : undefined);
    const refuse = (status: number, message: string) => send(status, { code: "REFUSED", message });
    if (request.headers["x-assay-console"] !== "1") {
      refuse(401, "this is for the console's own pages");
      return;
    }
    const body = text === "" ? {} : JSON.parse(text);
    if (pathname === "/console/sign-in") {
      send(202);
    } else if (pathname === "/console/session" && request.method === "POST") {
      const token = body.invitation ?? body.link;
      const who = this.links.get(token);
      this.links.delete(token);
      this.me = who;
      if (who) {
        send(200, this.#session(who), { "set-cookie": `${SESSION}; Path=/; HttpOnly; SameSite=Strict` });
      } else {
        refuse(401, "the link was used already, or is too old; ask for a new one");
      }
    } else if (!this.me || !request.headers.cookie?.includes(SESSION)) {
      refuse(401, "the session is over; sign in again");
    } else if (pathname === "/console/session") {
      if (request.method === "DELETE") {
        this.me = undefined;
        send(204);
      } else {
        send(200, this.#session(this.me));
      }
    } else {
      this.#inAccount(`${request.method} ${pathname.replace(`/accounts/${ACCOUNT}/`, "")}`, body, searchParams, {
        send,
        refuse,
      });
    }
  }

  #session(who: Member): object {
    const all = ["contents:view", "members:manage", "notifications:manage", "notifications:view"];
    const scopes = who.admin ? all : who.scopes;
    return { member: who, account: { id: ACCOUNT, name: "Corner shop", created_at: who.created_at }, scopes };
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

  #inAccount(
    what: string,
    // biome-ignore lint/suspicious/noExplicitAny: whatever the page sends
    body: any,
    query: URLSearchParams,
    {
      send,
      refuse,
    }: { send(status: number, body?: object): unknown; refuse(status: number, message: string): unknown },
  ): void {
    const [, id] = /([0-9a-f]{8}-[0-9a-f-]{27})/.exec(what) ?? [];
    const found = this.members.find((one) => one.id === id || one.id === body.member_id);
    switch (what.replace(id ?? "-", "ID")) {
      case "GET notifications": {
        const page = Number(query.get("page"));
        const notifications = this.notifications.slice((page - 1) * 20, page * 20).map((one) => this.#reviewed(one));
        const answer: Notifications = { notifications, meta: { total_count: this.notifications.length, page } };
        send(200, answer);
        return;
      }
      case "POST notifications/ID/accept":
      case "POST notifications/ID/dismiss": {
        const score = what.endsWith("accept") ? 100 : 0;
        this.review(id ?? "", this.me?.id ?? "", score, body.comment);
        const notification = this.notifications.find((one) => one.id === id);
        send(200, notification && this.#reviewed(notification));
        return;
      }
      case "GET contents/ID":
        send(200, { id, title: this.titles.get(id ?? "") ?? null });
        return;
      case "GET notifications/ID/reviews": {
        const reviews = this.reviews.get(id ?? "") ?? [];
        const answer: Reviews = { reviews, total_count: reviews.length };
        send(200, answer);
        return;
      }
      case "GET members": {
        const answer: Members = { members: this.members };
        send(200, answer);
        return;
      }
      case "GET invitations": {
        const answer: Invitations = { invitations: this.invitations };
        send(200, answer);
        return;
      }
      case "POST invitations": {
        if (this.members.some(({ email }) => email === body.email)) {
          refuse(409, "email: the account has a member with that address");
          return;
        }
        const number = this.invitations.length + 1;
        const invited = member(100 + number, body.email.split("@")[0], { email: body.email, admin: body.admin });
        this.invitations.push({ ...invited, expires_at: "2026-01-23T14:40:00Z" });
        send(201, { id: invited.id });
        return;
      }
      case "DELETE invitations/ID":
        this.invitations = this.invitations.filter((one) => one.id !== id);
        send(204);
        return;
      case "PUT members/ID":
        if (found) {
          found.scopes = body.scopes;
        }
        send(204);
        return;
      case "DELETE members/ID":
        this.members = this.members.filter((one) => one !== found);
        send(204);
        return;
      case "POST admin":
        if (found) {
          found.admin = true;
        }
        send(200, found);
        return;
      case "DELETE admin/ID":
        if (this.members.filter(({ admin }) => admin).length < 2) {
          refuse(409, "he is the account's last administrator; make another member one first");
          return;
        }
        if (found) {
          found.admin = false;
        }
        send(204);
        return;
      default:
        refuse(404, `there is no ${what}`);
    }
  }
}
