// Looks at documents through the camera, tells what to do, takes the picture, and opens files.

import { type Camera, type Crop, drawCrop } from "../shared/camera";
import { DwellTimer } from "../shared/dwell-timer";
import { CaptureLoop, visibleCrop } from "../shared/face-capture";
import { type Box, toGreyscale } from "../shared/greyscale";
import * as guide from "./document-guidance";

/** How long everything must be right before a picture is taken by itself. */
const STEADY_MS = 600;
/** The frame for a document, as a part of what is seen. */
export const FRAME_PART = 0.86;
/** What is photographed around the frame, as a part of it: a page that is cut off cannot be read. */
const MARGIN_PART = 0.12;
const JPEG_QUALITY = 0.92;
const ANALYSIS_PX = 320;

/** The frame for a document of a form, in a window of another: as parts of the window. */
export function documentFrame(aspect: number, form: number): Crop {
  const [width, height] =
    aspect > form ? [(FRAME_PART * form) / aspect, FRAME_PART] : [FRAME_PART, (FRAME_PART * aspect) / form];
  return { x: (1 - width) / 2, y: (1 - height) / 2, width, height };
}

/** Waits for a document that lies in the frame. */
export class DocumentCapture extends CaptureLoop {
  readonly #canvas = document.createElement("canvas");
  readonly #dwell = new DwellTimer(STEADY_MS);
  readonly #frame: Crop;
  #before: guide.DocumentView | undefined;

  /** `aspect` is the window's form, `form` the document's. */
  constructor(
    readonly camera: Camera,
    readonly aspect: number,
    form: number,
    readonly onAdvice: (advice: guide.DocumentAdvice) => void,
    readonly onPhoto: (photo: Blob) => void,
  ) {
    super();
    this.#frame = documentFrame(aspect, form);
  }

  /** Takes the picture, whatever there is to see. */
  async take(): Promise<void> {
    if (!this.stopped) {
      this.stop();
      this.camera.pause();
      this.onPhoto(await this.camera.takePhoto(this.#photoCrop(), JPEG_QUALITY));
    }
  }

  protected async look(moment: number): Promise<void> {
    const look = this.#readView();
    const advice = guide.adviseOnDocument(look, this.#before);
    this.#before = look;
    this.onAdvice(advice);
    if (this.#dwell.update(advice === "ready", moment)) {
      await this.take();
    }
  }

  #readView(): guide.DocumentView {
    const seen = visibleCrop(this.camera.size, this.aspect);
    const [width, height] =
      this.aspect > 1
        ? [ANALYSIS_PX, Math.round(ANALYSIS_PX / this.aspect)]
        : [Math.round(ANALYSIS_PX * this.aspect), ANALYSIS_PX];
    const grey = toGreyscale(this.camera.readPixels(seen, width, height, this.#canvas));
    const { x, y, width: wide, height: high } = this.#frame;
    const frame: Box = { left: x * width, top: y * height, width: wide * width, height: high * height };
    // The focus is only seen in the camera's own pixels: a strip across the document's middle.
    const inCamera = cropWithin(seen, this.#frame);
    const strip = { ...inCamera, y: inCamera.y + inCamera.height * 0.42, height: inCamera.height * 0.25 };
    const own = {
      width: Math.round(strip.width * this.camera.size.width),
      height: Math.round(strip.height * this.camera.size.height),
    };
    const part = Math.min(1, 640 / own.width);
    const middle = { ...strip, x: strip.x + (strip.width * (1 - part)) / 2, width: strip.width * part };
    const detail = toGreyscale(
      this.camera.readPixels(middle, Math.round(own.width * part), Math.min(160, own.height), this.#canvas),
    );
    return { grey, frame, detail };
  }

  #photoCrop(): Crop {
    const { x, y, width, height } = cropWithin(visibleCrop(this.camera.size, this.aspect), this.#frame);
    const [left, top] = [Math.max(0, x - width * MARGIN_PART), Math.max(0, y - height * MARGIN_PART)];
    const [right, bottom] = [Math.min(1, x + width * (1 + MARGIN_PART)), Math.min(1, y + height * (1 + MARGIN_PART))];
    return { x: left, y: top, width: right - left, height: bottom - top };
  }
}

/** A part of a part. */
function cropWithin(outer: Crop, inner: Crop): Crop {
  return {
    x: outer.x + inner.x * outer.width,
    y: outer.y + inner.y * outer.height,
    width: inner.width * outer.width,
    height: inner.height * outer.height,
  };
}

/** A file that somebody chose. */
export interface OpenedPicture {
  blob: Blob;
  faults: guide.PhotoFault[];
}

/** Files are made no larger than this along their longer side: enough for the smallest print of a page. */
const MAX_SIDE_PX = 2600;

/** Opens a picture: upright, without what else the file says, and no larger than is needed. Throws where it is none. */
export async function openPicture(file: Blob): Promise<OpenedPicture> {
  const bitmap = await createImageBitmap(file);
  const part = Math.min(1, MAX_SIDE_PX / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  const size = { width: bitmap.width, height: bitmap.height };
  const [width, height] = [Math.round(size.width * part), Math.round(size.height * part)];
  drawCrop(bitmap, size, { x: 0, y: 0, width: 1, height: 1 }, width, height, canvas);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", JPEG_QUALITY));
  const faults = checkPixels(bitmap, size);
  bitmap.close();
  if (!blob) {
    throw new Error("this browser makes no JPEG");
  }
  return { blob, faults };
}

/** What is wrong with a photo that the camera took. */
export async function checkPhoto(photo: Blob): Promise<guide.PhotoFault[]> {
  const bitmap = await createImageBitmap(photo);
  const faults = checkPixels(bitmap, { width: bitmap.width, height: bitmap.height });
  bitmap.close();
  return faults;
}

function checkPixels(source: CanvasImageSource, size: { width: number; height: number }): guide.PhotoFault[] {
  const canvas = document.createElement("canvas");
  const pixels = (crop: Crop, width: number, height: number) =>
    toGreyscale(drawCrop(source, size, crop, width, height, canvas).getImageData(0, 0, width, height));
  const small = pixels(
    { x: 0.1, y: 0.1, width: 0.8, height: 0.8 },
    ANALYSIS_PX,
    Math.round((ANALYSIS_PX * size.height) / size.width),
  );
  const [width, height] = [Math.min(640, size.width), Math.min(200, size.height)];
  const [wide, high] = [width / size.width, height / size.height];
  return guide.photoFaults(
    size,
    small,
    pixels({ x: (1 - wide) / 2, y: (1 - high) / 2, width: wide, height: high }, width, height),
  );
}
