// A link to one thing that was followed by somebody who has to sign in first. It is kept in the browser until they have,
// because the mail's link opens another page. It has ids only, which tell nobody anything without a session.

import { isDeepLink } from "./router";

const STORAGE_KEY = "assay-console-deep-link";
/** A link that nobody signed in for is forgotten after as long as a sign-in link lasts twice. */
const MAX_AGE_MS = 30 * 60 * 1000;

type KeptLink = { hash: string; at: number };

/** Keeps a link until somebody has signed in. */
export function keepDeepLink(hash: string): void {
  const kept: KeptLink = { hash, at: Date.now() };
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(kept));
  } catch {
    // Without storage, signing in ends at the first screen.
  }
}

/** The link that was kept, once; none if there is none, or it is too old. */
export function takeDeepLink(): string | undefined {
  try {
    const kept: Partial<KeptLink> = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "{}");
    localStorage.removeItem(STORAGE_KEY);
    const { hash, at } = kept;
    if (typeof hash === "string" && typeof at === "number" && isDeepLink(hash)) {
      return Math.abs(Date.now() - at) <= MAX_AGE_MS ? hash : undefined;
    }
  } catch {
    // Whatever else is stored there is not ours.
  }
  return undefined;
}
