// Looks at documents through the camera, tells what to do, takes the picture, and opens files.

import { type Camera, type Crop, draw } from "../shared/camera";
import { type Box, toGrey } from "../shared/grey";
import { Patience } from "../shared/patience";
import { Looking, visible } from "../shared/portrait";
import * as guide from "./guide";

/** How long everything must be right before a picture is taken by itself. */
const DOCUMENT_MS = 600;
/** The frame for a document, as a part of what is seen. */
export const FRAME = 0.86;
/** What is photographed around the frame, as a part of it: a page that is cut off cannot be read. */
const MARGIN = 0.12;
const DOCUMENT_QUALITY = 0.92;
const SMALL = 320;

/** The frame for a document of a form, in a window of another: as parts of the window. */
export function frameIn(aspect: number, form: number): Crop {
  const [width, height] = aspect > form ? [(FRAME * form) / aspect, FRAME] : [FRAME, (FRAME * aspect) / form];
  return { x: (1 - width) / 2, y: (1 - height) / 2, width, height };
}

/** Waits for a document that lies in the frame. */
export class DocumentCapture extends Looking {
  readonly #canvas = document.createElement("canvas");
  readonly #patience = new Patience(DOCUMENT_MS);
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

/** A part of a part. */
function within(outer: Crop, inner: Crop): Crop {
  return {
    x: outer.x + inner.x * outer.width,
    y: outer.y + inner.y * outer.height,
    width: inner.width * outer.width,
    height: inner.height * outer.height,
  };
}

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
