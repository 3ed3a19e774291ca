// Bundles the tests of a folder and runs them with Node's own runner: node run-tests.mjs FOLDER.

import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2];
const tests = readdirSync(join(here, folder)).filter((name) => name.endsWith(".test.ts"));
// Inside node_modules, where packages that are left out of the bundle are found.
const outdir = join(here, "node_modules", ".assay", folder);
await build({
  entryPoints: tests.map((name) => join(here, folder, name)),
  outdir,
  bundle: true,
  platform: "node",
  format: "esm",
  outExtension: { ".js": ".mjs" },
  packages: "external",
  sourcemap: "inline",
  logLevel: "warning",
});
const built = tests.map((name) => join(outdir, name.replace(/\.ts$/, ".mjs")));
const { status } = spawnSync(process.execPath, ["--enable-source-maps", "--test", "--test-reporter=spec", ...built], {
  cwd: here,
  stdio: "inherit",
  timeout: 300_000,
});
process.exitCode = status ?? 1;
