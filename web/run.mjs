// Bundles TypeScript for Node and runs it: run.mjs FOLDER runs the tests in it with Node's own runner,
// run.mjs FILE [ARGUMENT]… a program.

import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const [what, ...rest] = process.argv.slice(2);
const folder = statSync(join(here, what)).isDirectory();
const files = folder ? readdirSync(join(here, what)).filter((name) => name.endsWith(".test.ts")) : [""];
// Inside node_modules, where packages that are left out of the bundle are found.
const outdir = join(here, "node_modules", ".assay");
await build({
  entryPoints: files.map((name) => join(here, what, name)),
  outdir,
  outbase: here,
  bundle: true,
  platform: "node",
  format: "esm",
  outExtension: { ".js": ".mjs" },
  packages: "external",
  sourcemap: "inline",
  logLevel: "warning",
});
const built = files.map((name) => join(outdir, what, name).replace(/\.ts$/, ".mjs"));
const how = folder ? ["--test", "--test-reporter=spec"] : [];
const { status } = spawnSync(process.execPath, ["--enable-source-maps", ...how, ...built, ...rest], {
  cwd: here,
  stdio: "inherit",
  timeout: 900_000,
});
process.exitCode = status ?? 1;
