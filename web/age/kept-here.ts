// Whether a result was kept under a passkey in this browser, so that the page tries it by itself.

const KEPT_HERE = "assay-kept";

/** Where it is noted. The sandbox has results of its own, and another `base`: the page's path up to `/age`. */
function storageKey(base: string): string {
  return KEPT_HERE + base;
}

/** Whether a result was kept under a passkey in this browser; `false` where storage is blocked. */
export function isResultKeptHere(base: string): boolean {
  try {
    return localStorage.getItem(storageKey(base)) !== null;
  } catch {
    return false;
  }
}

/** Notes whether a result is kept under a passkey in this browser. It says nothing of the result. */
export function noteResultKept(base: string, kept: boolean): void {
  try {
    if (kept) {
      localStorage.setItem(storageKey(base), "1");
    } else {
      localStorage.removeItem(storageKey(base));
    }
  } catch {
    // Without storage the page does not try the passkey by itself.
  }
}
