// A code that was sent by text message or email is typed.

import { button, fresh, make } from "../../shared/dom";
import { paragraph, row } from "../../shared/pieces";
import type { Problem, Steps } from "../session";
import { fill } from "../texts";
import { elsewhere, type StepContext, type StepView, worded } from "./step";

export function render(context: StepContext, step: Steps["code"], problem: Problem | undefined): StepView {
  const {
    code: say,
    form: { checking },
  } = context.texts;
  const { length } = step;
  const sent = fill(say[step.channel], { length, to: step.sent_to });
  const id = fresh("code");
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
    const code = input.value.replace(/[\s-]/g, "");
    if (submit.disabled) {
      return;
    }
    if (code.length !== length) {
      complain(fill(say.short, { length }));
      return;
    }
    complain("");
    submit.disabled = true;
    submit.textContent = checking;
    context.say(checking);
    context.answer({ code });
  });

  /** Another code can be asked for after so many seconds, which are counted down. */
  const count = (left: number) => {
    resend.disabled = left > 0;
    resend.textContent = left > 0 ? fill(say.wait, { seconds: left }) : say.resend;
    if (left > 0) {
      context.later(1000, () => count(left - 1));
    }
  };
  const again = (latest: Steps["code"], found: Problem | undefined) => {
    submit.disabled = false;
    submit.textContent = say.submit;
    const words = found ? worded(found, context.texts) : resent ? say.resent : sent;
    context.show({
      heading: say.heading,
      body: [
        make("p", { id: `${id}-sent` }, sent),
        !found && resent ? paragraph(say.resent, "why") : undefined,
        form,
        row(resend),
        elsewhere(context),
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
  return { again };
}
