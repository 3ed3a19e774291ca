// The page of a document verification session: whose session it is, and whether this browser can go through it.

import { embedded } from "../shared/frame";
import { choose } from "../shared/language";
import type { Failure } from "./codes";
import { awaitSession, fromQuery, fromShort, kept, type Session } from "./frame";
import { LANGUAGES, textsIn } from "./texts";
import { View } from "./view";
import { Visit } from "./visit";

/** Whose session it is, where the address or this tab says it; it is taken out of the address, which others see. */
function sessionHere(): Session | Failure | undefined {
  const found = fromShort(location.hash.slice(1)) ?? fromQuery(location.search) ?? kept();
  if (location.search || location.hash) {
    history.replaceState(null, "", location.pathname);
  }
  return found;
}

/** What the page cannot do without. */
function fit(): boolean {
  const needed = [
    "DisplayNames" in Intl,
    "timeout" in AbortSignal,
    "createImageBitmap" in window,
    "showModal" in HTMLDialogElement.prototype,
  ];
  return needed.every(Boolean);
}

async function main(): Promise<void> {
  const session = sessionHere();
  const { texts, language } = await textsIn(choose(navigator.languages, LANGUAGES));
  const view = new View();
  view.speak(texts, language);
  const visit = new Visit(view, texts, language);
  visit.start();
  if (!fit()) {
    visit.open("unsupportedBrowser");
  } else if (session) {
    visit.open(session);
  } else if (embedded()) {
    visit.waitForParent();
    const { session, origin } = await awaitSession();
    visit.open(session, origin);
  } else {
    visit.open("noId");
  }
}

void main();
