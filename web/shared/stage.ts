// The document around the screens of a page that leads through something: heading, live region, the question before stopping.

import { directionOf, type Language } from "./catalogue";
import { type Child, find, make } from "./dom";

/** One screen: its heading, and what stands below. */
export interface Screen {
  heading: string;
  body: Child[];
  /** What is told to those who hear the page, beside the heading. */
  spoken?: string;
}

/** What the document says whatever is on the screen. */
export interface Surroundings {
  title: string;
  cancel: string;
  cancelQuestion: string;
  cancelMeans: string;
  cancelKeep: string;
  cancelConfirm: string;
}

/** Those who hear the page are told no more often than this, in milliseconds: advice changes faster than it can be said. */
const SPEECH_MS = 2200;

export class Stage {
  #spokenAt = Number.NEGATIVE_INFINITY;
  #waiting: ReturnType<typeof setTimeout> | undefined;
  #shown = false;

  /** Everything in a language. */
  speak(texts: Surroundings, language: Language): void {
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

  /** Says on every screen that nothing of this is real; `undefined` where it is. */
  mark(test: string | undefined): void {
    const place = find("sandbox");
    place.hidden = test === undefined;
    place.textContent = test ?? "";
  }

  /** Shows a screen, and takes the reader to its heading. */
  show(screen: Screen, texts: Surroundings, step: string): void {
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

  /** Puts more on a screen. */
  note(words: string): void {
    find("body").append(make("p", { class: "soft" }, words));
    this.say(words);
  }
}
