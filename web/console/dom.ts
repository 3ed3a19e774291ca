// What the console's screens are made of, beside what all pages share.

import { find, fresh, make } from "../shared/dom";

export { button, find, fresh, make } from "../shared/dom";

/** A box to tick, with its words. */
export function tick(words: string, ticked: boolean, value = "on"): { label: HTMLElement; box: HTMLInputElement } {
  const box = make("input", { type: "checkbox", value, id: fresh("box") });
  box.checked = ticked;
  return { label: make("label", { class: "tick", for: box.id }, box, ` ${words}`), box };
}

/** Asks before something that cannot be undone; the keyboard goes back to where it was. */
export function ask(question: string, meaning: string, yes: string, no: string): Promise<boolean> {
  const sure = find<HTMLDialogElement>("sure");
  find("question").textContent = question;
  find("meaning").textContent = meaning;
  const [keep, confirm] = [find<HTMLButtonElement>("keep"), find<HTMLButtonElement>("confirm")];
  keep.textContent = no;
  confirm.textContent = yes;
  return new Promise((resolve) => {
    keep.onclick = () => sure.close("");
    confirm.onclick = () => sure.close("yes");
    sure.addEventListener("close", () => resolve(sure.returnValue === "yes"), { once: true });
    sure.returnValue = "";
    sure.showModal();
    keep.focus();
  });
}
