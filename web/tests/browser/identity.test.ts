// The page of a verification session in a real browser, whose pretended camera shows a film of a card and of a face.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { makeFilm } from "./camera-film";
import { Chromium, type Page } from "./chromium";
import { DOCUMENT, IdentityStandIn, LETTER, LIVENESS, SESSION, TOKEN, type Upload } from "./identity-stand-in";
import * as person from "./person";
import { assertQuiet, openFor } from "./person";
import { scanScreen } from "./scanner";

const HEADING = `document.querySelector("h1").textContent`;
const FOCUSED = "document.activeElement.id";
/** The camera and the net for faces are slow on a machine that does other things as well. */
const SLOW_MS = 180_000;

let film: { file: string; remove(): void };
let chromium: Chromium;
let server: IdentityStandIn;
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
  server = new IdentityStandIn();
  await server.start();
  page = await open("en-GB");
});

afterEach(async () => {
  await page.close();
  await server.stop();
  assertQuiet(page);
});

async function open(language: string, camera = true): Promise<Page> {
  const opened = await openFor(chromium, language);
  await allow(opened, camera);
  return opened;
}

const allow = (page: Page, camera: boolean) => person.allow(page, server.origin, camera);
const heading = (words: string, patience?: number) => person.heading(page, words, patience);
const click = (words: string) => person.click(page, words);
const assertAccessible = (what: string) => person.assertAccessible(page, what);
const shoot = (name: string) => person.shoot(page, name);

async function pick(country: string, type: string): Promise<void> {
  await page.evaluate(`{ const select = document.querySelector("select"); select.value = "${country}";
    select.dispatchEvent(new Event("change")); }`);
  await click(type);
  await click("Continue");
}

/** From the beginning to the advice before the camera, with a passport, whose one side is photographed. */
async function toTips(country = "SWE", type = "Passport"): Promise<void> {
  await page.go("about:blank");
  await page.go(server.page);
  await click("Start");
  await heading("Which document do you have?");
  await pick(country, type);
  await heading(`Take a photo: ${type}`);
}

async function toCamera(country = "SWE", type = "Passport"): Promise<void> {
  await toTips(country, type);
  await click("Open the camera");
}

async function toReview(country = "SWE", type = "Passport"): Promise<void> {
  await toCamera(country, type);
  await heading("Can everything be read?", SLOW_MS);
}

/** Chooses a file that an expression makes, and goes on. */
async function attach(file: string): Promise<void> {
  await page.evaluate(`{ const box = new DataTransfer(); box.items.add(${file});
    document.querySelector("input[type=file]").files = box.files; }`);
  await click("Continue");
}

test("a card and a face, from the first screen to the business's own", async () => {
  server.resources = [{ ...DOCUMENT }, { ...LIVENESS }];
  server.consent = "REQUIRED";
  server.sdk = {
    success_url: `${server.origin}/thanks`,
    preset_issuing_country: "DEU",
    privacy_policy_url: "https://example.com/p",
  };
  server.slow = 2;
  await page.go(server.page);
  await page.until(`document.body.innerText.includes("I agree")`);
  assert.equal(await page.evaluate("location.href"), server.bare, "the token does not stay in the address");
  await assertAccessible("the first screen");
  await shoot("1-welcome");
  await click("I agree");
  await heading("Which document do you have?");
  assert.equal(await page.evaluate(`document.querySelector("select").value`), "DEU");
  assert.equal(await page.evaluate(`document.querySelector("#step").textContent`), "Step 1 of 2");
  await assertAccessible("the choice");
  await shoot("2-choice");
  await pick("DEU", "Identity card");
  await heading("Take a photo: Identity card");
  await assertAccessible("the advice");
  await shoot("3-tips");
  await click("Open the camera");
  await heading("Front");
  await page.until(`document.querySelector("video").videoWidth > 0`);
  await assertAccessible("the camera");
  await shoot("4-camera");
  await heading("Can everything be read?", SLOW_MS);
  await page.until(`document.querySelector(".taken").naturalWidth > 0`);
  await assertAccessible("the picture");
  await shoot("5-review");
  await click("Use this picture");
  await heading("Back");
  await heading("Can everything be read?", SLOW_MS);
  await click("Use this picture");
  await heading("Now your face");
  await shoot("6-face-tips");
  await click("Open the camera");
  await page.until(`document.querySelector(".outline")`);
  await page.until(
    `document.querySelector(".advice")?.textContent.startsWith("Good") || ${HEADING}.startsWith("Done")`,
    SLOW_MS,
  );
  await shoot("7-face");
  await heading("Done, thank you", SLOW_MS);
  await shoot("8-done");
  await assertAccessible("the end");
  await page.until(`location.pathname === "/thanks"`);

  const all = server.asked.map(({ what }) => what.replace(/[0-9a-f-]{36}/, "ID"));
  assert.deepEqual(
    all.filter((what) => what !== "GET /configuration" && !what.includes("/uploads")),
    [
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
    ],
  );
  const made = JSON.parse(
    server.asked.find(({ what }) => what === "POST /resources/id-documents")?.body.toString() ?? "",
  );
  assert.deepEqual(made, { document_type: "NATIONAL_ID", issuing_country: "DEU", requirement_id: DOCUMENT.id });
  const page1 = JSON.parse(server.asked.find(({ what }) => what.endsWith("/pages/1"))?.body.toString() ?? "");
  const { bytes, length } = server.uploads.get(page1.upload) ?? {};
  assert.deepEqual([page1.capture_method, bytes?.length, bytes?.readUInt16BE(0)], ["CAMERA", length, 0xffd8]);
});

test("a face comes nearer, and seven pictures of it are sent", async () => {
  server.resources = [{ ...LIVENESS, liveness_type: "ZOOM" }];
  await page.go(server.page);
  await click("Start");
  await heading("Now your face, near and far");
  await click("Open the camera");
  await page.until(`document.querySelector("progress[max='1']:not([hidden])")?.value > 0.4`, SLOW_MS);
  await shoot("9-approach");
  await heading("Done, thank you", SLOW_MS);
  for (const number of [1, 2, 3, 4, 5, 6, 7]) {
    assert.equal(server.count(new RegExp(`^PUT /resources/liveness/zoom/.*/frames/${number}$`)), 1);
  }
  const map = server.asked.find(({ what }) => what.endsWith("/facemap"))?.body.toString("latin1") ?? "";
  const { frames } = JSON.parse(/{"version".*}/.exec(map)?.[0] ?? "");
  const widths = frames.map(({ face }: { face: { width: number } }) => face.width);
  assert.equal(widths.length, 7);
  assert.ok(widths[6] > widths[0] * 1.4, `it came nearer: ${widths}`);
});

test("what could not be read is said, and tried again; a doubtful one may be left", async () => {
  server.recommendations = [
    { value: "MUST_TRY_AGAIN", reason: { value: "QUALITY", detail: "PHOTO_TOO_BLURRY" } },
    { value: "SHOULD_TRY_AGAIN", reason: { value: "QUALITY", detail: "GLARE_OBSTRUCTION" } },
  ];
  await toReview();
  await click("Use this picture");
  await heading("Please take it again");
  assert.match(await page.evaluate("document.body.innerText"), /not sharp[\s\S]*Attempts left: 2/);
  assert.equal(await page.evaluate(FOCUSED), "heading");
  await assertAccessible("what to do better");
  await shoot("10-retry");
  assert.ok(!(await page.evaluate("document.body.innerText")).includes("Leave it as it is"));
  await click("Take it again");
  await click("Take the picture");
  await click("Use this picture");
  await heading("It could be better");
  await click("Leave it as it is");
  await heading("Done, thank you");
  assert.equal(server.count(/^POST .*id-documents$/), 1, "one document, whose page was replaced");
  assert.equal(server.count(/pages\/1$/), 2);
});

test("attempts that are used up end it, with a code and a way back", async () => {
  server.resources = [{ ...DOCUMENT, attempts_remaining: 1 }];
  server.sdk = { error_url: `${server.origin}/sorry?of=them` };
  server.recommendations = [{ value: "MUST_TRY_AGAIN", reason: { value: "USER_ERROR", detail: "NO_DOCUMENT" } }];
  await toReview();
  await click("Use this picture");
  await heading("The document could not be read");
  assert.match(await page.evaluate("document.body.innerText"), /Code 4001/);
  await assertAccessible("the end");
  await click("Back to the business");
  await page.until(`location.pathname === "/sorry"`);
  assert.equal(await page.evaluate("location.search"), "?of=them&eventCode=4001");
});

test("somebody stops, is asked once, and goes back to the business", async () => {
  server.sdk = { error_url: `${server.origin}/sorry` };
  await page.go(server.page);
  await page.until(`document.body.innerText.includes("Start")`);
  await click("Stop");
  await page.until(`document.querySelector("#sure").open`);
  await assertAccessible("the question");
  await shoot("11-question");
  await page.press("Escape");
  await page.until(`!document.querySelector("#sure").open`);
  await heading("Verify your identity");
  await click("Stop");
  await page.evaluate(`document.querySelector("#confirm").click()`);
  await page.until(`location.pathname === "/sorry"`);
  assert.equal(await page.evaluate("location.search"), "?eventCode=1000");
});

test("mails that the business wants to be asked for are asked for once, the thanks at the end", async () => {
  server.resources = [{ ...LETTER, state: "FULFILLED" }, { ...LIVENESS }];
  server.emails = ["instructions", "thank-you"];
  await page.go(server.page);
  await click("Send me instructions by e-mail");
  await page.until(`document.body.innerText.includes("The business was asked to send you instructions.")`);
  await click("Send me instructions by e-mail");
  await click("Confirm by e-mail when I am done");
  await assertAccessible("mails");
  await shoot("18-mails");
  assert.equal(server.count(/thank-you/), 0);
  await click("Start");
  await click("Open the camera");
  await heading("Done, thank you", SLOW_MS);
  assert.deepEqual([server.count(/^POST .emails.instructions$/), server.count(/^POST .emails.thank-you$/)], [1, 1]);
});

test("a session that expired, a wrong token, a missing one and none at all say what it is", async () => {
  for (const [refusal, words, code] of [
    [[409, "SESSION_EXPIRED"], "Time is up", 2002],
    [[401, "BAD_TOKEN"], "This link does not work", 2000],
    [[404, "SESSION_NOT_FOUND"], "This link does not work", 2001],
  ] as [[number, string], string, number][]) {
    server.refuse("GET /configuration", ...refusal);
    await page.go(server.page);
    await heading(words);
    assert.match(await page.evaluate("document.body.innerText"), new RegExp(`Code ${code}`));
  }
  for (const [query, code] of [
    ["", 2004],
    [`?sessionID=${SESSION}`, 2003],
    [`?sessionToken=${TOKEN}`, 2004],
    [`?sessionID=${SESSION}&sessionToken=nonsense`, 2000],
  ] as [string, number][]) {
    await page.go("about:blank");
    await page.go(server.bare + query);
    await page.until(`document.body.innerText.includes("Code ${code}")`);
  }
  await assertAccessible("the end");
  await shoot("12-incomplete");
});

test("time that runs out while somebody looks ends it", async () => {
  server.seconds = 3;
  await page.go(server.page);
  await page.until(`document.body.innerText.includes("One minute is left.")`);
  await heading("Time is up");
});

test("a camera that is refused, absent, busy, silent or insecure is named, and there is a next step", async () => {
  await allow(page, false);
  await toCamera();
  await heading("The camera is not allowed");
  await assertAccessible("the refusal");
  await shoot("13-denied");
  await click("Choose a file instead");
  await heading("Choose a file");
  await allow(page, true);
  await click("Use the camera instead");
  await heading("Can everything be read?", SLOW_MS);

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
    await toTips();
    await page.evaluate(`${pretence}; undefined`);
    await click("Open the camera");
    await heading(words);
    assert.ok(await page.evaluate(`document.querySelectorAll("#body button").length >= 2`), words);
  }
  await click("I cannot go on");
  await page.until(`document.body.innerText.includes("Code 5010")`);
});

test("the keyboard alone leads from the beginning to the end", async () => {
  await page.go(server.page);
  await page.until(`document.body.innerText.includes("Start")`);
  await page.reach("Start");
  await page.press("Enter");
  await heading("Which document do you have?");
  assert.equal(await page.evaluate(FOCUSED), "heading");
  await page.reach("Continue");
  await page.press("Enter");
  assert.equal(await page.evaluate("document.activeElement.tagName"), "SELECT", "what is missing has the focus");
  assert.match(await page.evaluate(`document.querySelector(".error").textContent`), /Choose the country/);
  await assertAccessible("what is missing");
  await page.send("Input.insertText", { text: "" });
  await page.press("ArrowDown");
  await page.press("ArrowDown");
  await page.until(`document.querySelector("select").value === "SWE"`);
  await page.reach("Continue");
  await page.press("Enter");
  await heading("Take a photo: Passport");
  await page.reach("Open the camera");
  await page.press("Enter");
  await heading("Page with the photo");
  await page.until(`!document.querySelector(".viewer .primary").disabled`);
  await page.reach("Take the picture");
  await page.press("Enter");
  await heading("Can everything be read?");
  await page.reach("Use this picture");
  await page.press("Enter");
  await heading("Done, thank you");
});

test("a letter comes as a file, PDF too, and what is none is refused before it is sent", async () => {
  server.resources = [{ ...LETTER }];
  await page.go(server.page);
  await click("Start");
  await heading("Photograph your letter");
  await click("Choose a file instead");
  await heading("Choose a file");
  await assertAccessible("choosing a file");
  await click("Continue");
  await page.until(`document.querySelector("#file-error").textContent === "Choose a file first."`);
  await attach("new File(['words'], 'a.txt', { type: 'text/plain' })");
  await page.until(`document.querySelector("#file-error").textContent === "The file is of another kind."`);
  await attach("new File(['no picture'], 'a.jpg', { type: 'image/jpeg' })");
  await page.until(`document.querySelector("#file-error").textContent.startsWith("The picture cannot be opened")`);
  await attach("new File([new Uint8Array(10_000_001)], 'a.pdf', { type: 'application/pdf' })");
  await page.until(`document.querySelector("#file-error").textContent === "The file is too large."`);
  await attach("new File(['%PDF-1.7'], 'bill.pdf', { type: 'application/pdf' })");
  await heading("Can everything be read?");
  assert.match(await page.evaluate("document.body.innerText"), /bill\.pdf is ready/);
  await assertAccessible("a chosen file");
  await click("Use this file");
  await heading("Done, thank you");
  const file = server.asked.find(({ what }) => what.endsWith("/file"))?.body.toString("latin1") ?? "";
  assert.match(file, /{"capture_method":"UPLOAD"}[\s\S]*Content-Type: application\/pdf\r\n\r\n%PDF-1\.7/);
});

test("an upload that breaks half-way goes on where it was", async () => {
  server.resources = [{ ...LETTER }];
  await page.go(server.page);
  await click("Start");
  await click("Choose a file instead");
  await heading("Choose a file");
  const file = Buffer.concat([
    Buffer.from("%PDF-1.7"),
    Buffer.from(Array.from({ length: 400_000 }, (_, at) => at % 251)),
  ]);
  await attach(
    "new File(['%PDF-1.7', Uint8Array.from({ length: 400_000 }, (_, at) => at % 251)], 'a.pdf', { type: 'application/pdf' })",
  );
  server.cuts.set("PATCH", 2);
  await click("Use this file");
  await heading("Done, thank you", SLOW_MS);
  const [[id, { bytes }]] = [...server.uploads] as [[string, Upload]];
  assert.equal(server.uploads.size, 1, "nothing was begun anew");
  assert.ok(bytes.equals(file), "it arrived as it was");
  assert.equal(server.count(/^cut PATCH/), 2);
  // A browser may put a call again by itself; bytes that are there are not taken twice.
  const taken = server.asked.filter(({ what, status }) => what === `PATCH /uploads/${id}` && status === 204);
  assert.deepEqual([taken.length, (taken[0]?.bytes ?? 0) < file.length - 1000], [1, true], "only the rest was sent");
  const put = server.asked.find(({ what }) => what.endsWith("/file"))?.body.toString() ?? "";
  assert.deepEqual(JSON.parse(put), { upload: id, capture_method: "UPLOAD" });
});

test("a network that stays away is named, and the page goes on with what it has when it comes back", async () => {
  await toReview();
  await server.stop();
  await click("Use this picture");
  await heading("No connection", SLOW_MS);
  await assertAccessible("no connection");
  await shoot("14-no-connection");
  await server.start();
  await page.evaluate(`window.dispatchEvent(new Event("online"))`);
  await heading("Done, thank you", SLOW_MS);
  assert.equal(server.count(/pages\/1$/), 1);
});

test("a phone takes over by the code, and this page follows it to the end", async () => {
  server.resources = [{ ...DOCUMENT }, { ...LIVENESS }];
  server.sdk = { allow_handoff: true, success_url: `${server.origin}/thanks` };
  await page.resize(1024, 900);
  await page.go(server.page);
  await click("Continue on your phone");
  await heading("Go on with your phone");
  await page.until(`document.querySelector("svg.code path").getAttribute("d")`);
  await assertAccessible("the code");
  await shoot("15-phone");
  const link = await scanScreen(page);
  assert.equal(link, await page.evaluate(`document.querySelector("input[readonly]").value`));
  assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/idverify\/v1\/web\/#[\w-]{43}$/);

  const computer = page;
  page = await open("en-GB");
  await page.go(link);
  await page.until(`document.body.innerText.includes("Start")`);
  assert.ok(!(await page.evaluate("document.body.innerText")).includes("Continue on your phone"), "it is the phone");
  server.fulfil("ID_DOCUMENT");
  await computer.until(`document.body.innerText.includes("Done on your phone: 1 of 2")`);
  server.fulfil("LIVENESS");
  await page.reload();
  await heading("Done, thank you");
  assert.match(await page.evaluate("document.body.innerText"), /Go on at your computer/);
  await page.close();
  page = computer;
  await page.until(`document.body.innerText.includes("You finished on your phone.")`);
  await page.until(`location.pathname === "/thanks"`);
});

test("in a frame it asks for the session, and tells only the page around it how it ended", async () => {
  await page.go(`${server.origin}/embedding`);
  await page.evaluate(`{
    window.heard = [];
    const frame = document.createElement("iframe");
    frame.allow = "camera";
    frame.style = "width: 360px; height: 700px";
    addEventListener("message", ({ data }) => {
      heard.push(data);
      if (data.eventType === "STARTED") {
        frame.contentWindow.postMessage({ eventType: "INIT_SESSION", sessionID: "${SESSION}", sessionToken: "${TOKEN}" }, "*");
      }
    });
    frame.src = "${server.bare}";
    document.body.append(frame);
  }`);
  const inside = "document.querySelector('iframe').contentDocument";
  await page.until(`${inside}.body.innerText.includes("Start")`);
  await page.evaluate(`[...${inside}.querySelectorAll("button")].find((one) => one.textContent === "Start").click()`);
  await page.until(`${inside}.querySelector("h1").textContent === "Which document do you have?"`);
  await page.evaluate(
    `[...${inside}.querySelectorAll("button")].find((one) => one.textContent.startsWith("I have none")).click()`,
  );
  await page.until("heard.length > 1");
  assert.deepEqual(await page.evaluate("heard"), [{ eventType: "STARTED" }, { eventType: "ERROR", eventCode: 7000 }]);
});

test("a mistake of the page is reported without a word about anybody, and loading again goes on", async () => {
  await page.prepare(
    `Object.defineProperty(HTMLVideoElement.prototype, "srcObject", { set() { throw new TypeError("Ada's secret") } })`,
  );
  await toCamera();
  await heading("Something broke");
  await page.until("true");
  const report = server.asked.find(({ what }) => what === "POST /page-faults")?.body.toString() ?? "";
  const { name, file, line, screen } = JSON.parse(report);
  assert.deepEqual([name, typeof line, screen], ["TypeError", "number", "camera"]);
  assert.match(file, /^page-\w+\.js-\d+$/);
  assert.ok(!report.includes("Ada") && !report.includes(TOKEN));
  await click("Load again");
  await page.until(`document.body.innerText.includes("Start")`);
  page.complaints.length = 0;
});

test("a business's colours are worn where they can be read, and its language is spoken", async () => {
  server.sdk = { primary_colour: "#ffe600", secondary_colour: "#fafafa", font_colour: "#ffffff", locale: "pl" };
  await page.go(server.page);
  await heading("Potwierdź swoją tożsamość");
  assert.equal(await page.evaluate("document.documentElement.lang"), "pl");
  await page.resize(1024, 768);
  await assertAccessible("yellow");
  await shoot("16-yellow");
  await page.prefer({ "prefers-color-scheme": "dark" });
  await assertAccessible("yellow in the dark");
});

test("it is right at every size, in every scheme and from right to left", async () => {
  await page.close();
  page = await open("ar");
  server.consent = "REQUIRED";
  server.resources = [{ ...DOCUMENT }, { ...LIVENESS }];
  const look = async (what: string) => {
    for (const [name, [width, height], features] of [
      ["320", [320, 568], {}],
      ["dark", [390, 844], { "prefers-color-scheme": "dark" }],
      ["desk", [1280, 800], {}],
      ["forced", [1280, 800], { "forced-colors": "active" }],
    ] as [string, [number, number], Record<string, string>][]) {
      await page.resize(width, height);
      await page.prefer(features);
      await assertAccessible(`${what}, ${name}`);
      await shoot(`17-${what}-${name}`);
    }
  };
  await page.go(server.page);
  await page.until(`document.body.innerText.includes("أوافق")`);
  assert.equal(await page.evaluate("getComputedStyle(document.body).direction"), "rtl");
  await look("welcome");
  await click("أوافق");
  await heading("أي وثيقة لديك؟");
  await page.evaluate(
    `{ const select = document.querySelector("select"); select.value = "DEU"; select.dispatchEvent(new Event("change")); }`,
  );
  await look("choice");
  await click("جواز سفر");
  await click("متابعة");
  await click("فتح الكاميرا");
  await heading("هل يمكن قراءة كل شيء؟", SLOW_MS);
  await look("review");
  await person.assertLargeEnough(page, "the picture");
});
