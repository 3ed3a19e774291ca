// How soon there is something to see of a page over a slow line, and how much script it takes:
// npm run --silent bench:paint -- 'http://…/age?sessionId=…&sdkId=…' [ROUNDS]
//
// Each round is somebody who comes for the first time, over what Lighthouse calls slow 4G. Prints, as JSON, for each round
// the milliseconds until something was painted and until there was something to press, and the kilobytes of script that
// were sent for it, compressed, and that came out of them.

import type { Browser } from "@playwright/test";
import { launch, TIMEOUT_MS } from "../browser/chromium";

/** 150 milliseconds there and back, 1.6 megabits a second down and 0.75 up. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8 };

interface PaintTiming {
  paint: number;
  usable: number;
  sent: number;
  script: number;
}

async function visit(browser: Browser, address: string): Promise<PaintTiming> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 });
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const network = await context.newCDPSession(page);
  await network.send("Network.enable");
  await network.send("Network.emulateNetworkConditions", SLOW_4G);
  await page.goto(address, { waitUntil: "commit" });
  const pressable = await page.waitForFunction(
    () => document.querySelector("#body button, #body a") !== null && performance.now(),
  );
  const usable = Number(await pressable.jsonValue());
  const painted = await page.waitForFunction(
    () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
  );
  const paint = Number(await painted.jsonValue());
  const sizes = await page.evaluate(() =>
    (performance.getEntriesByType("resource") as PerformanceResourceTiming[])
      .filter(({ name }) => new URL(name).pathname.endsWith(".js"))
      .map(({ encodedBodySize, decodedBodySize }) => [encodedBodySize, decodedBodySize] as const),
  );
  await context.close();
  const sum = (at: 0 | 1) => sizes.reduce((all, size) => all + size[at], 0) / 1000;
  return { paint, usable, sent: sum(0), script: sum(1) };
}

const [, , address, rounds = "5"] = process.argv;
if (!address) {
  throw new Error("say which page to open");
}
const browser = await launch();
try {
  const all: PaintTiming[] = [];
  for (let round = 0; round < Number(rounds); round += 1) {
    all.push(await visit(browser, address));
  }
  process.stdout.write(`${JSON.stringify(all)}\n`);
} finally {
  await browser.close();
}
