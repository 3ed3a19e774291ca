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

/** The words of each notification on the screen, once there is one. */
async function notifications(page: Page, heading: string): Promise<string[]> {
  await expect(page.locator("h1")).toHaveText(heading);
  await expect(page.locator("article").first()).toBeVisible();
  return page.locator("article").allInnerTexts();
}

const browser = await launch();
try {
  const context = await browser.newContext({ locale: "en-GB", viewport: { width: 1024, height: 768 } });
  context.setDefaultTimeout(TIMEOUT_MS);
  const observed = observePages(context);
  const page = await context.newPage();
  await page.goto(address);
  await expect(page.locator("h1")).toHaveText("Welcome back");
  await tabTo(page, "Sign in");
  await page.keyboard.press("Enter");
  const inbox = await notifications(page, "Inbox");
  const wrong = await accessibilityViolations(page);
  await shoot(page, "real-inbox");

  const field = page.locator("article textarea").first();
  await tabTo(page, (await field.evaluate((area: HTMLTextAreaElement) => area.labels[0]?.textContent?.trim())) ?? "");
  await expect(field).toBeFocused();
  await page.keyboard.insertText(comment);
  await tabTo(page, "Dismiss");
  await page.keyboard.press("Enter");
  await expect(page.locator("#spoken")).toHaveText("Dismissed: it is wrong.");
  await shoot(page, "real-dismissed");

  await tabTo(page, "For you");
  await page.keyboard.press("Enter");
  const mine = await notifications(page, "For you");

  await page.evaluate((id) => {
    location.hash = `#notification=${id}`;
  }, notification);
  await expect(page.locator("h1")).toHaveText("Notification");
  await expect(page.locator("article")).toHaveCount(1);
  await expect(page.locator("#heading")).toBeFocused();
  await tabTo(page, "Reviews");
  await page.keyboard.press("Enter");
  await expect(page.locator(".reviews")).not.toBeEmpty();
  const one = await page.locator("article").allInnerTexts();
  wrong.push(...(await accessibilityViolations(page)), ...observed.errors);
  await shoot(page, "real-notification");
  process.stdout.write(`${JSON.stringify({ inbox, mine, one, wrong })}\n`);
} finally {
  await browser.close();
}
