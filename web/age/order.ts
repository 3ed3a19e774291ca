// What passes between the page that wants a blind token and the issuer's: in the browser alone, and nothing of the session
// that it is for. The order stands after `#`, which no server is sent; the answer comes back on a channel between tabs of
// one origin, or after `#` where the issuer is another.

import { followable } from "../shared/follow";

/** What the issuer's page is asked for. */
export interface Order {
  /** Years. */
  threshold: number;
  /** The blinded token, base64url. */
  request: string;
  /** By chance; nobody else knows it. */
  channel: string;
  /** Where the answer goes, if not to a tab of the same origin: the other page's address up to `/age`. */
  back: string | undefined;
}

/** An order in the issuer's own tab, with the session that it leads through and what leads that. */
export interface IssuerOrder extends Order {
  id: string;
  /** Nobody else who knows the session has it. */
  key: string;
  /** Other servers that the issuer hands answers to. */
  redeemers: string[];
}

/** 259 bytes, 256 and 16, in base64url. */
const [REQUEST, RESPONSE, CHANNEL] = [/^[\w-]{346}$/, /^[\w-]{342}$/, /^[\w-]{22}$/];
/** What an issuer answers that gives nothing: why, it does not say. */
export const NOTHING = "";
const KEPT = "assay-age-issue";
/** How often the other tab is told until it has heard. */
const AGAIN_MS = 500;

/** The address of an issuer's page with an order; nothing where that page is none that can be gone to. */
export function orderAddress(page: string | undefined, { threshold, request, channel, back }: Order): URL | undefined {
  const url = followable(page);
  if (url) {
    const words = { t: String(threshold), r: request, c: channel, ...(back === undefined ? {} : { b: back }) };
    url.hash = String(new URLSearchParams(words));
  }
  return url;
}

/** The order of an address. */
export function orderOf(hash: string): Order | undefined {
  const words = new URLSearchParams(hash.slice(1));
  const word = (name: string) => words.get(name) ?? undefined;
  return orderFrom({ threshold: Number(word("t")), request: word("r"), channel: word("c"), back: word("b") });
}

function orderFrom(value: unknown): Order | undefined {
  const { threshold, request, channel, back } = (value ?? {}) as Record<string, unknown>;
  const fine =
    Number.isInteger(threshold) &&
    REQUEST.test(String(request)) &&
    CHANNEL.test(String(channel)) &&
    (back === undefined || pageOf(String(back)) !== undefined);
  return fine
    ? {
        threshold: Number(threshold),
        request: String(request),
        channel: String(channel),
        back: back === undefined ? undefined : pageOf(String(back)),
      }
    : undefined;
}

/** A page's address up to `/age`. A query or a fragment would swallow what is put behind it. */
function pageOf(address: string): string | undefined {
  const url = followable(address);
  return url && !url.search && !url.hash ? url.origin + url.pathname.replace(/\/$/, "") : undefined;
}

/** Keeps an order in this tab, because some methods lead away and back. */
export function keepOrder(kept: IssuerOrder): void {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(kept));
  } catch {
    // Then it is there until the page is left; the person is told so in the end.
  }
}

/** The order of this tab for a session. */
export function keptOrder(id: string): IssuerOrder | undefined {
  try {
    const value = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
    const order = orderFrom(value);
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
    sessionStorage.removeItem(KEPT);
  } catch {
    // Nothing was kept either.
  }
}

/** Where an answer goes that is for another server's page, if this issuer hands answers to that. */
export function wayBack({ back, channel, redeemers }: IssuerOrder, response: string): string | undefined {
  const url = followable(back);
  return url && redeemers.includes(url.origin) ? `${back}/age/return#answer=${channel}.${response}` : undefined;
}

/** The answer of an address. */
export function answerOf(hash: string): { channel: string; response: string } | undefined {
  const [, channel = "", response = ""] = /^#answer=([^.]*)\.([^.]*)$/.exec(hash) ?? [];
  return CHANNEL.test(channel) && isAnswer(response) ? { channel, response } : undefined;
}

function isAnswer(response: unknown): response is string {
  return response === NOTHING || isSignature(response);
}

/** Whether something looks like what an issuer signed. */
export function isSignature(response: unknown): response is string {
  return typeof response === "string" && RESPONSE.test(response);
}

/** Tells the tab that waits, until it has heard or this one is closed. */
export function tell(name: string, response: string, heard: () => void): void {
  const channel = channelOf(name);
  const post = () => channel.postMessage({ response });
  const timer = setInterval(post, AGAIN_MS);
  channel.addEventListener("message", ({ data }) => {
    // Another tab with the same order may have been heard meanwhile.
    if (data?.taken === response) {
      clearInterval(timer);
      channel.close();
      heard();
    }
  });
  post();
}

/** Waits for answers: several tabs may have one order. Answers what ends the waiting. */
export function listen(name: string, hear: (response: string) => void): () => void {
  const channel = channelOf(name);
  channel.addEventListener("message", ({ data }) => {
    const response: unknown = data?.response;
    if (isAnswer(response)) {
      channel.postMessage({ taken: response });
      hear(response);
    }
  });
  return () => channel.close();
}

function channelOf(name: string): BroadcastChannel {
  return new BroadcastChannel(`assay-age-${name}`);
}
