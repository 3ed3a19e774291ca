// Writes the types of what the pages ask the server for, from its OpenAPI documents: shared/schema/<document>.ts.
// generate-schema.mjs --check writes nothing, and fails where what is there is not what the documents say now.

import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import openapiTypescript, { astToString } from "openapi-typescript";

const here = dirname(fileURLToPath(import.meta.url));
const documents = join(here, "../../openapi");
const target = join(here, "../shared/schema");

/** Which operations of each document pages call. */
const CALLED = {
  "ages.json": /^\/age\/v1\/(sessions|keys|anonymity)\b/,
  "ai.json": /^\/ai\/sm\/v1\/secure\/\{version\}\/token$/,
  "console.json": /^\/console\//,
  "identity.json":
    /^\/idverify\/v1\/sessions\/\{sessionId\}\/(biometric-consent|client-session-token|configuration|emails|page-faults|resources|uploads)\b/,
  "moderation.json":
    /^\/accounts\/\{accountId\}\/(contents(\/\{id\}(\/(moderations|reports(\/\{reportId\})?))?)?$|findings\/search$|moderations\/\{moderationId\}(\/(details|notifications|results))?$|(admin|invitations|members|notifications)\b|profiles\/search$|profiles(\/\{profileId\}(\/(ban|dismissals))?)?$)/,
  "proof.json": /^\/poa\/v1\/holder\b/,
};

const METHODS = ["get", "put", "post", "delete", "patch", "head", "options"];

/** A document with the operations that are called and the schemas and headers that these need. Refusals are left out: pages read them by
 * their codes, the same for all. */
function reduced({ openapi, info, paths, components }, called) {
  const used = Object.fromEntries(
    Object.entries(paths)
      .filter(([path]) => called.test(path))
      .map(([path, item]) => [path, Object.fromEntries(Object.entries(item).map(withoutRefusals))]),
  );
  const schemas = new Map();
  const need = (part) => {
    if (typeof part !== "object" || part === null) {
      return;
    }
    const [, name] = /^#\/components\/schemas\/(.+)$/.exec(part.$ref ?? "") ?? [];
    if (name && !schemas.has(name)) {
      schemas.set(name, components.schemas[name]);
      need(components.schemas[name]);
    }
    Object.values(part).forEach(need);
  };
  need(used);
  return {
    openapi,
    info,
    paths: used,
    components: { schemas: Object.fromEntries(schemas), headers: components.headers },
  };
}

function withoutRefusals([name, part]) {
  if (!METHODS.includes(name)) {
    return [name, part];
  }
  const { security, tags, ...operation } = part;
  const responses = Object.fromEntries(Object.entries(part.responses).filter(([status]) => status.startsWith("2")));
  return [name, { ...operation, responses }];
}

/** The types of a document. */
async function typesOf(document, called) {
  const whole = JSON.parse(await readFile(join(documents, document), "utf8"));
  // Whoever sends something may leave out a member that has a default.
  const options = { alphabetize: true, defaultNonNullable: false };
  const types = astToString(await openapiTypescript(reduced(whole, called), options));
  // What an item of paths has not is said of each method; nobody asks for it.
  const short = types.replaceAll(/^ +(get|put|post|delete|options|head|patch|trace)\?: never;\n/gm, "");
  return `// Written by \`npm run generate\` from openapi/${document}: not to be changed by hand.\n\n${short}`;
}

const wanted = new Map();
for (const [document, called] of Object.entries(CALLED)) {
  wanted.set(document.replace(/\.json$/, ".ts"), await typesOf(document, called));
}
await mkdir(target, { recursive: true });
const stale = (await readdir(target)).filter((name) => !wanted.has(name));
for (const [name, types] of wanted) {
  if ((await readFile(join(target, name), "utf8").catch(() => undefined)) !== types) {
    stale.push(name);
  }
}
if (process.argv.includes("--check")) {
  if (stale.length > 0) {
    process.stderr.write(`not what the OpenAPI documents say: ${stale.join(", ")}; run \`npm run generate\`\n`);
    process.exitCode = 1;
  }
} else {
  for (const name of stale) {
    const types = wanted.get(name);
    await (types === undefined ? rm(join(target, name)) : writeFile(join(target, name), types));
  }
}
