// Reads from the URL and this tab's storage how the page was opened. Secrets are removed from the address bar and the
// history.

import {
  FORGET_PATH,
  parseLocale,
  parsePagePath,
  parseRedirectTab,
  parseSessionUrl,
  sessionPath,
  takeReturnState,
} from "./session-url";
import type { PageEvent } from "./state-machine/events";
import type { Language } from "./texts";
import { loadOrder, parseAnswer, parseOrder } from "./token-request";

export interface InitialEvent {
  event: PageEvent;
  /** The language that the URL asks for. */
  locale: Language | undefined;
}

export function readInitialEvent(): InitialEvent {
  const url = new URL(location.href);
  const place = parsePagePath(url.pathname);
  if (place.method === FORGET_PATH) {
    return { event: { is: "forgetPageOpened", base: place.base }, locale: parseLocale(url) };
  }
  if (place.method === "issue") {
    const order = parseOrder(url.hash);
    replaceUrl(location.pathname);
    return withoutLocale(
      order ? { is: "issuerPageOpened", base: place.base, order } : { is: "couldNotOpen", why: "incomplete" },
    );
  }
  if (place.returned) {
    return returnEvent(url);
  }
  const key = parseSessionUrl(url);
  if (!key) {
    return withoutLocale({ is: "couldNotOpen", why: "incomplete" });
  }
  return { event: { is: "opened", key, path: place.method, order: loadOrder(key.id) }, locale: key.locale };
}

/** The person comes back from a provider, a wallet or an issuer, or a frame opened this tab for a provider. */
function returnEvent(url: URL): InitialEvent {
  const answer = parseAnswer(url.hash);
  if (answer) {
    replaceUrl(location.pathname);
    return withoutLocale({ is: "answerReturned", ...answer });
  }
  const redirectTab = parseRedirectTab(url.hash);
  if (redirectTab) {
    replaceUrl(location.pathname);
    return { event: { is: "redirectTabOpened", redirectTab }, locale: redirectTab.locale };
  }
  const returnState = takeReturnState(url.searchParams.get("attempt"));
  // The provider's parameters are for one use and must not stay in the history.
  replaceUrl(returnState ? sessionPath(returnState) : location.pathname);
  if (!returnState) {
    return withoutLocale({ is: "returnedWithoutState" });
  }
  const returned = Object.fromEntries(url.searchParams);
  return {
    event: { is: "returned", returnState, returned, order: loadOrder(returnState.id) },
    locale: returnState.locale,
  };
}

function withoutLocale(event: PageEvent): InitialEvent {
  return { event, locale: undefined };
}

function replaceUrl(address: string): void {
  history.replaceState(null, "", address);
}
