// What the console's screens are made of, beside what all pages share.

import { confirmDialog, getById, make, uniqueId } from "../shared/dom";

export { button, getById, make, uniqueId } from "../shared/dom";

/** A box to tick, with its words. */
export function checkbox(words: string, ticked: boolean, value = "on"): { label: HTMLElement; box: HTMLInputElement } {
  const box = make("input", { type: "checkbox", value, id: uniqueId("box") });
  box.checked = ticked;
  return { label: make("label", { class: "tick", for: box.id }, box, ` ${words}`), box };
}

/** Asks before something that cannot be undone. */
export function confirmAction(question: string, meaning: string, yes: string, no: string): Promise<boolean> {
  getById("question").textContent = question;
  getById("meaning").textContent = meaning;
  getById("keep").textContent = no;
  getById("confirm").textContent = yes;
  return confirmDialog();
}
