// The texts of the page: a catalogue per language in texts/, merged with the shared one. A new language needs a file in
// both folders and a line here; the compiler reports missing texts.

import { catalogueLoader, mergeCatalogues } from "../shared/catalogue";
import common from "../shared/texts/en.json";
import own from "./texts/en.json";

export { formatDuration, interpolate, LANGUAGES, type Language, lookup, textDirection } from "../shared/catalogue";

const ENGLISH = { ...common, ...own };
export type Texts = typeof ENGLISH;

/** The texts of a language; English if the catalogue cannot be loaded. */
export const textsIn = catalogueLoader<Texts>(ENGLISH, {
  de: () => mergeCatalogues(import("../shared/texts/de.json"), import("./texts/de.json")),
  fr: () => mergeCatalogues(import("../shared/texts/fr.json"), import("./texts/fr.json")),
  es: () => mergeCatalogues(import("../shared/texts/es.json"), import("./texts/es.json")),
  pl: () => mergeCatalogues(import("../shared/texts/pl.json"), import("./texts/pl.json")),
  ar: () => mergeCatalogues(import("../shared/texts/ar.json"), import("./texts/ar.json")),
});
