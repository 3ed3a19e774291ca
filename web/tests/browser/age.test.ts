// The page of age sessions in a real browser: every kind of step, what goes wrong in each, and every way to its end.

import type { MethodName, Step } from "../../age/session";
import { packIds } from "../../shared/short-link";
import { CAPTURE, method } from "../age-responses";
import { CHALLENGE, PUBLIC_KEY } from "../token-issuer";
import {
  addAuthenticator,
  allowCamera,
  confirmStop,
  expectAccessible,
  expectLargeTargets,
  expectRecorded,
  fill,
  press,
  pressableElement,
  recordTexts,
  showEmptyRoom,
  tabTo,
  takeScreenshot,
  waitForCamera,
  method as way,
} from "./actions";
import { AgeStandIn, codeStep, formStep, ISSUER_SESSION, pollScript, SDK_ID, SESSION } from "./age-stand-in";
import { expect, type Page, withServer } from "./fixtures";
import { scanScreen } from "./qr-scanner";

const test = withServer(() => new AgeStandIn());
test.use({ filmed: true });

const FACE = method("AGE_ESTIMATION", { biometric: true, attempts_remaining: 2, level: "PASSIVE" });
const OVER = "Show that you are 18 or over";

test.beforeEach(async ({ page, server }) => {
  await allowCamera(page, server.origin, true);
  await recordTexts(page);
});

const heading = (page: Page, words: string | RegExp) => expect(page.locator("h1")).toHaveText(words);
const says = (page: Page, words: string | RegExp) => expect(page.locator("body")).toContainText(words);
const keep = (page: Page, name: string) => takeScreenshot(page, `age-${name}`);

/** What axe finds, and targets that are too small, on this screen. */
async function accessible(page: Page, what: string): Promise<void> {
  await expectAccessible(page, what);
  await expectLargeTargets(page, what);
}

/** From an empty page to the session's. */
async function arrive(page: Page, address: string): Promise<void> {
  await page.goto("about:blank");
  await page.goto(address);
}

/** Everything that the browser keeps of this page's origin. */
function stored(page: Page): Promise<object> {
  return page.evaluate(() => ({
    ...sessionStorage,
    ...localStorage,
    ...(document.cookie ? { cookie: document.cookie } : {}),
  }));
}

test("it says who asks, why and what is kept, and offers the ways in their order", async ({ page, server }) => {
  server.methods = [{ ...FACE }, method("DOC_SCAN"), method("CREDIT_CARD", { threshold: 21 }), method("EMAIL")];
  server.view = {
    privacy_policy: "https://shop.example/privacy",
    terms_and_conditions: "https://shop.example/terms",
    sandbox: true,
  };
  await page.goto(server.page());
  await heading(page, OVER);
  for (const words of ["Demo shop asks", "18 or over", "kept for 30 days", "Privacy policy", "Terms"]) {
    await says(page, words);
  }
  await expect(page.locator(".way strong")).toHaveText([
    "Age from your face",
    "Identity document",
    "Credit card",
    "Email address",
  ]);
  await expect(page.locator(".way").nth(2)).toContainText("taken for 21 or over");
  const links = page.locator(".links a");
  expect(
    await links.evaluateAll((all) => all.map((link) => [link.getAttribute("href"), link.getAttribute("rel")])),
  ).toEqual([
    ["https://shop.example/privacy", "noopener noreferrer"],
    ["https://shop.example/terms", "noopener noreferrer"],
  ]);
  await expect(page.locator(".way").nth(1), "no driving licence of a Briton is read").toContainText(
    "A photo of your passport or identity card.",
  );
  await expect(page.locator("#sandbox")).toContainText("This is a test");
  await accessible(page, "the first screen");
  await keep(page, "01-start");
  await page.setViewportSize({ width: 1280, height: 900 });
  await keep(page, "01-start-desk");
  for (const [kind, words] of [
    ["UNDER", "Show that you are under 21"],
    ["AGE", "Show how old you are"],
  ] as const) {
    server.view = { type: kind };
    await arrive(page, server.page());
    await heading(page, words);
  }
});

test("that nothing is real is said on every screen of the sandbox, and a passkey is offered last", async ({
  page,
  server,
}) => {
  server.methods = [method("SVC_KEY"), method("EMAIL"), method("DOC_SCAN", { preset_issuing_country: "USA" })];
  server.view = { sandbox: true };
  const notice = page.locator("#sandbox");
  await page.goto(server.page());
  await expect(page.locator(".way strong")).toHaveText(["Email address", "Identity document", "Passkey"]);
  await expect(page.locator(".way").nth(1)).toContainText("driving licence");
  await expect(page.locator(".way").nth(2)).toContainText("If you kept a proof of your age on this device before.");
  await expect(notice).toBeVisible();
  await way(page, "Email address").click();
  await heading(page, "Your email address");
  await expect(notice).toBeVisible();
  await accessible(page, "a form in the sandbox");
  await keep(page, "38-sandbox");
  await fill(page, "Email address", "ada@example.com");
  await press(page, "Check");
  await heading(page, "Type the code");
  await expect(notice).toBeVisible();
  await fill(page, "Code", "123456");
  await press(page, "Continue");
  await heading(page, "Your age is confirmed");
  await expect(notice).toBeVisible();
  server.view = {};
  await arrive(page, server.page());
  await heading(page, "Your age is confirmed");
  await expect(notice).toBeHidden();
});

test.describe(() => {
  test.use({ locale: "en-US" });
  test("a driving licence is named to those whose licences are read", async ({ page, server }) => {
    server.methods = [method("DOC_SCAN"), method("EMAIL")];
    await page.goto(server.page());
    await expect(page.locator(".way").first()).toContainText("passport, identity card or driving licence");
  });
});

test("the phone's Back leads from within the session to the choice, and from there away", async ({ page, server }) => {
  server.methods = [{ ...FACE }, method("EMAIL")];
  server.consent.required = true;
  await page.goto(server.page());
  await way(page, "Email address").click();
  await heading(page, "Your email address");
  await page.goBack();
  await heading(page, OVER);
  await way(page, "Age from your face").click();
  await heading(page, "May your face be measured?");
  await press(page, "I agree");
  await heading(page, "Now your face");
  await page.goBack();
  await heading(page, OVER);
  // The way back of the page's own leaves nothing that would hold anybody.
  await way(page, "Email address").click();
  await press(page, "Choose another way");
  await heading(page, OVER);
  await page.goBack();
  await expect(page).toHaveURL("about:blank");
});

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
  await expectRecorded(page, "Your age is confirmed");
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

test("a picture that cannot be used is taken again, and a method that failed too often is not offered again", async ({
  page,
  server,
}) => {
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

  server.methods = [{ ...FACE }];
  server.consent = { required: true, given: null };
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

/** What is said beside the fields of a form. */
const errors = (page: Page) => page.locator(".error:not([hidden])");

test("a card is looked at before anything is sent, and nothing of it is kept", async ({ page, server, observed }) => {
  server.methods = [method("CREDIT_CARD")];
  await page.goto(server.page());
  await way(page, "Credit card").click();
  await heading(page, "Your credit card");
  const inputs = page.locator("input");
  expect(await inputs.evaluateAll((all) => all.map((input) => input.getAttribute("autocomplete")))).toEqual([
    "cc-number",
    "cc-exp",
    "cc-csc",
  ]);
  await says(page, "Debit and prepaid cards do not count");
  await accessible(page, "the form");
  await keep(page, "12-card");
  await press(page, "Check");
  await expect(errors(page)).toHaveCount(3);
  await expect(inputs.first(), "what is missing has the focus").toBeFocused();
  await fill(page, "Card number", "4242 4242 4242 4241");
  await fill(page, "Valid until", "01/20");
  await fill(page, "Security code", "12");
  await press(page, "Check");
  await expect(errors(page)).toHaveText([
    "This is no card number. Look at each digit again.",
    "This card has expired.",
    "Three digits, or four with American Express.",
  ]);
  await expect(inputs.first()).toBeFocused();
  await expect(inputs.first()).toHaveAccessibleDescription(/This is no card number. Look at each digit again\.$/);
  await expect(inputs.first()).toHaveAttribute("aria-invalid", "true");
  await accessible(page, "what is wrong");
  await keep(page, "13-card-wrong");
  expect(server.count(/^POST \/attempts\/ID/), "nothing was sent").toBe(0);
  await fill(page, "Card number", "4242 4242 4242 4242");
  await fill(page, "Valid until", "4 / 2031");
  await fill(page, "Security code", "123");
  await press(page, "Check");
  await heading(page, "Your age is confirmed");
  expect(server.last(/^POST \/attempts\/ID/).fields).toEqual({
    number: "4242424242424242",
    expiry: "04/31",
    code: "123",
  });
  expect(await stored(page)).toEqual({});
  expect(observed.requests.join()).not.toContain("4242");
});

test("a card that is declined leads on, one whose provider is away ends with an error", async ({ page, server }) => {
  server.methods = [method("CREDIT_CARD"), method("EMAIL")];
  const fillIn = async (number: string) => {
    await fill(page, "Card number", number);
    await fill(page, "Valid until", "04/31");
    await fill(page, "Security code", "123");
    await press(page, "Check");
  };
  await page.goto(server.page());
  await way(page, "Credit card").click();
  await fillIn("4000000000000002");
  await heading(page, "Try it another way");
  await says(page, "Credit card: your age could not be confirmed this way. Debit and prepaid cards do not count.");
  await keep(page, "14-debit");
  server.methods = [method("CREDIT_CARD", { attempts_remaining: 1 })];
  server.status = "PENDING";
  server.result = null;
  await arrive(page, server.page());
  await way(page, "Credit card").click();
  await fillIn("4000000000009995");
  await heading(page, "It did not work");
  await says(page, "The service that checks this could not be reached.");
  await accessible(page, "an error");
  await keep(page, "14-error");
  await press(page, "Back to the business");
  await expect(page).toHaveURL(/\/thanks\?/);
});

test("an address gets a code: a wrong one is said, another is sent, the right one leads to the end", async ({
  page,
  server,
}) => {
  await page.goto(server.page("email"));
  await heading(page, "Your email address");
  await fill(page, "Email address", "ada@example");
  await press(page, "Check");
  await says(page, "An address looks like");
  await fill(page, "Email address", "ada@example.com");
  await press(page, "Check");
  await heading(page, "Type the code");
  await says(page, "a•••@example.com");
  const code = page.getByLabel("Code");
  await expect(code).toHaveAttribute("autocomplete", "one-time-code");
  await accessible(page, "the code");
  await keep(page, "15-code");
  await code.fill("12");
  await press(page, "Continue");
  await says(page, "The code has 6 digits.");
  expect(server.count(/^POST \/attempts\/ID/)).toBe(1);
  await code.fill("000 000");
  await press(page, "Continue");
  await says(page, "That is not the code that was sent. Attempts left: 2");
  await expect(code).toBeFocused();
  await expect(code, "what was typed stands").toHaveValue("000 000");
  await accessible(page, "a wrong code");
  await keep(page, "16-wrong-code");
  await press(page, "Send another code");
  await says(page, "Another code is on its way.");
  await says(page, /Another code in [23]\d?/);
  expect(Object.keys(server.last(/^POST \/attempts\/ID/)).sort()).toEqual(["continuation", "resend"]);
  await code.fill("123456");
  await press(page, "Continue");
  await heading(page, "Your age is confirmed");
  expect(await stored(page)).toEqual({});
});

test("a phone number gets a code by text message; whether it needs its country's code the server says", async ({
  page,
  server,
}) => {
  server.methods = [method("MOBILE")];
  server.scripts.MOBILE = (input) => {
    const { phone } = input?.fields ?? {};
    if (input?.code) {
      return { ends: "COMPLETE" };
    }
    return phone?.startsWith("+") || phone === "07700900123"
      ? { step: codeStep("SMS", 30) }
      : { step: formStep("MOBILE"), ...(phone ? { problem: { code: "INVALID", field: "phone" } } : {}) };
  };
  await page.goto(server.page("mobile"));
  await fill(page, "Mobile phone number", "0151 234567");
  await press(page, "Check");
  await says(page, "Begin with +");
  await expect(page.getByLabel("Mobile phone number")).toBeFocused();
  expect(server.last(/ID$/).fields).toEqual({ phone: "0151234567" });
  await fill(page, "Mobile phone number", "0049 151 / 23 45 67 89");
  await press(page, "Check");
  await says(page, "A text message with 6 digits was sent to ••• 123");
  expect(server.last(/ID$/).fields).toEqual({ phone: "+4915123456789" });
  await fill(page, "Code", "123456");
  await press(page, "Continue");
  await heading(page, "Your age is confirmed");

  server.status = "PENDING";
  server.methods = [method("MOBILE")];
  await arrive(page, server.page("mobile"));
  await fill(page, "Mobile phone number", "07700 900123");
  await press(page, "Check");
  await heading(page, "Type the code");
});

for (const [name, words, wrong, right, sent] of [
  [
    "SOCIAL_SECURITY_NUMBER",
    "Your social security number",
    { "Social security number": "666-12-3456" },
    { "Social security number": "219-09-9999" },
    { number: "219099999" },
  ],
  ["CPF", "Your CPF", { "CPF number": "529.982.247-24" }, { "CPF number": "529.982.247-25" }, { cpf: "52998224725" }],
  [
    "US_FLORIDA_HB3",
    "Your name and address",
    { "Date of birth": "2990-01-01" },
    { "Street and number, city": "1 Main St, Miami", "Postal code": "33101" },
    { address: "1 Main St, Miami", postal_code: "33101" },
  ],
] as [MethodName, string, Record<string, string>, Record<string, string>, object][]) {
  test(`people's numbers are checked by their own rules before they are sent: ${name}`, async ({ page, server }) => {
    server.methods = [method(name)];
    await page.goto(server.page(name.toLowerCase()));
    await heading(page, words);
    await fill(page, "Full name", "Ada Lovelace");
    await fill(page, "Date of birth", "1990-12-10");
    for (const [label, value] of Object.entries(wrong)) {
      await fill(page, label, value);
    }
    await press(page, "Check");
    await expect(errors(page).first()).toBeVisible();
    expect(server.count(/ID$/), "nothing was sent").toBe(0);
    await accessible(page, name);
    await keep(page, `17-${name.toLowerCase()}`);
    await fill(page, "Date of birth", "1990-12-10");
    for (const [label, value] of Object.entries(right)) {
      await fill(page, label, value);
    }
    await press(page, "Check");
    await heading(page, "Your age is confirmed");
    const fields = { full_name: "Ada Lovelace", date_of_birth: "1990-12-10", ...sent };
    expect(server.last(/ID$/).fields).toEqual(fields);
  });
}

test("a code is shown to be typed into an app, and the page goes on when the app has answered", async ({
  page,
  server,
}) => {
  server.methods = [method("LA_WALLET"), method("EMAIL")];
  await page.goto(server.page("la_wallet"));
  await heading(page, "Type the code into LA Wallet");
  await says(page, "“Verify You”, then “Remote Verify”");
  const code = page.locator(".app-code");
  await expect(code).toHaveText("4821");
  await expect(code, "read digit by digit").toHaveAccessibleName("4 8 2 1");
  await accessible(page, "the code");
  await keep(page, "17-la_wallet");
  server.otherDone = true;
  await heading(page, "Your age is confirmed");
});

test("what only the business's app can do is said, and the other ways are offered", async ({ page, server }) => {
  const inApp = method("DEVICE_SIGNAL", { in_app: true });
  server.methods = [inApp, method("EMAIL")];
  await page.goto(server.page());
  await says(page, "You can also confirm your age in Demo shop’s app.");
  await expect(page.locator(".way")).toHaveCount(1);
  await accessible(page, "an app beside other ways");
  server.methods = [inApp];
  await page.goto(server.page());
  await heading(page, "In the app");
  await says(page, "Go on in Demo shop’s app");
  await expect(page.locator(".way")).toHaveCount(0);
  await accessible(page, "an app alone");
});

/** What leads to a provider of the stand-in's. */
const toProvider = (page: Page, server: AgeStandIn) => press(page, `Go on to ${server.origin.slice(7)}`);

test("somebody signs in elsewhere and comes back; what brought them back is gone then", async ({ page, server }) => {
  server.methods = [method("ELECTRONIC_ID"), method("EMAIL")];
  await page.goto(server.page("", "&locale=en"));
  await way(page, "Bank or electronic ID").click();
  await heading(page, "Who shall confirm your age?");
  await press(page, "Continue");
  await says(page, "Choose one of them.");
  await accessible(page, "the providers");
  await keep(page, "18-choose");
  await press(page, "My bank");
  await press(page, "Continue");
  await heading(page, "You sign in elsewhere");
  await accessible(page, "the way out");
  await keep(page, "19-redirect");
  await toProvider(page, server);
  await expect(page).toHaveURL(/\/provider/);
  const kept = JSON.parse((await page.evaluate(() => sessionStorage.getItem("assay-age"))) ?? "{}");
  expect(Object.keys(kept).sort()).toEqual(["attempt", "base", "continuation", "handedOff", "id", "locale", "sdkId"]);
  await page.locator("#yes").click();
  await heading(page, "Your age is confirmed");
  expect(server.last(/ID$/).returned).toEqual({ state: "s1", code: "c0de" });
  await expect(page).toHaveURL(`${server.origin}/age?sessionId=${SESSION}&sdkId=${SDK_ID}&locale=en`);
  expect(await stored(page)).toEqual({});
});

test("who declines at the provider is offered the other ways; who comes from nowhere is told where to go", async ({
  page,
  server,
}) => {
  server.methods = [method("ELECTRONIC_ID"), method("EMAIL")];
  await page.goto(server.page("electronic_id", "", "/sandbox"));
  await press(page, "National eID");
  await press(page, "Continue");
  await toProvider(page, server);
  await expect(page).toHaveURL(/\/provider/);
  // The sandbox's provider comes back below the sandbox.
  await page.evaluate(() => location.assign("/sandbox/age/return?state=s1&error=access_denied"));
  await heading(page, "Try it another way");
  await expect(page).toHaveURL(/\/sandbox\/age\?/);
  await arrive(page, `${server.origin}/age/return?state=s1&code=c0de`);
  await heading(page, "Go back to where you began");
  await expect(page).toHaveURL(`${server.origin}/age/return`);
  await accessible(page, "from nowhere");
  await keep(page, "20-lost");
});

test("a document is photographed in a frame, and its end is noticed at once", async ({ page, server }) => {
  server.methods = [method("DOC_SCAN")];
  await page.goto(server.page("doc_scan"));
  await heading(page, "Show your document");
  const inside = page.frameLocator("iframe").getByRole("button");
  await expect(inside).toBeVisible();
  await accessible(page, "the document");
  await keep(page, "21-document");
  // Others cannot end it.
  await page.evaluate(() => window.postMessage({ eventType: "SUCCESS" }, "*"));
  server.otherDone = true;
  const before = server.count(/ID$/);
  await inside.click();
  await heading(page, "Your age is confirmed");
  expect(server.count(/ID$/)).toBeLessThanOrEqual(before + 2);
});

test("a document page of somewhere else is not shown", async ({ page, server }) => {
  server.methods = [method("DOC_SCAN"), method("EMAIL")];
  server.scripts.DOC_SCAN = () => ({ step: { kind: "document", url: "https://elsewhere.example/web" } });
  await page.goto(server.page("doc_scan"));
  await heading(page, "This does not work here");
  await expect(page.locator("iframe")).toHaveCount(0);
  await press(page, "Choose another way");
  await heading(page, OVER);
});

test("a wallet is called by a code and by a link, and waited for", async ({ page, server }) => {
  server.methods = [method("DIGITAL_ID")];
  await page.setViewportSize({ width: 1024, height: 900 });
  await page.goto(server.page("digital_id"));
  await heading(page, "Use your wallet");
  await expect(page.locator("svg.code path")).toHaveAttribute("d", /./);
  await accessible(page, "the wallet");
  await keep(page, "22-wallet");
  const links = page.locator("a.press");
  await expect(links).toHaveText(["Open the wallet on this device", "Open the wallet on this device (http)"]);
  await expect(links.first()).toHaveAttribute("href", /e%2Fr%2F2$/);
  await expect(links.last()).toHaveAttribute("href", `${server.origin}/wallet`);
  expect(await scanScreen(page)).toMatch(/^openid4vp:.*%2Fr%2F1$/);
  server.otherDone = true;
  await heading(page, "Your age is confirmed");
  const inputs = server.requests
    .filter(({ operation: what }) => what.endsWith("ID"))
    .map(({ body }) => Object.keys(body).join());
  expect(new Set(inputs), "it only asked").toEqual(new Set(["continuation"]));
});

/** Where a wallet brings its holder with the right code: the attempt that this browser waits for stands in it. */
async function wayBackOf(page: Page, server: AgeStandIn): Promise<string> {
  const [place = ""] = await page.evaluate(() => Object.keys(localStorage));
  return `${server.origin}/age/return?attempt=${place.replace("assay-age-", "")}&response_code=c0de`;
}

test("a wallet on this device comes back with a code, in whichever tab", async ({ page, server }) => {
  server.methods = [method("DIGITAL_ID")];
  server.scripts.DIGITAL_ID = (input) => {
    const { response_code: code } = input?.returned ?? {};
    const links = [`${server.origin}/wallet`];
    return code === "c0de"
      ? { ends: "COMPLETE" }
      : { step: { kind: "wallet", url: "openid4vp://?request_uri=x", links, poll_ms: 15_000 } };
  };
  await page.goto(server.page("digital_id"));
  await heading(page, "Use your wallet");
  // The link leads away in this tab; another would be as good, as nothing is kept in the tab itself.
  await page.locator("a.press").click();
  await expect(page).toHaveURL(/\/wallet$/);
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  const back = await wayBackOf(page, server);
  // A code for another attempt is no business of this one's.
  await arrive(page, `${server.origin}/age/return?attempt=${SESSION}&response_code=c0de`);
  await heading(page, "Go back to where you began");
  await arrive(page, back);
  await heading(page, "Your age is confirmed");
  expect(await page.evaluate(() => localStorage.length)).toBe(0);

  // Whoever followed another's link has nothing to bring the code to.
  await page.goto(back);
  await heading(page, "Go back to where you began");
});

test("where a wallet has nothing to say a face is asked for, with consent", async ({ page, server }) => {
  server.methods = [method("DIGITAL_ID"), method("EMAIL")];
  server.consent = { required: true, given: null };
  const face: Step = { kind: "camera", level: "PASSIVE", capture: CAPTURE };
  server.scripts.DIGITAL_ID = (input) =>
    input ? { step: face } : { step: { kind: "wallet", url: "openid4vp://?request_uri=x", links: [], poll_ms: 500 } };
  await page.goto(server.page("digital_id"));
  await heading(page, "May your face be measured?");
  await accessible(page, "consent after a wallet");
  await press(page, "I agree");
  await heading(page, "Now your face");
});

/** A document that is looked at. */
const waiting = (server: AgeStandIn) => pollScript(server, () => ({ kind: "wait", poll_ms: 500 }));

test("what others do is waited for, through a network that goes away", async ({ page, server }) => {
  server.methods = [method("DOC_SCAN")];
  server.scripts.DOC_SCAN = waiting(server);
  await page.goto(server.page("doc_scan"));
  await heading(page, "Being checked");
  await accessible(page, "waiting");
  const failed = page.waitForEvent("requestfailed");
  await server.stop();
  await failed;
  server.otherDone = true;
  await server.start();
  await page.evaluate(() => window.dispatchEvent(new Event("online")));
  await heading(page, "Your age is confirmed");
});

test("a passkey is made after a passed check, and used for the next", async ({ page, server }) => {
  server.methods = [method("SVC_KEY")];
  server.view = { offers: { key: true, proof: false }, callback: null };
  const credentials = await addAuthenticator(page);
  const address = server.page("svc_key").replace(server.origin, server.named);
  await page.goto(address);
  await heading(page, "Use your passkey");
  await accessible(page, "the passkey");
  await keep(page, "23-passkey");
  await press(page, "Use the passkey");
  await says(page, "No passkey was used.");
  await accessible(page, "no passkey");

  server.status = "COMPLETE";
  await arrive(page, address);
  await heading(page, "Your age is confirmed");
  await press(page, "Keep this proof on this device");
  await says(page, "It is kept.");
  const { credential, continuation } = server.last(/key/) as {
    credential: Record<string, object>;
    continuation: string;
  };
  expect(continuation).toBe("k1");
  expect(credential.response).toHaveProperty("attestationObject");

  server.status = "PENDING";
  server.methods = [method("SVC_KEY")];
  server.view = { callback: null };
  await arrive(page, address);
  await press(page, "Use the passkey");
  await heading(page, "Your age is confirmed");
  const used = server.last(/ID$/) as { credential: { id: string; response: object } };
  expect(used.credential.response).toHaveProperty("signature");
  const ids = (await credentials()).map(({ credentialId }) =>
    Buffer.from(credentialId, "base64").toString("base64url"),
  );
  expect(ids).toEqual([used.credential.id]);
});

test("a passkey is tried by itself at the start where a result was kept, and nobody is asked to choose it", async ({
  page,
  server,
}) => {
  const silent = () => [method("SVC_KEY", { silent: true }), method("EMAIL")];
  server.methods = silent();
  server.view = { callback: null };
  await addAuthenticator(page);
  const address = server.page().replace(server.origin, server.named);
  await page.goto(address);
  await heading(page, OVER);
  await expect(page.locator(".ways button")).toHaveCount(1);
  await keep(page, "23-silent-not-offered");

  server.status = "COMPLETE";
  server.view = { offers: { key: true, proof: false }, callback: null };
  await arrive(page, address);
  await press(page, "Keep this proof on this device");
  await says(page, "It is kept.");

  server.status = "PENDING";
  server.methods = silent();
  server.view = { callback: null };
  await arrive(page, address);
  await heading(page, "Your age is confirmed");
  expect(server.last(/ID$/)).toHaveProperty("credential");

  // Without the passkey the page goes on as if it had not been tried.
  server.status = "PENDING";
  server.methods = silent();
  await page.addInitScript(() => {
    // An insecure page, such as the empty one, has none.
    if (navigator.credentials) {
      navigator.credentials.get = async () => {
        throw new DOMException("", "NotAllowedError");
      };
    }
  });
  await arrive(page, address);
  await heading(page, OVER);
  await expect(page.locator(".ways button")).toHaveCount(1);
});

test("what is kept under a passkey is forgotten by no session, and what cannot be is said", async ({
  page,
  server,
}) => {
  server.methods = [method("SVC_KEY"), method("EMAIL")];
  await page.goto(server.page("", "&locale=en", "/sandbox"));
  await heading(page, OVER);
  await expect(page.locator(".links a")).toHaveAttribute("href", `${server.origin}/sandbox/age/keys?locale=en`);
  await arrive(page, `${server.named}/age/keys`);
  await heading(page, "Forget what is kept");
  await accessible(page, "forgetting");
  await keep(page, "23-forget");
  await page.evaluate(() => {
    navigator.credentials.get = async () => {
      throw new DOMException("", "NotAllowedError");
    };
  });
  await press(page, "Forget it");
  await says(page, "No passkey was used. You can try again.");
  await expect(pressableElement(page, "Forget it")).toBeFocused();
  await accessible(page, "no passkey was used");
  server.refuse("POST /age/v1/keys/forget", 409, "INVALID_STATUS");
  await press(page, "Forget it");
  await says(page, "Nothing is kept under passkeys here.");
  await page.addInitScript("delete globalThis.PublicKeyCredential");
  await arrive(page, `${server.named}/age/keys?locale=pl`);
  await heading(page, "Usuwanie zachowanego wyniku");
  await says(page, "Ta przeglądarka nie zna kluczy dostępu.");
});

/** The issuer's page in another tab of the same browser, once it has begun. */
async function atTheIssuer(page: Page, href: string, prepared = ""): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.addInitScript(prepared);
  await tab.goto(href);
  await heading(tab, OVER);
  expect(await tab.evaluate(() => location.hash + document.referrer)).toBe("");
  await expectAccessible(tab, "the issuer's page");
  await keep(tab, "23-token-issuer");
  await press(tab, "Go on");
  await says(tab, "Demo issuer checks your age here");
  return tab;
}

/** Shows the age to the issuer, by an address. */
async function showTheAge(tab: Page): Promise<void> {
  await tab.locator(".way").click();
  await heading(tab, "Your email address");
  await tab.getByRole("textbox").fill("ada@example.com");
  await press(tab, "Check");
  await heading(tab, "Type the code");
  await tab.getByRole("textbox").fill("123456");
  await press(tab, "Continue");
}

async function throughTheIssuer(page: Page, href: string, prepared = ""): Promise<Page> {
  const tab = await atTheIssuer(page, href, prepared);
  await showTheAge(tab);
  return tab;
}

/** The link to the issuer's page, once it is there; another one than the one that was used. */
async function toTheIssuer(page: Page, used = ""): Promise<string> {
  await heading(page, "Get an anonymous proof");
  const link = page.locator("a.main");
  await expect(link).toHaveAttribute("href", /./);
  await expect(link).not.toHaveAttribute("href", used);
  return (await link.getAttribute("href")) ?? "";
}

test("a blind token is had in another tab, which hears nothing of this one's session", async ({ page, server }) => {
  server.methods = [method("DOUBLE_ANONYMITY"), method("EMAIL")];
  await page.goto(server.page("double_anonymity"));
  const href = await toTheIssuer(page);
  const link = page.locator("a.main");
  await expect(link).toHaveAttribute("rel", "noopener noreferrer");
  await expect(link).toHaveAttribute("target", "_blank");
  expect(new URL(href).search).toBe("");
  expect(href).not.toContain(SESSION);
  expect(href).not.toContain(SDK_ID);
  await accessible(page, "the blind token");
  await keep(page, "23-token");
  await tabTo(page, `Open ${server.origin.slice(7)} in a new tab`);
  // Somebody else's words on the channel, which they cannot know, are none of the key's.
  await page.evaluate(
    (channel) => new BroadcastChannel(`assay-age-${channel}`).postMessage({ response: "A".repeat(342) }),
    new URLSearchParams(new URL(href).hash.slice(1)).get("c"),
  );
  await says(page, "What came back could not be used.");

  const tab = await throughTheIssuer(page, href);
  await heading(tab, "Your proof is ready");
  await expectAccessible(tab, "the proof is ready");
  await keep(tab, "23-token-ready");
  await says(tab, "You can close this one.");
  await heading(page, "Your age is confirmed");
  const asked = server.requests.findIndex(({ operation: what }) => what.includes("anonymity"));
  const atIssuer = server.requests
    .slice(asked)
    .filter(({ operation: what, body }) => !("token" in body) && what !== "GET ");
  expect(JSON.stringify(atIssuer)).not.toContain(SESSION);
  expect(server.requests[asked]?.body).toEqual({ threshold: 18 });
  expect(await stored(page)).toEqual({});
  expect(await stored(tab)).toEqual({});
});

for (const elsewhere of [false, true]) {
  const where = elsewhere ? "of another origin" : "of this server";
  test(`where an issuer ${where} gives nothing the other tab says so, and only a person ends it`, async ({
    page,
    server,
  }) => {
    const issuer = new AgeStandIn();
    await issuer.start();
    try {
      issuer.redeemers = [server.origin];
      server.issuer = elsewhere ? issuer.origin : undefined;
      server.methods = [method("DOUBLE_ANONYMITY"), method("EMAIL")];
      await page.goto(server.page("double_anonymity"));
      const first = await toTheIssuer(page);
      const tab = await atTheIssuer(page, first);
      await press(tab, "Stop");
      await expect(tab.locator("#meaning")).toContainText("No proof is made then.");
      await confirmStop(tab);
      await heading(tab, elsewhere ? "No proof was made" : "Stopped");
      await says(tab, "Go back to the tab in which you began.");
      await says(tab, "You can close this one.");
      await expectAccessible(tab, "nothing was issued");
      expect(await stored(tab)).toEqual({});
      await tab.close();
      await says(page, "Nothing came of it in the other tab.");
      await accessible(page, "nothing came of it");
      await keep(page, "23-token-nothing");
      expect(server.count(/ID$/)).toBe(0);

      // The link is a new one, by which the issuer does not know the person again.
      const second = await toTheIssuer(page, first);
      const words = (href: string) => new URLSearchParams(new URL(href).hash.slice(1));
      expect(words(second).get("c")).toBe(words(first).get("c"));
      expect(words(second).get("r")).not.toBe(words(first).get("r"));
      await press(page, "I cannot show it there");
      await heading(page, "Try it another way");
      expect(server.last(/ID$/).declined).toBe(true);
    } finally {
      await issuer.stop();
    }
  });
}

test("a tab that shows the age counts although another showed nothing", async ({ page, server }) => {
  server.methods = [method("DOUBLE_ANONYMITY"), method("EMAIL")];
  await page.goto(server.page("double_anonymity"));
  const href = await toTheIssuer(page);
  const vain = await atTheIssuer(page, href);
  await press(vain, "Stop");
  await confirmStop(vain);
  await says(page, "Nothing came of it in the other tab.");
  await toTheIssuer(page, href);
  // This one was opened by the first link.
  const tab = await throughTheIssuer(page, href);
  await heading(tab, "Your proof is ready");
  await heading(page, "Your age is confirmed");
});

test("an issuer's session is led by the tab that began it, and by no address", async ({ page, server }) => {
  // What somebody can do who wants another to show an age for them.
  await page.goto(`${server.origin}/thanks`);
  await page.evaluate(() => fetch("/age/v1/anonymity/sessions", { method: "POST", body: '{"threshold":18}' }));
  for (const address of [
    `?sessionId=${ISSUER_SESSION}&sdkId=${SDK_ID}`,
    `/email?sessionId=${ISSUER_SESSION}&sdkId=${SDK_ID}`,
    `#${packIds(ISSUER_SESSION, SDK_ID)}`,
  ]) {
    await arrive(page, `${server.origin}/age${address}`);
    await heading(page, "Begin again");
    await accessible(page, "an issuer's session without an order");
  }
  const errand = {
    base: "",
    id: ISSUER_SESSION,
    sdkId: SDK_ID,
    attempt: "a",
    continuation: "c",
    url: `${server.origin}/provider`,
  };
  await arrive(page, `${server.origin}/age/return#go=${encodeURIComponent(JSON.stringify(errand))}`);
  await toProvider(page, server);
  await heading(page, "Begin again");
  expect(server.count(/^POST \/(?!age)/)).toBe(0);
});

test("an answer of the issuer that is lost is had again, and one that it refuses is given up", async ({
  page,
  server,
}) => {
  server.methods = [method("DOUBLE_ANONYMITY")];
  await page.goto(server.page("double_anonymity"));
  server.losses.set("POST /token", 2);
  let tab = await throughTheIssuer(page, await toTheIssuer(page));
  await heading(tab, "Your proof is ready");
  expect(server.count(/token$/)).toBe(3);
  await heading(page, "Your age is confirmed");
  await says(tab, "You can close this one.");
  // Nothing is left to be done there.
  await tab.reload();
  await heading(tab, "Go on in the other tab");
  await tab.close();

  server.status = "PENDING";
  server.methods = [method("DOUBLE_ANONYMITY")];
  await arrive(page, server.page("double_anonymity"));
  const refused = await toTheIssuer(page);
  tab = await atTheIssuer(page, refused);
  server.issuing?.refuse("POST /token", 409, "INVALID_STATUS");
  await showTheAge(tab);
  await heading(tab, "No proof was made");
  await says(page, "Nothing came of it in the other tab.");
  await tab.close();

  // What is no answer of the issuer's is none.
  tab = await atTheIssuer(page, await toTheIssuer(page, refused));
  const issuing = server.issuing as AgeStandIn;
  const { signs } = issuing;
  issuing.signs = () => "";
  await showTheAge(tab);
  await heading(tab, "The server does not answer");
  issuing.signs = signs;
  await press(tab, "Try again");
  await heading(tab, "Your proof is ready");
  await heading(page, "Your age is confirmed");
});

test("an issuer's tab that keeps nothing knows its order all the same", async ({ page, server }) => {
  server.methods = [method("DOUBLE_ANONYMITY")];
  await page.goto(server.page("double_anonymity"));
  const nothing = `Storage.prototype.setItem = () => { throw new DOMException("", "QuotaExceededError") }`;
  const tab = await throughTheIssuer(page, await toTheIssuer(page), nothing);
  await heading(tab, "Your proof is ready");
  await heading(page, "Your age is confirmed");
});

test("a wallet that comes back in a tab of its own leaves the issuer's tab to go on", async ({ page, server }) => {
  server.methods = [method("DOUBLE_ANONYMITY")];
  server.issuerMethods = [method("DIGITAL_ID", { hand_off: false })];
  await page.goto(server.page("double_anonymity"));
  const tab = await atTheIssuer(page, await toTheIssuer(page));
  const links = [`${server.origin}/wallet`];
  const step: Step = { kind: "wallet", url: "openid4vp://?request_uri=x", links, poll_ms: 500 };
  let shown = false;
  const issuing = server.issuing as AgeStandIn;
  issuing.scripts.DIGITAL_ID = (input) => {
    shown ||= input?.returned?.response_code === "c0de";
    return shown ? { ends: "COMPLETE" } : { step };
  };
  await tab.locator(".way").click();
  await heading(tab, "Use your wallet");
  // An app takes the link, and the tab stays where it is.
  await tab.locator("a.press").evaluate((link) => {
    link.addEventListener("click", (event) => event.preventDefault());
  });
  await tab.locator("a.press").click();
  const other = await page.context().newPage();
  await other.goto(await wayBackOf(tab, server));
  await heading(other, "Go on in the other tab");
  await heading(tab, "Your proof is ready");
  await heading(page, "Your age is confirmed");
});

test("what the issuer cannot do is said before an age is shown", async ({ context, page, server }) => {
  server.methods = [method("DOUBLE_ANONYMITY")];
  await page.goto(server.page("double_anonymity"));
  server.refuse("POST /age/v1/anonymity/sessions", 400, "INVALID_REQUEST");
  const tab = await context.newPage();
  await tab.goto(await toTheIssuer(page));
  await press(tab, "Go on");
  await heading(tab, "No proof was made");
  await expectAccessible(tab, "an issuer that begins nothing");
  await says(page, "Nothing came of it in the other tab.");
  await says(tab, "You can close this one.");
});

for (const known of [false, true]) {
  const whom = known ? "the servers that it knows" : "no others";
  test(`an issuer of another origin sends the answer back to ${whom}`, async ({ context, page, server }) => {
    const issuer = new AgeStandIn();
    await issuer.start();
    try {
      server.issuer = issuer.origin;
      issuer.redeemers = known ? [server.origin] : ["https://other.example"];
      server.methods = [method("DOUBLE_ANONYMITY")];
      await page.goto(server.page("double_anonymity"));
      const href = await toTheIssuer(page);
      if (known) {
        const tab = await throughTheIssuer(page, href);
        await heading(tab, "Your proof is ready");
        await expect(tab).toHaveURL(`${server.origin}/age/return`);
        await heading(page, "Your age is confirmed");
      } else {
        const tab = await context.newPage();
        await tab.goto(href);
        await press(tab, "Go on");
        await heading(tab, "No proof was made");
        await says(tab, "This page gives no proofs to the page that you came from.");
        expect(await tab.evaluate(() => location.origin)).toBe(issuer.origin);
        expect(await stored(tab)).toEqual({});
        await heading(page, "Get an anonymous proof");
      }
      expect(JSON.stringify(issuer.requests)).not.toContain(SESSION);
    } finally {
      await issuer.stop();
    }
  });
}

/** Puts a page into a frame of another's, which keeps what it is told in `heard`. */
async function embed(page: Page, server: AgeStandIn, address: string) {
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

test("from a frame a blind token is had in a tab of its own", async ({ page, server }) => {
  server.methods = [method("DOUBLE_ANONYMITY"), method("EMAIL")];
  const link = (await embed(page, server, server.page("double_anonymity"))).locator("a.press");
  await expect(link).toHaveText("Open in a new tab");
  await expect(link).toHaveAttribute("target", "_blank");
  await expect(link).toHaveAttribute("rel", "noopener");
  await page.goto(await link.evaluate((one: HTMLAnchorElement) => one.href));
  await way(page, "Anonymous proof").click();
  expect(await toTheIssuer(page)).toContain("/age/issue#");
});

test("an issuer's page that nobody asked for begins nothing", async ({ page, server }) => {
  await page.goto(`${server.origin}/age/issue#t=18&r=x&c=y`);
  await heading(page, "The link is incomplete");
  expect(server.requests.length).toBe(0);
});

test("at the end the proof can be taken along, and nobody is led away meanwhile", async ({ page, server }) => {
  server.status = "COMPLETE";
  server.view = {
    offers: { key: true, proof: true },
    callback: { url: `${server.origin}/thanks`, auto: true },
  };
  await page.goto(server.page());
  await heading(page, "Your age is confirmed");
  await expect(pressableElement(page, "Get my proof of age")).toBeVisible();
  await accessible(page, "the offers");
  await keep(page, "24-offers");
  await press(page, "Get my proof of age");
  await expect(page.locator("svg.code path")).toHaveAttribute("d", /./);
  await page.locator("svg.code").scrollIntoViewIfNeeded();
  await accessible(page, "the proof");
  await keep(page, "25-proof");
  await expect(page.locator("#offers a")).toHaveAttribute("href", `${server.origin}/holder#invitation`);
  await expect(page.locator("#leaving")).toHaveCount(0);
  server.refuse("POST /key", 409, "INVALID_STATUS");
  await press(page, "Keep this proof on this device");
  await says(page, "It was not kept.");
});

test("the return is announced and can be stopped", async ({ page, server }) => {
  await page.clock.install();
  server.status = "COMPLETE";
  server.view = { callback: { url: `${server.origin}/thanks`, auto: true } };
  await page.goto(server.page());
  await expect(page.locator("#spoken")).toContainText(/^You are taken back/);
  await press(page, "Stay here");
  await expect(page.locator("#leaving")).toHaveCount(0);
  await expect(page.locator("#heading")).toBeFocused();
  await page.clock.runFor(60_000);
  await heading(page, "Your age is confirmed");
  await press(page, "Go on");
  await expect(page).toHaveURL(/\/thanks$/);
});

test("a check that goes on later is waited for, and ends as it ends", async ({ page, server }) => {
  server.methods = [method("DOC_SCAN")];
  server.scripts.DOC_SCAN = () => ({ ends: "PROCESSING" });
  await page.goto(server.page("doc_scan"));
  await heading(page, "Being checked");
  await says(page, "Demo shop is told the result in any case");
  await accessible(page, "later");
  await keep(page, "26-processing");
  server.status = "FAIL";
  await heading(page, "Your age was not confirmed");
  await accessible(page, "not confirmed");
  await keep(page, "27-fail");
});

test("a failed session that may be tried again offers its ways again", async ({ page, server }) => {
  server.methods = [method("EMAIL", { state: "FAILED", attempts: 1 })];
  server.status = "FAIL";
  server.result = { method: "EMAIL", status: "FAIL", reason: null };
  server.view = { retry: true };
  await page.goto(server.page());
  await heading(page, "Try it again");
  await way(page, "Email address").click();
  await heading(page, "Your email address");
});

test("somebody stops, is asked once, and goes where the business wants", async ({ page, server }) => {
  server.view = { cancel_url: `${server.origin}/sorry` };
  await page.goto(server.page());
  await heading(page, OVER);
  await press(page, "Stop");
  await expect(page.locator("#sure")).toBeVisible();
  await accessible(page, "the question");
  await keep(page, "28-question");
  await page.keyboard.press("Escape");
  await expect(page.locator("#sure")).toBeHidden();
  await way(page, "Email address").click();
  await heading(page, "Your email address");
  await press(page, "Stop");
  await confirmStop(page);
  await expect(page).toHaveURL(/\/sorry$/);
  expect(server.count(/cancel/)).toBe(1);
  server.view = {};
  await arrive(page, server.page());
  await heading(page, "Stopped");
  await accessible(page, "stopped");
});

test("a session that expired, is blocked, unknown, of another application, or not named says what it is", async ({
  page,
  server,
}) => {
  for (const [refusal, words] of [
    [[410, "SESSION_EXPIRED"], "Time is up"],
    [[404, "SESSION_NOT_FOUND"], "This link does not work"],
    [[401, "UNAUTHORIZED"], "This link does not work"],
    [[403, "LOCATION_BLOCKED"], "Not available where you are"],
  ] as [[number, string], string][]) {
    server.refuse("GET ", ...refusal);
    await arrive(page, server.page());
    await heading(page, words);
    await accessible(page, words);
  }
  await keep(page, "29-blocked");
  server.view = { location_blocked: true };
  await arrive(page, server.page());
  await heading(page, "Not available where you are");
  for (const query of ["", `?sessionId=${SESSION}`, `?sessionId=../x&sdkId=${SDK_ID}`]) {
    await arrive(page, `${server.origin}/age${query}`);
    await heading(page, "The link is incomplete");
  }
  await keep(page, "30-incomplete");
});

test("time that runs out is warned of, and ends it wherever somebody is", async ({ page, server }) => {
  await page.clock.install();
  await page.goto(server.page());
  await heading(page, OVER);
  await expect(page.locator("#time")).toBeHidden();
  await page.clock.fastForward((server.seconds - 58) * 1000);
  await expect(page.locator("#spoken")).toHaveText("One minute is left.");
  await expect(page.locator("#time")).toHaveText(/Time left: 0:\d\d/);
  await accessible(page, "a minute");
  await keep(page, "31-minute");

  await way(page, "Email address").click();
  await heading(page, "Your email address");
  await page.clock.fastForward(server.seconds * 1000);
  await heading(page, "Time is up");
  await keep(page, "32-expired");
  await press(page, "Back to the business");
  await expect(page).toHaveURL(/\/thanks\?/);
});

test("what is asked from time to time does not repeat the warning", async ({ page, server }) => {
  server.methods = [method("DOC_SCAN")];
  server.scripts.DOC_SCAN = waiting(server);
  server.seconds = 50;
  await page.goto(server.page("doc_scan"));
  await heading(page, "Being checked");
  await page.evaluate(() => {
    const spoken: string[] = [];
    Object.assign(window, { spoken });
    const place = document.querySelector("#spoken") as Element;
    new MutationObserver(() => spoken.push(place.textContent ?? "")).observe(place, { childList: true });
  });
  const asked = server.count(/ID$/);
  await expect.poll(() => server.count(/ID$/)).toBeGreaterThanOrEqual(asked + 3);
  const spoken = (await page.evaluate("spoken")) as string[];
  expect(spoken.filter((words) => /minute|Time left/.test(words)).length, spoken.join("|")).toBeLessThanOrEqual(1);
});

test("a step that cannot be taken here leads back to the other ways, and so does a browser that keeps nothing", async ({
  page,
  server,
}) => {
  server.methods = [method("DOUBLE_ANONYMITY"), method("SINGPASS")];
  const issuer_url = "http://elsewhere.example/age/issue";
  server.scripts.DOUBLE_ANONYMITY = () => ({
    step: { kind: "token", challenge: CHALLENGE, key: PUBLIC_KEY, threshold: 18, issuer_url },
  });
  await page.goto(server.page("double_anonymity"));
  await heading(page, "This does not work here");
  await accessible(page, "what does not work here");
  await press(page, "Choose another way");
  await heading(page, OVER);
  await way(page, "Singpass").click();
  await heading(page, "You sign in elsewhere");
  await page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException("", "QuotaExceededError");
    };
  });
  await toProvider(page, server);
  await heading(page, "This does not work here");
});

test("who comes back to an attempt that is over is shown where the session stands", async ({ page, server }) => {
  server.methods = [method("SINGPASS"), method("EMAIL")];
  await page.goto(server.page("singpass"));
  await toProvider(page, server);
  await expect(page).toHaveURL(/\/provider/);
  server.end("SINGPASS", "NEXT");
  await page.locator("#yes").click();
  await heading(page, "Try it another way");
  await says(page, "That did not work. Please try again.");
});

test("an attempt that went on elsewhere is picked up where the session stands", async ({ page, server }) => {
  await page.goto(server.page("email"));
  await fill(page, "Email address", "ada@example.com");
  server.refuse("POST /attempts/ID", 409, "STALE_CONTINUATION");
  await press(page, "Check");
  await heading(page, OVER);
  await says(page, "That did not work. Please try again.");
});

test("a network that breaks off loses nothing, and one that stays away is named", async ({ page, server }) => {
  await page.goto(server.page("email"));
  await fill(page, "Email address", "ada@example.com");
  server.cuts.set("POST /attempts/ID", 2);
  const answer = server.hold("POST /attempts/ID");
  await press(page, "Check");
  await says(page, "Being checked …");
  answer();
  await heading(page, "Type the code");
  expect(server.count(/^cut/)).toBe(2);
  await server.stop();
  await fill(page, "Code", "123456");
  await press(page, "Continue");
  await heading(page, "No connection");
  await accessible(page, "no connection");
  await keep(page, "33-no-connection");
  await server.start();
  await page.evaluate(() => window.dispatchEvent(new Event("online")));
  await heading(page, "Your age is confirmed");
});

test("a server that is busy is asked again, one that stays away is named", async ({ page, server }) => {
  server.refuse("GET ", 429, "TOO_MANY_REQUESTS");
  server.refuse("GET ", 503, "SERVICE_UNAVAILABLE");
  await page.goto(server.page());
  await heading(page, OVER);
  for (let time = 0; time < 5; time += 1) {
    server.refuse("POST /attempts", 503, "SERVICE_UNAVAILABLE");
  }
  await way(page, "Email address").click();
  await heading(page, "The server does not answer");
  await press(page, "Try again");
  await heading(page, "Your email address");
});

test("a phone takes over by the code, and this page follows it to the end", async ({ page, server, newContext }) => {
  server.methods = [{ ...FACE }, method("EMAIL")];
  await page.setViewportSize({ width: 1024, height: 900 });
  await page.goto(server.page());
  await press(page, "Continue on your phone");
  await heading(page, "Go on with your phone");
  await expect(page.locator("svg.code path")).toHaveAttribute("d", /./);
  await says(page, "Waiting for your phone");
  await accessible(page, "the code");
  await keep(page, "34-phone");
  const link = await scanScreen(page);
  await expect(page.locator("input[readonly]")).toHaveValue(link);
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/age#[\w-]{43}$/);
  const phone = await (await newContext()).newPage();
  await phone.goto(link);
  await heading(phone, OVER);
  await expect(pressableElement(phone, "Continue on your phone"), "it is the phone").toHaveCount(0);
  await way(phone, "Email address").click();
  await says(page, "Your phone has begun");
  await fill(phone, "Email address", "ada@example.com");
  await press(phone, "Check");
  await fill(phone, "Code", "123456");
  await press(phone, "Continue");
  await heading(phone, "Your age is confirmed");
  await says(phone, "Go on at your computer");
  await phone.reload();
  await says(phone, "Go on at your computer");
  await says(page, "You finished on another device");

  server.status = "PENDING";
  server.methods = [method("SINGPASS", { hand_off: false })];
  await arrive(page, server.page());
  await heading(page, OVER);
  await expect(pressableElement(page, "Continue on your phone"), "nothing that a phone may do").toHaveCount(0);
});

test("in a frame it tells the page around it, and only a page of the right origin, what happens", async ({
  page,
  server,
  observed,
}) => {
  const begin = async (target: string) => {
    server.view = { target_origin_url: target };
    [server.status, server.result] = ["PENDING", null];
    server.methods = [method("EMAIL")];
    const inside = await embed(page, server, server.page());
    await inside.locator(".way").click();
    await expect(inside.locator("form")).toBeVisible();
    return inside;
  };
  const inside = await begin(`${server.origin}/anything`);
  server.end("EMAIL", "COMPLETE");
  await inside.getByRole("textbox").fill("ada@example.com");
  await inside.getByRole("button", { name: "Check" }).click();
  await expect
    .poll(() => page.evaluate("heard"))
    .toEqual([
      { type: "age-session", sessionId: SESSION, status: "PENDING" },
      { type: "age-session", sessionId: SESSION, status: "IN_PROGRESS", method: "EMAIL" },
      { type: "age-session", sessionId: SESSION, status: "COMPLETE", method: "EMAIL" },
    ]);
  await expect(inside.locator("a.main")).toHaveAttribute("target", "_top");
  // Who sees the page in a frame has nothing to close.
  server.view = { callback: null };
  const ended = await embed(page, server, server.page());
  await expect(ended.locator("h1")).toHaveText("Your age is confirmed");
  await expect(ended.locator("body")).not.toContainText("You can close this page");
  for (const target of ["https://shop.example", "nonsense", "*"]) {
    await begin(target);
    expect(await page.evaluate("heard"), target).toEqual([]);
  }
  // The browser itself says that nobody of that origin was there to hear it.
  observed.ignore(/postMessage/);
});

test("from a frame a provider is opened in a tab that knows what it is for, and the frame goes on by itself", async ({
  page,
  server,
  newContext,
}) => {
  server.methods = [method("SINGPASS")];
  const inside = await embed(page, server, server.page("singpass"));
  const link = inside.locator("a.press");
  await expect(link).toHaveAttribute("target", "_blank");
  await expect(link).toHaveAttribute("rel", "noopener");
  // A frame and a tab share no storage.
  const tab = await (await newContext()).newPage();
  await tab.goto(await link.evaluate((one: HTMLAnchorElement) => one.href));
  await heading(tab, "You sign in elsewhere");
  expect(await tab.evaluate(() => location.hash)).toBe("");
  await expectAccessible(tab, "the tab");
  await keep(tab, "35-tab");
  await toProvider(tab, server);
  await expect(tab).toHaveURL(/\/provider/);
  await tab.locator("#yes").click();
  await heading(tab, "Your age is confirmed");
  await says(tab, "You can close this page");
  await expect(inside.locator("h1")).toHaveText("Your age is confirmed");
  const errand = (url: string) =>
    encodeURIComponent(JSON.stringify({ base: "", id: SESSION, sdkId: SDK_ID, attempt: "a", continuation: "c", url }));
  for (const bad of ["javascript:alert(1)", "data:text/html,x", "http://evil.example/"]) {
    await arrive(page, `${server.origin}/age/return#go=${errand(bad)}`);
    await heading(page, "The link is incomplete");
  }
});

test("the keyboard alone leads from the beginning to the end", async ({ page, server }) => {
  server.methods = [{ ...FACE }, method("EMAIL")];
  await page.goto(server.page());
  await heading(page, OVER);
  await page.keyboard.press("Tab");
  await expect(page.locator("#stop"), "the order is that of the screen").toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.locator(".way").first()).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await heading(page, "Your email address");
  await expect(page.locator("#heading")).toBeFocused();
  await tabTo(page, "Email address");
  await page.keyboard.insertText("ada@example.com");
  await page.keyboard.press("Enter");
  await heading(page, "Type the code");
  await expect(page.locator("#heading")).toBeFocused();
  await tabTo(page, "Code");
  await page.keyboard.insertText("123456");
  await page.keyboard.press("Enter");
  await heading(page, "Your age is confirmed");
  await tabTo(page, "Go on");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/thanks\?/);
});

test("a mistake of the page is reported without a word about anybody", async ({ page, server, observed }) => {
  await page.addInitScript(() => {
    HTMLFormElement.prototype.addEventListener = () => {
      throw new TypeError("Ada's secret");
    };
  });
  await page.goto(server.page("email"));
  await heading(page, "Something broke");
  await expect.poll(() => server.count(/faults/)).toBe(1);
  const report = server.last(/faults/);
  const { name, file, line, screen } = report;
  expect([name, typeof line, screen]).toEqual(["TypeError", "number", "form"]);
  expect(String(file)).toMatch(/^[\w-]+\.js-\d+$/);
  expect(JSON.stringify(report)).not.toContain("Ada");
  observed.ignore(/Ada's secret/);
  await keep(page, "36-broken");
});

test("what something else answers in the server's place is no session, and loading again goes on", async ({
  page,
  server,
  observed,
}) => {
  await page.route(`**/sessions/${SESSION}`, (route) => route.fulfill({ body: "<!doctype html><h1>Proxy</h1>" }), {
    times: 1,
  });
  await page.goto(server.page());
  await heading(page, "Something broke");
  await press(page, "Load again");
  await heading(page, OVER);
  observed.ignore(/an answer that is no session/);
});

test("before a method is chosen little is fetched, and nothing of cameras, codes and passkeys", async ({
  page,
  server,
}) => {
  server.methods = [{ ...FACE }, method("DIGITAL_ID"), method("SVC_KEY"), method("EMAIL")];
  await page.goto(server.page());
  await heading(page, OVER);
  const fetched = await page.evaluate(() =>
    (performance.getEntriesByType("resource") as PerformanceResourceTiming[]).map(({ name, decodedBodySize }) => ({
      name: name.replace(/.*\//, ""),
      bytes: decodedBodySize,
    })),
  );
  const scripts = fetched.filter(({ name }) => name.endsWith(".js"));
  const bytes = scripts.reduce((sum, script) => sum + script.bytes, 0);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(150_000);
  const lazy = scripts.filter(({ name }) => /^(face|form|wallet|passkey|qr|code|document)-/.test(name));
  expect(lazy).toEqual([]);
  expect(fetched.filter(({ name }) => name.endsWith(".bin"))).toEqual([]);
});

test.describe(() => {
  test.use({ locale: "ar" });
  test("it is right at every size, in every scheme, at rest and from right to left", async ({ page, server }) => {
    server.methods = [{ ...FACE }, method("CREDIT_CARD"), method("EMAIL")];
    server.consent.required = true;
    const ways = page.locator(".way");
    const look = async (what: string) => {
      for (const [name, width, height, media] of [
        ["320", 320, 568, {}],
        ["dark", 390, 844, { colorScheme: "dark" }],
        ["desk", 1280, 800, { reducedMotion: "reduce" }],
        ["forced", 1280, 800, { forcedColors: "active" }],
      ] as const) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme: "light", reducedMotion: null, forcedColors: null, ...media });
        await accessible(page, `${what}, ${name}`);
        await keep(page, `37-${what}-${name}`);
      }
    };
    await page.goto(server.page());
    await expect(ways).toHaveCount(3);
    await expect(page.locator("body")).toHaveCSS("direction", "rtl");
    await look("start");
    await ways.nth(1).click();
    await page.locator("form button.primary").click();
    await expect(errors(page)).toHaveCount(3);
    await look("card");
    await arrive(page, server.page());
    await ways.nth(0).click();
    await expect(page.locator("#body button")).toHaveCount(2);
    await look("consent");
    await page.emulateMedia({ reducedMotion: "reduce" });
    server.methods = [method("DOC_SCAN")];
    server.scripts.DOC_SCAN = waiting(server);
    [server.status, server.consent.required] = ["PENDING", false];
    await arrive(page, server.page("doc_scan"));
    await expect(page.locator(".busy")).toBeVisible();
    const turning = await page.evaluate(
      () => document.getAnimations().filter((one) => (one as CSSAnimation).animationName === "turn").length,
    );
    expect(turning).toBe(0);
  });
});

test("a business's language is spoken where the page has it, the reader's elsewhere", async ({ page, server }) => {
  for (const [locale, language] of [
    ["pl", "pl"],
    ["de-AT", "de"],
    ["ja", "en"],
  ] as const) {
    await arrive(page, server.page("", `&locale=${locale}`));
    await expect(page.locator(".way")).toBeVisible();
    await expect(page.locator("html")).toHaveAttribute("lang", language);
  }
});
