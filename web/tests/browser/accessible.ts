// What axe finds wrong with a page, and whether it is wider than its window.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "./chromium";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

// A colour half-way between two looks is nobody's choice: what moves is judged where it ends. What ends may set off what
// inherits from it, so this goes on until nothing moves.
const AT_REST = `(async () => {
  for (let frame = 0; frame < 20; frame += 1) {
    const moving = document.getAnimations().filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime));
    for (const one of moving) one.finish();
    if (moving.length === 0 && frame > 1) return;
    await new Promise(requestAnimationFrame);
  }
})()`;
// A page that goes on by itself is between two states now and then; what is wrong with it stays wrong.
const LOOKS = 4;

/** Each finding in a line; none where all is well. */
export async function findings(page: Page): Promise<string[]> {
  let found: string[] = [];
  for (let look = 0; look < LOOKS; look += 1) {
    found = await lookOnce(page);
    if (found.length === 0) {
      break;
    }
  }
  return found;
}

async function lookOnce(page: Page): Promise<string[]> {
  await page.evaluate(AT_REST);
  await page.evaluate(`${AXE}; undefined`);
  const asked = `{ resultTypes: ["violations"], runOnly: ${JSON.stringify(RULES)} }`;
  const found: string[] = await page.evaluate(`axe.run(document, ${asked}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html, failureSummary }) => html + failureSummary).join("; ")))`);
  const overflow: number = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  return overflow > 0 ? [...found, `${overflow} pixels too wide`] : found;
}
