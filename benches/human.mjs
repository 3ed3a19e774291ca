// The peer: the models of the human package on TensorFlow.js' WASM backend, one thread.
//
// Reads commands from standard input, one a line, and answers each with a line of JSON, so that the bench can take turns
// with it: `setup FILE` loads the models and the photo's bytes, `run` takes the bytes once through decoder and models.

import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import path from 'node:path';

const require = createRequire(import.meta.url);
const folder = (name) => path.dirname(require.resolve(name));
const packages = path.join(import.meta.dirname, 'node_modules');

// Node's fetch reads no files, and the models are files.
const fetchAnything = globalThis.fetch;
globalThis.fetch = async (address, options) => {
  const file = String(address?.url ?? address);
  if (!file.startsWith('file:')) return fetchAnything(address, options);
  const type = file.endsWith('.json') ? 'application/json' : 'application/octet-stream';
  return new Response(await readFile(new URL(file)), { headers: { 'content-type': type } });
};

const sharp = require('sharp');
sharp.concurrency(1);
sharp.cache(false);
const tf = require('@tensorflow/tfjs-core');
const wasm = require('@tensorflow/tfjs-backend-wasm');
// By its path: the package's list of exports spells this file in a way that Node does not take.
const { Human } = require(path.join(packages, '@vladmandic/human/dist/human.node-wasm.js'));

const off = { enabled: false };
const config = {
  backend: 'wasm',
  wasmPath: `${folder('@tensorflow/tfjs-backend-wasm')}${path.sep}`,
  modelBasePath: `file://${path.join(packages, '@vladmandic/human/models')}/`,
  // The photos are independent: nothing may be carried over from one to the next.
  cacheSensitivity: 0,
  cacheModels: true,
  debug: false,
  filter: off,
  gesture: off,
  body: off,
  hand: off,
  object: off,
  segmentation: off,
  face: {
    enabled: true,
    detector: { modelPath: 'blazeface.json', rotation: false, maxDetected: 1, skipFrames: 0, skipTime: 0, return: false },
    mesh: off,
    attention: off,
    iris: off,
    emotion: off,
    description: { enabled: true, modelPath: 'faceres.json', skipFrames: 0, skipTime: 0 },
    antispoof: { enabled: true, modelPath: 'antispoof.json', skipFrames: 0, skipTime: 0 },
    liveness: { enabled: true, modelPath: 'liveness.json', skipFrames: 0, skipTime: 0 },
  },
};

let human;
let photo;

async function once() {
  const start = performance.now();
  const { data, info } = await sharp(photo).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const decoded = performance.now();
  const tensor = tf.tensor3d(data, [info.height, info.width, 3], 'int32');
  const result = await human.detect(tensor);
  tensor.dispose();
  const done = performance.now();
  const [face] = result.face;
  if (result.face.length !== 1) throw new Error(`${result.face.length} faces instead of one`);
  return { ms: done - start, decode: decoded - start, age: face.age, real: face.real, live: face.live };
}

const commands = {
  async setup(file) {
    photo = await readFile(file);
    human = new Human(config);
    await human.load();
    const { age, real, live } = await once();
    return {
      version: human.version,
      node: process.version,
      backend: tf.getBackend(),
      threads: wasm.getThreadsCount(),
      simd: await tf.env().getAsync('WASM_HAS_SIMD_SUPPORT'),
      modules: human.models.loaded(),
      age, real, live,
    };
  },
  run: once,
};

// What the packages print would stand between the answers.
console.log = console.info = console.warn = () => {};

for await (const line of createInterface({ input: process.stdin })) {
  const [command, ...rest] = line.split(' ');
  let answer;
  try {
    answer = await commands[command](rest.join(' '));
  } catch (error) {
    answer = { error: String(error?.stack ?? error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
