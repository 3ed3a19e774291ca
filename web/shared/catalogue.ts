// How a page in many languages finds its words: a catalogue for each language, of which only the reader's is fetched.

/** The languages that people's pages speak; the first is the one for everybody else. */
export const LANGUAGES = ["en", "de", "fr", "es", "pl", "ar"] as const;
export type Language = (typeof LANGUAGES)[number];

/** What answers the texts of a language; English where the catalogue cannot be had. */
export function catalogueLoader<T>(english: T, others: Record<Exclude<Language, "en">, () => Promise<T>>) {
  return async (language: Language): Promise<{ texts: T; language: Language }> => {
    if (language === "en") {
      return { texts: english, language };
    }
    try {
      return { texts: await others[language](), language };
    } catch {
      return { texts: english, language: "en" };
    }
  };
}

/** A catalogue of two parts: what several pages say, and what one says. */
export async function mergeCatalogues<A, B>(
  shared: Promise<{ default: A }>,
  own: Promise<{ default: B }>,
): Promise<A & B> {
  const [one, other] = await Promise.all([shared, own]);
  return { ...one.default, ...other.default };
}

/** Which way a language is written. */
export function textDirection(language: Language): "ltr" | "rtl" {
  return language === "ar" ? "rtl" : "ltr";
}

/** A text with its `{names}` filled in. */
export function interpolate(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/** A span of time in whole minutes, hours or days, whichever says most with few of them; at least a minute. */
export function formatDuration(seconds: number, language: Language): string {
  const minutes = Math.max(1, Math.floor(seconds / 60));
  const [unit, size] = minutes >= 2 * 1440 ? ["day", 1440] : minutes >= 2 * 60 ? ["hour", 60] : ["minute", 1];
  const format = new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" });
  return format.format(Math.floor(minutes / size));
}

/** A wait in seconds, by fives so that it does not flicker, or from a minute and a half on in minutes. */
export function formatWait(seconds: number, language: Language): string {
  const [unit, value] = seconds < 90 ? ["second", 5 * Math.ceil(seconds / 5)] : ["minute", Math.ceil(seconds / 60)];
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(value);
}

/** The text of a key that came from the server; `undefined` where there is none. */
export function lookup(table: Record<string, string>, key: string | undefined): string | undefined {
  return key !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;
}
