// Comes into the console by an invitation and decides one case after the other, with the keyboard alone. Prints how many were
// decided, and how long it took from the key until the next case was there with its pictures, as JSON:
// [READING_MS=6000] [ROUND_TRIP_MS=300] npm run --silent e2e:reviewer -- 'http://…/console/#invite=…' CASES

import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expect, tabTo } from "../browser/actions";
import { launch, TIMEOUT_MS } from "../browser/chromium";
import { observePages } from "../browser/page-observer";

const [, , address = "", cases = "1"] = process.argv;
/** How long a case is looked at. People take some six seconds; less time leaves less to fetch the next case in. */
const READING_MS = Number(process.env.READING_MS ?? 400);
/** What each request waits for its answer besides: a server that is far away. */
const ROUND_TRIP_MS = Number(process.env.ROUND_TRIP_MS ?? 0);

/** Has the page note how long it takes from a decision until the next case is seen. It hears keys before the page's own program
 * does, which shows the next case at once. */
async function watchWaits(page: Page, total: number): Promise<void> {
  await page.addInitScript((total) => {
    const shown = () => document.querySelector(".case");
    const isThere = (element: Element | null, before: Element | null) => {
      const pictures = [...(element?.querySelectorAll<HTMLImageElement>(".case-stage img") ?? [])];
      return element !== before && pictures.length > 0 && pictures.every((one) => one.complete && one.naturalWidth > 0);
    };
    const waits: number[] = [];
    Object.assign(window, { waits });
    window.addEventListener(
      "keydown",
      ({ key }) => {
        if (key !== "d") {
          return;
        }
        const [from, before] = [performance.now(), shown()];
        const look = () => {
          const now = shown();
          // Nothing need follow the last case.
          if (isThere(now, before) || (now === null && waits.length + 1 === total)) {
            waits.push(performance.now() - from);
          } else {
            requestAnimationFrame(look);
          }
        };
        requestAnimationFrame(look);
      },
      { capture: true },
    );
  }, total);
}

const waitsOf = (page: Page) => page.evaluate(() => (window as unknown as { waits: number[] }).waits);

function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return Math.round(sorted[Math.round(share * (sorted.length - 1))] ?? 0);
}

const browser = await launch();
try {
  const context = await browser.newContext({ locale: "en-GB", viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(TIMEOUT_MS);
  const observed = observePages(context);
  const page = await context.newPage();
  if (ROUND_TRIP_MS > 0) {
    const network = await context.newCDPSession(page);
    await network.send("Network.enable");
    const anyThroughput = { downloadThroughput: -1, uploadThroughput: -1 };
    await network.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: ROUND_TRIP_MS,
      ...anyThroughput,
    });
  }
  await watchWaits(page, Number(cases));
  let answered = 0;
  page.on("response", (response) => {
    if (response.ok() && response.url().endsWith("/decision")) {
      answered += 1;
    }
  });
  await page.goto(address);
  await tabTo(page, "Accept the invitation");
  await page.keyboard.press("Enter");
  await expect(page.locator("nav").first()).toBeVisible();
  await page.keyboard.press("g");
  await page.keyboard.press("q");
  await expect(page.locator(".case-stage img").first()).toBeVisible();
  let decided = 0;
  while (decided < Number(cases)) {
    await page.waitForTimeout(READING_MS);
    await page.keyboard.press("d");
    decided += 1;
    await expect.poll(async () => (await waitsOf(page)).length).toBe(decided);
    if (process.env.SHOTS && decided === 2) {
      await page.screenshot({ path: join(process.env.SHOTS, "real-queue.png") });
    }
  }
  // What is on the desk says nothing of what has reached the server: the next case is shown before.
  await expect.poll(() => answered).toBe(decided);
  const waits = await waitsOf(page);
  const waitsMs = { median: percentile(waits, 0.5), p95: percentile(waits, 0.95), worst: percentile(waits, 1) };
  const outside = observed.externalRequests();
  process.stdout.write(`${JSON.stringify({ decided, waits_ms: waitsMs, wrong: [...observed.errors, ...outside] })}\n`);
} finally {
  await browser.close();
}
