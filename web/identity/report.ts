// What is told of a mistake of the page: where in the program it was, and at which step. No message, because messages may
// hold what somebody typed; no address, because it may hold a token.

/** Reports of one page; a mistake that repeats itself is told no more often. */
const MOST = 5;

/** A mistake without a word about a person. */
export interface Fault {
  /** The kind of error, for example TypeError. */
  name: string;
  /** File, line and column of the program, innermost first. */
  places: string[];
  /** Which step the person was at. */
  step: string;
}

/** What may be told of an error. */
export function faultOf(error: unknown, step: string): Fault {
  const { name, stack } = (error ?? {}) as { name?: unknown; stack?: unknown };
  const places = (typeof stack === "string" ? stack : "").match(/[\w-]+\.js:\d+:\d+/g) ?? [];
  return {
    name: typeof name === "string" ? name.replace(/\W/g, "").slice(0, 60) : "unknown",
    places: places.slice(0, 8),
    step,
  };
}

/** Hears of every mistake that nobody caught. */
export function watch(step: () => string, tell: (fault: Fault) => void, broken: () => void): void {
  let told = 0;
  const hear = (error: unknown) => {
    told += 1;
    if (told <= MOST) {
      tell(faultOf(error, step()));
    }
    broken();
  };
  window.addEventListener("error", ({ error }) => hear(error));
  window.addEventListener("unhandledrejection", ({ reason }) => hear(reason));
}
