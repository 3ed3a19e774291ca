// Who the session is of, and whom to tell how it ended: in an address, after `#` on a phone, or by messages of the page
// that embeds this one.

import { isEmbedded } from "../shared/embedding";
import { isUuid, packIds, unpackIds } from "../shared/short-link";
import type { EndMessage, Failure } from "./event-codes";

/** Kept in this tab alone, so that loading anew goes on; gone with the tab. */
const STORAGE_KEY = "assay-identity";

/** What opens a session's end-user operations. */
export interface Session {
  id: string;
  token: string;
  /** Whether another device waits for this one to be done. */
  handedOff: boolean;
}

/** Reads the parameters of an address; a failure names the one that is missing, `undefined` is an address without any. */
export function parseSessionQuery(query: string): Session | Failure | undefined {
  const parameters = new Map([...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase(), value]));
  const [id, token] = [parameters.get("sessionid"), parameters.get("sessiontoken")];
  if (id === undefined && token === undefined) {
    return undefined;
  }
  return parseSession(id, token);
}

/** A session of two texts that came from outside. */
export function parseSession(id: unknown, token: unknown): Session | Failure {
  if (typeof id !== "string" || id === "") {
    return "noId";
  }
  if (typeof token !== "string" || token === "") {
    return "noToken";
  }
  if (!isUuid(id)) {
    return "notFound";
  }
  return isUuid(token) ? { id, token, handedOff: false } : "badToken";
}

/** The end of a short link. It stands after `#`, which no server is ever sent. */
export function toShortLink({ id, token }: Session): string {
  return packIds(id, token);
}

/** The session of a short link. */
export function parseShortLink(text: string): Session | undefined {
  const [id, token] = unpackIds(text) ?? [];
  return id && token ? { id, token, handedOff: true } : undefined;
}

/** Keeps the session for a reload of this tab. */
export function saveSession(session: Session | undefined): void {
  try {
    if (session) {
      sessionStorage.setItem(STORAGE_KEY, JSON.stringify(session));
    } else {
      sessionStorage.removeItem(STORAGE_KEY);
    }
  } catch {
    // A browser that keeps nothing loses nothing but the reload.
  }
}

/** The session that this tab had. */
export function loadSession(): Session | undefined {
  try {
    const { id, token, handedOff } = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "{}");
    const session = parseSession(id, token);
    return typeof session === "string" ? undefined : { ...session, handedOff: handedOff === true };
  } catch {
    return undefined;
  }
}

/**
 * Tells the page that embeds this one that it may send the session, and waits for it. Messages of others are not heard.
 * Who embeds may be any business, so the origin is not known before; from then on only that one is told anything.
 */
export function awaitSession(): Promise<{ session: Session | Failure; origin: string }> {
  return new Promise((resolve) => {
    const hear = ({ source, origin, data }: MessageEvent) => {
      if (source === window.parent && data?.eventType === "INIT_SESSION") {
        window.removeEventListener("message", hear);
        resolve({ session: parseSession(data.sessionID, data.sessionToken), origin });
      }
    };
    window.addEventListener("message", hear);
    // It says nothing but that the page is there.
    window.parent.postMessage({ eventType: "STARTED" }, "*");
  });
}

/** Tells the page that embeds this one how it ended. The message holds a code and nothing of the session. */
export function notifyParent(message: EndMessage, origin: string): void {
  if (isEmbedded()) {
    window.parent.postMessage(message, origin);
  }
}
