// When something was right for long enough.

/** Says "now" once something was right for a while, and not for a moment. */
export class DwellTimer {
  #since: number | undefined;

  constructor(readonly durationMs: number) {}

  /** Whether it has been right for long enough at this moment, in milliseconds. */
  update(right: boolean, moment: number): boolean {
    this.#since = right ? (this.#since ?? moment) : undefined;
    return this.#since !== undefined && moment - this.#since >= this.durationMs;
  }
}
