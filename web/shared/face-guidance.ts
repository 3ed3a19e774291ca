// What to tell somebody who looks into the camera, and which pictures of an approaching face to keep.

import type { Face } from "./face-detector";
import { type Box, brightness, type GreyImage, meanDifference } from "./greyscale";

/** What to do next. */
export type FaceAdvice = "find" | "alone" | "centre" | "closer" | "back" | "dark" | "bright" | "still" | "ready";

/** How wide a face is to be, as a part of the shorter side of what is seen: at least, and at most. */
export interface FaceWidthRange {
  min: number;
  max: number;
}

/** For one picture; for the first of an approach; and where an approach ends. */
export const PORTRAIT_WIDTH: FaceWidthRange = { min: 0.42, max: 0.8 };
export const FAR_WIDTH: FaceWidthRange = { min: 0.28, max: 0.5 };
export const NEAR_WIDTH: FaceWidthRange = { min: 0.62, max: 1.1 };

/** How wide the oval is that a face is to fill: a little wider than the face, as a part of the window's width. */
export const OVAL_WIDTHS = { portrait: 0.72, far: 0.5, near: 0.9 } as const;

/** Pictures of an approach. */
export const APPROACH_FRAMES = 7;

const MIN_SECOND_FACE_SCORE = 0.6;
const TOO_DARK = 45;
const TOO_BRIGHT = 225;
const MAX_MOVEMENT = 12;
/** How far from the middle, as a part of the picture. */
const MAX_OFF_CENTRE = 0.14;

/** One moment: brightness, and the faces in it as parts of its sides. */
export interface FaceView {
  grey: GreyImage;
  faces: Face[];
}

/** How wide the face is, as a part of the shorter side. */
export function faceWidth({ grey }: FaceView, face: Face): number {
  return (face.width * grey.width) / Math.min(grey.width, grey.height);
}

/** The most urgent advice for a moment, given the one before it. */
export function adviseOnFace(look: FaceView, before: FaceView | undefined, reach: FaceWidthRange): FaceAdvice {
  const [face, other] = look.faces;
  if (!face) {
    return brightness(look.grey, centreBox(look.grey)).mean < TOO_DARK ? "dark" : "find";
  }
  // Somebody far behind does not matter, nor what the net takes for a face and is not sure of.
  if (other && other.score > MIN_SECOND_FACE_SCORE && other.width > face.width * 0.5) {
    return "alone";
  }
  const where = faceBox(look.grey, face);
  const { mean } = brightness(look.grey, where);
  const width = faceWidth(look, face);
  const [x, y] = [face.x + face.width / 2 - 0.5, face.y + face.height / 2 - 0.5];
  if (mean < TOO_DARK || mean > TOO_BRIGHT) {
    return mean < TOO_DARK ? "dark" : "bright";
  }
  if (width < reach.min || width > reach.max) {
    return width < reach.min ? "closer" : "back";
  }
  if (Math.abs(x) > MAX_OFF_CENTRE || Math.abs(y) > MAX_OFF_CENTRE) {
    return "centre";
  }
  return before && meanDifference(look.grey, before.grey, where) <= MAX_MOVEMENT ? "ready" : "still";
}

function faceBox(grey: GreyImage, face: Face): Box {
  return {
    left: face.x * grey.width,
    top: face.y * grey.height,
    width: face.width * grey.width,
    height: face.height * grey.height,
  };
}

function centreBox({ width, height }: GreyImage): Box {
  return { left: width * 0.3, top: height * 0.2, width: width * 0.4, height: height * 0.6 };
}

/** An approach of fewer pictures before its end went too fast to show anything. */
const MIN_APPROACH_FRAMES = 4;

/** Chooses pictures of a face that comes nearer: each shows it larger by the same part, the last ones at the end. */
export class ApproachRecorder {
  #kept: number[] = [];

  /** What to make of the picture of this moment, in which the face is so wide. Too fast begins anew. */
  add(width: number): "keep" | "wait" | "tooFast" {
    const [first, last] = [this.#kept[0], this.#kept.at(-1)];
    if (this.done) {
      return "wait";
    }
    if (first !== undefined && last !== undefined) {
      const there = width >= NEAR_WIDTH.min;
      if (there && this.#kept.length < MIN_APPROACH_FRAMES) {
        this.#kept = [];
        return "tooFast";
      }
      const step = (NEAR_WIDTH.min / first) ** (1 / (APPROACH_FRAMES - 1));
      if (!there && width < last * step) {
        return "wait";
      }
    }
    this.#kept.push(width);
    return "keep";
  }

  get done(): boolean {
    return this.#kept.length >= APPROACH_FRAMES;
  }

  /** How far it is, 0 to 1. */
  get progress(): number {
    return this.#kept.length / APPROACH_FRAMES;
  }
}
