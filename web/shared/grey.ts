// Pictures as brightness alone, which is all that guidance looks at.

/** A picture of brightness, 0 to 255, row by row. */
export interface Grey {
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
export function toGrey({ width, height, data }: { width: number; height: number; data: ArrayLike<number> }): Grey {
  const grey = new Uint8Array(width * height);
  for (let at = 0; at < grey.length; at += 1) {
    const [red, green, blue] = [data[at * 4] ?? 0, data[at * 4 + 1] ?? 0, data[at * 4 + 2] ?? 0];
    grey[at] = (red * 299 + green * 587 + blue * 114 + 500) / 1000;
  }
  return { width, height, data: grey };
}

/** A pixel; outside of the picture, the nearest inside. */
export function pixel({ width, height, data }: Grey, x: number, y: number): number {
  const [column, row] = [Math.min(width - 1, Math.max(0, x)), Math.min(height - 1, Math.max(0, y))];
  return data[row * width + column] ?? 0;
}

/** The picture with each pixel the mean of three by three: noise goes, edges stay. */
export function softened(grey: Grey): Grey {
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
export function inside({ width, height }: { width: number; height: number }, box: Box): Box {
  const [left, top] = [Math.max(0, Math.round(box.left)), Math.max(0, Math.round(box.top))];
  const right = Math.min(width, Math.round(box.left + box.width));
  const bottom = Math.min(height, Math.round(box.top + box.height));
  return { left, top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
}

/** How bright the pixels of a box are. */
export function light(grey: Grey, box: Box): { mean: number; burnt: number } {
  const { left, top, width, height } = inside(grey, box);
  let [sum, burnt] = [0, 0];
  for (let y = top; y < top + height; y += 1) {
    for (let x = left; x < left + width; x += 1) {
      const value = pixel(grey, x, y);
      sum += value;
      // One white pixel is print or noise; one among white pixels is a reflection.
      const around = () => [pixel(grey, x - 1, y), pixel(grey, x + 1, y), pixel(grey, x, y - 1), pixel(grey, x, y + 1)];
      burnt += value >= BURNT && around().every((one) => one >= BURNT) ? 1 : 0;
    }
  }
  const area = Math.max(1, width * height);
  return { mean: sum / area, burnt: burnt / area };
}

/** As bright as a camera can say. */
const BURNT = 250;

/** How much two pictures of one size differ inside a box, 0 to 255 a pixel. */
export function change(one: Grey, other: Grey, box: Box): number {
  if (one.width !== other.width || one.height !== other.height) {
    return 255;
  }
  const { left, top, width, height } = inside(one, box);
  let sum = 0;
  for (let y = top; y < top + height; y += 2) {
    for (let x = left; x < left + width; x += 2) {
      sum += Math.abs(pixel(one, x, y) - pixel(other, x, y));
    }
  }
  return (sum * 4) / Math.max(1, width * height);
}

/**
 * How steep edges are, 0 to 1: what of the difference between both sides of an edge lies within three pixels. 1 is a
 * step, and a lens out of focus spreads it. `undefined` where there are too few edges to say.
 */
export function sharpness(grey: Grey): number | undefined {
  const reach = 5;
  const steep: number[] = [];
  for (let y = 0; y < grey.height; y += 2) {
    for (let x = reach; x < grey.width - reach; x += 1) {
      const step = Math.abs(pixel(grey, x + 1, y) - pixel(grey, x - 1, y));
      if (step < EDGE / 4) {
        continue;
      }
      let [low, high] = [255, 0];
      for (let near = -reach; near <= reach; near += 1) {
        const value = pixel(grey, x + near, y);
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
      if (high - low >= EDGE) {
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
const EDGE = 40;
