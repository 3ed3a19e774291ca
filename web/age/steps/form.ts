// Step: a form. Fields are validated before anything is sent. What is typed is kept only in the fields.

import { make, uniqueId } from "../../shared/dom";
import { paragraph, row } from "../../shared/elements";
import * as checks from "../field-validation";
import type { MethodName, StepProblem, StepsByKind } from "../session";
import { interpolate, lookup, type Texts } from "../texts";
import { otherMethodRow, problemText, type StepContext, type StepView } from "./step";

type FieldRequest = StepsByKind["form"]["fields"][number];
type FieldType = FieldRequest["type"];

interface Field extends FieldRequest {
  control: HTMLInputElement;
  error: HTMLElement;
  root: HTMLElement;
}

export function render(context: StepContext, step: StepsByKind["form"], problem: StepProblem | undefined): StepView {
  const { texts, method } = context;
  const { form: say } = texts;
  const fields = step.fields.map((wanted) => createField(wanted, context));
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
    const values = readValues(fields);
    const now = new Date();
    const wrong = fields.filter((field) => showFieldError(field, fieldErrorText(field, values, method, now, texts)));
    const [first] = wrong;
    if (first) {
      first.control.focus();
      context.say(interpolate(say.mend, { count: wrong.length }));
      return;
    }
    top.hidden = true;
    submit.disabled = true;
    submit.textContent = say.checking;
    context.say(say.checking);
    context.answer({ fields: Object.fromEntries(values) });
  });
  const heading = lookup(headingsOf(say), method) ?? say.OTHER;
  const again = (_: StepsByKind["form"], found: StepProblem | undefined) => {
    submit.disabled = false;
    submit.textContent = say.submit;
    const field = fields.find(({ name }) => name === found?.field);
    const words = found ? problemMessage(found, field, texts) : "";
    top.textContent = field ? "" : words;
    top.hidden = field !== undefined || words === "";
    context.show({ heading, body: [form, otherMethodRow(context)], ...(words ? { spoken: words } : {}) });
    if (field) {
      showFieldError(field, words);
      field.control.focus();
    }
  };
  again(step, problem);
  return { update: again };
}

/** The server's problem in words. For a phone number without a country code it says that one may be missing: servers
 * accept such numbers only if a default country is configured. */
function problemMessage(problem: StepProblem, field: Field | undefined, texts: Texts): string {
  const value = field ? normaliseValue(field.control.value, field.name, field.type) : "";
  return field?.type === "tel" && checks.isNationalNumber(value) ? texts.wrong.phone : problemText(problem, texts);
}

/** The headings by method, without the other texts. */
function headingsOf({ once, submit, checking, mend, ...headings }: Texts["form"]): Record<string, string> {
  return headings;
}

/** The key of a field's texts. `number` is a card number or a social security number, by method. */
function textKey(name: string, method: MethodName | undefined): string {
  if (name === "number") {
    return method === "SOCIAL_SECURITY_NUMBER" ? "ssn" : "card";
  }
  return name;
}

function createField(wanted: FieldRequest, { texts, method }: StepContext): Field {
  const { name, type, autocomplete, required } = wanted;
  const key = textKey(name, method);
  const id = uniqueId("field");
  const hint = lookup(texts.hints, key);
  const control = make("input", {
    id,
    name,
    autocomplete,
    required,
    "aria-describedby": hint ? `${id}-hint` : undefined,
    ...(key === "expiry" ? DIGITS_ATTRIBUTES : FIELD_ATTRIBUTES[type]),
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

const DIGITS_ATTRIBUTES = { type: "text", inputmode: "numeric", spellcheck: "false" };
const FIELD_ATTRIBUTES: Record<FieldType, Record<string, string>> = {
  text: { type: "text", spellcheck: "false" },
  tel: { type: "tel", inputmode: "tel" },
  email: { type: "email", inputmode: "email", spellcheck: "false", autocapitalize: "none" },
  digits: DIGITS_ATTRIBUTES,
  date: { type: "date" },
};

/** Numbers, email addresses and the like are written from left to right in every language. */
function directionOf(type: FieldType, key: string): Record<string, string> {
  return type !== "text" || key === "expiry" ? { dir: "ltr" } : {};
}

/** The values to send, without separators between digits. Optional fields that are empty are left out. */
function readValues(fields: Field[]): Map<string, string> {
  return new Map(
    fields.flatMap(({ name, type, required, control }) => {
      const value = normaliseValue(control.value, name, type);
      return value === "" && !required ? [] : [[name, value]];
    }),
  );
}

export function normaliseValue(value: string, name: string, type: FieldType): string {
  if (type === "email") {
    return checks.withoutMarks(value);
  }
  const trimmed = value.trim();
  const number = checks.plainNumber(value);
  if (type === "tel") {
    // The zero that is written in brackets after a country code, as +44 (0)20, is not dialled.
    const dialled = /^\(?(\+|00)/.test(number) ? number.replace("(0)", "") : number;
    return dialled.replace(/[\s().\-\u2010-\u2015/]/g, "").replace(/^00/, "+");
  }
  if (name === "expiry") {
    const [, month, year] = /^(\d{1,2})\s*[/.\- ]?\s*(?:20)?(\d\d)$/.exec(number) ?? [];
    return month && year ? `${month.padStart(2, "0")}/${year}` : trimmed;
  }
  return type === "digits" ? number.replace(/[\s.\-\u2010-\u2015/]/g, "") : trimmed.replace(/\s+/g, " ");
}

/** What is wrong with a field, in words; empty if it is valid. */
function fieldErrorText(
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
  const wrong = validateField(field, value, values, method, now);
  if (wrong) {
    return texts.wrong[wrong];
  }
  return value.length > field.max ? interpolate(texts.wrong.long, { max: field.max }) : "";
}

function validateField(
  { name, type }: FieldRequest,
  value: string,
  values: Map<string, string>,
  method: MethodName | undefined,
  now: Date,
): checks.FieldProblem | undefined {
  switch (textKey(name, method)) {
    case "card":
      return checks.validateCardNumber(value);
    case "expiry":
      return checks.validateExpiry(value, now);
    case "code":
      return checks.validateSecurityCode(value, values.get("number") ?? "");
    case "ssn":
      return checks.validateSsn(value);
    case "cpf":
      return checks.validateCpf(value);
    case "full_name":
      return checks.validateFullName(value);
    default:
      break;
  }
  switch (type) {
    case "tel":
      return checks.validatePhone(value);
    case "email":
      return checks.validateEmail(value);
    case "date":
      return checks.validateBirthDate(value, now);
    default:
      return undefined;
  }
}

/** Shows or clears the error text of a field. Returns whether there is one. */
function showFieldError({ control, error, root }: Field, words: string): boolean {
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
