// A wallet shows what it holds: on another device by a code, on this one by a link.

import { make } from "../../shared/dom";
import { isPhone, placeForCode, showCode } from "../../shared/handoff";
import { paragraph, row } from "../../shared/pieces";
import { drawQr } from "../../shared/qr";
import { list, type Problem, type Step, text } from "../session";
import { type Doing, elsewhere, type Rendered, worded } from "./step";
import { pace } from "./wait";

/** What calls no wallet, whoever says so. */
const NO_WALLET = /^(about|blob|data|file|filesystem|http|javascript|vbscript|view-source):/i;

/** Whether a wallet may be called so: by a scheme, or by an address of its own. The sandbox's is a page of this server. */
function calls(url: string): boolean {
  return url.startsWith(`${location.origin}/`) || (/^[a-z][a-z0-9+.-]*:/i.test(url) && !NO_WALLET.test(url));
}

/** What calls wallets on this device. A frame cannot be come back to, so it uses what the code says. */
function linksOf(step: Step, url: string, { embedded }: Doing): string[] {
  const links = list(step.links).flatMap((link) => text(link) ?? []);
  const usable = links.filter(calls);
  return embedded || usable.length === 0 ? [url] : usable;
}

export function render(doing: Doing, step: Step, problem: Problem | undefined): Rendered {
  const { wallet: say, unknown } = doing.texts;
  const url = text(step.url);
  if (!url || !calls(url)) {
    doing.show({ heading: unknown.heading, body: [paragraph(unknown.body), elsewhere(doing)] });
    return {};
  }
  const phone = isPhone();
  const links = linksOf(step, url, doing);
  const open = row(
    ...links.map((link, number) => {
      const kind = phone && number === 0 ? "press main" : "press";
      const words = number === 0 ? say.open : `${say.open} (${link.split(":")[0]})`;
      // A page would take this one's place in the frame, and most do not let themselves be put there.
      const tab = doing.embedded && /^https?:/i.test(link) ? { target: "_blank", rel: "noopener" } : {};
      const made = make("a", { href: link, class: kind, ...tab }, words);
      made.addEventListener("click", () => doing.embedded || doing.awaitReturn());
      return made;
    }),
  );
  const code = placeForCode(say.code);
  const why = problem ? make("p", { class: "why" }, worded(problem, doing.texts)) : undefined;
  const waiting = make("p", { class: "followed" }, say.waiting);
  doing.show({
    heading: say.heading,
    body: [why, paragraph(say.body), ...(phone ? [open, code] : [code, open]), waiting, elsewhere(doing)],
    spoken: say.body,
  });
  showCode(drawQr(url, "byte"));
  doing.poll(pace(step, 1500));
  return {};
}
