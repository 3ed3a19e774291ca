// What is told of a mistake of the page: where in the program it was, and at which step. No message, because messages may
// hold what somebody typed; no address, because it may hold a token.

/** Reports of one page; a mistake that repeats itself is told no more often. */
const MAX_REPORTS = 5;

/** A mistake without a word about a person. */
export interface ErrorReport {
  /** The kind of error, for example TypeError. */
  name: string;
  /** The file of the program and the line in it; minified, a line is long, so the column stands with the name of the file. */
  file: string;
  line: number;
  /** Which step the person was at. */
  screen: string;
}

/** What may be told of an error. */
export function createErrorReport(error: unknown, step: string): ErrorReport {
  const { name, stack } = (error ?? {}) as { name?: unknown; stack?: unknown };
  const place = /([\w-]+\.js):(\d+):(\d+)/.exec(typeof stack === "string" ? stack : "");
  return {
    name: typeof name === "string" ? name.replace(/\W/g, "").slice(0, 60) : "unknown",
    file: place ? `${place[1]}-${place[3]}` : "",
    line: Number(place?.[2] ?? 0),
    screen: step,
  };
}

/** Hears of every mistake of the page's own that nobody caught. Browsers' add-ons make theirs in here too. */
export function reportErrors(step: () => string, tell: (fault: ErrorReport) => void, broken: () => void): void {
  let told = 0;
  const hear = (error: unknown) => {
    const { stack } = (error ?? {}) as { stack?: unknown };
    if (typeof stack === "string" && !stack.includes(OWN_SCRIPTS)) {
      return;
    }
    told += 1;
    if (told <= MAX_REPORTS) {
      tell(createErrorReport(error, step()));
    }
    broken();
  };
  // Without an error it is a remark of the browser, or of a program from elsewhere.
  window.addEventListener("error", ({ error }) => error && hear(error));
  window.addEventListener("unhandledrejection", ({ reason }) => hear(reason));
}

/** Where the page's programs lie: beside this one. */
const OWN_SCRIPTS = new URL("./", import.meta.url).pathname;
