// Calls over networks that break: put again where that is worth while.

/** The server refused: its status, and its code for why. */
export class RefusedError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(`${status} ${code}`);
  }
}

/** Nobody answered, or nobody who could help, for as long as it was tried. */
export class InterruptedError extends Error {
  constructor(readonly reason: "network" | "serviceDown") {
    super(reason);
  }
}

export interface HttpResponse {
  status: number;
  /** `Retry-After`, in seconds. */
  retryAfter: string | null;
  text: string;
}

/** Hears what part of an upload is away, 0 to 1. */
export type OnProgress = (part: number) => void;

/** Waits before each further attempt, in milliseconds. */
export const RETRY_DELAYS_MS = [400, 1200, 3000, 6000] as const;
/** An upload that does not move for so long is begun again. */
const STALL_TIMEOUT_MS = 25_000;
const REQUEST_TIMEOUT_MS = 40_000;

/** Calls until somebody answers who can help. A network that comes back ends the waiting. */
export async function withRetries(call: () => Promise<HttpResponse>): Promise<HttpResponse> {
  for (let attempt = 0; ; attempt += 1) {
    const answer = await call().catch(() => undefined);
    if (answer && answer.status < 300) {
      return answer;
    }
    const later = !answer || answer.status === 429 || answer.status >= 500;
    if (answer && !later) {
      const told = parseObject<{ code?: string; error_code?: string }>(answer.text);
      throw new RefusedError(answer.status, told?.code ?? told?.error_code ?? "");
    }
    await waitForRetry(attempt, answer);
  }
}

/** Waits before a further attempt; after the last one it is given up. */
async function waitForRetry(attempt: number, answer: HttpResponse | undefined): Promise<void> {
  const least = RETRY_DELAYS_MS[attempt];
  if (least === undefined) {
    throw new InterruptedError(answer ? "serviceDown" : "network");
  }
  const asked = Number(answer?.retryAfter ?? 0) * 1000 || 0;
  await Promise.race([sleep(Math.min(10_000, Math.max(least, asked))), answer ? never() : backOnline()]);
}

/** One call with a small body or none. */
export async function sendRequest(
  method: string,
  url: string,
  headers: Record<string, string>,
  body?: string,
): Promise<HttpResponse> {
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const sent = { method, headers, body: body ?? null, cache: "no-store", credentials: "omit", signal } as const;
  const answer = await fetch(url, sent);
  const { status, headers: told } = answer;
  return { status, retryAfter: told.get("retry-after"), text: await answer.text() };
}

/** One call with a large body; browsers tell only this old way how much of it is away. */
export function upload(
  method: string,
  url: string,
  headers: Record<string, string>,
  body: FormData | Blob | string,
  sent: (bytes: number, of: number) => void,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let stalled: ReturnType<typeof setTimeout>;
    const moved = () => {
      clearTimeout(stalled);
      stalled = setTimeout(() => request.abort(), STALL_TIMEOUT_MS);
    };
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) {
      request.setRequestHeader(name, value);
    }
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      moved();
      sent(loaded, total);
    });
    request.addEventListener("loadend", () => {
      clearTimeout(stalled);
      if (request.status === 0) {
        reject(new Error("not answered"));
      } else {
        const { status, responseText: text } = request;
        resolve({ status, retryAfter: request.getResponseHeader("retry-after"), text });
      }
    });
    moved();
    request.send(body);
  });
}

/** The JSON object of an answer; nothing where there is none: then something between here and the server spoke. What is in
 * it is taken as the interface's document has it, because the interface and its pages come out of one program. */
export function parseObject<Answer extends object>(text: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Answer) : undefined;
  } catch {
    return undefined;
  }
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function backOnline(): Promise<void> {
  return new Promise((resolve) => window.addEventListener("online", () => resolve(), { once: true }));
}

function never(): Promise<void> {
  return new Promise(() => undefined);
}
