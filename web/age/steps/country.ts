// A list of all countries.

import { alpha2Codes, nameOf } from "../../shared/countries";
import { make } from "../../shared/dom";
import type { Language } from "../texts";

/** A choice among all countries, by their codes of two letters, in the order of their names. */
export function countries(
  properties: Record<string, string | boolean | undefined>,
  empty: string,
  language: Language,
): HTMLSelectElement {
  const collator = new Intl.Collator(language);
  const all = alpha2Codes()
    .map(([long, short]) => ({ short, name: nameOf(long, language) }))
    .sort((one, other) => collator.compare(one.name, other.name));
  const options = all.map(({ short, name }) => make("option", { value: short }, name));
  return make("select", properties, make("option", { value: "" }, empty), ...options);
}
