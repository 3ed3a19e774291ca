// The end-user operations of a session: called again where a network or a busy server makes it worth while.

import { toBase64url } from "../shared/bytes";
import { importAgain } from "../shared/import-again";
import {
  type HttpResponse,
  InterruptedError,
  type OnProgress,
  parseObject,
  RefusedError,
  sendRequest,
  sleep,
  upload,
  withRetries,
} from "../shared/network";
import type { RequestBodyOf, ResponseOf } from "../shared/schema";
import type { Failure } from "./event-codes";
import {
  type DocumentChoice,
  type LetterChoice,
  type MailKind,
  type Operations,
  readConfig,
  type SessionConfig,
} from "./requirements";
import type { Session } from "./session";

/** How the reading of a document stands. */
export type Task = ResponseOf<ReadDocument>;
type ReadDocument = Operations["/resources/id-documents/{resourceId}/text-extraction"]["put"];
/** What the server recommends after it read a document. */
export type Recommendation = NonNullable<Task["recommendation"]>;
/** What the server recommends after it judged a face, and how often the face may be shown again. */
export interface JudgedFace {
  recommendation: Recommendation;
  attempts: number;
}
type PutFrame = Operations["/resources/liveness/zoom/{resourceId}/frames/{frame}"]["put"];

/** Pictures that travel: what they are, and how they were made. */
export interface Picture {
  blob: Blob;
  method: NonNullable<RequestBodyOf<PutOperation>["capture_method"]>;
}

/** Operations that begin something to be supplied. */
type CreateOperation = Operations[
  | "/resources/id-documents"
  | "/resources/supplementary-documents"
  | "/resources/liveness/static"
  | "/resources/liveness/zoom"
  | "/resources/face-capture"]["post"];
/** Operations that put a picture in its place. */
type PutOperation = Operations[
  | "/resources/id-documents/{resourceId}/pages/{page}"
  | "/resources/supplementary-documents/{resourceId}/file"
  | "/resources/liveness/static/{resourceId}/frames/{frame}"
  | "/resources/liveness/zoom/{resourceId}/frames/{frame}"
  | "/resources/face-capture/{resourceId}/image"]["put"];

/** Files from so many bytes on are uploaded resumably, so that a network that breaks costs only what was on its way. */
const RESUMABLE_FROM_BYTES = 32 << 10;
/** How often a task is looked after while it runs: the longer it waits, the less often; and for how long. */
const POLL_MS = 700;
const MAX_POLL_MS = 5000;
const EXTRACTION_TIMEOUT_MS = 90_000;

export class Api {
  readonly #session: Session;
  readonly #base: string;
  readonly #brand: string;

  /** `root` is the interface's base address, without a slash at its end; `brand` the word in the names of its headers. */
  constructor(session: Session, root: string, brand: string) {
    this.#brand = brand;
    this.#session = session;
    this.#base = `${root}/sessions/${encodeURIComponent(session.id)}`;
  }

  async config(): Promise<SessionConfig> {
    const configuration = await this.#request<Operations["/configuration"]["get"]>("GET", "/configuration");
    if (!configuration) {
      // Something else answered in the server's place; nobody is told that nothing is asked of them.
      throw new InterruptedError("serviceDown");
    }
    return readConfig(configuration);
  }

  async consent(): Promise<void> {
    await this.#request("POST", "/biometric-consent");
  }

  /** Has the business asked to send a mail. */
  async sendMail(mail: MailKind): Promise<void> {
    await this.#request("POST", `/emails/${mail}`);
  }

  /** Begins an identity document; answers the id of the resource, as do those below. */
  beginDocument({ type, country }: DocumentChoice, requirement: string): Promise<string> {
    const body = { document_type: type, issuing_country: country, requirement_id: requirement };
    return this.#begin<Operations["/resources/id-documents"]["post"]>("/resources/id-documents", body);
  }

  beginLetter({ type, country }: LetterChoice, requirement: string): Promise<string> {
    const described = { ...(type ? { document_type: type } : {}), ...(country ? { issuing_country: country } : {}) };
    return this.#begin("/resources/supplementary-documents", { ...described, requirement_id: requirement });
  }

  beginLiveness(zoom: boolean, requirement: string): Promise<string> {
    return this.#begin(`/resources/liveness/${zoom ? "zoom" : "static"}`, { requirement_id: requirement });
  }

  beginFace(requirement: string): Promise<string> {
    return this.#begin("/resources/face-capture", { requirement_id: requirement });
  }

  /** Puts a side of an identity document. */
  async putPage(resource: string, side: number, picture: Picture, progress: OnProgress): Promise<void> {
    await this.#put(`/resources/id-documents/${resource}/pages/${side}`, picture, progress);
  }

  async putFile(resource: string, picture: Picture, progress: OnProgress): Promise<void> {
    await this.#put(`/resources/supplementary-documents/${resource}/file`, picture, progress);
  }

  async putFace(resource: string, picture: Picture, progress: OnProgress): Promise<void> {
    await this.#put(`/resources/face-capture/${resource}/image`, picture, progress);
  }

  /** Puts a picture of a live face; answers what the server makes of the face once the last is there. */
  async putFrame(
    resource: string,
    zoom: boolean,
    number: number,
    picture: Picture,
    progress: OnProgress,
  ): Promise<JudgedFace | undefined> {
    const path = `/resources/liveness/${zoom ? "zoom" : "static"}/${resource}/frames/${number}`;
    const stored = await this.#put<PutFrame>(path, picture, progress);
    const recommendation = stored?.recommendation;
    return recommendation && { recommendation, attempts: stored.attempts_remaining?.GENERIC ?? 0 };
  }

  /** Puts where the face was in each picture of an approach. */
  async putFaceMap(resource: string, map: object): Promise<void> {
    const blob = new Blob([JSON.stringify(map)], { type: "application/json" });
    const path = `/resources/liveness/zoom/${resource}/facemap`;
    await this.#send("POST", path, { blob, method: "CAMERA" }, () => undefined);
  }

  /** Has a document read, and waits for what comes of it. Hears how many seconds it will probably take. */
  async extractText(
    kind: "ID_DOCUMENT" | "SUPPLEMENTARY_DOCUMENT",
    resource: string,
    onWait: (seconds: number) => void,
  ): Promise<Recommendation> {
    const path = `/resources/${DOCUMENT_PATHS[kind]}/${resource}/text-extraction`;
    let end = performance.now() + EXTRACTION_TIMEOUT_MS;
    for (;;) {
      // Asking again does not begin again: it is the same task until that has ended.
      const { text, retryAfter } = await this.#call("PUT", path);
      const task = parseObject<Task>(text);
      if (!isPending(task) || performance.now() >= end) {
        return recommendationOf(task);
      }
      const wait = Number(retryAfter ?? 0) || 0;
      if (wait > 0) {
        onWait(wait);
        // A queue is no fault: it is given up only long after the document should have been read.
        end = Math.max(end, performance.now() + wait * 1000 + EXTRACTION_TIMEOUT_MS);
      }
      await sleep(Math.min(MAX_POLL_MS, Math.max(POLL_MS, wait * 100)));
    }
  }

  /** Ends the person's part; the checks begin. That it ended before is as good. */
  async finish(): Promise<void> {
    const { status } = await withRetries(() =>
      sendRequest("DELETE", `${this.#base}/client-session-token`, this.#headers()),
    );
    if (status !== 204) {
      throw new InterruptedError("serviceDown");
    }
  }

  /** Tells the server that the page broke, without a word of anything that a person did or has. */
  report(fault: RequestBodyOf<Operations["/page-faults"]["post"]>): void {
    const headers = { ...this.#headers(), "content-type": "application/json" };
    const sent = { method: "POST", headers, body: JSON.stringify(fault), keepalive: true };
    fetch(`${this.#base}/page-faults`, { ...sent, cache: "no-store", credentials: "omit" }).catch(() => undefined);
  }

  async #begin<Operation extends CreateOperation>(path: string, body: RequestBodyOf<Operation>): Promise<string> {
    const begun = await this.#request<Operation>("POST", path, body);
    if (!begun?.id) {
      throw new RefusedError(500, "NO_ID");
    }
    return encodeURIComponent(begun.id);
  }

  #headers(): Record<string, string> {
    const device = { browser_name: browserFamily(), locale: navigator.language, client_version: "web" };
    const name = (rest: string) => `x-${this.#brand}-${rest}`;
    return { [name("auth-token")]: this.#session.token, [name("device-meta")]: btoa(JSON.stringify(device)) };
  }

  async #request<Operation>(
    method: string,
    path: string,
    body?: RequestBodyOf<Operation>,
  ): Promise<ResponseOf<Operation> | undefined> {
    return parseObject((await this.#call(method, path, body)).text);
  }

  #call(method: string, path: string, body?: object): Promise<HttpResponse> {
    const headers = this.#headers();
    if (body !== undefined) {
      headers["content-type"] = "application/json";
    }
    if (method === "POST") {
      // One that got through although its answer did not is not made twice.
      headers["idempotency-key"] = toBase64url(crypto.getRandomValues(new Uint8Array(16)));
    }
    const sent = body === undefined ? undefined : JSON.stringify(body);
    return withRetries(() => sendRequest(method, this.#base + path, headers, sent));
  }

  async #put<Operation extends PutOperation>(
    path: string,
    picture: Picture,
    progress: OnProgress,
  ): Promise<ResponseOf<Operation> | undefined> {
    if (picture.blob.size < RESUMABLE_FROM_BYTES) {
      return parseObject((await this.#send("PUT", path, picture, progress)).text);
    }
    const { uploadResumably } = await importAgain(() => import("./resumable-upload")).catch(() =>
      Promise.reject(new InterruptedError("network")),
    );
    const id = await uploadResumably(picture.blob, `${this.#base}/uploads`, this.#headers(), progress);
    return this.#request<Operation>("PUT", path, {
      upload: id,
      capture_method: picture.method,
    } as RequestBodyOf<Operation>);
  }

  #send(method: string, path: string, { blob, method: made }: Picture, progress: OnProgress): Promise<HttpResponse> {
    const form = new FormData();
    form.append("descriptor", new Blob([JSON.stringify({ capture_method: made })], { type: "application/json" }));
    form.append("binary-content", blob, `capture.${EXTENSIONS[blob.type] ?? "bin"}`);
    const sent = (bytes: number, of: number) => progress(of > 0 ? bytes / of : 0);
    return withRetries(() => upload(method, this.#base + path, this.#headers(), form, sent));
  }
}

const DOCUMENT_PATHS = { ID_DOCUMENT: "id-documents", SUPPLEMENTARY_DOCUMENT: "supplementary-documents" } as const;
const EXTENSIONS: Record<string, string> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "application/pdf": "pdf",
  "application/json": "json",
};

/** Whether a task goes on. */
export function isPending(task: Task | undefined): boolean {
  return task?.state === "PENDING" || task?.state === "CREATED";
}

/** What is recommended after a task; without a word of it, there is nothing to hold a person up with. */
export function recommendationOf(task: Task | undefined): Recommendation {
  return task?.recommendation ?? { value: "PROGRESS" };
}

/** For how long after a session's time a token that is gone still means that it was finished in time: the time is rounded, and a page
 * that nobody sees asks once a minute. */
const FINISHED_GRACE_MS = 65_000;

/** Whether a call was refused because the session is finished: there is no such token any more. The business may delete a session that
 * was not finished once its time is over, at `deadline`, which looks the same. */
export function isFinished(error: unknown, deadline: number): boolean {
  return error instanceof RefusedError && error.code === "BAD_TOKEN" && Date.now() <= deadline + FINISHED_GRACE_MS;
}

/** How a refusal ends the session; `undefined` where it speaks of what was sent and not of the session. */
export function failureOf({ status, code }: RefusedError): Failure | undefined {
  switch (code) {
    case "BAD_TOKEN":
    case "MESSAGE_SIGNING":
      return "badToken";
    case "SESSION_NOT_FOUND":
    case "APP_NOT_FOUND":
      return "notFound";
    case "SESSION_EXPIRED":
      return "expired";
    default:
      return status === 401 || status === 403 ? "badToken" : undefined;
  }
}

/** The browser's family and nothing that tells one person's from another's. */
function browserFamily(): string {
  return /(Firefox|Edg|Chrome|Safari)\//.exec(navigator.userAgent)?.[1] ?? "other";
}
