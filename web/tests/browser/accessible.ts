// What axe finds wrong with a page, and whether it is wider than its window.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "./chromium";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

// A colour half-way between two looks is nobody's choice: what moves is judged where it ends.
const AT_REST = `for (const moving of document.getAnimations()) {
  if (Number.isFinite(moving.effect.getComputedTiming().endTime)) moving.finish();
}`;

/** Each finding in a line; none where all is well. */
export async function findings(page: Page): Promise<string[]> {
  await page.evaluate(`${AT_REST}; undefined`);
  await page.evaluate(`${AXE}; undefined`);
  const asked = `{ resultTypes: ["violations"], runOnly: ${JSON.stringify(RULES)} }`;
  const found: string[] = await page.evaluate(`axe.run(document, ${asked}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html, failureSummary }) => html + failureSummary).join("; ")))`);
  const overflow: number = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  return overflow > 0 ? [...found, `${overflow} pixels too wide`] : found;
}
