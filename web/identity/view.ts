// The document around the screens: heading, steps, the live region, the question before stopping.

import { find, make } from "../shared/dom";
import { variables, type Wanted } from "./colours";
import { current, type State, stoppable } from "./journey";
import type { Screen } from "./screens";
import { directionOf, fill, type Language, type Texts } from "./texts";

/** Those who hear the page are told no more often than this, in milliseconds: advice changes faster than it can be said. */
const SPEECH_MS = 2200;

export class View {
  #spokenAt = Number.NEGATIVE_INFINITY;
  #waiting: ReturnType<typeof setTimeout> | undefined;
  #shown = false;

  /** Everything in a language. */
  speak(texts: Texts, language: Language): void {
    document.documentElement.lang = language;
    document.documentElement.dir = directionOf(language);
    document.title = texts.title;
    const stop = find("stop");
    stop.textContent = texts.cancel;
    find("question").textContent = texts.cancelQuestion;
    find("meaning").textContent = texts.cancelMeans;
    find("keep").textContent = texts.cancelKeep;
    find("confirm").textContent = texts.cancelConfirm;
  }

  /** Shows a screen, and takes the reader to its heading. */
  show(screen: Screen, texts: Texts, step: string): void {
    const heading = find("heading");
    heading.textContent = screen.heading;
    document.title = `${screen.heading} – ${texts.title}`;
    find("body").replaceChildren(...screen.body.filter((child) => child !== undefined));
    document.body.dataset.step = step;
    // The first screen is read from its top anyway; whoever waits for it may be elsewhere in a page that embeds this.
    if (this.#shown) {
      heading.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
    this.#shown ||= step !== "loading";
    this.hush();
    if (screen.spoken) {
      this.say(screen.spoken);
    }
  }

  /** Shows how far it is. */
  progress(state: State, texts: Texts): void {
    const [at, of] = [state.total - state.todo.length, state.total];
    const going =
      stoppable(state) && of > 0 && current(state) !== undefined && !["welcome", "following"].includes(state.step.on);
    const words = fill(texts.step, { at: at + 1, of });
    find("step").textContent = going && of > 1 ? words : "";
    const bar = find<HTMLProgressElement>("progress");
    bar.hidden = !going || of < 2;
    bar.value = of > 0 ? at / of : 0;
    bar.setAttribute("aria-label", words);
    find("stop").hidden = !stoppable(state);
  }

  /** Tells those who hear the page; what comes too fast is told late, and only the last of it. */
  say(words: string): void {
    clearTimeout(this.#waiting);
    const wait = this.#spokenAt + SPEECH_MS - performance.now();
    const speak = () => {
      const spoken = find("spoken");
      if (spoken.textContent !== words) {
        spoken.textContent = words;
        this.#spokenAt = performance.now();
      }
    };
    if (wait <= 0) {
      speak();
    } else {
      this.#waiting = setTimeout(speak, wait);
    }
  }

  /** Forgets what was waiting to be told: the next screen speaks for itself. */
  hush(): void {
    clearTimeout(this.#waiting);
    find("spoken").textContent = "";
    this.#spokenAt = Number.NEGATIVE_INFINITY;
  }

  /** Puts on the business's colours, as far as they can be read, whenever the reader's scheme changes too. */
  colour(wanted: Wanted): void {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const paint = () => {
      const style = getComputedStyle(document.documentElement);
      const ground = (name: string) => style.getPropertyValue(name).trim();
      for (const [name, value] of Object.entries(variables(wanted, ground("--page"), ground("--card")))) {
        document.documentElement.style.setProperty(name, value);
      }
    };
    paint();
    dark.addEventListener("change", paint);
  }

  /** Puts more on a screen. */
  note(words: string): void {
    find("body").append(make("p", { class: "soft" }, words));
    this.say(words);
  }
}
