// Every word that the page says: a catalogue for each language in texts/, of which only the reader's is fetched. Another
// language is another file there and a line here; the compiler names every text that it lacks.

import en from "./texts/en.json";

/** The languages that this page speaks; the first is the one for everybody else. */
export const LANGUAGES = ["en", "de", "fr", "es", "pl", "ar"] as const;
export type Language = (typeof LANGUAGES)[number];

export type Texts = typeof en;

const CATALOGUES: Record<Exclude<Language, "en">, () => Promise<{ default: Texts }>> = {
  de: () => import("./texts/de.json"),
  fr: () => import("./texts/fr.json"),
  es: () => import("./texts/es.json"),
  pl: () => import("./texts/pl.json"),
  ar: () => import("./texts/ar.json"),
};

/** Which way a language is written. */
export function directionOf(language: Language): "ltr" | "rtl" {
  return language === "ar" ? "rtl" : "ltr";
}

/** The texts of a language; English where the catalogue cannot be had. */
export async function textsIn(language: Language): Promise<{ texts: Texts; language: Language }> {
  if (language === "en") {
    return { texts: en, language };
  }
  try {
    const { default: texts } = await CATALOGUES[language]();
    return { texts, language };
  } catch {
    return { texts: en, language: "en" };
  }
}

/** A text with its `{names}` filled in. */
export function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/** A span of time in whole minutes, hours or days, whichever says most with few of them; at least a minute. */
export function span(seconds: number, language: Language): string {
  const minutes = Math.max(1, Math.floor(seconds / 60));
  const [unit, size] = minutes >= 2 * 1440 ? ["day", 1440] : minutes >= 2 * 60 ? ["hour", 60] : ["minute", 1];
  const format = new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" });
  return format.format(Math.floor(minutes / size));
}

/** The text of a key that came from the server; `undefined` where there is none. */
export function lookup(table: Record<string, string>, key: string | undefined): string | undefined {
  return key !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;
}
