// Opens a holder's page and prints what the QR code on it says: npm run --silent scan -- 'http://…/poa/holder/#CODE'.

import { Chromium } from "./chromium";
import { scanScreen } from "./scanner";

const address = process.argv[2];
if (!address) {
  throw new Error("say which page to open");
}
const chromium = await Chromium.start();
try {
  const page = await chromium.newPage();
  await page.resize(390, 844, 2);
  await page.go(address);
  await page.until(`document.querySelector("#modules")?.getAttribute("d")`);
  process.stdout.write(`${await scanScreen(page)}\n`);
} finally {
  await chromium.stop();
}
