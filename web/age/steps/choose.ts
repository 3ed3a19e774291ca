// One of several providers is chosen.

import { fresh, make } from "../../shared/dom";
import { row } from "../../shared/pieces";
import type { Problem, Steps } from "../session";
import { elsewhere, type StepContext, type StepView, worded } from "./step";

export function render(context: StepContext, step: Steps["choose"], problem: Problem | undefined): StepView {
  const { choose: say, goOn } = context.texts;
  const picks = step.options.map(({ id, name }, _, { length }) => {
    const input = make("input", { type: "radio", name: "option", value: id, id: fresh("option") });
    input.checked = length === 1;
    return { input, label: make("label", { class: "pick", for: input.id }, input, name) };
  });
  const words = problem ? worded(problem, context.texts) : "";
  const error = make("p", { class: "error", id: fresh("error"), hidden: words === "" }, words);
  const group = make(
    "fieldset",
    {},
    make("legend", { class: "spoken" }, say.heading),
    make("div", { class: "types" }, ...picks.map(({ label }) => label)),
  );
  const submit = make("button", { type: "submit", class: "primary" }, goOn);
  const form = make("form", { novalidate: true }, group, error, row(submit));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const picked = picks.find(({ input }) => input.checked);
    if (picked) {
      submit.disabled = true;
      context.answer({ choice: picked.input.value });
      return;
    }
    error.textContent = say.one;
    error.hidden = false;
    const [first] = picks;
    first?.input.setAttribute("aria-describedby", error.id);
    first?.input.focus();
  });
  context.show({ heading: say.heading, body: [form, elsewhere(context)], ...(words ? { spoken: words } : {}) });
  return {};
}
