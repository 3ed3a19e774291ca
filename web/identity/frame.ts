// Who the session is of, and whom to tell how it ended: in an address, after `#` on a phone, or by messages of the page
// that embeds this one.

import { fromBase64url, toBase64url } from "../shared/bytes";
import type { Ending, Failure } from "./codes";

const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** Kept in this tab alone, so that loading anew goes on; gone with the tab. */
const KEPT = "assay-identity";

/** What opens a session's end-user operations. */
export interface Session {
  id: string;
  token: string;
  /** Whether another device waits for this one to be done. */
  handedOff: boolean;
}

/** Reads the parameters of an address; a failure names the one that is missing, `undefined` is an address without any. */
export function fromQuery(query: string): Session | Failure | undefined {
  const parameters = new Map([...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase(), value]));
  const [id, token] = [parameters.get("sessionid"), parameters.get("sessiontoken")];
  if (id === undefined && token === undefined) {
    return undefined;
  }
  return checked(id, token);
}

/** A session of two texts that came from outside. */
export function checked(id: unknown, token: unknown): Session | Failure {
  if (typeof id !== "string" || id === "") {
    return "noId";
  }
  if (typeof token !== "string" || token === "") {
    return "noToken";
  }
  if (!ID.test(id)) {
    return "notFound";
  }
  return ID.test(token) ? { id, token, handedOff: false } : "badToken";
}

/** The end of a short link: both ids as 32 bytes in base64url. It stands after `#`, which no server is ever sent. */
export function toShort({ id, token }: Session): string {
  const hex = (id + token).replaceAll("-", "");
  return toBase64url(Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)));
}

/** The session of a short link. */
export function fromShort(text: string): Session | undefined {
  if (!/^[\w-]{43}$/.test(text)) {
    return undefined;
  }
  const hex = [...fromBase64url(text)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const uuid = (at: number) => hex.slice(at, at + 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return { id: uuid(0), token: uuid(32), handedOff: true };
}

/** Keeps the session for a reload of this tab. */
export function keep(session: Session | undefined): void {
  try {
    if (session) {
      sessionStorage.setItem(KEPT, JSON.stringify(session));
    } else {
      sessionStorage.removeItem(KEPT);
    }
  } catch {
    // A browser that keeps nothing loses nothing but the reload.
  }
}

/** The session that this tab had. */
export function kept(): Session | undefined {
  try {
    const { id, token, handedOff } = JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");
    const session = checked(id, token);
    return typeof session === "string" ? undefined : { ...session, handedOff: handedOff === true };
  } catch {
    return undefined;
  }
}

/** Whether another page embeds this one. */
export function embedded(): boolean {
  return window.parent !== window;
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
        resolve({ session: checked(data.sessionID, data.sessionToken), origin });
      }
    };
    window.addEventListener("message", hear);
    // It says nothing but that the page is there.
    window.parent.postMessage({ eventType: "STARTED" }, "*");
  });
}

/** Tells the page that embeds this one how it ended. The message holds a code and nothing of the session. */
export function tell(message: Ending, origin: string): void {
  if (embedded()) {
    window.parent.postMessage(message, origin);
  }
}
