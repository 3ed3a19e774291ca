// A stand-in for the server, as far as the holder's page sees it: its files, and credentials for its keys. It writes
// credentials with code of its own, and takes presentations apart to judge them.

import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { extname, join } from "node:path";
import { type Bytes, fromBase64url, concatBytes as joined, toBase64url } from "../../shared/bytes";
import { encodeByteString } from "../../shared/cbor";
import type { ProofPaths, RequestBodyOf, ResponseOf } from "../../shared/schema";

type Redeem = ProofPaths["/poa/v1/holder/credentials"]["post"];

// As crates/pages sends them; a test over there compares.
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};
const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
  ".bin": "application/octet-stream",
};
const DIST = join(process.cwd(), "dist");

/** Answers with a file of `dist`, as the server does. */
/** The headers of a hosted page as they are sent: its own server and these origins may show it in a frame. */
export function framedBy<T extends { "content-security-policy": string }>(headers: T, ...origins: string[]): T {
  const policy = headers["content-security-policy"];
  return {
    ...headers,
    "content-security-policy": policy.replace("ancestors 'none'", ["ancestors 'self'", ...origins].join(" ")),
  };
}

export async function sendFile(response: ServerResponse, name: string, headers: object = HEADERS): Promise<void> {
  try {
    const file = await readFile(join(DIST, name));
    response.writeHead(200, { ...headers, "content-type": TYPES[extname(name)] }).end(file);
  } catch {
    response.writeHead(404, { ...HEADERS, "content-type": "text/plain" }).end("not found\n");
  }
}

/** How a request is answered: the status, and the body where there is one. */
export type Reply = [status: number, body?: object];

/** What an operation answers, as the interface's document has it. */
export function reply<Operation>(status: number, body: ResponseOf<Operation>): Reply {
  return [status, body as object];
}

export class HolderStandIn {
  /** How many batches a code still gives. */
  readonly invitations = new Map<string, number>();
  /** Every request's method and path, and every holder's key that a credential was issued for. */
  readonly requests: string[] = [];
  readonly keys = new Map<string, Bytes>();
  ages = [18, 16];
  lifetimeSeconds = 3600;
  /** Seconds by which this server's clock is ahead of the machine's. */
  clockAheadSeconds = 0;
  /** Answers everything but files with this status, when set. */
  refusalStatus: number | undefined;
  /** So many answers with credentials do not arrive: the connection breaks off. */
  lostAnswers = 0;
  /** Answers with credentials wait for this. */
  held: Promise<void> | undefined;
  /** What was answered under an `Idempotency-Key`. */
  readonly #answers = new Map<string, { body: string; answer: Reply }>();
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  get page(): string {
    return `http://127.0.0.1:${this.#port}/poa/holder/`;
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#answer(request, response));
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Goes away, as a network does. */
  async stop(): Promise<void> {
    // One that is closed already answers with an error, which is no matter.
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    for (const socket of this.#sockets) {
      socket.destroy();
    }
    await closed;
  }

  now(): number {
    return Math.floor(Date.now() / 1000) + this.clockAheadSeconds;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://stand-in");
    this.requests.push(`${request.method} ${request.url}`);
    response.setHeader("date", new Date(this.now() * 1000).toUTCString());
    if (pathname === "/poa/v1/holder/credentials" && request.method === "POST") {
      const [status, body] = await this.#redeem(request);
      await this.held;
      if (this.lostAnswers > 0) {
        this.lostAnswers -= 1;
        response.destroy();
        return;
      }
      response.writeHead(status, { "content-type": "application/json", "retry-after": "1" }).end(JSON.stringify(body));
      return;
    }
    await sendFile(response, pathname.replace(/^\/poa\//, "").replace(/\/$/, "/index.html"));
  }

  async #redeem(request: IncomingMessage): Promise<Reply> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk);
    }
    const sent = Buffer.concat(chunks).toString();
    const { keys } = JSON.parse(sent) as RequestBodyOf<Redeem>;
    const code = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
    const repeatable = `${code} ${request.headers["idempotency-key"]}`;
    const answered = this.#answers.get(repeatable);
    if (answered) {
      return answered.body === sent ? answered.answer : [409, { id: "1", status: 409, error: "REUSED", message: "no" }];
    }
    const left = this.invitations.get(code) ?? 0;
    if (this.refusalStatus || left === 0) {
      const status = this.refusalStatus ?? 401;
      return [status, { id: "1", status, error: "REFUSED", message: "no" }];
    }
    this.invitations.set(code, left - 1);
    const credentials = keys.map((key) => toBase64url(this.#issue(fromBase64url(key))));
    const answer = reply<Redeem>(200, {
      credentials,
      expires_at: new Date((this.now() + this.lifetimeSeconds) * 1000).toISOString(),
      batches_left: left - 1,
    });
    this.#answers.set(repeatable, { body: sent, answer });
    return answer;
  }

  /** A credential for a key. Its signature is only as long as one: the page cannot check it, and does not. */
  #issue(point: Bytes): Bytes {
    const id = crypto.getRandomValues(new Uint8Array(16));
    this.keys.set(toBase64url(id), point);
    const now = this.now();
    const ages = this.ages.flatMap((years) => [...uint(years), 0xf5]);
    const key = [
      0xa4,
      1,
      2,
      0x20,
      1,
      0x21,
      ...encodeByteString(point.slice(1, 33)),
      0x22,
      (point[64] ?? 0) % 2 ? 0xf5 : 0xf4,
    ];
    const issuer = new TextEncoder().encode("https://proof.example.com");
    const claims = joined(
      ...[[0xa6, 1, 0x78, issuer.length], issuer, [4], uint(now + this.lifetimeSeconds), [6], uint(now - (now % 3600))],
      ...[[7], encodeByteString(id), [0x3a, 0, 1, 0, 0, 0xa0 + this.ages.length], ages, [8, 0xa1, 1], key],
    );
    const header = encodeByteString(Uint8Array.from([0xa2, 1, 0x26, 4, 0x48, 1, 2, 3, 4, 5, 6, 7, 8]));
    const signature = encodeByteString(crypto.getRandomValues(new Uint8Array(64)));
    return joined([0xd2, 0x84], header, [0xa0], encodeByteString(claims), signature);
  }
}

function uint(number: number): number[] {
  if (number < 24) {
    return [number];
  }
  return number < 256 ? [0x18, number] : [0x1a, number >>> 24, (number >> 16) & 255, (number >> 8) & 255, number & 255];
}
