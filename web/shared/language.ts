// One table of texts for each language, chosen by what the browser asks for.

/** The languages that pages speak; the first is the one for everybody else. */
export const LANGUAGES = ["en", "de"] as const;
export type Language = (typeof LANGUAGES)[number];

/** The first of the reader's languages that is spoken. */
export function choose(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const language = LANGUAGES.find((spoken) => tag.toLowerCase().split("-")[0] === spoken);
    if (language) {
      return language;
    }
  }
  return LANGUAGES[0];
}
