// A picture that people are searched by: somebody's file, or the face of a case. It is made small enough here, upright and
// without what cameras write beside it, so that the server gets no more than it needs.

import { toBase64 } from "../../shared/bytes";

export interface SearchPicture {
  /** Tells it from every other picture of this visit. */
  id: string;
  jpeg: Blob;
  base64: string;
}

/** A larger file is not opened. */
export const MAX_FILE_BYTES = 30_000_000;
/** Larger pictures are scaled down: a face that is found in them is found in this as well. */
export const MAX_SIDE_PIXELS = 2000;
const JPEG_QUALITY = 0.92;

export class UnusablePictureError extends Error {
  constructor(readonly reason: "tooLarge" | "unreadable") {
    super(reason);
  }
}

/** A size with the same shape whose longer side is no longer than allowed. */
export function fittedSize(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, MAX_SIDE_PIXELS / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

export async function pictureFromFile(file: Blob): Promise<SearchPicture> {
  if (file.size > MAX_FILE_BYTES) {
    throw new UnusablePictureError("tooLarge");
  }
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(file);
  } catch {
    throw new UnusablePictureError("unreadable");
  }
  try {
    return await pictureOf(bitmap, bitmap.width, bitmap.height);
  } finally {
    bitmap.close();
  }
}

/** Of a picture that the page shows already, by its address in this page. */
export async function pictureFromUrl(url: string): Promise<SearchPicture> {
  const image = new Image();
  image.src = url;
  try {
    await image.decode();
  } catch {
    throw new UnusablePictureError("unreadable");
  }
  return pictureOf(image, image.naturalWidth, image.naturalHeight);
}

async function pictureOf(drawn: CanvasImageSource, ownWidth: number, ownHeight: number): Promise<SearchPicture> {
  const { width, height } = fittedSize(ownWidth, ownHeight);
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const ground = canvas.getContext("2d");
  if (!ground) {
    throw new UnusablePictureError("unreadable");
  }
  // JPEG has no transparency, and black is a bad ground for a face.
  ground.fillStyle = "#fff";
  ground.fillRect(0, 0, width, height);
  ground.drawImage(drawn, 0, 0, width, height);
  const jpeg = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", JPEG_QUALITY));
  if (!jpeg) {
    throw new UnusablePictureError("unreadable");
  }
  const base64 = toBase64(new Uint8Array(await jpeg.arrayBuffer()));
  return { id: crypto.randomUUID(), jpeg, base64 };
}

/** The first picture among files that were dropped or pasted. */
export function firstPicture(files: Iterable<File> | undefined | null): File | undefined {
  return [...(files ?? [])].find(({ type }) => type.startsWith("image/"));
}
