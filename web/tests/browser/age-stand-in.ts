// A stand-in for the server, as far as the page of age sessions sees it: sessions, attempts and their turns, each method by
// a script; and beside it a business, a provider that people sign in with, a page for documents and a wallet's answers.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type {
  FailureReason,
  MethodName,
  Operations,
  PageMethod,
  PageSession,
  SessionStatus,
  Step,
  StepProblem,
  StepsByKind,
  TurnAnswer,
  TurnInput,
} from "../../age/session";
import type { PasskeyOptions } from "../../shared/passkeys";
import type { AgePaths, ImagePaths } from "../../shared/schema";
import * as answers from "../age-responses";
import { CAPTURE, method } from "../age-responses";
import { CHALLENGE, isValidToken, PUBLIC_KEY, sign } from "../token-issuer";
import { framedBy, type Reply, reply, sendFile } from "./holder-stand-in";

// As crates/pages sends them with this page; a test over there compares.
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; manifest-src 'self'; worker-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "permissions-policy": "camera=(self), geolocation=(), microphone=()",
};

export const SESSION = "5f0c7a1e-3b52-4d8e-9c11-8a7b6c5d4e01";
/** A session of the issuer of blind tokens. */
export const ISSUER_SESSION = "5f0c7a1e-3b52-4d8e-9c11-8a7b6c5d4e02";
export const SDK_ID = "9d3e2f10-6a4b-4c7d-8e9f-0a1b2c3d4e5f";

type Json = Record<string, unknown>;

/** What a script says of a turn: the next step, perhaps with a problem, or how the attempt ends. */
export type ScriptedTurn =
  | { step: Step; problem?: StepProblem }
  | { ends: "COMPLETE" | "FAIL" | "ERROR" | "PROCESSING" | "NEXT"; reason?: FailureReason };

/** A method's script: `input` is none when an attempt begins, `turn` counts from 0 within it. */
export type Script = (input: TurnInput | undefined, turn: number) => ScriptedTurn;

type Fields = NonNullable<TurnInput["fields"]>;

/** A request that arrived: what it asked for, and its body. */
export interface ReceivedRequest {
  operation: string;
  body: Json;
}

/** An attempt that goes on. */
interface Attempt {
  id: string;
  method: MethodName;
  turn: number;
  continuation: string;
}

/** The sandbox provider's documented inputs. */
const CARD = { good: "4242424242424242", down: "4000000000009995" };

const FULL_NAME = { name: "full_name", type: "text", autocomplete: "name", required: true, max: 100 } as const;
const DATE_OF_BIRTH = { name: "date_of_birth", type: "date", autocomplete: "bday", required: true, max: 10 } as const;

const FORMS = {
  CREDIT_CARD: [
    { name: "number", type: "digits", autocomplete: "cc-number", required: true, max: 23 },
    { name: "expiry", type: "text", autocomplete: "cc-exp", required: true, max: 7 },
    { name: "code", type: "digits", autocomplete: "cc-csc", required: true, max: 4 },
  ],
  EMAIL: [{ name: "email", type: "email", autocomplete: "email", required: true, max: 100 }],
  MOBILE: [{ name: "phone", type: "tel", autocomplete: "tel", required: true, max: 24 }],
  SOCIAL_SECURITY_NUMBER: [
    FULL_NAME,
    DATE_OF_BIRTH,
    { name: "number", type: "digits", autocomplete: "off", required: true, max: 11 },
  ],
  US_FLORIDA_HB3: [
    FULL_NAME,
    DATE_OF_BIRTH,
    { name: "address", type: "text", autocomplete: "street-address", required: true, max: 200 },
    { name: "postal_code", type: "text", autocomplete: "postal-code", required: true, max: 10 },
  ],
  CPF: [{ name: "cpf", type: "digits", autocomplete: "off", required: true, max: 14 }, FULL_NAME, DATE_OF_BIRTH],
} satisfies { [name in MethodName]?: StepsByKind["form"]["fields"] };

/** The form of a method that begins with one. */
export function formStep(name: keyof typeof FORMS): Step {
  return { kind: "form", fields: FORMS[name] };
}

/** A form, and then the end that its fields lead to. */
function formScript(name: keyof typeof FORMS, end: (fields: Fields) => ScriptedTurn): Script {
  return (input) => (input ? end(input.fields ?? {}) : { step: formStep(name) });
}

/** The question for a code that was sent. */
export function codeStep(channel: StepsByKind["code"]["channel"], resend_in: number): Step {
  return { kind: "code", channel, sent_to: channel === "SMS" ? "••• 123" : "a•••@example.com", length: 6, resend_in };
}

/** A form, a code that is sent, and the end. */
function codeScript(name: keyof typeof FORMS, channel: StepsByKind["code"]["channel"]): Script {
  return (input) => {
    if (!input) {
      return { step: formStep(name) };
    }
    if (input.fields || input.resend) {
      return { step: codeStep(channel, input.resend ? 30 : 2) };
    }
    return input.code === "123456"
      ? { ends: "COMPLETE" }
      : { step: codeStep(channel, 0), problem: { code: "WRONG_CODE", field: "code", remaining: 2 } };
  };
}

/** Something that others do, which is done when the stand-in is told so. */
export function pollScript(server: AgeStandIn, step: () => Step): Script {
  return () => (server.otherDone ? { ends: "COMPLETE" } : { step: step() });
}

export class AgeStandIn {
  methods: PageMethod[] = [method("EMAIL")];
  status: SessionStatus = "PENDING";
  seconds = 900;
  /** Members of the session view that differ from the usual ones. */
  view: Partial<PageSession> = {};
  consent: PageSession["consent"] = { required: false, given: null, may_give: false };
  /** Whether the session blocks where its person is. */
  blocked = false;
  result: PageSession["result"] = null;
  readonly scripts: { [name in MethodName]?: Script } = {};
  /** Whether somebody else (a wallet, a provider, a reader) is done. */
  otherDone = false;
  /** Refusals by operation, each used once: status and code. */
  readonly refusals = new Map<string, [number, string][]>();
  /** Requests that break off, by operation: how many of them. */
  readonly cuts = new Map<string, number>();
  /** Answers that are lost on their way, in the same way. */
  readonly losses = new Map<string, number>();
  /** Answers that wait until they are let go, by operation. */
  readonly #held = new Map<string, Promise<void>>();
  readonly requests: ReceivedRequest[] = [];
  readonly brand = "svc";
  /** Where blind tokens are issued, when that is another server. */
  issuer: string | undefined;
  /** Other servers that this issuer's page hands answers to. */
  redeemers: string[] = [];
  /** How an age is shown to this issuer. */
  issuerMethods: PageMethod[] = [method("EMAIL", { hand_off: false })];
  /** The issuer's own session, apart from the other, and how it signs. */
  issuing: AgeStandIn | undefined;
  signs = sign;
  /** What leads it, of an issuer's session, and what was signed in it. */
  #key: string | undefined;
  #signed: unknown;
  #proofMade = false;
  readonly #id: string;
  #attempt: Attempt | undefined;
  /** The method whose check runs on. */
  #checked: MethodName | undefined;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  constructor(id = SESSION) {
    this.#id = id;
    this.scripts.AGE_ESTIMATION = (input) =>
      input ? { ends: "COMPLETE" } : { step: { kind: "camera", level: "PASSIVE", capture: CAPTURE } };
    this.scripts.CREDIT_CARD = formScript("CREDIT_CARD", ({ number }) =>
      number === CARD.good
        ? { ends: "COMPLETE" }
        : number === CARD.down
          ? { ends: "ERROR", reason: "PROVIDER_UNAVAILABLE" }
          : { ends: "NEXT", reason: "NOT_FOUND" },
    );
    this.scripts.EMAIL = codeScript("EMAIL", "EMAIL");
    this.scripts.MOBILE = codeScript("MOBILE", "SMS");
    for (const name of ["SOCIAL_SECURITY_NUMBER", "US_FLORIDA_HB3", "CPF"] as const) {
      this.scripts[name] = formScript(name, () => ({ ends: "COMPLETE" }));
    }
    this.scripts.ELECTRONIC_ID = (input) => {
      if (!input) {
        const options = [
          { id: "mybank", name: "My bank" },
          { id: "eid", name: "National eID" },
        ];
        return { step: { kind: "choose", options } };
      }
      const { code, error } = input.returned ?? {};
      if (input.choice) {
        return { step: { kind: "redirect", url: `${this.origin}/provider?state=s1` } };
      }
      return { ends: code === "c0de" ? "COMPLETE" : error ? "NEXT" : "ERROR" };
    };
    this.scripts.SINGPASS = (input) =>
      input ? { ends: "COMPLETE" } : { step: { kind: "redirect", url: `${this.origin}/provider?state=s2` } };
    this.scripts.DOC_SCAN = pollScript(this, () => ({ kind: "document", url: `${this.origin}/document` }));
    this.scripts.LA_WALLET = pollScript(this, () => ({ kind: "app_code", code: "4821", poll_ms: 500 }));
    this.scripts.DIGITAL_ID = pollScript(this, () => ({
      kind: "wallet",
      url: "openid4vp://?client_id=x509_san_dns%3Aage.example&request_uri=https%3A%2F%2Fage.example%2Fr%2F1",
      links: [
        "openid4vp://?client_id=x509_san_dns%3Aage.example&request_uri=https%3A%2F%2Fage.example%2Fr%2F2",
        `${this.origin}/wallet`,
      ],
      poll_ms: 500,
    }));
    this.scripts.DOUBLE_ANONYMITY = (input) => {
      const page = `${this.issuer ?? this.origin}/age/issue`;
      const step: Step = { kind: "token", challenge: CHALLENGE, key: PUBLIC_KEY, threshold: 18, issuer_url: page };
      if (!input) {
        return { step };
      }
      if (input.declined) {
        return { ends: "NEXT" };
      }
      return isValidToken(String(input.token)) ? { ends: "COMPLETE" } : { step, problem: { code: "TRY_AGAIN" } };
    };
    this.scripts.SVC_KEY = (input) =>
      input
        ? { ends: "COMPLETE" }
        : {
            step: {
              kind: "passkey",
              silent: this.methods.some(({ method, silent }) => method === "SVC_KEY" && silent),
              options: requestOptions(),
            },
          };
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The same by a name, which passkeys need. */
  get named(): string {
    return `http://localhost:${this.#port}`;
  }

  /** The page's address, perhaps of a method, perhaps with more parameters. */
  page(method = "", more = "", base = ""): string {
    return `${this.origin}${base}/age${method && `/${method}`}?sessionId=${SESSION}&sdkId=${SDK_ID}${more}`;
  }

  async start(): Promise<void> {
    const server = createServer(
      (request, response) => void this.#answer(request, response).catch(() => response.destroy()),
    );
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    for (const socket of this.#sockets) {
      socket.destroy();
    }
    await closed;
  }

  /** How often an operation was asked for. */
  count(pattern: RegExp): number {
    return this.requests.filter(({ operation: what }) => pattern.test(what)).length;
  }

  /** The body of the last request for an operation. */
  last(pattern: RegExp): Json {
    return this.requests.filter(({ operation: what }) => pattern.test(what)).at(-1)?.body ?? {};
  }

  /** The next request for an operation is refused. */
  refuse(operation: string, status: number, code: string): void {
    this.refusals.set(operation, [...(this.refusals.get(operation) ?? []), [status, code]]);
  }

  /** Holds back the answers to an operation until what is returned is called. */
  hold(operation: string): () => void {
    let release = () => {};
    this.#held.set(
      operation,
      new Promise((resolve) => {
        release = () => {
          this.#held.delete(operation);
          resolve();
        };
      }),
    );
    return () => release();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://stand-in");
    const path = pathname.replace(/^\/sandbox/, "");
    if (path === "/age" || path.startsWith("/age/assets/") || /^\/age\/(?!v1)[^/]*$/.test(path)) {
      const file =
        path === "/age" ? "age/above.html" : path.startsWith("/age/assets/") ? path.slice(1) : "age/index.html";
      await sendFile(response, file, framedBy(HEADERS));
      return;
    }
    if (!path.startsWith("/age/v1/") && !path.startsWith("/ai/")) {
      this.#elsewhere(path, searchParams, response);
      return;
    }
    const issuing = path.includes(ISSUER_SESSION) ? this.issuing : undefined;
    const operation = `${request.method} ${path
      .replace(`/age/v1/sessions/${ISSUER_SESSION}`, "")
      .replace(`/age/v1/sessions/${SESSION}`, "")
      .replace(/[0-9a-f-]{36}$/, "ID")}`;
    const cut = this.cuts.get(operation) ?? 0;
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk);
    }
    if (cut > 0) {
      this.cuts.set(operation, cut - 1);
      this.requests.push({ operation: `cut ${operation}`, body: {} });
      request.socket.destroy();
      return;
    }
    const body = JSON.parse(Buffer.concat(chunks).toString() || "{}");
    this.requests.push({ operation: operation, body });
    const [status, answer] = (issuing ?? this).#decide(operation, body, request);
    const lost = this.losses.get(operation) ?? 0;
    if (lost > 0) {
      this.losses.set(operation, lost - 1);
      request.socket.destroy();
      return;
    }
    await this.#held.get(operation);
    response.writeHead(status, {
      "content-type": "application/json",
      ...(status === 429 ? { "retry-after": "1" } : {}),
    });
    response.end(answer === undefined ? undefined : JSON.stringify(answer));
  }

  /** Pages of others, and that of documents. */
  #elsewhere(path: string, parameters: URLSearchParams, response: ServerResponse): void {
    const pages: Record<string, string> = {
      "/provider": `<h1>Provider</h1><a id="yes" href="/age/return?state=${parameters.get("state")}&code=c0de">yes</a>
        <a id="no" href="/age/return?state=${parameters.get("state")}&error=access_denied">no</a>`,
      "/document": `<h1>Document</h1><button onclick="parent.postMessage({ eventType: 'SUCCESS', eventCode: 0 }, '*')">done</button>`,
      "/holder": "<h1>Holder</h1>",
    };
    response.writeHead(path === "/favicon.ico" ? 204 : 200, { "content-type": "text/html" });
    response.end(`<!doctype html><title>${path}</title>${pages[path] ?? `<h1>${path}</h1>`}`);
  }

  #decide(operation: string, body: Json, request: IncomingMessage): Reply {
    const refuse = (status: number, code: string): Reply => [status, { error_code: code, error_message: "refused" }];
    const [refusal, ...rest] = this.refusals.get(operation) ?? [];
    this.refusals.set(operation, rest);
    if (refusal) {
      return refuse(...refusal);
    }
    if (operation === "GET /ai/sm/v1/secure/1/token") {
      const token = { token: "header.payload.signature", expires_in: 600 };
      return reply<ImagePaths["/ai/sm/v1/secure/{version}/token"]["get"]>(200, token);
    }
    if (operation === "POST /age/v1/keys/forget") {
      const answer = body.credential ? { forgotten: true } : { options: requestOptions(), continuation: "f1" };
      return reply<AgePaths["/age/v1/keys/forget"]["post"]>(200, answer);
    }
    if (operation === "POST /age/v1/anonymity/sessions") {
      const key = crypto.randomUUID();
      this.issuing = new AgeStandIn(ISSUER_SESSION);
      this.issuing.#key = key;
      this.issuing.methods = this.issuerMethods.map((one) => ({ ...one }));
      this.issuing.view = { issues: Number(body.threshold), business: "Demo issuer", callback: null };
      const { expires_at } = this.issuing.session();
      const begun = { id: ISSUER_SESSION, sdk_id: SDK_ID, key, redeemers: this.redeemers, expires_at };
      return reply<AgePaths["/age/v1/anonymity/sessions"]["post"]>(201, begun);
    }
    if (request.headers[`${this.brand}-sdk-id`] !== SDK_ID) {
      return refuse(401, "UNAUTHORIZED");
    }
    if (this.#key !== undefined && ["POST /attempts", "POST /token"].includes(operation) && body.key !== this.#key) {
      return refuse(404, "SESSION_NOT_FOUND");
    }
    switch (operation) {
      case "GET ":
        return reply<Operations[""]["get"]>(200, { ...this.session(), location_blocked: this.blocked });
      case "POST /consent":
        return this.#consented(body.given === true);
      case "POST /cancel":
        this.status = "CANCELLED";
        return reply<Operations["/cancel"]["post"]>(200, this.session());
      case "POST /attempts":
        return this.#begin(body.method as MethodName);
      case "POST /attempts/ID":
        return this.#turn(body, request);
      case "POST /key":
        return reply<Operations["/key"]["post"]>(
          200,
          body.credential ? this.session() : { options: creationOptions(), continuation: "k1" },
        );
      case "POST /token":
        if (this.status !== "COMPLETE" || this.view.issues === undefined) {
          return refuse(409, "INVALID_STATUS");
        }
        this.#signed ??= body.token_request;
        if (body.token_request !== this.#signed) {
          return refuse(409, "INVALID_STATUS");
        }
        return reply<Operations["/token"]["post"]>(200, { token_response: this.signs(String(body.token_request)) });
      case "POST /proof":
        if (this.#proofMade) {
          return refuse(409, "INVALID_STATUS");
        }
        this.#proofMade = true;
        return reply<Operations["/proof"]["post"]>(200, { url: `${this.origin}/holder#invitation` });
      case "POST /faults":
        return [204];
      default:
        return refuse(404, "SESSION_NOT_FOUND");
    }
  }

  #consented(given: boolean): Reply {
    this.consent.given = given;
    for (const one of this.methods) {
      if (one.biometric && ["OPEN", "DECLINED"].includes(one.state)) {
        one.state = given ? "OPEN" : "DECLINED";
      }
    }
    const checked = this.methods.find((one) => one.method === this.#checked);
    if (!given && this.status === "PROCESSING" && checked?.biometric) {
      this.end(checked.method, "NEXT", "DECLINED");
      checked.state = "DECLINED";
    }
    return reply<Operations["/consent"]["post"]>(200, this.session());
  }

  #begin(name: MethodName): Reply {
    const chosen = this.methods.find((one) => one.method === name);
    if (!chosen || chosen.state === "EXHAUSTED") {
      return [409, { error_code: "INVALID_STATUS", error_message: "refused" }];
    }
    this.status = "IN_PROGRESS";
    this.#attempt = { id: crypto.randomUUID(), method: name, turn: 0, continuation: "" };
    return reply<Operations["/attempts"]["post"]>(201, this.#say(undefined));
  }

  #turn(body: Json, request: IncomingMessage): Reply {
    const attempt = this.#attempt;
    if (!attempt || !request.url?.endsWith(attempt.id) || body.continuation !== attempt.continuation) {
      return [409, { error_code: "STALE_CONTINUATION", error_message: "refused" }];
    }
    const { continuation, ...input } = body;
    attempt.turn += 1;
    return reply<Operations["/attempts/{attemptId}"]["post"]>(200, this.#say(input));
  }

  #say(input: TurnInput | undefined): TurnAnswer {
    const attempt = this.#attempt as Attempt;
    const said = this.scripts[attempt.method]?.(input, attempt.turn) ?? { ends: "ERROR" };
    if ("step" in said) {
      // Whoever only asks keeps the continuation; every input makes another.
      attempt.continuation ||= crypto.randomUUID();
      if (input && Object.keys(input).length > 0) {
        attempt.continuation = crypto.randomUUID();
      }
      const { id, continuation } = attempt;
      return answers.openTurn(this.session(), id, continuation, said.step, said.problem);
    }
    this.end(attempt.method, said.ends, said.reason);
    return answers.endedTurn(this.session());
  }

  /** Ends an attempt, or leaves it to somebody who looks at it later; a method that failed may be tried again as often as it
   * says. */
  end(name: MethodName, how: "COMPLETE" | "FAIL" | "ERROR" | "PROCESSING" | "NEXT", reason?: FailureReason): void {
    const used = this.methods.find((one) => one.method === name);
    this.#attempt = undefined;
    this.status = how === "NEXT" ? "IN_PROGRESS" : how;
    if (how === "PROCESSING") {
      this.#checked = name;
      return;
    }
    this.result = { method: name, status: how === "NEXT" ? "FAIL" : how, reason: reason ?? null };
    if (used) {
      used.attempts += 1;
      used.attempts_remaining -= 1;
      used.state = used.attempts_remaining > 0 ? "FAILED" : "EXHAUSTED";
    }
    if (how === "NEXT" && !this.methods.some((one) => this.#mayOpen(one))) {
      this.status = "FAIL";
    }
  }

  #mayOpen({ state, attempts_remaining }: PageMethod): boolean {
    const goesOn = this.status === "PENDING" || this.status === "IN_PROGRESS" || this.view.retry === true;
    return goesOn && attempts_remaining > 0 && state !== "DECLINED";
  }

  session(): PageSession {
    return answers.session(this.#id, {
      status: this.status,
      seconds_left: this.seconds,
      consent: this.consent,
      methods: this.methods.map((one) => ({ ...one, available: !one.in_app && this.#mayOpen(one) })),
      result: this.result,
      callback: { url: `${this.origin}/thanks?sessionId=${SESSION}`, auto: false },
      ...this.view,
    });
  }
}

function requestOptions(): PasskeyOptions {
  return { publicKey: { challenge: "AAECAwQFBgcICQoLDA0ODw", rpId: "localhost", userVerification: "preferred" } };
}

function creationOptions(): PasskeyOptions {
  return {
    publicKey: {
      challenge: "AAECAwQFBgcICQoLDA0ODw",
      rp: { id: "localhost", name: "Demo" },
      user: { id: "AQIDBA", name: "age", displayName: "Age" },
      pubKeyCredParams: [{ type: "public-key", alg: -7 }],
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    },
  };
}
