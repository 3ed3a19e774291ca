// How much of a session's time is left: shown during the last minute, and told when it is little.

import { find } from "../shared/dom";
import { fill, type Texts } from "./texts";

/** From when on the time that is left is shown, and when it is told, in seconds. */
const WARNING_S = 60;
const TOLD_S: readonly number[] = [60, 20];
/** What is said of the minute that is left; below this the seconds are. */
const MINUTE_S = 45;

export class TimeLeft {
  readonly #texts: Texts;
  readonly #say: (words: string) => void;
  readonly #expired: () => void;
  #clock: ReturnType<typeof setInterval> | undefined;
  #deadline = Number.POSITIVE_INFINITY;
  /** How many seconds were left when it was last looked at: each warning is told once. */
  #left = Number.POSITIVE_INFINITY;

  constructor(texts: Texts, say: (words: string) => void, expired: () => void) {
    this.#texts = texts;
    this.#say = say;
    this.#expired = expired;
  }

  /** Counts so many seconds down from now; none where the time does not matter. */
  watch(seconds: number | undefined): void {
    clearInterval(this.#clock);
    find("time").hidden = true;
    if (seconds === undefined) {
      return;
    }
    this.#deadline = performance.now() + seconds * 1000;
    this.#clock = setInterval(() => this.#tick(), 1000);
    if (seconds > 0) {
      this.#tick();
    }
  }

  #tick(): void {
    const left = Math.ceil((this.#deadline - performance.now()) / 1000);
    if (left <= 0) {
      clearInterval(this.#clock);
      this.#expired();
      return;
    }
    if (left <= WARNING_S) {
      const time = find("time");
      const words = fill(this.#texts.time, { time: clockOf(left) });
      time.hidden = false;
      time.textContent = words;
      if (TOLD_S.some((moment) => left <= moment && this.#left > moment)) {
        this.#say(left > MINUTE_S ? this.#texts.minuteLeft : words);
      }
    }
    this.#left = left;
  }
}

/** Minutes and seconds. */
function clockOf(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
