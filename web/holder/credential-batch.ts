// Asks the server for a batch of credentials, each for a key that has just been made.

import { type Bytes, fromBase64url, toBase64url } from "../shared/bytes";
import type { Clock } from "../shared/clock";
import type { ProofPaths, RequestBodyOf, ResponseOf } from "../shared/schema";
import { isBoundTo, readCredential } from "./credential";
import type { StoredCredential } from "./credential-store";
import { KEY_ALGORITHM } from "./presentation";

/** Credentials in a batch: an hour, one each 30 seconds. */
const BATCH_SIZE = 120;
const CREDENTIALS_PATH = "/poa/v1/holder/credentials";
type Redeem = ProofPaths[typeof CREDENTIALS_PATH]["post"];
/** No server makes the page wait longer than this, in seconds. */
const MAX_RETRY_AFTER_S = 600;
const REQUEST_TIMEOUT_MS = 20_000;

/**
 * A request for a batch. It is sent unchanged until its answer has arrived and is stored: the server answers repeats alike, so
 * that it takes one batch of the invitation however often it was sent.
 */
export interface BatchRequest {
  /** The invitation. */
  readonly code: string;
  readonly pairs: readonly KeyPair[];
  readonly idempotencyKey: string;
}

/** A key that a credential is to be bound to, and its public half as an uncompressed point (65 bytes). */
interface KeyPair {
  point: Bytes;
  key: CryptoKey;
}

/** What came of asking. */
export type BatchResult =
  | { kind: "filled"; batch: StoredCredential[]; last: boolean }
  /** The invitation is unknown, used up or expired. */
  | { kind: "refused" }
  /** The server asks for patience, in seconds. */
  | { kind: "busy"; wait: number }
  /** Nothing was reached, or the answer did not arrive whole. */
  | { kind: "offline" }
  /** An answer that is not understood, or says that the invitation gives nothing at present. */
  | { kind: "broken" };

/** Makes the keys of a batch. */
export async function createBatchRequest(code: string): Promise<BatchRequest> {
  const pairs = await Promise.all(Array.from({ length: BATCH_SIZE }, generateKeyPair));
  return { code, pairs, idempotencyKey: crypto.randomUUID() };
}

/** Redeems an invitation for a batch, and sets the clock by the answer. */
export async function fetchBatch({ code, pairs, idempotencyKey }: BatchRequest, clock: Clock): Promise<BatchResult> {
  const body: RequestBodyOf<Redeem> = { keys: pairs.map(({ point }) => toBase64url(point)) };
  const response = await fetchWithClock(clock, CREDENTIALS_PATH, {
    method: "POST",
    headers: {
      authorization: `Bearer ${code}`,
      "content-type": "application/json",
      "idempotency-key": idempotencyKey,
    },
    body: JSON.stringify(body),
  });
  const text = await response?.text().catch(() => undefined);
  if (!response || text === undefined) {
    return { kind: "offline" };
  }
  if (response.status === 401) {
    return { kind: "refused" };
  }
  if (response.status === 429 || response.status >= 500) {
    const wait = Number(response.headers.get("retry-after")) || 30;
    return { kind: "busy", wait: Math.min(wait, MAX_RETRY_AFTER_S) };
  }
  if (!response.ok) {
    return { kind: "broken" };
  }
  try {
    const { credentials, batches_left: batchesLeft }: ResponseOf<Redeem> = JSON.parse(text);
    const batch = pairs.map(({ point, key }, at) =>
      toStoredCredential(fromBase64url(credentials[at] ?? ""), point, key),
    );
    return { kind: "filled", batch, last: batchesLeft === 0 };
  } catch {
    return { kind: "broken" };
  }
}

/** Asks the server for nothing but its time. Answers whether it was reached. */
export async function fetchServerTime(clock: Clock): Promise<boolean> {
  return Boolean(await fetchWithClock(clock, "./", { method: "HEAD" }));
}

async function fetchWithClock(clock: Clock, address: string, request: RequestInit): Promise<Response | undefined> {
  const options = { cache: "no-store", credentials: "omit", redirect: "error" } as const;
  const sentAt = Date.now();
  try {
    const response = await fetch(address, { ...request, ...options, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    clock.set(response.headers.get("date"), sentAt, Date.now());
    return response;
  } catch {
    return undefined;
  }
}

async function generateKeyPair(): Promise<KeyPair> {
  const pair = await crypto.subtle.generateKey(KEY_ALGORITHM, false, ["sign"]);
  const point = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  return { point, key: pair.privateKey };
}

function toStoredCredential(credential: Bytes, point: Bytes, key: CryptoKey): StoredCredential {
  const read = readCredential(credential);
  if (!isBoundTo(read, point)) {
    throw new TypeError("a credential for another key");
  }
  return { credential, key, expires: read.expires, ages: read.ages };
}
