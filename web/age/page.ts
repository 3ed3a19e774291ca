// The page of age sessions: leads through the choice of a method and its steps, and follows the session wherever it goes on.

import { embedded } from "../shared/frame";
import { isPhone } from "../shared/handoff";
import { choose } from "../shared/language";
import { Stage } from "../shared/stage";
import { placeOf } from "./address";
import { arrival } from "./arrival";
import { Controller } from "./controller";
import { isHistoryEntry } from "./effects";
import { begin } from "./state-machine/state";
import { LANGUAGES, textsIn } from "./texts";

/** What the page cannot do without. */
function fit(): boolean {
  return "timeout" in AbortSignal && "showModal" in HTMLDialogElement.prototype;
}

async function main(): Promise<void> {
  const issuerPage = placeOf(location.pathname).method === "issue";
  const historyEntry = isHistoryEntry(history.state);
  const { event, locale } = arrival();
  const wanted = choose([...(locale ? [locale] : []), ...navigator.languages], LANGUAGES);
  const { texts, language } = await textsIn(wanted);
  const stage = new Stage();
  stage.speak(texts, language);
  const state = begin({ embedded: embedded(), phone: isPhone(), issuerPage }, historyEntry);
  const controller = new Controller(stage, texts, language, state);
  controller.start(fit() ? event : { is: "couldNotOpen", why: "unsupported" });
}

void main();
