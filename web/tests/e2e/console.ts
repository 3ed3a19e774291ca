// Comes into the console by a link from a mail and says something to the newest face, with the keyboard alone; then
// looks at what is meant for the reader and at one notification by its link. Prints what it saw, as JSON:
// npm run --silent e2e:console -- 'http://…/console/#sign-in=…' NOTIFICATION 'the comment'

import { join } from "node:path";
import type { Page } from "@playwright/test";
import { accessibilityViolations } from "../browser/accessibility";
import { expect, tabTo } from "../browser/actions";
import { launch, TIMEOUT_MS } from "../browser/chromium";
import { observePages } from "../browser/page-observer";

const [, , address = "", notification = "", comment = ""] = process.argv;

async function shoot(page: Page, name: string): Promise<void> {
  if (process.env.SHOTS) {
    await page.screenshot({ path: join(process.env.SHOTS, `${name}.png`) });
  }
}

/** The rows of a list of notifications. */
function rows(page: Page) {
  return page.locator("[role=rowgroup]:last-child > [role=row], tbody > tr");
}

/** Goes to a place of the console by its keys; the words of each notification on the screen, once there is one. */
async function notifications(page: Page, keys: string, heading: string): Promise<string[]> {
  for (const key of keys) {
    await page.keyboard.press(key);
  }
  await expect(page.locator("h1")).toHaveText(heading);
  await expect(rows(page).first()).toBeVisible();
  return rows(page).allInnerTexts();
}

const browser = await launch();
try {
  const context = await browser.newContext({ locale: "en-GB", viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(TIMEOUT_MS);
  const observed = observePages(context);
  const page = await context.newPage();
  await page.goto(address);
  await expect(page.locator("h1")).toHaveText("Welcome back");
  await tabTo(page, "Sign in");
  await page.keyboard.press("Enter");
  await expect(page.locator("nav").first()).toBeVisible();
  const inbox = await notifications(page, "gi", "Inbox");
  const wrong = await accessibilityViolations(page);
  await shoot(page, "real-inbox");

  // Down to the newest face: what stands above it is about moderations, and asks for no decision.
  await page.keyboard.press("j");
  await page.keyboard.press("c");
  await expect(page.locator("article textarea")).toBeFocused();
  await page.keyboard.insertText(comment);
  await tabTo(page, "False alarm D");
  await page.keyboard.press("Enter");
  await expect(page.locator("#spoken")).toHaveText("Marked as a false alarm.");
  await expect(page.locator("article .badge").first()).toHaveText("False alarm");
  await shoot(page, "real-dismissed");

  const mine = await notifications(page, "gm", "Assigned to me");

  await page.evaluate((id) => {
    location.hash = `#notification=${id}`;
  }, notification);
  await expect(page.locator("h1")).toHaveText("Finding");
  await expect(page.locator("article")).toHaveCount(1);
  await expect(page.locator("#heading")).toBeFocused();
  await tabTo(page, "Who decided what");
  await page.keyboard.press("Enter");
  await expect(page.locator(".reviews")).not.toBeEmpty();
  const one = await page.locator("article").allInnerTexts();
  wrong.push(...(await accessibilityViolations(page)), ...observed.errors);
  await shoot(page, "real-notification");
  process.stdout.write(`${JSON.stringify({ inbox, mine, one, wrong })}\n`);
} finally {
  await browser.close();
}
