// Hears the keys and does what the registry has for them. Single keys do nothing while somebody types, in dialogs, and where
// the reader has turned them off.

import { createContext, type ReactNode, useContext, useEffect, useLayoutEffect, useRef, useState } from "react";
import { getPreferences } from "../preferences";
import { type Shortcut, ShortcutRegistry } from "./registry";

const RegistryContext = createContext(new ShortcutRegistry());

const TEXT_FIELDS =
  "input:not([type=checkbox], [type=radio], [type=range], [type=button]), textarea, select, [contenteditable]";
/** What the space bar and Enter press themselves. */
const PRESSABLE =
  "button, a, summary, input, select, textarea, [role=button], [role=option], [role=row], [role=tab], [role=radio]";

export function ShortcutProvider({ children }: { children: ReactNode }) {
  const [registry] = useState(() => new ShortcutRegistry());
  useEffect(() => listen(registry), [registry]);
  return <RegistryContext.Provider value={registry}>{children}</RegistryContext.Provider>;
}

function listen(registry: ShortcutRegistry): () => void {
  /** Shortcuts whose keys are held. */
  const held = new Map<string, Shortcut>();
  const pressed = (event: KeyboardEvent) => {
    if (registry.isSuspended || !counts(event)) {
      return;
    }
    if (event.repeat) {
      if (held.has(event.key)) {
        event.preventDefault();
      }
      return;
    }
    const found = registry.resolve(event, event.timeStamp);
    if (!found) {
      return;
    }
    // Nothing else may act on the key as well: lists search for what begins with a letter.
    event.preventDefault();
    event.stopPropagation();
    if (found !== "pending") {
      if (found.release) {
        held.set(event.key, found);
      }
      found.run();
    }
  };
  const letGo = ({ key }: KeyboardEvent) => {
    held.get(key)?.release?.();
    held.delete(key);
  };
  const allLetGo = () => {
    for (const shortcut of held.values()) {
      shortcut.release?.();
    }
    held.clear();
  };
  window.addEventListener("keydown", pressed, { capture: true });
  window.addEventListener("keyup", letGo, { capture: true });
  window.addEventListener("blur", allLetGo);
  return () => {
    window.removeEventListener("keydown", pressed, { capture: true });
    window.removeEventListener("keyup", letGo, { capture: true });
    window.removeEventListener("blur", allLetGo);
  };
}

/** Whether a key may be a shortcut where it was pressed. */
function counts(event: KeyboardEvent): boolean {
  const target = event.target instanceof Element ? event.target : document.body;
  if (document.querySelector("[role=dialog], [role=alertdialog]")) {
    return false;
  }
  if (event.ctrlKey || event.metaKey) {
    return true;
  }
  if (!getPreferences().singleKeys || target.closest(TEXT_FIELDS)) {
    return false;
  }
  return !([" ", "Enter"].includes(event.key) && target.closest(PRESSABLE));
}

/** Declares shortcuts as long as a component is there, from the moment when it is seen. What they do may change with each
 * rendering. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const registry = useContext(RegistryContext);
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  const identity = shortcuts
    .map(({ keys, label, scope, release }) => `${keys}|${label}|${scope}|${!!release}`)
    .join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: what shortcuts do is read when their keys are pressed.
  useLayoutEffect(() => {
    const declared = latest.current.map((one, at) => ({
      ...one,
      run: () => latest.current[at]?.run(),
      ...(one.release ? { release: () => latest.current[at]?.release?.() } : {}),
    }));
    return registry.declare(declared);
  }, [registry, identity]);
}

/** Has no shortcut act as long as something is open that letters are meant for, also while it is still fetched. */
export function useSuspendedShortcuts(isOpen: boolean): void {
  const registry = useContext(RegistryContext);
  useEffect(() => (isOpen ? registry.suspend() : undefined), [registry, isOpen]);
}

/** The shortcuts that count when this is called. */
export function useShortcutList(): () => Shortcut[] {
  const registry = useContext(RegistryContext);
  return () => registry.list();
}
