// Where a face is, so that somebody can be told to come nearer: a small detector run here, in the browser.
//
// The net is the tiny detector (YOLO's form, 190 kB) out of the npm package that the server's own models come from;
// build.mjs takes it from there. It guides, and decides nothing. Numbers and layers are the package's.

/** A face in a picture: everything as a part of its width and height, and how sure the net is. */
export interface Face {
  x: number;
  y: number;
  width: number;
  height: number;
  score: number;
}

/** Pixels that the net looks at, along each side. */
export const DETECTOR_INPUT_PX = 160;
const CHANNEL_MEANS = [117.001, 114.697, 97.404] as const;
const ANCHORS = [
  [1.603231, 2.094468],
  [6.041143, 7.080126],
  [2.882459, 3.518061],
  [4.266906, 5.178857],
  [9.041765, 10.66308],
] as const;
const MIN_SCORE = 0.3;
/** Two boxes that share this much are one face. */
const MAX_OVERLAP = 0.4;

/** A volume of numbers: rows of columns of channels. */
interface Volume {
  size: number;
  depth: number;
  data: Float32Array;
}

interface Weight {
  name: string;
  length: number;
  scale: number;
  min: number;
}

export class FaceDetector {
  readonly #weights = new Map<string, Float32Array>();

  /** Reads the file that build.mjs makes: the length of a list of weights, the list as JSON, and a byte for each weight. */
  constructor(file: ArrayBuffer) {
    const length = new DataView(file).getUint32(0, true);
    const list = JSON.parse(new TextDecoder().decode(new Uint8Array(file, 4, length))) as Weight[];
    let at = 4 + length;
    for (const { name, length, scale, min } of list) {
      this.#weights.set(
        name,
        Float32Array.from(new Uint8Array(file, at, length), (byte) => byte * scale + min),
      );
      at += length;
    }
  }

  /** The faces in RGBA pixels of `INPUT` by `INPUT`, the surest first. */
  detect(rgba: Uint8ClampedArray): Face[] {
    const [red, green, blue] = CHANNEL_MEANS;
    const data = new Float32Array(DETECTOR_INPUT_PX * DETECTOR_INPUT_PX * 3);
    for (let at = 0, to = 0; at < rgba.length && to < data.length; at += 4, to += 3) {
      data[to] = ((rgba[at] as number) - red) / 255;
      data[to + 1] = ((rgba[at + 1] as number) - green) / 255;
      data[to + 2] = ((rgba[at + 2] as number) - blue) / 255;
    }
    let volume = maxPool(leakyRelu(this.#firstLayer({ size: DETECTOR_INPUT_PX, depth: 3, data })), 2);
    for (const layer of [1, 2, 3, 4, 5]) {
      const spread = depthwise(volume, this.#weight(`conv${layer}/depthwise_filter`));
      volume = leakyRelu(
        pointwise(spread, this.#weight(`conv${layer}/pointwise_filter`), this.#weight(`conv${layer}/bias`)),
      );
      volume = maxPool(volume, layer === 5 ? 1 : 2);
    }
    return decodeBoxes(pointwise(volume, this.#weight("conv8/filters"), this.#weight("conv8/bias")));
  }

  #weight(name: string): Float32Array {
    const weight = this.#weights.get(name);
    if (!weight) {
      throw new Error(`the face net lacks ${name}`);
    }
    return weight;
  }

  /** The first layer: three by three, without a border, from three channels to sixteen. */
  #firstLayer({ size, depth, data }: Volume): Volume {
    const [filter, bias] = [this.#weight("conv0/filters"), this.#weight("conv0/bias")];
    const [outer, channels, row] = [size - 2, bias.length, depth * 3];
    const made = new Float32Array(outer * outer * channels);
    const sums = new Float64Array(channels);
    for (let y = 0; y < outer; y += 1) {
      for (let x = 0; x < outer; x += 1) {
        sums.set(bias);
        for (let down = 0; down < 3; down += 1) {
          // A row of the filter lies over numbers that follow each other.
          const from = ((y + down) * size + x) * depth;
          for (let along = 0; along < row; along += 1) {
            add(sums, data[from + along] as number, filter, (down * row + along) * channels);
          }
        }
        made.set(sums, (y * outer + x) * channels);
      }
    }
    return { size: outer, depth: channels, data: made };
  }
}

/** Adds `factor` times a row of weights to all sums. */
function add(sums: Float64Array, factor: number, weights: Float32Array, from: number): void {
  for (let at = 0; at < sums.length; at += 1) {
    sums[at] = (sums[at] as number) + factor * (weights[from + at] as number);
  }
}

/** Three by three of each channel by itself, with a border of nothing. */
function depthwise({ size, depth, data }: Volume, filter: Float32Array): Volume {
  const made = new Float32Array(data.length);
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      const to = (y * size + x) * depth;
      for (let tap = 0; tap < 9; tap += 1) {
        const row = y + ((tap / 3) | 0) - 1;
        const column = x + (tap % 3) - 1;
        if (row < 0 || row >= size || column < 0 || column >= size) {
          continue;
        }
        const from = (row * size + column) * depth;
        for (let channel = 0; channel < depth; channel += 1) {
          (made[to + channel] as number) +=
            (data[from + channel] as number) * (filter[tap * depth + channel] as number);
        }
      }
    }
  }
  return { size, depth, data: made };
}

/** All channels of each pixel with each other. */
function pointwise({ size, depth, data }: Volume, filter: Float32Array, bias: Float32Array): Volume {
  const channels = bias.length;
  const made = new Float32Array(size * size * channels);
  const sums = new Float64Array(channels);
  for (let pixel = 0; pixel < size * size; pixel += 1) {
    sums.set(bias);
    for (let channel = 0; channel < depth; channel += 1) {
      add(sums, data[pixel * depth + channel] as number, filter, channel * channels);
    }
    made.set(sums, pixel * channels);
  }
  return { size, depth: channels, data: made };
}

function leakyRelu(volume: Volume): Volume {
  const { data } = volume;
  for (let at = 0; at < data.length; at += 1) {
    const value = data[at] as number;
    data[at] = value < 0 ? value * 0.1 : value;
  }
  return volume;
}

/** The greatest of two by two; pixels past the border count for nothing. */
function maxPool({ size, depth, data }: Volume, stride: 1 | 2): Volume {
  const outer = Math.ceil(size / stride);
  const made = new Float32Array(outer * outer * depth);
  for (let y = 0; y < outer; y += 1) {
    const [top, bottom] = [y * stride, Math.min(size - 1, y * stride + 1)];
    for (let x = 0; x < outer; x += 1) {
      const [left, right] = [x * stride, Math.min(size - 1, x * stride + 1)];
      const one = (top * size + left) * depth;
      const two = (top * size + right) * depth;
      const three = (bottom * size + left) * depth;
      const four = (bottom * size + right) * depth;
      const to = (y * outer + x) * depth;
      for (let channel = 0; channel < depth; channel += 1) {
        const upper = Math.max(data[one + channel] as number, data[two + channel] as number);
        const lower = Math.max(data[three + channel] as number, data[four + channel] as number);
        made[to + channel] = Math.max(upper, lower);
      }
    }
  }
  return { size: outer, depth, data: made };
}

/** Boxes out of the last layer: five numbers for each of five shapes in each cell. */
function decodeBoxes({ size, depth, data }: Volume): Face[] {
  const found: Face[] = [];
  for (let cell = 0; cell < size * size; cell += 1) {
    ANCHORS.forEach(([wide, high], shape) => {
      const [x, y, width, height, score] = data.subarray(
        cell * depth + shape * 5,
        cell * depth + shape * 5 + 5,
      ) as unknown as [number, number, number, number, number];
      if (sigmoid(score) > MIN_SCORE) {
        const box = { width: (Math.exp(width) * wide) / size, height: (Math.exp(height) * high) / size };
        const centre = { x: ((cell % size) + sigmoid(x)) / size, y: (Math.floor(cell / size) + sigmoid(y)) / size };
        found.push({ x: centre.x - box.width / 2, y: centre.y - box.height / 2, ...box, score: sigmoid(score) });
      }
    });
  }
  found.sort((one, other) => other.score - one.score);
  return found.filter((face, at) =>
    found.slice(0, at).every((surer) => intersectionOverUnion(surer, face) <= MAX_OVERLAP),
  );
}

/** What two boxes share of what both cover. */
function intersectionOverUnion(one: Face, other: Face): number {
  const across = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const down = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  const common = Math.max(0, across) * Math.max(0, down);
  return common / (one.width * one.height + other.width * other.height - common);
}

function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}
