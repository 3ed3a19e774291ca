// The countdown to the session's expiry: shown during the last minute, and announced to screen readers twice.

import { getById } from "../shared/dom";
import { interpolate, type Texts } from "./texts";

/** The time left, in seconds, from which the countdown is shown, and at which it is announced. */
const WARNING_S = 60;
const ANNOUNCED_S: readonly number[] = [60, 20];
/** Above this, "one minute" is announced; below it, the seconds. */
const MINUTE_S = 45;

export class TimeLeft {
  readonly #texts: Texts;
  readonly #say: (words: string) => void;
  readonly #expired: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #deadline = Number.POSITIVE_INFINITY;
  /** The seconds left at the last tick, so that each announcement is made once. */
  #left = Number.POSITIVE_INFINITY;

  constructor(texts: Texts, say: (words: string) => void, expired: () => void) {
    this.#texts = texts;
    this.#say = say;
    this.#expired = expired;
  }

  /** Starts a countdown; `undefined` stops it. */
  watch(seconds: number | undefined): void {
    clearInterval(this.#timer);
    getById("time").hidden = true;
    if (seconds === undefined) {
      return;
    }
    this.#deadline = performance.now() + seconds * 1000;
    this.#timer = setInterval(() => this.#tick(), 1000);
    if (seconds > 0) {
      this.#tick();
    }
  }

  #tick(): void {
    const left = Math.ceil((this.#deadline - performance.now()) / 1000);
    if (left <= 0) {
      clearInterval(this.#timer);
      this.#expired();
      return;
    }
    if (left <= WARNING_S) {
      const time = getById("time");
      const words = interpolate(this.#texts.time, { time: formatClock(left) });
      time.hidden = false;
      time.textContent = words;
      if (ANNOUNCED_S.some((moment) => left <= moment && this.#left > moment)) {
        this.#say(left > MINUTE_S ? this.#texts.minuteLeft : words);
      }
    }
    this.#left = left;
  }
}

/** m:ss */
function formatClock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
