// Elements, made of text alone: nothing that a server sent is ever read as markup.

export type Child = Node | string | undefined;
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

let lastId = 0;

/** An id that nothing else has. */
export function uniqueId(name: string): string {
  lastId += 1;
  return `${name}-${lastId}`;
}

/** An element of the document that is there. */
export function getById<E extends HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (!found) {
    throw new Error(`there is no #${id}`);
  }
  return found as E;
}

let settleEarlier: ((yes: boolean) => void) | undefined;

/**
 * Shows the document's question and tells whether its second button was pressed; the focus is on the first. Afterwards the
 * keyboard goes back to where it was.
 */
export function confirmDialog(): Promise<boolean> {
  const sure = getById<HTMLDialogElement>("sure");
  const keep = getById<HTMLButtonElement>("keep");
  keep.onclick = () => sure.close("");
  getById<HTMLButtonElement>("confirm").onclick = () => sure.close("yes");
  settleEarlier?.(false);
  return new Promise((resolve) => {
    // That an earlier question was closed is told late: perhaps when this one is open already.
    const closed = () => sure.open || settleEarlier?.(sure.returnValue === "yes");
    settleEarlier = (yes) => {
      sure.removeEventListener("close", closed);
      settleEarlier = undefined;
      resolve(yes);
    };
    sure.addEventListener("close", closed);
    sure.returnValue = "";
    sure.showModal();
    keep.focus();
  });
}

/** Takes the question away, which is then answered with no. */
export function closeDialog(): void {
  getById<HTMLDialogElement>("sure").close();
}
