// The document around the screens of a page that leads through something: heading, live region, the question before stopping.

import { type Language, textDirection } from "./catalogue";
import { type Child, getById, make } from "./dom";

/** One screen: its heading, and what stands below. */
export interface Screen {
  heading: string;
  body: Child[];
  /** What is told to those who hear the page, beside the heading. */
  spoken?: string;
}

/** What the document says whatever is on the screen. */
export interface LayoutTexts {
  title: string;
  cancel: string;
  cancelQuestion: string;
  cancelMeans: string;
  cancelKeep: string;
  cancelConfirm: string;
}

/** Those who hear the page are told no more often than this, in milliseconds: advice changes faster than it can be said. */
const MIN_ANNOUNCEMENT_MS = 2200;

export class PageLayout {
  #spokenAt = Number.NEGATIVE_INFINITY;
  #waiting: ReturnType<typeof setTimeout> | undefined;
  #shown = false;

  /** Everything in a language. */
  setLanguage(texts: LayoutTexts, language: Language): void {
    document.documentElement.lang = language;
    document.documentElement.dir = textDirection(language);
    document.title = texts.title;
    const stop = getById("stop");
    stop.textContent = texts.cancel;
    getById("question").textContent = texts.cancelQuestion;
    getById("meaning").textContent = texts.cancelMeans;
    getById("keep").textContent = texts.cancelKeep;
    getById("confirm").textContent = texts.cancelConfirm;
  }

  /** Says on every screen that nothing of this is real; `undefined` where it is. */
  markSandbox(test: string | undefined): void {
    const place = getById("sandbox");
    place.hidden = test === undefined;
    place.textContent = test ?? "";
  }

  /** Shows a screen, and takes the reader to its heading. */
  show(screen: Screen, texts: LayoutTexts, step: string): void {
    const heading = getById("heading");
    heading.textContent = screen.heading;
    document.title = `${screen.heading} – ${texts.title}`;
    getById("body").replaceChildren(...screen.body.filter((child) => child !== undefined));
    document.body.dataset.step = step;
    // The first screen is read from its top anyway; whoever waits for it may be elsewhere in a page that embeds this.
    if (this.#shown) {
      heading.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
    this.#shown ||= step !== "loading";
    this.clearAnnouncements();
    if (screen.spoken) {
      this.announce(screen.spoken);
    }
  }

  /** Tells those who hear the page; what comes too fast is told late, and only the last of it. */
  announce(words: string): void {
    clearTimeout(this.#waiting);
    const wait = this.#spokenAt + MIN_ANNOUNCEMENT_MS - performance.now();
    const speak = () => {
      const spoken = getById("spoken");
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
  clearAnnouncements(): void {
    clearTimeout(this.#waiting);
    getById("spoken").textContent = "";
    this.#spokenAt = Number.NEGATIVE_INFINITY;
  }

  /** Puts more on a screen. */
  addNote(words: string): void {
    getById("body").append(make("p", { class: "soft" }, words));
    this.announce(words);
  }
}
