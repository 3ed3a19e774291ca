// Step: type a code into an app on a phone, and wait for its answer.

import { make } from "../../shared/dom";
import { paragraph } from "../../shared/elements";
import type { StepsByKind } from "../session";
import { otherMethodRow, type StepContext, type StepView } from "./step";
import { pollIntervalMs } from "./wait";

export function render(context: StepContext, step: StepsByKind["app_code"]): StepView {
  const { appCode: say } = context.texts;
  // Read digit by digit by screen readers, and always from left to right.
  const code = make(
    "p",
    { class: "app-code", dir: "ltr", role: "img", "aria-label": [...step.code].join(" ") },
    step.code,
  );
  context.show({
    heading: say.heading,
    body: [paragraph(say.body), code, make("p", { class: "followed" }, say.waiting), otherMethodRow(context)],
    spoken: `${say.body} ${[...step.code].join(" ")}`,
  });
  context.poll(pollIntervalMs(step));
  return {};
}
