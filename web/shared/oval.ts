// What to tell somebody who looks into the camera, and which pictures of an approaching face to keep.

import type { Face } from "./face";
import { type Box, change, type Grey, light } from "./grey";

/** What to do next. */
export type Advice = "find" | "alone" | "centre" | "closer" | "back" | "dark" | "bright" | "still" | "ready";

/** How wide a face is to be, as a part of the shorter side of what is seen: at least, and at most. */
export interface Reach {
  least: number;
  most: number;
}

/** For one picture; for the first of an approach; and where an approach ends. */
export const PORTRAIT: Reach = { least: 0.42, most: 0.8 };
export const FAR: Reach = { least: 0.28, most: 0.5 };
export const NEAR: Reach = { least: 0.62, most: 1.1 };

/** How wide the oval is that a face is to fill: a little wider than the face, as a part of the window's width. */
export const OVALS = { portrait: 0.72, far: 0.5, near: 0.9 } as const;

/** Pictures of an approach. */
export const FRAMES = 7;

const SURELY = 0.6;
const TOO_DARK = 45;
const TOO_BRIGHT = 225;
const MOVING = 12;
/** How far from the middle, as a part of the picture. */
const OFF = 0.14;

/** One moment: brightness, and the faces in it as parts of its sides. */
export interface Look {
  grey: Grey;
  faces: Face[];
}

/** How wide the face is, as a part of the shorter side. */
export function widthOf({ grey }: Look, face: Face): number {
  return (face.width * grey.width) / Math.min(grey.width, grey.height);
}

/** The most urgent advice for a moment, given the one before it. */
export function advise(look: Look, before: Look | undefined, reach: Reach): Advice {
  const [face, other] = look.faces;
  if (!face) {
    return light(look.grey, middle(look.grey)).mean < TOO_DARK ? "dark" : "find";
  }
  // Somebody far behind does not matter, nor what the net takes for a face and is not sure of.
  if (other && other.score > SURELY && other.width > face.width * 0.5) {
    return "alone";
  }
  const where = placed(look.grey, face);
  const { mean } = light(look.grey, where);
  const width = widthOf(look, face);
  const [x, y] = [face.x + face.width / 2 - 0.5, face.y + face.height / 2 - 0.5];
  if (mean < TOO_DARK || mean > TOO_BRIGHT) {
    return mean < TOO_DARK ? "dark" : "bright";
  }
  if (width < reach.least || width > reach.most) {
    return width < reach.least ? "closer" : "back";
  }
  if (Math.abs(x) > OFF || Math.abs(y) > OFF) {
    return "centre";
  }
  return before && change(look.grey, before.grey, where) <= MOVING ? "ready" : "still";
}

function placed(grey: Grey, face: Face): Box {
  return {
    left: face.x * grey.width,
    top: face.y * grey.height,
    width: face.width * grey.width,
    height: face.height * grey.height,
  };
}

function middle({ width, height }: Grey): Box {
  return { left: width * 0.3, top: height * 0.2, width: width * 0.4, height: height * 0.6 };
}

/** An approach of fewer pictures before its end went too fast to show anything. */
const ENOUGH = 4;

/** Chooses pictures of a face that comes nearer: each shows it larger by the same part, the last ones at the end. */
export class Approach {
  #kept: number[] = [];

  /** What to make of the picture of this moment, in which the face is so wide. Too fast begins anew. */
  take(width: number): "keep" | "wait" | "tooFast" {
    const [first, last] = [this.#kept[0], this.#kept.at(-1)];
    if (this.done) {
      return "wait";
    }
    if (first !== undefined && last !== undefined) {
      const there = width >= NEAR.least;
      if (there && this.#kept.length < ENOUGH) {
        this.#kept = [];
        return "tooFast";
      }
      const step = (NEAR.least / first) ** (1 / (FRAMES - 1));
      if (!there && width < last * step) {
        return "wait";
      }
    }
    this.#kept.push(width);
    return "keep";
  }

  get done(): boolean {
    return this.#kept.length >= FRAMES;
  }

  /** How far it is, 0 to 1. */
  get progress(): number {
    return this.#kept.length / FRAMES;
  }
}
