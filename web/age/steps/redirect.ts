// Somebody signs in with a provider, elsewhere, and comes back.

import { make } from "../../shared/dom";
import { followable } from "../../shared/follow";
import { paragraph, primary, row } from "../../shared/pieces";
import { type Step, text } from "../session";
import { fill } from "../texts";
import { type Doing, elsewhere, type Rendered } from "./step";

/** How often a page in a frame asks whether the other tab is done. */
const FOLLOW_MS = 2500;

export function render(doing: Doing, step: Step): Rendered {
  const { redirect: say, unknown } = doing.texts;
  const url = followable(text(step.url));
  if (!url) {
    doing.show({ heading: unknown.heading, body: [paragraph(unknown.body), elsewhere(doing)] });
    return {};
  }
  const host = { host: url.host };
  if (!doing.embedded) {
    const go = primary(fill(say.go, host), () => doing.depart(url.href));
    const body = fill(say.body, host);
    doing.show({ heading: say.heading, body: [paragraph(body), row(go), elsewhere(doing)], spoken: body });
    return {};
  }
  // Providers do not let themselves be put into frames.
  const link = make(
    "a",
    { href: doing.errand(url.href), target: "_blank", rel: "noopener", class: "press" },
    fill(say.tab, host),
  );
  const body = fill(say.tabBody, host);
  doing.show({ heading: say.heading, body: [paragraph(body), row(link), elsewhere(doing)], spoken: body });
  doing.watch(FOLLOW_MS);
  return {};
}
