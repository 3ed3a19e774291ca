// What a reader has chosen on this device: the theme, whether single keys act, and how pictures are shown. It is kept in the
// browser alone.

import { useSyncExternalStore } from "react";

const STORAGE_KEY = "assay-console-preferences";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
export const PICTURE_SIZES = ["small", "medium", "large"] as const;
export type PictureSize = (typeof PICTURE_SIZES)[number];

export interface Preferences {
  theme: Theme;
  /** Whether single keys act. */
  singleKeys: boolean;
  /** Whether pictures are blurred until they are asked for. */
  blur: boolean;
  /** Whether pictures are shown without colours. */
  grey: boolean;
  size: PictureSize;
}

const DEFAULTS: Preferences = { theme: "system", singleKeys: true, blur: true, grey: false, size: "medium" };

const listeners = new Set<() => void>();
let current = read();

function read(): Preferences {
  try {
    return checked(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "{}"));
  } catch {
    return DEFAULTS;
  }
}

/** What is kept, as far as it is a choice that there is. */
export function checked(kept: Partial<Record<keyof Preferences, unknown>>): Preferences {
  const flag = (name: "singleKeys" | "blur" | "grey") =>
    typeof kept[name] === "boolean" ? kept[name] : DEFAULTS[name];
  return {
    theme: THEMES.find((one) => one === kept.theme) ?? DEFAULTS.theme,
    size: PICTURE_SIZES.find((one) => one === kept.size) ?? DEFAULTS.size,
    singleKeys: flag("singleKeys"),
    blur: flag("blur"),
    grey: flag("grey"),
  };
}

export function setPreferences(changed: Partial<Preferences>): void {
  current = { ...current, ...changed };
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(current));
  } catch {
    // Without storage, a choice lasts as long as the page.
  }
  for (const listener of listeners) {
    listener();
  }
}

export function getPreferences(): Preferences {
  return current;
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, getPreferences);
}

/** Puts the theme on the document, and keeps it there when the device changes its own. */
export function applyTheme(): void {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const { theme } = current;
    document.documentElement.dataset.theme = theme === "system" ? (dark.matches ? "dark" : "light") : theme;
  };
  dark.addEventListener("change", apply);
  listeners.add(apply);
  apply();
}
