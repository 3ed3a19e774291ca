// The tests of the pages in a browser: `npm run test:browser`.

import { defineConfig } from "@playwright/test";
import { TIMEOUT_MS } from "./tests/browser/chromium";

export default defineConfig({
  testDir: "tests/browser",
  testMatch: "*.test.ts",
  outputDir: "node_modules/.assay/browser",
  reporter: "list",
  reportSlowTests: null,
  fullyParallel: true,
  workers: "100%",
  forbidOnly: true,
  timeout: 3 * TIMEOUT_MS,
  expect: { timeout: TIMEOUT_MS },
  use: {
    locale: "en-GB",
    viewport: { width: 390, height: 844 },
    actionTimeout: TIMEOUT_MS,
    navigationTimeout: TIMEOUT_MS,
  },
});
