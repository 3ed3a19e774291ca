// Why somebody is here: what the address and this tab say. Both are taken away where others could see them.

import { addressOf, errandOf, KEYS, keyOf, localeOf, placeOf, taken } from "./address";
import { answerOf, keptOrder, orderOf } from "./order";
import type { Event } from "./state-machine/events";
import type { Language } from "./texts";

export interface Arrival {
  event: Event;
  /** The language that the address asks for. */
  locale: Language | undefined;
}

export function arrival(): Arrival {
  const url = new URL(location.href);
  const place = placeOf(url.pathname);
  if (place.method === KEYS) {
    return { event: { is: "keysOpened", base: place.base }, locale: localeOf(url) };
  }
  if (place.method === "issue") {
    const order = orderOf(url.hash);
    hide(location.pathname);
    return withoutLocale(
      order ? { is: "ordered", base: place.base, order } : { is: "couldNotOpen", why: "incomplete" },
    );
  }
  if (place.returned) {
    return comeBack(url);
  }
  const key = keyOf(url);
  if (!key) {
    return withoutLocale({ is: "couldNotOpen", why: "incomplete" });
  }
  return { event: { is: "opened", key, path: place.method, order: keptOrder(key.id) }, locale: key.locale };
}

/** Somebody whom a provider, a wallet or an issuer sent back, or a frame sent to a provider. */
function comeBack(url: URL): Arrival {
  const answer = answerOf(url.hash);
  if (answer) {
    hide(location.pathname);
    return withoutLocale({ is: "handedBack", ...answer });
  }
  const errand = errandOf(url.hash);
  if (errand) {
    hide(location.pathname);
    return { event: { is: "sentOn", errand }, locale: errand.locale };
  }
  const leave = taken(url.searchParams.get("attempt"));
  // What a provider sent is for one use, and no business of the browser's history.
  hide(leave ? addressOf(leave) : location.pathname);
  if (!leave) {
    return withoutLocale({ is: "cameFromNowhere" });
  }
  const returned = Object.fromEntries(url.searchParams);
  return { event: { is: "returned", leave, returned, order: keptOrder(leave.id) }, locale: leave.locale };
}

function withoutLocale(event: Event): Arrival {
  return { event, locale: undefined };
}

function hide(address: string): void {
  history.replaceState(null, "", address);
}
