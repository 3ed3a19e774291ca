// Reads a QR code as a till would: from a picture of the screen.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";
import type { Page } from "./chromium";

// The decoder would fetch its program from elsewhere, were it not handed to it.
const program = readFileSync(createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm"));
prepareZXingModule({ overrides: { wasmBinary: Uint8Array.from(program).buffer } });

// A till looks until it reads.
const LOOKS = 5;

/** The text of the only QR code on the screen. */
export async function scanScreen(page: Page): Promise<string> {
  let codes = 0;
  for (let look = 0; look < LOOKS; look += 1) {
    // A picture may be taken before what was just drawn is on it.
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    const found = await readBarcodes(await page.screenshot(), { formats: ["QRCode"], tryHarder: true });
    if (found.length === 1 && found[0]) {
      return found[0].text;
    }
    codes = found.length;
  }
  throw new Error(`${codes} QR codes on the screen`);
}
