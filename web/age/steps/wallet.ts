// A wallet shows what it holds: on another device by a code, on this one by a link.

import { make } from "../../shared/dom";
import { isPhone, placeForCode, showCode } from "../../shared/handoff";
import { paragraph, row } from "../../shared/pieces";
import { drawQr } from "../../shared/qr";
import type { Problem, Steps } from "../session";
import { elsewhere, type StepContext, type StepView, worded } from "./step";
import { pace } from "./wait";

/** What calls no wallet, whoever says so. */
const NO_WALLET = /^(about|blob|data|file|filesystem|http|javascript|vbscript|view-source):/i;

/** Whether a wallet may be called so: by a scheme, or by an address of its own. The sandbox's is a page of this server. */
function calls(url: string): boolean {
  return url.startsWith(`${location.origin}/`) || (/^[a-z][a-z0-9+.-]*:/i.test(url) && !NO_WALLET.test(url));
}

/** What calls wallets on this device. A frame cannot be come back to, so it uses what the code says. */
function linksOf({ url, links }: Steps["wallet"], { embedded }: StepContext): string[] {
  const usable = links.filter(calls);
  return embedded || usable.length === 0 ? [url] : usable;
}

export function render(context: StepContext, step: Steps["wallet"], problem: Problem | undefined): StepView {
  const { wallet: say, unknown } = context.texts;
  const { url } = step;
  if (!calls(url)) {
    context.show({ heading: unknown.heading, body: [paragraph(unknown.body), elsewhere(context)] });
    return {};
  }
  const phone = isPhone();
  const links = linksOf(step, context);
  const open = row(
    ...links.map((link, number) => {
      const kind = phone && number === 0 ? "press main" : "press";
      const words = number === 0 ? say.open : `${say.open} (${link.split(":")[0]})`;
      // A page would take this one's place in the frame, and most do not let themselves be put there.
      const tab = context.embedded && /^https?:/i.test(link) ? { target: "_blank", rel: "noopener" } : {};
      const made = make("a", { href: link, class: kind, ...tab }, words);
      made.addEventListener("click", () => context.embedded || context.awaitReturn());
      return made;
    }),
  );
  const code = placeForCode(say.code);
  const why = problem ? make("p", { class: "why" }, worded(problem, context.texts)) : undefined;
  const waiting = make("p", { class: "followed" }, say.waiting);
  context.show({
    heading: say.heading,
    body: [why, paragraph(say.body), ...(phone ? [open, code] : [code, open]), waiting, elsewhere(context)],
    spoken: say.body,
  });
  showCode(drawQr(url, "byte"));
  context.poll(pace(step));
  return {};
}
