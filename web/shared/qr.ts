// A QR code as one SVG path.

import encodeQR, { type ErrorCorrection } from "qr";

/** Light modules around the code, as ISO/IEC 18004 asks for. */
const QUIET_ZONE = 4;

/** A square of `size` modules, quiet zone included, and the outline of its dark ones. */
export interface QrCode {
  size: number;
  path: string;
}

/** Draws `text`, which must fit the mode, with as much error correction as costs no module. */
export function drawQr(text: string, encoding: "alphanumeric" | "byte" = "alphanumeric"): QrCode {
  const rows = (ecc: ErrorCorrection) => encodeQR(text, "raw", { ecc, encoding, border: QUIET_ZONE });
  let best = rows("low");
  for (const ecc of ["medium", "quartile"] as const) {
    const better = tryOrUndefined(() => rows(ecc));
    if (better?.length === best.length) {
      best = better;
    }
  }
  return { size: best.length, path: best.map(outline).join("") };
}

/** The dark runs of a row, each a rectangle one module high. */
function outline(row: boolean[], y: number): string {
  let path = "";
  for (let x = 0; x < row.length; x += 1) {
    const start = x;
    while (row[x]) {
      x += 1;
    }
    if (x > start) {
      path += `M${start} ${y}h${x - start}v1h${start - x}z`;
    }
  }
  return path;
}

/** Text that fits at one level of correction may be too long for the next. */
function tryOrUndefined<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
