// Parts of the console whose program is fetched when they are first shown. One that could not be fetched says so, and is asked
// for again when it is shown again, or by a button: nobody has to load the page anew, and lose what they typed.

import { type ComponentType, useEffect, useState } from "react";
import { importAgain } from "../../shared/import-again";
import { Failure, Loading } from "./screen";

export interface FailedProps {
  error: unknown;
  /** Asks for it again. */
  retry(): void;
}

interface StandIns<Props> {
  /** What is shown while it is fetched. */
  Waiting?: ComponentType;
  /** What is shown in its place where it could not be fetched. */
  Failed?: ComponentType<Props & FailedProps>;
}

/** A part's program, or why it is not there; nothing while it is fetched. */
type PartState<Props> = { Part: ComponentType<Props> } | { error: unknown } | undefined;

/** A component of a module that is fetched when it is first shown. */
export function fetched<Props extends object, Module>(
  load: () => Promise<Module>,
  pick: (module: Module) => ComponentType<Props>,
  { Waiting = Loading, Failed = Failure }: StandIns<NoInfer<Props>> = {},
): ComponentType<Props> {
  let known: { Part: ComponentType<Props> } | undefined;
  return function Fetched(props: Props) {
    const [state, setState] = useState<PartState<Props>>(known);
    useEffect(() => {
      if (state !== undefined) {
        return;
      }
      let isWanted = true;
      importAgain(load).then(
        (module) => {
          known = { Part: pick(module) };
          if (isWanted) {
            setState(known);
          }
        },
        (error: unknown) => {
          if (isWanted) {
            setState({ error });
          }
        },
      );
      return () => {
        isWanted = false;
      };
    }, [state]);
    if (state === undefined) {
      return <Waiting />;
    }
    if ("error" in state) {
      return <Failed {...props} error={state.error} retry={() => setState(undefined)} />;
    }
    const { Part } = state;
    return <Part {...props} />;
  };
}
