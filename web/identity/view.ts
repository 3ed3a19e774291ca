// The document around the screens: how far somebody is, and the business's colours.

import { getById } from "../shared/dom";
import { PageLayout } from "../shared/page-layout";
import { type BrandColours, colourVariables } from "./brand-colours";
import { currentRequirement, isCancellable, type State } from "./state-machine";
import { interpolate, type Texts } from "./texts";

export class View extends PageLayout {
  /** Shows how far it is. */
  progress(state: State, texts: Texts): void {
    const [at, of] = [state.total - state.todo.length, state.total];
    const going =
      isCancellable(state) &&
      of > 0 &&
      currentRequirement(state) !== undefined &&
      !["welcome", "following"].includes(state.step.on);
    const words = interpolate(texts.step, { at: at + 1, of });
    getById("step").textContent = going && of > 1 ? words : "";
    const bar = getById<HTMLProgressElement>("progress");
    bar.hidden = !going || of < 2;
    bar.value = of > 0 ? at / of : 0;
    bar.setAttribute("aria-label", words);
    getById("stop").hidden = !isCancellable(state);
  }

  /**
   * Puts on the business's colours, as far as they can be read, whenever the reader's scheme changes too. `forced` is
   * whether the page is dark; where nothing is said, the reader's device decides.
   */
  colour(wanted: BrandColours & { primaryDark?: string | undefined }, forced: boolean | undefined): void {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    if (forced !== undefined) {
      forceScheme(forced);
    }
    const paint = () => {
      const isDark = forced ?? dark.matches;
      const worn = { ...wanted, primary: (isDark ? wanted.primaryDark : undefined) ?? wanted.primary };
      const style = getComputedStyle(document.documentElement);
      const ground = (name: string) => style.getPropertyValue(name).trim();
      for (const [name, value] of Object.entries(colourVariables(worn, ground("--page"), ground("--card")))) {
        document.documentElement.style.setProperty(name, value);
      }
    };
    paint();
    dark.addEventListener("change", paint);
  }
}

/** Makes the page dark or light, whatever the device is set to: the rules for a dark device apply always, or never. */
function forceScheme(dark: boolean): void {
  document.documentElement.style.colorScheme = dark ? "dark" : "light";
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (rule instanceof CSSMediaRule && DARK.test(rule.media.mediaText)) {
        rule.media.mediaText = dark ? "all" : "not all";
      }
    }
  }
  for (const meta of document.querySelectorAll<HTMLMetaElement>("meta[name=theme-color]")) {
    meta.media = DARK.test(meta.media) === dark ? "all" : "not all";
  }
}

const DARK = /prefers-color-scheme:\s*dark/;
