// Step: choose one of several providers.

import { make, uniqueId } from "../../shared/dom";
import { row } from "../../shared/elements";
import type { StepProblem, StepsByKind } from "../session";
import { otherMethodRow, problemText, type StepContext, type StepView } from "./step";

export function render(context: StepContext, step: StepsByKind["choose"], problem: StepProblem | undefined): StepView {
  const { choose: say, goOn } = context.texts;
  const picks = step.options.map(({ id, name }, _, { length }) => {
    const input = make("input", { type: "radio", name: "option", value: id, id: uniqueId("option") });
    input.checked = length === 1;
    return { input, label: make("label", { class: "pick", for: input.id }, input, name) };
  });
  const words = problem ? problemText(problem, context.texts) : "";
  const error = make("p", { class: "error", id: uniqueId("error"), hidden: words === "" }, words);
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
  context.show({ heading: say.heading, body: [form, otherMethodRow(context)], ...(words ? { spoken: words } : {}) });
  return {};
}
