// A wallet shows what it holds: on another device by a code, on this one by a link.

import { make } from "../../shared/dom";
import { isPhone, placeForCode, showCode } from "../../shared/handoff";
import { paragraph, row } from "../../shared/pieces";
import { drawQr } from "../../shared/qr";
import { type Problem, type Step, text } from "../session";
import { type Doing, elsewhere, type Rendered, worded } from "./step";
import { pace } from "./wait";

/** How wallets are called: custom schemes of their protocols, or an address of their own. */
const SCHEMES = /^(https|openid4vp|haip|haip-vp|av|eudi-openid4vp|mdoc-openid4vp|eudi-wallet):/i;

export function render(doing: Doing, step: Step, problem: Problem | undefined): Rendered {
  const { wallet: say, unknown } = doing.texts;
  const url = text(step.url);
  if (!url || !SCHEMES.test(url)) {
    doing.show({ heading: unknown.heading, body: [paragraph(unknown.body), elsewhere(doing)] });
    return {};
  }
  const phone = isPhone();
  const kind = phone ? "press main" : "press";
  const open = row(make("a", { href: url, class: kind }, say.open));
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
