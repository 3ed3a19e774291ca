// How the console calls the server. The session travels in a cookie that no program can read, and each call says by a header
// that it comes from the console.

import type { RequestBodyOf, ResponseOf } from "../../shared/schema";

const CONSOLE_HEADERS = { "x-assay-console": "1" };

/** A refusal: its status, its code, and the server's words. */
export class RefusedError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** What is there no more, or not for the reader to see. A scope that somebody lacks is a 401 as well. */
const GONE_OR_FORBIDDEN: readonly number[] = [401, 403, 404];

export function isGoneOrForbidden(error: unknown): boolean {
  return error instanceof RefusedError && GONE_OR_FORBIDDEN.includes(error.status);
}

/** Nobody answered. */
export class UnreachableError extends Error {}

/** It was not sent: the session that it was meant for is over, and that has been dealt with. */
export class SessionOverError extends Error {}

/** What a call that changes something waits for, if for anything; it fails as this does. */
type Admission = () => Promise<void> | undefined;

let admission: Admission | undefined;

/** Has calls that change something wait for this, until what it answers is called. */
export function admitChanges(by: Admission): () => void {
  admission = by;
  return () => {
    if (admission === by) {
      admission = undefined;
    }
  };
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface CallOptions {
  /** Finish the call even if the page goes away. */
  keepalive?: boolean;
  /** The page is going away: the call waits for nothing. */
  isLeaving?: boolean;
  /** Gives the call up. */
  signal?: AbortSignal;
}

/** Calls an operation, whose types are those of the interface's document. */
export async function call<Operation>(
  method: Method,
  path: string,
  body?: RequestBodyOf<Operation>,
  options: CallOptions = {},
): Promise<ResponseOf<Operation>> {
  const { isLeaving = false, ...fetched } = options;
  const wait = method === "GET" || isLeaving ? undefined : admission?.();
  if (wait) {
    await wait;
  }
  const sent = body === undefined ? null : JSON.stringify(body);
  const headers = sent === null ? CONSOLE_HEADERS : { ...CONSOLE_HEADERS, "content-type": "application/json" };
  const answer = await send(path, { method, headers, body: sent, ...fetched });
  return parse(await answer.text()) as ResponseOf<Operation>;
}

/** Fetches a picture; nothing of it is kept by the browser. */
export async function fetchPicture(path: string, signal?: AbortSignal): Promise<Blob> {
  return (await send(path, { headers: CONSOLE_HEADERS, ...(signal ? { signal } : {}) })).blob();
}

/** Fetches a file as a whole: one that breaks off is none. */
export async function fetchFile(path: string): Promise<Blob> {
  const answer = await send(path, { headers: CONSOLE_HEADERS });
  try {
    return await answer.blob();
  } catch {
    throw new UnreachableError();
  }
}

/** What is asked for, as it stands in an address; what is empty is left out. */
export function queryOf(filter: object): string {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined && value !== "");
  return `${new URLSearchParams(given.map(([name, value]) => [name, `${value}`]))}`;
}

async function send(path: string, options: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, { ...options, credentials: "same-origin", cache: "no-store" });
  } catch (error) {
    throw options.signal?.aborted ? error : new UnreachableError();
  }
  if (!answer.ok) {
    const { code, message } = (parse(await answer.text().catch(() => "")) ?? {}) as { code?: string; message?: string };
    throw new RefusedError(answer.status, code ?? "", message ?? `${answer.status}`);
  }
  return answer;
}

function parse(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
