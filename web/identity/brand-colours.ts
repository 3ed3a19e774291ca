// A business's colours, put right where they could not be read.

/** Red, green and blue, 0 to 255. */
type Colour = [number, number, number];

/** What is written in a colour on another must differ by this much (WCAG 2.2, 1.4.3), and what is drawn by this (1.4.11). */
const TEXT_CONTRAST = 4.5;
const GRAPHICS_CONTRAST = 3;

/** The colours that a business may choose, as `#rgb` or `#rrggbb`. */
export interface BrandColours {
  primary?: string | undefined;
  secondary?: string | undefined;
  font?: string | undefined;
}

/** Values for the style sheet's variables, on a page and a card of these colours. */
export function colourVariables(wanted: BrandColours, page: string, card: string): Record<string, string> {
  const made: Record<string, string> = {};
  const [primary, secondary] = [parseHex(wanted.primary), parseHex(wanted.secondary)];
  const grounds = [parseHex(page), parseHex(card)].filter((ground) => ground !== undefined);
  if (primary) {
    // What is filled with it may stay as it is: its edge tells it from the ground, and what is written on it is corrected.
    made["--brand"] = toHex(primary);
    made["--brand-edge"] = toHex(withContrast(primary, grounds, GRAPHICS_CONTRAST));
    made["--on-brand"] = toHex(textColourOn(primary, parseHex(wanted.font)));
    made["--accent"] = toHex(withContrast(primary, grounds, TEXT_CONTRAST));
  }
  if (secondary) {
    made["--trim"] = toHex(withContrast(secondary, grounds, GRAPHICS_CONTRAST));
  }
  return made;
}

/** How much two colours differ, 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [first, second] = [parseHex(one), parseHex(other)];
  return first && second ? contrastRatio(first, second) : 1;
}

function contrastRatio(one: Colour, other: Colour): number {
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
function withContrast(colour: Colour, grounds: Colour[], enough: number): Colour {
  const dark = grounds.every((ground) => luminance(ground) < 0.18);
  const towards: Colour = dark ? [255, 255, 255] : [0, 0, 0];
  for (let part = 0; part <= 1; part += 0.02) {
    const tried = mix(colour, towards, part);
    if (grounds.every((ground) => contrastRatio(tried, ground) >= enough)) {
      return tried;
    }
  }
  return towards;
}

/** The wanted colour of writing where it can be read, else black or white, whichever is read better. */
function textColourOn(ground: Colour, wanted: Colour | undefined): Colour {
  if (wanted && contrastRatio(wanted, ground) >= TEXT_CONTRAST) {
    return wanted;
  }
  const [black, white]: [Colour, Colour] = [
    [0, 0, 0],
    [255, 255, 255],
  ];
  return contrastRatio(white, ground) >= contrastRatio(black, ground) ? white : black;
}

function mix(one: Colour, other: Colour, part: number): Colour {
  return one.map((value, at) => Math.round(value + ((other[at] ?? 0) - value) * part)) as Colour;
}

function parseHex(hex: string | undefined): Colour | undefined {
  const digits = /^#(?:([\da-f]{6})|([\da-f]{3}))$/i.exec(hex?.trim() ?? "");
  const six = digits?.[1] ?? digits?.[2]?.replace(/./g, "$&$&");
  return six === undefined ? undefined : ([0, 2, 4].map((at) => Number.parseInt(six.slice(at, at + 2), 16)) as Colour);
}

function toHex(colour: Colour): string {
  return `#${colour.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}
