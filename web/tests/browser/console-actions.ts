// What a person does in the console, and how its screens are judged.

import type { Page } from "@playwright/test";
import { expect, expectAccessible, expectLargeTargets, tabTo, takeScreenshot } from "./actions";
import { button, TOKEN } from "./console-page";

/** Signs in by the link of an invitation. */
export async function acceptInvitation(page: Page, server: { page: string }): Promise<void> {
  await page.goto(`${server.page}#invite=${TOKEN}`);
  await button(page, "Accept the invitation").click();
}

/** Signs in by a link that the stand-in knows, by keyboard alone. */
export async function signedIn(
  page: Page,
  server: { page: string },
  kind: "operator-sign-in" | "sign-in" = "operator-sign-in",
): Promise<void> {
  await page.goto(`${server.page}#${kind}=${TOKEN}`);
  await tabTo(page, "Sign in");
  await page.keyboard.press("Enter");
  await expect(page.locator(".side").getByRole("navigation")).toBeVisible();
}

/** After so long a sequence of keys is pressed again: not while a slow machine is still on its way. */
export const REACHED_MS = 20_000;

/** Widths of a phone, a tablet, a laptop and a desk. */
const SIZES = [
  [390, 844],
  [768, 1024],
  [1280, 800],
  [1920, 1080],
] as const;

/** Judges a screen in both themes and at every size, and keeps pictures. */
export async function judge(page: Page, name: string): Promise<void> {
  const own = page.viewportSize();
  for (const theme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: theme });
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      // Another theme changes colours and nothing else.
      await expectAccessible(page, `${name}, ${theme}, ${width}`, theme === "light" ? "all" : "colours");
      await expectLargeTargets(page, `${name}, ${width}`);
      await takeScreenshot(page, `console-${name}-${theme}-${width}`);
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  if (own) {
    await page.setViewportSize(own);
  }
}

/** Presses keys that belong together, until they have led where they should. On a machine that does much else, the second may come
 * too late for the first. */
export async function pressTogether(page: Page, keys: string, reached: () => Promise<void>): Promise<void> {
  await expect(async () => {
    for (const key of keys) {
      await page.keyboard.press(key);
    }
    await reached();
  }).toPass();
}

/** Goes to a place, whose heading is this, by its keys. */
export async function go(page: Page, keys: string, words: string): Promise<void> {
  await pressTogether(page, keys, () => expect(page.locator("h1")).toHaveText(words, { timeout: REACHED_MS }));
}

/** Waits until whatever comes of an answer that has arrived is drawn, and the focus is where it stays. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 50)))),
  );
}

/** Has the browser ask for a language from the next page on. */
export async function speak(page: Page, language: string): Promise<void> {
  await page.addInitScript((language) => {
    Object.defineProperty(navigator, "languages", { get: () => [language], configurable: true });
  }, language);
}
