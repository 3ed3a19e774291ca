// Which screen the address names. What follows `#` reaches no server: `#inbox`, `#inbox?show=open&page=2`,
// `#notification=ID`, and links from messages, `#account=ID&notification=ID`.

import { useEffect, useRef, useSyncExternalStore } from "react";

/** Screens that are a place of their own, and those that show what an id names. */
export const PLACES = [
  "queue",
  "cases",
  "inbox",
  "mine",
  "people",
  "contents",
  "quality",
  "queues",
  "members",
  "roles",
  "organisations",
  "applications",
  "accounts",
  "approvals",
  "operators",
  "operator-roles",
  "jobs",
  "sessions",
  "funnel",
  "deliveries",
  "health",
  "settings",
  "models",
  "providers",
  "trust",
  "integration",
  "audit",
  "security",
] as const;
export const DETAILS = [
  "notification",
  "profile",
  "case",
  "content",
  "moderation",
  "organisation",
  "application",
  "account",
  "operator",
  "session",
  "delivery",
] as const;
export type Place = (typeof PLACES)[number];
export type Detail = (typeof DETAILS)[number];
export type ScreenName = Place | Detail;

export interface Route {
  /** Nothing where the address names no screen: the first of the reader's is shown. */
  screen: ScreenName | undefined;
  /** What a detail is of. */
  id: string;
  /** The account that a link from a message belongs to. */
  account: string | undefined;
  /** How a list is filtered and turned. */
  query: URLSearchParams;
}

const DETAIL = new RegExp(`^#(?:account=([\\da-f-]{36})&)?(${DETAILS.join("|")})=([\\da-f-]{36})(?:\\?(.*))?$`);
const PLACE = new RegExp(`^#(${PLACES.join("|")})(?:\\?(.*))?$`);

export function parseRoute(hash: string): Route {
  const [, account, detail, id, asked] = DETAIL.exec(hash) ?? [];
  if (detail) {
    return { screen: detail as Detail, id: id ?? "", account, query: new URLSearchParams(asked) };
  }
  const [, place, query] = PLACE.exec(hash) ?? [];
  return { screen: place as Place | undefined, id: "", account: undefined, query: new URLSearchParams(query) };
}

/** The address of a place; members of `query` that are empty are left out. */
export function placeHref(place: Place, query: HrefQuery = {}): string {
  return withQuery(`#${place}`, query);
}

type HrefQuery = Record<string, string | undefined>;

function withQuery(href: string, query: HrefQuery): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length > 0 ? `${href}?${new URLSearchParams(given)}` : href;
}

/** What stands in an address, if it is one of the values that there are. */
export function oneOf<T extends string>(all: readonly T[], value: string | null, otherwise: T): T {
  return all.find((one) => one === value) ?? otherwise;
}

const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether something is an id, as the interfaces write them. */
export function isId(value: string | null | undefined): boolean {
  return ID.test(value ?? "");
}

export function detailHref(detail: Detail, id: string, query: HrefQuery = {}): string {
  return withQuery(`#${detail}=${id}`, query);
}

/** Whether what follows `#` names something in an account. */
export function isDeepLink(hash: string): boolean {
  return parseRoute(hash).account !== undefined;
}

/** How often the reader has gone somewhere: the first screen of a visit does not take the focus. */
let moves = 0;

export function hasMoved(): boolean {
  return moves > 0;
}

/** Counts what looks to the reader like a new place though the address is the same: having signed in, for example. */
export function countMove(): void {
  moves += 1;
}

export function navigate(href: string): void {
  if (location.hash === href) {
    return;
  }
  location.hash = href;
}

/** Changes how the open list is filtered or what is chosen in it, without a step for Back. */
export function replaceRoute(href: string): void {
  history.replaceState(null, "", href);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

/** Whether the component that asks is still shown: an answer that comes late takes nobody away from where they have gone. */
export function useIsShown(): () => boolean {
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return () => isShown.current;
}

function subscribe(changed: () => void): () => void {
  const moved = () => {
    countMove();
    changed();
  };
  window.addEventListener("hashchange", moved);
  return () => window.removeEventListener("hashchange", moved);
}

export function useHash(): string {
  return useSyncExternalStore(subscribe, () => location.hash);
}
