// The document around the screens: how far somebody is, and the business's colours.

import { find } from "../shared/dom";
import { Stage } from "../shared/stage";
import { variables, type Wanted } from "./colours";
import { current, type State, stoppable } from "./journey";
import { fill, type Texts } from "./texts";

export class View extends Stage {
  /** Shows how far it is. */
  progress(state: State, texts: Texts): void {
    const [at, of] = [state.total - state.todo.length, state.total];
    const going =
      stoppable(state) && of > 0 && current(state) !== undefined && !["welcome", "following"].includes(state.step.on);
    const words = fill(texts.step, { at: at + 1, of });
    find("step").textContent = going && of > 1 ? words : "";
    const bar = find<HTMLProgressElement>("progress");
    bar.hidden = !going || of < 2;
    bar.value = of > 0 ? at / of : 0;
    bar.setAttribute("aria-label", words);
    find("stop").hidden = !stoppable(state);
  }

  /** Puts on the business's colours, as far as they can be read, whenever the reader's scheme changes too. */
  colour(wanted: Wanted): void {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const paint = () => {
      const style = getComputedStyle(document.documentElement);
      const ground = (name: string) => style.getPropertyValue(name).trim();
      for (const [name, value] of Object.entries(variables(wanted, ground("--page"), ground("--card")))) {
        document.documentElement.style.setProperty(name, value);
      }
    };
    paint();
    dark.addEventListener("change", paint);
  }
}
