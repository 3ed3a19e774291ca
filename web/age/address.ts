// Whose session it is: in the page's address, after `#` on a phone, or in what this tab kept before it went to a provider.

import { choose } from "../shared/language";
import { isUuid, packed, unpacked } from "../shared/short";
import { LANGUAGES, type Language } from "./texts";

/** What opens a session. */
export interface Key {
  /** The page's address up to `/age`: empty, or `/sandbox`. */
  base: string;
  id: string;
  sdkId: string;
  /** The language that the business asks for. */
  locale: Language | undefined;
  /** Whether another device waits for this one to be done. */
  handedOff: boolean;
}

/** Where the page was opened. */
export interface Place {
  base: string;
  /** The method of `/age/<method>`. */
  method: string | undefined;
  /** Whether a provider sent the person back. */
  returned: boolean;
}

/** Reads a path: `/age`, `/age/<method>`, `/age/return`, each below anything. */
export function placeOf(path: string): Place {
  const [, base = "", end] = /^(.*)\/age(?:\/([^/]*))?$/.exec(path) ?? [];
  return { base, method: end && end !== "return" ? end : undefined, returned: end === "return" };
}

/** The session of an address; `undefined` where it names none. */
export function keyOf(url: URL): Key | undefined {
  const { base } = placeOf(url.pathname);
  const short = unpacked(url.hash.slice(1));
  if (short) {
    const [id, sdkId] = short;
    return { base, id, sdkId, locale: localeOf(url), handedOff: true };
  }
  const parameters = new Map([...url.searchParams].map(([name, value]) => [name.toLowerCase(), value]));
  const [id, sdkId] = [parameters.get("sessionid") ?? "", parameters.get("sdkid") ?? ""];
  return isUuid(id) && isUuid(sdkId) ? { base, id, sdkId, locale: localeOf(url), handedOff: false } : undefined;
}

/** The language that an address asks for, where the page has it. */
export function localeOf(url: URL): Language | undefined {
  const wanted = url.searchParams.get("locale");
  // Whoever is spoken to in a language that is not there hears their own and not English.
  const found = wanted ? choose([wanted], LANGUAGES) : undefined;
  return found && wanted?.toLowerCase().startsWith(found) ? found : undefined;
}

/** The page's address for a session, so that loading again goes on. */
export function addressOf({ base, id, sdkId, locale, handedOff }: Key): string {
  const language = locale ? { locale } : {};
  if (handedOff) {
    const query = locale ? `?${new URLSearchParams(language)}` : "";
    return `${base}/age${query}#${packed(id, sdkId)}`;
  }
  return `${base}/age?${new URLSearchParams({ sessionId: id, sdkId, ...language })}`;
}

/** The end of the address where kept results are forgotten; no method is called that. */
export const KEYS = "keys";

/** Where somebody forgets what is kept under a passkey. */
export function keysAddress({ base, locale }: Pick<Key, "base" | "locale">): string {
  return `${base}/age/${KEYS}${locale ? `?${new URLSearchParams({ locale })}` : ""}`;
}

/** The link for a phone. */
export function linkOf(key: Key, origin: string): string {
  return origin + addressOf({ ...key, handedOff: true });
}

/** What is kept of an attempt while its person is at a provider: no more than brings them back. */
export interface Leave extends Key {
  attempt: string;
  continuation: string;
}

const KEPT = "assay-age";

/** Keeps it in this tab alone. Answers whether this browser keeps anything. */
export function keep(leave: Leave): boolean {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(leave));
    return true;
  } catch {
    return false;
  }
}

/** What was kept; it is not kept any longer. A wallet's return names the attempt, and is good for that alone. */
export function taken(attempt: string | null): Leave | undefined {
  return attempt === null ? takenFrom(() => sessionStorage, KEPT) : takenFrom(() => localStorage, placeFor(attempt));
}

function takenFrom(storage: () => Storage, place: string): Leave | undefined {
  try {
    const value = JSON.parse(storage().getItem(place) ?? "null");
    storage().removeItem(place);
    return value?.until === undefined || Date.now() < value.until ? leaveOf(value) : undefined;
  } catch {
    return undefined;
  }
}

/** How long a wallet's return is waited for. */
const AWAITED_MS = 3_600_000;

function placeFor(attempt: string): string {
  return `${KEPT}-${attempt}`;
}

/** Keeps it in this browser for a while: a wallet opens a tab of its own to come back. */
export function awaitReturn(leave: Leave): void {
  try {
    localStorage.setItem(placeFor(leave.attempt), JSON.stringify({ ...leave, until: Date.now() + AWAITED_MS }));
    for (const place of Object.keys(localStorage).filter((place) => place.startsWith(`${KEPT}-`))) {
      const { until } = JSON.parse(localStorage.getItem(place) ?? "{}");
      if (!(Date.now() < until)) {
        localStorage.removeItem(place);
      }
    }
  } catch {
    // The way back is lost, and the code is still there to be scanned.
  }
}

/** Keeps it no longer. */
export function awaitNoReturn({ attempt }: Leave): void {
  try {
    localStorage.removeItem(placeFor(attempt));
  } catch {
    // Nothing was kept.
  }
}

/** A kept attempt out of what somebody may have changed. */
export function leaveOf(value: unknown): Leave | undefined {
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

// --- the tab that a page in a frame opens for a provider ---

/** What such a tab is told: it shares no storage with the frame, so it stands after `#`, which no server is sent. */
export interface Errand extends Leave {
  url: string;
}

/** The address of that tab. */
export function errandAddress(errand: Errand): string {
  return `${errand.base}/age/return#go=${encodeURIComponent(JSON.stringify(errand))}`;
}

/** The errand of an address. */
export function errandOf(hash: string): Errand | undefined {
  try {
    const value = hash.startsWith("#go=") ? JSON.parse(decodeURIComponent(hash.slice(4))) : undefined;
    const leave = leaveOf(value);
    return leave && typeof value.url === "string" ? { ...leave, url: value.url } : undefined;
  } catch {
    return undefined;
  }
}
