// Shows the state of the page: which screen, and on it the view of a step, which lives on while it stays the same.

import { answered, button, find, make } from "../shared/dom";
import { copied, showCode } from "../shared/handoff";
import type { Screen as Shown, Stage } from "../shared/stage";
import { errandAddress, keysAddress, linkOf } from "./address";
import { apiOf } from "./effects";
import * as screens from "./screens";
import { type Session, usable } from "./session";
import type { Event } from "./state-machine/events";
import {
  cancelTo,
  issues,
  leaveOf,
  leaveTo,
  mayHandOff,
  type Screen,
  type State,
  stoppable,
} from "./state-machine/state";
import { forgettingOf, renderStep } from "./steps/programs";
import type { StepContext, StepView } from "./steps/step";
import { fill, type Language, type Texts } from "./texts";

/** The view of a step, and what ends with it. */
interface Mounted {
  number: number;
  view: StepView;
  leavings: (() => void)[];
}

export class View {
  readonly #stage: Stage;
  readonly #texts: Texts;
  readonly #language: Language;
  readonly #dispatch: (event: Event) => void;
  #state: State;
  #mounted: Mounted | undefined;
  /** Timers of the screen that is shown. */
  #timers: ReturnType<typeof setTimeout>[] = [];

  constructor(stage: Stage, texts: Texts, language: Language, state: State, dispatch: (event: Event) => void) {
    this.#stage = stage;
    this.#texts = texts;
    this.#language = language;
    this.#state = state;
    this.#dispatch = dispatch;
  }

  /** Shows another screen. */
  show(state: State): void {
    this.#state = state;
    for (const timer of this.#timers.splice(0)) {
      clearTimeout(timer);
    }
    if (this.#mounted && this.#mounted.number !== state.view?.number) {
      this.#unmount(this.#mounted);
    }
    find("stop").hidden = !stoppable(state.screen);
    this.#stage.mark(state.session?.sandbox ? this.#texts.sandbox : undefined);
    this.#enter(state.screen);
  }

  /** The screen is the same; something that it tells may have changed. */
  update(state: State): void {
    const { heard } = this.#state.issuer;
    this.#state = state;
    const { screen, session } = state;
    if (session && (screen.on === "following" || screen.on === "processing")) {
      this.#tellProgress(session);
    }
    if (state.issuer.heard && !heard) {
      this.#tellHeard();
    }
  }

  /** Asks whether the session is to be stopped. */
  async stop(): Promise<void> {
    const { cancelMeans, issue } = this.#texts;
    find("meaning").textContent = issues(this.#state) ? issue.cancelMeans : cancelMeans;
    if (await answered()) {
      this.#dispatch({ is: "stopped" });
    }
  }

  /** Goes back to the business, not without saying so, and not where somebody stays. */
  announceReturn(url: string, seconds: number): void {
    const told = document.getElementById("leaving");
    if (!told) {
      return;
    }
    const { done: say } = this.#texts;
    told.hidden = false;
    const stay = () => {
      this.#dispatch({ is: "stayed" });
      find("heading").focus();
    };
    told.after(button(say.stay, stay, { id: "stay", class: "quiet" }));
    const count = (left: number) => {
      told.textContent = fill(say.leaving, { seconds: left });
      if (left <= 0) {
        location.assign(url);
      } else {
        this.#later(1000, () => count(left - 1));
      }
    };
    count(seconds);
    this.#stage.say(fill(say.leaving, { seconds }));
  }

  /** Nobody is led away any more. */
  stay(): void {
    for (const timer of this.#timers.splice(0)) {
      clearTimeout(timer);
    }
    document.getElementById("leaving")?.remove();
    document.getElementById("stay")?.remove();
  }

  #enter(screen: Screen): void {
    const shown = this.#screenOf(screen);
    if (shown) {
      this.#show(shown);
    }
    switch (screen.on) {
      case "step":
        this.#enterStep(screen);
        break;
      case "following":
        void this.#drawCode();
        break;
      case "done":
        void this.#offer();
        break;
      case "keys":
        forgettingOf()?.begin({
          base: screen.base,
          texts: this.#texts,
          show: (shown) => this.#show(shown),
          say: (words) => this.#stage.say(words),
        });
        break;
      default:
        break;
    }
    if (screen.on === "start" && screen.again) {
      this.#stage.note(this.#texts.problems.TRY_AGAIN);
    }
  }

  /** What is to be seen of a screen, but for steps, which show themselves. */
  #screenOf(screen: Screen): Shown | undefined {
    const texts = this.#texts;
    switch (screen.on) {
      case "loading":
      case "begin":
      case "retrying":
        return screens.loading(texts);
      case "interrupted":
        return screens.interrupted(texts, screen.why, () => this.#dispatch({ is: "resumed" }));
      case "unable":
        return screens.unable(texts, this.#state.session && (() => this.#dispatch({ is: "wentBack" })));
      case "departure":
        return screens.departure(texts, screen.url.host, () => this.#dispatch({ is: "wentOn" }));
      case "issue":
        return screens.issue(texts, screen.order.threshold, () => this.#dispatch({ is: "wentOn" }));
      case "signing":
        return screens.signing(texts);
      case "issued":
        return screens.issued(texts);
      case "notIssued":
        return screens.notIssued(texts, screen.stranger, this.#state.issuer.back);
      case "lost":
        return screens.lost(texts, screen.what);
      case "broken":
        return screens.broken(texts);
      case "over":
        return this.#over(screen);
      default:
        return this.#state.session && this.#sessionScreen(screen, this.#state.session);
    }
  }

  #sessionScreen(screen: Screen, session: Session): Shown | undefined {
    const shown = this.#shown(session);
    switch (screen.on) {
      case "start":
        return screens.start(shown);
      case "none":
        return screens.none(shown);
      case "consent":
        return screens.consent(shown, screen.method);
      case "following":
        return screens.following(shown, this.#link(), () => void this.#copyLink());
      case "processing":
        return screens.processing(shown);
      case "done":
        return screens.done(shown, screen.elsewhere, make("div", { id: "offers" }));
      case "failed":
        return screens.failed(shown);
      default:
        return undefined;
    }
  }

  #over({ why, issuing }: Extract<Screen, { on: "over" }>): Shown {
    const { environment, issuer } = this.#state;
    const href = why === "cancelled" ? cancelTo(this.#state) : leaveTo(this.#state);
    return screens.over(this.#texts, why, { href, awaited: issuer.tells, issuing, embedded: environment.embedded });
  }

  #show(screen: Shown): void {
    this.#stage.show(screen, this.#texts, this.#state.screen.on);
  }

  #later(ms: number, act: () => void): void {
    this.#timers.push(setTimeout(act, ms));
  }

  // --- steps ---

  #enterStep({ attempt: { step, problem }, view: number }: Extract<Screen, { on: "step" }>): void {
    if (this.#mounted?.number === number) {
      this.#mounted.view.again?.(step, problem);
      return;
    }
    const mounted: Mounted = { number, view: {}, leavings: [] };
    this.#mounted = mounted;
    const context = this.#context(mounted);
    mounted.view = (context && renderStep(context, step, problem)) ?? {};
  }

  #unmount({ leavings }: Mounted): void {
    this.#mounted = undefined;
    for (const act of leavings) {
      act();
    }
  }

  #context(mounted: Mounted): StepContext | undefined {
    const { key, session, method, environment } = this.#state;
    if (!key || !session) {
      return undefined;
    }
    const { number: view, leavings } = mounted;
    const here = () => this.#mounted === mounted;
    const dispatch = (event: Event) => {
      if (here()) {
        this.#dispatch(event);
      }
    };
    const follow = mayHandOff(this.#state, method ? [method] : []) ? () => dispatch({ is: "handedOff" }) : undefined;
    return {
      texts: this.#texts,
      session,
      method: method?.method,
      sdkId: key.sdkId,
      base: location.origin + key.base,
      tab: this.#link(),
      embedded: environment.embedded,
      show: (screen) => here() && this.#show(screen),
      say: (words) => here() && this.#stage.say(words),
      answer: (input, progress) => dispatch({ is: "submitted", view, input, progress }),
      poll: (ms) => dispatch({ is: "pollWanted", view, ms }),
      watch: (ms) => dispatch({ is: "watchWanted", view, ms }),
      later: (ms, act) => here() && this.#later(ms, act),
      leaving: (act) => leavings.push(act),
      other: () => dispatch({ is: "wentBack" }),
      follow,
      depart: (url) => dispatch({ is: "departed", view, url }),
      awaitReturn: () => dispatch({ is: "walletOpened", view }),
      errand: (url) => {
        const leave = leaveOf(this.#state);
        return leave ? errandAddress({ ...leave, url }) : "";
      },
    };
  }

  // --- what a screen tells beside its words ---

  #link(): string {
    return this.#state.key ? linkOf(this.#state.key, location.origin) : "";
  }

  async #copyLink(): Promise<void> {
    if (await copied(this.#link())) {
      this.#stage.say(this.#texts.phone.copied);
    }
  }

  /** Most people need no code, so what draws it is fetched for those who do. */
  async #drawCode(): Promise<void> {
    const { screen } = this.#state;
    // The link is there as well.
    const qr = await import("../shared/qr").catch(() => undefined);
    if (qr && this.#state.screen === screen) {
      showCode(qr.drawQr(this.#link(), "byte"));
    }
  }

  #tellProgress(session: Session): void {
    const followed = document.querySelector("#followed");
    const said = screens.followed(session, this.#texts);
    if (followed && followed.textContent !== said) {
      followed.textContent = said;
      this.#stage.say(said);
    }
  }

  /** The other tab has heard, so this one may be closed. */
  #tellHeard(): void {
    const close = document.getElementById("heard");
    if (close) {
      close.hidden = false;
      this.#stage.say(this.#texts.issue.close);
    }
  }

  /** What is offered at the end. Where it cannot be fetched, the session has ended all the same. */
  async #offer(): Promise<void> {
    const { key, session, screen } = this.#state;
    if (!key || !session || !(session.offers.key || session.offers.proof)) {
      return;
    }
    const endings = await import("./endings").catch(() => undefined);
    if (endings && this.#state.screen === screen) {
      const say = (words: string) => this.#stage.say(words);
      const stay = () => this.#dispatch({ is: "stayed" });
      const offers = endings.offersOf(session.offers, { api: apiOf(key), texts: this.#texts, say, stay });
      document.getElementById("offers")?.append(...offers);
    }
  }

  #shown(session: Session): screens.Shown {
    const { key, issuer, environment } = this.#state;
    return {
      session,
      texts: this.#texts,
      language: this.#language,
      acts: {
        choose: (method) => this.#dispatch({ is: "chose", method }),
        consent: (given) => this.#dispatch({ is: "consented", given }),
        other: () => this.#dispatch({ is: "wentBack" }),
        follow: () => this.#dispatch({ is: "handedOff" }),
        stop: () => void this.stop(),
      },
      handedOff: key?.handedOff === true,
      mayHandOff: mayHandOff(this.#state, usable(session)),
      leaveTo: leaveTo(this.#state),
      awaited: issuer.tells,
      keysAt: key && keysAddress(key),
      embedded: environment.embedded,
    };
  }
}
