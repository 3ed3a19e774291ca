// How long pictures are looked at. Time counts while pictures are uncovered on a page that is seen, and is shared among those
// that are seen at once: their sum is the time that the reviewer looked.

export interface View {
  picture: string;
  seconds: number;
}

/** The longest time that one look at the clock may count: whoever's machine slept has not looked. */
const MAX_STEP_SECONDS = 2;

export class ExposureMeter {
  readonly #unreported = new Map<string, number>();
  #total = 0;
  #visible: readonly string[] = [];
  #since: number | undefined;

  /** Seconds in all, reported or not. */
  get total(): number {
    return this.#total;
  }

  /** Says which pictures are uncovered now; none while they are covered. `now` is in milliseconds. */
  see(visible: readonly string[], now: number): void {
    this.tick(now);
    this.#visible = visible;
    this.#since = visible.length > 0 ? now : undefined;
  }

  /** Counts the time since the last look at the clock. */
  tick(now: number): void {
    if (this.#since === undefined) {
      return;
    }
    const seconds = Math.min(MAX_STEP_SECONDS, Math.max(0, (now - this.#since) / 1000));
    this.#since = now;
    this.#total += seconds;
    for (const picture of this.#visible) {
      this.#unreported.set(picture, (this.#unreported.get(picture) ?? 0) + seconds / this.#visible.length);
    }
  }

  /** What was not reported yet; afterwards it was. */
  take(): View[] {
    const views = [...this.#unreported].map(([picture, seconds]) => ({ picture, seconds }));
    this.#unreported.clear();
    return views.filter(({ seconds }) => seconds > 0);
  }
}
