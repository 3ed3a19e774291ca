// The holder's page in a real browser, over http://127.0.0.1, which browsers count as secure.

import type { Locator } from "@playwright/test";
import { toBase64url } from "../../shared/bytes";
import { type ParsedPresentation, parsePresentation } from "../presentation-parser";
import { expectAccessible, showPage } from "./actions";
import { expect, type Page, withServer } from "./fixtures";
import { HolderStandIn } from "./holder-stand-in";
import { scanScreen } from "./qr-scanner";

const CODE = "c0de-of_the-invitation";

const test = withServer(() => {
  const server = new HolderStandIn();
  server.invitations.set(CODE, 3);
  return server;
});
test.use({ deviceScaleFactor: 2 });

const heading = (page: Page): Locator => page.locator("h1").filter({ visible: true });
const count = (page: Page): Locator => page.locator("#count");

/** The modules of the code on the screen, once there is one. */
async function shown(page: Page, but = ""): Promise<string> {
  const modules = page.locator("#pass:not([hidden]) #modules");
  await expect(modules).toHaveAttribute("d", /./);
  await expect(modules).not.toHaveAttribute("d", but);
  return (await modules.getAttribute("d")) ?? "";
}

/** Opens the page with an invitation and waits for the first code. */
async function invited(page: Page, server: HolderStandIn): Promise<void> {
  await page.goto(`${server.page}#${CODE}`);
  await shown(page);
}

/** Takes an invitation as a link in a page that is open already does. */
async function invitedAgain(page: Page, code: string): Promise<void> {
  await page.evaluate((code) => {
    location.hash = code;
  }, code);
}

/** Scans the screen as a till would: from a picture of it. */
async function scan(page: Page, server: HolderStandIn): Promise<ParsedPresentation> {
  const judged = parsePresentation(await scanScreen(page));
  const point = server.keys.get(toBase64url(judged.id));
  expect(point && (await judged.signedBy(point)), "signed by the key of its credential").toBe(true);
  expect(judged.exp).toBe(judged.iat + 60);
  return judged;
}

async function renew(page: Page): Promise<void> {
  const before = await shown(page);
  await page.locator("#renew").click();
  await shown(page, before);
}

async function workerActive(page: Page): Promise<void> {
  await page.waitForFunction(() => navigator.serviceWorker.ready.then(({ active }) => active?.state === "activated"));
}

/** The page looks at its clock each second, and at once when it hears of the network. */
async function tellOnline(page: Page): Promise<void> {
  await page.evaluate(() => window.dispatchEvent(new Event("online")));
}

/** A clock that stands still, until it is put forward or back by seconds. */
async function ownClock(page: Page): Promise<(seconds: number) => Promise<void>> {
  const start = Date.now();
  const set = (seconds: number) => page.clock.setFixedTime(start + seconds * 1000);
  await set(0);
  return set;
}

/** How many times the server was asked for credentials. */
const batches = (server: HolderStandIn) => server.requests.filter((asked) => asked.startsWith("POST")).length;

test("an invitation becomes a code that scans, and is gone from the address", async ({ page, server }) => {
  await invited(page, server);
  const scanned = await scan(page, server);
  await expect(heading(page)).toHaveText("Over\u00a018");
  expect([...scanned.ages]).toEqual([
    [18, true],
    [16, true],
  ]);
  expect(Math.abs(scanned.iat - server.now())).toBeLessThanOrEqual(30);
  await expect(page).toHaveURL(server.page);
  expect(await page.evaluate("history.length"), "about:blank and the page").toBe(2);
  expect(await page.content(), "the invitation is nowhere in the page").not.toContain(CODE);
  expect(server.requests.join(), "nor in an address that was asked for").not.toContain(CODE);
  await expect(count(page)).toHaveText("119 more codes");
});

test("no two codes share a credential, and each is shown for half a minute", async ({ page, server }) => {
  const shift = await ownClock(page);
  await invited(page, server);
  const first = await scan(page, server);
  await renew(page);
  const second = await scan(page, server);
  const before = await shown(page);
  await shift(29);
  await expect(page.locator("#next")).toHaveText("Next in 1\u00a0second");
  expect(await shown(page)).toBe(before);
  await shift(30);
  await shown(page, before);
  const third = await scan(page, server);
  expect(third.iat, "made when it was shown").toBe(first.iat + 30);
  await page.reload();
  await shown(page);
  const codes = [first, second, third, await scan(page, server)];
  expect(new Set(codes.map(({ id }) => toBase64url(id))).size, "not shown again after a reload either").toBe(4);
  expect(new Set(codes.map(({ x }) => toBase64url(x))).size, "nor a key").toBe(4);
  expect(batches(server)).toBe(1);
});

test("it opens and shows codes without a server", async ({ context, page, server }) => {
  await invited(page, server);
  const first = await scan(page, server);
  await workerActive(page);
  await server.stop();
  await page.reload();
  await shown(page);
  const second = await scan(page, server);
  expect(second.id).not.toEqual(first.id);
  await context.setOffline(true);
  await expect(page.locator("#network")).toHaveText("Offline");
  await expect(page.locator("#spoken")).toContainText("Your codes work without one");
  await expectAccessible(page, "offline");
});

test("the last code is followed by a word on what to do", async ({ page, server }) => {
  const shift = await ownClock(page);
  await invited(page, server);
  await workerActive(page);
  await server.stop();
  await shift(3 * 3600);
  await tellOnline(page);
  await expect(heading(page)).toHaveText("Connect to the internet");
  await expectAccessible(page, "stranded");
});

test("it works for an hour without a server, a new code every 30 seconds", async ({ page, server }) => {
  const shift = await ownClock(page);
  await invited(page, server);
  await workerActive(page);
  await server.stop();
  const codes = new Set([await shown(page)]);
  for (let turn = 1; turn < 120; turn += 1) {
    await shift(turn * 30);
    await tellOnline(page);
    const left = 119 - turn;
    await expect(count(page)).toHaveText(left > 1 ? `${left} more codes` : left === 1 ? "1 more code" : "");
    codes.add(await shown(page));
  }
  expect(codes.size).toBe(120);
  await scan(page, server);
  await expect(page.locator("#until")).toHaveText("This is the last code on this device");
  await shift(3600);
  await expect(heading(page)).toHaveText("Connect to the internet");
});

test("a clock that was put forward for a while costs nothing", async ({ page, server }) => {
  const shift = await ownClock(page);
  await invited(page, server);
  await workerActive(page);
  await server.stop();
  await shift(24 * 3600);
  await tellOnline(page);
  await expect(heading(page)).toHaveText("Connect to the internet");
  await shift(0);
  await page.reload();
  await shown(page);
  await expect(count(page)).toHaveText("118 more codes");
});

test("it fetches more before it runs out", async ({ page, server }) => {
  server.lifetimeSeconds = 500;
  await invited(page, server);
  server.lifetimeSeconds = 3600;
  await tellOnline(page);
  await expect(count(page)).toHaveText("239 more codes");
  expect(batches(server)).toBe(2);
  await scan(page, server);
});

test("an invitation that gives nothing says what to do", async ({ page, server }) => {
  await page.goto(`${server.page}#unknown-invitation`);
  await expect(heading(page)).toHaveText("No codes left");
  await expectAccessible(page, "spent");
  await invitedAgain(page, CODE);
  await shown(page);
  await invitedAgain(page, "another-unknown");
  await expect(page.locator("#remarks")).toContainText("Your earlier codes still work");
  await scan(page, server);
});

test("a link that gave nothing for a while is asked for again when it is opened again", async ({ page, server }) => {
  server.invitations.delete(CODE);
  await page.goto(`${server.page}#${CODE}`);
  await expect(heading(page)).toHaveText("No codes left");
  server.invitations.set(CODE, 1);
  await invitedAgain(page, CODE);
  await shown(page);
  await expect(page.locator("#remarks")).toContainText("last codes");
  const first = await scan(page, server);
  await invitedAgain(page, CODE);
  await expect.poll(() => batches(server)).toBe(3);
  await expect(page.locator("#remarks")).toContainText("last codes");
  expect((await scan(page, server)).id, "the codes that there are stay").toEqual(first.id);
});

test("while an application may give nothing, its invitation waits", async ({ page, server }) => {
  server.refusalStatus = 403;
  await page.goto(`${server.page}#${CODE}`);
  await expect(heading(page)).toHaveText("That did not work");
  server.refusalStatus = undefined;
  await tellOnline(page);
  await shown(page);
  expect(server.invitations.get(CODE)).toBe(2);
});

test("answers that are lost take nothing more of the invitation", async ({ page, server }) => {
  server.invitations.set(CODE, 1);
  server.lostAnswers = 2;
  await page.goto(`${server.page}#${CODE}`);
  await expect(heading(page)).toHaveText("Connect to the internet");
  await page.locator("#retry").click();
  await expect.poll(() => batches(server)).toBe(2);
  await expect(heading(page)).toHaveText("Connect to the internet");
  await page.locator("#retry").click();
  await shown(page);
  await scan(page, server);
  expect(batches(server)).toBe(3);
});

for (const [what, given] of [
  ["a batch", 1],
  ["a refusal", 0],
] as const) {
  test(`an invitation that another tab removes while ${what} is being stored stays removed`, async ({
    page,
    server,
  }) => {
    let arrive = () => {};
    server.held = new Promise((resolve) => {
      arrive = resolve;
    });
    server.invitations.set(CODE, given);
    await page.goto(`${server.page}#${CODE}`);
    await expect.poll(() => batches(server)).toBe(1);
    // What the other tab does comes first in the database, after this one has looked into it for the last time.
    await page.evaluate(() => {
      const begin = IDBDatabase.prototype.transaction;
      let removed = false;
      IDBDatabase.prototype.transaction = function (stores, mode, options) {
        if (mode === "readwrite" && !removed) {
          removed = true;
          const clearing = begin.call(this, [...this.objectStoreNames], "readwrite");
          for (const name of this.objectStoreNames) {
            clearing.objectStore(name).clear();
          }
        }
        return begin.call(this, stores, mode, options);
      };
    });
    arrive();
    await expect(heading(page)).toHaveText("Open your link");
    expect(await page.evaluate(countRecords)).toBe(0);
  });
}

test("a newer invitation replaces the earlier one and its credentials", async ({ page, server }) => {
  await invited(page, server);
  server.invitations.set("the-newer-invitation", 1);
  server.ages = [21];
  await invitedAgain(page, "the-newer-invitation");
  await expect(heading(page)).toHaveText("Over\u00a021");
  expect([...(await scan(page, server)).ages]).toEqual([[21, true]]);
  await expect(page.locator("#remarks")).toContainText("last codes");
  expect(await page.evaluate("location.hash")).toBe("");
});

test("without an invitation, and while the server is busy, it says so", async ({ page, server }) => {
  await page.goto(server.page);
  await expect(heading(page)).toHaveText("Open your link");
  await expectAccessible(page, "uninvited");
  server.refusalStatus = 503;
  await invitedAgain(page, CODE);
  await expect(heading(page)).toHaveText("Busy just now");
  await expectAccessible(page, "busy");
  server.refusalStatus = undefined;
  await page.locator("#retry").click();
  await shown(page);
});

test("a clock that is wrong is put right by the server's, and one that went back is not believed", async ({
  page,
  server,
}) => {
  server.clockAheadSeconds = 7 * 60;
  const shift = await ownClock(page);
  await invited(page, server);
  expect(Math.abs((await scan(page, server)).iat - server.now())).toBeLessThanOrEqual(30);
  await expect(page.locator("#remarks")).toContainText("clock is wrong");
  await workerActive(page);
  await server.stop();
  await shift(-3600);
  await expect(heading(page)).toHaveText("Check the time");
  await expectAccessible(page, "clock");
  await server.start();
  await page.locator("#retry").click();
  await shown(page);
  expect(Math.abs((await scan(page, server)).iat - server.now())).toBeLessThanOrEqual(30);
});

test("a browser that cannot keep keys is told so before its invitation is spent", async ({ page, server }) => {
  await page.addInitScript(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException("no", "InvalidStateError");
    };
  });
  await page.goto(`${server.page}#${CODE}`);
  await expect(heading(page)).toHaveText("This browser can’t be used");
  await expectAccessible(page, "unfit");
  expect(server.invitations.get(CODE)).toBe(3);
});

for (const what of ["make keys for more codes", "keep the codes that it fetched"]) {
  test(`a browser that once fails to ${what} has codes when it is tried again`, async ({ page, server }) => {
    await page.addInitScript((makesKeys) => {
      // The first key is made to see whether the browser can keep one.
      const target: object = makesKeys ? SubtleCrypto.prototype : IDBObjectStore.prototype;
      const [name, failing] = makesKeys ? ["generateKey", 2] : ["add", 1];
      const act = Reflect.get(target, name);
      let calls = 0;
      Reflect.set(target, name, function (this: object, ...given: unknown[]) {
        calls += 1;
        if (calls === failing) {
          throw new DOMException("no", "QuotaExceededError");
        }
        return act.apply(this, given);
      });
    }, what.startsWith("make"));
    await page.goto(`${server.page}#${CODE}`);
    await expect(heading(page)).toHaveText("That did not work");
    await page.locator("#retry").click();
    await shown(page);
    await scan(page, server);
  });
}

test("the keyboard reaches everything, and removal leaves nothing", async ({ page, server }) => {
  await invited(page, server);
  await workerActive(page);
  const before = await shown(page);
  await page.keyboard.press("Tab");
  await expect(page.locator("#renew")).toBeFocused();
  await expect(page.locator("#renew"), "the focus is visible").toHaveCSS("outline-style", "solid");
  await page.keyboard.press("Enter");
  await shown(page, before);
  await expect(page.locator("#spoken")).toHaveText("A new code is on the screen.");
  await page.keyboard.press("Tab");
  await expect(page.locator("#remove")).toBeFocused();
  await page.keyboard.press("Space");
  await expect(page.locator("#keep"), "the harmless answer comes first").toBeFocused();
  await expectAccessible(page, "the question");
  await page.keyboard.press("Escape");
  await expect(page.locator("#remove")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator("#keep")).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(heading(page)).toHaveText("Removed");
  await expect(heading(page)).toBeFocused();
  await expect.poll(() => page.evaluate(() => caches.keys())).toEqual([]);
  await expect
    .poll(() => page.evaluate(() => navigator.serviceWorker.getRegistrations().then(({ length }) => length)))
    .toBe(0);
  await expect.poll(() => page.evaluate(countRecords)).toBe(0);
  await expectAccessible(page, "removed");
  await invitedAgain(page, CODE);
  await shown(page);
  await workerActive(page);
});

/** How many records the page's database has. */
function countRecords(): Promise<number> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("assay-holder");
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const database = opening.result;
      const transaction = database.transaction([...database.objectStoreNames]);
      const counts = [...database.objectStoreNames].map((name) => transaction.objectStore(name).count());
      transaction.oncomplete = () => resolve(counts.reduce((sum, { result }) => sum + result, 0));
    };
  });
}

for (const { look, ...options } of [
  { look: "in light" },
  { look: "in the dark", colorScheme: "dark" },
  {
    look: "on a narrow screen, at rest",
    viewport: { width: 320, height: 568 },
    deviceScaleFactor: 1,
    contextOptions: { reducedMotion: "reduce" },
  },
  { look: "zoomed to 200 %", viewport: { width: 640, height: 400 } },
  { look: "on a phone on its side", viewport: { width: 740, height: 360 }, deviceScaleFactor: 3 },
  { look: "on a desk", viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 },
  { look: "in forced colours", colorScheme: "dark", contextOptions: { forcedColors: "active" } },
] as const) {
  test.describe(() => {
    test.use(options);
    test(`it is accessible and scans ${look}`, async ({ page, server }) => {
      await invited(page, server);
      await expectAccessible(page, look);
      const box = await page.locator("#code").boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0), "the code is large").toBeGreaterThanOrEqual(300);
      await page.locator("#code").evaluate((code) => code.scrollIntoView({ block: "center" }));
      await scan(page, server);
    });
  });
}

test("it speaks German to those who ask for it, and prints no code", async ({ page, server }) => {
  await page.addInitScript(() => {
    Object.defineProperty(navigator, "languages", { get: () => ["fr", "de-AT", "en"] });
  });
  await invited(page, server);
  await expect(heading(page)).toHaveText("Über\u00a018");
  await expect(page.locator("html")).toHaveAttribute("lang", "de");
  await page.emulateMedia({ media: "print" });
  await expect(page.locator("#code")).toBeHidden();
  await expect(page.locator("body")).toContainText("nicht gedruckt");
});

test("two tabs share one batch, and what nobody sees spends nothing", async ({ context, page, server }) => {
  const shift = await ownClock(page);
  await invited(page, server);
  const first = await scan(page, server);
  await showPage(page, false);
  const other = await context.newPage();
  await other.goto(server.page);
  await shown(other);
  await expect(count(other)).toHaveText("118 more codes");
  // The first tab's code is over, and it is asked to look; the next credential is the visible tab's all the same.
  await shift(31);
  await tellOnline(page);
  await expect(count(other)).toHaveText("117 more codes");
  await renew(other);
  await expect(count(other)).toHaveText("116 more codes");
  await other.locator("#remove").click();
  await other.locator("#confirm").click();
  await expect(heading(page)).toHaveText("Open your link");
  await invitedAgain(other, CODE);
  await shown(other);
  expect((await scan(other, server)).id).not.toEqual(first.id);
  expect(batches(server)).toBe(2);
});
