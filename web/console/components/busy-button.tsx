// A button that keeps the focus while what it asked for is under way, and asks for nothing meanwhile.

import type { ReactNode } from "react";
import { Button } from "react-aria-components/Button";

interface BusyButtonProps {
  isBusy: boolean;
  isPrimary?: boolean;
  /** For another reason than that it is busy; the focus is lost then. */
  isDisabled?: boolean;
  /** Without it, the button sends its form. */
  onPress?(): void;
  children: ReactNode;
}

export function BusyButton({ isBusy, isPrimary = false, isDisabled = false, onPress, children }: BusyButtonProps) {
  const className = `button${isPrimary ? " primary" : ""}${isBusy ? " busy" : ""}`;
  const press = () => {
    if (!isBusy) {
      onPress?.();
    }
  };
  return (
    <Button
      className={className}
      isDisabled={isDisabled}
      aria-disabled={isBusy || isDisabled}
      type={onPress ? "button" : "submit"}
      onPress={press}
    >
      {children}
    </Button>
  );
}
