// Entry point of the age verification page.

import { isEmbedded } from "../shared/embedding";
import { isPhone } from "../shared/handoff";
import { chooseLanguage } from "../shared/language";
import { PageLayout } from "../shared/page-layout";
import { Controller } from "./controller";
import { isHistoryEntry } from "./effects";
import { readInitialEvent } from "./initial-event";
import { isResultKeptHere } from "./kept-here";
import { parsePagePath } from "./session-url";
import { initialState } from "./state-machine/state";
import { LANGUAGES, textsIn } from "./texts";

/** Whether the browser has what the page needs. */
function isSupported(): boolean {
  return "timeout" in AbortSignal && "showModal" in HTMLDialogElement.prototype;
}

async function main(): Promise<void> {
  const { base, method } = parsePagePath(location.pathname);
  const historyEntry = isHistoryEntry(history.state);
  const { event, locale } = readInitialEvent();
  const wanted = chooseLanguage([...(locale ? [locale] : []), ...navigator.languages], LANGUAGES);
  const { texts, language } = await textsIn(wanted);
  const stage = new PageLayout();
  stage.setLanguage(texts, language);
  const state = initialState(
    { embedded: isEmbedded(), phone: isPhone(), issuerPage: method === "issue", keptHere: isResultKeptHere(base) },
    historyEntry,
  );
  const controller = new Controller(stage, texts, language, state);
  controller.start(isSupported() ? event : { is: "couldNotOpen", why: "unsupported" });
}

void main();
