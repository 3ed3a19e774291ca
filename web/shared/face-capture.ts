// Looks at a face through the camera again and again, tells what to do, and takes the pictures.

import type { Camera, Crop } from "./camera";
import { DwellTimer } from "./dwell-timer";
import { DETECTOR_INPUT_PX, type Face, FaceDetector } from "./face-detector";
import * as oval from "./face-guidance";
import { toGreyscale } from "./greyscale";

/** How often it looks, in milliseconds, at most. */
const CAPTURE_INTERVAL_MS = 120;
/** How long everything must be right before a picture is taken by itself. */
const STEADY_MS = 700;
const JPEG_QUALITY = 0.95;

/** A picture of a face, and where it is in it. */
export interface Portrait {
  blob: Blob;
  face: Face | undefined;
}

/** What part of the camera's picture is seen in a window of this form, in which it fills everything. */
export function visibleCrop(size: { width: number; height: number }, aspect: number): Crop {
  const wide = size.width / size.height / aspect;
  const [width, height] = wide > 1 ? [1 / wide, 1] : [1, wide];
  return { x: (1 - width) / 2, y: (1 - height) / 2, width, height };
}

/** Something that looks until it is stopped. */
export abstract class CaptureLoop {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;

  /** Begins to look. */
  start(): void {
    const step = async () => {
      await this.look(performance.now());
      if (!this.#stopped) {
        this.#timer = setTimeout(step, CAPTURE_INTERVAL_MS);
      }
    };
    this.#timer = setTimeout(step, CAPTURE_INTERVAL_MS);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  protected abstract look(moment: number): Promise<void> | void;
}

/** Waits for a face in the oval, once or as it comes nearer. */
export class FaceCapture extends CaptureLoop {
  readonly #canvas = document.createElement("canvas");
  readonly #dwell = new DwellTimer(STEADY_MS);
  readonly #approach = new oval.ApproachRecorder();
  readonly #kept: Portrait[] = [];
  #before: oval.FaceView | undefined;
  #approachBegun = false;
  #hurriedApproaches = 0;
  #missedFrames = 0;

  constructor(
    readonly camera: Camera,
    readonly aspect: number,
    readonly approaches: boolean,
    readonly detector: FaceDetector | undefined,
    readonly onAdvice: (
      advice: oval.FaceAdvice | "approach" | "tooFast" | "unguided" | "unguidedZoom",
      progress: number,
    ) => void,
    readonly onPictures: (pictures: Portrait[]) => void,
  ) {
    super();
  }

  /** Takes the pictures now, as well as it can be done without guidance. A camera that was closed meanwhile gives none. */
  async take(): Promise<void> {
    if (this.stopped) {
      return;
    }
    this.stop();
    const pictures: Portrait[] = [];
    for (let number = 1; number <= (this.approaches ? oval.APPROACH_FRAMES : 1); number += 1) {
      if (this.camera.isClosed) {
        return;
      }
      pictures.push(await this.#photo(this.detector ? this.#readView().faces[0] : undefined));
      if (this.approaches) {
        this.onAdvice("approach", number / oval.APPROACH_FRAMES);
        await new Promise((resolve) => setTimeout(resolve, UNGUIDED_INTERVAL_MS));
      }
    }
    this.#finish(pictures);
  }

  protected async look(moment: number): Promise<void> {
    if (!this.detector) {
      this.onAdvice(this.approaches ? "unguidedZoom" : "unguided", 0);
      return;
    }
    const look = this.#readView();
    const before = this.#before;
    this.#before = look;
    if (this.approaches && this.#approachBegun) {
      await this.#approaching(look, before);
      return;
    }
    const advice = oval.adviseOnFace(look, before, this.approaches ? oval.FAR_WIDTH : oval.PORTRAIT_WIDTH);
    this.onAdvice(advice, 0);
    if (!this.#dwell.update(advice === "ready", moment)) {
      return;
    }
    if (this.approaches) {
      this.#approachBegun = true;
      await this.#approaching(look, before);
    } else {
      this.#finish([await this.#photo(look.faces[0])]);
    }
  }

  /** Keeps pictures as the face grows; someone who turns away or hurries begins anew. */
  async #approaching(look: oval.FaceView, before: oval.FaceView | undefined): Promise<void> {
    const [face] = look.faces;
    // The net loses a face for a moment now and then.
    this.#missedFrames = face ? 0 : this.#missedFrames + 1;
    if (!face && this.#missedFrames < MAX_MISSED_FRAMES) {
      return;
    }
    const advice = oval.adviseOnFace(look, before, { min: oval.FAR_WIDTH.min, max: oval.NEAR_WIDTH.max });
    if (!face || advice === "alone" || advice === "centre") {
      this.onAdvice(advice, this.#approach.progress);
      return;
    }
    switch (this.#approach.add(oval.faceWidth(look, face))) {
      case "keep":
        this.#kept.push(await this.#photo(face));
        break;
      case "tooFast":
        this.#kept.length = 0;
        this.#hurriedApproaches += 1;
        this.#approachBegun = false;
        break;
      case "wait":
        break;
    }
    this.onAdvice(this.#approachBegun ? "approach" : "tooFast", this.#approach.progress);
    if (this.#approach.done) {
      this.#finish(this.#kept);
    } else if (this.#hurriedApproaches >= MAX_HURRIED_APPROACHES) {
      // Somebody who cannot move slowly is not kept here for ever.
      await this.take();
    }
  }

  async #photo(face: Face | undefined): Promise<Portrait> {
    return { blob: await this.camera.takePhoto(visibleCrop(this.camera.size, this.aspect), JPEG_QUALITY), face };
  }

  #finish(pictures: Portrait[]): void {
    this.stop();
    if (!this.camera.isClosed) {
      this.camera.pause();
      this.onPictures(pictures);
    }
  }

  /** What the net sees: the whole window, in the upper left of its square. */
  #readView(): oval.FaceView {
    const [width, height] =
      this.aspect < 1
        ? [Math.round(DETECTOR_INPUT_PX * this.aspect), DETECTOR_INPUT_PX]
        : [DETECTOR_INPUT_PX, Math.round(DETECTOR_INPUT_PX / this.aspect)];
    const image = this.camera.readPixels(visibleCrop(this.camera.size, this.aspect), width, height, this.#canvas);
    const square = new Uint8ClampedArray(DETECTOR_INPUT_PX * DETECTOR_INPUT_PX * 4).fill(110);
    for (let row = 0; row < height; row += 1) {
      square.set(image.data.subarray(row * width * 4, (row + 1) * width * 4), row * DETECTOR_INPUT_PX * 4);
    }
    const [across, down] = [DETECTOR_INPUT_PX / width, DETECTOR_INPUT_PX / height];
    const faces = (this.detector?.detect(square) ?? []).map((face) => ({
      ...face,
      x: face.x * across,
      y: face.y * down,
      width: face.width * across,
      height: face.height * down,
    }));
    return { grey: toGreyscale(image), faces };
  }
}

const UNGUIDED_INTERVAL_MS = 500;
const MAX_HURRIED_APPROACHES = 3;
const MAX_MISSED_FRAMES = 4;
/** The face net is not waited for any longer: it only guides. */
const NET_TIMEOUT_MS = 10_000;

/** The face net, fetched once; `undefined` where it cannot be had now, and people guide themselves. */
export function loadFaceDetector(): Promise<FaceDetector | undefined> {
  loading ??= fetchFaceDetector()
    .catch(() => undefined)
    .then((net) => {
      if (!net) {
        // Whoever opens the camera again has it fetched again.
        loading = undefined;
      }
      return net;
    });
  return loading;
}

let loading: Promise<FaceDetector | undefined> | undefined;

async function fetchFaceDetector(): Promise<FaceDetector | undefined> {
  if (FACE_NET === null) {
    return undefined;
  }
  const answer = await fetch(new URL(FACE_NET, import.meta.url), {
    credentials: "omit",
    signal: AbortSignal.timeout(NET_TIMEOUT_MS),
  });
  return answer.ok ? new FaceDetector(await answer.arrayBuffer()) : undefined;
}

/** The name of the face net, which lies beside this program; build.mjs says it. */
declare const FACE_NET: string | null;
