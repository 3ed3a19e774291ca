// What a person does and sees on a page that leads through something.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findings } from "./accessible";
import type { Chromium, Page } from "./chromium";

/** Pictures of the screens lie here after the tests. */
const SHOTS = join(process.cwd(), "node_modules/.assay/shots");

/** A page of somebody who reads a language, on a phone's window; in a profile of its own, unless one is named. */
export async function openFor(chromium: Chromium, language: string, context?: string): Promise<Page> {
  const opened = await (context ? chromium.openIn(context) : chromium.newPage());
  await opened.send("Emulation.setLocaleOverride", { locale: language });
  await opened.prepare(
    `Object.defineProperty(navigator, "languages", { configurable: true, get: () => ["${language}"] })`,
  );
  await opened.resize(390, 844, 1);
  return opened;
}

/** Whether pages of an origin may use the camera. */
export async function allow({ chromium, context }: Page, origin: string, camera: boolean): Promise<void> {
  const [permission, setting] = [{ name: "camera" }, camera ? "granted" : "denied"];
  await chromium.send("Browser.setPermission", { permission, setting, origin, browserContextId: context });
}

/** Waits until the page's heading says this. */
export async function heading(page: Page, words: string, patience?: number): Promise<void> {
  await page.until(`document.querySelector("h1").textContent === ${JSON.stringify(words)}`, patience);
}

/** Presses what is called this, once it is there. */
export async function click(page: Page, words: string): Promise<void> {
  const found = `[...document.querySelectorAll("button, a, label")]
    .find((one) => one.textContent.trim() === ${JSON.stringify(words)} && one.checkVisibility() && !one.disabled)`;
  await page.until(`${found}?.textContent`);
  await page.evaluate(`${found}.click()`);
}

export async function assertAccessible(page: Page, what: string): Promise<void> {
  assert.deepEqual(await findings(page), [], what);
}

/** Everything that can be pressed has 24 pixels (WCAG 2.2, 2.5.8). */
export async function assertLargeEnough(page: Page, what: string): Promise<void> {
  const small = await page.evaluate(`[...document.querySelectorAll("button, a, select, input, summary")]
    .filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect())
    .filter(({ width, height }) => width < 24 || height < 24).length`);
  assert.equal(small, 0, what);
}

export async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync(SHOTS, { recursive: true });
  writeFileSync(join(SHOTS, `${name}.png`), await page.screenshot());
}

/** Every page said nothing that went wrong, and asked nobody but this machine. */
export function assertQuiet({ complaints, requests }: Page): void {
  assert.deepEqual(complaints, []);
  const elsewhere = requests.filter(
    (url) => !/^(http:\/\/(127\.0\.0\.1|localhost):|blob:|data:|about:blank)/.test(url),
  );
  assert.deepEqual(elsewhere, [], "asked somebody else");
}
