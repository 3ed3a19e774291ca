// Six digits from an authenticator app.

import { Field } from "./field";

const DIGITS = 6;

interface CodeFieldProps {
  label: string;
  value: string;
  onChange(value: string): void;
}

export function CodeField({ label, value, onChange }: CodeFieldProps) {
  return (
    <Field
      label={label}
      value={value}
      onChange={(typed) => onChange(typed.replaceAll(/\D/g, "").slice(0, DIGITS))}
      minLength={DIGITS}
      // Some apps show the digits in two groups.
      maxLength={DIGITS + 1}
      autoComplete="one-time-code"
      inputMode="numeric"
      isRequired
    />
  );
}
