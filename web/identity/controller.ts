// One person's visit: goes through the journey, and does what each step asks for.

import { closeDialog, confirmDialog, getById } from "../shared/dom";
import { isEmbedded, isEmbeddedInOwnPage } from "../shared/embedding";
import { reportErrors } from "../shared/error-report";
import { copyLink, isPhone } from "../shared/handoff";
import { chooseLanguage } from "../shared/language";
import { InterruptedError, RefusedError } from "../shared/network";
import { Api, failureOf, isFinished } from "./api";
import { CameraView } from "./camera-view";
import { checkPhoto, openPicture } from "./document-capture";
import { endMessage, type Failure, redirectUrl } from "./event-codes";
import { drawHandOffCode, FOLLOW_INTERVAL_MS, fetchProgress, handOffLink } from "./handoff";
import { outstandingRequirements } from "./requirements";
import { brokenScreen, MAX_FILE_MB, progressCounts, renderScreen, type ScreenContext, showFileError } from "./screens";
import { notifyParent, type Session, saveSession } from "./session";
import {
  currentRequirement,
  INITIAL_STATE,
  isCancellable,
  type PageEvent,
  reduce,
  type State,
  type Step,
} from "./state-machine";
import { formatWait, interpolate, LANGUAGES, type Language, type Texts, textsIn } from "./texts";
import { UploadQueue } from "./upload-queue";
import type { View } from "./view";

/** Before a session that is not ready is asked for again. */
const NOT_READY_RETRY_MS = 3000;
/** How long thanks are on the screen before it goes back to the business. */
const AUTO_RETURN_MS = 4000;
const TIME_WARNING_MS = 60_000;
/** Browsers' timers go no further: one that should wait longer does not wait at all. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** A wait for the reading of a document that is longer than this is told. */
const NOTICEABLE_WAIT_S = 8;

/** Failures after which nothing can be tried again. */
const ATTEMPTS_USED: ReadonlySet<Failure> = new Set(["attemptsUsed", "livenessAttemptsUsed"]);

/** Whether this is a page of the sandbox, whose address says so. */
function inSandbox(): boolean {
  return /\/sandbox\//.test(location.pathname);
}

export class Controller {
  readonly #view: View;
  #texts: Texts;
  #language: Language;
  #state: State = INITIAL_STATE;
  #session: Session | undefined;
  #origin = "*";
  #api: Api | undefined;
  readonly #uploads = new UploadQueue();
  readonly #camera: CameraView;
  /** Whether a mail of thanks is wanted at the end. */
  #wantsMail = false;
  #instructionsSent = false;
  #deadline = Number.POSITIVE_INFINITY;
  #timers: ReturnType<typeof setTimeout>[] = [];
  /** Those of the deadline, which a screen does not end. */
  #deadlineTimers: ReturnType<typeof setTimeout>[] = [];
  #reloaded = false;
  #broken = false;

  constructor(view: View, texts: Texts, language: Language) {
    this.#view = view;
    this.#texts = texts;
    this.#language = language;
    this.#camera = new CameraView(view, {
      photo: (photo) => void this.#tookPhoto(photo),
      face: (pictures) => {
        this.#uploads.addFace(pictures);
        this.#view.announce(this.#texts.camera.taken);
        this.dispatch({ is: "pictureTaken", by: "camera" });
      },
      failed: (trouble) => this.dispatch({ is: "cameraFailed", trouble }),
      changed: () => this.#enter(),
    });
  }

  start(): void {
    reportErrors(
      () => this.#state.step.on,
      (fault) => this.#api?.report(fault),
      () => this.#showBroken(),
    );
    getById("stop").addEventListener("click", () => void this.#cancel());
    window.addEventListener("online", () => this.dispatch({ is: "resumed" }));
    // A phone takes the camera away from a page that nobody looks at.
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") {
        this.#camera.close();
      } else if (this.#state.step.on === "camera" && !this.#camera.isOpen) {
        this.#enter();
      }
    });
    this.#markSandbox();
    this.#enter();
  }

  /** Says whose session it is; everything begins with it. */
  open(session: Session | Failure, origin = "*"): void {
    this.#origin = origin;
    if (typeof session === "string") {
      this.dispatch({ is: "failed", failure: session });
      return;
    }
    this.#session = session;
    // What is kept belongs to the tab: the next frame in it would open this session in place of the one that it is sent.
    if (origin === "*") {
      saveSession(session);
    }
    const brand = document.querySelector<HTMLMetaElement>("meta[name=brand]")?.content || "Svc";
    this.#api = new Api(session, location.pathname.replace(/\/web\/[^/]*$/, ""), brand.toLowerCase());
    this.#enter();
  }

  waitForParent(): void {
    this.#view.addNote(this.#texts.embedded);
  }

  dispatch(event: PageEvent): void {
    const before = this.#state;
    this.#state = reduce(before, event);
    if (this.#state === before || this.#broken) {
      return;
    }
    if (
      currentRequirement(this.#state)?.id !== currentRequirement(before)?.id ||
      event.is === "documentChosen" ||
      event.is === "letterChosen" ||
      event.is === "otherDocument"
    ) {
      this.#uploads.startResource();
    }
    if (this.#state.step !== before.step || this.#state.side !== before.side) {
      this.#enter();
    }
  }

  /** Shows the step and begins what it asks for. */
  #enter(): void {
    if (this.#broken) {
      return;
    }
    const { step } = this.#state;
    for (const timer of this.#timers.splice(0)) {
      clearTimeout(timer);
    }
    this.#camera.close();
    if (!isCancellable(this.#state)) {
      closeDialog();
    }
    this.#view.progress(this.#state, this.#texts);
    if (step.on !== "camera") {
      this.#view.show(renderScreen(this.#context()), this.#texts, step.on);
    }
    this.#begin(step);
  }

  #begin(step: Step): void {
    switch (step.on) {
      case "loading":
        this.#try(step, () => this.#load());
        break;
      case "agreeing":
        this.#try(step, (api) => api.consent().then(() => ({ is: "consented" })));
        break;
      case "following":
        void drawHandOffCode(this.#context().link);
        this.#follow(step);
        break;
      case "camera":
        void this.#camera.show(this.#context());
        break;
      case "sending":
        this.#try(step, (api) => this.#send(api));
        break;
      case "reading":
        this.#try(step, (api) => this.#read(api));
        break;
      case "finishing":
        this.#try(step, (api) => this.#finish(api));
        break;
      case "done":
      case "over":
        this.#end(step);
        break;
      default:
        break;
    }
  }

  /** Does something for a step; what comes of it counts only while the page is still there. */
  #try(step: Step, act: (api: Api) => Promise<PageEvent | undefined>): void {
    if (!this.#api) {
      return;
    }
    act(this.#api).then(
      (event) => event && this.#state.step === step && this.dispatch(event),
      (error: unknown) => this.#state.step === step && this.#handleError(error),
    );
  }

  #handleError(error: unknown): void {
    if (error instanceof InterruptedError) {
      this.dispatch({ is: "interrupted", why: error.reason });
    } else if (error instanceof RefusedError) {
      this.#handleRefusal(error);
    } else {
      // Not the network and not the server: it is heard of where all mistakes are.
      throw error;
    }
  }

  #handleRefusal(error: RefusedError): void {
    const failure = failureOf(error);
    if (failure) {
      this.dispatch({
        is: "failed",
        failure: failure === "badToken" && Date.now() > this.#deadline ? "expired" : failure,
      });
    } else if (error.code === "SESSION_NOT_READY") {
      this.#view.addNote(this.#texts.waiting);
      this.#later(NOT_READY_RETRY_MS, () => this.#enter());
    } else if (this.#state.step.on === "sending" || this.#state.step.on === "reading") {
      this.#uploads.startResource();
      this.dispatch({ is: "refused", status: error.status });
    } else {
      this.dispatch({ is: "interrupted", why: "serviceDown" });
    }
  }

  async #load(): Promise<PageEvent | undefined> {
    const config = await this.#api?.config();
    if (!config) {
      return undefined;
    }
    this.#deadline = Date.now() + config.secondsLeft * 1000;
    this.#watchTime();
    await this.#setLanguage(config.locale);
    this.#view.colour(config.colours, config.dark);
    return { is: "loaded", config };
  }

  /** The business's language, where the page has it; else the reader's. */
  async #setLanguage(locale: string | undefined): Promise<void> {
    const { texts, language } = await textsIn(
      chooseLanguage([...(locale ? [locale] : []), ...navigator.languages], LANGUAGES),
    );
    [this.#texts, this.#language] = [texts, language];
    this.#view.setLanguage(texts, language);
    this.#markSandbox();
  }

  /** Says that nothing is real in the sandbox; where this page is in a frame of the server's own, the page around says so. */
  #markSandbox(): void {
    this.#view.markSandbox(inSandbox() && !isEmbeddedInOwnPage() ? this.#texts.sandbox : undefined);
  }

  /** Says when a minute is left, and ends the visit with the session; what an earlier configuration began is forgotten. */
  #watchTime(): void {
    for (const timer of this.#deadlineTimers) {
      clearTimeout(timer);
    }
    const left = this.#deadline - Date.now();
    if (left > MAX_TIMER_MS) {
      this.#deadlineTimers = [setTimeout(() => this.#watchTime(), MAX_TIMER_MS)];
      return;
    }
    const warn = () => isCancellable(this.#state) && this.#view.addNote(this.#texts.minuteLeft);
    const end = () => this.#timeOver();
    this.#deadlineTimers = [setTimeout(warn, left - TIME_WARNING_MS), setTimeout(end, left)];
  }

  /** Ends the visit; but whether a phone, or a call without an answer, finished in time is for the server to say. */
  #timeOver(): void {
    const { step } = this.#state;
    if (step.on === "following") {
      this.#try(step, async (api) => {
        const progress = await fetchProgress(api, this.#deadline);
        if (progress === "finished") {
          return { is: "finishedElsewhere" };
        }
        // Where nobody answers now, the page follows on until somebody does.
        return progress && { is: "failed", failure: "expired" };
      });
    } else if (step.on === "interrupted" && step.resume.on === "finishing") {
      // It is asked by finishing again.
      this.dispatch({ is: "resumed" });
    } else if (isCancellable(this.#state)) {
      this.dispatch({ is: "failed", failure: "expired" });
    }
  }

  // --- pictures ---

  async #tookPhoto(photo: Blob): Promise<void> {
    const { step } = this.#state;
    const faults = await checkPhoto(photo);
    // Somebody who has gone on meanwhile, or stopped, wants it no more.
    if (this.#state.step === step) {
      this.#uploads.addPicture(photo, { name: "", pdf: false, faults });
      this.dispatch({ is: "pictureTaken", by: "camera" });
    }
  }

  /** Takes a file in, as far as it is a picture or, for letters, a PDF file. */
  async #choose(file: File): Promise<void> {
    const { file: say } = this.#texts;
    const { step } = this.#state;
    const pdf = file.type === "application/pdf";
    if (file.size > MAX_FILE_MB * 1_000_000) {
      showFileError(say.large);
    } else if (pdf && this.#kind() === "SUPPLEMENTARY_DOCUMENT") {
      this.#uploads.addPicture(file, { name: file.name, pdf, faults: [] });
      this.dispatch({ is: "pictureTaken", by: "file" });
    } else if (pdf || (file.type !== "" && !file.type.startsWith("image/"))) {
      showFileError(say.kind);
    } else {
      const opened = await openPicture(file).catch(() => undefined);
      if (this.#state.step !== step) {
        return;
      }
      if (!opened) {
        showFileError(say.broken);
        return;
      }
      this.#uploads.addPicture(opened.blob, { name: file.name, pdf: false, faults: opened.faults });
      this.dispatch({ is: "pictureTaken", by: "file" });
    }
  }

  async #send(api: Api): Promise<PageEvent> {
    const judged = await this.#uploads.send(api, this.#state, (part) => {
      const bar = document.querySelector<HTMLProgressElement>("#sent");
      if (bar) {
        bar.value = part;
      }
    });
    return judged ? { is: "recommended", ...judged } : { is: "sent" };
  }

  async #read(api: Api): Promise<PageEvent> {
    const { step } = this.#state;
    const recommendation = await api.extractText(
      this.#kind(),
      this.#uploads.resource,
      (seconds) => this.#state.step === step && this.#tellWait(seconds),
    );
    return { is: "recommended", recommendation };
  }

  /** Says how long the document waits; what is no longer than usual needs no words. */
  #tellWait(seconds: number): void {
    const { queue, body } = this.#texts.reading;
    const words =
      seconds > NOTICEABLE_WAIT_S ? interpolate(queue, { time: formatWait(seconds, this.#language) }) : body;
    const shown = document.querySelector("#wait");
    if (shown && shown.textContent !== words) {
      shown.textContent = words;
      this.#view.announce(words);
    }
  }

  #kind(): "ID_DOCUMENT" | "SUPPLEMENTARY_DOCUMENT" {
    return currentRequirement(this.#state)?.kind === "SUPPLEMENTARY_DOCUMENT"
      ? "SUPPLEMENTARY_DOCUMENT"
      : "ID_DOCUMENT";
  }

  /** Has the business asked for a mail with instructions, once. */
  #sendInstructions(): void {
    this.#try(this.#state.step, async (api) => {
      if (this.#instructionsSent) {
        this.#view.announce(this.#texts.welcome.mailed);
        return undefined;
      }
      this.#instructionsSent = true;
      await api.sendMail("instructions").catch((error: unknown) => {
        this.#instructionsSent = false;
        throw error;
      });
      this.#view.addNote(this.#texts.welcome.mailed);
      return undefined;
    });
  }

  // --- the end ---

  async #finish(api: Api): Promise<PageEvent | undefined> {
    if (this.#wantsMail) {
      // What cannot be asked for is no reason to hold somebody up.
      await api.sendMail("thank-you").catch(() => undefined);
      this.#wantsMail = false;
    }
    try {
      await api.finish();
    } catch (error) {
      const lacking = error instanceof RefusedError && error.status === 409 && !failureOf(error);
      if (lacking && !this.#reloaded) {
        // The server misses something that this page believes to be there: what it is stands in the configuration.
        this.#reloaded = true;
        return this.#load();
      }
      // An answer that was lost leaves a session that is finished, which is what was asked for.
      if (!isFinished(error, this.#deadline)) {
        throw error;
      }
    }
    return { is: "finished" };
  }

  /** Asks from time to time how far the other device is. */
  #follow(step: Step): void {
    this.#later(FOLLOW_INTERVAL_MS, () =>
      this.#try(step, async (api) => {
        const config = await fetchProgress(api, this.#deadline);
        if (config === "finished") {
          return { is: "finishedElsewhere" };
        }
        if (config) {
          this.#state = { ...this.#state, config, todo: outstandingRequirements(config) };
          const followed = document.querySelector("#followed");
          const words = interpolate(this.#texts.phone.progress, progressCounts(this.#state));
          if (followed && followed.textContent !== words) {
            followed.textContent = words;
            this.#view.announce(words);
          }
        }
        this.#follow(step);
        return undefined;
      }),
    );
  }

  #end(step: Step & { on: "done" | "over" }): void {
    const message = endMessage(step.on === "over" ? step.failure : undefined);
    saveSession(undefined);
    this.#uploads.clear();
    if (step.on === "over" && ATTEMPTS_USED.has(step.failure)) {
      // Whoever has supplied everything and failed has a result, too. If something is missing, the session runs out.
      this.#api?.finish().catch(() => undefined);
    }
    notifyParent(message, this.#origin);
    const leaveTo = this.#returnUrl();
    const cancelled = step.on === "over" && step.failure === "cancelled";
    const hasten = cancelled || this.#state.config?.suppressedScreens.has("completion") === true;
    if (leaveTo && (step.on === "done" || cancelled)) {
      this.#later(hasten ? 0 : AUTO_RETURN_MS, () => {
        // An application may open and leave this page where it is.
        document.getElementById("leaving")?.remove();
        location.assign(leaveTo);
      });
    }
  }

  /** Where the business wants people at the end. A frame and a phone that helped go nowhere. */
  #returnUrl(): string | undefined {
    const { step, config } = this.#state;
    if (isEmbedded() || this.#session?.handedOff || (step.on !== "done" && step.on !== "over")) {
      return undefined;
    }
    const message = endMessage(step.on === "over" ? step.failure : undefined);
    return redirectUrl(step.on === "done" ? config?.successUrl : config?.errorUrl, message);
  }

  async #cancel(): Promise<void> {
    // What went on meanwhile may be what cannot be stopped any more.
    if ((await confirmDialog()) && isCancellable(this.#state)) {
      const { step } = this.#state;
      this.dispatch({ is: "failed", failure: step.on === "interrupted" ? step.why : "cancelled" });
    }
  }

  #showBroken(): void {
    if (this.#state.step.on !== "done" && this.#state.step.on !== "over") {
      this.#broken = true;
      this.#camera.close();
      closeDialog();
      // From here on the page takes no answer: there is nothing to stop, and loading again goes on.
      getById("stop").hidden = true;
      this.#view.show(
        brokenScreen(this.#texts, () => location.reload()),
        this.#texts,
        "broken",
      );
    }
  }

  #later(wait: number, act: () => void): void {
    this.#timers.push(setTimeout(act, wait));
  }

  #context(): ScreenContext {
    const link = handOffLink(this.#session);
    return {
      state: this.#state,
      texts: this.#texts,
      language: this.#language,
      actions: {
        dispatch: (event) => this.dispatch(event),
        chooseFile: (file) => void this.#choose(file),
        leave: () => location.assign(this.#returnUrl() ?? location.href),
        reload: () => location.reload(),
        copyLink: () => void copyLink(link).then((copied) => copied && this.#view.announce(this.#texts.phone.copied)),
        sendInstructions: () => this.#sendInstructions(),
        setWantsMail: (wanted) => {
          this.#wantsMail = wanted;
        },
      },
      handedOff: this.#session?.handedOff === true,
      canHandOff: this.#state.config?.handOff === true && !isPhone() && this.#session?.handedOff === false,
      link,
      taken: this.#uploads.preview,
      returnUrl: this.#returnUrl(),
      wantsMail: this.#wantsMail,
      embedded: isEmbedded(),
    };
  }
}
