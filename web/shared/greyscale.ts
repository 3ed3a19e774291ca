// Pictures as brightness alone, which is all that guidance looks at.

/** A picture of brightness, 0 to 255, row by row. */
export interface GreyImage {
  width: number;
  height: number;
  data: Uint8Array;
}

/** A rectangle in pixels. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The brightness (BT.601) of RGBA pixels. */
export function toGreyscale({
  width,
  height,
  data,
}: {
  width: number;
  height: number;
  data: ArrayLike<number>;
}): GreyImage {
  const grey = new Uint8Array(width * height);
  for (let at = 0; at < grey.length; at += 1) {
    const [red, green, blue] = [data[at * 4] ?? 0, data[at * 4 + 1] ?? 0, data[at * 4 + 2] ?? 0];
    grey[at] = (red * 299 + green * 587 + blue * 114 + 500) / 1000;
  }
  return { width, height, data: grey };
}

/** A pixel; outside of the picture, the nearest inside. */
export function pixelAt({ width, height, data }: GreyImage, x: number, y: number): number {
  const [column, row] = [Math.min(width - 1, Math.max(0, x)), Math.min(height - 1, Math.max(0, y))];
  return data[row * width + column] ?? 0;
}

/** The picture with each pixel the mean of three by three: noise goes, edges stay. */
export function boxBlur(grey: GreyImage): GreyImage {
  const { width, height, data } = grey;
  const rows = new Uint16Array(data.length);
  for (let at = 0; at < data.length; at += 1) {
    const x = at % width;
    const before = data[x > 0 ? at - 1 : at] as number;
    rows[at] = before + (data[at] as number) + (data[x < width - 1 ? at + 1 : at] as number);
  }
  const made = new Uint8Array(data.length);
  for (let at = 0; at < data.length; at += 1) {
    const above = rows[at >= width ? at - width : at] as number;
    const below = rows[at + width < data.length ? at + width : at] as number;
    made[at] = (above + (rows[at] as number) + below) / 9;
  }
  return { width, height, data: made };
}

/** What of a box lies inside the picture, in whole pixels. */
export function clipBox({ width, height }: { width: number; height: number }, box: Box): Box {
  const [left, top] = [Math.max(0, Math.round(box.left)), Math.max(0, Math.round(box.top))];
  const right = Math.min(width, Math.round(box.left + box.width));
  const bottom = Math.min(height, Math.round(box.top + box.height));
  return { left, top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
}

/** How bright the pixels of a box are. */
export function brightness(grey: GreyImage, box: Box): { mean: number; burnt: number } {
  const { left, top, width, height } = clipBox(grey, box);
  let [sum, burnt] = [0, 0];
  for (let y = top; y < top + height; y += 1) {
    for (let x = left; x < left + width; x += 1) {
      const value = pixelAt(grey, x, y);
      sum += value;
      // One white pixel is print or noise; one among white pixels is a reflection.
      const around = () => [
        pixelAt(grey, x - 1, y),
        pixelAt(grey, x + 1, y),
        pixelAt(grey, x, y - 1),
        pixelAt(grey, x, y + 1),
      ];
      burnt += value >= OVEREXPOSED && around().every((one) => one >= OVEREXPOSED) ? 1 : 0;
    }
  }
  const area = Math.max(1, width * height);
  return { mean: sum / area, burnt: burnt / area };
}

/** As bright as a camera can say. */
const OVEREXPOSED = 250;

/** How much two pictures of one size differ inside a box, 0 to 255 a pixel. */
export function meanDifference(one: GreyImage, other: GreyImage, box: Box): number {
  if (one.width !== other.width || one.height !== other.height) {
    return 255;
  }
  const { left, top, width, height } = clipBox(one, box);
  let sum = 0;
  for (let y = top; y < top + height; y += 2) {
    for (let x = left; x < left + width; x += 2) {
      sum += Math.abs(pixelAt(one, x, y) - pixelAt(other, x, y));
    }
  }
  return (sum * 4) / Math.max(1, width * height);
}

/**
 * How steep edges are, 0 to 1: what of the difference between both sides of an edge lies within three pixels. 1 is a
 * step, and a lens out of focus spreads it. `undefined` where there are too few edges to say.
 */
export function sharpness(grey: GreyImage): number | undefined {
  const reach = 5;
  const steep: number[] = [];
  for (let y = 0; y < grey.height; y += 2) {
    for (let x = reach; x < grey.width - reach; x += 1) {
      const step = Math.abs(pixelAt(grey, x + 1, y) - pixelAt(grey, x - 1, y));
      if (step < MIN_EDGE_CONTRAST / 4) {
        continue;
      }
      let [low, high] = [255, 0];
      for (let near = -reach; near <= reach; near += 1) {
        const value = pixelAt(grey, x + near, y);
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
      if (high - low >= MIN_EDGE_CONTRAST) {
        steep.push(step / (high - low));
      }
    }
  }
  if (steep.length < 40) {
    return undefined;
  }
  // Print has strokes of all kinds; its steepest tell the focus.
  steep.sort((one, another) => one - another);
  return steep[Math.floor(steep.length * 0.9)];
}

/** Sides of an edge differ by this much, or it may be noise. */
const MIN_EDGE_CONTRAST = 40;
