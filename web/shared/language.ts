// One table of texts for each language, chosen by what the browser asks for.

/** The languages that pages speak; the first is the one for everybody else. */
export const LANGUAGES = ["en", "de"] as const;
export type Language = (typeof LANGUAGES)[number];

/** The first of the reader's languages that is among those spoken; the first of these for everybody else. */
export function chooseLanguage<L extends string = Language>(
  wanted: readonly string[],
  spoken: readonly [L, ...L[]] = LANGUAGES as unknown as readonly [L, ...L[]],
): L {
  for (const tag of wanted) {
    const primary = tag.toLowerCase().split(/[-_]/)[0];
    const language = spoken.find((one) => one === primary);
    if (language) {
      return language;
    }
  }
  return spoken[0];
}
