// Where the page gets its session from: the URL's query, its fragment on a phone, or the return state that was stored
// before going to a provider.

import { chooseLanguage } from "../shared/language";
import { isUuid, packIds, unpackIds } from "../shared/short-link";
import { LANGUAGES, type Language } from "./texts";

/** What identifies and opens a session. */
export interface SessionKey {
  /** The page's path up to `/age`: empty, or `/sandbox`. */
  base: string;
  id: string;
  sdkId: string;
  /** The language that the business asks for. */
  locale: Language | undefined;
  /** Whether another device waits for this one. */
  handedOff: boolean;
}

/** The path at which the page was opened. */
export interface PagePath {
  base: string;
  /** The method of `/age/<method>`. */
  method: string | undefined;
  /** Whether it is `/age/return`. */
  returned: boolean;
}

/** Reads a path: `/age`, `/age/<method>` or `/age/return`, with any prefix. */
export function parsePagePath(path: string): PagePath {
  const [, base = "", end] = /^(.*)\/age(?:\/([^/]*))?$/.exec(path) ?? [];
  return { base, method: end && end !== "return" ? end : undefined, returned: end === "return" };
}

/** Reads the session from a URL; `undefined` if there is none. */
export function parseSessionUrl(url: URL): SessionKey | undefined {
  const { base } = parsePagePath(url.pathname);
  const short = unpackIds(url.hash.slice(1));
  if (short) {
    const [id, sdkId] = short;
    return { base, id, sdkId, locale: parseLocale(url), handedOff: true };
  }
  const parameters = new Map([...url.searchParams].map(([name, value]) => [name.toLowerCase(), value]));
  const [id, sdkId] = [parameters.get("sessionid") ?? "", parameters.get("sdkid") ?? ""];
  return isUuid(id) && isUuid(sdkId) ? { base, id, sdkId, locale: parseLocale(url), handedOff: false } : undefined;
}

/** The language that a URL asks for, if the page has it. */
export function parseLocale(url: URL): Language | undefined {
  const wanted = url.searchParams.get("locale");
  // For a language that the page lacks, fall back to the browser's languages and not to English.
  const found = wanted ? chooseLanguage([wanted], LANGUAGES) : undefined;
  return found && wanted?.toLowerCase().startsWith(found) ? found : undefined;
}

/** The page's path for a session; reloading it continues the session. */
export function sessionPath({ base, id, sdkId, locale, handedOff }: SessionKey): string {
  const language = locale ? { locale } : {};
  if (handedOff) {
    const query = locale ? `?${new URLSearchParams(language)}` : "";
    return `${base}/age${query}#${packIds(id, sdkId)}`;
  }
  return `${base}/age?${new URLSearchParams({ sessionId: id, sdkId, ...language })}`;
}

/** The last part of the path of the page that deletes kept results. No method has this name. */
export const FORGET_PATH = "keys";

/** The path of the page that deletes results kept under a passkey. */
export function forgetPath({ base, locale }: Pick<SessionKey, "base" | "locale">): string {
  return `${base}/age/${FORGET_PATH}${locale ? `?${new URLSearchParams({ locale })}` : ""}`;
}

/** The link that continues the session on a phone. */
export function handOffLink(key: SessionKey, origin: string): string {
  return origin + sessionPath({ ...key, handedOff: true });
}

/** What is stored of an attempt while the person is at a provider: only what is needed to come back. */
export interface ReturnState extends SessionKey {
  attempt: string;
  continuation: string;
}

const STORAGE_KEY = "assay-age";

/** Stores it for this tab only. Returns false if the browser has no storage. */
export function saveReturnState(returnState: ReturnState): boolean {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(returnState));
    return true;
  } catch {
    return false;
  }
}

/** Reads the return state and deletes it. A wallet's return names its attempt, and only that attempt's state is used. */
export function takeReturnState(attempt: string | null): ReturnState | undefined {
  return attempt === null
    ? takeFrom(() => sessionStorage, STORAGE_KEY)
    : takeFrom(() => localStorage, walletStorageKey(attempt));
}

function takeFrom(storage: () => Storage, place: string): ReturnState | undefined {
  try {
    const value = JSON.parse(storage().getItem(place) ?? "null");
    storage().removeItem(place);
    return value?.until === undefined || Date.now() < value.until ? parseReturnState(value) : undefined;
  } catch {
    return undefined;
  }
}

/** How long the return state for a wallet is valid. */
const WALLET_RETURN_MS = 3_600_000;

function walletStorageKey(attempt: string): string {
  return `${STORAGE_KEY}-${attempt}`;
}

/** Stores it for all tabs of this browser, for a limited time: a wallet returns in a new tab. */
export function saveWalletReturn(returnState: ReturnState): void {
  try {
    localStorage.setItem(
      walletStorageKey(returnState.attempt),
      JSON.stringify({ ...returnState, until: Date.now() + WALLET_RETURN_MS }),
    );
    for (const place of Object.keys(localStorage).filter((place) => place.startsWith(`${STORAGE_KEY}-`))) {
      const { until } = JSON.parse(localStorage.getItem(place) ?? "{}");
      if (!(Date.now() < until)) {
        localStorage.removeItem(place);
      }
    }
  } catch {
    // Without storage the wallet cannot come back, but the QR code still works.
  }
}

export function forgetWalletReturn({ attempt }: ReturnState): void {
  try {
    localStorage.removeItem(walletStorageKey(attempt));
  } catch {
    // Without storage there is nothing to delete.
  }
}

/** Validates a stored return state, which may have been tampered with. */
export function parseReturnState(value: unknown): ReturnState | undefined {
  const { base, id, sdkId, attempt, continuation, locale, handedOff } = (value ?? {}) as Record<string, unknown>;
  const texts = [base, id, sdkId, attempt, continuation];
  if (!texts.every((text) => typeof text === "string") || !isUuid(String(id)) || !isUuid(String(sdkId))) {
    return undefined;
  }
  return {
    base: String(base),
    id: String(id),
    sdkId: String(sdkId),
    attempt: String(attempt),
    continuation: String(continuation),
    locale: LANGUAGES.find((one) => one === locale),
    handedOff: handedOff === true,
  };
}

// --- the tab that an embedded page opens for a provider ---

/** What such a tab is told. It shares no storage with the frame, so this is in the URL fragment, which is not sent to
 * servers. */
export interface RedirectTab extends ReturnState {
  url: string;
}

/** The path of that tab. */
export function redirectTabPath(redirectTab: RedirectTab): string {
  return `${redirectTab.base}/age/return#go=${encodeURIComponent(JSON.stringify(redirectTab))}`;
}

/** Reads it from a URL fragment. */
export function parseRedirectTab(hash: string): RedirectTab | undefined {
  try {
    const value = hash.startsWith("#go=") ? JSON.parse(decodeURIComponent(hash.slice(4))) : undefined;
    const returnState = parseReturnState(value);
    return returnState && typeof value.url === "string" ? { ...returnState, url: value.url } : undefined;
  } catch {
    return undefined;
  }
}
