// What every part of the console shares: who is signed in, the words, and where messages go.

import type { Language } from "../shared/language";
import { type Account, RefusedError, type Scope, type Session, UnreachableError } from "./api";
import { button, getById, make } from "./dom";
import { TEXTS, type Texts } from "./texts";

export class SessionContext {
  readonly texts: Texts;
  readonly #dateFormat: Intl.DateTimeFormat;
  readonly #titles = new Map<string, Promise<string | undefined>>();

  constructor(
    readonly language: Language,
    readonly session: Session,
    readonly account: Account,
    /** Called when the session turns out to be over. */
    readonly onSignedOut: () => void,
  ) {
    this.texts = TEXTS[language];
    this.#dateFormat = new Intl.DateTimeFormat([...navigator.languages], { dateStyle: "medium", timeStyle: "short" });
  }

  /** The title of a content, as far as there is one and the reader may see it; each is asked for once. */
  titleOf(content: string): Promise<string | undefined> {
    if (!this.may("contents:view")) {
      return Promise.resolve(undefined);
    }
    const known = this.#titles.get(content) ?? this.account.title(content).catch(() => undefined);
    this.#titles.set(content, known);
    return known;
  }

  may(scope: Scope): boolean {
    return this.session.scopes.includes(scope);
  }

  /** A moment as the reader's clock shows it. */
  timeElement(at: string): HTMLTimeElement {
    return make("time", { datetime: at }, this.#dateFormat.format(new Date(at)));
  }

  formatMoment(at: string): string {
    return this.#dateFormat.format(new Date(at));
  }

  /** Does something, and says what came of it; `undefined` where it failed. */
  async try<T>(act: () => Promise<T>, done?: string): Promise<T | undefined> {
    try {
      const result = await act();
      if (done) {
        announce(done);
      }
      return result;
    } catch (error) {
      if (error instanceof RefusedError && error.status === 401 && !(await this.#isSignedIn())) {
        this.onSignedOut();
      } else {
        announce(errorText(this.texts, error), true);
      }
      return undefined;
    }
  }

  /** Says what came of something that failed; whether the reader had to sign in anew, and sees that instead. */
  async reportFailure(error: unknown): Promise<boolean> {
    await this.try(() => Promise.reject(error));
    return getById("banner").hidden !== false;
  }

  /** A 401 is also how a scope is refused: whether the session is over is asked apart. */
  async #isSignedIn(): Promise<boolean> {
    const answer = await fetch("/console/session", { headers: { "x-assay-console": "1" } }).catch(() => undefined);
    return answer?.status !== 401;
  }
}

/** Fills the page's main part. */
export function showPage(heading: string, ...parts: Node[]): void {
  getById("heading").textContent = heading;
  document.title = `${heading} · Assay`;
  getById("content").replaceChildren(...parts);
}

/** Says something to those who see and to those who hear. */
export function announce(text: string, bad = false): void {
  const spoken = getById("spoken");
  spoken.textContent = text;
  spoken.dataset.bad = String(bad);
}

/** Buttons to the pages before and after, where there are several. */
export function pager(
  { texts }: SessionContext,
  page: number,
  pages: number,
  show: (page: number) => Promise<void>,
): Node[] {
  if (pages <= 1) {
    return [];
  }
  const turn = (to: number) => async () => {
    await show(to);
    announce(texts.page(to, pages));
    getById("heading").focus();
  };
  const newer = button(texts.newer, turn(page - 1), { disabled: page === 1 });
  const older = button(texts.older, turn(page + 1), { disabled: page === pages });
  return [make("div", { class: "pager" }, newer, make("p", {}, texts.page(page, pages)), older)];
}

/** A message with a button that tries again. */
export function errorCard(texts: Texts, error: unknown, retry: () => void): HTMLElement {
  return make("div", { class: "card" }, make("p", {}, errorText(texts, error)), button(texts.retry, retry));
}

export function errorText(texts: Texts, error: unknown): string {
  if (error instanceof UnreachableError) {
    return texts.unreachable;
  }
  return error instanceof RefusedError ? texts.refused(error.message) : String(error);
}
