// What the console's screens are made of, beside what all pages share.

import { answered, find, fresh, make } from "../shared/dom";

export { button, find, fresh, make } from "../shared/dom";

/** A box to tick, with its words. */
export function tick(words: string, ticked: boolean, value = "on"): { label: HTMLElement; box: HTMLInputElement } {
  const box = make("input", { type: "checkbox", value, id: fresh("box") });
  box.checked = ticked;
  return { label: make("label", { class: "tick", for: box.id }, box, ` ${words}`), box };
}

/** Asks before something that cannot be undone. */
export function ask(question: string, meaning: string, yes: string, no: string): Promise<boolean> {
  find("question").textContent = question;
  find("meaning").textContent = meaning;
  find("keep").textContent = no;
  find("confirm").textContent = yes;
  return answered();
}
