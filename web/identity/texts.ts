// Every word that the page says: a catalogue for each language in texts/, beside the one that pages share. Another language
// is another file in both places and a line here; the compiler names every text that it lacks.

import { catalogueLoader, mergeCatalogues } from "../shared/catalogue";
import common from "../shared/texts/en.json";
import own from "./texts/en.json";

export {
  formatDuration,
  formatWait,
  interpolate,
  LANGUAGES,
  type Language,
  lookup,
  textDirection,
} from "../shared/catalogue";

const ENGLISH = { ...common, ...own };
export type Texts = typeof ENGLISH;

/** The texts of a language; English where the catalogue cannot be had. */
export const textsIn = catalogueLoader<Texts>(ENGLISH, {
  de: () => mergeCatalogues(import("../shared/texts/de.json"), import("./texts/de.json")),
  fr: () => mergeCatalogues(import("../shared/texts/fr.json"), import("./texts/fr.json")),
  es: () => mergeCatalogues(import("../shared/texts/es.json"), import("./texts/es.json")),
  pl: () => mergeCatalogues(import("../shared/texts/pl.json"), import("./texts/pl.json")),
  ar: () => mergeCatalogues(import("../shared/texts/ar.json"), import("./texts/ar.json")),
});
