// Age estimation on the page of age sessions: the camera, what is wrong with it, and pictures of a face.

import type { Step } from "../../age/session";
import { CAPTURE, method } from "../age-responses";
import {
  allowCamera,
  confirmStop,
  expectRecorded,
  holdAddress,
  intercept,
  plugInCameras,
  press,
  pressableElement,
  showEmptyRoom,
  showPage,
  waitForCamera,
  watchCameras,
  method as way,
} from "./actions";
import { accessible, arrive, FACE, heading, keep, OVER, says, TAKE_BACK, test } from "./age-page";
import { SESSION } from "./age-stand-in";
import { expect } from "./fixtures";

test.describe(() => {
  test.use({ viewport: { width: 740, height: 360 } });
  test("on a phone on its side the camera's picture, advice and button are all in sight", async ({ page, server }) => {
    await showEmptyRoom(page);
    server.methods = [{ ...FACE }];
    server.view = { sandbox: true };
    await page.goto(server.page("age_estimation"));
    await press(page, "Open the camera");
    await waitForCamera(page);
    for (const part of [".window", ".advice", ".viewer .primary", "h1"]) {
      await expect(page.locator(part), part).toBeInViewport({ ratio: 0.99 });
    }
    await accessible(page, "the camera, on its side");
    await keep(page, "39-landscape");
  });
});

test("a picture of a face, taken with secure capture, confirms an age", async ({ page, server }) => {
  server.methods = [{ ...FACE }];
  server.consent.required = true;
  server.view = { callback: { url: `${server.origin}/thanks?sessionId=${SESSION}`, auto: true } };
  // The picture is taken by itself, and after it the page is gone: not before the camera, and the end, were looked at.
  const send = await holdAddress(page, /\/attempts\/[^/]+$/);
  const leave = await holdAddress(page, /\/thanks\?/);
  await page.goto(server.page());
  await way(page, "Age from your face").click();
  await heading(page, "May your face be measured?");
  await accessible(page, "the consent");
  await keep(page, "02-consent");
  await press(page, "I agree");
  await heading(page, "Now your face");
  await accessible(page, "the advice");
  await keep(page, "03-face-tips");
  await press(page, "Open the camera");
  await waitForCamera(page);
  await accessible(page, "the camera");
  await keep(page, "04-camera");
  send();
  await expectRecorded(page, "Your age is confirmed");
  leave();
  await expect(page).toHaveURL(`${server.origin}/thanks?sessionId=${SESSION}`);

  expect(server.requests.map(({ operation: what }) => what)).toEqual([
    "GET ",
    "POST /consent",
    "POST /attempts",
    "GET /ai/sm/v1/secure/1/token",
    "POST /attempts/ID",
  ]);
  expect(server.last(/^POST \/attempts$/)).toEqual({ method: "AGE_ESTIMATION", locale: "en" });
  const { img, secure, ...rest } = server.last(/^POST \/attempts\/ID$/) as Record<string, string>;
  expect(Object.keys(rest)).toEqual(["continuation"]);
  const jpeg = Buffer.from(img ?? "", "base64");
  expect([jpeg[0], jpeg[1], jpeg.length > 10_000]).toEqual([0xff, 0xd8, true]);
  const { verification, token, version } = secure as unknown as Record<string, string>;
  const { multiframe } = JSON.parse(Buffer.from(verification ?? "", "base64url").toString());
  expect([multiframe, token, version]).toEqual([false, "header.payload.signature", "1"]);
});

test("moves of the head are filmed after the picture", async ({ page, server }) => {
  server.methods = [{ ...FACE }];
  server.scripts.AGE_ESTIMATION = (input) =>
    input ? { ends: "COMPLETE" } : { step: { kind: "frames", moves: ["LEFT", "UP", "NEARER"], capture: CAPTURE } };
  await page.goto(server.page("age_estimation"));
  await heading(page, "Now your face");
  await says(page, "asked to move your head");
  await expect(page.locator("ol li")).toHaveText([
    "Turn your head slowly to your left",
    "Lift your chin slowly",
    "Come slowly nearer",
  ]);
  await accessible(page, "the moves");
  await keep(page, "06-order");
  await press(page, "Open the camera");
  await expectRecorded(page, "Turn your head");
  // The bar is gone when all is filmed.
  const filmed = () =>
    page.locator(".viewer progress").evaluateAll(([bar]) => (bar ? (bar as HTMLProgressElement).value : 1));
  await expect.poll(filmed).toBeGreaterThan(0);
  await accessible(page, "a move");
  await keep(page, "06-moves");
  await heading(page, "Your age is confirmed");
  const { frames, times, secure } = server.last(/^POST \/attempts\/ID$/) as {
    frames: string[];
    times: number[];
    secure: { verification: string };
  };
  expect([frames.length, times.length]).toEqual([24, 24]);
  expect(times, "one after the other").toEqual([...times].sort((one, other) => one - other));
  expect(frames.every((frame) => Buffer.from(frame, "base64")[0] === 0xff)).toBe(true);
  expect(Buffer.from(secure.verification, "base64url").toString()).toContain('"multiframe":true');
});

test("moves of the head that nobody saw to their end are filmed anew", async ({ page, server }) => {
  server.methods = [{ ...FACE }];
  server.scripts.AGE_ESTIMATION = (input) =>
    input ? { ends: "COMPLETE" } : { step: { kind: "frames", moves: ["LEFT"], capture: CAPTURE } };
  await page.clock.install();
  await page.goto(server.page("age_estimation"));
  await press(page, "Open the camera");
  await expectRecorded(page, "Turn your head");
  await showPage(page, false);
  const filmedLater = async (frames: number) => {
    for (let frame = 0; frame < frames; frame += 1) {
      await page.clock.runFor(450);
    }
    return page.locator(".viewer progress").evaluate((bar) => (bar as HTMLProgressElement).value);
  };
  // One frame may have been under way.
  const filmed = await filmedLater(2);
  expect(await filmedLater(10), "a camera that is closed films nothing").toBe(filmed);
  expect(server.count(/^POST \/attempts\/ID$/)).toBe(0);
  await showPage(page, true);
  await heading(page, "Your age is confirmed");
  expect(server.count(/^POST \/attempts\/ID$/)).toBe(1);
});

test("a picture that cannot be used is taken again, and a method that failed too often is not offered again", async ({
  page,
  server,
}) => {
  await showEmptyRoom(page);
  server.methods = [{ ...FACE }, method("EMAIL")];
  let turns = 0;
  server.scripts.AGE_ESTIMATION = (input) => {
    turns += 1;
    const step: Step = { kind: "camera", level: "NONE", capture: CAPTURE };
    if (!input) {
      return { step };
    }
    return turns === 2 ? { step, problem: { code: "TOO_DARK", remaining: 2 } } : { ends: "NEXT" };
  };
  const shootFace = async (button: string) => {
    await press(page, button);
    await press(page, "Take the picture");
  };
  await page.goto(server.page());
  await way(page, "Age from your face").click();
  await shootFace("Open the camera");
  await heading(page, "Please take it again");
  await says(page, /too dark[\s\S]*Attempts left: 2/);
  await expect(page.locator("#heading")).toBeFocused();
  await accessible(page, "what to do better");
  await keep(page, "07-retake");
  await shootFace("Take it again");
  await heading(page, "Try it another way");
  await says(page, "Age from your face: your age could not be confirmed this way");
  await expect(page.locator(".way")).toContainText([
    /^Email address/,
    /^Age from your face[\s\S]*Try again. Attempts left: 1$/,
  ]);
  await accessible(page, "after a failure");
  await keep(page, "08-next");
  await way(page, "Age from your face").click();
  await shootFace("Open the camera");
  await expect(page.locator(".way")).toHaveCount(1);
  await heading(page, "Try it another way");
  await expect(page.locator(".way")).toContainText(/^Email address/);
});

test("another camera is not opened once the picture was taken", async ({ page, server }) => {
  await showEmptyRoom(page);
  await page.addInitScript(() => {
    if (!navigator.mediaDevices) {
      return;
    }
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    Object.assign(window, { release });
    const cameras = ["one", "two"].map((deviceId) => ({ kind: "videoinput", deviceId }) as MediaDeviceInfo);
    let asked = 0;
    navigator.mediaDevices.enumerateDevices = async () => {
      asked += 1;
      if (asked > 1) {
        await held;
      }
      return cameras;
    };
  });
  server.methods = [{ ...FACE }];
  const answer = server.hold("POST /attempts/ID");
  await page.goto(server.page("age_estimation"));
  await press(page, "Open the camera");
  await press(page, "Other camera");
  await press(page, "Take the picture");
  await heading(page, "Sending");
  await page.evaluate(() => (window as unknown as { release(): void }).release());
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await heading(page, "Sending");
  await expect(page.locator("video")).toHaveCount(0);
  answer();
  await heading(page, "Your age is confirmed");
});

test("a camera that somebody chose and that is unplugged makes room for the usual one", async ({ page, server }) => {
  await showEmptyRoom(page);
  server.methods = [{ ...FACE }];
  await page.goto(server.page("age_estimation"));
  const { opened, unplug } = await plugInCameras(page);
  await press(page, "Open the camera");
  await press(page, "Other camera");
  await waitForCamera(page);
  await expect(page.locator(".window")).not.toHaveClass(/mirrored/);
  expect(await opened()).toEqual(["user", "rear"]);
  await unplug("rear");
  await showPage(page, false);
  await showPage(page, true);
  await expect(page.locator(".window")).toHaveClass(/mirrored/);
  await waitForCamera(page);
  expect(await opened()).toEqual(["user", "rear", "rear", "user"]);
  await press(page, "Take the picture");
  await heading(page, "Your age is confirmed");
});

test("a camera ends when nobody looks or the step is left, though the net for faces is still on its way", async ({
  page,
  server,
}) => {
  server.methods = [{ ...FACE }, method("EMAIL")];
  const cameras = await watchCameras(page);
  await intercept(page, /\.bin$/, () => new Promise(() => undefined));
  await page.goto(server.page());
  await way(page, "Age from your face").click();
  await press(page, "Open the camera");
  await waitForCamera(page);
  await showPage(page, false);
  await expect.poll(cameras).toEqual(["ended"]);
  await showPage(page, true);
  await waitForCamera(page);
  await expect.poll(cameras).toEqual(["ended", "live"]);
  await press(page, "Choose another way");
  await heading(page, OVER);
  await expect.poll(cameras).toEqual(["ended", "ended"]);
  await way(page, "Age from your face").click();
  await press(page, "Open the camera");
  await waitForCamera(page);
  await expect.poll(cameras).toEqual(["ended", "ended", "live"]);
  await press(page, "Stop");
  await confirmStop(page);
  await heading(page, "Stopped");
  await expect.poll(cameras).toEqual(["ended", "ended", "ended"]);
});

test("a net for faces that does not come is waited for ten seconds, and asked for again the next time", async ({
  page,
  server,
}) => {
  server.methods = [{ ...FACE }];
  await intercept(page, /\.bin$/, () => new Promise(() => undefined));
  await page.clock.install();
  await page.goto(server.page("age_estimation"));
  await press(page, "Open the camera");
  await waitForCamera(page);
  await page.clock.fastForward(10_000);
  await expect(pressableElement(page, "Take the picture")).toBeEnabled();
  await says(page, "Bring your face into the oval, then press the button");
  await page.unroute(/\.bin$/);
  await showPage(page, false);
  await showPage(page, true);
  // With the net it is taken by itself.
  await heading(page, "Your age is confirmed");
});

test("a camera that is refused, absent, busy, silent or insecure is named, and there is a next step", async ({
  page,
  server,
}) => {
  await allowCamera(page, server.origin, false);
  server.methods = [{ ...FACE }, method("EMAIL")];
  await page.goto(server.page("age_estimation"));
  await press(page, "Open the camera");
  await heading(page, "The camera is not allowed");
  await accessible(page, "the refusal");
  await keep(page, "09-denied");
  await allowCamera(page, server.origin, true);
  await press(page, "Try again");
  await heading(page, "Now your face");
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
    await arrive(page, server.page());
    await way(page, "Age from your face").click();
    await heading(page, "Now your face");
    await page.evaluate(`${pretence}; undefined`);
    await press(page, "Open the camera");
    await heading(page, words);
    expect(await page.locator("#body button").count(), words).toBeGreaterThanOrEqual(2);
  }
  await press(page, "Choose another way");
  await heading(page, OVER);
  await expect(page.locator(".way")).toHaveCount(2);
});

test("who does not want a face measured keeps the other ways, and may think again", async ({ page, server }) => {
  server.methods = [{ ...FACE }, method("EMAIL")];
  server.consent.required = true;
  await page.goto(server.page());
  await way(page, "Age from your face").click();
  await press(page, "No, choose another way");
  await heading(page, OVER);
  expect(server.last(/consent/)).toEqual({ given: false });
  await says(page, "Ways that measure your face are left out");
  await expect(page.locator(".way")).toHaveCount(1);
  await accessible(page, "after the refusal");
  await keep(page, "10-declined");
  await press(page, "Allow it after all");
  await expect(page.locator(".way")).toHaveCount(2);
  expect(server.last(/consent/)).toEqual({ given: true });
  await accessible(page, "after it was allowed");
  await press(page, TAKE_BACK);
  await press(page, "Leave it as it is");
  await expect(page.locator(".way")).toHaveCount(2);
  await press(page, TAKE_BACK);
  await press(page, "Take it back");
  await expect(page.locator(".way")).toHaveCount(1);
  expect(server.last(/consent/)).toEqual({ given: false });

  server.methods = [{ ...FACE }];
  server.consent = { required: true, given: null, may_give: true };
  await arrive(page, server.page());
  await way(page, "Age from your face").click();
  await press(page, "No, choose another way");
  await heading(page, "No other way is left");
  await accessible(page, "no way is left");
  await keep(page, "11-none");
  await page.locator("#body button:not(.primary)").click();
  await confirmStop(page);
  await heading(page, "Stopped");
});
