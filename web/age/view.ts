// Renders the page's state: the screen and, on it, the view of the current step, which is kept while the step is updated.

import { button, closeDialog, confirmDialog, getById, make } from "../shared/dom";
import { copyLink, showQrCode } from "../shared/handoff";
import { importAgain } from "../shared/import-again";
import type { PageLayout, Screen as Shown } from "../shared/page-layout";
import { createApi } from "./effects";
import * as screens from "./screens";
import { availableMethods, type Session } from "./session";
import { forgetPath, handOffLink, redirectTabPath } from "./session-url";
import type { PageEvent } from "./state-machine/events";
import {
  cancelUrl,
  canGiveConsent,
  canHandOff,
  canTakeBackConsent,
  isCancellable,
  isIssuerTab,
  returnStateOf,
  returnUrl,
  type ScreenState,
  type State,
} from "./state-machine/state";
import { loadedForgetScreen, renderStep } from "./steps/loader";
import type { StepContext, StepView } from "./steps/step";
import { interpolate, type Language, type Texts } from "./texts";

/** The words of the document's question. */
interface Question {
  question: string;
  meaning: string;
  keep: string;
  confirm: string;
}

/** The view of the current step, and what to call when it is left. */
interface MountedStep {
  number: number;
  view: StepView;
  onLeave: (() => void)[];
}

export class View {
  readonly #stage: PageLayout;
  readonly #texts: Texts;
  readonly #language: Language;
  readonly #dispatch: (event: PageEvent) => void;
  #state: State;
  #mounted: MountedStep | undefined;
  /** Timers of the current screen. */
  #timers: ReturnType<typeof setTimeout>[] = [];

  constructor(stage: PageLayout, texts: Texts, language: Language, state: State, dispatch: (event: PageEvent) => void) {
    this.#stage = stage;
    this.#texts = texts;
    this.#language = language;
    this.#state = state;
    this.#dispatch = dispatch;
  }

  /** Shows another screen. */
  show(state: State): void {
    const { screen: before } = this.#state;
    this.#state = state;
    for (const timer of this.#timers.splice(0)) {
      clearTimeout(timer);
    }
    if (this.#mounted && this.#mounted.number !== state.view?.number) {
      this.#unmount(this.#mounted);
    }
    const cancellable = isCancellable(state);
    getById("stop").hidden = !cancellable;
    // What is asked about a check goes with it.
    if (!cancellable || before.on === "processing") {
      closeDialog();
    }
    this.#stage.markSandbox(state.session?.sandbox ? this.#texts.sandbox : undefined);
    this.#enter(state.screen);
  }

  /** Updates the current screen with a changed state. */
  update(state: State): void {
    const { acknowledged: heard } = this.#state.issuer;
    this.#state = state;
    const { screen, session } = state;
    if (session && (screen.on === "following" || screen.on === "processing")) {
      this.#updateProgress(session);
    }
    if (state.issuer.acknowledged && !heard) {
      this.#showAcknowledged();
    }
  }

  /** Asks for confirmation, then cancels the session. */
  async stop(): Promise<void> {
    const { cancelQuestion, cancelMeans, cancelKeep, cancelConfirm, issue } = this.#texts;
    const stops = await this.#confirm({
      question: cancelQuestion,
      meaning: isIssuerTab(this.#state) ? issue.cancelMeans : cancelMeans,
      keep: cancelKeep,
      confirm: cancelConfirm,
    });
    if (stops) {
      this.#dispatch({ is: "stopped" });
    }
  }

  /** Asks for confirmation, then takes back the consent to face processing. Nobody is led away meanwhile. */
  async takeBackConsent(): Promise<void> {
    const { takeBackQuestion, takeBackMeans, takeBackKeep, takeBackConfirm } = this.#texts.consent;
    this.#dispatch({ is: "autoReturnDeclined" });
    const takesBack = await this.#confirm({
      question: takeBackQuestion,
      meaning: takeBackMeans,
      keep: takeBackKeep,
      confirm: takeBackConfirm,
    });
    if (takesBack) {
      this.#dispatch({ is: "consented", given: false });
    }
  }

  #confirm({ question, meaning, keep, confirm }: Question): Promise<boolean> {
    for (const [id, words] of Object.entries({ question, meaning, keep, confirm })) {
      getById(id).textContent = words;
    }
    return confirmDialog();
  }

  /** Counts down to the return to the business; a button cancels it. */
  announceReturn(url: string, seconds: number): void {
    const told = document.getElementById("leaving");
    if (!told) {
      return;
    }
    const { done: say } = this.#texts;
    told.hidden = false;
    const stay = () => {
      this.#dispatch({ is: "autoReturnDeclined" });
      getById("heading").focus();
    };
    told.after(button(say.stay, stay, { id: "stay", class: "quiet" }));
    const count = (left: number) => {
      if (left <= 0) {
        // An application may open and leave this page where it is.
        if (document.activeElement?.id === "stay") {
          getById("heading").focus();
        }
        this.stay();
        location.assign(url);
        return;
      }
      told.textContent = interpolate(say.leaving, { seconds: left });
      this.#later(1000, () => count(left - 1));
    };
    count(seconds);
    this.#stage.announce(interpolate(say.leaving, { seconds }));
  }

  /** Ends the countdown to the return to the business. */
  stay(): void {
    for (const timer of this.#timers.splice(0)) {
      clearTimeout(timer);
    }
    document.getElementById("leaving")?.remove();
    document.getElementById("stay")?.remove();
  }

  #enter(screen: ScreenState): void {
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
        void this.#showOffers();
        break;
      case "keys":
        loadedForgetScreen()?.showForgetScreen({
          base: screen.base,
          texts: this.#texts,
          show: (shown) => this.#show(shown),
          say: (words) => this.#stage.announce(words),
        });
        break;
      default:
        break;
    }
    if (screen.on === "start" && screen.again) {
      this.#stage.addNote(this.#texts.problems.TRY_AGAIN);
    }
  }

  /** The contents of a screen. Steps render themselves, so they have none here. */
  #screenOf(screen: ScreenState): Shown | undefined {
    const texts = this.#texts;
    switch (screen.on) {
      case "loading":
      case "begin":
      case "retrying":
        return screens.loading(texts);
      case "interrupted":
        return screens.interrupted(texts, screen.why, () => this.#dispatch({ is: "resumed" }));
      case "unable":
        return screens.unable(texts, this.#state.session && (() => this.#dispatch({ is: "backToChoice" })));
      case "departure":
        return screens.departure(texts, screen.url.host, () => this.#dispatch({ is: "continued" }));
      case "issue":
        return screens.issue(texts, screen.order.threshold, () => this.#dispatch({ is: "continued" }));
      case "signing":
        return screens.signing(texts);
      case "issued":
        return screens.issued(texts);
      case "notIssued":
        return screens.notIssued(texts, screen.stranger, this.#state.issuer.returnUrl);
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

  #sessionScreen(screen: ScreenState, session: Session): Shown | undefined {
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

  #over({ why, issuing }: Extract<ScreenState, { on: "over" }>): Shown {
    const { environment, issuer, session } = this.#state;
    const href = why === "cancelled" ? cancelUrl(this.#state) : returnUrl(this.#state);
    return screens.over(this.#texts, why, {
      href,
      tabWaits: issuer.notifiesTab,
      issuing,
      embedded: environment.embedded,
      blocked: why === "blocked" && session ? this.#shown(session) : undefined,
    });
  }

  #show(screen: Shown): void {
    this.#stage.show(screen, this.#texts, this.#state.screen.on);
  }

  #later(ms: number, act: () => void): void {
    this.#timers.push(setTimeout(act, ms));
  }

  // --- steps ---

  #enterStep({ attempt: { step, problem }, view: number }: Extract<ScreenState, { on: "step" }>): void {
    if (this.#mounted?.number === number) {
      this.#mounted.view.update?.(step, problem);
      return;
    }
    const mounted: MountedStep = { number, view: {}, onLeave: [] };
    this.#mounted = mounted;
    const context = this.#context(mounted);
    mounted.view = (context && renderStep(context, step, problem)) ?? {};
  }

  #unmount({ onLeave: leavings }: MountedStep): void {
    this.#mounted = undefined;
    for (const act of leavings) {
      act();
    }
  }

  #context(mounted: MountedStep): StepContext | undefined {
    const { key, session, method, environment } = this.#state;
    if (!key || !session) {
      return undefined;
    }
    const { number: view, onLeave: leavings } = mounted;
    const here = () => this.#mounted === mounted;
    const dispatch = (event: PageEvent) => {
      if (here()) {
        this.#dispatch(event);
      }
    };
    const follow = canHandOff(this.#state, method ? [method] : [])
      ? () => dispatch({ is: "handOffChosen" })
      : undefined;
    return {
      texts: this.#texts,
      session,
      method: method?.method,
      sdkId: key.sdkId,
      base: location.origin + key.base,
      sessionUrl: this.#link(),
      embedded: environment.embedded,
      show: (screen) => here() && this.#show(screen),
      say: (words) => here() && this.#stage.announce(words),
      answer: (input, progress) => dispatch({ is: "submitted", view, input, progress }),
      poll: (ms) => dispatch({ is: "pollRequested", view, ms }),
      watch: (ms) => dispatch({ is: "watchRequested", view, ms }),
      later: (ms, act) => here() && this.#later(ms, act),
      onLeave: (act) => leavings.push(act),
      backToChoice: () => dispatch({ is: "backToChoice" }),
      handOff: follow,
      goToProvider: (url) => dispatch({ is: "providerChosen", view, url }),
      expectWalletReturn: () => dispatch({ is: "walletOpened", view }),
      redirectTabPath: (url) => {
        const returnState = returnStateOf(this.#state);
        return returnState ? redirectTabPath({ ...returnState, url }) : "";
      },
    };
  }

  // --- QR code, progress and offers ---

  #link(): string {
    return this.#state.key ? handOffLink(this.#state.key, location.origin) : "";
  }

  async #copyLink(): Promise<void> {
    if (await copyLink(this.#link())) {
      this.#stage.announce(this.#texts.phone.copied);
    }
  }

  /** The QR code library is loaded only here: most people need no code. */
  async #drawCode(): Promise<void> {
    const { screen } = this.#state;
    // Without the library the link is still shown.
    const qr = await importAgain(() => import("../shared/qr")).catch(() => undefined);
    if (qr && this.#state.screen === screen) {
      showQrCode(qr.drawQr(this.#link(), "byte"));
    }
  }

  #updateProgress(session: Session): void {
    const followed = document.querySelector("#followed");
    const said = screens.phoneProgress(session, this.#texts);
    if (followed && followed.textContent !== said) {
      followed.textContent = said;
      this.#stage.announce(said);
    }
  }

  /** The other tab has acknowledged the answer, so this one may be closed. */
  #showAcknowledged(): void {
    const close = document.getElementById("heard");
    if (close) {
      close.hidden = false;
      this.#stage.announce(this.#texts.issue.close);
    }
  }

  /** Shows the offers after a passed check. If they cannot be loaded, the end is shown without them. */
  async #showOffers(): Promise<void> {
    const { key, session, screen } = this.#state;
    if (!key || !session || !(session.offers.key || session.offers.proof)) {
      return;
    }
    const endings = await importAgain(() => import("./completion-offers")).catch(() => undefined);
    if (endings && this.#state.screen === screen) {
      const say = (words: string) => this.#stage.announce(words);
      const stay = () => this.#dispatch({ is: "autoReturnDeclined" });
      const { base } = key;
      const offering = { api: createApi(key), base, texts: this.#texts, say, stay };
      const offers = endings.completionOffers(session.offers, offering);
      document.getElementById("offers")?.append(...offers);
    }
  }

  #shown(session: Session): screens.ScreenContext {
    const { key, issuer, environment } = this.#state;
    return {
      session,
      texts: this.#texts,
      language: this.#language,
      actions: {
        choose: (method) => this.#dispatch({ is: "methodChosen", method }),
        consent: (given) => this.#dispatch({ is: "consented", given }),
        takeBackConsent: () => void this.takeBackConsent(),
        backToChoice: () => this.#dispatch({ is: "backToChoice" }),
        handOff: () => this.#dispatch({ is: "handOffChosen" }),
        cancel: () => void this.stop(),
      },
      handedOff: key?.handedOff === true,
      canHandOff: canHandOff(this.#state, availableMethods(session)),
      canGiveConsent: canGiveConsent(this.#state),
      canTakeBackConsent: canTakeBackConsent(this.#state),
      returnUrl: returnUrl(this.#state),
      tabWaits: issuer.notifiesTab,
      forgetPath: key && forgetPath(key),
      embedded: environment.embedded,
    };
  }
}
