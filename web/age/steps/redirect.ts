// Somebody signs in with a provider, elsewhere, and comes back.

import { make } from "../../shared/dom";
import { followable } from "../../shared/follow";
import { paragraph, primary, row } from "../../shared/pieces";
import type { Steps } from "../session";
import { fill } from "../texts";
import { elsewhere, type StepContext, type StepView } from "./step";

/** How often a page in a frame asks whether the other tab is done. */
const FOLLOW_MS = 2500;

export function render(context: StepContext, step: Steps["redirect"]): StepView {
  const { redirect: say, unknown } = context.texts;
  const url = followable(step.url);
  if (!url) {
    context.show({ heading: unknown.heading, body: [paragraph(unknown.body), elsewhere(context)] });
    return {};
  }
  const host = { host: url.host };
  if (!context.embedded) {
    const go = primary(fill(say.go, host), () => context.depart(url.href));
    const body = fill(say.body, host);
    context.show({ heading: say.heading, body: [paragraph(body), row(go), elsewhere(context)], spoken: body });
    return {};
  }
  // Providers do not let themselves be put into frames.
  const link = make(
    "a",
    { href: context.errand(url.href), target: "_blank", rel: "noopener", class: "press" },
    fill(say.tab, host),
  );
  const body = fill(say.tabBody, host);
  context.show({ heading: say.heading, body: [paragraph(body), row(link), elsewhere(context)], spoken: body });
  context.watch(FOLLOW_MS);
  return {};
}
