// Boxes for what somebody may do. What cannot be given by the reader is shown and cannot be ticked.

import { Tick } from "./field";

interface ScopeBoxesProps<T extends string> {
  label: string;
  all: readonly T[];
  words: Readonly<Record<T, string>>;
  chosen: readonly T[];
  onChange(chosen: readonly T[]): void;
  /** Which can be ticked; all of them by default. One that is ticked can always be taken away. */
  mayGive?(one: NoInfer<T>): boolean;
}

export function ScopeBoxes<T extends string>(props: ScopeBoxesProps<T>) {
  const { label, all, words, chosen, onChange, mayGive = () => true } = props;
  return (
    <fieldset className="boxes">
      <legend>{label}</legend>
      {all.map((scope) => (
        <Tick
          key={scope}
          label={words[scope]}
          value={scope}
          isTicked={chosen.includes(scope)}
          isDisabled={!chosen.includes(scope) && !mayGive(scope)}
          onChange={(ticked) => onChange(all.filter((one) => (one === scope ? ticked : chosen.includes(one))))}
        />
      ))}
    </fieldset>
  );
}
