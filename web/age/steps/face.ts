// The camera looks at a face: one picture, or some more while the head is moved.

import { SecureCapture } from "../../secure-capture.js";
import { Camera, NoCamera, type Trouble, toJpeg } from "../../shared/camera";
import { button, make } from "../../shared/dom";
import { Interrupted } from "../../shared/network";
import { OVALS } from "../../shared/oval";
import { advice, ovalSketch, paragraph, primary, row } from "../../shared/pieces";
import { FaceCapture, loadFaceNet, type Portrait, visible } from "../../shared/portrait";
import { type Viewer, viewer } from "../../shared/viewer";
import { json, list, type Problem, type Step, text } from "../session";
import { lookup } from "../texts";
import { type Doing, elsewhere, type Rendered, worded } from "./step";

const ASPECT = 3 / 4;
/** How long a picture may be waited for before the button is the better way, in milliseconds. */
const HELP_MS = 9000;
/** A move is read, then made. */
const READ_MS = 1600;
const BETWEEN_MS = 450;
/** Pictures of all moves together, and of one. */
const MOST_FRAMES = 12;
const MOST_EACH = 4;
/** Their size: they show a movement, the first picture shows the face. */
const [FRAME_WIDTH, FRAME_HEIGHT, FRAME_QUALITY] = [480, 640, 0.85] as const;
/** Where the image interface's capture module asks for its sessions, below the server's address. */
const CAPTURE = "/ai/sm/v1/secure/1";

export function render(doing: Doing, step: Step, problem: Problem | undefined): Rendered {
  const face = new FaceStep(doing, step);
  if (problem) {
    face.retake(problem);
  } else {
    face.tips();
  }
  return {};
}

class FaceStep {
  readonly #doing: Doing;
  /** The moves to be made after the first picture. */
  readonly #moves: string[];
  readonly #origin: string | undefined;
  #camera: Camera | undefined;
  #capture: FaceCapture | undefined;
  #other: string | undefined;
  #secure: SecureCapture | undefined;
  /** How often a camera was opened: only the last one counts. */
  #openings = 0;
  #looking = false;
  #done = false;

  constructor(doing: Doing, step: Step) {
    this.#doing = doing;
    this.#moves = list(step.moves)
      .filter((move) => typeof move === "string")
      .slice(0, MOST_FRAMES);
    const path = text(json(step.capture).path) ?? CAPTURE;
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
    doing.leaving(() => {
      this.#done = true;
      document.removeEventListener("visibilitychange", watch);
      this.#close();
    });
  }

  tips(): void {
    const { faceTips: say, camera, look } = this.#doing.texts;
    const explained = this.#moves.length > 0 ? look.several : look.one;
    this.#doing.show({
      heading: say.heading,
      body: [
        ovalSketch(),
        paragraph(explained),
        advice([say.light, say.free, say.alone]),
        row(primary(camera.open, () => void this.look())),
        elsewhere(this.#doing),
      ],
    });
  }

  /** The server could not use the picture, and says why. */
  retake(problem: Problem): void {
    const { look, ...texts } = this.#doing.texts;
    const words = worded(problem, { look, ...texts });
    this.#doing.show({
      heading: look.again,
      body: [
        make("p", { class: "why" }, words),
        row(primary(look.retake, () => void this.look())),
        elsewhere(this.#doing),
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
    const { camera: words, face, faceTips } = this.#doing.texts;
    const view = { aspect: ASPECT, frame: undefined, mirrored: !this.#other, oval: OVALS.portrait };
    const pane = viewer(
      { ...words, approach: face.approach, hint: "" },
      view,
      { take: () => void this.#capture?.take(), change: () => void this.#change() },
      button(this.#doing.texts.otherWay, this.#doing.other),
    );
    this.#doing.show({ heading: faceTips.heading, body: [pane.root], spoken: words.opening });
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
    this.#doing.later(HELP_MS, () => pane.root.classList.add("help"));
    this.#capture.start();
    pane.change.hidden = (await camera.others()).length === 0;
  }

  #advise(pane: Viewer, words: string, good: boolean): void {
    if (pane.advice.textContent !== words) {
      pane.advice.textContent = words;
      this.#doing.say(words);
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
    const frames = this.#moves.length > 0 ? await this.#film(pane, camera, here) : [];
    if (!here()) {
      return;
    }
    this.#looking = false;
    this.#close();
    const { camera: words, sending } = this.#doing.texts;
    const bar = make("progress", { id: "sent", max: "1", value: "0", "aria-label": sending.progress });
    this.#doing.show({
      heading: sending.heading,
      body: [bar, paragraph(sending.body)],
      spoken: `${words.taken} ${sending.body}`,
    });
    const progress = (part: number) => {
      bar.value = part;
    };
    this.#doing.answer(() => this.#input(portrait, frames), progress);
  }

  /** Has the moves made, and takes pictures meanwhile. */
  async #film(pane: Viewer, camera: Camera, here: () => boolean): Promise<Blob[]> {
    const { moves } = this.#doing.texts;
    const each = Math.max(1, Math.min(MOST_EACH, Math.floor(MOST_FRAMES / this.#moves.length)));
    const canvas = document.createElement("canvas");
    const frames: Blob[] = [];
    camera.resume();
    pane.take.hidden = true;
    pane.change.hidden = true;
    pane.bar.hidden = false;
    for (const move of this.#moves) {
      this.#advise(pane, lookup(moves, move) ?? moves.OTHER, true);
      await sleep(READ_MS);
      for (let number = 0; number < each && here(); number += 1) {
        camera.look(visible(camera.size, ASPECT), FRAME_WIDTH, FRAME_HEIGHT, canvas);
        frames.push(await toJpeg(canvas, FRAME_QUALITY));
        pane.bar.value = frames.length / (each * this.#moves.length);
        await sleep(BETWEEN_MS);
      }
    }
    return frames;
  }

  /** What is sent: the picture, and what proves that this page took it. */
  async #input({ blob }: Portrait, frames: Blob[]): Promise<object> {
    const multiframe = frames.length > 0;
    const sealed = await this.#seal(await blob.arrayBuffer(), multiframe);
    return multiframe ? { ...sealed, frames: await Promise.all(frames.map(base64)) } : sealed;
  }

  async #seal(image: ArrayBuffer, multiframe: boolean): Promise<object> {
    if (!this.#origin) {
      throw new TypeError("a capture path of somewhere else");
    }
    try {
      if (!this.#secure || this.#secure.expired) {
        this.#secure = await SecureCapture.start({ baseUrl: this.#origin, sdkId: this.#doing.sdkId });
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
    const { trouble: say, tryAgain, phone } = this.#doing.texts;
    const { follow } = this.#doing;
    this.#doing.show({
      heading: say[what],
      body: [
        paragraph(say[`${what}Body`]),
        row(
          what === "insecure" ? undefined : primary(tryAgain, () => void this.look()),
          follow ? button(phone.offer, follow) : undefined,
          button(this.#doing.texts.otherWay, this.#doing.other),
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
