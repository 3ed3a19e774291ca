// The buttons that make a new one of what a screen lists, by N as well and by an address, so that the palette leads there; and that
// change what it shows.

import { Button } from "react-aria-components/Button";
import { useShortcuts } from "../keys/shortcuts";
import { Icon } from "./icon";

interface NewButtonProps {
  label: string;
  onPress(): void;
}

export function NewButton({ label, onPress }: NewButtonProps) {
  useShortcuts([{ keys: "n", label, scope: "here", run: onPress }]);
  return (
    <Button className="button primary" onPress={onPress}>
      <Icon name="plus" /> {label} <kbd>N</kbd>
    </Button>
  );
}

/** The button that changes what a screen shows: by E as well. */
export function ChangeButton({ label, onPress }: NewButtonProps) {
  useShortcuts([{ keys: "e", label, scope: "here", run: onPress }]);
  return (
    <Button className="button" onPress={onPress}>
      {label} <kbd>E</kbd>
    </Button>
  );
}

/** Whether an address asks for the dialog. */
export function isNewAsked(query: URLSearchParams): boolean {
  return query.get("new") === "true";
}
