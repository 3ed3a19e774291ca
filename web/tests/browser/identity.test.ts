// The page of a verification session in a real browser, whose pretended camera shows a film of a card and of a face.

import { DOCUMENT, LETTER, LIVENESS, PROOF_OF_ADDRESS, READ_LETTER } from "../identity-responses";
import {
  allowCamera,
  confirmStop,
  expectAccessible,
  expectLargeTargets,
  expectRecorded,
  holdAddress,
  holdApplications,
  holdCalls,
  intercept,
  plugInCameras,
  press,
  pressableElement,
  recordedTexts,
  recordTexts,
  showEmptyRoom,
  showPage,
  stopClock,
  tabTo,
  takeScreenshot,
  waitForCamera,
  watchCameras,
} from "./actions";
import { casePicture } from "./case-pictures";
import { expect, type Page, withServer } from "./fixtures";
import { IdentityStandIn, SESSION, TOKEN, type Upload } from "./identity-stand-in";

const test = withServer(() => new IdentityStandIn());
test.use({ filmed: true });

test.beforeEach(async ({ page, server }) => {
  await allowCamera(page, server.origin, true);
  await recordTexts(page);
});

const heading = (page: Page, words: string | RegExp) => expect(page.locator("h1")).toHaveText(words);
const says = (page: Page, words: string | RegExp) => expect(page.locator("body")).toContainText(words);

async function pick(page: Page, country: string, type: string): Promise<void> {
  await page.locator("select").selectOption(country);
  await press(page, type);
  await press(page, "Continue");
}

/** From the beginning to the advice before the camera, with a passport, whose one side is photographed. */
async function toTips(page: Page, server: IdentityStandIn): Promise<void> {
  await page.goto("about:blank");
  await page.goto(server.page);
  await press(page, "Start");
  await heading(page, "Which document do you have?");
  await pick(page, "SWE", "Passport");
  await heading(page, "Take a photo: Passport");
}

async function toCamera(page: Page, server: IdentityStandIn): Promise<void> {
  await toTips(page, server);
  await press(page, "Open the camera");
}

async function toReview(page: Page, server: IdentityStandIn): Promise<void> {
  await toCamera(page, server);
  await heading(page, "Can everything be read?");
}

/** Chooses a file, and goes on. */
async function attach(page: Page, name: string, mimeType: string, buffer: Buffer): Promise<void> {
  await page.locator("input[type=file]").setInputFiles({ name, mimeType, buffer });
  await press(page, "Continue");
}

test("a card and a face, from the first screen to the business's own", async ({ page, server }) => {
  server.resources = [{ ...DOCUMENT }, { ...LIVENESS }];
  server.consent = "REQUIRED";
  server.sdk = {
    success_url: `${server.origin}/thanks`,
    preset_issuing_country: "DEU",
    privacy_policy_url: "https://example.com/p",
  };
  server.slow = 2;
  const leave = await holdAddress(page, /\/thanks$/);
  await page.goto(server.page);
  await expect(pressableElement(page, "I agree")).toBeVisible();
  await expect(page, "the token does not stay in the address").toHaveURL(server.bare);
  await expectAccessible(page, "the first screen");
  await takeScreenshot(page, "1-welcome");
  await press(page, "I agree");
  await heading(page, "Which document do you have?");
  await expect(page.locator("select")).toHaveValue("DEU");
  await expect(page.locator("#step")).toHaveText("Step 1 of 2");
  await expectAccessible(page, "the choice");
  await takeScreenshot(page, "2-choice");
  await pick(page, "DEU", "Identity card");
  await heading(page, "Take a photo: Identity card");
  await expectAccessible(page, "the advice");
  await takeScreenshot(page, "3-tips");
  await press(page, "Open the camera");
  await expectRecorded(page, "Front");
  await waitForCamera(page);
  await expectAccessible(page, "the camera");
  await takeScreenshot(page, "4-camera");
  await heading(page, "Can everything be read?");
  await expect(page.locator(".taken")).not.toHaveJSProperty("naturalWidth", 0);
  await expectAccessible(page, "the picture");
  await takeScreenshot(page, "5-review");
  await press(page, "Use this picture");
  await expectRecorded(page, "Back");
  await heading(page, "Can everything be read?");
  await press(page, "Use this picture");
  await heading(page, "Now your face");
  await takeScreenshot(page, "6-face-tips");
  await press(page, "Open the camera");
  await expect(page.locator(".outline").or(page.getByRole("heading", { name: "Done, thank you" }))).toBeVisible();
  await takeScreenshot(page, "7-face");
  await heading(page, "Done, thank you");
  await takeScreenshot(page, "8-done");
  await expectAccessible(page, "the end");
  leave();
  await expect(page).toHaveURL(/\/thanks$/);

  const all = server.requests.map(({ operation: what }) => what.replace(/[0-9a-f-]{36}/, "ID"));
  expect(all.filter((what) => what !== "GET /configuration" && !what.includes("/uploads"))).toEqual([
    "POST /biometric-consent",
    "POST /resources/id-documents",
    "PUT /resources/id-documents/ID/pages/1",
    "PUT /resources/id-documents/ID/pages/2",
    "PUT /resources/id-documents/ID/text-extraction",
    "PUT /resources/id-documents/ID/text-extraction",
    "PUT /resources/id-documents/ID/text-extraction",
    "POST /resources/liveness/static",
    "PUT /resources/liveness/static/ID/frames/1",
    "DELETE /client-session-token",
  ]);
  const body = (end: string) =>
    JSON.parse(server.requests.find(({ operation: what }) => what.endsWith(end))?.body.toString() ?? "");
  expect(body("POST /resources/id-documents")).toEqual({
    document_type: "NATIONAL_ID",
    issuing_country: "DEU",
    requirement_id: DOCUMENT.id,
  });
  const page1 = body("/pages/1");
  const { bytes, length } = server.uploads.get(page1.upload) ?? {};
  expect([page1.capture_method, bytes?.length, bytes?.readUInt16BE(0)]).toEqual(["CAMERA", length, 0xffd8]);
});

test("a face comes nearer, and seven pictures of it are sent", async ({ page, server }) => {
  server.resources = [{ ...LIVENESS, liveness_type: "ZOOM" }];
  await page.goto(server.page);
  await press(page, "Start");
  await heading(page, "Now your face, near and far");
  await press(page, "Open the camera");
  await expectRecorded(page, "Now come slowly nearer");
  await takeScreenshot(page, "9-approach");
  await heading(page, "Done, thank you");
  for (const number of [1, 2, 3, 4, 5, 6, 7]) {
    expect(server.count(new RegExp(`^PUT /resources/liveness/zoom/.*/frames/${number}$`))).toBe(1);
  }
  const map = server.requests.find(({ operation: what }) => what.endsWith("/facemap"))?.body.toString("latin1") ?? "";
  const { frames } = JSON.parse(/{"version".*}/.exec(map)?.[0] ?? "");
  const widths = frames.map(({ face }: { face: { width: number } }) => face.width);
  expect(widths.length).toBe(7);
  expect(widths[6], `it came nearer: ${widths}`).toBeGreaterThan(widths[0] * 1.4);
});

test("a face that is not live is shown again, with what to do better, until no attempt is left", async ({
  page,
  server,
}) => {
  const again = (detail: string) => ({
    value: "MUST_TRY_AGAIN" as const,
    reason: { value: "USER_ERROR" as const, detail },
  });
  server.resources = [{ ...LIVENESS, attempts_remaining: { GENERIC: 2 } }];
  server.faces = [again("LIVENESS_NOT_PROVEN"), again("MULTIPLE_FACES")];
  await page.setViewportSize({ width: 360, height: 640 });
  await page.goto(server.page);
  await press(page, "Start");
  await press(page, "Open the camera");
  await heading(page, "Please take it again");
  await says(page, /We could not be sure\. Use even light from the front/);
  await says(page, "Attempts left: 1");
  await expectAccessible(page, "a face that was not live");
  await expectLargeTargets(page, "a face that was not live");
  await takeScreenshot(page, "32-face-again");
  await page.locator("#body .primary").focus();
  await page.keyboard.press("Enter");
  await heading(page, "Your face could not be seen well enough");
  await says(page, "Code 5002");
  expect(server.count(/^POST \/resources\/liveness\/static$/), "each capture is another").toBe(2);
  await expect.poll(() => server.count(/^DELETE \/client-session-token$/), "nothing else is missing").toBe(1);
});

test("whoever waits in a crowd is told how long, until it is no longer than usual", async ({ page, server }) => {
  server.slow = 3;
  server.expectedWaits = [42, 118, 3];
  await toReview(page, server);
  await press(page, "Use this picture");
  await heading(page, "Reading your document");
  await says(page, /keeps its place in the queue and is done in about 45 seconds/);
  await expectAccessible(page, "the queue");
  await says(page, /in about 2 minutes/);
  await says(page, /This takes a few seconds/);
  await heading(page, "Done, thank you");
  expect(server.count(/text-extraction$/)).toBe(4);
});

test("what could not be read is said, and tried again; a doubtful one may be left", async ({ page, server }) => {
  server.recommendations = [
    { value: "MUST_TRY_AGAIN", reason: { value: "QUALITY", detail: "PHOTO_TOO_BLURRY" } },
    { value: "SHOULD_TRY_AGAIN", reason: { value: "QUALITY", detail: "GLARE_OBSTRUCTION" } },
  ];
  await toReview(page, server);
  await press(page, "Use this picture");
  await heading(page, "Please take it again");
  await says(page, /not sharp[\s\S]*Attempts left: 3/);
  await expect(page.locator("#heading")).toBeFocused();
  await expectAccessible(page, "what to do better");
  await takeScreenshot(page, "10-retry");
  await expect(pressableElement(page, "Leave it as it is")).toHaveCount(0);
  await press(page, "Take it again");
  await heading(page, "Can everything be read?");
  await press(page, "Use this picture");
  await heading(page, "It could be better");
  await press(page, "Leave it as it is");
  await heading(page, "Done, thank you");
  expect(server.count(/^POST .*id-documents$/), "one document, whose page was replaced").toBe(1);
  expect(server.count(/pages\/1$/)).toBe(2);
});

test.describe(() => {
  test.use({ viewport: { width: 740, height: 360 } });
  test("on a phone on its side the camera and the question after it are in sight", async ({ page, server }) => {
    await showEmptyRoom(page);
    await toCamera(page, server);
    await waitForCamera(page);
    for (const part of [".window", ".advice", ".viewer .primary"]) {
      await expect(page.locator(part), part).toBeInViewport({ ratio: 0.99 });
    }
    await takeScreenshot(page, "19-landscape-camera");
    await press(page, "Take the picture");
    await heading(page, "Can everything be read?");
    await expect(page.locator(".taken")).not.toHaveJSProperty("naturalWidth", 0);
    for (const part of [
      page.locator(".taken"),
      pressableElement(page, "Use this picture"),
      pressableElement(page, "Take another"),
    ]) {
      await expect(part).toBeInViewport({ ratio: 0.99 });
    }
    await expectAccessible(page, "the picture, on its side");
    await takeScreenshot(page, "19-landscape-review");
  });
});

test("that nothing is real is said on every screen of the sandbox", async ({ page, server }) => {
  await page.goto(server.page.replace(server.origin, `${server.origin}/sandbox`));
  await expect(page.locator("#sandbox")).toContainText("This is a test");
  await press(page, "Start");
  await heading(page, "Which document do you have?");
  await expect(page.locator("#sandbox")).toBeVisible();
  await expectAccessible(page, "the sandbox");
  await takeScreenshot(page, "20-sandbox");
});

test("attempts that are used up end it, with a code and a way back", async ({ page, server }) => {
  server.resources = [{ ...DOCUMENT, attempts_remaining: { GENERIC: 1, RECLASSIFICATION: 0 } }];
  server.sdk = { error_url: `${server.origin}/sorry?of=them` };
  server.recommendations = [{ value: "MUST_TRY_AGAIN", reason: { value: "USER_ERROR", detail: "NO_DOCUMENT" } }];
  await toReview(page, server);
  await press(page, "Use this picture");
  await heading(page, "The document could not be read");
  await says(page, "Code 4001");
  await expectAccessible(page, "the end");
  await press(page, "Back to the business");
  await expect(page).toHaveURL(`${server.origin}/sorry?of=them&eventCode=4001`);
});

test("somebody stops, is asked once, and goes back to the business", async ({ page, server }) => {
  server.sdk = { error_url: `${server.origin}/sorry` };
  await page.goto(server.page);
  await expect(pressableElement(page, "Start")).toBeVisible();
  await press(page, "Stop");
  await expect(page.locator("#sure")).toBeVisible();
  await expectAccessible(page, "the question");
  await takeScreenshot(page, "11-question");
  await page.keyboard.press("Escape");
  await expect(page.locator("#sure")).toBeHidden();
  await heading(page, "Verify your identity");
  await press(page, "Stop");
  await confirmStop(page);
  await expect(page).toHaveURL(`${server.origin}/sorry?eventCode=1000`);
});

test("what is finished while somebody is asked whether to stop is done, and the question is gone", async ({
  page,
  server,
}) => {
  await toReview(page, server);
  const reading = await holdCalls(page, /\/text-extraction$/);
  const finishing = await holdCalls(page, /\/client-session-token$/);
  await press(page, "Use this picture");
  await heading(page, "Reading your document");
  await press(page, "Stop");
  await expect(page.locator("#sure")).toBeVisible();
  await reading.answer();
  await heading(page, "Almost done");
  await expect(page.locator("#sure")).toBeHidden();
  await expect(page.locator("#heading")).toBeFocused();
  await finishing.answer();
  await heading(page, "Done, thank you");
  expect(await recordedTexts(page)).not.toContain("Stopped");
});

test("where the page breaks while somebody is asked whether to stop, nothing is left to stop", async ({
  page,
  server,
  observed,
}) => {
  await page.goto(server.page);
  await expect(pressableElement(page, "Start")).toBeVisible();
  await press(page, "Stop");
  await expect(page.locator("#sure")).toBeVisible();
  await page.evaluate(() => reportError("a mistake"));
  await heading(page, "Something broke");
  await expect(page.locator("#sure")).toBeHidden();
  await expect(page.locator("#stop")).toBeHidden();
  await expect(page.locator("#heading")).toBeFocused();
  await press(page, "Load again");
  await expect(pressableElement(page, "Start")).toBeVisible();
  await expect(page.locator("#stop")).toBeVisible();
  // The browser gives no words for what is no Error.
  observed.ignore(/^$/);
});

test("an application is called once, and the page that stays does not say that it leaves", async ({ page, server }) => {
  const called = await holdApplications(page);
  server.fulfil("ID_DOCUMENT");
  server.sdk = { success_url: "myapp://done" };
  await page.clock.install();
  await stopClock(page);
  await page.goto(server.page);
  await heading(page, "Done, thank you");
  await says(page, "You are taken back in a moment.");
  await page.clock.runFor(10_000);
  expect(await called()).toEqual(["myapp://done"]);
  await expect(page.locator("#leaving")).toHaveCount(0);
  await expect(pressableElement(page, "Go on to the business")).toBeVisible();
});

test("mails that the business wants to be asked for are asked for once, the thanks at the end", async ({
  page,
  server,
}) => {
  server.resources = [{ ...LETTER, state: "FULFILLED" }, { ...LIVENESS }];
  server.emails = ["instructions", "thank-you"];
  await page.goto(server.page);
  await press(page, "Send me instructions by e-mail");
  await says(page, "The business was asked to send you instructions.");
  await press(page, "Send me instructions by e-mail");
  await press(page, "Confirm by e-mail when I am done");
  await expectAccessible(page, "mails");
  await takeScreenshot(page, "18-mails");
  expect(server.count(/thank-you/)).toBe(0);
  await press(page, "Start");
  await press(page, "Open the camera");
  await heading(page, "Done, thank you");
  expect([server.count(/^POST .emails.instructions$/), server.count(/^POST .emails.thank-you$/)]).toEqual([1, 1]);
});

test("a session that expired, a wrong token, a missing one and none at all say what it is", async ({
  page,
  server,
}) => {
  for (const [refusal, words, code] of [
    [[409, "SESSION_EXPIRED"], "Time is up", 2002],
    [[401, "BAD_TOKEN"], "This link does not work", 2000],
    [[404, "SESSION_NOT_FOUND"], "This link does not work", 2001],
  ] as [[number, string], string, number][]) {
    server.refuse("GET /configuration", ...refusal);
    await page.goto("about:blank");
    await page.goto(server.page);
    await heading(page, words);
    await says(page, `Code ${code}`);
  }
  for (const [query, code] of [
    ["", 2004],
    [`?sessionID=${SESSION}`, 2003],
    [`?sessionToken=${TOKEN}`, 2004],
    [`?sessionID=${SESSION}&sessionToken=nonsense`, 2000],
  ] as [string, number][]) {
    await page.goto("about:blank");
    await page.goto(server.bare + query);
    await says(page, `Code ${code}`);
  }
  await expectAccessible(page, "the end");
  await takeScreenshot(page, "12-incomplete");
});

test("time that runs out while somebody looks ends it", async ({ page, server }) => {
  await page.clock.install();
  await page.goto(server.page);
  await expect(pressableElement(page, "Start")).toBeVisible();
  await page.clock.fastForward((server.seconds - 59) * 1000);
  await says(page, "One minute is left.");
  await page.clock.fastForward(60_000);
  await heading(page, "Time is up");
});

test("a session of a month is not over at once, and what is left is said once", async ({ page, server }) => {
  server.seconds = 30 * 86_400;
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.clock.install();
  await page.goto(server.page);
  for (const _ of [1, 2]) {
    // Whoever comes back from the code for a phone has the session loaded anew.
    await press(page, "Continue on your phone");
    await press(page, "Go on here instead");
  }
  await expect(pressableElement(page, "Start")).toBeVisible();
  await page.clock.fastForward(25 * 86_400_000);
  await heading(page, "Verify your identity");
  await page.clock.fastForward(5 * 86_400_000 - 50_000);
  await says(page, "One minute is left.");
  await expect(page.getByText("One minute is left.").and(page.locator("#body *"))).toHaveCount(1);
  await page.clock.fastForward(60_000);
  await heading(page, "Time is up");
});

test("a series of pictures ends with its camera, and begins anew when the page is seen again", async ({
  page,
  server,
}) => {
  server.resources = [{ ...LIVENESS, liveness_type: "ZOOM" }];
  // Without the net nobody is guided, and the pictures are taken one after the other.
  await intercept(page, /\.bin$/, (route) => route.abort());
  await page.clock.install();
  await page.goto(server.page);
  await press(page, "Start");
  await press(page, "Open the camera");
  await expect(pressableElement(page, "I am ready")).toBeEnabled();
  await stopClock(page);
  await press(page, "I am ready");
  await expect(page.locator(".viewer progress")).toBeVisible();
  await showPage(page, false);
  await page.clock.runFor(1000);
  await page.clock.resume();
  await showPage(page, true);
  await press(page, "I am ready");
  await heading(page, "Done, thank you");
  expect(server.count(/^POST \/resources\/liveness\/zoom$/), "nothing was sent of the first series").toBe(1);
});

test("a camera that somebody chose is for such pictures alone, and makes room for the usual one when it is unplugged", async ({
  page,
  server,
}) => {
  await showEmptyRoom(page);
  server.resources = [{ ...DOCUMENT }, { ...LIVENESS }];
  await toTips(page, server);
  const { opened, unplug } = await plugInCameras(page);
  await press(page, "Open the camera");
  await press(page, "Other camera");
  await waitForCamera(page);
  await expect.poll(opened).toEqual(["environment", "wide"]);
  await unplug("wide");
  await showPage(page, false);
  await showPage(page, true);
  await expect.poll(opened).toEqual(["environment", "wide", "wide", "environment"]);
  await press(page, "Other camera");
  await expect.poll(opened).toEqual(["environment", "wide", "wide", "environment", "front"]);
  await press(page, "Take the picture");
  await press(page, "Use this picture");
  await heading(page, "Now your face");
  await press(page, "Open the camera");
  await waitForCamera(page);
  await expect(page.locator(".window")).toHaveClass(/mirrored/);
  expect((await opened()).slice(5)).toEqual(["user"]);
});

test("a camera ends when nobody looks or somebody stops, though the net for faces is still on its way", async ({
  page,
  server,
}) => {
  server.resources = [{ ...LIVENESS }];
  const cameras = await watchCameras(page);
  await intercept(page, /\.bin$/, () => new Promise(() => undefined));
  await page.goto(server.page);
  await press(page, "Start");
  await press(page, "Open the camera");
  await waitForCamera(page);
  await showPage(page, false);
  await expect.poll(cameras).toEqual(["ended"]);
  await showPage(page, true);
  await waitForCamera(page);
  await expect.poll(cameras).toEqual(["ended", "live"]);
  await press(page, "Stop");
  await confirmStop(page);
  await heading(page, "Stopped");
  await expect.poll(cameras).toEqual(["ended", "ended"]);
});

test("a net for faces that does not come is waited for ten seconds, and asked for again the next time", async ({
  page,
  server,
}) => {
  server.resources = [{ ...LIVENESS }];
  await intercept(page, /\.bin$/, () => new Promise(() => undefined));
  await page.clock.install();
  await page.goto(server.page);
  await press(page, "Start");
  await press(page, "Open the camera");
  await waitForCamera(page);
  await page.clock.fastForward(10_000);
  await expect(pressableElement(page, "Take the picture")).toBeEnabled();
  await says(page, "Bring your face into the oval, then press the button");
  await page.unroute(/\.bin$/);
  await showPage(page, false);
  await showPage(page, true);
  // With the net it is taken by itself.
  await heading(page, "Done, thank you");
});

test("a camera that is refused, absent, busy, silent or insecure is named, and there is a next step", async ({
  page,
  server,
}) => {
  await allowCamera(page, server.origin, false);
  await toCamera(page, server);
  await heading(page, "The camera is not allowed");
  await expectAccessible(page, "the refusal");
  await takeScreenshot(page, "13-denied");
  await press(page, "Choose a file instead");
  await heading(page, "Choose a file");
  await allowCamera(page, server.origin, true);
  await press(page, "Use the camera instead");
  await heading(page, "Can everything be read?");

  for (const [pretence, words] of [
    [
      `navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("", "NotFoundError") }`,
      "No camera was found",
    ],
    [
      `navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("", "NotReadableError") }`,
      "The camera is in use",
    ],
    [`navigator.mediaDevices.getUserMedia = async () => new MediaStream()`, "The camera shows nothing"],
    [`Object.defineProperty(window, "isSecureContext", { get: () => false })`, "The camera needs a secure connection"],
  ] as const) {
    await toTips(page, server);
    await page.evaluate(`${pretence}; undefined`);
    await press(page, "Open the camera");
    await heading(page, words);
    expect(await page.locator("#body button").count(), words).toBeGreaterThanOrEqual(2);
  }
  await press(page, "I cannot go on");
  await says(page, "Code 5010");
});

test("the keyboard alone leads from the beginning to the end", async ({ page, server }) => {
  await showEmptyRoom(page);
  await page.goto(server.page);
  await expect(pressableElement(page, "Start")).toBeVisible();
  await tabTo(page, "Start");
  await page.keyboard.press("Enter");
  await heading(page, "Which document do you have?");
  await expect(page.locator("#heading")).toBeFocused();
  await tabTo(page, "Continue");
  await page.keyboard.press("Enter");
  await expect(page.locator("select"), "what is missing has the focus").toBeFocused();
  await expect(page.locator(".error").first()).toContainText("Choose the country");
  await expectAccessible(page, "what is missing");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect(page.locator("select")).toHaveValue("SWE");
  await tabTo(page, "Continue");
  await page.keyboard.press("Enter");
  await heading(page, "Take a photo: Passport");
  await tabTo(page, "Open the camera");
  await page.keyboard.press("Enter");
  await heading(page, "Page with the photo");
  await expect(page.locator(".viewer .primary")).toBeEnabled();
  await tabTo(page, "Take the picture");
  await page.keyboard.press("Enter");
  await heading(page, "Can everything be read?");
  await tabTo(page, "Use this picture");
  await page.keyboard.press("Enter");
  await heading(page, "Done, thank you");
});

test("a letter comes as a file, PDF too, and what is none is refused before it is sent", async ({ page, server }) => {
  server.resources = [{ ...LETTER }];
  await page.goto(server.page);
  await press(page, "Start");
  await heading(page, "Photograph your letter");
  await press(page, "Choose a file instead");
  await heading(page, "Choose a file");
  await expectAccessible(page, "choosing a file");
  await press(page, "Continue");
  const error = page.locator("#file-error");
  await expect(error).toHaveText("Choose a file first.");
  await attach(page, "a.txt", "text/plain", Buffer.from("words"));
  await expect(error).toHaveText("The file is of another kind.");
  await attach(page, "a.jpg", "image/jpeg", Buffer.from("no picture"));
  await expect(error).toContainText(/^The picture cannot be opened/);
  await attach(page, "a.pdf", "application/pdf", Buffer.alloc(10_000_001));
  await expect(error).toHaveText("The file is too large.");
  await attach(page, "bill.pdf", "application/pdf", Buffer.from("%PDF-1.7"));
  await heading(page, "Can everything be read?");
  await says(page, "bill.pdf is ready");
  await expectAccessible(page, "a chosen file");
  await press(page, "Use this file");
  await heading(page, "Done, thank you");
  const file = server.requests.find(({ operation: what }) => what.endsWith("/file"))?.body.toString("latin1") ?? "";
  expect(file).toMatch(/{"capture_method":"UPLOAD"}[\s\S]*Content-Type: application\/pdf\r\n\r\n%PDF-1\.7/);
});

test("a file that is opened only when somebody is at the camera again is wanted no more", async ({ page, server }) => {
  server.resources = [{ ...LETTER }];
  await showEmptyRoom(page);
  await page.addInitScript(() => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const opening = { release, isDone: false };
    Object.assign(window, { opening });
    const open = window.createImageBitmap.bind(window) as (file: ImageBitmapSource) => Promise<ImageBitmap>;
    window.createImageBitmap = async (file: ImageBitmapSource) => {
      await held;
      const bitmap = await open(file);
      const close = bitmap.close.bind(bitmap);
      bitmap.close = () => {
        close();
        opening.isDone = true;
      };
      return bitmap;
    };
  });
  await page.goto(server.page);
  await press(page, "Start");
  await press(page, "Choose a file instead");
  await heading(page, "Choose a file");
  await attach(page, "letter.jpg", "image/jpeg", casePicture("page-1"));
  await press(page, "Use the camera instead");
  await heading(page, "Letter or bill");
  await waitForCamera(page);
  type Opening = { opening: { release(): void; isDone: boolean } };
  await page.evaluate(() => (window as unknown as Opening).opening.release());
  await expect.poll(() => page.evaluate(() => (window as unknown as Opening).opening.isDone)).toBe(true);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  await heading(page, "Letter or bill");
  await expect(page.locator(".taken")).toHaveCount(0);
});

test("a letter of certain kinds is chosen, and read, by the keyboard alone on a small phone", async ({
  page,
  server,
}) => {
  await showEmptyRoom(page);
  await page.setViewportSize({ width: 320, height: 568 });
  server.resources = [{ ...PROOF_OF_ADDRESS }];
  server.recommendations = [{ value: "MUST_TRY_AGAIN", reason: { value: "USER_ERROR", detail: "ADDRESS_NOT_FOUND" } }];
  await page.goto(server.page);
  await expect(pressableElement(page, "Start")).toBeVisible();
  await tabTo(page, "Start");
  await page.keyboard.press("Enter");
  await heading(page, "Which letter or bill do you have?");
  await expectAccessible(page, "the choice of a letter");
  await takeScreenshot(page, "21-letter-choice");
  await expect(page.locator("select"), "the reader's own country is offered first").toHaveValue("GBR");
  await tabTo(page, "Continue");
  await page.keyboard.press("Enter");
  await expect(page.locator(".error").first()).toContainText("Choose the kind of document");
  await page.keyboard.press("ArrowDown");
  await expect(page.getByLabel("Phone bill")).toBeChecked();
  await tabTo(page, "Continue");
  await page.keyboard.press("Enter");
  await heading(page, "Photograph your letter");
  await takeScreenshot(page, "22-letter-tips");
  await tabTo(page, "Open the camera");
  await page.keyboard.press("Enter");
  await heading(page, "Letter or bill");
  await expect(page.locator(".viewer .primary")).toBeEnabled();
  await tabTo(page, "Take the picture");
  await page.keyboard.press("Enter");
  await heading(page, "Can everything be read?");
  await tabTo(page, "Use this picture");
  await page.keyboard.press("Enter");
  await heading(page, "Please take it again");
  await says(page, "The document had no address that could be read");
  await expectAccessible(page, "a letter without an address");
  await takeScreenshot(page, "23-letter-retry");
  await tabTo(page, "Take it again");
  await page.keyboard.press("Enter");
  await heading(page, "Letter or bill");
  await expect(page.locator(".viewer .primary")).toBeEnabled();
  await tabTo(page, "Take the picture");
  await page.keyboard.press("Enter");
  await heading(page, "Can everything be read?");
  await tabTo(page, "Use this picture");
  await page.keyboard.press("Enter");
  await heading(page, "Done, thank you");
  const begun = server.requests.find(({ operation }) => operation === "POST /resources/supplementary-documents");
  expect(JSON.parse(begun?.body.toString() ?? "")).toEqual({
    document_type: "PHONE_BILL",
    issuing_country: "GBR",
    requirement_id: PROOF_OF_ADDRESS.id,
  });
});

test("any letter goes through without a choice, and is read", async ({ page, server }) => {
  server.resources = [{ ...READ_LETTER }];
  await page.goto(server.page);
  await press(page, "Start");
  await heading(page, "Photograph your letter");
  await press(page, "Choose a file instead");
  await attach(page, "bill.pdf", "application/pdf", Buffer.from("%PDF-1.7"));
  await press(page, "Use this file");
  await heading(page, "Done, thank you");
  expect(server.count(/supplementary-documents\/[0-9a-f-]+\/text-extraction$/)).toBe(1);
});

test("consent is asked for before the face where the business wants it so", async ({ page, server }) => {
  server.consent = "REQUIRED";
  server.resources = [{ ...LIVENESS }];
  server.sdk = { biometric_consent_flow: "JUST_IN_TIME", dark_mode: "ON", primary_colour_dark_mode: "#ffe600" };
  await page.goto(server.page);
  await press(page, "Start");
  await heading(page, "May your face be compared?");
  await expect(page.locator("html"), "it is dark on a device that is not").toHaveCSS("color-scheme", "dark");
  await expect(page.locator("body")).toHaveCSS("background-color", "rgb(14, 18, 22)");
  await expect(page.locator("#body .primary")).toHaveCSS("background-color", "rgb(255, 230, 0)");
  await expectAccessible(page, "consent, in the dark");
  await takeScreenshot(page, "24-consent-dark");
  expect(server.count(/^POST \/biometric-consent$/)).toBe(0);
  await press(page, "I agree");
  await heading(page, "Now your face");
  expect(server.count(/^POST \/biometric-consent$/)).toBe(1);
});

test("a page that is to be light is light on a dark device", async ({ page, server }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  server.sdk = { dark_mode: "OFF" };
  await page.goto(server.page);
  await expect(pressableElement(page, "Start")).toBeVisible();
  await expect(page.locator("body")).toHaveCSS("background-color", "rgb(242, 244, 246)");
  await expectAccessible(page, "light");
});

test("an upload that breaks half-way goes on where it was", async ({ page, server }) => {
  server.resources = [{ ...LETTER }];
  await page.goto(server.page);
  await press(page, "Start");
  await press(page, "Choose a file instead");
  await heading(page, "Choose a file");
  const file = Buffer.concat([
    Buffer.from("%PDF-1.7"),
    Buffer.from(Array.from({ length: 400_000 }, (_, at) => at % 251)),
  ]);
  await attach(page, "a.pdf", "application/pdf", file);
  server.cuts.set("PATCH", 2);
  await press(page, "Use this file");
  await heading(page, "Done, thank you");
  const [[id, { bytes }]] = [...server.uploads] as [[string, Upload]];
  expect(server.uploads.size, "nothing was begun anew").toBe(1);
  expect(bytes.equals(file), "it arrived as it was").toBe(true);
  expect(server.count(/^cut PATCH/)).toBe(2);
  // A browser may put a call again by itself; bytes that are there are not taken twice.
  const taken = server.requests.filter(
    ({ operation: what, status }) => what === `PATCH /uploads/${id}` && status === 204,
  );
  expect(taken.length).toBe(1);
  expect(taken[0]?.bytes, "only the rest was sent").toBeLessThan(file.length - 1000);
  const put = server.requests.find(({ operation: what }) => what.endsWith("/file"))?.body.toString() ?? "";
  expect(JSON.parse(put)).toEqual({ upload: id, capture_method: "UPLOAD" });
});

test("a network that stays away is named, and the page goes on with what it has when it comes back", async ({
  page,
  server,
}) => {
  await toReview(page, server);
  await server.stop();
  await press(page, "Use this picture");
  await heading(page, "No connection");
  await expectAccessible(page, "no connection");
  await takeScreenshot(page, "14-no-connection");
  await server.start();
  await page.evaluate(() => window.dispatchEvent(new Event("online")));
  await heading(page, "Done, thank you");
  expect(server.count(/pages\/1$/)).toBe(1);
});

test("what sends large files cannot be fetched once, and the file is sent when it is tried again", async ({
  page,
  server,
}) => {
  server.resources = [{ ...LETTER }];
  await intercept(page, /\/assets\/resumable-upload-/, (route) => route.abort());
  await page.goto(server.page);
  await press(page, "Start");
  await press(page, "Choose a file instead");
  await heading(page, "Choose a file");
  const file = Buffer.concat([Buffer.from("%PDF-1.7"), Buffer.alloc(400_000, 7)]);
  await attach(page, "a.pdf", "application/pdf", file);
  await press(page, "Use this file");
  await heading(page, "No connection");
  expect(server.uploads.size).toBe(0);
  await page.unroute(/\/assets\/resumable-upload-/);
  await press(page, "Try again");
  await heading(page, "Done, thank you");
  expect(server.uploads.size).toBe(1);
});

test("a mistake of the page is reported without a word about anybody, and loading again goes on", async ({
  page,
  server,
  observed,
}) => {
  await page.addInitScript(() =>
    Object.defineProperty(HTMLVideoElement.prototype, "srcObject", {
      set() {
        throw new TypeError("Ada's secret");
      },
    }),
  );
  await toCamera(page, server);
  await heading(page, "Something broke");
  const reported = () =>
    server.requests.find(({ operation: what }) => what === "POST /page-faults")?.body.toString() ?? "";
  await expect.poll(reported).not.toBe("");
  const { name, file, line, screen } = JSON.parse(reported());
  expect([name, typeof line, screen]).toEqual(["TypeError", "number", "camera"]);
  expect(file).toMatch(/^page-\w+\.js-\d+$/);
  expect(reported()).not.toContain("Ada");
  expect(reported()).not.toContain(TOKEN);
  await press(page, "Load again");
  await expect(pressableElement(page, "Start")).toBeVisible();
  observed.ignore(/Ada's secret/);
});

test("a business's colours are worn where they can be read, and its language is spoken", async ({ page, server }) => {
  server.sdk = { primary_colour: "#ffe600", secondary_colour: "#fafafa", font_colour: "#ffffff", locale: "pl" };
  await page.goto(server.page);
  await heading(page, "Potwierdź swoją tożsamość");
  await expect(page.locator("html")).toHaveAttribute("lang", "pl");
  await page.setViewportSize({ width: 1024, height: 768 });
  await expectAccessible(page, "yellow");
  await takeScreenshot(page, "16-yellow");
  await page.emulateMedia({ colorScheme: "dark" });
  await expectAccessible(page, "yellow in the dark");
});

test.describe(() => {
  test.use({ locale: "ar" });
  test("it is right at every size, in every scheme and from right to left", async ({ page, server }) => {
    server.consent = "REQUIRED";
    server.resources = [{ ...DOCUMENT }, { ...LIVENESS }];
    const look = async (what: string) => {
      for (const [name, width, height, media] of [
        ["320", 320, 568, { colorScheme: "light", forcedColors: "none" }],
        ["dark", 390, 844, { colorScheme: "dark" }],
        ["desk", 1280, 800, { colorScheme: "light" }],
        ["forced", 1280, 800, { forcedColors: "active" }],
      ] as const) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia(media);
        await expectAccessible(page, `${what}, ${name}`);
        await takeScreenshot(page, `17-${what}-${name}`);
      }
    };
    await page.goto(server.page);
    await expect(pressableElement(page, "أوافق")).toBeVisible();
    await expect(page.locator("body")).toHaveCSS("direction", "rtl");
    await look("welcome");
    await press(page, "أوافق");
    await heading(page, "أي وثيقة لديك؟");
    await page.locator("select").selectOption("DEU");
    await look("choice");
    await press(page, "جواز سفر");
    await press(page, "متابعة");
    await press(page, "فتح الكاميرا");
    await heading(page, "هل يمكن قراءة كل شيء؟");
    await look("review");
    await expectLargeTargets(page, "the picture");
  });
});
