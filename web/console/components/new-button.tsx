// The button that makes a new one of what a screen lists: by N as well, and by an address, so that the palette leads there.

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

/** Whether an address asks for the dialog. */
export function isNewAsked(query: URLSearchParams): boolean {
  return query.get("new") === "true";
}
