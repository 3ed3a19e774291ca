// Whether a result was kept under a passkey in this browser, so that the page tries it by itself.

const KEPT_HERE = "assay-kept";

/** Whether a result was kept under a passkey in this browser; `false` where storage is blocked. */
export function isResultKeptHere(): boolean {
  try {
    return localStorage.getItem(KEPT_HERE) !== null;
  } catch {
    return false;
  }
}

/** Notes whether a result is kept under a passkey in this browser. It says nothing of the result. */
export function noteResultKept(kept: boolean): void {
  try {
    if (kept) {
      localStorage.setItem(KEPT_HERE, "1");
    } else {
      localStorage.removeItem(KEPT_HERE);
    }
  } catch {
    // Without storage the page does not try the passkey by itself.
  }
}
