// Runs the page: takes events in one after the other, shows the state that each leads to, and has its effects done.

import { find } from "../shared/dom";
import { watch } from "../shared/report";
import type { Stage } from "../shared/stage";
import { apiOf, Effects, isHistoryEntry } from "./effects";
import type { Event } from "./state-machine/events";
import { reduce } from "./state-machine/reduce";
import { type State, screenName } from "./state-machine/state";
import type { Language, Texts } from "./texts";
import { TimeLeft } from "./time-left";
import { View } from "./view";

export class Controller {
  #state: State;
  readonly #view: View;
  readonly #effects: Effects;
  /** Events that came while another was taken in. */
  readonly #waiting: Event[] = [];
  #busy = false;

  constructor(stage: Stage, texts: Texts, language: Language, state: State) {
    this.#state = state;
    const dispatch = (event: Event) => this.dispatch(event);
    const time = new TimeLeft(
      texts,
      (words) => stage.say(words),
      () => dispatch({ is: "expired" }),
    );
    this.#view = new View(stage, texts, language, state, dispatch);
    this.#effects = new Effects(dispatch, this.#view, time, language);
  }

  /** `event` is how the page was opened. */
  start(event: Event): void {
    watch(
      () => screenName(this.#state),
      (fault) => this.#state.key && apiOf(this.#state.key).report(fault),
      () => this.dispatch({ is: "broke" }),
    );
    find("stop").addEventListener("click", () => void this.#view.stop());
    window.addEventListener("online", () => this.dispatch({ is: "resumed" }));
    window.addEventListener("popstate", ({ state }) =>
      this.dispatch({ is: "navigatedBack", entry: isHistoryEntry(state) }),
    );
    this.#view.show(this.#state);
    this.dispatch(event);
  }

  dispatch(event: Event): void {
    this.#waiting.push(event);
    if (this.#busy) {
      return;
    }
    this.#busy = true;
    try {
      for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
        this.#take(next);
      }
    } finally {
      this.#busy = false;
    }
  }

  #take(event: Event): void {
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
