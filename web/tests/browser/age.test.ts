// The page of age sessions in a real browser: every kind of step, what goes wrong in each, and every way to its end.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { packed } from "../../shared/short";
import { AgeStandIn, ISSUING, method, SDK, SESSION } from "./age-stand-in";
import { makeFilm } from "./camera-film";
import { Chromium, type Page } from "./chromium";
import * as person from "./person";
import { scanScreen } from "./scanner";

const FOCUSED = "document.activeElement.id";
const TEXT = "document.body.innerText";
/** The camera and the net for faces are slow on a machine that does other things as well. */
const SLOW_MS = 180_000;
const FACE = method("AGE_ESTIMATION", { biometric: true, attempts_remaining: 2, level: "PASSIVE" });
const OVER = "Show that you are 18 or over";

let film: { file: string; remove(): void };
let chromium: Chromium;
let server: AgeStandIn;
let page: Page;

before(async () => {
  film = makeFilm();
  chromium = await Chromium.start([
    "--use-fake-device-for-media-stream",
    `--use-file-for-fake-video-capture=${film.file}`,
    "--autoplay-policy=no-user-gesture-required",
  ]);
});
after(async () => {
  await chromium.stop();
  film.remove();
});

beforeEach(async () => {
  server = new AgeStandIn();
  await server.start();
  page = await open("en-GB");
});

afterEach(async () => {
  await page.close();
  await server.stop();
  person.assertQuiet(page);
});

async function open(language: string): Promise<Page> {
  const opened = await person.openFor(chromium, language);
  await person.allow(opened, server.origin, true);
  return opened;
}

const heading = (words: string, patience?: number) => person.heading(page, words, patience);
const click = (words: string) => person.click(page, words);
const shoot = (name: string) => person.shoot(page, `age-${name}`);
const says = (words: string, patience?: number) => page.until(`${TEXT}.includes(${JSON.stringify(words)})`, patience);

/** What axe finds, and targets that are too small, on this screen. */
async function assertAccessible(what: string): Promise<void> {
  await person.assertAccessible(page, what);
  await person.assertLargeEnough(page, what);
}

/** Chooses a method by its name. */
async function way(name: string): Promise<void> {
  const found = `[...document.querySelectorAll(".way")].find((one) => one.firstElementChild.textContent === "${name}")`;
  await page.until(`${found} !== undefined`);
  await page.evaluate(`${found}.click()`);
}

/** Types into the field with this label, as a keyboard does. */
async function type(label: string, words: string): Promise<void> {
  const field = `[...document.querySelectorAll("label")].find((one) => one.textContent === ${JSON.stringify(label)})?.control`;
  await page.until(`${field} !== undefined`);
  await page.evaluate(`{ const one = ${field}; one.focus(); one.value = ""; }`);
  if (await page.evaluate(`${field}.type === "date"`)) {
    await page.evaluate(`{ const one = ${field}; one.value = "${words}"; }`);
  } else {
    await page.send("Input.insertText", { text: words });
  }
}

/** From an empty page to the session's. */
async function arrive(address = server.page()): Promise<void> {
  await page.go("about:blank");
  await page.go(address);
}

/** Everything that the browser keeps of this page's origin. */
function stored(): Promise<string> {
  return page.evaluate("JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])");
}

test("it says who asks, why and what is kept, and offers the ways in their order", async () => {
  server.methods = [
    { ...FACE },
    method("DOC_SCAN"),
    method("CREDIT_CARD", { threshold: 21 }),
    method("EMAIL"),
    method("BRAND_NEW"),
  ];
  server.view = {
    privacy_policy: "https://shop.example/privacy",
    terms_and_conditions: "https://shop.example/terms",
    sandbox: true,
  };
  await page.go(server.page());
  await heading(OVER);
  for (const words of [
    "Demo shop asks",
    "18 or over",
    "kept for 30 days",
    "Privacy policy",
    "Terms",
    "This is a test",
  ]) {
    assert.match(await page.evaluate(TEXT), new RegExp(words));
  }
  const names = await page.evaluate(`[...document.querySelectorAll(".way strong")].map((one) => one.textContent)`);
  assert.deepEqual(names, ["Age from your face", "Identity document", "Credit card", "Email address", "Another way"]);
  assert.match(await page.evaluate(`document.querySelectorAll(".way")[2].textContent`), /taken for 21 or over/);
  const links = await page.evaluate(
    `[...document.querySelectorAll(".links a")].map(({ href, rel }) => href + " " + rel)`,
  );
  assert.deepEqual(links, [
    "https://shop.example/privacy noopener noreferrer",
    "https://shop.example/terms noopener noreferrer",
  ]);
  await assertAccessible("the first screen");
  await shoot("01-start");
  await page.resize(1280, 900);
  await shoot("01-start-desk");
  for (const [kind, words] of [
    ["UNDER", "Show that you are under 21"],
    ["AGE", "Show how old you are"],
  ] as const) {
    server.view = { type: kind };
    await arrive();
    await heading(words);
  }
});

test("a picture of a face, taken with secure capture, confirms an age", async () => {
  server.methods = [{ ...FACE }];
  server.consent.required = true;
  server.view = { callback: { url: `${server.origin}/thanks?sessionId=${SESSION}`, auto: true } };
  await page.go(server.page());
  await way("Age from your face");
  await heading("May your face be measured?");
  await assertAccessible("the consent");
  await shoot("02-consent");
  await click("I agree");
  await heading("Now your face");
  await assertAccessible("the advice");
  await shoot("03-face-tips");
  await click("Open the camera");
  await page.until(`document.querySelector("video")?.videoWidth > 0`);
  await assertAccessible("the camera");
  await shoot("04-camera");
  await heading("Your age is confirmed", SLOW_MS);
  assert.match(await page.evaluate(TEXT), /Demo shop has been told[\s\S]*taken back in \d s/);
  await assertAccessible("the end");
  await shoot("05-done");
  await page.until(`location.pathname === "/thanks"`);
  assert.equal(await page.evaluate("location.search"), `?sessionId=${SESSION}`);

  assert.deepEqual(
    server.asked.map(({ what }) => what),
    ["GET ", "POST /consent", "POST /attempts", "GET /ai/sm/v1/secure/1/token", "POST /attempts/ID"],
  );
  assert.deepEqual(server.last(/^POST \/attempts$/), { method: "AGE_ESTIMATION", locale: "en" });
  const { img, secure, ...rest } = server.last(/^POST \/attempts\/ID$/) as Record<string, string>;
  assert.deepEqual(Object.keys(rest), ["continuation"]);
  const jpeg = Buffer.from(img ?? "", "base64");
  assert.deepEqual([jpeg[0], jpeg[1], jpeg.length > 10_000], [0xff, 0xd8, true]);
  const { verification, token, version } = secure as unknown as Record<string, string>;
  const { multiframe } = JSON.parse(Buffer.from(verification ?? "", "base64url").toString());
  assert.deepEqual([multiframe, token, version], [false, "header.payload.signature", "1"]);
});

test("moves of the head are filmed after the picture", async () => {
  server.methods = [{ ...FACE }];
  server.scripts.AGE_ESTIMATION = (input) =>
    input ? { ends: "COMPLETE" } : { step: { kind: "frames", moves: ["LEFT", "UP", "NEARER"] } };
  await page.go(server.page("age_estimation"));
  await heading("Now your face");
  await says("asked to move your head");
  const order = await page.evaluate(`[...document.querySelectorAll("ol li")].map((one) => one.textContent)`);
  assert.deepEqual(order, ["Turn your head slowly to your left", "Lift your chin slowly", "Come slowly nearer"]);
  await assertAccessible("the moves");
  await shoot("06-order");
  await click("Open the camera");
  await page.until(`document.querySelector(".advice")?.textContent.startsWith("Turn your head")`, SLOW_MS);
  await page.until(`document.querySelector(".viewer progress").value > 0`);
  await assertAccessible("a move");
  await shoot("06-moves");
  await heading("Your age is confirmed", SLOW_MS);
  const { frames, times, secure } = server.last(/^POST \/attempts\/ID$/) as {
    frames: string[];
    times: number[];
    secure: { verification: string };
  };
  assert.deepEqual([frames.length, times.length], [24, 24]);
  assert.ok(
    times.every((time, at) => at === 0 || time > (times[at - 1] ?? 0)),
    times.join(),
  );
  assert.ok(frames.every((frame) => Buffer.from(frame, "base64")[0] === 0xff));
  assert.match(Buffer.from(secure.verification, "base64url").toString(), /"multiframe":true/);
});

test("a picture that cannot be used is taken again, and a method that failed too often is not offered again", async () => {
  server.methods = [{ ...FACE }, method("EMAIL")];
  let turns = 0;
  server.scripts.AGE_ESTIMATION = (input) => {
    turns += 1;
    const step = { kind: "camera", level: "NONE", capture: { path: "/ai/sm/v1/secure/1" } };
    if (!input) {
      return { step };
    }
    return turns === 2 ? { step, problem: { code: "TOO_DARK", field: null, remaining: 2 } } : { ends: "NEXT" };
  };
  await page.go(server.page());
  await way("Age from your face");
  await click("Open the camera");
  await click("Take the picture");
  await heading("Please take it again", SLOW_MS);
  assert.match(await page.evaluate(TEXT), /too dark[\s\S]*Attempts left: 2/);
  assert.equal(await page.evaluate(FOCUSED), "heading");
  await assertAccessible("what to do better");
  await shoot("07-retake");
  await click("Take it again");
  await click("Take the picture");
  await heading("Try it another way");
  assert.match(await page.evaluate(TEXT), /Age from your face: your age could not be confirmed this way/);
  const names = () => page.evaluate(`[...document.querySelectorAll(".way")].map((one) => one.innerText)`);
  assert.match((await names()).join("|"), /^Email address[^|]*\|Age from your face[\s\S]*Try again. Attempts left: 1$/);
  await assertAccessible("after a failure");
  await shoot("08-next");
  await way("Age from your face");
  await click("Open the camera");
  await click("Take the picture");
  await heading("Try it another way", SLOW_MS);
  await page.until(`document.querySelectorAll(".way").length === 1`);
  assert.match((await names()).join("|"), /^Email address/);
});

test("a camera that is refused, absent, busy, silent or insecure is named, and there is a next step", async () => {
  await person.allow(page, server.origin, false);
  server.methods = [{ ...FACE }, method("EMAIL")];
  await page.go(server.page("age_estimation"));
  await click("Open the camera");
  await heading("The camera is not allowed");
  await assertAccessible("the refusal");
  await shoot("09-denied");
  await person.allow(page, server.origin, true);
  await click("Try again");
  await heading("Now your face");
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
  ] as [string, string][]) {
    await arrive();
    await way("Age from your face");
    await heading("Now your face");
    await page.evaluate(`${pretence}; undefined`);
    await click("Open the camera");
    await heading(words);
    assert.ok(await page.evaluate(`document.querySelectorAll("#body button").length >= 2`), words);
  }
  await click("Choose another way");
  await heading(OVER);
  await page.until(`document.querySelectorAll(".way").length === 2`);
});

test("who does not want a face measured keeps the other ways, and may think again", async () => {
  server.methods = [{ ...FACE }, method("EMAIL")];
  server.consent.required = true;
  await page.go(server.page());
  await way("Age from your face");
  await click("No, choose another way");
  await heading(OVER);
  assert.deepEqual(server.last(/consent/), { given: false });
  await says("Ways that measure your face are left out");
  assert.equal(await page.evaluate(`document.querySelectorAll(".way").length`), 1);
  await assertAccessible("after the refusal");
  await shoot("10-declined");
  await click("Allow it after all");
  await page.until(`document.querySelectorAll(".way").length === 2`);
  assert.deepEqual(server.last(/consent/), { given: true });

  server.methods = [{ ...FACE }];
  server.consent = { required: true, given: null };
  await arrive();
  await way("Age from your face");
  await click("No, choose another way");
  await heading("No other way is left");
  await assertAccessible("no way is left");
  await shoot("11-none");
  await page.evaluate(`document.querySelector("#body button:not(.primary)").click()`);
  await page.until(`document.querySelector("#sure").open`);
  await page.evaluate(`document.querySelector("#confirm").click()`);
  await heading("Stopped");
});

test("a card is looked at before anything is sent, and nothing of it is kept", async () => {
  server.methods = [method("CREDIT_CARD")];
  await page.go(server.page());
  await way("Credit card");
  await heading("Your credit card");
  const fields = await page.evaluate(`[...document.querySelectorAll("input")].map((one) => one.autocomplete)`);
  assert.deepEqual(fields, ["cc-number", "cc-exp", "cc-csc"]);
  await assertAccessible("the form");
  await shoot("12-card");
  await click("Check");
  await page.until(`document.querySelectorAll(".error:not([hidden])").length === 3`);
  assert.equal(await page.evaluate("document.activeElement.name"), "number", "what is missing has the focus");
  await type("Card number", "4242 4242 4242 4241");
  await type("Valid until", "01/20");
  await type("Security code", "12");
  await click("Check");
  const errors = () =>
    page.evaluate(`[...document.querySelectorAll(".error:not([hidden])")].map((one) => one.textContent)`);
  assert.deepEqual(await errors(), [
    "This is no card number. Look at each digit again.",
    "This card has expired.",
    "Three digits, or four with American Express.",
  ]);
  const described = await page.evaluate(
    `document.activeElement.getAttribute("aria-describedby").split(" ").map((id) => document.getElementById(id).textContent)`,
  );
  assert.deepEqual(described, ["This is no card number. Look at each digit again."]);
  assert.equal(await page.evaluate(`document.activeElement.getAttribute("aria-invalid")`), "true");
  await assertAccessible("what is wrong");
  await shoot("13-card-wrong");
  assert.equal(server.count(/^POST \/attempts\/ID/), 0, "nothing was sent");
  await type("Card number", "4242 4242 4242 4242");
  await type("Valid until", "4 / 2031");
  await type("Security code", "123");
  await click("Check");
  await heading("Your age is confirmed");
  assert.deepEqual((server.last(/^POST \/attempts\/ID/) as { fields: object }).fields, {
    number: "4242424242424242",
    expiry: "04/31",
    code: "123",
  });
  assert.doesNotMatch(await stored(), /4242|123|04\/31/);
  assert.ok(!page.requests.some((url) => url.includes("4242")));
});

test("a card that is declined leads on, one whose provider is away ends with an error", async () => {
  server.methods = [method("CREDIT_CARD"), method("EMAIL")];
  const fillIn = async (number: string) => {
    await type("Card number", number);
    await type("Valid until", "04/31");
    await type("Security code", "123");
    await click("Check");
  };
  await page.go(server.page());
  await way("Credit card");
  await fillIn("4000000000000002");
  await heading("Try it another way");
  server.methods = [method("CREDIT_CARD", { attempts_remaining: 1 })];
  server.status = "PENDING";
  server.result = null;
  await arrive();
  await way("Credit card");
  await fillIn("4000000000009995");
  await heading("It did not work");
  await assertAccessible("an error");
  await shoot("14-error");
  await click("Back to the business");
  await page.until(`location.pathname === "/thanks"`);
});

test("an address gets a code: a wrong one is said, another is sent, the right one leads to the end", async () => {
  await page.go(server.page("email"));
  await heading("Your email address");
  await type("Email address", "ada@example");
  await click("Check");
  await says("An address looks like");
  await type("Email address", "ada@example.com");
  await click("Check");
  await heading("Type the code");
  await says("a•••@example.com");
  assert.equal(await page.evaluate(`document.querySelector("input").autocomplete`), "one-time-code");
  await assertAccessible("the code");
  await page.until(`${TEXT}.includes("Another code in")`);
  await shoot("15-code");
  await type("Code", "12");
  await click("Continue");
  await says("The code has 6 digits.");
  assert.equal(server.count(/^POST \/attempts\/ID/), 1);
  await type("Code", "000 000");
  await click("Continue");
  await says("That is not the code that was sent. Attempts left: 2");
  assert.equal(await page.evaluate("document.activeElement.tagName"), "INPUT");
  assert.equal(await page.evaluate(`document.querySelector("input").value`), "000 000", "what was typed stands");
  await assertAccessible("a wrong code");
  await shoot("16-wrong-code");
  await click("Send another code");
  await says("Another code is on its way.");
  await says("Another code in 2");
  assert.deepEqual(Object.keys(server.last(/^POST \/attempts\/ID/)).sort(), ["continuation", "resend"]);
  await type("Code", "123456");
  await click("Continue");
  await heading("Your age is confirmed");
  assert.doesNotMatch(await stored(), /ada|123456/);
});

test("a phone number gets a code by text message, and countries' codes are asked for", async () => {
  server.methods = [method("MOBILE")];
  await page.go(server.page("mobile"));
  await type("Mobile phone number", "0151 234567");
  await click("Check");
  await says("Begin with +");
  await type("Mobile phone number", "0049 151 / 23 45 67 89");
  await click("Check");
  await says("A text message with 6 digits was sent to ••• 123");
  assert.deepEqual((server.last(/ID$/) as { fields: object }).fields, { phone: "+4915123456789" });
  await type("Code", "123456");
  await click("Continue");
  await heading("Your age is confirmed");
});

test("people's numbers are checked by their own rules before they are sent", async () => {
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
      { "Street and number, city": "1 Main St, Miami", "Postal code": "33101", Country: "US" },
      { address: "1 Main St, Miami", postal_code: "33101", country: "US" },
    ],
    [
      "LA_WALLET",
      "Your driver’s license",
      { "License number": "" },
      { "License number": "001234567" },
      { licence: "001234567" },
    ],
  ] as [string, string, Record<string, string>, Record<string, string>, object][]) {
    server.methods = [method(name)];
    [server.status, server.result] = ["PENDING", null];
    await arrive(server.page(name.toLowerCase()));
    await heading(words);
    await type("Full name", "Ada Lovelace");
    await type("Date of birth", "1990-12-10");
    const before = server.count(/ID$/);
    for (const [label, value] of Object.entries(wrong)) {
      await type(label, value);
    }
    await click("Check");
    await page.until(`document.querySelector(".error:not([hidden])")`);
    assert.equal(server.count(/ID$/), before, `${name}: nothing was sent`);
    await assertAccessible(name);
    await shoot(`17-${name.toLowerCase()}`);
    await type("Date of birth", "1990-12-10");
    for (const [label, value] of Object.entries(right)) {
      if (label === "Country") {
        await page.evaluate(`document.querySelector("select").value = "${value}"`);
      } else {
        await type(label, value);
      }
    }
    await click("Check");
    await heading("Your age is confirmed");
    const { fields } = server.last(/ID$/) as { fields: object };
    assert.deepEqual(fields, { full_name: "Ada Lovelace", date_of_birth: "1990-12-10", ...sent });
  }
});

test("somebody signs in elsewhere and comes back; what brought them back is gone then", async () => {
  server.methods = [method("ELECTRONIC_ID"), method("EMAIL")];
  await page.go(server.page("", "&locale=en"));
  await way("Bank or electronic ID");
  await heading("Who shall confirm your age?");
  await click("Continue");
  await says("Choose one of them.");
  await assertAccessible("the providers");
  await shoot("18-choose");
  await click("My bank");
  await click("Continue");
  await heading("You sign in elsewhere");
  await assertAccessible("the way out");
  await shoot("19-redirect");
  await click(`Go on to ${server.origin.slice(7)}`);
  await page.until(`location.pathname === "/provider"`);
  const kept = JSON.parse(await page.evaluate(`sessionStorage.getItem("assay-age")`));
  assert.deepEqual(Object.keys(kept).sort(), ["attempt", "base", "continuation", "handedOff", "id", "locale", "sdkId"]);
  await page.evaluate(`document.querySelector("#yes").click()`);
  await heading("Your age is confirmed");
  assert.deepEqual((server.last(/ID$/) as { returned: object }).returned, { state: "s1", code: "c0de" });
  assert.equal(
    await page.evaluate("location.pathname + location.search"),
    `/age?sessionId=${SESSION}&sdkId=${SDK}&locale=en`,
  );
  assert.equal(await stored(), JSON.stringify([{}, {}, ""]));
});

test("who declines at the provider is offered the other ways; who comes from nowhere is told where to go", async () => {
  server.methods = [method("ELECTRONIC_ID"), method("EMAIL")];
  await page.go(server.page("electronic_id", "", "/sandbox"));
  await click("National eID");
  await click("Continue");
  await click(`Go on to ${server.origin.slice(7)}`);
  await page.until(`location.pathname === "/provider"`);
  // The sandbox's provider comes back below the sandbox.
  await page.evaluate(`location.assign("/sandbox/age/return?state=s1&error=access_denied")`);
  await heading("Try it another way");
  assert.equal(await page.evaluate("location.pathname"), "/sandbox/age");
  await arrive(`${server.origin}/age/return?state=s1&code=c0de`);
  await heading("Go back to where you began");
  assert.equal(await page.evaluate("location.search"), "");
  await assertAccessible("from nowhere");
  await shoot("20-lost");
});

test("a document is photographed in a frame, and its end is noticed at once", async () => {
  server.methods = [method("DOC_SCAN")];
  await page.go(server.page("doc_scan"));
  await heading("Show your document");
  await page.until(`document.querySelector("iframe").contentDocument?.querySelector("button")`);
  await assertAccessible("the document");
  await shoot("21-document");
  // Others cannot end it.
  await page.evaluate(`window.postMessage({ eventType: "SUCCESS" }, "*")`);
  server.otherDone = true;
  const before = server.count(/ID$/);
  await page.evaluate(`document.querySelector("iframe").contentDocument.querySelector("button").click()`);
  await heading("Your age is confirmed");
  assert.ok(server.count(/ID$/) <= before + 2);
});

test("a document page of somewhere else is not shown", async () => {
  server.methods = [method("DOC_SCAN"), method("EMAIL")];
  server.scripts.DOC_SCAN = () => ({ step: { kind: "document", url: "https://elsewhere.example/web" } });
  await page.go(server.page("doc_scan"));
  await heading("This does not work here");
  assert.equal(await page.evaluate(`document.querySelector("iframe")`), null);
  await click("Choose another way");
  await heading(OVER);
});

test("a wallet is called by a code and by a link, and waited for", async () => {
  server.methods = [method("DIGITAL_ID")];
  await page.resize(1024, 900);
  await page.go(server.page("digital_id"));
  await heading("Use your wallet");
  await page.until(`document.querySelector("svg.code path").getAttribute("d")`);
  await assertAccessible("the wallet");
  await shoot("22-wallet");
  const links = `[...document.querySelectorAll("a.press")].map((link) => [link.href.slice(-9), link.textContent])`;
  assert.deepEqual(await page.evaluate(links), [
    ["e%2Fr%2F2", "Open the wallet on this device"],
    [`${server.origin}/wallet`.slice(-9), "Open the wallet on this device (http)"],
  ]);
  assert.match(await scanScreen(page), /^openid4vp:.*%2Fr%2F1$/);
  const inputs = () => server.asked.filter(({ what }) => what.endsWith("ID")).map(({ body }) => Object.keys(body));
  await page.until("true");
  server.otherDone = true;
  await heading("Your age is confirmed");
  assert.ok((await inputs()).every((names) => names.join() === "continuation"));
});

/** Where a wallet brings its holder with the right code: the attempt that this browser waits for stands in it. */
async function wayBackOf(tab: Page): Promise<string> {
  const [place] = await tab.evaluate(`Object.keys(localStorage)`);
  return `${server.origin}/age/return?attempt=${place.replace("assay-age-", "")}&response_code=c0de`;
}

test("a wallet on this device comes back with a code, in whichever tab", async () => {
  server.methods = [method("DIGITAL_ID")];
  server.scripts.DIGITAL_ID = (input) => {
    const { response_code: code } = (input?.returned ?? {}) as { response_code?: string };
    const links = [`${server.origin}/wallet`];
    return code === "c0de"
      ? { ends: "COMPLETE" }
      : { step: { kind: "wallet", url: "openid4vp://?request_uri=x", links, poll_ms: 15_000 } };
  };
  await page.go(server.page("digital_id"));
  await heading("Use your wallet");
  // The link leads away in this tab; another would be as good, as nothing is kept in the tab itself.
  await page.evaluate(`document.querySelector("a.press").click()`);
  await page.until(`location.pathname === "/wallet" && document.querySelector("h1")`);
  assert.equal(await page.evaluate(`sessionStorage.length`), 0);
  const back = await wayBackOf(page);
  // A code for another attempt is no business of this one's.
  await arrive(`${server.origin}/age/return?attempt=${SESSION}&response_code=c0de`);
  await heading("Go back to where you began");
  await arrive(back);
  await heading("Your age is confirmed");
  assert.equal(await page.evaluate(`localStorage.length`), 0);

  // Whoever followed another's link has nothing to bring the code to.
  await page.go(back);
  await heading("Go back to where you began");
});

test("where a wallet has nothing to say a face is asked for, with consent", async () => {
  server.methods = [method("DIGITAL_ID"), method("EMAIL")];
  server.consent = { required: true, given: null };
  const face = { kind: "camera", level: "PASSIVE", capture: { path: "/ai/sm/v1/secure/1" } };
  server.scripts.DIGITAL_ID = (input) =>
    input ? { step: face } : { step: { kind: "wallet", url: "openid4vp://?request_uri=x", links: [], poll_ms: 500 } };
  await page.go(server.page("digital_id"));
  await heading("May your face be measured?");
  await assertAccessible("consent after a wallet");
  await click("I agree");
  await heading("Now your face");
});

test("what others do is waited for, through a network that goes away", async () => {
  server.methods = [method("WAITING")];
  await page.go(server.page("waiting"));
  await heading("Being checked");
  await assertAccessible("waiting");
  await server.stop();
  await new Promise((resolve) => setTimeout(resolve, 1500));
  server.otherDone = true;
  await server.start();
  await page.evaluate(`window.dispatchEvent(new Event("online"))`);
  await heading("Your age is confirmed", SLOW_MS);
});

test("a passkey is made after a passed check, and used for the next", async () => {
  server.methods = [method("SVC_KEY")];
  server.view = { offers: { key: true, proof: false }, callback: null };
  await page.send("WebAuthn.enable");
  const { authenticatorId } = await page.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const address = server.page("svc_key").replace(server.origin, server.named);
  await page.go(address);
  await heading("Use your passkey");
  await assertAccessible("the passkey");
  await shoot("23-passkey");
  await click("Use the passkey");
  await says("No passkey was used.");
  await assertAccessible("no passkey");

  server.status = "COMPLETE";
  await arrive(address);
  await heading("Your age is confirmed");
  await click("Keep this proof on this device");
  await says("It is kept.");
  const { credential, continuation } = server.last(/key/) as {
    credential: Record<string, object>;
    continuation: string;
  };
  assert.equal(continuation, "k1");
  assert.ok("attestationObject" in (credential.response ?? {}));

  server.status = "PENDING";
  server.methods = [method("SVC_KEY")];
  server.view = { callback: null };
  await arrive(address);
  await click("Use the passkey");
  await heading("Your age is confirmed");
  const used = server.last(/ID$/) as { credential: { id: string; response: object } };
  assert.ok("signature" in used.credential.response);
  const { credentials } = await page.send("WebAuthn.getCredentials", { authenticatorId });
  assert.equal(Buffer.from(credentials[0].credentialId, "base64").toString("base64url"), used.credential.id);
});

test("what is kept under a passkey is forgotten by no session, and what cannot be is said", async () => {
  server.methods = [method("SVC_KEY"), method("EMAIL")];
  await page.go(server.page("", "&locale=en", "/sandbox"));
  await heading(OVER);
  const links = await page.evaluate(`[...document.querySelectorAll(".links a")].map(({ href }) => href)`);
  assert.deepEqual(links, [`${server.origin}/sandbox/age/keys?locale=en`]);
  await arrive(`${server.named}/age/keys`);
  await heading("Forget what is kept");
  await assertAccessible("forgetting");
  await shoot("23-forget");
  await page.evaluate(
    `navigator.credentials.get = async () => { throw new DOMException("", "NotAllowedError") }; undefined`,
  );
  await click("Forget it");
  await says("No passkey was used. You can try again.");
  assert.equal(await page.evaluate("document.activeElement.textContent"), "Forget it");
  await assertAccessible("no passkey was used");
  server.refuse("POST /age/v1/keys/forget", 409, "INVALID_STATUS");
  await click("Forget it");
  await says("Nothing is kept under passkeys here.");
  await page.prepare("delete globalThis.PublicKeyCredential");
  await arrive(`${server.named}/age/keys?locale=pl`);
  await heading("Usuwanie zachowanego wyniku");
  await says("Ta przeglądarka nie zna kluczy dostępu.");
});

/** The issuer's page in another tab of the same browser, once it has begun. */
async function atTheIssuer(href: string, prepared = ""): Promise<Page> {
  const tab = await person.openFor(chromium, "en-GB", page.context);
  await tab.prepare(prepared);
  await tab.go(href);
  await person.heading(tab, "Show that you are 18 or over");
  assert.equal(await tab.evaluate("location.hash + document.referrer"), "");
  await person.assertAccessible(tab, "the issuer's page");
  await person.shoot(tab, "age-23-token-issuer");
  await person.click(tab, "Go on");
  await tab.until(`${TEXT}.includes("Demo issuer checks your age here")`);
  return tab;
}

/** The same to its end: the age is shown there by an e-mail address. */
async function throughTheIssuer(href: string, prepared = ""): Promise<Page> {
  const tab = await atTheIssuer(href, prepared);
  await showTheAge(tab);
  return tab;
}

async function showTheAge(tab: Page): Promise<void> {
  await tab.evaluate(`document.querySelector(".way").click()`);
  await person.heading(tab, "Your email address");
  await tab.evaluate(`document.querySelector("input").focus()`);
  await tab.send("Input.insertText", { text: "ada@example.com" });
  await person.click(tab, "Check");
  await person.heading(tab, "Type the code");
  await tab.evaluate(`document.querySelector("input").focus()`);
  await tab.send("Input.insertText", { text: "123456" });
  await person.click(tab, "Continue");
}

/** Waits until a tab says this. */
const tabSays = (tab: Page, words: string) => tab.until(`${TEXT}.includes(${JSON.stringify(words)})`);

/** Closes a tab that has said nothing that went wrong. */
async function done(tab: Page): Promise<void> {
  person.assertQuiet(tab);
  await tab.close();
}

/** The link to the issuer's page, once it is there. */
async function toTheIssuer(): Promise<{ href: string; rel: string; target: string }> {
  await heading("Get an anonymous proof");
  await page.until(`document.querySelector("a.main")?.href`);
  return page.evaluate(`(({ href, rel, target }) => ({ href, rel, target }))(document.querySelector("a.main"))`);
}

test("a blind token is had in another tab, which hears nothing of this one's session", async () => {
  server.methods = [method("DOUBLE_ANONYMITY"), method("EMAIL")];
  await page.go(server.page("double_anonymity"));
  const { href, rel, target } = await toTheIssuer();
  assert.deepEqual([rel, target], ["noopener noreferrer", "_blank"]);
  assert.equal(new URL(href).search, "");
  assert.ok(![SESSION, SDK].some((id) => href.includes(id)));
  await assertAccessible("the blind token");
  await shoot("23-token");
  await page.reach(`Open ${server.origin.slice(7)} in a new tab`);
  // Somebody else's words on the channel, which they cannot know, are none of the key's.
  const channel = new URLSearchParams(new URL(href).hash.slice(1)).get("c");
  await page.evaluate(`new BroadcastChannel("assay-age-${channel}").postMessage({ response: "A".repeat(342) })`);
  await says("What came back could not be used.");

  const tab = await throughTheIssuer(href);
  await person.heading(tab, "Your proof is ready");
  await person.assertAccessible(tab, "the proof is ready");
  await person.shoot(tab, "age-23-token-ready");
  await tabSays(tab, "You can close this one.");
  await heading("Your age is confirmed");
  const asked = server.asked.findIndex(({ what }) => what.includes("anonymity"));
  const atIssuer = server.asked.slice(asked).filter(({ what, body }) => !("token" in body) && what !== "GET ");
  assert.ok(!JSON.stringify(atIssuer).includes(SESSION));
  assert.deepEqual(server.asked[asked]?.body, { threshold: 18 });
  assert.equal(await stored(), JSON.stringify([{}, {}, ""]));
  assert.equal(await tab.evaluate("sessionStorage.length"), 0);
  person.assertQuiet(tab);
  await tab.close();
});

test("where an issuer gives nothing the other tab says so, and only a person ends it", async () => {
  const issuer = new AgeStandIn();
  await issuer.start();
  issuer.redeemers = [server.origin];
  try {
    for (const origin of [undefined, issuer.origin]) {
      server.issuer = origin;
      server.status = "PENDING";
      server.methods = [method("DOUBLE_ANONYMITY"), method("EMAIL")];
      await arrive(server.page("double_anonymity"));
      const first = (await toTheIssuer()).href;
      const tab = await atTheIssuer(first);
      await person.click(tab, "Stop");
      await tab.until(`document.querySelector("#meaning").textContent.includes("No proof is made then.")`);
      await tab.evaluate(`document.querySelector("#confirm").click()`);
      await person.heading(tab, origin ? "No proof was made" : "Stopped");
      await tabSays(tab, "Go back to the tab in which you began.");
      await tabSays(tab, "You can close this one.");
      await person.assertAccessible(tab, "nothing was issued");
      assert.equal(await tab.evaluate("sessionStorage.length"), 0);
      await done(tab);
      await says("Nothing came of it in the other tab.");
      await assertAccessible("nothing came of it");
      await shoot("23-token-nothing");
      assert.equal(server.count(/ID$/), 0);

      // The link is a new one, by which the issuer does not know the person again.
      await page.until(`document.querySelector("a.main").href !== ${JSON.stringify(first)}`);
      const words = (href: string) => new URLSearchParams(new URL(href).hash.slice(1));
      const second = (await toTheIssuer()).href;
      assert.equal(words(second).get("c"), words(first).get("c"));
      assert.notEqual(words(second).get("r"), words(first).get("r"));
      await click("I cannot show it there");
      await heading("Try it another way");
      assert.equal(server.last(/ID$/).declined, true);
      server.asked.length = 0;
    }
  } finally {
    await issuer.stop();
  }
});

test("a tab that shows the age counts although another showed nothing", async () => {
  server.methods = [method("DOUBLE_ANONYMITY"), method("EMAIL")];
  await page.go(server.page("double_anonymity"));
  const { href } = await toTheIssuer();
  const vain = await atTheIssuer(href);
  await person.click(vain, "Stop");
  await vain.evaluate(`document.querySelector("#confirm").click()`);
  await says("Nothing came of it in the other tab.");
  await page.until(`document.querySelector("a.main").href !== ${JSON.stringify(href)}`);
  // This one was opened by the first link.
  const tab = await throughTheIssuer(href);
  await person.heading(tab, "Your proof is ready");
  await heading("Your age is confirmed");
  await done(tab);
  await done(vain);
});

test("an issuer's session is led by the tab that began it, and by no address", async () => {
  // What somebody can do who wants another to show an age for him.
  await page.go(`${server.origin}/thanks`);
  await page.evaluate(
    `fetch("/age/v1/anonymity/sessions", { method: "POST", body: '{"threshold":18}' }).then((answer) => answer.status)`,
  );
  for (const address of [
    `?sessionId=${ISSUING}&sdkId=${SDK}`,
    `/email?sessionId=${ISSUING}&sdkId=${SDK}`,
    `#${packed(ISSUING, SDK)}`,
  ]) {
    await arrive(`${server.origin}/age${address}`);
    await heading("Begin again");
    await assertAccessible("an issuer's session without an order");
  }
  const errand = {
    base: "",
    id: ISSUING,
    sdkId: SDK,
    attempt: "a",
    continuation: "c",
    url: `${server.origin}/provider`,
  };
  await arrive(`${server.origin}/age/return#go=${encodeURIComponent(JSON.stringify(errand))}`);
  await click(`Go on to ${server.origin.slice(7)}`);
  await heading("Begin again");
  assert.equal(server.count(/^POST \/(?!age)/), 0);
});

test("an answer of the issuer that is lost is had again, and one that it refuses is given up", async () => {
  server.methods = [method("DOUBLE_ANONYMITY")];
  await page.go(server.page("double_anonymity"));
  server.losses.set("POST /token", 2);
  let tab = await throughTheIssuer((await toTheIssuer()).href);
  await person.heading(tab, "Your proof is ready", SLOW_MS);
  assert.equal(server.count(/token$/), 3);
  await heading("Your age is confirmed");
  await tabSays(tab, "You can close this one.");
  // Nothing is left to be done there.
  await tab.go(await tab.evaluate("location.href"));
  await tab.evaluate("location.reload()");
  await person.heading(tab, "Go on in the other tab");
  await tab.close();

  server.status = "PENDING";
  server.methods = [method("DOUBLE_ANONYMITY")];
  await arrive(server.page("double_anonymity"));
  tab = await atTheIssuer((await toTheIssuer()).href);
  server.issuing?.refuse("POST /token", 409, "INVALID_STATUS");
  await showTheAge(tab);
  await person.heading(tab, "No proof was made");
  await says("Nothing came of it in the other tab.");
  await tab.close();

  // What is no answer of the issuer's is none.
  tab = await atTheIssuer((await toTheIssuer()).href);
  const { issuing } = server;
  assert.ok(issuing);
  const { signs } = issuing;
  issuing.signs = () => "";
  await showTheAge(tab);
  await person.heading(tab, "The server does not answer");
  issuing.signs = signs;
  await person.click(tab, "Try again");
  await person.heading(tab, "Your proof is ready");
  await heading("Your age is confirmed");
  await tab.close();
});

test("an issuer's tab that keeps nothing knows its order all the same", async () => {
  server.methods = [method("DOUBLE_ANONYMITY")];
  await page.go(server.page("double_anonymity"));
  const nothing = `Storage.prototype.setItem = () => { throw new DOMException("", "QuotaExceededError") }`;
  const tab = await throughTheIssuer((await toTheIssuer()).href, nothing);
  await person.heading(tab, "Your proof is ready");
  await heading("Your age is confirmed");
  await done(tab);
});

test("a wallet that comes back in a tab of its own leaves the issuer's tab to go on", async () => {
  server.methods = [method("DOUBLE_ANONYMITY")];
  server.issuerMethods = [method("DIGITAL_ID", { hand_off: false })];
  await page.go(server.page("double_anonymity"));
  const tab = await atTheIssuer((await toTheIssuer()).href);
  const links = [`${server.origin}/wallet`];
  const step = { kind: "wallet", url: "openid4vp://?request_uri=x", links, poll_ms: 500 };
  let shown = false;
  const { issuing } = server;
  assert.ok(issuing);
  issuing.scripts.DIGITAL_ID = (input) => {
    shown ||= ((input?.returned ?? {}) as { response_code?: string }).response_code === "c0de";
    return shown ? { ends: "COMPLETE" } : { step };
  };
  await tab.evaluate(`document.querySelector(".way").click()`);
  await person.heading(tab, "Use your wallet");
  // An app takes the link, and the tab stays where it is.
  await tab.evaluate(`{ const link = document.querySelector("a.press");
    link.addEventListener("click", (event) => event.preventDefault()); link.click(); }`);
  const other = await person.openFor(chromium, "en-GB", page.context);
  await other.go(await wayBackOf(tab));
  await person.heading(other, "Go on in the other tab");
  await done(other);
  await person.heading(tab, "Your proof is ready");
  await heading("Your age is confirmed");
  await tab.close();
});

test("what the issuer cannot do is said before an age is shown", async () => {
  server.methods = [method("DOUBLE_ANONYMITY")];
  await page.go(server.page("double_anonymity"));
  server.refuse("POST /age/v1/anonymity/sessions", 400, "INVALID_REQUEST");
  const tab = await person.openFor(chromium, "en-GB", page.context);
  await tab.go((await toTheIssuer()).href);
  await person.click(tab, "Go on");
  await person.heading(tab, "No proof was made");
  await person.assertAccessible(tab, "an issuer that begins nothing");
  await says("Nothing came of it in the other tab.");
  await tabSays(tab, "You can close this one.");
  await tab.close();
});

test("an issuer of another origin sends the answer back to the servers that it knows", async () => {
  const issuer = new AgeStandIn();
  await issuer.start();
  try {
    server.issuer = issuer.origin;
    for (const known of [false, true]) {
      issuer.redeemers = known ? [server.origin] : ["https://other.example"];
      server.status = "PENDING";
      server.methods = [method("DOUBLE_ANONYMITY")];
      await arrive(server.page("double_anonymity"));
      const { href } = await toTheIssuer();
      const tab = await (known ? throughTheIssuer(href) : person.openFor(chromium, "en-GB", page.context));
      if (known) {
        await person.heading(tab, "Your proof is ready");
        assert.equal(await tab.evaluate("location.href"), `${server.origin}/age/return`);
        await heading("Your age is confirmed");
      } else {
        await tab.go(href);
        await person.click(tab, "Go on");
        await person.heading(tab, "No proof was made");
        await tabSays(tab, "This page gives no proofs to the page that you came from.");
        assert.equal(await tab.evaluate("location.origin + sessionStorage.length"), `${issuer.origin}0`);
        await heading("Get an anonymous proof");
      }
      person.assertQuiet(tab);
      await tab.close();
    }
    assert.ok(!JSON.stringify(issuer.asked).includes(SESSION));
  } finally {
    await issuer.stop();
  }
});

test("from a frame a blind token is had in a tab of its own", async () => {
  server.methods = [method("DOUBLE_ANONYMITY"), method("EMAIL")];
  await page.go(`${server.origin}/embedding`);
  await page.evaluate(`{ const frame = document.createElement("iframe"); frame.style = "width: 360px; height: 700px";
    frame.src = "${server.page("double_anonymity")}"; document.body.append(frame); }`);
  const link = "document.querySelector('iframe').contentDocument?.querySelector('a.press')";
  const address: string = await page.until(`${link}?.href`);
  assert.equal(
    await page.evaluate(`${link}.target + ${link}.rel + ${link}.textContent`),
    "_blanknoopenerOpen in a new tab",
  );
  await page.go(address);
  await way("Anonymous proof");
  assert.match((await toTheIssuer()).href, /\/age\/issue#/);
});

test("an issuer's page that nobody asked for begins nothing", async () => {
  await page.go(`${server.origin}/age/issue#t=18&r=x&c=y`);
  await heading("The link is incomplete");
  assert.equal(server.asked.length, 0);
});

test("at the end the proof can be taken along, and nobody is led away meanwhile", async () => {
  server.status = "COMPLETE";
  server.view = {
    offers: { key: true, proof: true },
    callback: { url: `${server.origin}/thanks`, auto: true },
  };
  await page.go(server.page());
  await heading("Your age is confirmed");
  await says("Get my proof of age");
  await assertAccessible("the offers");
  await shoot("24-offers");
  await click("Get my proof of age");
  await page.until(`document.querySelector("svg.code path").getAttribute("d")`);
  await page.evaluate(`document.querySelector("svg.code").scrollIntoView()`);
  await assertAccessible("the proof");
  await shoot("25-proof");
  assert.equal(await page.evaluate(`document.querySelector("#offers a").href`), `${server.origin}/holder#invitation`);
  assert.equal(await page.evaluate(`document.querySelector("#leaving")`), null);
  server.refuse("POST /key", 409, "INVALID_STATUS");
  await click("Keep this proof on this device");
  await says("It was not kept.");
});

test("the return is announced and can be stopped", async () => {
  server.status = "COMPLETE";
  server.view = { callback: { url: `${server.origin}/thanks`, auto: true } };
  await page.go(server.page());
  await page.until(`document.querySelector("#spoken").textContent.startsWith("You are taken back")`);
  await click("Stay here");
  await page.until(`document.querySelector("#leaving") === null`);
  assert.equal(await page.evaluate(FOCUSED), "heading");
  await new Promise((resolve) => setTimeout(resolve, 6000));
  await heading("Your age is confirmed");
  await click("Go on");
  await page.until(`location.pathname === "/thanks"`);
});

test("a check that goes on later is waited for, and ends as it ends", async () => {
  server.methods = [method("DOC_SCAN")];
  server.scripts.DOC_SCAN = () => ({ ends: "PROCESSING" });
  await page.go(server.page("doc_scan"));
  await heading("Being checked");
  await says("Demo shop is told the result in any case");
  await assertAccessible("later");
  await shoot("26-processing");
  server.status = "FAIL";
  await heading("Your age was not confirmed");
  await assertAccessible("not confirmed");
  await shoot("27-fail");
});

test("a failed session that may be tried again offers its ways again", async () => {
  server.methods = [method("EMAIL", { state: "FAILED", attempts: 1 })];
  server.status = "FAIL";
  server.result = { method: "EMAIL", status: "FAIL" };
  server.view = { retry: true };
  await page.go(server.page());
  await heading("Try it again");
  await way("Email address");
  await heading("Your email address");
});

test("somebody stops, is asked once, and goes where the business wants", async () => {
  server.view = { cancel_url: `${server.origin}/sorry` };
  await page.go(server.page());
  await heading(OVER);
  await click("Stop");
  await page.until(`document.querySelector("#sure").open`);
  await assertAccessible("the question");
  await shoot("28-question");
  await page.press("Escape");
  await page.until(`!document.querySelector("#sure").open`);
  await way("Email address");
  await heading("Your email address");
  await click("Stop");
  await page.evaluate(`document.querySelector("#confirm").click()`);
  await page.until(`location.pathname === "/sorry"`);
  assert.equal(server.count(/cancel/), 1);
  server.view = {};
  await arrive();
  await heading("Stopped");
  await assertAccessible("stopped");
});

test("a session that expired, is blocked, unknown, of another application, or not named says what it is", async () => {
  for (const [refusal, words] of [
    [[410, "SESSION_EXPIRED"], "Time is up"],
    [[404, "SESSION_NOT_FOUND"], "This link does not work"],
    [[401, "UNAUTHORIZED"], "This link does not work"],
    [[403, "LOCATION_BLOCKED"], "Not available where you are"],
  ] as [[number, string], string][]) {
    server.refuse("GET ", ...refusal);
    await arrive();
    await heading(words);
    await assertAccessible(words);
  }
  await shoot("29-blocked");
  server.view = { location_blocked: true };
  await arrive();
  await heading("Not available where you are");
  for (const query of ["", `?sessionId=${SESSION}`, `?sessionId=../x&sdkId=${SDK}`]) {
    await arrive(`${server.origin}/age${query}`);
    await heading("The link is incomplete");
  }
  await shoot("30-incomplete");
});

test("time that runs out is warned of, and ends it wherever somebody is", async () => {
  server.seconds = 62;
  await page.go(server.page());
  await heading(OVER);
  assert.ok(await page.evaluate(`document.querySelector("#time").hidden`));
  await page.until(`document.querySelector("#spoken").textContent === "One minute is left."`);
  await page.until(`/Time left: 0:5\\d/.test(document.querySelector("#time").textContent)`);
  await assertAccessible("a minute");
  await shoot("31-minute");
  // What is asked from time to time does not repeat the warning.
  server.methods = [method("WAITING")];
  [server.status, server.seconds] = ["PENDING", 50];
  await arrive(server.page("waiting"));
  await heading("Being checked");
  await page.evaluate(`{ window.told = []; new MutationObserver(() => told.push(document.querySelector("#spoken").textContent))
    .observe(document.querySelector("#spoken"), { childList: true }); }`);
  const asked = server.count(/ID$/);
  while (server.count(/ID$/) < asked + 3) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const told: string[] = await page.evaluate("told");
  assert.ok(told.filter((words) => /minute|Time left/.test(words)).length <= 1, told.join("|"));
  server.methods = [method("EMAIL")];
  server.status = "PENDING";
  server.seconds = 4;
  await arrive(server.page("email"));
  await heading("Your email address");
  await heading("Time is up");
  await shoot("32-expired");
  await click("Back to the business");
  await page.until(`location.pathname === "/thanks"`);
});

test("a step that this page does not know leads back to the other ways, and so does a browser that keeps nothing", async () => {
  server.methods = [method("DOUBLE_ANONYMITY"), method("SINGPASS")];
  server.scripts.DOUBLE_ANONYMITY = () => ({ step: { kind: "token", challenge: "AAAA" } });
  await page.go(server.page("double_anonymity"));
  await heading("This does not work here");
  await assertAccessible("an unknown step");
  await click("Choose another way");
  await heading(OVER);
  await way("Singpass");
  await heading("You sign in elsewhere");
  await page.evaluate(
    `Storage.prototype.setItem = () => { throw new DOMException("", "QuotaExceededError") }; undefined`,
  );
  await click(`Go on to ${server.origin.slice(7)}`);
  await heading("This does not work here");
});

test("who comes back to an attempt that is over is shown where the session stands", async () => {
  server.methods = [method("SINGPASS"), method("EMAIL")];
  await page.go(server.page("singpass"));
  await click(`Go on to ${server.origin.slice(7)}`);
  await page.until(`location.pathname === "/provider"`);
  server.end("SINGPASS", "NEXT");
  await page.evaluate(`document.querySelector("#yes").click()`);
  await heading("Try it another way");
  await says("That did not work. Please try again.");
});

test("an attempt that went on elsewhere is picked up where the session stands", async () => {
  await page.go(server.page("email"));
  await type("Email address", "ada@example.com");
  server.refuse("POST /attempts/ID", 409, "STALE_CONTINUATION");
  await click("Check");
  await heading(OVER);
  await says("That did not work. Please try again.");
});

test("a network that breaks off loses nothing, and one that stays away is named", async () => {
  await page.go(server.page("email"));
  await type("Email address", "ada@example.com");
  server.cuts.set("POST /attempts/ID", 2);
  server.slow.set("POST /attempts/ID", 500);
  await click("Check");
  await says("Being checked …");
  await heading("Type the code", SLOW_MS);
  assert.equal(server.count(/^cut/), 2);
  server.slow.clear();
  await server.stop();
  await type("Code", "123456");
  await click("Continue");
  await heading("No connection", SLOW_MS);
  await assertAccessible("no connection");
  await shoot("33-no-connection");
  await server.start();
  await page.evaluate(`window.dispatchEvent(new Event("online"))`);
  await heading("Your age is confirmed", SLOW_MS);
});

test("a server that is busy is asked again, one that stays away is named", async () => {
  server.refuse("GET ", 429, "TOO_MANY_REQUESTS");
  server.refuse("GET ", 503, "SERVICE_UNAVAILABLE");
  await page.go(server.page());
  await heading(OVER);
  for (let time = 0; time < 5; time += 1) {
    server.refuse("POST /attempts", 503, "SERVICE_UNAVAILABLE");
  }
  await way("Email address");
  await heading("The server does not answer", SLOW_MS);
  await click("Try again");
  await heading("Your email address");
});

test("a phone takes over by the code, and this page follows it to the end", async () => {
  server.methods = [{ ...FACE }, method("EMAIL")];
  await page.resize(1024, 900);
  await page.go(server.page());
  await click("Continue on your phone");
  await heading("Go on with your phone");
  await page.until(`document.querySelector("svg.code path").getAttribute("d")`);
  await says("Waiting for your phone");
  await assertAccessible("the code");
  await shoot("34-phone");
  const link = await scanScreen(page);
  assert.equal(link, await page.evaluate(`document.querySelector("input[readonly]").value`));
  assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/age#[\w-]{43}$/);
  const computer = page;
  page = await open("en-GB");
  await page.go(link);
  await heading(OVER);
  assert.ok(!(await page.evaluate(TEXT)).includes("Continue on your phone"), "it is the phone");
  await way("Email address");
  await computer.until(`${TEXT}.includes("Your phone has begun")`);
  await type("Email address", "ada@example.com");
  await click("Check");
  await type("Code", "123456");
  await click("Continue");
  await heading("Your age is confirmed");
  assert.match(await page.evaluate(TEXT), /Go on at your computer/);
  await page.reload();
  await says("Go on at your computer");
  person.assertQuiet(page);
  await page.close();
  page = computer;
  await says("You finished on another device");

  server.status = "PENDING";
  server.methods = [method("SINGPASS", { hand_off: false })];
  await arrive();
  await heading(OVER);
  assert.ok(!(await page.evaluate(TEXT)).includes("Continue on your phone"), "nothing that a phone may do");
});

test("in a frame it tells the page around it, and only a page of the right origin, what happens", async () => {
  const embed = async (target: string, address: string) => {
    server.view = { target_origin_url: target };
    [server.status, server.result] = ["PENDING", null];
    server.methods = [method("EMAIL")];
    await page.go(`${server.origin}/embedding`);
    await page.evaluate(`{
      window.heard = [];
      const frame = document.createElement("iframe");
      frame.style = "width: 360px; height: 700px";
      addEventListener("message", ({ data, source }) => source === frame.contentWindow && heard.push(data));
      frame.src = "${address}";
      document.body.append(frame);
    }`);
    const inside = "document.querySelector('iframe').contentDocument";
    await page.until(`${inside}.querySelector(".way")`);
    await page.evaluate(`${inside}.querySelector(".way").click()`);
    await page.until(`${inside}.querySelector("form")`);
  };
  await embed(`${server.origin}/anything`, server.page());
  server.end("EMAIL", "COMPLETE");
  await page.evaluate(`{ const inside = document.querySelector("iframe").contentDocument;
    inside.querySelector("input").value = "ada@example.com"; inside.querySelector("form").requestSubmit(); }`);
  await page.until("heard.length > 2");
  assert.deepEqual(await page.evaluate("heard"), [
    { type: "age-session", sessionId: SESSION, status: "PENDING" },
    { type: "age-session", sessionId: SESSION, status: "IN_PROGRESS", method: "EMAIL" },
    { type: "age-session", sessionId: SESSION, status: "COMPLETE", method: "EMAIL" },
  ]);
  const way_ = await page.evaluate(`document.querySelector("iframe").contentDocument.querySelector("a.main").target`);
  assert.equal(way_, "_top");
  for (const target of ["https://shop.example", "nonsense", "*"]) {
    await embed(target, server.page());
    assert.deepEqual(await page.evaluate("heard"), [], target);
  }
  // The browser itself says that nobody of that origin was there to hear it.
  page.complaints.splice(0, page.complaints.length, ...page.complaints.filter((one) => !one.includes("postMessage")));
});

test("from a frame a provider is opened in a tab that knows what it is for, and the frame goes on by itself", async () => {
  server.methods = [method("SINGPASS")];
  await page.go(`${server.origin}/embedding`);
  await page.evaluate(`{ const frame = document.createElement("iframe"); frame.style = "width: 360px; height: 700px";
    frame.src = "${server.page("singpass")}"; document.body.append(frame); }`);
  const link = "document.querySelector('iframe').contentDocument?.querySelector('a.press')";
  const address: string = await page.until(`${link}?.href`);
  assert.equal(await page.evaluate(`${link}.target + ${link}.rel`), "_blanknoopener");
  const tab = await open("en-GB");
  await tab.go(address);
  await person.heading(tab, "You sign in elsewhere");
  assert.equal(await tab.evaluate("location.hash"), "");
  await person.assertAccessible(tab, "the tab");
  await person.shoot(tab, "age-35-tab");
  await person.click(tab, `Go on to ${server.origin.slice(7)}`);
  await tab.until(`location.pathname === "/provider"`);
  await tab.evaluate(`document.querySelector("#yes").click()`);
  await person.heading(tab, "Your age is confirmed");
  await tab.until(`${TEXT}.includes("You can close this page")`);
  person.assertQuiet(tab);
  await tab.close();
  await page.until(
    `document.querySelector("iframe").contentDocument.querySelector("h1").textContent === "Your age is confirmed"`,
  );
  const made = (url: string) =>
    `${server.origin}/age/return#go=${encodeURIComponent(JSON.stringify({ base: "", id: SESSION, sdkId: SDK, attempt: "a", continuation: "c", url }))}`;
  for (const bad of ["javascript:alert(1)", "data:text/html,x", "http://evil.example/"]) {
    await arrive(made(bad));
    await heading("The link is incomplete");
  }
});

test("the keyboard alone leads from the beginning to the end", async () => {
  server.methods = [{ ...FACE }, method("EMAIL")];
  await page.go(server.page());
  await heading(OVER);
  await page.press("Tab");
  assert.equal(await page.evaluate(FOCUSED), "stop", "the order is that of the screen");
  await page.press("Tab");
  assert.match(await page.evaluate("document.activeElement.className"), /way/);
  await page.press("Tab");
  await page.press("Enter");
  await heading("Your email address");
  assert.equal(await page.evaluate(FOCUSED), "heading");
  await page.reach("Email address");
  await page.send("Input.insertText", { text: "ada@example.com" });
  await page.press("Enter");
  await heading("Type the code");
  assert.equal(await page.evaluate(FOCUSED), "heading");
  await page.reach("Code");
  await page.send("Input.insertText", { text: "123456" });
  await page.press("Enter");
  await heading("Your age is confirmed");
  await page.reach("Go on");
  await page.press("Enter");
  await page.until(`location.pathname === "/thanks"`);
});

test("a mistake of the page is reported without a word about anybody", async () => {
  await page.prepare(`HTMLFormElement.prototype.addEventListener = () => { throw new TypeError("Ada's secret") }`);
  await page.go(server.page("email"));
  await heading("Something broke");
  while (server.count(/faults/) === 0) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const report = server.last(/faults/);
  const { name, file, line, screen } = report;
  assert.deepEqual([name, typeof line, screen], ["TypeError", "number", "form"]);
  assert.match(String(file), /^[\w-]+\.js-\d+$/);
  assert.ok(!JSON.stringify(report).includes("Ada"));
  page.complaints.length = 0;
  await shoot("36-broken");
});

test("before a method is chosen little is fetched, and nothing of cameras, codes and passkeys", async () => {
  server.methods = [{ ...FACE }, method("DIGITAL_ID"), method("SVC_KEY"), method("EMAIL")];
  await page.go(server.page());
  await heading(OVER);
  const fetched = await page.evaluate(`performance.getEntriesByType("resource")
    .map(({ name, decodedBodySize }) => [name.replace(/.*\\//, ""), decodedBodySize])`);
  const scripts = fetched.filter(([name]: [string]) => name.endsWith(".js"));
  const bytes = scripts.reduce((sum: number, [, size]: [string, number]) => sum + size, 0);
  assert.ok(bytes > 10_000 && bytes < 150_000, `${bytes} bytes of script`);
  const lazy = scripts.filter(([name]: [string]) => /^(face|form|wallet|passkey|qr|code|document)-/.test(name));
  assert.deepEqual(lazy, []);
  assert.ok(!fetched.some(([name]: [string]) => name.endsWith(".bin")));
});

test("it is right at every size, in every scheme, at rest and from right to left", async () => {
  await page.close();
  page = await open("ar");
  server.methods = [{ ...FACE }, method("CREDIT_CARD"), method("EMAIL")];
  server.consent.required = true;
  const look = async (what: string) => {
    for (const [name, [width, height], features] of [
      ["320", [320, 568], {}],
      ["dark", [390, 844], { "prefers-color-scheme": "dark" }],
      ["desk", [1280, 800], { "prefers-reduced-motion": "reduce" }],
      ["forced", [1280, 800], { "forced-colors": "active" }],
    ] as [string, [number, number], Record<string, string>][]) {
      await page.resize(width, height);
      await page.prefer(features);
      await assertAccessible(`${what}, ${name}`);
      await shoot(`37-${what}-${name}`);
    }
  };
  await page.go(server.page());
  await page.until(`document.querySelectorAll(".way").length === 3`);
  assert.equal(await page.evaluate("getComputedStyle(document.body).direction"), "rtl");
  await look("start");
  await page.evaluate(`document.querySelectorAll(".way")[1].click()`);
  await page.until(`document.querySelector("form")`);
  await page.evaluate(`document.querySelector("form").requestSubmit()`);
  await page.until(`document.querySelectorAll(".error:not([hidden])").length === 3`);
  await look("card");
  await page.prefer({});
  await arrive();
  await page.until(`document.querySelectorAll(".way").length === 3`);
  await page.evaluate(`document.querySelectorAll(".way")[0].click()`);
  await page.until(`document.querySelectorAll("#body button").length === 2`);
  await look("consent");
  await page.prefer({ "prefers-reduced-motion": "reduce" });
  server.methods = [method("WAITING")];
  [server.status, server.consent.required] = ["PENDING", false];
  await arrive(server.page("waiting"));
  await page.until(`document.querySelector(".busy")`);
  assert.equal(await page.evaluate(`document.getAnimations().filter((one) => one.animationName === "turn").length`), 0);
});

test("a business's language is spoken where the page has it, the reader's elsewhere", async () => {
  for (const [locale, words] of [
    ["pl", "pl"],
    ["de-AT", "de"],
    ["ja", "en"],
  ]) {
    await arrive(server.page("", `&locale=${locale}`));
    await page.until(`document.querySelector(".way")`);
    assert.equal(await page.evaluate("document.documentElement.lang"), words);
  }
});
