// A business's colours, put right where they could not be read.

/** Red, green and blue, 0 to 255. */
type Colour = [number, number, number];

/** What is written in a colour on another must differ by this much (WCAG 2.2, 1.4.3), and what is drawn by this (1.4.11). */
const WRITTEN = 4.5;
const DRAWN = 3;

/** The colours that a business may choose, as `#rgb` or `#rrggbb`. */
export interface Wanted {
  primary?: string | undefined;
  secondary?: string | undefined;
  font?: string | undefined;
}

/** Values for the style sheet's variables, on a page and a card of these colours. */
export function variables(wanted: Wanted, page: string, card: string): Record<string, string> {
  const made: Record<string, string> = {};
  const [primary, secondary] = [parse(wanted.primary), parse(wanted.secondary)];
  const grounds = [parse(page), parse(card)].filter((ground) => ground !== undefined);
  if (primary) {
    // What is filled with it may stay as it is: its edge tells it from the ground, and what is written on it is corrected.
    made["--brand"] = text(primary);
    made["--brand-edge"] = text(moved(primary, grounds, DRAWN));
    made["--on-brand"] = text(writtenOn(primary, parse(wanted.font)));
    made["--accent"] = text(moved(primary, grounds, WRITTEN));
  }
  if (secondary) {
    made["--trim"] = text(moved(secondary, grounds, DRAWN));
  }
  return made;
}

/** How much two colours differ, 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [first, second] = [parse(one), parse(other)];
  return first && second ? ratio(first, second) : 1;
}

function ratio(one: Colour, other: Colour): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as Colour;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The colour itself or, as near to it as can be told apart from all grounds, one that is darker or lighter. */
function moved(colour: Colour, grounds: Colour[], enough: number): Colour {
  const dark = grounds.every((ground) => luminance(ground) < 0.18);
  const towards: Colour = dark ? [255, 255, 255] : [0, 0, 0];
  for (let part = 0; part <= 1; part += 0.02) {
    const tried = mixed(colour, towards, part);
    if (grounds.every((ground) => ratio(tried, ground) >= enough)) {
      return tried;
    }
  }
  return towards;
}

/** The wanted colour of writing where it can be read, else black or white, whichever is read better. */
function writtenOn(ground: Colour, wanted: Colour | undefined): Colour {
  if (wanted && ratio(wanted, ground) >= WRITTEN) {
    return wanted;
  }
  const [black, white]: [Colour, Colour] = [
    [0, 0, 0],
    [255, 255, 255],
  ];
  return ratio(white, ground) >= ratio(black, ground) ? white : black;
}

function mixed(one: Colour, other: Colour, part: number): Colour {
  return one.map((value, at) => Math.round(value + ((other[at] ?? 0) - value) * part)) as Colour;
}

function parse(hex: string | undefined): Colour | undefined {
  const digits = /^#(?:([\da-f]{6})|([\da-f]{3}))$/i.exec(hex?.trim() ?? "");
  const six = digits?.[1] ?? digits?.[2]?.replace(/./g, "$&$&");
  return six === undefined ? undefined : ([0, 2, 4].map((at) => Number.parseInt(six.slice(at, at + 2), 16)) as Colour);
}

function text(colour: Colour): string {
  return `#${colour.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}
