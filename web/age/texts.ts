// Every word that the page says: a catalogue for each language in texts/, beside the one that pages share. Another language
// is another file in both places and a line here; the compiler names every text that it lacks.

import { catalogues, together } from "../shared/catalogue";
import common from "../shared/texts/en.json";
import own from "./texts/en.json";

export { directionOf, fill, LANGUAGES, type Language, lookup, span } from "../shared/catalogue";

const ENGLISH = { ...common, ...own };
export type Texts = typeof ENGLISH;

/** The texts of a language; English where the catalogue cannot be had. */
export const textsIn = catalogues<Texts>(ENGLISH, {
  de: () => together(import("../shared/texts/de.json"), import("./texts/de.json")),
  fr: () => together(import("../shared/texts/fr.json"), import("./texts/fr.json")),
  es: () => together(import("../shared/texts/es.json"), import("./texts/es.json")),
  pl: () => together(import("../shared/texts/pl.json"), import("./texts/pl.json")),
  ar: () => together(import("../shared/texts/ar.json"), import("./texts/ar.json")),
});
