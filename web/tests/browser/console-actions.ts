// What tests of the console's screens share.

import type { Page } from "@playwright/test";
import { expectAccessible, expectLargeTargets, takeScreenshot } from "./actions";

/** The secret of an invitation. */
export const TOKEN = "c0de-of_the-invitation-that-is-long-enough-1";

/** Sizes of a phone, a tablet, a laptop and a desk. */
const PHONE = [390, 844] as const;
const TABLET = [768, 1024] as const;
const LAPTOP = [1280, 800] as const;
const DESK = [1920, 1080] as const;

/** Another theme changes colours alone, and there are two layouts of them: with the menu beside the screen and without. */
const LOOKS = [
  { theme: "light", rules: "all", sizes: [PHONE, TABLET, LAPTOP, DESK] },
  { theme: "dark", rules: "colours", sizes: [PHONE, LAPTOP] },
] as const;

/** Judges a screen in both themes and at every size, and keeps pictures. */
export async function judge(page: Page, name: string): Promise<void> {
  const own = page.viewportSize();
  for (const { theme, rules, sizes } of LOOKS) {
    await page.emulateMedia({ colorScheme: theme });
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height });
      await expectAccessible(page, `${name}, ${theme}, ${width}`, rules);
      await expectLargeTargets(page, `${name}, ${width}`);
      await takeScreenshot(page, `console-${name}-${theme}-${width}`);
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  if (own) {
    await page.setViewportSize(own);
  }
}

/** Has the browser ask for a language from the next page on. */
export async function speak(page: Page, language: string): Promise<void> {
  await page.addInitScript((language) => {
    Object.defineProperty(navigator, "languages", { get: () => [language], configurable: true });
  }, language);
}
