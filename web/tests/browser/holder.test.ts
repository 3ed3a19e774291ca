// The holder's page in a real browser, over http://127.0.0.1, which browsers count as secure.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { toBase64url } from "../../shared/bytes";
import { type Judged, judge } from "../judge";
import { findings } from "./accessible";
import { Chromium, type Page } from "./chromium";
import { scanScreen } from "./scanner";
import { StandIn } from "./stand-in";

const CODE = "c0de-of_the-invitation";
const VISIBLE = `document.querySelector("#pass:not([hidden])") && document.querySelector("#modules").getAttribute("d")`;
const HEADING = `[...document.querySelectorAll("h1")].find((heading) => heading.checkVisibility())?.textContent`;

let chromium: Chromium;
let server: StandIn;
let page: Page;

before(async () => {
  chromium = await Chromium.start();
});
after(() => chromium.stop());

beforeEach(async () => {
  server = new StandIn();
  server.invitations.set(CODE, 3);
  await server.start();
  page = await chromium.newPage();
  await page.send("Emulation.setLocaleOverride", { locale: "en-GB" });
  await page.prepare(`Object.defineProperty(navigator, "languages", { configurable: true, get: () => ["en-GB"] })`);
  await page.resize(390, 844, 2);
});

afterEach(async () => {
  await page.close();
  await server.stop();
  assert.deepEqual(page.complaints, []);
  const elsewhere = page.requests.filter((url) => !url.startsWith("http://127.0.0.1:") && url !== "about:blank");
  assert.deepEqual(elsewhere, [], "asked somebody else");
});

/** Opens the page with an invitation and waits for the first code. */
async function invited(code = CODE): Promise<void> {
  await page.go(`${server.page}#${code}`);
  await page.until(VISIBLE);
}

/** Scans the screen as a till would: from a picture of it. */
async function scan(): Promise<Judged> {
  const judged = judge(await scanScreen(page));
  const point = server.keys.get(toBase64url(judged.id));
  assert.ok(point && (await judged.signedBy(point)), "signed by the key that the credential was issued for");
  assert.equal(judged.exp, judged.iat + 60);
  return judged;
}

async function press(...keys: string[]): Promise<void> {
  for (const key of keys) {
    await page.press(key);
  }
}

async function renew(): Promise<void> {
  const before = await page.evaluate(VISIBLE);
  await page.evaluate(`document.querySelector("#renew").click()`);
  await page.until(`${VISIBLE} !== ${JSON.stringify(before)} && ${VISIBLE}`);
}

async function assertAccessible(what: string): Promise<void> {
  assert.deepEqual(await findings(page), [], what);
}

/** A clock that stands still, until the test puts it forward or back. */
async function ownClock(): Promise<void> {
  await page.prepare(`{
    const start = Number(sessionStorage.getItem("start") ?? Date.now());
    sessionStorage.setItem("start", start);
    Date.now = () => start + Number(sessionStorage.getItem("shift") ?? 0);
  }`);
}

/** The page looks at its clock each second, and at once when it hears of the network. */
async function tellOnline(): Promise<void> {
  await page.evaluate(`window.dispatchEvent(new Event("online"))`);
}

async function shift(seconds: number): Promise<void> {
  await page.evaluate(`sessionStorage.setItem("shift", "${seconds * 1000}")`);
}

test("an invitation becomes a code that scans, and is gone from the address", async () => {
  await invited();
  const shown = await scan();
  assert.equal(await page.evaluate(HEADING), "Over\u00a018");
  assert.deepEqual(
    [...shown.ages],
    [
      [18, true],
      [16, true],
    ],
  );
  assert.ok(Math.abs(shown.iat - server.now()) <= 30);
  assert.equal(await page.evaluate("location.href"), server.page);
  assert.equal(await page.evaluate("history.length"), 2, "about:blank and the page");
  const said = await page.evaluate("document.documentElement.outerHTML");
  assert.ok(!said.includes(CODE), "the invitation is nowhere in the page");
  assert.ok(
    server.asked.every((asked) => !asked.includes(CODE)),
    "nor in an address that was asked for",
  );
  assert.equal(await page.evaluate(`document.querySelector("#count").textContent`), "119 more codes");
});

test("no two codes share a credential, and each is shown for half a minute", async () => {
  await ownClock();
  await invited();
  const first = await scan();
  await renew();
  const second = await scan();
  const before = await page.evaluate(VISIBLE);
  await shift(29);
  await page.until(`document.querySelector("#next").textContent === "Next in 1\\u00a0second"`);
  assert.equal(await page.evaluate(VISIBLE), before);
  await shift(30);
  await page.until(`${VISIBLE} !== ${JSON.stringify(before)} && ${VISIBLE}`);
  const third = await scan();
  assert.equal(third.iat, first.iat + 30, "made when it was shown");
  await page.reload();
  await page.until(VISIBLE);
  const codes = [first, second, third, await scan()];
  assert.equal(new Set(codes.map(({ id }) => toBase64url(id))).size, 4, "not shown again after a reload either");
  assert.equal(new Set(codes.map(({ x }) => toBase64url(x))).size, 4, "nor a key");
  assert.equal(server.asked.filter((asked) => asked.startsWith("POST")).length, 1);
});

test("it opens and shows codes without a server", async () => {
  await invited();
  const first = await scan();
  await page.until("navigator.serviceWorker.ready.then(({ active }) => active?.state === 'activated')");
  await server.stop();
  await page.reload();
  await page.until(VISIBLE);
  const second = await scan();
  assert.notDeepEqual(second.id, first.id);
  await page.send("Network.emulateNetworkConditions", {
    offline: true,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  await page.until(`document.querySelector("#network").textContent === "Offline"`);
  assert.match(await page.evaluate(`document.querySelector("#spoken").textContent`), /Your codes work without one/);
  await assertAccessible("offline");
  await server.start();
});

test("the last code is followed by a word on what to do", async () => {
  await ownClock();
  await invited();
  await page.until("navigator.serviceWorker.ready.then(({ active }) => active?.state === 'activated')");
  await server.stop();
  await shift(3 * 3600);
  await tellOnline();
  await page.until(`${HEADING} === "Connect to the internet"`);
  await assertAccessible("stranded");
  await shift(0);
  await server.start();
});

test("it works for an hour without a server, a new code every 30 seconds", async () => {
  await ownClock();
  await invited();
  await server.stop();
  const codes = new Set([await page.evaluate(VISIBLE)]);
  for (let turn = 1; turn < 120; turn += 1) {
    await shift(turn * 30);
    await tellOnline();
    const left = 119 - turn;
    const text = left > 1 ? `${left} more codes` : left === 1 ? "1 more code" : "";
    await page.until(`document.querySelector("#count").textContent === ${JSON.stringify(text)}`);
    codes.add(await page.until(VISIBLE));
  }
  assert.equal(codes.size, 120);
  await scan();
  assert.equal(
    await page.evaluate(`document.querySelector("#until").textContent`),
    "This is the last code on this device",
  );
  await shift(3600);
  await page.until(`${HEADING} === "Connect to the internet"`);
  await server.start();
});

test("a clock that was put forward for a while costs nothing", async () => {
  await ownClock();
  await invited();
  await server.stop();
  await shift(24 * 3600);
  await tellOnline();
  await page.until(`${HEADING} === "Connect to the internet"`);
  await shift(0);
  await page.reload();
  await page.until(VISIBLE);
  assert.equal(await page.evaluate(`document.querySelector("#count").textContent`), "118 more codes");
  await server.start();
});

test("it fetches more before it runs out", async () => {
  server.lives = 500;
  await invited();
  server.lives = 3600;
  await tellOnline();
  await page.until(`document.querySelector("#count").textContent === "239 more codes"`);
  assert.equal(server.asked.filter((asked) => asked.startsWith("POST")).length, 2);
  await scan();
});

test("an invitation that gives nothing says what to do", async () => {
  await page.go(`${server.page}#unknown-invitation`);
  await page.until(`${HEADING} === "No codes left"`);
  await assertAccessible("spent");
  await page.go(`${server.page}#${CODE}`);
  await page.until(VISIBLE);
  await page.evaluate(`location.hash = "another-unknown"`);
  await page.until(`document.querySelector("#remarks").textContent.includes("Your earlier codes still work")`);
  await scan();
});

test("a newer invitation replaces the earlier one and its credentials", async () => {
  await invited();
  server.invitations.set("the-newer-invitation", 1);
  server.ages = [21];
  await page.evaluate(`location.hash = "the-newer-invitation"`);
  await page.until(`${HEADING} === "Over\\u00a021"`);
  assert.deepEqual([...(await scan()).ages], [[21, true]]);
  assert.match(await page.evaluate(`document.querySelector("#remarks").textContent`), /last codes/);
  assert.equal(await page.evaluate("location.hash"), "");
});

test("without an invitation, and while the server is busy, it says so", async () => {
  await page.go(server.page);
  await page.until(`${HEADING} === "Open your link"`);
  await assertAccessible("uninvited");
  server.refuses = 503;
  await page.evaluate(`location.hash = "${CODE}"`);
  await page.until(`${HEADING} === "Busy just now"`);
  await assertAccessible("busy");
  server.refuses = undefined;
  await page.evaluate(`document.querySelector("#retry").click()`);
  await page.until(VISIBLE);
});

test("a clock that is wrong is put right by the server's, and one that went back is not believed", async () => {
  server.ahead = 7 * 60;
  await ownClock();
  await invited();
  assert.ok(Math.abs((await scan()).iat - server.now()) <= 30);
  assert.match(await page.evaluate(`document.querySelector("#remarks").textContent`), /clock is wrong/);
  await server.stop();
  await shift(-3600);
  await page.until(`${HEADING} === "Check the time"`);
  await assertAccessible("clock");
  await server.start();
  await page.evaluate(`document.querySelector("#retry").click()`);
  await page.until(VISIBLE);
  assert.ok(Math.abs((await scan()).iat - server.now()) <= 30);
});

test("a browser that cannot keep keys is told so before its invitation is spent", async () => {
  await page.prepare(`IDBFactory.prototype.open = () => { throw new DOMException("no", "InvalidStateError") }`);
  await page.go(`${server.page}#${CODE}`);
  await page.until(`${HEADING} === "This browser can’t be used"`);
  await assertAccessible("unfit");
  assert.equal(server.invitations.get(CODE), 3);
});

test("the keyboard reaches everything, and removal leaves nothing", async () => {
  await invited();
  await page.until("navigator.serviceWorker.ready.then(({ active }) => active?.state === 'activated')");
  const before = await page.evaluate(VISIBLE);
  await press("Tab");
  assert.equal(await page.evaluate("document.activeElement.id"), "renew");
  const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
  assert.equal(outline, "solid", "the focus is visible");
  await press("Enter");
  await page.until(`${VISIBLE} !== ${JSON.stringify(before)}`);
  await page.until(`document.querySelector("#spoken").textContent === "A new code is on the screen."`);
  await press("Tab");
  assert.equal(await page.evaluate("document.activeElement.id"), "remove");
  await press("Space");
  assert.equal(await page.evaluate("document.activeElement.id"), "keep", "the harmless answer comes first");
  await assertAccessible("the question");
  await press("Escape");
  assert.equal(await page.evaluate("document.activeElement.id"), "remove");
  await press("Enter", "Tab", "Enter");
  await page.until(`${HEADING} === "Removed"`);
  assert.equal(await page.evaluate("document.activeElement.id"), "heading");
  await page.until("caches.keys().then((names) => names.length === 0)");
  await page.until("navigator.serviceWorker.getRegistrations().then((workers) => workers.length === 0)");
  const kept = `new Promise((resolve) => {
    indexedDB.open("assay-holder").onsuccess = ({ target: { result } }) => {
      const transaction = result.transaction([...result.objectStoreNames]);
      const counts = [...result.objectStoreNames].map((name) => transaction.objectStore(name).count());
      transaction.oncomplete = () => resolve(counts.reduce((sum, { result }) => sum + result, 0));
    };
  })`;
  assert.equal(await page.evaluate(kept), 0);
  await assertAccessible("removed");
  await page.evaluate(`location.hash = "${CODE}"`);
  await page.until(VISIBLE);
  await page.until("navigator.serviceWorker.ready.then(({ active }) => Boolean(active))");
});

test("it is accessible and scans in light, in dark, narrow, zoomed and low", async () => {
  await invited();
  const looks: [string, [number, number, number], Record<string, string>][] = [
    ["light", [390, 844, 2], {}],
    ["dark", [390, 844, 2], { "prefers-color-scheme": "dark" }],
    ["narrow", [320, 568, 1], { "prefers-reduced-motion": "reduce" }],
    ["a desk, zoomed to 200 %", [640, 400, 2], {}],
    ["a phone on its side", [740, 360, 3], {}],
    ["a desk", [1280, 800, 1], {}],
    ["forced colours", [390, 844, 2], { "forced-colors": "active", "prefers-color-scheme": "dark" }],
  ];
  for (const [look, [width, height, scale], features] of looks) {
    await page.resize(width, height, scale);
    await page.prefer(features);
    await assertAccessible(look);
    const sides = await page.evaluate(
      `(({ width, height }) => [width, height])(document.querySelector("#code").getBoundingClientRect())`,
    );
    assert.ok(Math.min(...sides) >= 300, `${look}: the code is ${sides} pixels large`);
    const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    assert.ok(overflow <= 0, `${look}: ${overflow} pixels too wide`);
    await page.evaluate(`document.querySelector("#code").scrollIntoView({ block: "center" })`);
    await scan();
  }
});

test("it speaks German to those who ask for it, and prints no code", async () => {
  await page.prepare(`Object.defineProperty(navigator, "languages", { get: () => ["fr", "de-AT", "en"] })`);
  await invited();
  assert.equal(await page.evaluate(HEADING), "Über\u00a018");
  assert.equal(await page.evaluate("document.documentElement.lang"), "de");
  await page.prefer({}, "print");
  assert.equal(await page.evaluate(`document.querySelector("#code").checkVisibility()`), false);
  assert.match(await page.evaluate("document.body.innerText"), /nicht gedruckt/);
});

test("two tabs share one batch, and what nobody sees spends nothing", async () => {
  await ownClock();
  await invited();
  const first = await scan();
  const other = await chromium.openIn(page.context);
  await other.resize(390, 844, 2);
  await other.go(server.page);
  await other.until(VISIBLE);
  await page.until(`document.visibilityState === "hidden"`);
  await shift(31);
  await page.until(`document.querySelector("#modules").getAttribute("d")`);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  assert.equal(await other.evaluate(`document.querySelector("#count").textContent`), "118 more codes");
  await other.evaluate(`document.querySelector("#confirm").click()`);
  await page.until(`${HEADING} === "Open your link"`);
  await other.evaluate(`location.hash = "${CODE}"`);
  await other.until(VISIBLE);
  await page.close();
  page = other;
  assert.notDeepEqual((await scan()).id, first.id);
  assert.equal(server.asked.filter((asked) => asked.startsWith("POST")).length, 2);
});
