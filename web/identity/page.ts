// The page of a document verification session: whose session it is, and whether this browser can go through it.

import { isEmbedded } from "../shared/embedding";
import { chooseLanguage } from "../shared/language";
import { Controller } from "./controller";
import type { Failure } from "./event-codes";
import { awaitSession, loadSession, parseSessionQuery, parseShortLink, type Session } from "./session";
import { LANGUAGES, textsIn } from "./texts";
import { View } from "./view";

/**
 * Whose session it is, where the address or this tab says it; it is taken out of the address, which others see. The address of a
 * frame is not seen, and it stays: the server reads in it who may show the page, also when it is loaded again.
 */
function takeSession(): Session | Failure | undefined {
  const found = parseShortLink(location.hash.slice(1)) ?? parseSessionQuery(location.search) ?? loadSession();
  if (!isEmbedded() && (location.search || location.hash)) {
    history.replaceState(null, "", location.pathname);
  }
  return found;
}

/** What the page cannot do without. */
function isSupported(): boolean {
  const needed = [
    "DisplayNames" in Intl,
    "timeout" in AbortSignal,
    "createImageBitmap" in window,
    "showModal" in HTMLDialogElement.prototype,
  ];
  return needed.every(Boolean);
}

async function main(): Promise<void> {
  const session = takeSession();
  const { texts, language } = await textsIn(chooseLanguage(navigator.languages, LANGUAGES));
  const view = new View();
  view.setLanguage(texts, language);
  const visit = new Controller(view, texts, language);
  visit.start();
  if (!isSupported()) {
    visit.open("unsupportedBrowser");
  } else if (session) {
    visit.open(session);
  } else if (isEmbedded()) {
    visit.waitForParent();
    const { session, origin } = await awaitSession();
    visit.open(session, origin);
  } else {
    visit.open("noId");
  }
}

void main();
