// Every word that the console says: a catalogue for each language in texts/, of which only the reader's is fetched. Another
// language is another file there and a line here; the compiler names every text that it lacks.

import { createContext, useContext } from "react";
import { catalogueLoader, interpolate, type Language } from "../shared/catalogue";
import english from "./texts/en.json";

export { interpolate, LANGUAGES, type Language, lookup, textDirection } from "../shared/catalogue";

export type Texts = typeof english;

/** The texts of a language; English where the catalogue cannot be had. */
export const textsIn = catalogueLoader<Texts>(english, {
  de: () => import("./texts/de.json").then((read) => read.default),
  fr: () => import("./texts/fr.json").then((read) => read.default),
  es: () => import("./texts/es.json").then((read) => read.default),
  pl: () => import("./texts/pl.json").then((read) => read.default),
  ar: () => import("./texts/ar.json").then((read) => read.default),
});

const TextsContext = createContext<Texts>(english);
export const TextsProvider = TextsContext.Provider;

/** The words of the reader's language, by typed keys. */
export function useTexts(): Texts {
  return useContext(TextsContext);
}

/** How moments, numbers and spans of time are written for the reader. */
export class Format {
  readonly #moment: Intl.DateTimeFormat;
  readonly #day: Intl.DateTimeFormat;
  readonly #utcDay: Intl.DateTimeFormat;
  readonly #time: Intl.DateTimeFormat;
  readonly #number: Intl.NumberFormat;
  readonly #exact: Intl.NumberFormat;
  readonly #relative: Intl.RelativeTimeFormat;

  /** `language` is that of the words; `regions` are the reader's own settings, for the order of day and month. */
  constructor(
    readonly language: Language,
    regions: readonly string[],
  ) {
    const own = regions.filter((tag) => tag.toLowerCase().split("-")[0] === language);
    const tags = own.length > 0 ? own : [language];
    this.#moment = new Intl.DateTimeFormat(tags, { dateStyle: "medium", timeStyle: "short" });
    this.#day = new Intl.DateTimeFormat(tags, { dateStyle: "medium" });
    this.#utcDay = new Intl.DateTimeFormat(tags, { dateStyle: "medium", timeZone: "UTC" });
    this.#time = new Intl.DateTimeFormat(tags, { timeStyle: "medium" });
    this.#number = new Intl.NumberFormat(tags, { maximumFractionDigits: 1 });
    this.#exact = new Intl.NumberFormat(tags, { maximumSignificantDigits: 3 });
    this.#relative = new Intl.RelativeTimeFormat(tags, { numeric: "auto" });
  }

  moment(at: string): string {
    return this.#moment.format(new Date(at));
  }

  day(at: string): string {
    return this.#day.format(new Date(at));
  }

  /** A day that the server counts by: one of UTC, given by its beginning. */
  utcDay(at: string): string {
    return this.#utcDay.format(new Date(at));
  }

  /** A time of the day, to the second. */
  time(at: string): string {
    return this.#time.format(new Date(at));
  }

  number(value: number): string {
    return this.#number.format(value);
  }

  /** A measure, with three digits that count. */
  measure(value: number): string {
    return this.#exact.format(value);
  }

  percent(share: number): string {
    return new Intl.NumberFormat(this.language, { style: "percent", maximumFractionDigits: 1 }).format(share);
  }

  /** A measure with its unit, with three digits that count. */
  unit(value: number, unit: string): string {
    const display = { style: "unit", unit, unitDisplay: "short", maximumSignificantDigits: 3 } as const;
    return new Intl.NumberFormat(this.language, display).format(value);
  }

  /** A size in the largest unit of which there is one: "2.5 GB". */
  bytes(value: number): string {
    const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
    const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
    return this.unit(value / 1000 ** power, units[power] ?? "byte");
  }

  /** How long something took: "85 ms", "2.5 sec", "7 min". */
  duration(seconds: number): string {
    if (seconds >= 60) {
      return this.span(seconds);
    }
    return seconds < 1 && seconds !== 0 ? this.unit(1000 * seconds, "millisecond") : this.unit(seconds, "second");
  }

  /** How long until a moment, or since: "in 2 hours", "3 days ago". */
  fromNow(at: string, now: number): string {
    const seconds = (Date.parse(at) - now) / 1000;
    const units = [
      ["day", 86_400],
      ["hour", 3600],
      ["minute", 60],
    ] as const;
    const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? (["second", 1] as const);
    return this.#relative.format(Math.round(seconds / size), unit);
  }

  /** A span of time in its largest unit: "25 min", "4 days". */
  span(seconds: number): string {
    const [unit, size] =
      seconds >= 86_400
        ? (["day", 86_400] as const)
        : seconds >= 60
          ? (["minute", 60] as const)
          : (["second", 1] as const);
    const display = unit === "day" ? "long" : "short";
    const format = new Intl.NumberFormat(this.language, { style: "unit", unit, unitDisplay: display });
    return format.format(Math.floor(seconds / size));
  }
}

const FormatContext = createContext(new Format("en", []));
export const FormatProvider = FormatContext.Provider;

export function useFormat(): Format {
  return useContext(FormatContext);
}

/** A text with its `{names}` filled in. */
export const fill = interpolate;
