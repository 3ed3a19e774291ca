// Reads the reference of the interfaces, on a desk and on a phone. Prints what it saw, as JSON:
// npm run --silent e2e:reference -- 'http://…/reference/'

import { join } from "node:path";
import { expect } from "../browser/actions";
import { launch, TIMEOUT_MS } from "../browser/chromium";
import { observePages } from "../browser/page-observer";

const [, , address = ""] = process.argv;
const SCREENS = [
  { name: "desk", width: 1280, height: 900 },
  { name: "phone", width: 390, height: 844 },
];

const browser = await launch();
try {
  const seen = [];
  for (const { name, width, height } of SCREENS) {
    const context = await browser.newContext({ locale: "en-GB", viewport: { width, height } });
    context.setDefaultTimeout(TIMEOUT_MS);
    const observed = observePages(context);
    const page = await context.newPage();
    const refused: string[] = [];
    page.on("requestfailed", (request) => refused.push(request.url()));
    await page.addInitScript(() => {
      const violations: string[] = [];
      Object.assign(window, { violations });
      addEventListener("securitypolicyviolation", (event) =>
        violations.push(`${event.effectiveDirective} ${event.blockedURI}`),
      );
    });
    await page.goto(address);
    const choice = page.locator("select#select");
    const operations: Record<string, number> = {};
    for (const document of await choice.locator("option").allInnerTexts()) {
      await choice.selectOption({ label: document });
      await expect(page.locator(".info .title")).toBeVisible();
      await expect(page.locator(".opblock").first()).toBeVisible();
      operations[document] = await page.locator(".opblock").count();
    }
    if (process.env.SHOTS) {
      await page.screenshot({ path: join(process.env.SHOTS, `reference-${name}.png`) });
    }
    const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    await page.locator(".opblock-summary-control").first().click();
    await expect(page.locator(".opblock.is-open .opblock-body").first()).toBeVisible();
    if (process.env.SHOTS) {
      await page.screenshot({ path: join(process.env.SHOTS, `reference-${name}-open.png`) });
    }
    seen.push({
      name,
      operations,
      violations: await page.evaluate("violations"),
      errors: observed.errors,
      refused,
      elsewhere: observed.externalRequests(),
      overflow,
    });
    await context.close();
  }
  process.stdout.write(`${JSON.stringify(seen)}\n`);
} finally {
  await browser.close();
}
