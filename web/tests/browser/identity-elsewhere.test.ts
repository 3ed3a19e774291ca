// A verification session that goes on elsewhere, on a phone or in a frame, and who is told how it ended.

import { DOCUMENT, LIVENESS } from "../identity-responses";
import {
  allowCamera,
  expectAccessible,
  holdAddress,
  intercept,
  press,
  pressableElement,
  recordTexts,
  stopClock,
  takeScreenshot,
} from "./actions";
import { expect, type Page, withServer } from "./fixtures";
import { IdentityStandIn, SESSION, TOKEN } from "./identity-stand-in";
import { scanScreen } from "./qr-scanner";

/** One that the stand-in does not know. */
const ANOTHER_SESSION = "5b8e2c71-4d0f-4a96-8e13-9c6a7d2f1b40";

const test = withServer(() => new IdentityStandIn());
test.use({ filmed: true });

test.beforeEach(async ({ page, server }) => {
  await allowCamera(page, server.origin, true);
  await recordTexts(page);
});

const heading = (page: Page, words: string | RegExp) => expect(page.locator("h1")).toHaveText(words);
const says = (page: Page, words: string | RegExp) => expect(page.locator("body")).toContainText(words);

test("without what draws the code, the link for a phone is there all the same", async ({ page, server }) => {
  server.sdk = { allow_handoff: true };
  await page.setViewportSize({ width: 1024, height: 900 });
  await intercept(page, /\/assets\/qr-/, (route) => route.abort());
  await page.goto(server.page);
  const refused = page.waitForEvent("requestfailed", (request) => /\/qr-.*again=/.test(request.url()));
  await press(page, "Continue on your phone");
  await refused;
  await heading(page, "Go on with your phone");
  await expect(page.locator("input[readonly]")).toHaveValue(/#[\w-]{43}$/);
  await press(page, "Copy the link");
  await heading(page, "Go on with your phone");
  expect(server.count(/page-faults/)).toBe(0);
});

test("a phone takes over by the code, and this page follows it to the end", async ({ page, server, newContext }) => {
  server.resources = [{ ...DOCUMENT }, { ...LIVENESS }];
  server.sdk = { allow_handoff: true, success_url: `${server.origin}/thanks` };
  const leave = await holdAddress(page, /\/thanks$/);
  await page.setViewportSize({ width: 1024, height: 900 });
  await page.goto(server.page);
  await press(page, "Continue on your phone");
  await heading(page, "Go on with your phone");
  await expect(page.locator("svg.code path")).toHaveAttribute("d", /./);
  await expectAccessible(page, "the code");
  await takeScreenshot(page, "15-phone");
  const link = await scanScreen(page);
  await expect(page.locator("input[readonly]")).toHaveValue(link);
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/idverify\/v1\/web\/#[\w-]{43}$/);

  const phone = await (await newContext()).newPage();
  await phone.goto(link);
  await expect(pressableElement(phone, "Start")).toBeVisible();
  await expect(phone.locator("body"), "it is the phone").not.toContainText("Continue on your phone");
  server.fulfil("ID_DOCUMENT");
  await says(page, "Done on your phone: 1 of 2");
  server.fulfil("LIVENESS");
  await phone.reload();
  await heading(phone, "Done, thank you");
  await says(phone, "Go on at your computer");
  await phone.close();
  await says(page, "You finished on your phone.");
  leave();
  await expect(page).toHaveURL(/\/thanks$/);
});

test("in a frame it asks for the session, and tells only the page around it how it ended", async ({ page, server }) => {
  await page.goto(`${server.origin}/embedding`);
  await page.evaluate(
    ({ address, sessionToken }) => {
      const heard: unknown[] = [];
      const embed = (sessionID: string) => {
        document.querySelector("iframe")?.remove();
        const frame = document.createElement("iframe");
        frame.allow = "camera";
        frame.width = "360";
        frame.height = "700";
        addEventListener("message", ({ source, data }) => {
          if (source !== frame.contentWindow) {
            return;
          }
          heard.push(data);
          if (data.eventType === "STARTED") {
            frame.contentWindow?.postMessage({ eventType: "INIT_SESSION", sessionID, sessionToken }, "*");
          }
        });
        frame.src = address;
        document.body.append(frame);
      };
      Object.assign(window, { heard, embed });
    },
    { address: server.bare, sessionToken: TOKEN },
  );
  const embed = (session: string) => page.evaluate(`embed("${session}")`);
  const inside = page.frameLocator("iframe");
  const started = { eventType: "STARTED" };

  await embed(SESSION);
  await inside.getByRole("button", { name: "Start" }).click();
  await expect(inside.locator("h1")).toHaveText("Which document do you have?");
  // The next frame in the same tab is of another visit.
  const another = `GET /sessions/${ANOTHER_SESSION}/configuration`;
  server.refuse(another, 404, "SESSION_NOT_FOUND");
  await embed(ANOTHER_SESSION);
  await expect(inside.locator("body")).toContainText("Code 2001");
  expect(server.requests.map(({ operation }) => operation)).toEqual(["GET /configuration", another]);
  const refused = [started, started, { eventType: "ERROR", eventCode: 2001 }];
  await expect.poll(() => page.evaluate("heard")).toEqual(refused);

  await embed(SESSION);
  await inside.getByRole("button", { name: "Start" }).click();
  await expect(inside.locator("h1")).toHaveText("Which document do you have?");
  await expect(inside.locator("#sandbox")).toBeHidden();
  await inside.getByRole("button", { name: /^I have none/ }).click();
  await expect(inside.locator("body")).toContainText("If you need help, tell the business the code.");
  await expect(inside.locator("body")).not.toContainText("You can close this page");
  await expect
    .poll(() => page.evaluate("heard"))
    .toEqual([...refused, started, { eventType: "ERROR", eventCode: 7000 }]);
});

test("in a frame of another site the page can be loaded again", async ({ page, server, observed }) => {
  server.embedders = [server.business];
  await page.goto(`${server.business}/embedding`);
  await page.evaluate((address) => {
    const frame = document.createElement("iframe");
    frame.src = address;
    document.body.append(frame);
  }, server.page);
  const inside = page.frameLocator("iframe");
  await expect(inside.getByRole("button", { name: "Start" })).toBeVisible();
  const [, frame] = page.frames();
  await frame?.evaluate(() => reportError("a mistake"));
  await expect(inside.locator("h1")).toHaveText("Something broke");
  await inside.getByRole("button", { name: "Load again" }).click();
  await expect(inside.getByRole("button", { name: "Start" })).toBeVisible();
  // The browser gives no words for what is no Error.
  observed.ignore(/^$/);
});

test("a session that a phone goes on with is done only when its token is gone", async ({ page, server }) => {
  for (const [refusal, words, code] of [
    [[409, "SESSION_EXPIRED"], "Time is up", 2002],
    [[403, "INSUFFICIENT_PERMISSION"], "This link does not work", 2000],
  ] as [[number, string], string, number][]) {
    await page.goto("about:blank");
    await page.goto(server.page);
    await press(page, "Continue on your phone");
    await heading(page, "Go on with your phone");
    server.refuse("GET /configuration", ...refusal);
    await heading(page, words);
    await says(page, `Code ${code}`);
  }

  server.fulfil("ID_DOCUMENT");
  server.refuse("DELETE /client-session-token", 403, "INSUFFICIENT_PERMISSION");
  await page.goto("about:blank");
  await page.goto(server.page);
  await says(page, "Code 2000");
});

for (const inTime of [true, false]) {
  test(`time runs out while a phone goes on, which ${inTime ? "finished just before" : "did not finish"}`, async ({
    page,
    server,
  }) => {
    await page.clock.install();
    await page.goto(server.page);
    await expect(pressableElement(page, "Continue on your phone")).toBeVisible();
    await stopClock(page);
    await press(page, "Continue on your phone");
    await heading(page, "Go on with your phone");
    server.deleted = inTime;
    await page.clock.fastForward(server.seconds * 1000);
    await says(page, inTime ? "You finished on your phone." : "Code 2002");
  });

  test(`time runs out while nobody says whether it was finished, and it was${inTime ? "" : " not"}`, async ({
    page,
    server,
  }) => {
    server.fulfil("ID_DOCUMENT");
    // Something between the page and the server answers in its place.
    await intercept(page, /\/client-session-token$/, async (route) => {
      if (inTime) {
        await route.fetch();
      }
      await route.fulfill({ status: 200 });
    });
    await page.clock.install();
    await page.goto(server.page);
    await heading(page, "The server does not answer");
    await page.unroute(/\/client-session-token$/);
    if (!inTime) {
      server.refuse("DELETE /client-session-token", 409, "SESSION_EXPIRED");
    }
    await page.clock.fastForward(server.seconds * 1000);
    await heading(page, inTime ? "Done, thank you" : "Time is up");
  });
}

test("a session that ran out while the page slept, and was deleted since, is not done on a phone", async ({
  page,
  server,
}) => {
  await page.clock.install();
  await page.goto(server.page);
  await expect(pressableElement(page, "Continue on your phone")).toBeVisible();
  await stopClock(page);
  await press(page, "Continue on your phone");
  await heading(page, "Go on with your phone");
  server.deleted = true;
  await page.clock.fastForward((server.seconds + 600) * 1000);
  await says(page, "Code 2002");
});

test("a session that ran out while the page slept, and was deleted since, is not done here", async ({
  page,
  server,
}) => {
  server.fulfil("ID_DOCUMENT");
  await intercept(page, /\/client-session-token$/, (route) => route.fulfill({ status: 200 }));
  await page.clock.install();
  await page.goto(server.page);
  await heading(page, "The server does not answer");
  await page.unroute(/\/client-session-token$/);
  server.deleted = true;
  await page.clock.fastForward((server.seconds + 600) * 1000);
  await heading(page, "Time is up");
});
