// A form: what cannot be right is said beside its field before anything is sent. What is typed stays in the fields and
// nowhere else.

import { fresh, make } from "../../shared/dom";
import { paragraph, row } from "../../shared/pieces";
import * as checks from "../checks";
import type { MethodName, Problem, Steps } from "../session";
import { fill, lookup, type Texts } from "../texts";
import { elsewhere, type StepContext, type StepView, worded } from "./step";

/** A field as the server asks for it. */
type Wanted = Steps["form"]["fields"][number];
type FieldType = Wanted["type"];

/** A field on the screen. */
interface Field extends Wanted {
  control: HTMLInputElement;
  error: HTMLElement;
  root: HTMLElement;
}

export function render(context: StepContext, step: Steps["form"], problem: Problem | undefined): StepView {
  const { texts, method } = context;
  const { form: say } = texts;
  const fields = step.fields.map((wanted) => fieldOf(wanted, context));
  const top = make("p", { class: "why", hidden: true });
  const note = lookup(texts.notes, method);
  const submit = make("button", { type: "submit", class: "primary" }, say.submit);
  const form = make(
    "form",
    { novalidate: true },
    top,
    note === undefined ? undefined : paragraph(note),
    ...fields.map(({ root }) => root),
    paragraph(say.once, "soft"),
    row(submit),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (submit.disabled) {
      return;
    }
    const values = valuesOf(fields);
    const now = new Date();
    const wrong = fields.filter((field) => complain(field, faultOf(field, values, method, now, texts)));
    const [first] = wrong;
    if (first) {
      first.control.focus();
      context.say(fill(say.mend, { count: wrong.length }));
      return;
    }
    top.hidden = true;
    submit.disabled = true;
    submit.textContent = say.checking;
    context.say(say.checking);
    context.answer({ fields: Object.fromEntries(values) });
  });
  const heading = lookup(omit(say), method) ?? say.OTHER;
  const again = (_: Steps["form"], found: Problem | undefined) => {
    submit.disabled = false;
    submit.textContent = say.submit;
    const field = fields.find(({ name }) => name === found?.field);
    const words = found ? whatIsWrong(found, field, texts) : "";
    top.textContent = field ? "" : words;
    top.hidden = field !== undefined || words === "";
    context.show({ heading, body: [form, elsewhere(context)], ...(words ? { spoken: words } : {}) });
    if (field) {
      complain(field, words);
      field.control.focus();
    }
  };
  again(step, problem);
  return { again };
}

/** What the server found wrong. It takes numbers without a country's code where its operator has named a country. */
function whatIsWrong(problem: Problem, field: Field | undefined, texts: Texts): string {
  const value = field ? tidied(field.control.value, field.name, field.type) : "";
  return field?.type === "tel" && checks.isNational(value) ? texts.wrong.phone : worded(problem, texts);
}

/** The headings alone. */
function omit({ once, submit, checking, mend, ...headings }: Texts["form"]): Record<string, string> {
  return headings;
}

/** What a field is called here; the number of a card is another than that of a person. */
function keyOf(name: string, method: MethodName | undefined): string {
  if (name === "number") {
    return method === "SOCIAL_SECURITY_NUMBER" ? "ssn" : "card";
  }
  return name;
}

function fieldOf(wanted: Wanted, { texts, method }: StepContext): Field {
  const { name, type, autocomplete, required } = wanted;
  const key = keyOf(name, method);
  const id = fresh("field");
  const hint = lookup(texts.hints, key);
  const control = make("input", {
    id,
    name,
    autocomplete,
    required,
    "aria-describedby": hint ? `${id}-hint` : undefined,
    ...(key === "expiry" ? DIGITS : KINDS[type]),
    ...directionOf(type, key),
  });
  if (type === "date") {
    control.min = "1895-01-01";
    control.max = new Date().toISOString().slice(0, 10);
  }
  const error = make("p", { class: "error", id: `${id}-error`, hidden: true });
  const root = make(
    "div",
    { class: "field" },
    make("label", { for: id }, lookup(texts.fields, key) ?? texts.fields.other),
    hint ? make("p", { class: "hint", id: `${id}-hint` }, hint) : undefined,
    control,
    error,
  );
  return { ...wanted, control, error, root };
}

const DIGITS = { type: "text", inputmode: "numeric", spellcheck: "false" };
const KINDS: Record<FieldType, Record<string, string>> = {
  text: { type: "text", spellcheck: "false" },
  tel: { type: "tel", inputmode: "tel" },
  email: { type: "email", inputmode: "email", spellcheck: "false", autocapitalize: "none" },
  digits: DIGITS,
  date: { type: "date" },
};

/** Numbers and addresses are written from left to right in every language. */
function directionOf(type: FieldType, key: string): Record<string, string> {
  return type !== "text" || key === "expiry" ? { dir: "ltr" } : {};
}

/** What was typed, as it is sent: without what people put between digits. Fields that may be empty and are, are left out. */
function valuesOf(fields: Field[]): Map<string, string> {
  return new Map(
    fields.flatMap(({ name, type, required, control }) => {
      const value = tidied(control.value, name, type);
      return value === "" && !required ? [] : [[name, value]];
    }),
  );
}

export function tidied(value: string, name: string, type: FieldType): string {
  const trimmed = value.trim();
  if (type === "tel") {
    return trimmed.replace(/[\s().\-/]/g, "").replace(/^00/, "+");
  }
  if (name === "expiry") {
    const [, month, year] = /^(\d{1,2})\s*[/.\- ]?\s*(?:20)?(\d\d)$/.exec(trimmed) ?? [];
    return month && year ? `${month.padStart(2, "0")}/${year}` : trimmed;
  }
  return type === "digits" ? trimmed.replace(/[\s.\-/]/g, "") : trimmed.replace(/\s+/g, " ");
}

/** What is wrong with a field, in words; nothing where it may be sent. */
function faultOf(
  field: Field,
  values: Map<string, string>,
  method: MethodName | undefined,
  now: Date,
  texts: Texts,
): string {
  const value = values.get(field.name) ?? "";
  if (value === "") {
    return field.required ? texts.problems.REQUIRED : "";
  }
  const wrong = check(field, value, values, method, now);
  if (wrong) {
    return texts.wrong[wrong];
  }
  return value.length > field.max ? fill(texts.wrong.long, { max: field.max }) : "";
}

function check(
  { name, type }: Wanted,
  value: string,
  values: Map<string, string>,
  method: MethodName | undefined,
  now: Date,
): checks.Wrong | undefined {
  switch (keyOf(name, method)) {
    case "card":
      return checks.card(value);
    case "expiry":
      return checks.expiry(value, now);
    case "code":
      return checks.securityCode(value, values.get("number") ?? "");
    case "ssn":
      return checks.ssn(value);
    case "cpf":
      return checks.cpf(value);
    case "full_name":
      return checks.fullName(value);
    default:
      break;
  }
  switch (type) {
    case "tel":
      return checks.phone(value);
    case "email":
      return checks.email(value);
    case "date":
      return checks.birth(value, now);
    default:
      return undefined;
  }
}

/** Says beside a field what is wrong with it, or nothing; whether there was something. */
function complain({ control, error, root }: Field, words: string): boolean {
  error.textContent = words;
  error.hidden = words === "";
  const described = [root.querySelector(".hint")?.id, words === "" ? undefined : error.id].filter(Boolean);
  if (words === "") {
    control.removeAttribute("aria-invalid");
  } else {
    control.setAttribute("aria-invalid", "true");
  }
  if (described.length > 0) {
    control.setAttribute("aria-describedby", described.join(" "));
  } else {
    control.removeAttribute("aria-describedby");
  }
  return words !== "";
}
