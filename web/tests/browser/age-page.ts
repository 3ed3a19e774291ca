// What the tests of the page of age sessions share: a stand-in for the server, a camera with a film, and short words.

import { method } from "../age-responses";
import { allowCamera, expectAccessible, expectLargeTargets, press, recordTexts, takeScreenshot } from "./actions";
import { AgeStandIn, pollScript } from "./age-stand-in";
import { expect, type Page, withServer } from "./fixtures";

export const test = withServer(() => new AgeStandIn()).extend<object, { filmed: boolean }>({
  filmed: [true, { scope: "worker" }],
  page: async ({ page, server }, use) => {
    await allowCamera(page, server.origin, true);
    await recordTexts(page);
    await use(page);
  },
});

export const FACE = method("AGE_ESTIMATION", { biometric: true, attempts_remaining: 2, level: "PASSIVE" });
export const OVER = "Show that you are 18 or over";
export const TAKE_BACK = "Take back my consent to measuring my face";

export const heading = (page: Page, words: string | RegExp) => expect(page.locator("h1")).toHaveText(words);
export const says = (page: Page, words: string | RegExp) => expect(page.locator("body")).toContainText(words);
export const keep = (page: Page, name: string) => takeScreenshot(page, `age-${name}`);

/** What axe finds, and targets that are too small, on this screen. */
export async function accessible(page: Page, what: string): Promise<void> {
  await expectAccessible(page, what);
  await expectLargeTargets(page, what);
}

/** From an empty page to the session's. */
export async function arrive(page: Page, address: string): Promise<void> {
  await page.goto("about:blank");
  await page.goto(address);
}

/** Everything that the browser keeps of this page's origin. */
export function stored(page: Page): Promise<object> {
  return page.evaluate(() => ({
    ...sessionStorage,
    ...localStorage,
    ...(document.cookie ? { cookie: document.cookie } : {}),
  }));
}

/** What leads to a provider of the stand-in's. */
export const toProvider = (page: Page, server: AgeStandIn) => press(page, `Go on to ${server.origin.slice(7)}`);

/** Where a wallet brings its holder with the right code: the attempt that this browser waits for stands in it. */
export async function wayBackOf(page: Page, server: AgeStandIn): Promise<string> {
  const [place = ""] = await page.evaluate(() => Object.keys(localStorage));
  return `${server.origin}/age/return?attempt=${place.replace("assay-age-", "")}&response_code=c0de`;
}

/** A document that is looked at. */
export const waiting = (server: AgeStandIn) => pollScript(server, () => ({ kind: "wait", poll_ms: 500 }));

/** What is said beside the fields of a form. */
export const errors = (page: Page) => page.locator(".error:not([hidden])");

/** Puts a page into a frame of another's, which keeps what it is told in `heard`. */
export async function embed(page: Page, server: AgeStandIn, address: string) {
  await page.goto(`${server.origin}/embedding`);
  await page.evaluate((address) => {
    const heard: unknown[] = [];
    Object.assign(window, { heard });
    const frame = document.createElement("iframe");
    frame.width = "360";
    frame.height = "700";
    addEventListener("message", ({ data, source }) => source === frame.contentWindow && heard.push(data));
    frame.src = address;
    document.body.append(frame);
  }, address);
  return page.frameLocator("iframe");
}
