// The screen that hands over to a phone, and goes on by itself when the phone is done.

import { button, make, uniqueId } from "./dom";
import { labelledField, paragraph, row, svgPath } from "./elements";
import type { Screen } from "./page-layout";
import type { QrCode } from "./qr";

/** The words of the screen. */
export interface HandOffTexts {
  heading: string;
  body: string;
  code: string;
  link: string;
  copy: string;
  secret: string;
  back: string;
}

/** What the screen needs beside its words. */
export interface HandOffOptions {
  link: string;
  /** What is known of the phone. */
  progress: string;
  copy(): void;
  back(): void;
}

/** A place for the code, the link below it, and a way back. */
export function handOffScreen(words: HandOffTexts, { link, progress, copy, back }: HandOffOptions): Screen {
  const field = make("input", { id: uniqueId("link"), readonly: true, value: link, dir: "ltr" });
  field.addEventListener("focus", () => field.select());
  return {
    heading: words.heading,
    body: [
      paragraph(words.body),
      qrPlaceholder(words.code),
      labelledField(words.link, field),
      row(button(words.copy, copy)),
      paragraph(words.secret, "soft"),
      make("p", { class: "followed", id: "followed" }, progress),
      row(button(words.back, back)),
    ],
  };
}

/** Where a QR code will stand. */
export function qrPlaceholder(name: string): Element {
  return svgPath(1, 1, name, "code", "");
}

/** Puts the code into its place, once it is drawn. */
export function showQrCode({ size, path }: QrCode): void {
  const svg = document.querySelector("svg.code");
  svg?.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg?.firstElementChild?.setAttribute("d", path);
}

/** Whether this device is a phone or a tablet, which has no other that could go on. */
export function isPhone(): boolean {
  return matchMedia("(pointer: coarse)").matches && !matchMedia("(any-pointer: fine)").matches;
}

/** Copies a link; selects it where the browser does not let programs copy. Answers whether it was copied. */
export async function copyLink(link: string): Promise<boolean> {
  const done = await navigator.clipboard?.writeText(link).then(
    () => true,
    () => false,
  );
  if (!done) {
    document.querySelector<HTMLInputElement>("input[readonly]")?.select();
  }
  return done === true;
}
