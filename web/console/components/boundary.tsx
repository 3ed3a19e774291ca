// What is shown in place of a screen that threw, or that could not be fetched.

import { Component, type ReactNode } from "react";
import { Button } from "react-aria-components/Button";
import { countMove } from "../router";
import { useTexts } from "../texts";
import { Failure, Screen } from "./screen";

interface BoundaryProps {
  /** Called when something was thrown; then nothing is shown in its place. */
  onBroken?(): void;
  children: ReactNode;
}

/** Catches what its children throw, and says it as a screen of its own if nobody else does. */
export class Boundary extends Component<BoundaryProps, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidCatch() {
    this.props.onBroken?.();
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) {
      return this.props.children;
    }
    return this.props.onBroken ? null : <BrokenScreen error={error} />;
  }
}

interface BrokenScreenProps {
  error: unknown;
  /** Tries it again; without it only the whole page can be loaded anew. */
  retry?: (() => void) | undefined;
}

/** What stands in place of a screen that cannot be shown. */
export function BrokenScreen({ error, retry }: BrokenScreenProps) {
  const { errors } = useTexts();
  const again = () => {
    // The button goes: the heading of the screen that comes takes the focus.
    countMove();
    retry?.();
  };
  return (
    <Screen heading={errors.screen}>
      <Failure error={error} retry={retry && again} />
      <Button className={retry ? "button" : "button primary"} onPress={() => location.reload()}>
        {errors.reload}
      </Button>
    </Screen>
  );
}
