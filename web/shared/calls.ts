// Calls to the server: made again where a network or a busy server makes it worth while.

/** The server refused: its status, and its code for why. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(`${status} ${code}`);
  }
}

/** Nobody answered, or nobody who could help, for as long as it was tried. */
export class Interrupted extends Error {
  constructor(readonly why: "network" | "serviceDown") {
    super(why);
  }
}

/** Waits before each further attempt, in milliseconds. */
const WAITS = [400, 1200, 3000, 6000] as const;
/** An upload that does not move for so long is begun again. */
const STALLED_MS = 25_000;
/** An answer that is not there by then is asked for again. */
export const ANSWER_MS = 40_000;
/** Hears what part of an upload is away, 0 to 1. */
export type Progress = (part: number) => void;

/** What came back. */
export interface Answer {
  status: number;
  wait: string | null;
  text: string;
}

/** Calls until somebody answers who can help. A network that comes back ends the waiting. */
export async function patiently(call: () => Promise<Answer>): Promise<unknown> {
  for (let attempt = 0; ; attempt += 1) {
    const answer = await call().catch(() => undefined);
    if (answer && answer.status < 300) {
      return parse(answer.text);
    }
    const later = !answer || answer.status === 429 || answer.status >= 500;
    if (answer && !later) {
      const { code, error_code } = (parse(answer.text) ?? {}) as { code?: string; error_code?: string };
      throw new Refused(answer.status, code ?? error_code ?? "");
    }
    const wait = WAITS[attempt];
    if (wait === undefined) {
      throw new Interrupted(answer ? "serviceDown" : "network");
    }
    const asked = Number(answer?.wait ?? 0) * 1000 || 0;
    await Promise.race([sleep(Math.min(10_000, Math.max(wait, asked))), answer ? never() : backOnline()]);
  }
}

/** Sends a body; browsers tell only this old way how much of it is away. */
export function upload(
  method: string,
  url: string,
  headers: Record<string, string>,
  body: FormData | string,
  progress: Progress,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let stalled: ReturnType<typeof setTimeout>;
    const moved = () => {
      clearTimeout(stalled);
      stalled = setTimeout(() => request.abort(), STALLED_MS);
    };
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) {
      request.setRequestHeader(name, value);
    }
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      moved();
      progress(total > 0 ? loaded / total : 0);
    });
    request.addEventListener("loadend", () => {
      clearTimeout(stalled);
      if (request.status === 0) {
        reject(new Error("not answered"));
      } else {
        const wait = request.getResponseHeader("retry-after");
        resolve({ status: request.status, wait, text: request.responseText });
      }
    });
    moved();
    request.send(body);
  });
}

function parse(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
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
