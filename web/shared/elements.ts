// What screens are made of.

import { button, type Child, make } from "./dom";

export function paragraph(words: string, kind = ""): HTMLElement {
  return make("p", kind ? { class: kind } : {}, words);
}

export function primaryButton(words: string, act: () => void): HTMLButtonElement {
  return button(words, act, { class: "primary" });
}

export function row(...children: Child[]): HTMLElement {
  return make("div", { class: "row" }, ...children);
}

export function labelledField(words: string, control: HTMLElement): HTMLElement {
  return make("div", { class: "field" }, make("label", { for: control.id }, words), control);
}

export function adviceList(list: string[]): HTMLElement {
  return make("ul", { class: "tips" }, ...list.map((words) => make("li", {}, words)));
}

export function spinner(): HTMLElement {
  return make("div", { class: "busy", "aria-hidden": "true" });
}

const SVG = "http://www.w3.org/2000/svg";

/** One path; without a name it is there for the eye alone. */
export function svgPath(width: number, height: number, name: string, kind: string, path: string): Element {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("class", kind);
  if (name) {
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", name);
  } else {
    svg.setAttribute("aria-hidden", "true");
  }
  const shape = document.createElementNS(SVG, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

export function documentSketch(): Element {
  const corners = "M4 22V8q0-4 4-4h14M98 4h14q4 0 4 4v14M116 62v14q0 4-4 4H98M22 80H8q-4 0-4-4V62";
  const card = "M20 16h80q4 0 4 4v44q0 4-4 4H20q-4 0-4-4V20q0-4 4-4z";
  const print = "M30 34a8 8 0 1 0 16 0a8 8 0 1 0-16 0M26 58c2-14 22-14 24 0M62 30h32M62 42h32M62 54h20";
  return svgPath(120, 84, "", "sketch", `${corners}${card}${print}`);
}

export function ovalSketch(): Element {
  const oval = "M60 4c22 0 34 18 34 40s-14 44-34 44S26 66 26 44S38 4 60 4z";
  const face = "M48 38v4M72 38v4M60 44v10h-4M48 66q12 10 24 0";
  return svgPath(120, 92, "", "sketch", oval + face);
}

export function tickIcon(): Element {
  return svgPath(64, 64, "", "tick", "M32 4a28 28 0 1 0 .1 0zM19 33l9 9 17-19");
}
