// The camera's window, with what to fit in and what to do.

import { button, make } from "../shared/dom";
import { drawing, row } from "../shared/pieces";
import { current, isFace } from "./journey";
import type { Choice, Need } from "./plan";
import type { Shown } from "./screens";

/** The camera's window: what it sees, what to fit in, and what to do. */
export interface Viewer {
  root: HTMLElement;
  video: HTMLVideoElement;
  advice: HTMLElement;
  take: HTMLButtonElement;
  change: HTMLButtonElement;
  bar: HTMLProgressElement;
  /** Shows that something is right. */
  mark(ready: boolean): void;
  /** Makes the oval so wide, as a part of the window. */
  turn(width: number): void;
}

/** The form of the window, of a document's page in it, and whether a face is looked at. */
export interface View {
  aspect: number;
  /** The frame as parts of the window; none for a face. */
  frame: { x: number; y: number; width: number; height: number } | undefined;
  mirrored: boolean;
  /** How wide the oval is for a face, as a part of the window. */
  oval: number;
}

export function viewer(shown: Shown, view: View, act: { take(): void; change(): void }): Viewer {
  const { state, texts, acts } = shown;
  const need = current(state) as Need;
  const video = make("video", { autoplay: true, muted: true, playsinline: true, "aria-label": texts.camera.view });
  // The attribute alone does not silence it for every browser's rule about what may play.
  video.muted = true;
  const height = 1000 / view.aspect;
  const shape = view.frame
    ? rectangle(view.frame.x * 1000, view.frame.y * height, view.frame.width * 1000, view.frame.height * height)
    : ellipse(500, height / 2, 500 * view.oval);
  const around = `M0 0h1000v${height}h-1000z`;
  const veil = drawing(1000, height, "", "veil", around + shape);
  const outline = drawing(1000, height, "", "outline", shape);
  const pane = make("div", { class: view.mirrored ? "window mirrored" : "window" }, video, veil, outline);
  pane.style.aspectRatio = String(view.aspect);
  pane.style.setProperty("--aspect", String(view.aspect));
  const advice = make("p", { class: "advice" }, texts.camera.opening);
  const bar = make("progress", { max: "1", value: "0", hidden: true, "aria-label": texts.face.approach });
  const take = button(isFace(need) && need.zoom ? texts.camera.start : texts.camera.take, act.take, {
    class: "primary",
    disabled: true,
  });
  const change = button(texts.camera.change, act.change, { hidden: true });
  const file = need.upload ? button(texts.tips.file, () => acts.happen({ is: "byFile" })) : undefined;
  const hint = make("p", { class: "soft" }, isFace(need) ? "" : texts.camera.takeSoon);
  const mark = (ready: boolean) => pane.classList.toggle("good", ready);
  const root = make("div", { class: "viewer" }, pane, advice, bar, row(take, change, file), hint);
  const turn = (width: number) => {
    const path = ellipse(500, height / 2, 500 * width);
    veil.firstElementChild?.setAttribute("d", around + path);
    outline.firstElementChild?.setAttribute("d", path);
  };
  return { root, video, advice, take, change, bar, mark, turn };
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

/** Which document forms the frame has: ID-1, a passport's page, a sheet. */
export function formOf(need: Need, choice: Choice | undefined): number {
  if (need.kind === "SUPPLEMENTARY_DOCUMENT") {
    return 210 / 297;
  }
  return choice?.type === "PASSPORT" ? 125 / 88 : 85.6 / 53.98;
}
