// What the page asks the server for, again where a network or a busy server makes it worth while.

import { call, Interrupted, type Progress, parse, patiently, upload } from "../shared/network";
import type { AgePaths, BodyOf } from "../shared/schema";
import { isUuid } from "../shared/short";
import type { Key } from "./address";
import { type IssuerOrder, isSignature } from "./order";
import { json, list, readSession, readTurn, type Session, type Turn, text } from "./session";
import type { IssuerSession } from "./state-machine/events";

/** An input larger than this is sent so that its progress can be shown, in letters. */
const LARGE = 20_000;

export class Api {
  readonly #key: Key;
  readonly #root: string;
  readonly #brand: string;

  /** `brand` is the word in the names of the interface's headers. */
  constructor(key: Key, brand: string) {
    this.#key = key;
    this.#root = `${key.base}/age/v1/sessions/${encodeURIComponent(key.id)}`;
    this.#brand = brand.toLowerCase();
  }

  async session(): Promise<Session> {
    return readSession(await this.#ask("GET", ""));
  }

  async consent(given: boolean): Promise<Session> {
    return readSession(await this.#ask("POST", "/consent", { given }));
  }

  async cancel(): Promise<Session> {
    return readSession(await this.#ask("POST", "/cancel", {}));
  }

  /** Begins a method; `key` leads an issuer's session. */
  async begin(method: string, locale: string, key: string | undefined): Promise<Turn> {
    return readTurn(await this.#ask("POST", "/attempts", { method, locale, ...(key === undefined ? {} : { key }) }));
  }

  /** Answers a step. */
  async answer(attempt: string, input: object, progress: Progress = () => undefined): Promise<Turn> {
    return readTurn(await this.#ask("POST", `/attempts/${encodeURIComponent(attempt)}`, input, progress));
  }

  /** What a passkey that keeps the result is to be made of. */
  async keyOptions(): Promise<{ options: unknown; continuation: unknown }> {
    const { options, continuation } = json(await this.#ask("POST", "/key", {}));
    return { options, continuation };
  }

  async keepKey(continuation: unknown, credential: object): Promise<Session> {
    return readSession(await this.#ask("POST", "/key", { continuation, credential }));
  }

  /** Has a blinded token signed; what the issuer answers. */
  async token({ request, key }: IssuerOrder): Promise<string> {
    const { token_response } = json(await this.#ask("POST", "/token", { token_request: request, key }));
    if (!isSignature(token_response)) {
      // Something between here and the server spoke: it is there to be asked again.
      throw new Interrupted("serviceDown");
    }
    return token_response;
  }

  /** The address of the holder's page, with an invitation. */
  async proof(): Promise<string> {
    return text(json(await this.#ask("POST", "/proof", {})).url) ?? "";
  }

  /** Tells the server that the page broke, without a word of anything that a person did or has. */
  report(fault: BodyOf<AgePaths["/age/v1/sessions/{sessionId}/faults"]["post"]>): void {
    const headers = { ...this.#headers(), "content-type": "application/json" };
    const sent = { method: "POST", headers, body: JSON.stringify(fault), keepalive: true };
    fetch(`${this.#root}/faults`, { ...sent, cache: "no-store", credentials: "omit" }).catch(() => undefined);
  }

  #headers(): Record<string, string> {
    return { [`${this.#brand}-sdk-id`]: this.#key.sdkId };
  }

  async #ask(method: string, path: string, body?: object, progress?: Progress): Promise<unknown> {
    // No idempotency key: the server would keep the answer for it. What is sent twice because its answer did not come counts
    // once all the same, as a continuation does, or replaces what was opened before.
    const headers = this.#headers();
    const sent = body && JSON.stringify(body);
    if (sent !== undefined) {
      headers["content-type"] = "application/json";
    }
    const large = sent !== undefined && sent.length > LARGE;
    const told = (bytes: number, of: number) => progress?.(of > 0 ? bytes / of : 0);
    const url = this.#root + path;
    const once = () => (large ? upload(method, url, headers, sent, told) : call(method, url, headers, sent));
    return parse((await patiently(once)).text);
  }
}

/** Begins a session of an issuer of blind tokens, for an age in years. It knows of no other session. */
export async function beginIssuing(base: string, threshold: number): Promise<IssuerSession> {
  const headers = { "content-type": "application/json" };
  const once = () => call("POST", `${base}/age/v1/anonymity/sessions`, headers, JSON.stringify({ threshold }));
  const body = json(parse((await patiently(once)).text));
  const [id, sdkId, key] = [text(body.id) ?? "", text(body.sdk_id) ?? "", text(body.key) ?? ""];
  if (!isUuid(id) || !isUuid(sdkId) || !key) {
    throw new TypeError("an answer that is no session");
  }
  return { id, sdkId, key, redeemers: list(body.redeemers).filter((one) => typeof one === "string") };
}
