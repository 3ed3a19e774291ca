// Step: sign in with a provider and come back.

import { make } from "../../shared/dom";
import { paragraph, primaryButton, row } from "../../shared/elements";
import { safeUrl } from "../../shared/safe-url";
import type { StepsByKind } from "../session";
import { interpolate } from "../texts";
import { otherMethodRow, type StepContext, type StepView } from "./step";

/** How often an embedded page polls whether the other tab is done. */
const FOLLOW_MS = 2500;

export function render(context: StepContext, step: StepsByKind["redirect"]): StepView {
  const { redirect: say, unknown } = context.texts;
  const url = safeUrl(step.url);
  if (!url) {
    context.show({ heading: unknown.heading, body: [paragraph(unknown.body), otherMethodRow(context)] });
    return {};
  }
  const host = { host: url.host };
  if (!context.embedded) {
    const go = primaryButton(interpolate(say.go, host), () => context.goToProvider(url.href));
    const body = interpolate(say.body, host);
    context.show({ heading: say.heading, body: [paragraph(body), row(go), otherMethodRow(context)], spoken: body });
    return {};
  }
  // Providers refuse to be shown in frames.
  const link = make(
    "a",
    { href: context.redirectTabPath(url.href), target: "_blank", rel: "noopener", class: "press" },
    interpolate(say.tab, host),
  );
  const body = interpolate(say.tabBody, host);
  context.show({ heading: say.heading, body: [paragraph(body), row(link), otherMethodRow(context)], spoken: body });
  context.watch(FOLLOW_MS);
  return {};
}
