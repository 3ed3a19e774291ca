// Messages between the page that wants a blind token and the issuer's page. They stay in the browser and hold nothing of
// the session that the token is for. The order is in the URL fragment, which is not sent to servers; the answer comes back
// on a BroadcastChannel or, if the issuer has another origin, in the fragment of a return URL.

import { safeUrl } from "../shared/safe-url";

/** An order for a token, as the issuer's page gets it. */
export interface TokenOrder {
  /** The age in years. */
  threshold: number;
  /** The TokenRequest with the blinded token, base64url. */
  request: string;
  /** The name of the channel: random, and a secret of the two pages. */
  channel: string;
  /** The address up to `/age` of a page of another origin that the answer goes to. */
  back: string | undefined;
}

/** An order in the issuer's own tab, with the session that was created for it. */
export interface IssuerOrder extends TokenOrder {
  id: string;
  /** Authorises attempts in the session; knowing the session alone does not. */
  key: string;
  /** Origins of other servers that the issuer delivers tokens to. */
  redeemers: string[];
}

/** 259, 256 and 16 bytes in base64url. */
const [REQUEST, RESPONSE, CHANNEL] = [/^[\w-]{346}$/, /^[\w-]{342}$/, /^[\w-]{22}$/];
/** The answer when there is no token. The issuer gives no reason. */
export const NO_SIGNATURE = "";
const STORAGE_KEY = "assay-age-issue";
/** How often an answer is posted until the other tab acknowledges it. */
const REPOST_MS = 500;

/** The URL of an issuer's page with an order; `undefined` if the page's address is not safe to open. */
export function orderUrl(page: string | undefined, { threshold, request, channel, back }: TokenOrder): URL | undefined {
  const url = safeUrl(page);
  if (url) {
    const words = { t: String(threshold), r: request, c: channel, ...(back === undefined ? {} : { b: back }) };
    url.hash = String(new URLSearchParams(words));
  }
  return url;
}

/** Reads the order from a URL fragment. */
export function parseOrder(hash: string): TokenOrder | undefined {
  const words = new URLSearchParams(hash.slice(1));
  const word = (name: string) => words.get(name) ?? undefined;
  return validateOrder({ threshold: Number(word("t")), request: word("r"), channel: word("c"), back: word("b") });
}

function validateOrder(value: unknown): TokenOrder | undefined {
  const { threshold, request, channel, back } = (value ?? {}) as Record<string, unknown>;
  const fine =
    Number.isInteger(threshold) &&
    REQUEST.test(String(request)) &&
    CHANNEL.test(String(channel)) &&
    (back === undefined || parsePageUrl(String(back)) !== undefined);
  return fine
    ? {
        threshold: Number(threshold),
        request: String(request),
        channel: String(channel),
        back: back === undefined ? undefined : parsePageUrl(String(back)),
      }
    : undefined;
}

/** A page's address up to `/age`. It may have no query and no fragment, because a path is appended to it. */
function parsePageUrl(address: string): string | undefined {
  const url = safeUrl(address);
  return url && !url.search && !url.hash ? url.origin + url.pathname.replace(/\/$/, "") : undefined;
}

/** Stores an order in this tab, because some methods leave the page and come back. */
export function saveOrder(kept: IssuerOrder): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(kept));
  } catch {
    // Without storage the order lasts until the page is left; the person is told when it is lost.
  }
}

/** The order that this tab stored for a session. */
export function loadOrder(id: string): IssuerOrder | undefined {
  try {
    const value = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "null");
    const order = validateOrder(value);
    const { key, redeemers } = value ?? {};
    return order && value.id === id && typeof key === "string"
      ? { ...order, id, key, redeemers: Array.isArray(redeemers) ? redeemers : [] }
      : undefined;
  } catch {
    return undefined;
  }
}

export function forgetOrder(): void {
  try {
    sessionStorage.removeItem(STORAGE_KEY);
  } catch {
    // Without storage there is nothing to delete.
  }
}

/** The return URL with an answer for another server's page, if that is among the issuer's redeemers. */
export function answerUrl({ back, channel, redeemers }: IssuerOrder, response: string): string | undefined {
  const url = safeUrl(back);
  return url && redeemers.includes(url.origin) ? `${back}/age/return#answer=${channel}.${response}` : undefined;
}

/** Reads the answer from a URL fragment. */
export function parseAnswer(hash: string): { channel: string; response: string } | undefined {
  const [, channel = "", response = ""] = /^#answer=([^.]*)\.([^.]*)$/.exec(hash) ?? [];
  return CHANNEL.test(channel) && isAnswer(response) ? { channel, response } : undefined;
}

function isAnswer(response: unknown): response is string {
  return response === NO_SIGNATURE || isSignature(response);
}

/** Whether it has the form of a TokenResponse. */
export function isSignature(response: unknown): response is string {
  return typeof response === "string" && RESPONSE.test(response);
}

/** Posts an answer to the waiting tab until it is acknowledged or this tab is closed. */
export function postAnswer(name: string, response: string, heard: () => void): void {
  const channel = openChannel(name);
  const post = () => channel.postMessage({ response });
  const timer = setInterval(post, REPOST_MS);
  channel.addEventListener("message", ({ data }) => {
    // Ignore acknowledgements of other tabs with the same order.
    if (data?.taken === response) {
      clearInterval(timer);
      channel.close();
      heard();
    }
  });
  post();
}

/** Listens for answers; there may be several, because several tabs may have the same order. Returns a function that
 * stops it. */
export function listenForAnswers(name: string, hear: (response: string) => void): () => void {
  const channel = openChannel(name);
  channel.addEventListener("message", ({ data }) => {
    const response: unknown = data?.response;
    if (isAnswer(response)) {
      channel.postMessage({ taken: response });
      hear(response);
    }
  });
  return () => channel.close();
}

function openChannel(name: string): BroadcastChannel {
  return new BroadcastChannel(`assay-age-${name}`);
}
