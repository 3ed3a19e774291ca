// Looks at a face through the camera again and again, tells what to do, and takes the pictures.

import type { Camera, Crop } from "./camera";
import { type Face, FaceNet, INPUT } from "./face";
import { toGrey } from "./grey";
import * as oval from "./oval";
import { Patience } from "./patience";

/** How often it looks, in milliseconds, at most. */
const LOOK_MS = 120;
/** How long everything must be right before a picture is taken by itself. */
const FACE_MS = 700;
const FACE_QUALITY = 0.95;

/** A picture of a face, and where it is in it. */
export interface Portrait {
  blob: Blob;
  face: Face | undefined;
}

/** What part of the camera's picture is seen in a window of this form, in which it fills everything. */
export function visible(size: { width: number; height: number }, aspect: number): Crop {
  const wide = size.width / size.height / aspect;
  const [width, height] = wide > 1 ? [1 / wide, 1] : [1, wide];
  return { x: (1 - width) / 2, y: (1 - height) / 2, width, height };
}

/** Something that looks until it is stopped. */
export abstract class Looking {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;

  /** Begins to look. */
  start(): void {
    const look = async () => {
      await this.look(performance.now());
      if (!this.#stopped) {
        this.#timer = setTimeout(look, LOOK_MS);
      }
    };
    this.#timer = setTimeout(look, LOOK_MS);
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
export class FaceCapture extends Looking {
  readonly #canvas = document.createElement("canvas");
  readonly #patience = new Patience(FACE_MS);
  readonly #approach = new oval.Approach();
  readonly #kept: Portrait[] = [];
  #before: oval.Look | undefined;
  #begun = false;
  #hurries = 0;
  #missed = 0;

  constructor(
    readonly camera: Camera,
    readonly aspect: number,
    readonly zoom: boolean,
    readonly net: FaceNet | undefined,
    readonly say: (
      advice: oval.Advice | "approach" | "tooFast" | "unguided" | "unguidedZoom",
      progress: number,
    ) => void,
    readonly done: (pictures: Portrait[]) => void,
  ) {
    super();
  }

  /** Takes the pictures now, as well as it can be done without guidance. */
  async take(): Promise<void> {
    if (this.stopped) {
      return;
    }
    this.stop();
    const pictures: Portrait[] = [];
    for (let number = 1; number <= (this.zoom ? oval.FRAMES : 1); number += 1) {
      pictures.push(await this.#photo(this.net ? this.#see().faces[0] : undefined));
      if (this.zoom) {
        this.say("approach", number / oval.FRAMES);
        await new Promise((resolve) => setTimeout(resolve, UNGUIDED_MS));
      }
    }
    this.#end(pictures);
  }

  protected async look(moment: number): Promise<void> {
    if (!this.net) {
      this.say(this.zoom ? "unguidedZoom" : "unguided", 0);
      return;
    }
    const look = this.#see();
    const before = this.#before;
    this.#before = look;
    if (this.zoom && this.#begun) {
      await this.#approaching(look, before);
      return;
    }
    const advice = oval.advise(look, before, this.zoom ? oval.FAR : oval.PORTRAIT);
    this.say(advice, 0);
    if (!this.#patience.now(advice === "ready", moment)) {
      return;
    }
    if (this.zoom) {
      this.#begun = true;
      await this.#approaching(look, before);
    } else {
      this.#end([await this.#photo(look.faces[0])]);
    }
  }

  /** Keeps pictures as the face grows; someone who turns away or hurries begins anew. */
  async #approaching(look: oval.Look, before: oval.Look | undefined): Promise<void> {
    const [face] = look.faces;
    // The net loses a face for a moment now and then.
    this.#missed = face ? 0 : this.#missed + 1;
    if (!face && this.#missed < MOST_MISSED) {
      return;
    }
    const advice = oval.advise(look, before, { least: oval.FAR.least, most: oval.NEAR.most });
    if (!face || advice === "alone" || advice === "centre") {
      this.say(advice, this.#approach.progress);
      return;
    }
    switch (this.#approach.take(oval.widthOf(look, face))) {
      case "keep":
        this.#kept.push(await this.#photo(face));
        break;
      case "tooFast":
        this.#kept.length = 0;
        this.#hurries += 1;
        this.#begun = false;
        break;
      case "wait":
        break;
    }
    this.say(this.#begun ? "approach" : "tooFast", this.#approach.progress);
    if (this.#approach.done) {
      this.#end(this.#kept);
    } else if (this.#hurries >= MOST_HURRIES) {
      // Somebody who cannot move slowly is not kept here for ever.
      await this.take();
    }
  }

  async #photo(face: Face | undefined): Promise<Portrait> {
    return { blob: await this.camera.photo(visible(this.camera.size, this.aspect), FACE_QUALITY), face };
  }

  #end(pictures: Portrait[]): void {
    this.stop();
    this.camera.hold();
    this.done(pictures);
  }

  /** What the net sees: the whole window, in the upper left of its square. */
  #see(): oval.Look {
    const [width, height] =
      this.aspect < 1 ? [Math.round(INPUT * this.aspect), INPUT] : [INPUT, Math.round(INPUT / this.aspect)];
    const image = this.camera.look(visible(this.camera.size, this.aspect), width, height, this.#canvas);
    const square = new Uint8ClampedArray(INPUT * INPUT * 4).fill(110);
    for (let row = 0; row < height; row += 1) {
      square.set(image.data.subarray(row * width * 4, (row + 1) * width * 4), row * INPUT * 4);
    }
    const [across, down] = [INPUT / width, INPUT / height];
    const faces = (this.net?.find(square) ?? []).map((face) => ({
      ...face,
      x: face.x * across,
      y: face.y * down,
      width: face.width * across,
      height: face.height * down,
    }));
    return { grey: toGrey(image), faces };
  }
}

const UNGUIDED_MS = 500;
const MOST_HURRIES = 3;
const MOST_MISSED = 4;

/** The face net, fetched once; `undefined` where it cannot be had, and people guide themselves. */
export function loadFaceNet(): Promise<FaceNet | undefined> {
  loading ??= fetchFaceNet().catch(() => undefined);
  return loading;
}

let loading: Promise<FaceNet | undefined> | undefined;

async function fetchFaceNet(): Promise<FaceNet | undefined> {
  if (FACE_NET === null) {
    return undefined;
  }
  const answer = await fetch(new URL(FACE_NET, import.meta.url), { credentials: "omit" });
  return answer.ok ? new FaceNet(await answer.arrayBuffer()) : undefined;
}

/** The name of the face net, which lies beside this program; build.mjs says it. */
declare const FACE_NET: string | null;
