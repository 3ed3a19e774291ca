// A stand-in for messages to applications' servers: what was sent, and what came of it.

import type {
  Delivery,
  DeliveryAttempt,
  DeliveryMessage,
  WebhookEndpoint,
  WebhookSecret,
} from "../../console/api/deliveries";
import type { ConsolePaths, PathsBelow, RequestBodyOf } from "../../shared/schema";
import type { Caller } from "./audit-stand-in";
import { refuse } from "./cases-stand-in";
import { type Reply, reply } from "./holder-stand-in";
import { APPLICATION } from "./sessions-stand-in";

type Operations = PathsBelow<ConsolePaths, "/console">;
type ReplayMany = Operations["/deliveries/replay"]["post"];
type Secrets = Operations["/applications/{applicationId}/webhook-secrets"];
type TestEvent = Operations["/applications/{applicationId}/test-events"]["post"];

/** As many as the server lists at once. */
const ITEMS_PER_LIST = 50;
const MAX_OVERLAP_HOURS = 168;
export const WEBHOOK_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw1XkGpQ0kS3o=";
const QUEUED_AT = "2026-01-16T14:42:00.123456Z";

/** A delivery as the server keeps it. */
export interface StoredDelivery {
  id: string;
  application_id: string;
  topic: string;
  origin: string;
  verify_tls: boolean;
  state: Delivery["state"];
  attempts: DeliveryAttempt[];
  next_attempt_at?: string;
  created_at: string;
  ended_at?: string;
  /** Nothing once it was erased. */
  message: DeliveryMessage | undefined;
  /** Sessions, moderations and people that it is about. */
  subjects: string[];
}

export function message(body: object, more: Partial<DeliveryMessage> = {}): DeliveryMessage {
  return {
    method: "POST",
    url: "https://hooks.example.com/assay",
    has_query: false,
    headers: [{ name: "content-type", value: "application/json" }],
    body: JSON.stringify(body),
    ...more,
  };
}

/** One that the receiver took. */
export function delivery(number: number, topic: string, more: Partial<StoredDelivery> = {}): StoredDelivery {
  return {
    id: `72000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
    application_id: APPLICATION,
    topic,
    origin: "https://hooks.example.com",
    verify_tls: true,
    state: "DELIVERED",
    attempts: [{ at: "2026-01-16T14:42:01Z", took_ms: 87, status: 204 }],
    created_at: QUEUED_AT,
    ended_at: "2026-01-16T14:42:01Z",
    message: message({ status: "OVER" }),
    subjects: [],
    ...more,
  };
}

/** One that was given up after some attempts. */
export function failedDelivery(number: number, topic: string, more: Partial<StoredDelivery> = {}): StoredDelivery {
  return delivery(number, topic, {
    state: "FAILED",
    attempts: [
      { at: "2026-01-16T14:42:01Z", took_ms: 30_000, error: "the receiver did not answer within 30 seconds" },
      { at: "2026-01-16T14:47:02Z", took_ms: 112, status: 410, error: "the receiver wants no more of these" },
    ],
    ended_at: "2026-01-16T14:47:02Z",
    ...more,
  });
}

/** What everybody sees of one. */
function bodyOf(stored: StoredDelivery): Delivery {
  const { message: _, subjects: __, attempts, ...rest } = stored;
  const last = attempts.at(-1);
  return { ...rest, attempts: attempts.length, ...(last ? { last_attempt: last } : {}) };
}

export class DeliveriesStandIn {
  all: StoredDelivery[] = [];
  readonly secrets = new Map<string, WebhookSecret[]>();
  /** Applications that there are. */
  applications = [APPLICATION];
  /** Deliveries whose content was looked at, each time. */
  readonly seen: string[] = [];
  #made = 500;

  /** The receivers take everything that waits. */
  deliver(): void {
    for (const one of this.all.filter(({ state }) => state === "WAITING")) {
      one.state = "DELIVERED";
      one.attempts.push({ at: new Date().toISOString(), took_ms: 61, status: 204 });
      one.ended_at = new Date().toISOString();
      delete one.next_attempt_at;
    }
  }

  answer(operation: string, body: unknown, query: URLSearchParams, caller: Caller): Reply | undefined {
    const asked = operation.replace("/console", "");
    const [, app = ""] =
      /\/applications\/([\da-f-]{36})\/(?:webhook-endpoints|webhook-secrets|test-events)$/.exec(asked) ?? [];
    const [, id = ""] = /\/deliveries\/([\da-f-]{36})/.exec(asked) ?? [];
    if (app === "" && !/^\w+ \/deliveries/.test(asked)) {
      return undefined;
    }
    const scopes = this.#scopes(asked, caller);
    if (!scopes.some((scope) => caller.scopes.includes(scope))) {
      return refuse(401, `the scope ${scopes.join(" or ")} is needed`, "UNAUTHORIZED");
    }
    if (app !== "" && !this.#isThere(app, caller)) {
      return refuse(404, `there is no application ${app}`, "NOT_FOUND");
    }
    return app === ""
      ? this.#ofDeliveries(id === "" ? asked : asked.replace(id, "ID"), id, body, query, caller)
      : this.#ofApplication(asked.replace(app, "APP"), app, body);
  }

  /** What is needed: to see, members may have either scope. */
  #scopes(asked: string, { application }: Caller): string[] {
    const isChange = asked.startsWith("POST");
    return application === undefined || isChange ? ["deliveries:manage"] : ["deliveries:view", "deliveries:manage"];
  }

  #isThere(app: string, { application }: Caller): boolean {
    return this.applications.includes(app) && (application === undefined || application === app);
  }

  #ofDeliveries(asked: string, id: string, body: unknown, query: URLSearchParams, caller: Caller): Reply | undefined {
    const found = this.all.find(
      (one) => one.id === id && (caller.application ?? one.application_id) === one.application_id,
    );
    if (id !== "" && !found) {
      return refuse(404, "there is no such delivery", "NOT_FOUND");
    }
    switch (asked) {
      case "GET /deliveries":
        return this.#list(query, caller);
      case "GET /deliveries/ID": {
        if (!found) {
          return undefined;
        }
        this.seen.push(id);
        const said = found.message ? { message: found.message } : {};
        const details = { delivery: bodyOf(found), attempts: found.attempts, ...said };
        return reply<Operations["/deliveries/{deliveryId}"]["get"]>(200, details);
      }
      case "POST /deliveries/ID/replay":
        return found && this.#replayOne(found);
      case "POST /deliveries/replay":
        return this.#replayMany(body as RequestBodyOf<ReplayMany>, caller);
      default:
        return undefined;
    }
  }

  #replayOne(found: StoredDelivery): Reply {
    if (!found.message) {
      const words = `what delivery ${found.id} said was erased, because the person or session that it was about was deleted`;
      return refuse(409, words, "CONFLICT");
    }
    if (found.state === "RUNNING") {
      return refuse(409, `there is no delivery ${found.id} that is not being tried already`, "CONFLICT");
    }
    this.#restart(found);
    return [204];
  }

  #replayMany(asked: RequestBodyOf<ReplayMany>, caller: Caller): Reply {
    const application_id = asked.application_id ?? caller.application;
    if (application_id && !this.#isThere(application_id, caller)) {
      return refuse(404, `there is no application ${application_id}`, "NOT_FOUND");
    }
    const wanted = { ...asked, application_id, state: asked.state ?? "FAILED" };
    const fitting = this.#matching((name) => wanted[name as keyof typeof wanted] ?? null).filter(
      (one) => one.state !== "RUNNING" && one.message,
    );
    for (const one of fitting) {
      this.#restart(one);
    }
    return reply<ReplayMany>(200, { count: fitting.length, may_have_more: false });
  }

  #restart(stored: StoredDelivery): void {
    stored.state = "WAITING";
    stored.next_attempt_at = new Date().toISOString();
    delete stored.ended_at;
  }

  #matching(asked: (name: string) => string | null): StoredDelivery[] {
    const is = (name: string, value: string) => [null, "", value].includes(asked(name));
    const [from, to, subject] = [asked("from"), asked("to"), asked("subject_id")];
    return this.all.filter(
      (one) =>
        is("application_id", one.application_id) &&
        is("state", one.state) &&
        is("topic", one.topic) &&
        is("origin", one.origin) &&
        (!subject || one.subjects.includes(subject)) &&
        (!from || Date.parse(one.created_at) >= Date.parse(from)) &&
        (!to || Date.parse(one.created_at) < Date.parse(to)),
    );
  }

  #list(query: URLSearchParams, caller: Caller): Reply {
    const app = query.get("application_id") ?? caller.application;
    if (app && !this.#isThere(app, caller)) {
      return refuse(404, `there is no application ${app}`, "NOT_FOUND");
    }
    const found = this.#matching((name) => (name === "application_id" ? (app ?? null) : query.get(name)));
    const from = Number(query.get("after") ?? 0);
    const end = from + ITEMS_PER_LIST;
    const deliveries = found.slice(from, end).map(bodyOf);
    return reply<Operations["/deliveries"]["get"]>(200, {
      deliveries,
      ...(end < found.length ? { next: `${end}` } : {}),
    });
  }

  #ofApplication(asked: string, app: string, body: unknown): Reply | undefined {
    switch (asked) {
      case "GET /applications/APP/webhook-endpoints":
        return reply<Operations["/applications/{applicationId}/webhook-endpoints"]["get"]>(200, {
          endpoints: this.#endpoints(app),
        });
      case "GET /applications/APP/webhook-secrets":
        return reply<Secrets["get"]>(200, { secrets: this.secrets.get(app) ?? [] });
      case "POST /applications/APP/webhook-secrets":
        return this.#rotate(app, body as RequestBodyOf<Secrets["post"]>);
      case "POST /applications/APP/test-events":
        return this.#test(app, body as RequestBodyOf<TestEvent>);
      default:
        return undefined;
    }
  }

  #endpoints(app: string): WebhookEndpoint[] {
    const own = this.all.filter(({ application_id }) => application_id === app);
    const keys = [...new Set(own.map(({ origin, verify_tls }) => `${origin} ${verify_tls}`))].sort();
    return keys.map((key) => {
      const here = own.filter(({ origin, verify_tls }) => `${origin} ${verify_tls}` === key);
      const count = (...states: Delivery["state"][]) => here.filter(({ state }) => states.includes(state)).length;
      const last = (state: Delivery["state"]) =>
        here
          .flatMap((one) => (one.state === state && one.ended_at ? [one.ended_at] : []))
          .sort()
          .at(-1);
      const [delivered, failed] = [last("DELIVERED"), last("FAILED")];
      return {
        origin: here[0]?.origin ?? "",
        verify_tls: here[0]?.verify_tls ?? true,
        pending: count("WAITING", "RUNNING"),
        delivered: count("DELIVERED"),
        failed: count("FAILED"),
        ...(delivered ? { last_delivered_at: delivered } : {}),
        ...(failed ? { last_failed_at: failed } : {}),
      };
    });
  }

  #rotate(app: string, { overlap_hours }: RequestBodyOf<Secrets["post"]>): Reply {
    const hours = overlap_hours ?? 24;
    if (hours < 0 || hours > MAX_OVERLAP_HOURS) {
      return refuse(400, "overlap_hours: it is out of range", "VALIDATION");
    }
    const now = Date.now();
    const old_ones_retire_at = new Date(now + hours * 3_600_000).toISOString();
    const others = (this.secrets.get(app) ?? []).map((one) => ({ retires_at: old_ones_retire_at, ...one }));
    this.#made += 1;
    const id = `73000000-0000-4000-8000-${String(this.#made).padStart(12, "0")}`;
    const still = others.filter(({ retires_at }) => Date.parse(retires_at ?? "") > now);
    this.secrets.set(app, [{ id, created_at: new Date(now).toISOString() }, ...still]);
    return reply<Secrets["post"]>(201, { secret: WEBHOOK_SECRET, old_ones_retire_at });
  }

  #test(app: string, { url, verify_tls }: RequestBodyOf<TestEvent>): Reply {
    const address = new URL(url);
    if (/^(10\.|127\.|localhost$)/.test(address.hostname)) {
      return refuse(400, `url: ${address.hostname} is not an address that may be called`, "VALIDATION");
    }
    this.#made += 1;
    const { attempts: _, ended_at: __, ...plain } = delivery(this.#made, "webhook.test");
    const body = { type: "webhook.test", application_id: app, sent_at: new Date().toISOString() };
    const made: StoredDelivery = {
      ...plain,
      application_id: app,
      origin: address.origin,
      verify_tls: verify_tls ?? true,
      state: "WAITING",
      attempts: [],
      created_at: new Date().toISOString(),
      next_attempt_at: new Date().toISOString(),
      message: message(body, { url }),
    };
    this.all.unshift(made);
    return reply<TestEvent>(201, { id: made.id });
  }
}
