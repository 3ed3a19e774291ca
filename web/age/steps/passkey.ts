// A passkey that keeps a proof on this device is used.

import { make } from "../../shared/dom";
import { paragraph, primary, row } from "../../shared/pieces";
import { available, use } from "../passkeys";
import type { Problem, Steps } from "../session";
import { elsewhere, type StepContext, type StepView, worded } from "./step";

export function render(context: StepContext, step: Steps["passkey"], problem: Problem | undefined): StepView {
  const { passkey: say } = context.texts;
  if (!available()) {
    context.show({ heading: say.heading, body: [paragraph(say.absent), elsewhere(context)], spoken: say.absent });
    return {};
  }
  const why = make("p", { class: "why", hidden: !problem }, problem ? worded(problem, context.texts) : "");
  const go = primary(say.go, () => {
    go.disabled = true;
    use(step.options).then(
      (credential) => context.answer({ credential }),
      () => {
        go.disabled = false;
        why.textContent = say.failed;
        why.hidden = false;
        context.say(say.failed);
        go.focus();
      },
    );
  });
  context.show({
    heading: say.heading,
    body: [paragraph(say.body), why, row(go), elsewhere(context)],
    ...(problem ? { spoken: worded(problem, context.texts) } : {}),
  });
  return {};
}
