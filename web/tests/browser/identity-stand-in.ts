// A stand-in for the server, as far as the page of a verification session sees it: the end-user operations.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { sendFile } from "./stand-in";

// As crates/pages sends them with this page; a test over there compares.
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "permissions-policy": "camera=(self), geolocation=(), microphone=()",
};

export const SESSION = "0d6d9a5e-6c26-4c1f-9f7e-2f3a5b7c9d01";
export const TOKEN = "7b1f0c2d-93a4-4e5b-8c6d-1e2f3a4b5c6d";
const ROOT = "/idverify/v1";

export const DOCUMENT = {
  id: "11111111-0000-4000-8000-000000000001",
  type: "ID_DOCUMENT",
  state: "REQUIRED",
  allowed_sources: [{ type: "END_USER" }],
  requested_tasks: [{ type: "ID_DOCUMENT_TEXT_DATA_EXTRACTION", state: "REQUIRED" }],
  supported_countries: [
    { code: "DEU", supported_documents: [{ type: "PASSPORT" }, { type: "NATIONAL_ID" }] },
    { code: "SWE", supported_documents: [{ type: "PASSPORT" }] },
    { code: "USA", supported_documents: [{ type: "DRIVING_LICENCE" }] },
  ],
  allowed_capture_methods: "CAMERA_AND_UPLOAD",
  attempts_remaining: 3,
};
export const LETTER = {
  ...DOCUMENT,
  id: "11111111-0000-4000-8000-000000000002",
  type: "SUPPLEMENTARY_DOCUMENT",
  requested_tasks: [],
  supported_countries: [{ code: "GBR", supported_documents: [{ type: "UTILITY_BILL" }] }],
};
export const LIVENESS = {
  id: "11111111-0000-4000-8000-000000000003",
  type: "LIVENESS",
  state: "REQUIRED",
  allowed_sources: [{ type: "END_USER" }],
  requested_tasks: [],
  liveness_type: "STATIC",
  attempts_remaining: 2,
};

export interface Wanted {
  state: string;
  [member: string]: unknown;
}

/** A request that arrived: its method and path below the session, and how many bytes came. */
export interface Asked {
  what: string;
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
  resources: Wanted[] = [{ ...DOCUMENT }];
  consent = "NOT_REQUIRED";
  sdk: Record<string, unknown> = { allow_handoff: true };
  seconds = 600;
  emails: string[] = [];
  /** What is recommended after each document that is read; nothing left is PROGRESS. */
  recommendations: object[] = [];
  /** How many times it is said that a task goes on before it is done. */
  slow = 0;
  /** Refusals by operation, each used once: status and code. */
  readonly refusals = new Map<string, [number, string][]>();
  /** Requests that break off in the middle, by operation: how many of them. */
  readonly cuts = new Map<string, number>();
  readonly asked: Asked[] = [];
  deleted = false;
  readonly uploads = new Map<string, Upload>();
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
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
    return this.asked.filter(({ what }) => pattern.test(what)).length;
  }

  /** Its next request is refused. */
  refuse(operation: string, status: number, code: string): void {
    this.refusals.set(operation, [...(this.refusals.get(operation) ?? []), [status, code]]);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path } = new URL(request.url ?? "/", "http://stand-in");
    const pathname = path.replace(/^\/sandbox/, "");
    if (pathname.startsWith(`${ROOT}/web/`)) {
      await sendFile(response, pathname.replace(`${ROOT}/web`, "identity").replace(/\/$/, "/index.html"), HEADERS);
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
        this.asked.push({ what: `cut ${operation}`, bytes: 0, body: Buffer.alloc(0) });
        request.socket.destroy();
        return;
      }
    }
    const body = Buffer.concat(chunks);
    const elsewhere: [number, object] = [409, { code: "RESOURCE_LOCKED" }];
    const [status, answer] =
      upload && request.method === "PATCH" && !added ? elsewhere : this.#decide(operation, request);
    this.asked.push({ what: operation, bytes: body.length, body, status });
    if (/\/uploads(\/|$)/.test(pathname)) {
      this.#setTusHeaders(request, response, answer);
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

  #decide(operation: string, request: IncomingMessage): [number, object?] {
    const refuse = (status: number, code: string): [number, object] => [status, { code, message: "refused" }];
    const [refusal, ...rest] = this.refusals.get(operation) ?? [];
    this.refusals.set(operation, rest);
    if (refusal) {
      return refuse(...refusal);
    }
    if (request.headers["x-svc-auth-token"] !== TOKEN || this.deleted) {
      return refuse(401, "BAD_TOKEN");
    }
    JSON.parse(Buffer.from(String(request.headers["x-svc-device-meta"]), "base64").toString());
    if (operation === "GET /configuration") {
      return [200, this.#configuration()];
    }
    if (operation === "DELETE /client-session-token") {
      this.deleted = true;
      return [204];
    }
    if (operation.includes(" /uploads") && request.headers["tus-resumable"] !== "1.0.0") {
      return refuse(412, "UNSUPPORTED_VERSION");
    }
    if (operation === "POST /uploads") {
      const id = crypto.randomUUID();
      this.uploads.set(id, { bytes: Buffer.alloc(0), length: Number(request.headers["upload-length"]) });
      return [201, { id }];
    }
    if (/^(HEAD|PATCH) \/uploads\//.test(operation)) {
      return [204];
    }
    if (operation.startsWith("POST /resources/") && !operation.endsWith("facemap")) {
      return [201, { id: crypto.randomUUID(), frames: 1 }];
    }
    if (operation.endsWith("/text-extraction")) {
      return [200, this.#read()];
    }
    if (/^PUT .*\/(frames\/\d|image|file)$/.test(operation)) {
      this.fulfil(
        operation.includes("liveness")
          ? "LIVENESS"
          : operation.includes("face-capture")
            ? "FACE_CAPTURE"
            : "SUPPLEMENTARY_DOCUMENT",
      );
    }
    return [operation.startsWith("POST") ? 201 : 200, {}];
  }

  #read(): object {
    const task = { id: crypto.randomUUID(), type: "ID_DOCUMENT_TEXT_DATA_EXTRACTION" };
    if (this.slow > 0) {
      this.slow -= 1;
      return { ...task, state: "PENDING" };
    }
    const recommendation = this.recommendations.shift() ?? { value: "PROGRESS" };
    if ((recommendation as { value: string }).value === "PROGRESS") {
      this.fulfil("ID_DOCUMENT");
    }
    return { ...task, state: "DONE", recommendation };
  }

  fulfil(type: string): void {
    for (const resource of this.resources) {
      if (resource.type === type) {
        resource.state = "FULFILLED";
      }
    }
  }

  #configuration(): object {
    return {
      session_id: SESSION,
      client_session_token_ttl: this.seconds,
      requested_checks: ["ID_DOCUMENT_AUTHENTICITY"],
      capture: { biometric_consent: this.consent, required_resources: this.resources },
      sdk_config: this.sdk,
      emails: this.emails,
    };
  }
}
