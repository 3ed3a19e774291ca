// The page of a verification session in a real browser, whose pretended camera shows a film of a card and of a face.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { findings } from "./accessible";
import { makeFilm } from "./camera-film";
import { Chromium, type Page } from "./chromium";
import { DOCUMENT, IdentityStandIn, LETTER, LIVENESS, SESSION, TOKEN } from "./identity-stand-in";
import { scanScreen } from "./scanner";

const HEADING = `document.querySelector("h1").textContent`;
const FOCUSED = "document.activeElement.id";
/** Pictures of the screens lie here after the tests. */
const SHOTS = join(process.cwd(), "node_modules/.assay/shots");
/** The camera and the net for faces are slow on a machine that does other things as well. */
const SLOW_MS = 60_000;

let film: { file: string; remove(): void };
let chromium: Chromium;
let server: IdentityStandIn;
let page: Page;

before(async () => {
  mkdirSync(SHOTS, { recursive: true });
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
  assert.deepEqual(page.complaints, []);
  const elsewhere = page.requests.filter((url) => !/^(http:\/\/127\.0\.0\.1:|blob:|about:blank)/.test(url));
  assert.deepEqual(elsewhere, [], "asked somebody else");
});

async function open(language: string, camera = true): Promise<Page> {
  const opened = await chromium.newPage();
  await opened.send("Emulation.setLocaleOverride", { locale: language });
  await opened.prepare(
    `Object.defineProperty(navigator, "languages", { configurable: true, get: () => ["${language}"] })`,
  );
  await opened.resize(390, 844, 1);
  await allow(opened, camera);
  return opened;
}

async function allow({ context }: Page, camera: boolean): Promise<void> {
  const permission = { name: "camera" };
  const setting = camera ? "granted" : "denied";
  await chromium.send("Browser.setPermission", {
    permission,
    setting,
    origin: server.origin,
    browserContextId: context,
  });
}

async function heading(words: string, patience?: number): Promise<void> {
  await page.until(`${HEADING} === ${JSON.stringify(words)}`, patience);
}

async function click(words: string): Promise<void> {
  const found = `[...document.querySelectorAll("button, a, label")]
    .find((one) => one.textContent.trim() === ${JSON.stringify(words)} && one.checkVisibility() && !one.disabled)`;
  await page.until(`${found}?.textContent`);
  await page.evaluate(`${found}.click()`);
}

async function pick(country: string, type: string): Promise<void> {
  await page.evaluate(`{ const select = document.querySelector("select"); select.value = "${country}";
    select.dispatchEvent(new Event("change")); }`);
  await click(type);
  await click("Continue");
}

async function assertAccessible(what: string): Promise<void> {
  assert.deepEqual(await findings(page), [], what);
}

async function shoot(name: string): Promise<void> {
  writeFileSync(join(SHOTS, `${name}.png`), await page.screenshot());
}

/** From the beginning to the camera, with a passport, whose one side is photographed. */
async function toCamera(country = "SWE", type = "Passport"): Promise<void> {
  await page.go(server.page);
  await click("Start");
  await heading("Which document do you have?");
  await pick(country, type);
  await heading(`Photograph your ${type}`);
  await click("Open the camera");
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
  await heading("Photograph your Identity card");
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
    all.filter((what) => what !== "GET /configuration"),
    [
      "POST /biometric-consent",
      "POST /resources/id-documents",
      "PUT /resources/id-documents/ID/pages/1",
      "PUT /resources/id-documents/ID/pages/2",
      "PUT /resources/id-documents/ID/text-extraction",
      "GET /resources/id-documents/ID/text-extraction",
      "GET /resources/id-documents/ID/text-extraction",
      "POST /resources/liveness/static",
      "PUT /resources/liveness/static/ID/frames/1",
      "DELETE /client-session-token",
    ],
  );
  const made = JSON.parse(
    server.asked.find(({ what }) => what === "POST /resources/id-documents")?.body.toString() ?? "",
  );
  assert.deepEqual(made, { document_type: "NATIONAL_ID", issuing_country: "DEU", requirement_id: DOCUMENT.id });
  const sent = server.asked.find(({ what }) => what.endsWith("/pages/1"))?.body.toString("latin1") ?? "";
  assert.match(sent, /name="descriptor"[\s\S]*{"capture_method":"CAMERA"}/);
  assert.match(sent, /name="binary-content"; filename="capture.jpg"\r\nContent-Type: image\/jpeg/);
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
