// Runs the page: reduces events one by one, renders each new state and runs its effects.

import { getById } from "../shared/dom";
import { reportErrors } from "../shared/error-report";
import type { PageLayout } from "../shared/page-layout";
import { createApi, EffectRunner, isHistoryEntry } from "./effects";
import type { PageEvent } from "./state-machine/events";
import { reduce } from "./state-machine/reduce";
import { type State, screenName } from "./state-machine/state";
import type { Language, Texts } from "./texts";
import { TimeLeft } from "./time-left";
import { View } from "./view";

export class Controller {
  #state: State;
  readonly #view: View;
  readonly #effects: EffectRunner;
  /** Events that were dispatched while another was being handled. */
  readonly #queue: PageEvent[] = [];
  #dispatching = false;

  constructor(stage: PageLayout, texts: Texts, language: Language, state: State) {
    this.#state = state;
    const dispatch = (event: PageEvent) => this.dispatch(event);
    const time = new TimeLeft(
      texts,
      (words) => stage.announce(words),
      () => dispatch({ is: "expired" }),
    );
    this.#view = new View(stage, texts, language, state, dispatch);
    this.#effects = new EffectRunner(dispatch, this.#view, time, language);
  }

  /** `event` says how the page was opened. */
  start(event: PageEvent): void {
    reportErrors(
      () => screenName(this.#state),
      (fault) => this.#state.key && createApi(this.#state.key).report(fault),
      () => this.dispatch({ is: "crashed" }),
    );
    getById("stop").addEventListener("click", () => void this.#view.stop());
    window.addEventListener("online", () => this.dispatch({ is: "resumed" }));
    window.addEventListener("popstate", ({ state }) =>
      this.dispatch({ is: "navigatedBack", entry: isHistoryEntry(state) }),
    );
    this.#view.show(this.#state);
    this.dispatch(event);
  }

  dispatch(event: PageEvent): void {
    this.#queue.push(event);
    if (this.#dispatching) {
      return;
    }
    this.#dispatching = true;
    try {
      for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
        this.#handle(next);
      }
    } finally {
      this.#dispatching = false;
    }
  }

  #handle(event: PageEvent): void {
    const before = this.#state;
    const { state, effects } = reduce(before, event);
    this.#state = state;
    if (state.screen !== before.screen) {
      this.#view.show(state);
    } else if (state !== before) {
      this.#view.update(state);
    }
    for (const effect of effects) {
      this.#effects.run(effect, state.key);
    }
  }
}
