// What the page asks the server for, again where a network or a busy server makes it worth while.

import { call, Interrupted, type Progress, parse, patiently, upload } from "../shared/network";
import type { AgePaths, AnswerOf, BodyOf } from "../shared/schema";
import type { Key } from "./address";
import { type IssuerOrder, isSignature } from "./order";
import type { PasskeyCredential, PasskeyOptions } from "./passkeys";
import { type MethodName, type Operations, readSession, readTurn, type Session, type Turn } from "./session";
import type { IssuerSession } from "./state-machine/events";

type BeginIssuing = AgePaths["/age/v1/anonymity/sessions"]["post"];
type TakeTurn = Operations["/attempts/{attemptId}"]["post"];
type KeepKey = Operations["/key"]["post"];

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
    return readSession(await this.#ask<Operations[""]["get"]>("GET", ""));
  }

  async consent(given: boolean): Promise<Session> {
    return readSession(await this.#ask<Operations["/consent"]["post"]>("POST", "/consent", { given }));
  }

  async cancel(): Promise<Session> {
    return readSession(await this.#ask<Operations["/cancel"]["post"]>("POST", "/cancel"));
  }

  /** Begins a method; `key` leads an issuer's session. */
  async begin(method: MethodName, locale: string, key: string | undefined): Promise<Turn> {
    const body = { method, locale, ...(key === undefined ? {} : { key }) };
    return readTurn(await this.#ask<Operations["/attempts"]["post"]>("POST", "/attempts", body));
  }

  /** Answers a step. */
  async answer(attempt: string, input: BodyOf<TakeTurn>, progress?: Progress): Promise<Turn> {
    return readTurn(await this.#ask<TakeTurn>("POST", `/attempts/${encodeURIComponent(attempt)}`, input, progress));
  }

  /** What a passkey that keeps the result is to be made of. */
  async keyOptions(): Promise<{ options: PasskeyOptions; continuation: string }> {
    const answer = await this.#ask<KeepKey>("POST", "/key", {});
    if (!answer || !("options" in answer)) {
      throw new TypeError("an answer that is no question");
    }
    return answer;
  }

  async keepKey(continuation: string, credential: PasskeyCredential): Promise<void> {
    const answer = await this.#ask<KeepKey>("POST", "/key", { continuation, credential });
    if (!answer || !("id" in answer)) {
      throw new TypeError("an answer that is no session");
    }
  }

  /** Has a blinded token signed; what the issuer answers. */
  async token({ request, key }: IssuerOrder): Promise<string> {
    const answer = await this.#ask<Operations["/token"]["post"]>("POST", "/token", { token_request: request, key });
    if (!isSignature(answer?.token_response)) {
      // Something between here and the server spoke: it is there to be asked again.
      throw new Interrupted("serviceDown");
    }
    return answer.token_response;
  }

  /** The address of the holder's page, with an invitation. */
  async proof(): Promise<string> {
    return (await this.#ask<Operations["/proof"]["post"]>("POST", "/proof"))?.url ?? "";
  }

  /** Tells the server that the page broke, without a word of anything that a person did or has. */
  report(fault: BodyOf<Operations["/faults"]["post"]>): void {
    const headers = { ...this.#headers(), "content-type": "application/json" };
    const sent = { method: "POST", headers, body: JSON.stringify(fault), keepalive: true };
    fetch(`${this.#root}/faults`, { ...sent, cache: "no-store", credentials: "omit" }).catch(() => undefined);
  }

  #headers(): Record<string, string> {
    return { [`${this.#brand}-sdk-id`]: this.#key.sdkId };
  }

  async #ask<Operation>(
    method: string,
    path: string,
    body?: BodyOf<Operation>,
    progress?: Progress,
  ): Promise<AnswerOf<Operation> | undefined> {
    // No idempotency key: the server would keep the answer for it. What is sent twice because its answer did not come counts
    // once all the same, as a continuation does, or replaces what was opened before.
    const headers = this.#headers();
    const sent = body === undefined ? undefined : JSON.stringify(body);
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
  const body: BodyOf<BeginIssuing> = { threshold };
  const once = () => call("POST", `${base}/age/v1/anonymity/sessions`, headers, JSON.stringify(body));
  const begun = parse<AnswerOf<BeginIssuing>>((await patiently(once)).text);
  if (!begun?.id) {
    throw new TypeError("an answer that is no session");
  }
  const { id, sdk_id: sdkId, key, redeemers } = begun;
  return { id, sdkId, key, redeemers };
}
