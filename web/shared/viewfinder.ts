// The camera's window, with what to fit in and what to do.

import { button, type Child, make } from "./dom";
import { row, svgPath } from "./elements";

/** What stands around the window. */
export interface ViewfinderTexts {
  /** What the window is called. */
  view: string;
  opening: string;
  approach: string;
  take: string;
  change: string;
  /** Shown to those who wait long. */
  hint: string;
}

/** The camera's window: what it sees, what to fit in, and what to do. */
export interface Viewfinder {
  root: HTMLElement;
  video: HTMLVideoElement;
  advice: HTMLElement;
  take: HTMLButtonElement;
  switchCamera: HTMLButtonElement;
  bar: HTMLProgressElement;
  /** Shows that something is right. */
  setReady(ready: boolean): void;
  /** Makes the oval so wide, as a part of the window. */
  setOvalWidth(width: number): void;
}

/** The form of the window, of a document's page in it, and whether a face is looked at. */
export interface ViewfinderOptions {
  aspect: number;
  /** The frame as parts of the window; none for a face. */
  frame: { x: number; y: number; width: number; height: number } | undefined;
  mirrored: boolean;
  /** How wide the oval is for a face, as a part of the window. */
  oval: number;
}

/** Makes one; `more` are further things to press. */
export function createViewfinder(
  words: ViewfinderTexts,
  view: ViewfinderOptions,
  act: { take(): void; change(): void },
  ...more: Child[]
): Viewfinder {
  const video = make("video", { autoplay: true, muted: true, playsinline: true, "aria-label": words.view });
  // The attribute alone does not silence it for every browser's rule about what may play.
  video.muted = true;
  const height = 1000 / view.aspect;
  const shape = view.frame
    ? rectangle(view.frame.x * 1000, view.frame.y * height, view.frame.width * 1000, view.frame.height * height)
    : ellipse(500, height / 2, 500 * view.oval);
  const around = `M0 0h1000v${height}h-1000z`;
  const veil = svgPath(1000, height, "", "veil", around + shape);
  const outline = svgPath(1000, height, "", "outline", shape);
  const pane = make("div", { class: view.mirrored ? "window mirrored" : "window" }, video, veil, outline);
  pane.style.aspectRatio = String(view.aspect);
  pane.style.setProperty("--aspect", String(view.aspect));
  const advice = make("p", { class: "advice" }, words.opening);
  const bar = make("progress", { max: "1", value: "0", hidden: true, "aria-label": words.approach });
  const take = button(words.take, act.take, { class: "primary", disabled: true });
  const change = button(words.change, act.change, { hidden: true });
  const hint = make("p", { class: "soft" }, words.hint);
  const mark = (ready: boolean) => pane.classList.toggle("good", ready);
  const root = make("div", { class: "viewer" }, pane, advice, bar, row(take, change, ...more), hint);
  const turn = (width: number) => {
    const path = ellipse(500, height / 2, 500 * width);
    veil.firstElementChild?.setAttribute("d", around + path);
    outline.firstElementChild?.setAttribute("d", path);
  };
  return { root, video, advice, take, switchCamera: change, bar, setReady: mark, setOvalWidth: turn };
}

function rectangle(x: number, y: number, width: number, height: number): string {
  const round = 24;
  const [across, down] = [width - 2 * round, height - 2 * round];
  const corner = (dx: number, dy: number) => `a${round} ${round} 0 0 1 ${dx * round} ${dy * round}`;
  return (
    `M${x + round} ${y}h${across}${corner(1, 1)}v${down}${corner(-1, 1)}` +
    `h${-across}${corner(-1, -1)}v${-down}${corner(1, -1)}z`
  );
}

/** An oval of the form of a head. */
function ellipse(x: number, y: number, across: number): string {
  const down = across * 1.3;
  return `M${x - across} ${y}a${across} ${down} 0 1 0 ${across * 2} 0a${across} ${down} 0 1 0 ${-across * 2} 0z`;
}
