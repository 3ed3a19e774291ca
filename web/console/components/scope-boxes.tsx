// Boxes for what somebody may do. What cannot be given by the reader is shown and cannot be ticked.

import { useUnsentChanges } from "../unsent";
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

/** The scopes that are ticked for somebody: a box that nobody has touched follows what they have, also when that changes. */
export function useUnsentScopes<T extends string>(
  name: string,
  all: readonly T[],
  held: readonly T[],
): [readonly T[], (chosen: readonly T[]) => void] {
  const ticksOf = (scopes: readonly T[]) => Object.fromEntries(all.map((scope) => [scope, scopes.includes(scope)]));
  const [ticks, setTicks] = useUnsentChanges<Record<string, boolean>>(name, ticksOf(held));
  return [all.filter((scope) => ticks[scope]), (chosen) => setTicks(ticksOf(chosen))];
}
