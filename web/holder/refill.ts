// Asks the server for a batch of credentials, each for a key that has just been made.

import { type Bytes, fromBase64url, toBase64url } from "../shared/bytes";
import type { Clock } from "../shared/clock";
import type { AnswerOf, BodyOf, ProofPaths } from "../shared/schema";
import { boundTo, readCredential } from "./credential";
import { KEY } from "./presentation";
import type { Held } from "./stock";

/** Credentials in a batch: an hour, one each 30 seconds. */
const BATCH = 120;
const ADDRESS = "/poa/v1/holder/credentials";
type Redeem = ProofPaths[typeof ADDRESS]["post"];
/** No server makes the page wait longer than this, in seconds. */
const LONGEST_WAIT = 600;
const PATIENCE_MS = 20_000;

/** What came of asking. */
export type Outcome =
  | { kind: "filled"; batch: Held[]; last: boolean }
  /** The invitation is unknown, used up or expired. */
  | { kind: "refused" }
  /** The server asks for patience, in seconds. */
  | { kind: "busy"; wait: number }
  /** Nothing was reached. */
  | { kind: "offline" }
  /** An answer that is not understood. */
  | { kind: "broken" };

/** Redeems an invitation for a batch, and sets the clock by the answer. */
export async function refill(code: string, clock: Clock): Promise<Outcome> {
  const pairs = await Promise.all(Array.from({ length: BATCH }, makePair));
  const body: BodyOf<Redeem> = { keys: pairs.map(({ point }) => toBase64url(point)) };
  const response = await reach(clock, ADDRESS, {
    method: "POST",
    headers: { authorization: `Bearer ${code}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response) {
    return { kind: "offline" };
  }
  if (response.status === 401) {
    return { kind: "refused" };
  }
  if (response.status === 429 || response.status >= 500) {
    const wait = Number(response.headers.get("retry-after")) || 30;
    return { kind: "busy", wait: Math.min(wait, LONGEST_WAIT) };
  }
  try {
    const { credentials, batches_left: batchesLeft }: AnswerOf<Redeem> = await response.json();
    const batch = pairs.map(({ point, key }, at) => hold(fromBase64url(credentials[at] ?? ""), point, key));
    return { kind: "filled", batch, last: batchesLeft === 0 };
  } catch {
    return { kind: "broken" };
  }
}

/** Asks the server for nothing but its time. Answers whether it was reached. */
export async function askTime(clock: Clock): Promise<boolean> {
  return Boolean(await reach(clock, "./", { method: "HEAD" }));
}

async function reach(clock: Clock, address: string, request: RequestInit): Promise<Response | undefined> {
  const options = { cache: "no-store", credentials: "omit", redirect: "error" } as const;
  const sentAt = Date.now();
  try {
    const response = await fetch(address, { ...request, ...options, signal: AbortSignal.timeout(PATIENCE_MS) });
    clock.set(response.headers.get("date"), sentAt, Date.now());
    return response;
  } catch {
    return undefined;
  }
}

async function makePair(): Promise<{ point: Bytes; key: CryptoKey }> {
  const pair = await crypto.subtle.generateKey(KEY, false, ["sign"]);
  const point = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  return { point, key: pair.privateKey };
}

function hold(credential: Bytes, point: Bytes, key: CryptoKey): Held {
  const read = readCredential(credential);
  if (!boundTo(read, point)) {
    throw new TypeError("a credential for another key");
  }
  return { credential, key, expires: read.expires, ages: read.ages };
}
