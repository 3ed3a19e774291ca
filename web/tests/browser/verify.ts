// Goes through the page of a verification session as a person would, with a film for a camera, on a server that is there:
// npm run --silent verify -- 'http://…/idverify/v1/web/index.html?sessionID=…&sessionToken=…' FILM COUNTRY TYPE
// FILM is Motion JPEG, which Chromium shows at 30 pictures a second, from its beginning whenever the camera is opened.
// Prints what it saw, as JSON: each step with its heading and words, how it ended, and what was wrong with the page.

import { writeFileSync } from "node:fs";
import { findings } from "./accessible";
import { Chromium, type Page } from "./chromium";

const [, , address = "", film = "", country = "", type = ""] = process.argv;
/** Longer than this nothing takes, not even on a machine with much else to do. */
const PATIENCE_MS = 240_000;
/** After so long the picture is taken by hand. */
const BY_HAND_MS = 30_000;
const STEP = "document.body.dataset.step";
const HEADING = `document.querySelector("h1").textContent`;

interface Seen {
  step: string;
  heading: string;
  words: string;
}

/** What is pressed at a step that waits for a person; nothing is pressed at the others. */
const PRESSED: Record<string, string> = {
  welcome: `document.querySelector("#body .primary").click()`,
  choose: `{
    const select = document.querySelector("select");
    select.value = ${JSON.stringify(country)};
    select.dispatchEvent(new Event("change"));
    document.querySelector('input[value=${JSON.stringify(type)}]').click();
    document.querySelector("form").requestSubmit();
  }`,
  tips: `document.querySelector("#body .primary").click()`,
  review: `document.querySelector("#body .row button").click()`,
  retry: `document.querySelector("#body .primary").click()`,
  interrupted: `document.querySelector("#body .primary").click()`,
};

async function go(page: Page): Promise<Seen[]> {
  const seen: Seen[] = [];
  const end = Date.now() + PATIENCE_MS;
  let since = Date.now();
  while (Date.now() < end) {
    const [step, heading, words]: [string, string, string] = await page.evaluate(
      `[${STEP} ?? "", ${HEADING}, document.querySelector("#body").innerText]`,
    );
    const last = seen.at(-1);
    if (last?.step !== step || last.heading !== heading) {
      since = Date.now();
      seen.push({ step, heading, words });
      if (process.env.SHOTS) {
        writeFileSync(`${process.env.SHOTS}/verify-${seen.length}-${step}.png`, await page.screenshot());
      }
    }
    if (["done", "over", "broken", "trouble"].includes(step)) {
      return seen;
    }
    const act = PRESSED[step];
    if (act) {
      await page.evaluate(`${act}; undefined`);
      await page.until(`${STEP} !== ${JSON.stringify(step)} || ${HEADING} !== ${JSON.stringify(heading)}`);
    } else if (step === "camera" && Date.now() - since > BY_HAND_MS) {
      since = Date.now();
      await page.evaluate(`document.querySelector(".viewer .primary")?.click()`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`it did not end: ${JSON.stringify(seen)}`);
}

const chromium = await Chromium.start([
  "--use-fake-device-for-media-stream",
  `--use-file-for-fake-video-capture=${film}`,
]);
try {
  const page = await chromium.newPage();
  await page.send("Emulation.setLocaleOverride", { locale: "en-GB" });
  await page.prepare(`Object.defineProperty(navigator, "languages", { get: () => ["en-GB"] })`);
  await page.resize(390, 844);
  const { origin } = new URL(address);
  const permission = { permission: { name: "camera" }, setting: "granted", origin, browserContextId: page.context };
  await chromium.send("Browser.setPermission", permission);
  await page.go(address);
  await page.until(STEP);
  const steps = await go(page);
  const wrong = [...(await findings(page)), ...page.complaints];
  process.stdout.write(`${JSON.stringify({ steps, ended: steps.at(-1), wrong })}\n`);
} finally {
  await chromium.stop();
}
