// The server's time on a machine whose clock may be wrong.

/** A `Date` header has whole seconds and travels: nearer than this, the machine's own clock is the better one. */
const DATE_PRECISION_MS = 2500;
/** A clock that went back further than this is not believed. */
const MAX_BACKWARDS_MS = 30_000;

/** What is added to `Date.now()` after an answer with this `Date` header; `undefined` where there is none. */
export function offsetFrom(date: string | null, sentAt: number, receivedAt: number): number | undefined {
  const stated = Date.parse(date ?? "");
  if (Number.isNaN(stated)) {
    return undefined;
  }
  // On average half a second was cut off, and the answer took half of the way.
  const offset = Math.round(stated + 500 - (sentAt + receivedAt) / 2);
  return Math.abs(offset) <= DATE_PRECISION_MS + (receivedAt - sentAt) / 2 ? 0 : offset;
}

/** A clock that can be set, and that notices when it went back. */
export class Clock {
  /** Milliseconds added to the machine's clock. */
  offset: number;
  #seen: number;

  /** `seen` is the latest moment that this clock ever told. */
  constructor(offset = 0, seen = 0) {
    this.offset = offset;
    this.#seen = seen;
  }

  /** The present moment in milliseconds. */
  now(): number {
    return Date.now() + this.offset;
  }

  /** Whether it is believable: not earlier than it has been. */
  isBelievable(): boolean {
    const now = this.now();
    if (now < this.#seen - MAX_BACKWARDS_MS) {
      return false;
    }
    this.#seen = Math.max(this.#seen, now);
    return true;
  }

  /** The latest moment that it told, to be kept. */
  get seen(): number {
    return this.#seen;
  }

  /** Sets it after a server's answer, which is believed whatever was seen before. */
  set(date: string | null, sentAt: number, receivedAt: number): void {
    const offset = offsetFrom(date, sentAt, receivedAt);
    if (offset !== undefined) {
      this.offset = offset;
      this.#seen = this.now();
    }
  }
}
