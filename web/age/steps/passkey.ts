// A passkey that keeps a proof on this device is used.

import { make } from "../../shared/dom";
import { paragraph, primary, row } from "../../shared/pieces";
import { available, use } from "../passkeys";
import type { Problem, Step } from "../session";
import { type Doing, elsewhere, type Rendered, worded } from "./step";

export function render(doing: Doing, step: Step, problem: Problem | undefined): Rendered {
  const { passkey: say } = doing.texts;
  if (!available()) {
    doing.show({ heading: say.heading, body: [paragraph(say.absent), elsewhere(doing)], spoken: say.absent });
    return {};
  }
  const why = make("p", { class: "why", hidden: !problem }, problem ? worded(problem, doing.texts) : "");
  const go = primary(say.go, () => {
    go.disabled = true;
    use(step.options).then(
      (credential) => doing.answer({ credential }),
      () => {
        go.disabled = false;
        why.textContent = say.failed;
        why.hidden = false;
        doing.say(say.failed);
        go.focus();
      },
    );
  });
  doing.show({
    heading: say.heading,
    body: [paragraph(say.body), why, row(go), elsewhere(doing)],
    ...(problem ? { spoken: worded(problem, doing.texts) } : {}),
  });
  return {};
}
