// Validation of form fields before they are sent. The server validates again; this saves a round trip.

/** What is wrong with a field: a key of the catalogue's `wrong`. */
export type FieldProblem =
  | "card"
  | "scheme"
  | "expiry"
  | "expired"
  | "code"
  | "phone"
  | "email"
  | "date"
  | "ssn"
  | "cpf"
  | "name";

/** What was typed or pasted, without the invisible marks, of direction for example, that are copied along. */
export function withoutMarks(text: string): string {
  return text.replace(/\p{Cf}/gu, "").trim();
}

/** A number in plain characters: some keyboards have digits of other scripts. */
export function plainNumber(text: string): string {
  return withoutMarks(text)
    .normalize("NFKC")
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 0xf));
}

/** The check digit of card numbers (ISO/IEC 7812-1, annex B). */
export function isLuhnValid(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return digits.length > 0 && sum % 10 === 0;
}

/** Card schemes: their first digits, how long their numbers are, and the length of their security codes. */
const SCHEMES: readonly [RegExp, readonly number[], number][] = [
  [/^4/, [13, 16, 19], 3],
  [/^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16], 3],
  [/^3[47]/, [15], 4],
  [/^(30[0-5]|3[689])/, [14, 16, 17, 18, 19], 3],
  [/^(6011|64[4-9]|65)/, [16, 17, 18, 19], 3],
  [/^35(2[89]|[3-8])/, [16, 17, 18, 19], 3],
  [/^(62|81)/, [16, 17, 18, 19], 3],
  [/^(50|5[6-9]|6[0-9])/, [12, 13, 14, 15, 16, 17, 18, 19], 3],
];

function schemeOf(digits: string) {
  return SCHEMES.find(([begins]) => begins.test(digits));
}

export function validateCardNumber(digits: string): FieldProblem | undefined {
  if (!/^\d{12,19}$/.test(digits) || !isLuhnValid(digits)) {
    return "card";
  }
  const scheme = schemeOf(digits);
  if (!scheme) {
    return "scheme";
  }
  return scheme[1].includes(digits.length) ? undefined : "card";
}

/** MM/YY. A card is valid until the end of its month. */
export function validateExpiry(text: string, now: Date): FieldProblem | undefined {
  const [, month, year] = /^(0[1-9]|1[0-2])\/(\d\d)$/.exec(text) ?? [];
  if (!month || !year) {
    return "expiry";
  }
  const last = 2000 * 12 + Number(year) * 12 + Number(month) - 1;
  const present = now.getFullYear() * 12 + now.getMonth();
  if (last < present) {
    return "expired";
  }
  // Cards are issued for ten years at most, a few schemes for twenty.
  return last > present + 240 ? "expiry" : undefined;
}

/** The security code, with the length of the card's scheme. */
export function validateSecurityCode(digits: string, cardDigits: string): FieldProblem | undefined {
  const length = schemeOf(cardDigits)?.[2];
  const fits = length === undefined ? /^\d{3,4}$/.test(digits) : new RegExp(`^\\d{${length}}$`).test(digits);
  return fits ? undefined : "code";
}

/** E.164: + and a country code, at most 15 digits. Numbers without a country code pass here; whether they are accepted
 * is up to the server. */
export function validatePhone(text: string): FieldProblem | undefined {
  return /^(\+[1-9]\d{6,14}|\d{6,15})$/.test(text) ? undefined : "phone";
}

/** Whether a number lacks its country code. */
export function isNationalNumber(phone: string): boolean {
  return !phone.startsWith("+");
}

export function validateEmail(text: string): FieldProblem | undefined {
  return text.length <= 254 && /^[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)+$/.test(text) ? undefined : "email";
}

/** A day in the past, at most 130 years ago. */
export function validateBirthDate(text: string, now: Date): FieldProblem | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  const real = date.getMonth() === Number(month) - 1 && date.getDate() === Number(day);
  return real && date <= now && now.getFullYear() - Number(year) <= 130 ? undefined : "date";
}

/** A US social security number: nine digits in the ranges that are issued, or the last four. */
export function validateSsn(digits: string): FieldProblem | undefined {
  if (/^\d{4}$/.test(digits)) {
    return digits === "0000" ? "ssn" : undefined;
  }
  return /^(?!000|666|9)\d{3}(?!00)\d\d(?!0000)\d{4}$/.test(digits) ? undefined : "ssn";
}

/** A Brazilian CPF: eleven digits, not all the same, of which the last two are check digits. */
export function validateCpf(digits: string): FieldProblem | undefined {
  if (!/^\d{11}$/.test(digits) || /^(\d)\1*$/.test(digits)) {
    return "cpf";
  }
  const check = (length: number) => {
    let sum = 0;
    for (let at = 0; at < length; at += 1) {
      sum += Number(digits[at]) * (length + 1 - at);
    }
    return ((sum * 10) % 11) % 10;
  };
  return check(9) === Number(digits[9]) && check(10) === Number(digits[10]) ? undefined : "cpf";
}

/** At least a first and a last name. */
export function validateFullName(text: string): FieldProblem | undefined {
  return /\S\s+\S/.test(text) ? undefined : "name";
}
