// Step: use a passkey under which an earlier result is kept.

import { make } from "../../shared/dom";
import { paragraph, primaryButton, row } from "../../shared/elements";
import { getPasskey, passkeysSupported } from "../../shared/passkeys";
import { availableMethods, type StepProblem, type StepsByKind } from "../session";
import { otherMethodRow, problemText, type StepContext, type StepView } from "./step";

export function render(context: StepContext, step: StepsByKind["passkey"], problem: StepProblem | undefined): StepView {
  const { passkey: say } = context.texts;
  if (!passkeysSupported()) {
    context.show({ heading: say.heading, body: [paragraph(say.absent), otherMethodRow(context)], spoken: say.absent });
    return {};
  }
  const why = make("p", { class: "why", hidden: !problem }, problem ? problemText(problem, context.texts) : "");
  const use = (onFailure: () => void) => {
    go.disabled = true;
    getPasskey(step.options).then((credential) => context.answer({ credential }), onFailure);
  };
  const go = primaryButton(say.go, () =>
    use(() => {
      go.disabled = false;
      why.textContent = say.failed;
      why.hidden = false;
      context.say(say.failed);
      go.focus();
    }),
  );
  const others = availableMethods(context.session).some((one) => one.method !== context.method);
  if (step.silent && others && !problem) {
    // Nobody chose this: without a passkey the page goes on as if it had not been tried.
    context.show({ heading: say.heading, body: [paragraph(say.body), otherMethodRow(context)] });
    use(context.backToChoice);
    return {};
  }
  context.show({
    heading: say.heading,
    body: [paragraph(say.body), why, row(go), otherMethodRow(context)],
    ...(problem ? { spoken: problemText(problem, context.texts) } : {}),
  });
  return {};
}
