// How soon there is something to see of a page over a slow line, and how much script it takes:
// npm run --silent paint -- 'http://…/age?sessionId=…&sdkId=…' [ROUNDS]
//
// Each round is somebody who comes for the first time, over what Lighthouse calls slow 4G. Prints, as JSON, for each round
// the milliseconds until something was painted and until there was something to press, and the kilobytes of script that
// were sent for it, compressed, and that came out of them.

import { Chromium } from "./chromium";

/** 150 milliseconds there and back, 1.6 megabits a second down and 0.75 up. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8 };
const PRESSABLE = `document.querySelector("#body button, #body a") !== null && performance.now()`;

interface Painted {
  paint: number;
  usable: number;
  sent: number;
  script: number;
}

async function visit(chromium: Chromium, address: string): Promise<Painted> {
  const page = await chromium.newPage();
  await page.resize(390, 844, 2);
  await page.send("Network.emulateNetworkConditions", SLOW_4G);
  await page.go(address);
  const usable: number = await page.until(PRESSABLE);
  const painted = `performance.getEntriesByName("first-contentful-paint")[0]?.startTime`;
  const paint: number = await page.until(painted);
  const { sent, script } = await page.evaluate(`performance.getEntriesByType("resource")
    .filter(({ name }) => new URL(name).pathname.endsWith(".js"))
    .reduce(({ sent, script }, one) => ({ sent: sent + one.encodedBodySize, script: script + one.decodedBodySize }),
      { sent: 0, script: 0 })`);
  await page.close();
  return { paint, usable, sent: sent / 1000, script: script / 1000 };
}

const [, , address, rounds = "5"] = process.argv;
if (!address) {
  throw new Error("say which page to open");
}
const chromium = await Chromium.start();
try {
  const all: Painted[] = [];
  for (let round = 0; round < Number(rounds); round += 1) {
    all.push(await visit(chromium, address));
  }
  process.stdout.write(`${JSON.stringify(all)}\n`);
} finally {
  await chromium.stop();
}
