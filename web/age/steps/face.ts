// The camera looks at a face: one picture, or some more while the head is moved.

import { SecureCapture } from "../../secure-capture.js";
import { Camera, NoCamera, type Trouble, toJpeg } from "../../shared/camera";
import { button, make } from "../../shared/dom";
import { Interrupted } from "../../shared/network";
import { OVALS } from "../../shared/oval";
import { advice, ovalSketch, paragraph, primary, row } from "../../shared/pieces";
import { FaceCapture, loadFaceNet, type Portrait, visible } from "../../shared/portrait";
import { type Viewer, viewer } from "../../shared/viewer";
import type { Problem, Steps, TurnInput } from "../session";
import { elsewhere, otherWay, type StepContext, type StepView, worded } from "./step";

const ASPECT = 3 / 4;
/** How long a picture may be waited for before the button is the better way, in milliseconds. */
const HELP_MS = 9000;
/** How often the head is looked at while it moves: the server takes it for broken off where there is more between frames
 * than 600 milliseconds, and looks at so many frames. */
const BETWEEN_MS = 450;
const MOST_FRAMES = 24;
/** Frames of the look ahead that it begins with, and the part of a move that is the move and not the look ahead after it. */
const OPENING = 3;
const MOVING = 4 / 7;
/** Their size: they show a movement, the first picture shows the face. */
const [FRAME_WIDTH, FRAME_HEIGHT, FRAME_QUALITY] = [480, 640, 0.85] as const;
/** Where the image interface's capture module asks for its sessions, below the server's address. */
const CAPTURE = "/ai/sm/v1/secure/1";

type Looking = Steps["camera"] | Steps["frames"];
type Move = Steps["frames"]["moves"][number];

export function render(context: StepContext, step: Looking, problem: Problem | undefined): StepView {
  const face = new FaceStep(context, step);
  if (problem) {
    face.retake(problem);
  } else {
    face.tips();
  }
  return {};
}

/** Frames, and when each was taken, in milliseconds. */
interface Film {
  frames: Blob[];
  times: number[];
}

class FaceStep {
  readonly #context: StepContext;
  /** The moves to be made after the first picture. */
  readonly #moves: Move[];
  readonly #origin: string | undefined;
  #camera: Camera | undefined;
  #capture: FaceCapture | undefined;
  #other: string | undefined;
  #secure: SecureCapture | undefined;
  /** How often a camera was opened: only the last one counts. */
  #openings = 0;
  #looking = false;
  #done = false;

  constructor(context: StepContext, step: Looking) {
    this.#context = context;
    this.#moves = step.kind === "frames" ? step.moves : [];
    const { path } = step.capture;
    // A path of this server and nothing else.
    const own = path.endsWith(CAPTURE) && !path.startsWith("//") && path.startsWith("/");
    this.#origin = own ? location.origin + path.slice(0, -CAPTURE.length) : undefined;
    // A phone takes the camera away from a page that nobody looks at.
    const watch = () => {
      if (document.visibilityState === "hidden") {
        this.#close();
      } else if (this.#looking && !this.#camera && !this.#done) {
        void this.look();
      }
    };
    document.addEventListener("visibilitychange", watch);
    context.leaving(() => {
      this.#done = true;
      document.removeEventListener("visibilitychange", watch);
      this.#close();
    });
  }

  tips(): void {
    const { faceTips: say, camera, look } = this.#context.texts;
    const several = this.#moves.length > 0;
    const moves = this.#moves.map((move) => make("li", {}, this.#context.texts.moves[move]));
    this.#context.show({
      heading: say.heading,
      body: [
        ovalSketch(),
        paragraph(several ? look.several : look.one),
        several ? make("ol", {}, ...moves) : undefined,
        advice([say.light, say.free, say.alone]),
        row(primary(camera.open, () => void this.look())),
        elsewhere(this.#context),
      ],
    });
  }

  /** The server could not use the picture, and says why. */
  retake(problem: Problem): void {
    const { look, ...texts } = this.#context.texts;
    const words = worded(problem, { look, ...texts });
    this.#context.show({
      heading: look.again,
      body: [
        make("p", { class: "why" }, words),
        row(primary(look.retake, () => void this.look())),
        elsewhere(this.#context),
      ],
      spoken: words,
    });
  }

  async look(): Promise<void> {
    this.#close();
    this.#looking = true;
    this.#openings += 1;
    const opening = this.#openings;
    const here = () => !this.#done && this.#looking && this.#openings === opening;
    const { camera: words, face, faceTips } = this.#context.texts;
    const view = { aspect: ASPECT, frame: undefined, mirrored: !this.#other, oval: OVALS.portrait };
    const pane = viewer(
      { ...words, approach: face.approach, hint: "" },
      view,
      { take: () => void this.#capture?.take(), change: () => void this.#change() },
      otherWay(this.#context),
    );
    this.#context.show({ heading: faceTips.heading, body: [pane.root], spoken: words.opening });
    const lost = () => here() && this.#trouble("busy");
    const [camera, net] = await Promise.all([
      Camera.open(pane.video, "user", lost, this.#other).catch((error: unknown) => error as Error),
      loadFaceNet(),
    ]);
    if (!(camera instanceof Camera)) {
      if (!(camera instanceof NoCamera)) {
        throw camera;
      }
      if (here()) {
        this.#trouble(camera.trouble);
      }
      return;
    }
    // Somebody may have gone on while it was being opened.
    if (!here()) {
      camera.close();
      return;
    }
    this.#camera = camera;
    this.#capture = new FaceCapture(
      camera,
      ASPECT,
      false,
      net,
      (what) => this.#advise(pane, face[what], what === "ready"),
      (pictures) => void this.#took(pane, camera, pictures, here),
    );
    this.#advise(pane, face.find, false);
    pane.take.disabled = false;
    this.#context.later(HELP_MS, () => pane.root.classList.add("help"));
    this.#capture.start();
    pane.change.hidden = (await camera.others()).length === 0;
  }

  #advise(pane: Viewer, words: string, good: boolean): void {
    if (pane.advice.textContent !== words) {
      pane.advice.textContent = words;
      this.#context.say(words);
    }
    pane.mark(good);
  }

  async #change(): Promise<void> {
    const [other] = (await this.#camera?.others()) ?? [];
    if (other && !this.#done) {
      this.#other = other;
      await this.look();
    }
  }

  async #took(pane: Viewer, camera: Camera, [portrait]: Portrait[], here: () => boolean): Promise<void> {
    if (!portrait || !here()) {
      return;
    }
    const film = this.#moves.length > 0 ? await this.#film(pane, camera, here) : undefined;
    if (!here()) {
      return;
    }
    this.#looking = false;
    this.#close();
    const { camera: words, sending } = this.#context.texts;
    const bar = make("progress", { id: "sent", max: "1", value: "0", "aria-label": sending.progress });
    this.#context.show({
      heading: sending.heading,
      body: [bar, paragraph(sending.body)],
      spoken: `${words.taken} ${sending.body}`,
    });
    const progress = (part: number) => {
      bar.value = part;
    };
    this.#context.answer(() => this.#input(portrait, film), progress);
  }

  /** Has the moves made, with looks straight ahead between them, and takes frames all the while. */
  async #film(pane: Viewer, camera: Camera, here: () => boolean): Promise<Film> {
    const { moves } = this.#context.texts;
    const each = Math.floor((MOST_FRAMES - OPENING) / this.#moves.length);
    const made = Math.ceil(each * MOVING);
    const script = [
      ...Array.from({ length: OPENING }, () => moves.AHEAD),
      ...this.#moves.flatMap((move) =>
        Array.from({ length: each }, (_, at) => (at < made ? moves[move] : moves.AHEAD)),
      ),
    ];
    const canvas = document.createElement("canvas");
    const film: Film = { frames: [], times: [] };
    camera.resume();
    pane.take.hidden = true;
    pane.change.hidden = true;
    pane.bar.hidden = false;
    const began = performance.now();
    for (const [number, words] of script.entries()) {
      this.#advise(pane, words, true);
      await sleep(began + number * BETWEEN_MS - performance.now());
      if (!here()) {
        break;
      }
      camera.look(visible(camera.size, ASPECT), FRAME_WIDTH, FRAME_HEIGHT, canvas);
      film.times.push(Math.round(performance.now() - began));
      film.frames.push(await toJpeg(canvas, FRAME_QUALITY));
      pane.bar.value = film.frames.length / script.length;
    }
    return film;
  }

  /** What is sent: the picture, and what proves that this page took it. */
  async #input({ blob }: Portrait, film: Film | undefined): Promise<TurnInput> {
    const sealed = await this.#seal(await blob.arrayBuffer(), film !== undefined);
    return film ? { ...sealed, frames: await Promise.all(film.frames.map(base64)), times: film.times } : sealed;
  }

  async #seal(image: ArrayBuffer, multiframe: boolean): Promise<TurnInput> {
    if (!this.#origin) {
      throw new TypeError("a capture path of somewhere else");
    }
    try {
      if (!this.#secure || this.#secure.expired) {
        this.#secure = await SecureCapture.start({ baseUrl: this.#origin, sdkId: this.#context.sdkId });
      }
    } catch (error) {
      // The network says so by a TypeError; else the server refused, and may not a moment later.
      throw new Interrupted(error instanceof TypeError ? "network" : "serviceDown");
    }
    return this.#secure.seal(image, { multiframe });
  }

  #trouble(what: Trouble): void {
    this.#looking = false;
    this.#close();
    const { trouble: say, tryAgain, phone } = this.#context.texts;
    const { follow } = this.#context;
    this.#context.show({
      heading: say[what],
      body: [
        paragraph(say[`${what}Body`]),
        row(
          what === "insecure" ? undefined : primary(tryAgain, () => void this.look()),
          follow ? button(phone.offer, follow) : undefined,
          otherWay(this.#context),
        ),
      ],
      spoken: say[`${what}Body`],
    });
  }

  #close(): void {
    this.#capture?.stop();
    this.#capture = undefined;
    this.#camera?.close();
    this.#camera = undefined;
  }
}

/** A blob in base64. */
async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let letters = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    letters += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(letters);
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
