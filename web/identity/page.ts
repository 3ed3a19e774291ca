// The page of a document verification session: goes through the journey, and does what each step asks for.

import { Interrupted, Refused } from "../shared/calls";
import { Camera, NoCamera } from "../shared/camera";
import { answered, find } from "../shared/dom";
import { embedded } from "../shared/frame";
import { copied, isPhone, showCode } from "../shared/handoff";
import { choose } from "../shared/language";
import { OVALS } from "../shared/oval";
import { FaceCapture, type Looking, loadFaceNet, type Portrait } from "../shared/portrait";
import { watch } from "../shared/report";
import { Api, failureOf } from "./api";
import { DocumentCapture, faultsOfPhoto, frameIn, openPicture } from "./capture";
import { ending, type Failure, redirection } from "./codes";
import { awaitSession, fromQuery, fromShort, keep, kept, type Session, tell, toShort } from "./frame";
import { current, type Event, isFace, next, START, type State, type Step, sideOf, stoppable } from "./journey";
import { broken, complain, counted, MOST_MB, type Shown, screen, sideName, type Taken } from "./screens";
import { fill, LANGUAGES, type Language, type Texts, textsIn } from "./texts";
import { View } from "./view";
import { formOf, type Viewer, viewer } from "./viewer";

/** How often the other device is looked after, in milliseconds. */
const FOLLOW_MS = 2500;
/** Before a session that is not ready is asked for again. */
const NOT_READY_MS = 3000;
/** How long thanks are on the screen before it goes back to the business. */
const THANKS_MS = 4000;
const WARNING_MS = 60_000;
/** How long a picture may be waited for before the button is the better way, in milliseconds. */
const HELP_MS = 9000;

class Page {
  readonly #view: View;
  #texts: Texts;
  #language: Language;
  #state: State = START;
  #session: Session | undefined;
  #origin = "*";
  #api: Api | undefined;
  #camera: Camera | undefined;
  #looking: Looking | undefined;
  #otherCamera: string | undefined;
  /** How often a camera was opened: only the last one counts. */
  #openings = 0;
  /** What was taken last and is not sent yet. */
  #pictures: Portrait[] = [];

  #taken: Taken | undefined;
  /** The resource of what is being done, once there is one, and how many of its pictures are sent. */
  #resource: string | undefined;
  #sent = 0;
  #deadline = Number.POSITIVE_INFINITY;
  #timers: ReturnType<typeof setTimeout>[] = [];
  #reloaded = false;
  #broken = false;

  constructor(view: View, texts: Texts, language: Language) {
    this.#view = view;
    this.#texts = texts;
    this.#language = language;
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
      if (document.visibilityState === "hidden" && this.#camera) {
        this.#closeCamera();
      } else if (document.visibilityState === "visible" && this.#state.step.on === "camera" && !this.#camera) {
        this.#enter();
      }
    });
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
      this.#resource = undefined;
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
    this.#closeCamera();
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
        void this.#drawCode();
        this.#follow(step);
        break;
      case "camera":
        void this.#look(step);
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
      this.#resource = undefined;
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
  }

  #watchTime(left: number): void {
    setTimeout(() => stoppable(this.#state) && this.#view.note(this.#texts.minuteLeft), left - WARNING_MS);
    setTimeout(() => stoppable(this.#state) && this.happen({ is: "failed", failure: "expired" }), left);
  }

  // --- pictures ---

  async #look(step: Step): Promise<void> {
    const need = current(this.#state);
    if (!need) {
      return;
    }
    this.#openings += 1;
    const opening = this.#openings;
    const here = () => this.#state.step === step && this.#openings === opening;
    const face = isFace(need);
    const form = formOf(need, this.#state.choice);
    const aspect = face || form < 1 ? 3 / 4 : 4 / 3;
    const view = {
      aspect,
      frame: face ? undefined : frameIn(aspect, form),
      mirrored: face && !this.#otherCamera,
      oval: OVALS[need.zoom ? "far" : "portrait"],
    };
    const change = () => void this.#change(step);
    const pane = viewer(this.#shown(), view, { take: () => void capture?.take(), change });
    const heading = face
      ? need.zoom
        ? this.#texts.tips.zoomHeading
        : this.#texts.faceTips.heading
      : sideName(this.#shown());
    this.#view.show({ heading, body: [pane.root], spoken: this.#texts.camera.opening }, this.#texts, "camera");
    let capture: DocumentCapture | FaceCapture | undefined;

    const [camera, net] = await Promise.all([
      Camera.open(
        pane.video,
        face ? "user" : "environment",
        () => here() && this.happen({ is: "cameraFailed", trouble: "busy" }),
        this.#otherCamera,
      ).catch((error: unknown) => error as Error),
      face ? loadFaceNet() : undefined,
    ]);
    if (!(camera instanceof Camera)) {
      if (!(camera instanceof NoCamera)) {
        throw camera;
      }
      if (here()) {
        this.happen({ is: "cameraFailed", trouble: camera.trouble });
      }
      return;
    }
    // Somebody may have gone on while it was being opened.
    if (!here()) {
      camera.close();
      return;
    }
    this.#camera = camera;
    if (face) {
      capture = new FaceCapture(
        camera,
        aspect,
        need.zoom,
        net,
        (advice, progress) => {
          this.#advise(pane, this.#texts.face[advice], advice === "ready" || advice === "approach");
          pane.turn(OVALS[advice === "approach" ? "near" : need.zoom ? "far" : "portrait"]);
          pane.bar.hidden = !need.zoom || progress === 0;
          pane.bar.value = progress;
        },
        (pictures) => this.#tookFace(pictures),
      );
    } else {
      capture = new DocumentCapture(
        camera,
        aspect,
        form,
        (advice) => this.#advise(pane, this.#texts.document[advice], advice === "ready"),
        (photo) => void this.#tookPhoto(photo),
      );
    }
    this.#looking = capture;
    this.#advise(pane, face ? this.#texts.face.find : this.#texts.camera.document, false);
    pane.take.disabled = false;
    // An approach is better guided than begun by hand; who cannot be guided is helped after a while.
    pane.take.hidden = need.zoom && net !== undefined;
    this.#later(HELP_MS, () => {
      pane.root.classList.add("help");
      pane.take.hidden = false;
    });
    capture.start();
    pane.change.hidden = (await camera.others()).length === 0;
  }

  #advise(pane: Viewer, words: string, good: boolean): void {
    if (pane.advice.textContent !== words) {
      pane.advice.textContent = words;
      this.#view.say(words);
    }
    pane.mark(good);
  }

  async #change(step: Step): Promise<void> {
    const [other] = (await this.#camera?.others()) ?? [];
    if (other && this.#state.step === step) {
      this.#otherCamera = other;
      this.#enter();
    }
  }

  async #tookPhoto(photo: Blob): Promise<void> {
    const faults = await faultsOfPhoto(photo);
    this.#keepPicture(photo, { name: "", pdf: false, faults });
    this.happen({ is: "took", by: "camera" });
  }

  #tookFace(pictures: Portrait[]): void {
    this.#pictures = pictures;
    this.#sent = 0;
    this.#view.say(this.#texts.camera.taken);
    this.happen({ is: "took", by: "camera" });
  }

  /** Takes a file in, as far as it is a picture or, for letters, a PDF file. */
  async #choose(file: File): Promise<void> {
    const { file: say } = this.#texts;
    const pdf = file.type === "application/pdf";
    if (file.size > MOST_MB * 1_000_000) {
      complain(say.large);
    } else if (pdf && this.#kind() === "SUPPLEMENTARY_DOCUMENT") {
      this.#keepPicture(file, { name: file.name, pdf, faults: [] });
      this.happen({ is: "took", by: "file" });
    } else if (pdf || (file.type !== "" && !file.type.startsWith("image/"))) {
      complain(say.kind);
    } else {
      const opened = await openPicture(file).catch(() => undefined);
      if (!opened) {
        complain(say.broken);
        return;
      }
      this.#keepPicture(opened.blob, { name: file.name, pdf: false, faults: opened.faults });
      this.happen({ is: "took", by: "file" });
    }
  }

  #keepPicture(blob: Blob, taken: Omit<Taken, "url">): void {
    if (this.#taken) {
      URL.revokeObjectURL(this.#taken.url);
    }
    this.#pictures = [{ blob, face: undefined }];
    this.#sent = 0;
    this.#taken = { ...taken, url: URL.createObjectURL(blob) };
  }

  /** Sends what was taken. Interrupted, it goes on with the first picture that did not arrive. */
  async #send(api: Api): Promise<Event> {
    const need = current(this.#state);
    const { choice, by } = this.#state;
    if (!need) {
      throw new Error("there is nothing to send for");
    }
    const method = by === "file" ? "UPLOAD" : "CAMERA";
    const of = this.#pictures.length;
    const progress = (part: number) => {
      const bar = document.querySelector<HTMLProgressElement>("#sent");
      if (bar) {
        bar.value = (this.#sent + part) / of;
      }
    };
    while (this.#sent < of) {
      const blob = this.#pictures[this.#sent]?.blob as Blob;
      const picture = { blob, method } as const;
      switch (need.kind) {
        case "ID_DOCUMENT":
          this.#resource ??= await api.begin(need.kind, choice ?? { country: "", type: "" }, need.id);
          await api.page(this.#resource, sideOf(this.#state).number, picture, progress);
          break;
        case "SUPPLEMENTARY_DOCUMENT":
          this.#resource ??= await api.begin(need.kind, choice ?? { country: "", type: "" }, need.id);
          await api.file(this.#resource, picture, progress);
          break;
        case "LIVENESS":
          this.#resource ??= await api.beginLiveness(need.zoom, need.id);
          await api.frame(this.#resource, need.zoom, this.#sent + 1, picture, progress);
          break;
        case "FACE_CAPTURE":
          this.#resource ??= await api.beginFace(need.id);
          await api.face(this.#resource, picture, progress);
          break;
      }
      this.#sent += 1;
    }
    if (need.kind === "LIVENESS" && need.zoom) {
      const frames = this.#pictures.map(({ face }, at) => ({ number: at + 1, face: face ?? null }));
      await api.facemap(this.#resource ?? "", { version: 1, frames });
    }
    this.#forget();
    return { is: "sent" };
  }

  async #read(api: Api): Promise<Event> {
    const recommendation = await api.read(this.#kind(), this.#resource ?? "");
    return { is: "recommended", recommendation };
  }

  /** What was sent is not kept a moment longer. */
  #forget(): void {
    if (this.#taken) {
      URL.revokeObjectURL(this.#taken.url);
    }
    this.#taken = undefined;
    this.#pictures = [];
  }

  #kind(): "ID_DOCUMENT" | "SUPPLEMENTARY_DOCUMENT" {
    return current(this.#state)?.kind === "SUPPLEMENTARY_DOCUMENT" ? "SUPPLEMENTARY_DOCUMENT" : "ID_DOCUMENT";
  }

  // --- the end ---

  async #finish(api: Api): Promise<Event | undefined> {
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

  /** Most people need no code, so what draws it is fetched for those who do. */
  async #drawCode(): Promise<void> {
    const { drawQr } = await import("../shared/qr");
    showCode(drawQr(this.#shown().link, "byte"));
  }

  /** Asks from time to time how far the other device is; the token is gone when it is done. */
  #follow(step: Step): void {
    this.#later(FOLLOW_MS, () =>
      this.#try(step, async (api) => {
        try {
          const plan = await api.plan();
          const todo = plan.needs.filter(({ done }) => !done);
          this.#state = { ...this.#state, plan, todo };
          const followed = document.querySelector("#followed");
          const words = fill(this.#texts.phone.progress, counted(this.#state));
          if (followed && followed.textContent !== words) {
            followed.textContent = words;
            this.#view.say(words);
          }
        } catch (error) {
          if (error instanceof Refused && failureOf(error) && Date.now() < this.#deadline) {
            return { is: "finishedElsewhere" };
          }
          if (!(error instanceof Interrupted)) {
            throw error;
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
    this.#forget();
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
      this.#closeCamera();
      this.#view.show(
        broken(this.#texts, () => location.reload()),
        this.#texts,
        "broken",
      );
    }
  }

  #closeCamera(): void {
    this.#looking?.stop();
    this.#looking = undefined;
    this.#camera?.close();
    this.#camera = undefined;
  }

  #later(wait: number, act: () => void): void {
    this.#timers.push(setTimeout(act, wait));
  }

  #shown(): Shown {
    const page = new URL("./", location.href).href;
    const link = this.#session ? `${page}#${toShort(this.#session)}` : "";
    return {
      state: this.#state,
      texts: this.#texts,
      language: this.#language,
      acts: {
        happen: (event) => this.happen(event),
        choose: (file) => void this.#choose(file),
        leave: () => location.assign(this.#leaveTo() ?? location.href),
        reload: () => location.reload(),
        copyLink: () => void this.#copy(link),
      },
      handedOff: this.#session?.handedOff === true,
      mayHandOff: this.#state.plan?.handOff === true && !isPhone() && this.#session?.handedOff === false,
      link,
      taken: this.#taken,
      leaveTo: this.#leaveTo(),
    };
  }

  async #copy(link: string): Promise<void> {
    if (await copied(link)) {
      this.#view.say(this.#texts.phone.copied);
    }
  }
}

/** Whose session it is, where the address or this tab says it; it is taken out of the address, which others see. */
function sessionHere(): Session | Failure | undefined {
  const found = fromShort(location.hash.slice(1)) ?? fromQuery(location.search) ?? kept();
  if (location.search || location.hash) {
    history.replaceState(null, "", location.pathname);
  }
  return found;
}

/** What the page cannot do without. */
function fit(): boolean {
  const needed = [
    "DisplayNames" in Intl,
    "timeout" in AbortSignal,
    "createImageBitmap" in window,
    "showModal" in HTMLDialogElement.prototype,
  ];
  return needed.every(Boolean);
}

async function main(): Promise<void> {
  const session = sessionHere();
  const { texts, language } = await textsIn(choose(navigator.languages, LANGUAGES));
  const view = new View();
  view.speak(texts, language);
  const page = new Page(view, texts, language);
  page.start();
  if (!fit()) {
    page.open("unsupportedBrowser");
  } else if (session) {
    page.open(session);
  } else if (embedded()) {
    page.waitForParent();
    const { session, origin } = await awaitSession();
    page.open(session, origin);
  } else {
    page.open("noId");
  }
}

void main();
