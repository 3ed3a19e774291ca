// The end-user operations of a session: called again where a network or a busy server makes it worth while.

import { toBase64url } from "../shared/bytes";
import { call, Interrupted, type Progress, parse, patiently, Refused, sleep, upload } from "../shared/network";
import type { BodyOf, IdentityPaths } from "../shared/schema";
import type { Failure } from "./codes";
import type { Session } from "./frame";
import { type Choice, type Kind, type Mail, type Need, type Plan, readCountries, readPlan } from "./plan";

/** What the server recommends after it read a document. */
export interface Recommendation {
  value: "PROGRESS" | "SHOULD_TRY_AGAIN" | "MUST_TRY_AGAIN";
  /** QUALITY, USER_ERROR or ERROR. */
  reason: string | undefined;
  /** In the interface's words, for example PHOTO_TOO_BLURRY. */
  detail: string | undefined;
}

/** Pictures that travel: what they are, and how they were made. */
export interface Picture {
  blob: Blob;
  method: "CAMERA" | "UPLOAD";
}

type NewDocument = BodyOf<IdentityPaths["/idverify/v1/sessions/{sessionId}/resources/id-documents"]["post"]>;
type PageFault = BodyOf<IdentityPaths["/idverify/v1/sessions/{sessionId}/page-faults"]["post"]>;

/** Files from so many bytes on are uploaded resumably, so that a network that breaks costs only what was on its way. */
const LARGE = 32 << 10;
/** How often a task is looked after while it runs, and for how long. */
const LOOK_MS = 700;
const READING_MS = 90_000;

export class Api {
  readonly #session: Session;
  readonly #root: string;
  readonly #base: string;
  readonly #brand: string;

  /** `root` is the interface's base address, without a slash at its end; `brand` the word in the names of its headers. */
  constructor(session: Session, root: string, brand: string) {
    this.#brand = brand;
    this.#session = session;
    this.#root = root;
    this.#base = `${root}/sessions/${encodeURIComponent(session.id)}`;
  }

  async plan(): Promise<Plan> {
    const plan = readPlan(await this.#ask("GET", "/configuration"));
    const unlimited = plan.needs.some(
      ({ kind, countries, done }) => CHOSEN.has(kind) && !done && countries.length === 0,
    );
    const all = unlimited ? await this.#supported() : [];
    const needs = plan.needs.map((need) => (need.countries.length > 0 ? need : { ...need, countries: all }));
    return { ...plan, needs };
  }

  /** All documents that the server can read, by country. */
  async #supported(): Promise<Need["countries"]> {
    const { supported_countries } = ((await this.#ask("GET", "/supported-documents", undefined, this.#root)) ?? {}) as {
      supported_countries?: unknown;
    };
    return readCountries(supported_countries);
  }

  async consent(): Promise<void> {
    await this.#ask("POST", "/biometric-consent", {});
  }

  /** Has the business asked to send a mail. */
  async mail(mail: Mail): Promise<void> {
    await this.#ask("POST", `/emails/${mail}`);
  }

  /** Begins a document; answers the id of the resource. */
  begin(kind: "ID_DOCUMENT" | "SUPPLEMENTARY_DOCUMENT", choice: Choice, requirement: string): Promise<string> {
    const body: NewDocument = {
      document_type: choice.type,
      issuing_country: choice.country,
      requirement_id: requirement,
    };
    return this.#make(`/resources/${DOCUMENTS[kind]}`, body);
  }

  beginLiveness(zoom: boolean, requirement: string): Promise<string> {
    return this.#make(`/resources/liveness/${zoom ? "zoom" : "static"}`, { requirement_id: requirement });
  }

  beginFace(requirement: string): Promise<string> {
    return this.#make("/resources/face-capture", { requirement_id: requirement });
  }

  /** Puts a side of an identity document. */
  async page(resource: string, side: number, picture: Picture, progress: Progress): Promise<void> {
    await this.#put(`/resources/id-documents/${resource}/pages/${side}`, picture, progress);
  }

  async file(resource: string, picture: Picture, progress: Progress): Promise<void> {
    await this.#put(`/resources/supplementary-documents/${resource}/file`, picture, progress);
  }

  async face(resource: string, picture: Picture, progress: Progress): Promise<void> {
    await this.#put(`/resources/face-capture/${resource}/image`, picture, progress);
  }

  async frame(resource: string, zoom: boolean, number: number, picture: Picture, progress: Progress): Promise<void> {
    await this.#put(`/resources/liveness/${zoom ? "zoom" : "static"}/${resource}/frames/${number}`, picture, progress);
  }

  /** Puts where the face was in each picture of an approach. */
  async facemap(resource: string, map: object): Promise<void> {
    const blob = new Blob([JSON.stringify(map)], { type: "application/json" });
    const path = `/resources/liveness/zoom/${resource}/facemap`;
    await this.#send("POST", path, { blob, method: "CAMERA" }, () => undefined);
  }

  /** Has a document read, and waits for what comes of it. */
  async read(kind: "ID_DOCUMENT" | "SUPPLEMENTARY_DOCUMENT", resource: string): Promise<Recommendation> {
    const path = `/resources/${DOCUMENTS[kind]}/${resource}/text-extraction`;
    const end = performance.now() + READING_MS;
    let answer = await this.#ask("PUT", path, {});
    // Asking again does not begin again: it is the same task until that has ended.
    while (pending(answer) && performance.now() < end) {
      await sleep(LOOK_MS);
      answer = await this.#ask("PUT", path, {});
    }
    return recommendation(answer);
  }

  /** Ends the person's part; the checks begin. That it ended before is as good. */
  async finish(): Promise<void> {
    await this.#ask("DELETE", "/client-session-token");
  }

  /** Tells the server that the page broke, without a word of anything that a person did or has. */
  report(fault: PageFault): void {
    const headers = { ...this.#headers(), "content-type": "application/json" };
    const sent = { method: "POST", headers, body: JSON.stringify(fault), keepalive: true };
    fetch(`${this.#base}/page-faults`, { ...sent, cache: "no-store", credentials: "omit" }).catch(() => undefined);
  }

  async #make(path: string, body: object): Promise<string> {
    const answer = (await this.#ask("POST", path, body)) as { id?: unknown } | undefined;
    if (typeof answer?.id !== "string") {
      throw new Refused(500, "NO_ID");
    }
    return encodeURIComponent(answer.id);
  }

  #headers(): Record<string, string> {
    const device = { browser_name: browser(), locale: navigator.language, client_version: "web" };
    const name = (rest: string) => `x-${this.#brand}-${rest}`;
    return { [name("auth-token")]: this.#session.token, [name("device-meta")]: btoa(JSON.stringify(device)) };
  }

  async #ask(method: string, path: string, body?: object, base = this.#base): Promise<unknown> {
    const headers = this.#headers();
    if (body) {
      headers["content-type"] = "application/json";
    }
    if (method === "POST") {
      // One that got through although its answer did not is not made twice.
      headers["idempotency-key"] = toBase64url(crypto.getRandomValues(new Uint8Array(16)));
    }
    const { text } = await patiently(() => call(method, base + path, headers, body && JSON.stringify(body)));
    return parse(text);
  }

  async #put(path: string, picture: Picture, progress: Progress): Promise<void> {
    if (picture.blob.size < LARGE) {
      await this.#send("PUT", path, picture, progress);
    } else {
      const { uploadResumably } = await import("./resumable-upload").catch(() =>
        Promise.reject(new Interrupted("network")),
      );
      const id = await uploadResumably(picture.blob, `${this.#base}/uploads`, this.#headers(), progress);
      await this.#ask("PUT", path, { upload: id, capture_method: picture.method });
    }
  }

  async #send(method: string, path: string, { blob, method: made }: Picture, progress: Progress): Promise<void> {
    const form = new FormData();
    form.append("descriptor", new Blob([JSON.stringify({ capture_method: made })], { type: "application/json" }));
    form.append("binary-content", blob, `capture.${EXTENSIONS[blob.type] ?? "bin"}`);
    const sent = (bytes: number, of: number) => progress(of > 0 ? bytes / of : 0);
    await patiently(() => upload(method, this.#base + path, this.#headers(), form, sent));
  }
}

const CHOSEN: ReadonlySet<Kind> = new Set<Kind>(["ID_DOCUMENT"]);
const DOCUMENTS = { ID_DOCUMENT: "id-documents", SUPPLEMENTARY_DOCUMENT: "supplementary-documents" } as const;
const EXTENSIONS: Record<string, string> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "application/pdf": "pdf",
  "application/json": "json",
};

/** Whether an answer about a task says that it goes on. */
export function pending(answer: unknown): boolean {
  const { state } = (answer ?? {}) as { state?: unknown };
  return (state === "PENDING" || state === "CREATED") && !findRecommendation(answer);
}

/** The recommendation in an answer; without one, there is nothing to hold a person up with. */
export function recommendation(answer: unknown): Recommendation {
  const { value, reason } = (findRecommendation(answer) ?? {}) as { value?: string; reason?: unknown };
  const { value: kind, detail } = (reason ?? {}) as { value?: string; detail?: string };
  const known = value === "SHOULD_TRY_AGAIN" || value === "MUST_TRY_AGAIN" ? value : "PROGRESS";
  return { value: known, reason: kind, detail };
}

function findRecommendation(answer: unknown): unknown {
  const body = (answer ?? {}) as Record<string, unknown>;
  return body.recommendation ?? (body.result as Record<string, unknown> | undefined)?.recommendation;
}

/** How a refusal ends the session; `undefined` where it speaks of what was sent and not of the session. */
export function failureOf({ status, code }: Refused): Failure | undefined {
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
function browser(): string {
  return /(Firefox|Edg|Chrome|Safari)\//.exec(navigator.userAgent)?.[1] ?? "other";
}
