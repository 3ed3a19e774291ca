// Elements, made of text alone: nothing that a server sent is ever read as markup.

type Child = Node | string | undefined;
type Properties = Record<string, string | boolean | undefined>;

/** An element with attributes and children; an attribute that is `true` stands there empty. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value !== undefined && value !== false) {
      made.setAttribute(name, value === true ? "" : value);
    }
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** A button that does something. */
export function button(words: string, act: () => void, properties: Properties = {}): HTMLButtonElement {
  const made = make("button", { type: "button", ...properties }, words);
  made.addEventListener("click", act);
  return made;
}

let fields = 0;

/** An id that nothing else has. */
export function fresh(name: string): string {
  fields += 1;
  return `${name}-${fields}`;
}

/** A box to tick, with its words. */
export function tick(words: string, ticked: boolean, value = "on"): { label: HTMLElement; box: HTMLInputElement } {
  const box = make("input", { type: "checkbox", value, id: fresh("box") });
  box.checked = ticked;
  return { label: make("label", { class: "tick", for: box.id }, box, ` ${words}`), box };
}

/** An element of the document that is there. */
export function find<E extends HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (!found) {
    throw new Error(`there is no #${id}`);
  }
  return found as E;
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
