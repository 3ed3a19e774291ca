// Bundles each page into dist/<page>/: files under assets/ carry a hash of their contents in their names and may be
// kept for ever, the others may not. Nothing is written that has not changed.

import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));

/** The pages: their folders, what is hashed in each, what names those files, the service worker, where one is, whether a
 * page finds faces, and whether it is served at its folder's name without a slash as well: from there its files lie one
 * step further down, so each document stands a second time, as above.html for index.html. */
const PAGES = [
  {
    name: "holder",
    assets: ["page.ts", "style.css", "icon.svg"],
    documents: ["index.html", "manifest.webmanifest"],
    worker: "service-worker.ts",
  },
  { name: "console", assets: ["page.tsx", "style.css", "icon.svg"], documents: ["index.html"] },
  { name: "identity", assets: ["page.ts", "style.css", "icon.svg"], documents: ["index.html"], faceNet: true },
  { name: "age", assets: ["page.ts", "style.css", "icon.svg"], documents: ["index.html"], faceNet: true, above: true },
];

/** The package that the server's own default models come out of; `make setup` installs it. */
const FACE_NET = join(here, "../models/node_modules/@vladmandic/face-api/model/tiny_face_detector_model");

/** What is sent to browsers that can decompress it, by the ending of its name; made once, so the smallest is made. */
const ENCODINGS = {
  ".br": (contents) => brotliCompressSync(contents),
  ".gz": (contents) => gzipSync(contents, { level: 9 }),
};

/** A file that hardly becomes smaller is not worth the work of decompressing it. */
const MAX_COMPRESSED_SHARE = 0.9;

/** The strings that React Aria brings, by their language; those that no page speaks are left out. */
const ARIA_STRINGS = /[\\/]intl[\\/](?:.*[\\/])?[a-z]{2}-[A-Z]{2}\.m?js$/;
const SPOKEN = /[\\/](?:en|de|fr|es|pl|ar)-[A-Z]{2}\.m?js$/;

const leaveOutForeignStrings = {
  name: "leave-out-foreign-strings",
  setup({ onLoad }) {
    onLoad({ filter: ARIA_STRINGS }, ({ path }) => (SPOKEN.test(path) ? undefined : { contents: "export default {}" }));
  },
};

const COMMON = {
  bundle: true,
  // Its program as it was written; what stands there for bundlers is made for browsers that the pages do not run in.
  alias: { "tus-js-client": "tus-js-client/lib/browser/index.js" },
  minify: true,
  write: false,
  target: ["chrome110", "firefox115", "safari16.4"],
  format: "esm",
  logLevel: "warning",
  legalComments: "eof",
  charset: "utf8",
};

const files = new Map();
for (const page of PAGES) {
  for (const [path, contents] of await bundle(page)) {
    files.set(join(page.name, path), contents);
    for (const [ending, compress] of Object.entries(ENCODINGS)) {
      const compressed = compress(contents);
      if (compressed.length < MAX_COMPRESSED_SHARE * contents.length) {
        files.set(join(page.name, path) + ending, compressed);
      }
    }
  }
}
await write(join(here, "dist"), files);

/** The files of a page, by their paths in its folder. */
async function bundle({ name, assets, documents, worker, faceNet, above }) {
  const folder = join(here, name);
  const net = faceNet ? await readFaceNet() : undefined;
  const netName = net ? `face-${digest(net)}.bin` : null;
  const built = await build({
    ...COMMON,
    splitting: true,
    define: { FACE_NET: JSON.stringify(netName), "process.env.NODE_ENV": '"production"' },
    plugins: [leaveOutForeignStrings],
    chunkNames: "assets/[name]-[hash]",
    entryPoints: assets.map((asset) => join(folder, asset)),
    outdir: folder,
    entryNames: "assets/[name]-[hash]",
    loader: { ".svg": "copy" },
    metafile: true,
    absWorkingDir: here,
  });
  const page = new Map(built.outputFiles.map(({ path, contents }) => [relative(folder, path), Buffer.from(contents)]));
  if (net) {
    page.set(`assets/${netName}`, net);
  }
  const names = new Map();
  for (const [path, { entryPoint, inputs }] of Object.entries(built.metafile.outputs)) {
    // A piece that several programs share may hold nothing of its own.
    const source = basename(entryPoint ?? Object.keys(inputs)[0] ?? path);
    names.set(source.replace(/\.tsx?$/, ".js"), relative(name, path));
  }
  for (const document of documents) {
    const text = await readFile(join(folder, document), "utf8");
    const filled = (before) =>
      text
        .replaceAll(/^(.*)\{\{(.+?)\+\}\}(.*\n)/gm, (_, start, asset, end) => {
          const all = [named(names, asset), ...needed(built.metafile, name, named(names, asset))];
          return all.map((path) => start + before + path + end).join("");
        })
        .replaceAll(/\{\{(.+?)\}\}/g, (_, asset) => before + named(names, asset));
    page.set(document, Buffer.from(filled("")));
    if (above) {
      page.set(document.replace("index", "above"), Buffer.from(filled(`${name}/`)));
    }
  }
  if (!worker) {
    return page;
  }
  // The worker comes last: it names all the others, and an edition that changes with any of them.
  const kept = [...page.keys()].map((path) => (path === "index.html" ? "./" : path)).sort();
  const define = { FILES: JSON.stringify(kept), EDITION: JSON.stringify(editionOf(page)) };
  const { outputFiles } = await build({ ...COMMON, entryPoints: [join(folder, worker)], define });
  return page.set("sw.js", Buffer.from(outputFiles[0].contents));
}

/** What a program of a page cannot begin without, so that it is fetched at once and not one after the other. */
function needed({ outputs }, name, path) {
  const all = new Set();
  const visit = (output) => {
    for (const { path, kind } of outputs[output].imports) {
      if (kind === "import-statement" && !all.has(path)) {
        all.add(path);
        visit(path);
      }
    }
  };
  visit(`${name}/${path}`);
  return [...all].map((path) => relative(name, path));
}

/** The net that finds faces, as shared/face.ts reads it: the length of a list, the list of its weights, their bytes. */
async function readFaceNet() {
  try {
    const [{ weights }] = JSON.parse(await readFile(`${FACE_NET}-weights_manifest.json`, "utf8"));
    const list = weights.map(({ name, shape, quantization: { scale, min } }) => {
      return { name, length: shape.reduce((all, one) => all * one, 1), scale, min };
    });
    const json = Buffer.from(JSON.stringify(list));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(json.length);
    return Buffer.concat([length, json, await readFile(`${FACE_NET}.bin`)]);
  } catch (error) {
    process.stderr.write(`faces are not found on the pages, people guide themselves: ${error.message}\n`);
    return undefined;
  }
}

function digest(contents) {
  return createHash("sha256").update(contents).digest("hex").slice(0, 8).toUpperCase();
}

function named(names, asset) {
  const path = names.get(asset);
  if (!path) {
    throw new Error(`a page names ${asset}, which is none of its assets`);
  }
  return path;
}

function editionOf(page) {
  const hash = createHash("sha256");
  for (const [path, contents] of [...page].sort(([one], [other]) => (one < other ? -1 : 1))) {
    hash.update(`${path} ${contents.length}\n`).update(contents);
  }
  return hash.digest("hex").slice(0, 16);
}

/** Makes `folder` hold just these files, beside the stamp of `make`. */
async function write(folder, wanted) {
  await mkdir(folder, { recursive: true });
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && entry.name !== ".built" && !wanted.has(relative(folder, path))) {
      await rm(path);
    }
  }
  for (const [path, contents] of wanted) {
    const target = join(folder, path);
    const there = await readFile(target).catch(() => undefined);
    if (!there?.equals(contents)) {
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, contents);
    }
  }
}
