// The page's elements: shows a screen, and knows nothing of how it came about.

import type { Language } from "../shared/language";
import type { QrCode } from "../shared/qr";
import type { MessageKind, Remark, Screen } from "./screen-selection";
import { TEXTS, type Texts } from "./texts";

/** What the code screen shows besides its remarks. */
export interface CodeScreen {
  code: QrCode | undefined;
  age: number;
  /** Seconds until the next code. */
  seconds: number;
  /** How many more codes there are, and when the last of them expires, in milliseconds. */
  count: number;
  until: number;
  offline: boolean;
}

/** What a person can ask for. */
export interface UserActions {
  renew(): void;
  retry(): void;
  remove(): void;
}

const RETRYABLE: ReadonlySet<MessageKind> = new Set(["clock", "stranded", "busy", "broken"]);

export class View {
  readonly #texts: Texts;
  readonly #time = new Intl.DateTimeFormat([...navigator.languages], { hour: "numeric", minute: "2-digit" });
  #drawn: QrCode | undefined;
  #kind: Screen["kind"] | undefined;
  #remarks = "";

  constructor(language: Language, wishes: UserActions) {
    this.#texts = TEXTS[language];
    document.documentElement.lang = language;
    document.title = this.#texts.title;
    for (const labelled of document.querySelectorAll<HTMLElement>("[data-text]")) {
      const text = this.#texts[labelled.dataset.text as keyof Texts];
      if (typeof text === "string") {
        write(labelled, text);
      }
    }
    for (const stuck of document.querySelectorAll(".stuck")) {
      stuck.remove();
    }
    this.#listen(wishes);
  }

  /** Shows the screen with a code. */
  showCode(remarks: Remark[], shown: CodeScreen): void {
    const texts = this.#texts;
    this.#switchTo("code");
    write(element("claim"), texts.over(shown.age));
    this.#draw(shown.code, texts.codeLabel(shown.age));
    write(element("next"), texts.nextIn(shown.seconds));
    element("hand").style.strokeDashoffset = `${30 - shown.seconds}`;
    write(element("until"), shown.count > 0 ? texts.until(this.#time.format(shown.until)) : texts.lastCode);
    write(element("count"), shown.count > 0 ? texts.codesLeft(shown.count) : "");
    this.#showNetwork(shown.offline);
    this.#list(remarks.map((remark) => texts.remarks[remark]));
  }

  /** Shows a message instead of a code. */
  showTrouble(trouble: MessageKind): void {
    const { heading, body } = this.#texts.troubles[trouble];
    write(element("heading"), heading);
    write(element("body"), body);
    element("message").dataset.kind = trouble;
    element("retry").hidden = !RETRYABLE.has(trouble);
    this.#draw(undefined, "");
    if (this.#switchTo(trouble)) {
      this.say(`${heading}. ${body}`);
    }
  }

  /** Whether there is something to remove. */
  offerRemoval(offered: boolean): void {
    element("remove").hidden = !offered;
  }

  /** Tells those who hear the page that another code is shown. */
  sayRenewed(): void {
    this.say(this.#texts.renewed);
  }

  /** Takes the reader to the message, once the control that had the focus is gone. */
  focusHeading(): void {
    element("heading").focus();
  }

  say(text: string): void {
    write(element("spoken"), text);
  }

  /** Shows one of the two halves; answers whether it was another screen before. */
  #switchTo(kind: Screen["kind"]): boolean {
    if (this.#kind === kind) {
      return false;
    }
    const focused = document.activeElement;
    element("pass").hidden = kind !== "code";
    element("message").hidden = kind === "code";
    if (kind === "code") {
      this.say("");
    }
    // A control that vanishes with its screen must not leave the keyboard nowhere.
    if (focused instanceof HTMLElement && focused !== document.body && focused.closest("[hidden]")) {
      (kind === "code" ? element("renew") : element("heading")).focus();
    }
    this.#kind = kind;
    return true;
  }

  #draw(code: QrCode | undefined, label: string): void {
    const svg = element("code");
    if (svg.getAttribute("aria-label") !== label) {
      svg.setAttribute("aria-label", label);
    }
    if (this.#drawn !== code) {
      this.#drawn = code;
      svg.setAttribute("viewBox", `0 0 ${code?.size ?? 1} ${code?.size ?? 1}`);
      element("modules").setAttribute("d", code?.path ?? "");
    }
  }

  #showNetwork(offline: boolean): void {
    const network = element("network");
    const text = offline ? this.#texts.offline : this.#texts.online;
    if (network.textContent !== text) {
      const first = network.textContent === "";
      network.textContent = text;
      network.dataset.offline = String(offline);
      if (!first) {
        this.say(offline ? this.#texts.wentOffline : text);
      }
    }
  }

  #list(remarks: string[]): void {
    const text = remarks.join(" ");
    if (this.#remarks === text) {
      return;
    }
    this.#remarks = text;
    element("remarks").replaceChildren(
      ...remarks.map((remark) => {
        const item = document.createElement("li");
        item.textContent = remark;
        return item;
      }),
    );
    this.say(text);
  }

  #listen(wishes: UserActions): void {
    const sure = element("sure") as HTMLDialogElement;
    element("renew").addEventListener("click", wishes.renew);
    element("retry").addEventListener("click", wishes.retry);
    element("remove").addEventListener("click", () => sure.showModal());
    element("keep").addEventListener("click", () => sure.close());
    element("confirm").addEventListener("click", () => {
      sure.close();
      wishes.remove();
    });
  }
}

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) {
    throw new Error(`the page has no element ${id}`);
  }
  return found;
}

/** Writes only what changed: a live region would speak again. */
function write(target: HTMLElement, text: string): void {
  if (target.textContent !== text) {
    target.textContent = text;
  }
}
