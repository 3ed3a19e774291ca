// Opens a holder's page and prints what the QR code on it says: npm run --silent qr:decode -- 'http://…/poa/holder/#CODE'.

import { expect } from "../browser/actions";
import { launch } from "../browser/chromium";
import { scanScreen } from "../browser/qr-scanner";

const address = process.argv[2];
if (!address) {
  throw new Error("say which page to open");
}
const browser = await launch();
try {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 });
  await page.goto(address);
  await expect(page.locator("#modules")).toHaveAttribute("d", /./);
  process.stdout.write(`${await scanScreen(page)}\n`);
} finally {
  await browser.close();
}
