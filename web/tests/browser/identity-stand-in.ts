// A stand-in for the server, as far as the page of a verification session sees it: the end-user operations.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Recommendation } from "../../identity/api";
import type { Configuration, MailKind, Operations, RequirementKind, Resource } from "../../identity/requirements";
import { configuration, DOCUMENT, RECORDED, task } from "../identity-responses";
import { framedBy, type Reply, reply, sendFile } from "./holder-stand-in";

// As crates/pages sends them with this page; a test over there compares.
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "permissions-policy": "camera=(self), geolocation=(), microphone=()",
};

export const SESSION = "0d6d9a5e-6c26-4c1f-9f7e-2f3a5b7c9d01";
export const TOKEN = "7b1f0c2d-93a4-4e5b-8c6d-1e2f3a4b5c6d";
const ROOT = "/idverify/v1";

type IdDocument = Operations["/resources/id-documents"]["post"];
type Letter = Operations["/resources/supplementary-documents"]["post"];

/** A request that arrived: its method and path below the session, and how many bytes came. */
export interface ReceivedRequest {
  operation: string;
  bytes: number;
  body: Buffer;
  /** How it was answered; not at all where it was cut. */
  status?: number;
}

/** An upload that comes in pieces: what came of it, and how many bytes it has. */
export interface Upload {
  bytes: Buffer;
  length: number;
}

export class IdentityStandIn {
  resources: Resource[] = [{ ...DOCUMENT }];
  consent: Configuration["capture"]["biometric_consent"] = "GIVEN";
  sdk: Partial<Configuration["sdk_config"]> = { allow_handoff: true };
  seconds = 600;
  emails: MailKind[] = [];
  /** What is recommended after each document that is read; nothing left is PROGRESS. */
  recommendations: Recommendation[] = [];
  /** What is recommended after each live face that is judged; nothing left is PROGRESS. */
  faces: Recommendation[] = [];
  /** How many times it is said that a task goes on before it is done. */
  slow = 0;
  /** Seconds that it will probably take, told with each of these answers. */
  expectedWaits: number[] = [];
  /** Refusals by operation, each used once: status and code. */
  readonly refusals = new Map<string, [number, string][]>();
  /** Requests that break off in the middle, by operation: how many of them. */
  readonly cuts = new Map<string, number>();
  readonly requests: ReceivedRequest[] = [];
  deleted = false;
  /** Origins that the session names: their pages may show the page in a frame, if its address is the session's. */
  embedders: string[] = [];
  readonly uploads = new Map<string, Upload>();
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The same server as another site. */
  get business(): string {
    return this.origin.replace("127.0.0.1", "localhost");
  }

  get bare(): string {
    return `${this.origin}${ROOT}/web/index.html`;
  }

  get page(): string {
    return `${this.bare}?sessionID=${SESSION}&sessionToken=${TOKEN}`;
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

  /** Its next request is refused. */
  refuse(operation: string, status: number, code: string): void {
    this.refusals.set(operation, [...(this.refusals.get(operation) ?? []), [status, code]]);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, searchParams } = new URL(request.url ?? "/", "http://stand-in");
    const pathname = path.replace(/^\/sandbox/, "");
    if (pathname.startsWith(`${ROOT}/web/`)) {
      const file = pathname.replace(`${ROOT}/web`, "identity").replace(/\/$/, "/index.html");
      const embedders = searchParams.get("sessionToken") === TOKEN ? this.embedders : [];
      await sendFile(response, file, framedBy(HEADERS, ...embedders));
      return;
    }
    if (pathname === "/embedding" || pathname === "/thanks" || pathname === "/sorry") {
      response.writeHead(200, { "content-type": "text/html" });
      response.end(`<!doctype html><title>${pathname}</title><h1>${pathname}</h1>`);
      return;
    }
    // Browsers ask by themselves for the picture of a page that names none, as those above.
    if (pathname === "/favicon.ico") {
      response.writeHead(204);
      response.end();
      return;
    }
    const operation = `${request.method} ${pathname.replace(`${ROOT}/sessions/${SESSION}`, "").replace(ROOT, "")}`;
    const cuts = request.method === "PATCH" ? "PATCH" : operation;
    const cut = this.cuts.get(cuts) ?? 0;
    const upload = this.uploads.get(pathname.split("/").at(-1) ?? "");
    const added = request.method === "PATCH" && Number(request.headers["upload-offset"]) === upload?.bytes.length;
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk);
      if (upload && added) {
        upload.bytes = Buffer.concat([upload.bytes, chunk]);
      }
      if (cut > 0) {
        this.cuts.set(cuts, cut - 1);
        this.requests.push({ operation: `cut ${operation}`, bytes: 0, body: Buffer.alloc(0) });
        request.socket.destroy();
        return;
      }
    }
    const body = Buffer.concat(chunks);
    const elsewhere: Reply = [409, { code: "RESOURCE_LOCKED" }];
    const [status, answer] =
      upload && request.method === "PATCH" && !added ? elsewhere : this.#decide(operation, request, body);
    this.requests.push({ operation: operation, bytes: body.length, body, status });
    if (/\/uploads(\/|$)/.test(pathname)) {
      this.#setTusHeaders(request, response, answer);
    }
    const wait = operation.endsWith("/text-extraction") ? this.expectedWaits.shift() : undefined;
    if (wait) {
      response.setHeader("retry-after", wait);
    }
    response.writeHead(status, { "content-type": "application/json" });
    response.end(answer === undefined ? undefined : JSON.stringify(answer));
  }

  /** What tus 1.0 has on every answer about an upload. */
  #setTusHeaders(request: IncomingMessage, response: ServerResponse, answer: object | undefined): void {
    const { id } = (answer ?? {}) as { id?: string };
    const upload = this.uploads.get(request.url?.split("/").at(-1) ?? "");
    response.setHeader("tus-resumable", "1.0.0");
    response.setHeader("cache-control", "no-store");
    if (upload) {
      response.setHeader("upload-offset", String(upload.bytes.length));
      response.setHeader("upload-length", String(upload.length));
    }
    if (request.method === "POST" && id) {
      response.setHeader("location", `uploads/${id}`);
    }
  }

  #decide(operation: string, request: IncomingMessage, body: Buffer): Reply {
    const refuse = (status: number, code: string): Reply => [status, { code, message: "refused" }];
    const [refusal, ...rest] = this.refusals.get(operation) ?? [];
    this.refusals.set(operation, rest);
    if (refusal) {
      return refuse(...refusal);
    }
    if (request.headers["x-svc-auth-token"] !== TOKEN || this.deleted) {
      return refuse(401, "BAD_TOKEN");
    }
    JSON.parse(Buffer.from(String(request.headers["x-svc-device-meta"]), "base64").toString());
    if (operation.includes(" /uploads") && request.headers["tus-resumable"] !== "1.0.0") {
      return refuse(412, "UNSUPPORTED_VERSION");
    }
    const id = crypto.randomUUID();
    switch (operation.replace(/\b[0-9a-f-]{36}\b/, "ID")) {
      case "GET /configuration":
        return reply<Operations["/configuration"]["get"]>(200, this.#configuration());
      case "DELETE /client-session-token":
        this.deleted = true;
        return [204];
      case "POST /uploads":
        this.uploads.set(id, { bytes: Buffer.alloc(0), length: Number(request.headers["upload-length"]) });
        return reply<Operations["/uploads"]["post"]>(201, { id });
      case "POST /resources/id-documents":
        return reply<IdDocument>(201, { ...RECORDED.idDocument, id });
      case "POST /resources/supplementary-documents":
        return this.#addLetter(id, body);
      case "POST /resources/liveness/static":
        return reply<Operations["/resources/liveness/static"]["post"]>(201, { id });
      case "POST /resources/liveness/zoom":
        return reply<Operations["/resources/liveness/zoom"]["post"]>(201, { id });
      case "POST /resources/face-capture":
        return reply<Operations["/resources/face-capture"]["post"]>(201, { ...RECORDED.faceCapture, id });
      case "POST /resources/liveness/zoom/ID/facemap":
        return reply<Operations["/resources/liveness/zoom/{resourceId}/facemap"]["post"]>(201, {
          media: { ...RECORDED.media.media, id, type: "BINARY" },
        });
      case "PUT /resources/id-documents/ID/text-extraction":
        return this.#read("ID_DOCUMENT");
      case "PUT /resources/supplementary-documents/ID/text-extraction":
        return this.#read("SUPPLEMENTARY_DOCUMENT");
      case "POST /biometric-consent":
        this.consent = "GIVEN";
        return [204];
      default:
        return operation.startsWith("PUT /resources/") ? this.#put(operation) : [204];
    }
  }

  /** Begins a letter, if it is one that is asked for: the server takes no other. */
  #addLetter(id: string, body: Buffer): Reply {
    const { document_type: type, issuing_country: country } = JSON.parse(body.toString() || "{}");
    const letter = this.resources.find((one) => one.type === "SUPPLEMENTARY_DOCUMENT" && one.state !== "FULFILLED");
    const listed = (words: string[] | undefined, word: string) => !words?.length || words.includes(word);
    if (!listed(letter?.document_types, type) || !listed(letter?.country_codes, country)) {
      return [400, { code: "PAYLOAD_VALIDATION", message: "a member of the request cannot be used" }];
    }
    return reply<Letter>(201, { ...RECORDED.supplementaryDocument, id });
  }

  /** Takes a picture; what needs no more than that is fulfilled. */
  #put(operation: string): Reply {
    if (this.consent === "REQUIRED" && /liveness|face-capture/.test(operation)) {
      return [409, RECORDED.refusal];
    }
    if (/static\/.*\/frames|\/frames\/7/.test(operation)) {
      return this.#judge();
    }
    if (/\/(image|file)$/.test(operation)) {
      const kind = operation.includes("face-capture") ? "FACE_CAPTURE" : "SUPPLEMENTARY_DOCUMENT";
      const read = this.resources.some(({ type, requested_tasks: tasks }) => type === kind && tasks?.length);
      if (!read) {
        this.fulfil(kind);
      }
    }
    return reply<Operations["/resources/id-documents/{resourceId}/pages/{page}"]["put"]>(200, {
      media: { ...RECORDED.media.media, id: crypto.randomUUID() },
    });
  }

  /** Judges a live face: one that will not do uses an attempt. */
  #judge(): Reply {
    const recommendation = this.faces.shift() ?? { value: "PROGRESS" };
    const required = this.resources.find(({ type }) => type === "LIVENESS");
    if (required && recommendation.value !== "PROGRESS") {
      required.attempts_remaining = { GENERIC: required.attempts_remaining.GENERIC - 1 };
    }
    if (recommendation.value !== "MUST_TRY_AGAIN" || required?.attempts_remaining.GENERIC === 0) {
      this.fulfil("LIVENESS");
    }
    return reply<Operations["/resources/liveness/static/{resourceId}/frames/{frame}"]["put"]>(200, {
      ...RECORDED.judgedFrame,
      recommendation,
      attempts_remaining: required?.attempts_remaining ?? { GENERIC: 0 },
    });
  }

  #read(kind: RequirementKind): Reply {
    const answer = reply<Operations["/resources/id-documents/{resourceId}/text-extraction"]["put"]>;
    if (this.slow > 0) {
      this.slow -= 1;
      return answer(200, task("PENDING"));
    }
    const recommendation = this.recommendations.shift() ?? { value: "PROGRESS" };
    if (recommendation.value === "PROGRESS") {
      this.fulfil(kind);
    }
    return answer(200, task("DONE", recommendation));
  }

  fulfil(kind: RequirementKind): void {
    for (const resource of this.resources) {
      if (resource.type === kind) {
        resource.state = "FULFILLED";
      }
    }
  }

  #configuration(): Configuration {
    return configuration({
      session_id: SESSION,
      client_session_token_ttl: this.seconds,
      capture: { biometric_consent: this.consent, required_resources: this.resources },
      sdk_config: { allow_handoff: false, ...this.sdk },
      emails: this.emails,
    });
  }
}
