// One person's visit: goes through the journey, and does what each step asks for.

import { answered, find } from "../shared/dom";
import { embedded, withinOwnPage } from "../shared/frame";
import { copied, isPhone } from "../shared/handoff";
import { choose } from "../shared/language";
import { Interrupted, Refused } from "../shared/network";
import { watch } from "../shared/report";
import { Api, failureOf } from "./api";
import { faultsOfPhoto, openPicture } from "./capture";
import { ending, type Failure, redirection } from "./codes";
import { keep, type Session, tell } from "./frame";
import { drawCode, FOLLOW_MS, linkTo, lookAfter } from "./handoff";
import { current, type Event, next, START, type State, type Step, stoppable } from "./journey";
import { Parcel } from "./parcel";
import { outstanding } from "./plan";
import { broken, complain, counted, MOST_MB, type Shown, screen } from "./screens";
import { Sight } from "./sight";
import { fill, LANGUAGES, type Language, type Texts, textsIn } from "./texts";
import type { View } from "./view";

/** Before a session that is not ready is asked for again. */
const NOT_READY_MS = 3000;
/** How long thanks are on the screen before it goes back to the business. */
const THANKS_MS = 4000;
const WARNING_MS = 60_000;

/** Whether this is a page of the sandbox, whose address says so. */
function inSandbox(): boolean {
  return /\/sandbox\//.test(location.pathname);
}

export class Visit {
  readonly #view: View;
  #texts: Texts;
  #language: Language;
  #state: State = START;
  #session: Session | undefined;
  #origin = "*";
  #api: Api | undefined;
  readonly #parcel = new Parcel();
  readonly #sight: Sight;
  /** Whether a mail of thanks is wanted at the end. */
  #thanks = false;
  #mailed = false;
  #deadline = Number.POSITIVE_INFINITY;
  #timers: ReturnType<typeof setTimeout>[] = [];
  #reloaded = false;
  #broken = false;

  constructor(view: View, texts: Texts, language: Language) {
    this.#view = view;
    this.#texts = texts;
    this.#language = language;
    this.#sight = new Sight(view, {
      photo: (photo) => void this.#tookPhoto(photo),
      face: (pictures) => {
        this.#parcel.keepFace(pictures);
        this.#view.say(this.#texts.camera.taken);
        this.happen({ is: "took", by: "camera" });
      },
      failed: (trouble) => this.happen({ is: "cameraFailed", trouble }),
      changed: () => this.#enter(),
    });
  }

  start(): void {
    watch(
      () => this.#state.step.on,
      (fault) => this.#api?.report(fault),
      () => this.#breakDown(),
    );
    find("stop").addEventListener("click", () => void this.#stop());
    window.addEventListener("online", () => this.happen({ is: "resumed" }));
    // A phone takes the camera away from a page that nobody looks at.
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden" && this.#sight.open) {
        this.#sight.close();
      } else if (document.visibilityState === "visible" && this.#state.step.on === "camera" && !this.#sight.open) {
        this.#enter();
      }
    });
    this.#mark();
    this.#enter();
  }

  /** Says whose session it is; everything begins with it. */
  open(session: Session | Failure, origin = "*"): void {
    this.#origin = origin;
    if (typeof session === "string") {
      this.happen({ is: "failed", failure: session });
      return;
    }
    this.#session = session;
    keep(session);
    const brand = document.querySelector<HTMLMetaElement>("meta[name=brand]")?.content || "Svc";
    this.#api = new Api(session, location.pathname.replace(/\/web\/[^/]*$/, ""), brand.toLowerCase());
    this.#enter();
  }

  waitForParent(): void {
    this.#view.note(this.#texts.embedded);
  }

  happen(event: Event): void {
    const before = this.#state;
    this.#state = next(before, event);
    if (this.#state === before || this.#broken) {
      return;
    }
    if (current(this.#state)?.id !== current(before)?.id || event.is === "chose" || event.is === "otherDocument") {
      this.#parcel.anew();
    }
    if (this.#state.step !== before.step || this.#state.side !== before.side) {
      this.#enter();
    }
  }

  /** Shows the step and begins what it asks for. */
  #enter(): void {
    const { step } = this.#state;
    for (const timer of this.#timers.splice(0)) {
      clearTimeout(timer);
    }
    this.#sight.close();
    this.#view.progress(this.#state, this.#texts);
    if (step.on !== "camera") {
      this.#view.show(screen(this.#shown()), this.#texts, step.on);
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
        void drawCode(this.#shown().link);
        this.#follow(step);
        break;
      case "camera":
        void this.#sight.look(this.#shown());
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
  #try(step: Step, act: (api: Api) => Promise<Event | undefined>): void {
    if (!this.#api) {
      return;
    }
    act(this.#api).then(
      (event) => event && this.#state.step === step && this.happen(event),
      (error: unknown) => this.#state.step === step && this.#fail(error),
    );
  }

  #fail(error: unknown): void {
    if (error instanceof Interrupted) {
      this.happen({ is: "interrupted", why: error.why });
    } else if (error instanceof Refused) {
      this.#refused(error);
    } else {
      // Not the network and not the server: it is heard of where all mistakes are.
      throw error;
    }
  }

  #refused(error: Refused): void {
    const failure = failureOf(error);
    if (failure) {
      this.happen({
        is: "failed",
        failure: failure === "badToken" && Date.now() > this.#deadline ? "expired" : failure,
      });
    } else if (error.code === "SESSION_NOT_READY") {
      this.#view.note(this.#texts.waiting);
      this.#later(NOT_READY_MS, () => this.#enter());
    } else if (this.#state.step.on === "sending" || this.#state.step.on === "reading") {
      this.#parcel.anew();
      this.happen({ is: "refused", status: error.status });
    } else {
      this.happen({ is: "interrupted", why: "serviceDown" });
    }
  }

  async #load(): Promise<Event | undefined> {
    const plan = await this.#api?.plan();
    if (!plan) {
      return undefined;
    }
    this.#deadline = Date.now() + plan.secondsLeft * 1000;
    this.#watchTime(plan.secondsLeft * 1000);
    await this.#speak(plan.locale);
    this.#view.colour(plan.colours);
    return { is: "loaded", plan };
  }

  /** The business's language, where the page has it; else the reader's. */
  async #speak(locale: string | undefined): Promise<void> {
    const { texts, language } = await textsIn(choose([...(locale ? [locale] : []), ...navigator.languages], LANGUAGES));
    [this.#texts, this.#language] = [texts, language];
    this.#view.speak(texts, language);
    this.#mark();
  }

  /** Says that nothing is real in the sandbox; where this page is in a frame of the server's own, the page around says so. */
  #mark(): void {
    this.#view.mark(inSandbox() && !withinOwnPage() ? this.#texts.sandbox : undefined);
  }

  #watchTime(left: number): void {
    setTimeout(() => stoppable(this.#state) && this.#view.note(this.#texts.minuteLeft), left - WARNING_MS);
    setTimeout(() => stoppable(this.#state) && this.happen({ is: "failed", failure: "expired" }), left);
  }

  // --- pictures ---

  async #tookPhoto(photo: Blob): Promise<void> {
    const faults = await faultsOfPhoto(photo);
    this.#parcel.keep(photo, { name: "", pdf: false, faults });
    this.happen({ is: "took", by: "camera" });
  }

  /** Takes a file in, as far as it is a picture or, for letters, a PDF file. */
  async #choose(file: File): Promise<void> {
    const { file: say } = this.#texts;
    const pdf = file.type === "application/pdf";
    if (file.size > MOST_MB * 1_000_000) {
      complain(say.large);
    } else if (pdf && this.#kind() === "SUPPLEMENTARY_DOCUMENT") {
      this.#parcel.keep(file, { name: file.name, pdf, faults: [] });
      this.happen({ is: "took", by: "file" });
    } else if (pdf || (file.type !== "" && !file.type.startsWith("image/"))) {
      complain(say.kind);
    } else {
      const opened = await openPicture(file).catch(() => undefined);
      if (!opened) {
        complain(say.broken);
        return;
      }
      this.#parcel.keep(opened.blob, { name: file.name, pdf: false, faults: opened.faults });
      this.happen({ is: "took", by: "file" });
    }
  }

  async #send(api: Api): Promise<Event> {
    await this.#parcel.send(api, this.#state, (part) => {
      const bar = document.querySelector<HTMLProgressElement>("#sent");
      if (bar) {
        bar.value = part;
      }
    });
    return { is: "sent" };
  }

  async #read(api: Api): Promise<Event> {
    const recommendation = await api.read(this.#kind(), this.#parcel.resource);
    return { is: "recommended", recommendation };
  }

  #kind(): "ID_DOCUMENT" | "SUPPLEMENTARY_DOCUMENT" {
    return current(this.#state)?.kind === "SUPPLEMENTARY_DOCUMENT" ? "SUPPLEMENTARY_DOCUMENT" : "ID_DOCUMENT";
  }

  /** Has the business asked for a mail with instructions, once. */
  #mail(): void {
    this.#try(this.#state.step, async (api) => {
      if (this.#mailed) {
        this.#view.say(this.#texts.welcome.mailed);
        return undefined;
      }
      this.#mailed = true;
      await api.mail("instructions").catch((error: unknown) => {
        this.#mailed = false;
        throw error;
      });
      this.#view.note(this.#texts.welcome.mailed);
      return undefined;
    });
  }

  // --- the end ---

  async #finish(api: Api): Promise<Event | undefined> {
    if (this.#thanks) {
      // What cannot be asked for is no reason to hold somebody up.
      await api.mail("thank-you").catch(() => undefined);
      this.#thanks = false;
    }
    try {
      await api.finish();
    } catch (error) {
      const gone = error instanceof Refused && failureOf(error) === "badToken";
      const lacking = error instanceof Refused && error.status === 409 && !failureOf(error);
      if (lacking && !this.#reloaded) {
        // The server misses something that this page believes to be there: what it is stands in the configuration.
        this.#reloaded = true;
        return this.#load();
      }
      // An answer that was lost leaves a token that is gone, which is what was asked for.
      if (!gone || Date.now() > this.#deadline) {
        throw error;
      }
    }
    return { is: "finished" };
  }

  /** Asks from time to time how far the other device is. */
  #follow(step: Step): void {
    this.#later(FOLLOW_MS, () =>
      this.#try(step, async (api) => {
        const plan = await lookAfter(api, this.#deadline);
        if (plan === "finished") {
          return { is: "finishedElsewhere" };
        }
        if (plan) {
          this.#state = { ...this.#state, plan, todo: outstanding(plan) };
          const followed = document.querySelector("#followed");
          const words = fill(this.#texts.phone.progress, counted(this.#state));
          if (followed && followed.textContent !== words) {
            followed.textContent = words;
            this.#view.say(words);
          }
        }
        this.#follow(step);
        return undefined;
      }),
    );
  }

  #end(step: Step & { on: "done" | "over" }): void {
    const message = ending(step.on === "over" ? step.failure : undefined);
    keep(undefined);
    this.#parcel.forget();
    tell(message, this.#origin);
    const leaveTo = this.#leaveTo();
    const cancelled = step.on === "over" && step.failure === "cancelled";
    const hasten = cancelled || this.#state.plan?.suppressed.has("completion") === true;
    if (leaveTo && (step.on === "done" || cancelled)) {
      this.#later(hasten ? 0 : THANKS_MS, () => location.assign(leaveTo));
    }
  }

  /** Where the business wants people at the end. A frame and a phone that helped go nowhere. */
  #leaveTo(): string | undefined {
    const { step, plan } = this.#state;
    if (embedded() || this.#session?.handedOff || (step.on !== "done" && step.on !== "over")) {
      return undefined;
    }
    const message = ending(step.on === "over" ? step.failure : undefined);
    return redirection(step.on === "done" ? plan?.successUrl : plan?.errorUrl, message);
  }

  async #stop(): Promise<void> {
    if (await answered()) {
      const { step } = this.#state;
      this.happen({ is: "failed", failure: step.on === "interrupted" ? step.why : "cancelled" });
    }
  }

  #breakDown(): void {
    if (this.#state.step.on !== "done" && this.#state.step.on !== "over") {
      this.#broken = true;
      this.#sight.close();
      this.#view.show(
        broken(this.#texts, () => location.reload()),
        this.#texts,
        "broken",
      );
    }
  }

  #later(wait: number, act: () => void): void {
    this.#timers.push(setTimeout(act, wait));
  }

  #shown(): Shown {
    const link = linkTo(this.#session);
    return {
      state: this.#state,
      texts: this.#texts,
      language: this.#language,
      acts: {
        happen: (event) => this.happen(event),
        choose: (file) => void this.#choose(file),
        leave: () => location.assign(this.#leaveTo() ?? location.href),
        reload: () => location.reload(),
        copyLink: () => void copied(link).then((copied) => copied && this.#view.say(this.#texts.phone.copied)),
        mail: () => this.#mail(),
        thank: (wanted) => {
          this.#thanks = wanted;
        },
      },
      handedOff: this.#session?.handedOff === true,
      mayHandOff: this.#state.plan?.handOff === true && !isPhone() && this.#session?.handedOff === false,
      link,
      taken: this.#parcel.taken,
      leaveTo: this.#leaveTo(),
      thanks: this.#thanks,
      embedded: embedded(),
    };
  }
}
