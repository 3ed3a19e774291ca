// Step: photograph a face; for some sessions also a sequence of frames while the person moves their head.

import { SecureCapture } from "../../secure-capture.js";
import { toBase64 } from "../../shared/bytes";
import { Camera, CameraError, type CameraProblem, toJpeg } from "../../shared/camera";
import { button, make } from "../../shared/dom";
import { adviceList, ovalSketch, paragraph, primaryButton, row } from "../../shared/elements";
import { FaceCapture, loadFaceDetector, type Portrait, visibleCrop } from "../../shared/face-capture";
import { OVAL_WIDTHS } from "../../shared/face-guidance";
import { InterruptedError } from "../../shared/network";
import { createViewfinder, type Viewfinder } from "../../shared/viewfinder";
import type { StepProblem, StepsByKind, TurnInput } from "../session";
import { otherMethodButton, otherMethodRow, problemText, type StepContext, type StepView } from "./step";

const ASPECT = 3 / 4;
/** After this time without an automatic picture the button is pointed out. */
const MANUAL_CAPTURE_HINT_MS = 9000;
/** The interval of frames while the head moves, and how many are sent. The server rejects gaps of more than 600
 * milliseconds and more frames than these. */
const FRAME_INTERVAL_MS = 450;
const MAX_FRAMES = 24;
/** Frames of the look straight ahead at the beginning, and the part of each movement's frames that shows the movement;
 * the rest shows the look ahead after it. */
const OPENING_FRAMES = 3;
const MOVING_PART = 4 / 7;
/** The size of frames. They only show movement, so they are smaller than the first picture. */
const [FRAME_WIDTH, FRAME_HEIGHT, FRAME_QUALITY] = [480, 640, 0.85] as const;
/** The path of secure capture below the server's address. */
const CAPTURE_PATH = "/ai/sm/v1/secure/1";

type FaceStepData = StepsByKind["camera"] | StepsByKind["frames"];
type HeadMovement = StepsByKind["frames"]["moves"][number];

export function render(context: StepContext, step: FaceStepData, problem: StepProblem | undefined): StepView {
  const face = new FaceStep(context, step);
  if (problem) {
    face.retake(problem);
  } else {
    face.tips();
  }
  return {};
}

/** Frames, and the milliseconds at which each was taken. */
interface FrameSequence {
  frames: Blob[];
  times: number[];
}

class FaceStep {
  readonly #context: StepContext;
  /** The head movements to make after the first picture. */
  readonly #moves: HeadMovement[];
  readonly #captureBase: string | undefined;
  #camera: Camera | undefined;
  #capture: FaceCapture | undefined;
  /** The device that somebody changed to. */
  #chosenDevice: string | undefined;
  /** How often the camera was opened or closed: results of an earlier time are ignored. */
  #openings = 0;
  #cameraWanted = false;
  #done = false;

  constructor(context: StepContext, step: FaceStepData) {
    this.#context = context;
    this.#moves = step.kind === "frames" ? step.moves : [];
    const { path } = step.capture;
    // Only a path on this server.
    const own = path.endsWith(CAPTURE_PATH) && !path.startsWith("//") && path.startsWith("/");
    this.#captureBase = own ? location.origin + path.slice(0, -CAPTURE_PATH.length) : undefined;
    // Phones stop the camera of hidden pages.
    const watch = () => {
      if (document.visibilityState === "hidden") {
        this.#close();
      } else if (this.#cameraWanted && !this.#camera && !this.#done) {
        void this.openCamera();
      }
    };
    document.addEventListener("visibilitychange", watch);
    context.onLeave(() => {
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
        adviceList([say.light, say.free, say.alone]),
        row(primaryButton(camera.open, () => void this.openCamera())),
        otherMethodRow(this.#context),
      ],
    });
  }

  /** Says why the server could not use the picture. */
  retake(problem: StepProblem): void {
    const { look, ...texts } = this.#context.texts;
    const words = problemText(problem, { look, ...texts });
    this.#context.show({
      heading: look.again,
      body: [
        make("p", { class: "why" }, words),
        row(primaryButton(look.retake, () => void this.openCamera())),
        otherMethodRow(this.#context),
      ],
      spoken: words,
    });
  }

  async openCamera(): Promise<void> {
    this.#close();
    this.#cameraWanted = true;
    const opening = this.#openings;
    const here = () => !this.#done && this.#cameraWanted && this.#openings === opening;
    const { camera: words, face, faceTips } = this.#context.texts;
    const device = this.#chosenDevice;
    const view = { aspect: ASPECT, frame: undefined, mirrored: !device, oval: OVAL_WIDTHS.portrait };
    const pane = createViewfinder(
      { ...words, approach: face.approach, hint: "" },
      view,
      { take: () => void this.#capture?.take(), change: () => void this.#switchCamera(here) },
      otherMethodButton(this.#context),
    );
    this.#context.show({ heading: faceTips.heading, body: [pane.root], spoken: words.opening });
    const lost = () => here() && this.#showCameraProblem("busy");
    // Both are waited for at the same time, and a camera that is open is known at once, so that it can be closed.
    const loading = loadFaceDetector();
    const camera = await Camera.open(pane.video, "user", lost, device).catch((error: unknown) => error as Error);
    if (!(camera instanceof Camera)) {
      if (!(camera instanceof CameraError)) {
        throw camera;
      }
      if (here()) {
        // Trying again opens the usual camera: the chosen one may have been unplugged, or never give a picture.
        this.#chosenDevice = undefined;
        if (device && camera.problem === "absent") {
          await this.openCamera();
        } else {
          this.#showCameraProblem(camera.problem);
        }
      }
      return;
    }
    // The person may have left the step while the camera was opening.
    if (!here()) {
      camera.close();
      return;
    }
    this.#camera = camera;
    const net = await loading;
    if (!here()) {
      return;
    }
    this.#capture = new FaceCapture(
      camera,
      ASPECT,
      false,
      net,
      (what) => this.#advise(pane, face[what], what === "ready"),
      (pictures) => void this.#captured(pane, camera, pictures, here),
    );
    this.#advise(pane, face.find, false);
    pane.take.disabled = false;
    this.#context.later(MANUAL_CAPTURE_HINT_MS, () => pane.root.classList.add("help"));
    this.#capture.start();
    pane.switchCamera.hidden = (await camera.otherDevices()).length === 0;
  }

  #advise(pane: Viewfinder, words: string, good: boolean): void {
    if (pane.advice.textContent !== words) {
      pane.advice.textContent = words;
      this.#context.say(words);
    }
    pane.setReady(good);
  }

  async #switchCamera(here: () => boolean): Promise<void> {
    const [other] = (await this.#camera?.otherDevices()) ?? [];
    // The picture may have been taken meanwhile.
    if (other && here()) {
      this.#chosenDevice = other;
      await this.openCamera();
    }
  }

  async #captured(pane: Viewfinder, camera: Camera, [portrait]: Portrait[], here: () => boolean): Promise<void> {
    if (!portrait || !here()) {
      return;
    }
    const film = this.#moves.length > 0 ? await this.#recordFrames(pane, camera, here) : undefined;
    if (!here()) {
      return;
    }
    this.#cameraWanted = false;
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

  /** Asks for the movements, with a look straight ahead after each, and records frames meanwhile. */
  async #recordFrames(pane: Viewfinder, camera: Camera, here: () => boolean): Promise<FrameSequence> {
    const { moves } = this.#context.texts;
    const each = Math.floor((MAX_FRAMES - OPENING_FRAMES) / this.#moves.length);
    const made = Math.ceil(each * MOVING_PART);
    const script = [
      ...Array.from({ length: OPENING_FRAMES }, () => moves.AHEAD),
      ...this.#moves.flatMap((move) =>
        Array.from({ length: each }, (_, at) => (at < made ? moves[move] : moves.AHEAD)),
      ),
    ];
    const canvas = document.createElement("canvas");
    const film: FrameSequence = { frames: [], times: [] };
    camera.resume();
    pane.take.hidden = true;
    pane.switchCamera.hidden = true;
    pane.bar.hidden = false;
    const began = performance.now();
    for (const [number, words] of script.entries()) {
      this.#advise(pane, words, true);
      await sleep(began + number * FRAME_INTERVAL_MS - performance.now());
      if (!here()) {
        break;
      }
      camera.readPixels(visibleCrop(camera.size, ASPECT), FRAME_WIDTH, FRAME_HEIGHT, canvas);
      film.times.push(Math.round(performance.now() - began));
      film.frames.push(await toJpeg(canvas, FRAME_QUALITY));
      pane.bar.value = film.frames.length / script.length;
    }
    return film;
  }

  /** The picture to send, signed by secure capture. */
  async #input({ blob }: Portrait, film: FrameSequence | undefined): Promise<TurnInput> {
    const sealed = await this.#seal(await blob.arrayBuffer(), film !== undefined);
    return film ? { ...sealed, frames: await Promise.all(film.frames.map(inBase64)), times: film.times } : sealed;
  }

  async #seal(image: ArrayBuffer, multiframe: boolean): Promise<TurnInput> {
    if (!this.#captureBase) {
      throw new TypeError("a capture path of somewhere else");
    }
    const { sdkId, session } = this.#context;
    let secure: SecureCapture;
    try {
      // For each photo anew: a token counts once.
      secure = await SecureCapture.start({ baseUrl: this.#captureBase, sdkId, sessionId: session.id });
    } catch (error) {
      // fetch rejects with a TypeError when the network fails; anything else is a refusal that may pass.
      throw new InterruptedError(error instanceof TypeError ? "network" : "serviceDown");
    }
    return secure.seal(image, { multiframe });
  }

  #showCameraProblem(what: CameraProblem): void {
    this.#cameraWanted = false;
    this.#close();
    const { trouble: say, tryAgain, phone } = this.#context.texts;
    const { handOff: follow } = this.#context;
    this.#context.show({
      heading: say[what],
      body: [
        paragraph(say[`${what}Body`]),
        row(
          what === "insecure" ? undefined : primaryButton(tryAgain, () => void this.openCamera()),
          follow ? button(phone.offer, follow) : undefined,
          otherMethodButton(this.#context),
        ),
      ],
      spoken: say[`${what}Body`],
    });
  }

  #close(): void {
    this.#openings += 1;
    this.#capture?.stop();
    this.#capture = undefined;
    this.#camera?.close();
    this.#camera = undefined;
  }
}

async function inBase64(blob: Blob): Promise<string> {
  return toBase64(new Uint8Array(await blob.arrayBuffer()));
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
