// Calls to the server, with retries.

import { InterruptedError, type OnProgress, parseObject, sendRequest, upload, withRetries } from "../shared/network";
import type { PasskeyCredential, PasskeyOptions } from "../shared/passkeys";
import type { AgePaths, RequestBodyOf, ResponseOf } from "../shared/schema";
import { type MethodName, type Operations, readSession, readTurn, type Session, type Turn } from "./session";
import type { SessionKey } from "./session-url";
import type { IssuerSession } from "./state-machine/events";
import { type IssuerOrder, isSignature } from "./token-request";

type BeginIssuing = AgePaths["/age/v1/anonymity/sessions"]["post"];
type TakeTurn = Operations["/attempts/{attemptId}"]["post"];
type KeepKey = Operations["/key"]["post"];

/** Inputs from this many characters on are sent with a progress bar. */
const PROGRESS_FROM_CHARS = 20_000;

export class Api {
  readonly #key: SessionKey;
  readonly #root: string;
  readonly #brand: string;

  /** `brand` is the vendor part of the header names, for example `svc` in `svc-sdk-id`. */
  constructor(key: SessionKey, brand: string) {
    this.#key = key;
    this.#root = `${key.base}/age/v1/sessions/${encodeURIComponent(key.id)}`;
    this.#brand = brand.toLowerCase();
  }

  async session(): Promise<Session> {
    return readSession(await this.#request<Operations[""]["get"]>("GET", ""));
  }

  async consent(given: boolean): Promise<Session> {
    return readSession(await this.#request<Operations["/consent"]["post"]>("POST", "/consent", { given }));
  }

  async cancel(): Promise<Session> {
    return readSession(await this.#request<Operations["/cancel"]["post"]>("POST", "/cancel"));
  }

  /** Begins an attempt at a method; an issuer's session needs its `key`. */
  async begin(method: MethodName, locale: string, key: string | undefined): Promise<Turn> {
    const body = { method, locale, ...(key === undefined ? {} : { key }) };
    return readTurn(await this.#request<Operations["/attempts"]["post"]>("POST", "/attempts", body));
  }

  /** Answers a step. */
  async answer(attempt: string, input: RequestBodyOf<TakeTurn>, progress?: OnProgress): Promise<Turn> {
    return readTurn(await this.#request<TakeTurn>("POST", `/attempts/${encodeURIComponent(attempt)}`, input, progress));
  }

  /** The creation options of a passkey that keeps the result. */
  async passkeyOptions(): Promise<{ options: PasskeyOptions; continuation: string }> {
    const answer = await this.#request<KeepKey>("POST", "/key", {});
    if (!answer || !("options" in answer)) {
      throw new TypeError("an answer that is no question");
    }
    return answer;
  }

  async registerPasskey(continuation: string, credential: PasskeyCredential): Promise<void> {
    const answer = await this.#request<KeepKey>("POST", "/key", { continuation, credential });
    if (!answer || !("id" in answer)) {
      throw new TypeError("an answer that is no session");
    }
  }

  /** Has a blinded token signed; returns the TokenResponse. */
  async signToken({ request, key }: IssuerOrder): Promise<string> {
    const answer = await this.#request<Operations["/token"]["post"]>("POST", "/token", { token_request: request, key });
    if (!isSignature(answer?.token_response)) {
      // A proxy may have answered in the server's place; worth another try.
      throw new InterruptedError("serviceDown");
    }
    return answer.token_response;
  }

  /** Creates a proof of age; returns the address of the holder's page with an invitation. */
  async createProof(): Promise<string> {
    return (await this.#request<Operations["/proof"]["post"]>("POST", "/proof"))?.url ?? "";
  }

  /** Reports an error of the page, without any personal data. */
  report(fault: RequestBodyOf<Operations["/faults"]["post"]>): void {
    const headers = { ...this.#headers(), "content-type": "application/json" };
    const sent = { method: "POST", headers, body: JSON.stringify(fault), keepalive: true };
    fetch(`${this.#root}/faults`, { ...sent, cache: "no-store", credentials: "omit" }).catch(() => undefined);
  }

  #headers(): Record<string, string> {
    return { [`${this.#brand}-sdk-id`]: this.#key.sdkId };
  }

  async #request<Operation>(
    method: string,
    path: string,
    body?: RequestBodyOf<Operation>,
    progress?: OnProgress,
  ): Promise<ResponseOf<Operation> | undefined> {
    // No idempotency key, because the server would store the response under it. Repeats are safe without: a continuation
    // counts once, a new attempt replaces the one before, and a passkey keeps the result once. Only a proof whose address got
    // lost is made no more: the repeat is refused, and its offer says so.
    const headers = this.#headers();
    const sent = body === undefined ? undefined : JSON.stringify(body);
    if (sent !== undefined) {
      headers["content-type"] = "application/json";
    }
    const large = sent !== undefined && sent.length > PROGRESS_FROM_CHARS;
    const told = (bytes: number, of: number) => progress?.(of > 0 ? bytes / of : 0);
    const url = this.#root + path;
    const once = () => (large ? upload(method, url, headers, sent, told) : sendRequest(method, url, headers, sent));
    return parseObject((await withRetries(once)).text);
  }
}

/** Creates a session with an issuer of blind tokens, for an age in years. It is not linked to any other session. */
export async function createIssuerSession(base: string, threshold: number): Promise<IssuerSession> {
  const headers = { "content-type": "application/json" };
  const body: RequestBodyOf<BeginIssuing> = { threshold };
  const once = () => sendRequest("POST", `${base}/age/v1/anonymity/sessions`, headers, JSON.stringify(body));
  const begun = parseObject<ResponseOf<BeginIssuing>>((await withRetries(once)).text);
  if (!begun?.id) {
    throw new TypeError("an answer that is no session");
  }
  const { id, sdk_id: sdkId, key, redeemers } = begun;
  return { id, sdkId, key, redeemers };
}
