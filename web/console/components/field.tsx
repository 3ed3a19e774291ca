// Fields that somebody fills in: a line, a longer text with its count, a box to tick, a choice.

import { useId } from "react";

interface FieldProps {
  label: string;
  value: string;
  onChange(value: string): void;
  type?: "text" | "email" | "search" | "number" | "password" | "date";
  id?: string;
  minLength?: number;
  maxLength?: number;
  autoComplete?: string;
  isRequired?: boolean;
  min?: number | string;
  max?: number | string;
  inputMode?: "numeric";
  pattern?: string;
  /** What is asked for, where what was typed does not fit the pattern. */
  title?: string;
  autoFocus?: boolean;
}

export function Field(props: FieldProps) {
  const { label, value, onChange, type = "text", id, isRequired, autoComplete = "off", ...limits } = props;
  const own = useId();
  return (
    <div className="field">
      <label htmlFor={id ?? own}>{label}</label>
      <input
        id={id ?? own}
        type={type}
        value={value}
        required={isRequired}
        autoComplete={autoComplete}
        onChange={(event) => onChange(event.target.value)}
        {...limits}
      />
    </div>
  );
}

interface TextAreaProps {
  label: string;
  value: string;
  onChange(value: string): void;
  /** Characters at most. */
  most: number;
  /** How much of it is used, as words with `{used}` and `{most}`. */
  used(used: number): string;
  rows?: number;
  /** Whether it is a text for machines. */
  isCode?: boolean;
  ref?: React.Ref<HTMLTextAreaElement>;
}

export function TextArea({ label, value, onChange, most, used, rows = 2, isCode = false, ref }: TextAreaProps) {
  const [field, count] = [useId(), useId()];
  return (
    <div className="field">
      <label htmlFor={field}>{label}</label>
      <textarea
        ref={ref}
        id={field}
        rows={rows}
        maxLength={most}
        {...(isCode ? { className: "code", dir: "ltr", spellCheck: false } : {})}
        aria-describedby={count}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <p className="count" id={count}>
        {used([...value].length)}
      </p>
    </div>
  );
}

interface TickProps {
  label: string;
  isTicked: boolean;
  onChange(ticked: boolean): void;
  value?: string;
  isDisabled?: boolean;
}

export function Tick({ label, isTicked, onChange, value = "on", isDisabled = false }: TickProps) {
  return (
    <label className="tick" data-disabled={isDisabled}>
      <input
        type="checkbox"
        checked={isTicked}
        value={value}
        disabled={isDisabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  options: readonly (readonly [value: T, words: string])[];
  onChange(value: T): void;
}

export function Choice<T extends string>({ label, value, options, onChange }: ChoiceProps<T>) {
  const field = useId();
  return (
    <div className="field">
      <label htmlFor={field}>{label}</label>
      <select
        id={field}
        value={value}
        onChange={(event) => {
          const chosen = options.find(([one]) => one === event.target.value);
          if (chosen) {
            onChange(chosen[0]);
          }
        }}
      >
        {options.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}
