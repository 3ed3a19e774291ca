// Step: enter a code that was sent by text message or email.

import { button, make, uniqueId } from "../../shared/dom";
import { paragraph, row } from "../../shared/elements";
import { plainNumber } from "../field-validation";
import type { StepProblem, StepsByKind } from "../session";
import { interpolate } from "../texts";
import { otherMethodRow, problemText, type StepContext, type StepView } from "./step";

export function render(context: StepContext, step: StepsByKind["code"], problem: StepProblem | undefined): StepView {
  const {
    code: say,
    form: { checking },
  } = context.texts;
  const { length } = step;
  const sent = interpolate(say[step.channel], { length, to: step.sent_to });
  const id = uniqueId("code");
  const input = make("input", {
    id,
    type: "text",
    inputmode: "numeric",
    autocomplete: "one-time-code",
    spellcheck: "false",
    dir: "ltr",
    class: "digits",
    "aria-describedby": `${id}-sent`,
  });
  const error = make("p", { class: "error", id: `${id}-error`, hidden: true });
  const submit = make("button", { type: "submit", class: "primary" }, say.submit);
  const field = make("div", { class: "field" }, make("label", { for: id }, say.label), input, error);
  const form = make("form", { novalidate: true }, field, row(submit));
  const resend = button(say.resend, () => {
    resent = true;
    resend.disabled = true;
    context.answer({ resend: true });
  });
  let resent = false;

  const complain = (words: string) => {
    error.textContent = words;
    error.hidden = words === "";
    input.setAttribute("aria-describedby", words === "" ? `${id}-sent` : `${id}-sent ${error.id}`);
    if (words === "") {
      input.removeAttribute("aria-invalid");
    } else {
      input.setAttribute("aria-invalid", "true");
      input.focus();
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const code = plainNumber(input.value).replace(/[\s-]/g, "");
    if (submit.disabled) {
      return;
    }
    if (code.length !== length) {
      complain(interpolate(say.short, { length }));
      return;
    }
    complain("");
    submit.disabled = true;
    submit.textContent = checking;
    context.say(checking);
    context.answer({ code });
  });

  /** Counts down the seconds until another code can be requested. */
  const count = (left: number) => {
    resend.disabled = left > 0;
    resend.textContent = left > 0 ? interpolate(say.wait, { seconds: left }) : say.resend;
    if (left > 0) {
      context.later(1000, () => count(left - 1));
    }
  };
  const again = (latest: StepsByKind["code"], found: StepProblem | undefined) => {
    submit.disabled = false;
    submit.textContent = say.submit;
    const words = found ? problemText(found, context.texts) : resent ? say.resent : sent;
    context.show({
      heading: say.heading,
      body: [
        make("p", { id: `${id}-sent` }, sent),
        !found && resent ? paragraph(say.resent, "why") : undefined,
        form,
        row(resend),
        otherMethodRow(context),
      ],
      spoken: words,
    });
    complain(found ? words : "");
    if (!found) {
      input.value = "";
    }
    resent = false;
    count(latest.resend_in);
  };
  again(step, problem);
  return { update: again };
}
