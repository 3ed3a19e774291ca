// What axe finds wrong with a page, whether it is wider than its window, and what is too small to be pressed.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = {
  all: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] },
  /** What another theme may change. */
  colours: { type: "rule", values: ["color-contrast", "link-in-text-block"] },
};

export type Rules = keyof typeof RULES;

// A page that goes on by itself is between two states now and then; what is wrong with it stays wrong.
const MAX_ATTEMPTS = 4;
/** Everything that can be pressed has so many pixels (WCAG 2.2, 2.5.8). */
const TARGET_PX = 24;

/** Each finding in a line; none where all is well. */
export async function accessibilityViolations(page: Page, rules: Rules = "all"): Promise<string[]> {
  let found: string[] = [];
  for (let look = 0; look < MAX_ATTEMPTS; look += 1) {
    found = await inspect(page, rules);
    if (found.length === 0) {
      break;
    }
  }
  return found;
}

async function inspect(page: Page, rules: Rules): Promise<string[]> {
  await finishAnimations(page);
  if (!(await page.evaluate("'axe' in window"))) {
    // By evaluation, because the pages' content policy lets no other script in.
    await page.evaluate(`${AXE}; undefined`);
  }
  const options = { resultTypes: ["violations"], runOnly: RULES[rules] };
  const found: string[] = await page.evaluate(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html, failureSummary }) => html + failureSummary).join("; ")))`);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  return overflow > 0 ? [...found, `${overflow} pixels too wide`] : found;
}

/** A colour half-way between two looks is nobody's choice: what moves is judged where it ends. What ends may set off what
 * inherits from it, so this goes on until nothing moves. */
async function finishAnimations(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let frame = 0; frame < 20; frame += 1) {
      const moving = document
        .getAnimations()
        .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
      for (const animation of moving) {
        animation.finish();
      }
      if (moving.length === 0 && frame > 1) {
        return;
      }
      await new Promise(requestAnimationFrame);
    }
  });
}

/** What can be pressed and is too small for a finger. */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(
    (least) =>
      [...document.querySelectorAll("button, a, select, input, summary")]
        .filter((target) => target.checkVisibility() && (target as HTMLElement).tabIndex >= 0)
        .filter((target) => {
          const { width, height } = target.getBoundingClientRect();
          return width < least || height < least;
        })
        .map((target) => target.outerHTML),
    TARGET_PX,
  );
}
