// Reads a QR code as a till would: from a picture of the screen.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";

// The decoder would fetch its program from elsewhere, were it not handed to it.
const program = readFileSync(createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm"));
prepareZXingModule({ overrides: { wasmBinary: Uint8Array.from(program).buffer } });

// A till looks until it reads.
const MAX_ATTEMPTS = 5;

/** The text of the only QR code on the screen. */
export async function scanScreen(page: Page): Promise<string> {
  let codes = 0;
  for (let look = 0; look < MAX_ATTEMPTS; look += 1) {
    const found = await readBarcodes(new Uint8Array(await page.screenshot()), {
      formats: ["QRCode"],
      tryHarder: true,
    });
    if (found.length === 1 && found[0]) {
      return found[0].text;
    }
    codes = found.length;
  }
  throw new Error(`${codes} QR codes on the screen`);
}
