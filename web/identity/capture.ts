// Looks through the camera again and again, tells what to do, and takes the pictures.

import { type Camera, type Crop, draw } from "./camera";
import { type Face, FaceNet, INPUT } from "./face";
import { type Box, toGrey } from "./grey";
import * as guide from "./guide";
import * as oval from "./oval";

/** How often it looks, in milliseconds, at most. */
const LOOK_MS = 120;
/** How long everything must be right before a picture is taken by itself. */
const DOCUMENT_MS = 600;
const FACE_MS = 700;
/** The frame for a document, as a part of what is seen. */
export const FRAME = 0.86;
/** What is photographed around the frame, as a part of it: a page that is cut off cannot be read. */
const MARGIN = 0.12;
const DOCUMENT_QUALITY = 0.92;
const FACE_QUALITY = 0.95;
const SMALL = 320;

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

/** The frame for a document of a form, in a window of another: as parts of the window. */
export function frameIn(aspect: number, form: number): Crop {
  const [width, height] = aspect > form ? [(FRAME * form) / aspect, FRAME] : [FRAME, (FRAME * aspect) / form];
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

/** Waits for a document that lies in the frame. */
export class DocumentCapture extends Looking {
  readonly #canvas = document.createElement("canvas");
  readonly #patience = new guide.Patience(DOCUMENT_MS);
  readonly #frame: Crop;
  #before: guide.Look | undefined;

  /** `aspect` is the window's form, `form` the document's. */
  constructor(
    readonly camera: Camera,
    readonly aspect: number,
    form: number,
    readonly say: (advice: guide.Advice) => void,
    readonly done: (photo: Blob) => void,
  ) {
    super();
    this.#frame = frameIn(aspect, form);
  }

  /** Takes the picture, whatever there is to see. */
  async take(): Promise<void> {
    if (!this.stopped) {
      this.stop();
      this.camera.hold();
      this.done(await this.camera.photo(this.#around(), DOCUMENT_QUALITY));
    }
  }

  protected async look(moment: number): Promise<void> {
    const look = this.#see();
    const advice = guide.advise(look, this.#before);
    this.#before = look;
    this.say(advice);
    if (this.#patience.now(advice === "ready", moment)) {
      await this.take();
    }
  }

  #see(): guide.Look {
    const seen = visible(this.camera.size, this.aspect);
    const [width, height] =
      this.aspect > 1 ? [SMALL, Math.round(SMALL / this.aspect)] : [Math.round(SMALL * this.aspect), SMALL];
    const grey = toGrey(this.camera.look(seen, width, height, this.#canvas));
    const { x, y, width: wide, height: high } = this.#frame;
    const frame: Box = { left: x * width, top: y * height, width: wide * width, height: high * height };
    // The focus is only seen in the camera's own pixels: a strip across the document's middle.
    const inCamera = within(seen, this.#frame);
    const strip = { ...inCamera, y: inCamera.y + inCamera.height * 0.42, height: inCamera.height * 0.25 };
    const own = {
      width: Math.round(strip.width * this.camera.size.width),
      height: Math.round(strip.height * this.camera.size.height),
    };
    const part = Math.min(1, 640 / own.width);
    const middle = { ...strip, x: strip.x + (strip.width * (1 - part)) / 2, width: strip.width * part };
    const detail = toGrey(
      this.camera.look(middle, Math.round(own.width * part), Math.min(160, own.height), this.#canvas),
    );
    return { grey, frame, detail };
  }

  #around(): Crop {
    const { x, y, width, height } = within(visible(this.camera.size, this.aspect), this.#frame);
    const [left, top] = [Math.max(0, x - width * MARGIN), Math.max(0, y - height * MARGIN)];
    const [right, bottom] = [Math.min(1, x + width * (1 + MARGIN)), Math.min(1, y + height * (1 + MARGIN))];
    return { x: left, y: top, width: right - left, height: bottom - top };
  }
}

/** Waits for a face in the oval, once or as it comes nearer. */
export class FaceCapture extends Looking {
  readonly #canvas = document.createElement("canvas");
  readonly #patience = new guide.Patience(FACE_MS);
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

/** A part of a part. */
function within(outer: Crop, inner: Crop): Crop {
  return {
    x: outer.x + inner.x * outer.width,
    y: outer.y + inner.y * outer.height,
    width: inner.width * outer.width,
    height: inner.height * outer.height,
  };
}

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
  const answer = await fetch(FACE_NET, { credentials: "omit" });
  return answer.ok ? new FaceNet(await answer.arrayBuffer()) : undefined;
}

/** Where the face net lies, beside the page; build.mjs says it. */
declare const FACE_NET: string | null;

/** A file that somebody chose. */
export interface Opened {
  blob: Blob;
  faults: guide.Fault[];
}

/** Files are made no larger than this along their longer side: enough for the smallest print of a page. */
const LONGEST = 2600;

/** Opens a picture: upright, without what else the file says, and no larger than is needed. Throws where it is none. */
export async function openPicture(file: Blob): Promise<Opened> {
  const bitmap = await createImageBitmap(file);
  const part = Math.min(1, LONGEST / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  const size = { width: bitmap.width, height: bitmap.height };
  const [width, height] = [Math.round(size.width * part), Math.round(size.height * part)];
  draw(bitmap, size, { x: 0, y: 0, width: 1, height: 1 }, width, height, canvas);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", DOCUMENT_QUALITY));
  const faults = faultsIn(bitmap, size);
  bitmap.close();
  if (!blob) {
    throw new Error("this browser makes no JPEG");
  }
  return { blob, faults };
}

/** What is wrong with a photo that the camera took. */
export async function faultsOfPhoto(photo: Blob): Promise<guide.Fault[]> {
  const bitmap = await createImageBitmap(photo);
  const faults = faultsIn(bitmap, { width: bitmap.width, height: bitmap.height });
  bitmap.close();
  return faults;
}

function faultsIn(source: CanvasImageSource, size: { width: number; height: number }): guide.Fault[] {
  const canvas = document.createElement("canvas");
  const pixels = (crop: Crop, width: number, height: number) =>
    toGrey(draw(source, size, crop, width, height, canvas).getImageData(0, 0, width, height));
  const small = pixels(
    { x: 0.1, y: 0.1, width: 0.8, height: 0.8 },
    SMALL,
    Math.round((SMALL * size.height) / size.width),
  );
  const [width, height] = [Math.min(640, size.width), Math.min(200, size.height)];
  const [wide, high] = [width / size.width, height / size.height];
  return guide.faultsOf(
    size,
    small,
    pixels({ x: (1 - wide) / 2, y: (1 - high) / 2, width: wide, height: high }, width, height),
  );
}
