// What to tell somebody who holds a document into the camera, and when to press the button for them.
//
// Guidance, and no judgement: the server reads the photo and says whether it will do. The limits were set by trying, on
// rendered documents; whoever they are wrong for presses the button by hand.

import { type Box, boxBlur, brightness, type GreyImage, meanDifference, pixelAt, sharpness } from "../shared/greyscale";

/** What is wrong with a photo. */
export type PhotoFault = "dark" | "bright" | "glare" | "blurred" | "small";

/** What to do next: put the document into the frame, mend a fault, hold still, or nothing. */
export type DocumentAdvice = "fit" | "still" | "ready" | Exclude<PhotoFault, "small">;

const TOO_DARK = 50;
/** What of the page is burnt out: as a spot a reflection, as a whole too much light. */
const MAX_GLARE = 0.012;
const TOO_BRIGHT = 0.45;
export const MIN_SHARPNESS = 0.5;
const MAX_MOVEMENT = 9;
/** Pixels along the longer side of a photo whose print can be read. */
const MIN_READABLE_PX = 900;

/** What there is to see of one moment of the video. */
export interface DocumentView {
  /** The visible part, small. */
  grey: GreyImage;
  /** Where the frame for the document is in it. */
  frame: Box;
  /** The middle of the frame in the camera's own pixels, for the focus. */
  detail: GreyImage;
}

/** The most urgent advice for a moment, given the one before it. */
export function adviseOnDocument(look: DocumentView, before: DocumentView | undefined): DocumentAdvice {
  const { mean, burnt } = brightness(look.grey, look.frame);
  if (mean < TOO_DARK) {
    return "dark";
  }
  if (burnt > TOO_BRIGHT) {
    return "bright";
  }
  if (countEdges(look.grey, look.frame) < 4) {
    return "fit";
  }
  if (burnt > MAX_GLARE) {
    return "glare";
  }
  if (!before || meanDifference(look.grey, before.grey, look.frame) > MAX_MOVEMENT) {
    return "still";
  }
  const sharp = sharpness(look.detail);
  return sharp !== undefined && sharp < MIN_SHARPNESS ? "blurred" : "ready";
}

/** What is wrong with a photo that was taken or chosen; `full` are its own pixels, `detail` a piece of its middle. */
export function photoFaults(
  full: { width: number; height: number },
  small: GreyImage,
  detail: GreyImage,
): PhotoFault[] {
  const { mean, burnt } = brightness(small, { left: 0, top: 0, ...small });
  const sharp = sharpness(detail);
  const all: [PhotoFault, boolean][] = [
    ["small", Math.max(full.width, full.height) < MIN_READABLE_PX],
    ["dark", mean < TOO_DARK],
    ["bright", burnt > TOO_BRIGHT],
    ["glare", burnt > MAX_GLARE * 2 && burnt <= TOO_BRIGHT],
    ["blurred", sharp !== undefined && sharp < MIN_SHARPNESS],
  ];
  return all.filter(([, holds]) => holds).map(([fault]) => fault);
}

/** How many sides of a document lie along the frame, 0 to 4. */
export function countEdges(seen: GreyImage, frame: Box): number {
  const grey = boxBlur(seen);
  const { left, top, width, height } = frame;
  const across = (x: number, y: number) => pixelAt(grey, x + 1, y) - pixelAt(grey, x - 1, y);
  const down = (y: number, x: number) => pixelAt(grey, x, y + 1) - pixelAt(grey, x, y - 1);
  const [reachX, reachY] = [Math.max(3, width * SEARCH_PART), Math.max(3, height * SEARCH_PART)];
  const sides = [
    hasEdge(across, left, reachX, top, height),
    hasEdge(across, left + width, reachX, top, height),
    hasEdge(down, top, reachY, left, width),
    hasEdge(down, top + height, reachY, left, width),
  ];
  return sides.filter(Boolean).length;
}

/** A side lies within this part of the frame around its line, and slants no more than half of it. */
const SEARCH_PART = 0.11;
/** Brightness changes by this much over a side, at this many of its points. */
const MIN_STEP = 11;
const MIN_EDGE_PART = 0.7;

/**
 * Whether there is a straight edge near a line. `step(across, along)` is the change of brightness over it. Points along
 * an edge are all lighter on the same side of it: print and wood are not.
 */
function hasEdge(
  step: (across: number, along: number) => number,
  at: number,
  reach: number,
  from: number,
  length: number,
) {
  // Corners are round.
  const points = Array.from({ length: 24 }, (_, point) => from + length * (0.1 + (0.8 * point) / 23));
  for (let start = Math.round(at - reach); start <= at + reach; start += 1) {
    for (let slant = -reach / 2; slant <= reach / 2; slant += 1) {
      let [lighter, darker] = [0, 0];
      points.forEach((along, point) => {
        const change = steepest(step, Math.round(start + (slant * point) / 23), Math.round(along));
        lighter += change > MIN_STEP ? 1 : 0;
        darker += change < -MIN_STEP ? 1 : 0;
      });
      if (Math.max(lighter, darker) >= points.length * MIN_EDGE_PART) {
        return true;
      }
    }
  }
  return false;
}

/** An edge is never quite where it was looked for. */
function steepest(step: (across: number, along: number) => number, across: number, along: number): number {
  const near = [step(across - 1, along), step(across, along), step(across + 1, along)];
  return near.reduce((most, one) => (Math.abs(one) > Math.abs(most) ? one : most));
}
