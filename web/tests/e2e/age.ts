// Goes through pages of age sessions as people would, on a server that is there:
// npm run --silent e2e:age -- WALKS.json
//
// WALKS.json is a list of `Group`. The walks of a group go on beside each other, groups one after the other: after each its
// `Report` is printed, in JSON on a line of its own, and nothing goes on before a line was read. What walks have as `later`
// is done after the last group, in pages that stayed open all the while. Screenshots go into the folder that SHOTS names.

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Browser, type BrowserContext, errors, type Frame, type Page } from "@playwright/test";
import { accessibilityViolations, smallTargets } from "../browser/accessibility";
import {
  addAuthenticator,
  allowCamera,
  confirmStop,
  expect,
  fill,
  method,
  press,
  tabTo,
  waitForCamera,
} from "../browser/actions";
import { launch, TIMEOUT_MS } from "../browser/chromium";
import { observePages, type PageObserver } from "../browser/page-observer";
import { scanScreen } from "../browser/qr-scanner";
import { pressThrough, takePicture } from "./document-page";

/** Something that a person does or sees: a name of `Walker`'s and what belongs to it. */
type Action = [kind: string, ...more: string[]];

/** One person. */
interface Walk {
  /** What its screenshots are called. */
  name: string;
  acts: Action[];
  later?: Action[];
  /** What the browser asks for; English unless said. */
  language?: string;
}

interface Group {
  name: string;
  walks: Walk[];
}

interface WalkResult {
  name: string;
  /** Headings that were seen, one after the other. */
  seen: string[];
  /** What was noted, by what it was called. */
  noted: Record<string, unknown>;
  /** Parts of the pictures that the page sent, in base64. */
  pictures: string[];
  /** What was wrong with the page. */
  wrong: string[];
}

interface Report {
  group: string;
  walked: WalkResult[];
}

/** After so long the picture is taken by hand. */
const BY_HAND_MS = 15_000;

/** Notes forty-eight bytes out of the middle of each picture that this page, or one in a frame of it, sends. */
const RECORD_PICTURES = `if (globalThis.XMLHttpRequest) {
  const send = XMLHttpRequest.prototype.send;
  const note = (letters) => (top.sentPictures ??= []).push(letters);
  XMLHttpRequest.prototype.send = function (body) {
    if (typeof body === "string" && body.includes('"img":')) {
      const { img, frames = [] } = JSON.parse(body);
      for (const one of [img, ...frames.slice(0, 2)]) note(one.substr(Math.floor(one.length / 8) * 4, 64));
    }
    const blob = body instanceof FormData ? body.get("binary-content") : body;
    if (blob instanceof Blob && blob.size > 2000) {
      const middle = Math.floor(blob.size / 2);
      blob.slice(middle, middle + 48).arrayBuffer().then((bytes) => note(btoa(String.fromCharCode(...new Uint8Array(bytes)))));
    }
    return send.call(this, body);
  };
}`;

/** Tells every text that this page shows, so that none is missed that is gone before it is looked for. */
const RECORD_TEXTS = `if (window === top) {
  const tell = () => document.body && tellText(document.body.textContent);
  new MutationObserver(tell).observe(document, { childList: true, subtree: true, characterData: true });
}`;

/** Counts how often the camera was shown, because on a busy machine it may be gone before anybody looks. */
const RECORD_VIEWERS = `if (window === top) {
  window.viewersShown = 0;
  const isViewer = (node) => node instanceof Element && (node.matches(".viewer") || node.querySelector(".viewer"));
  new MutationObserver((records) => {
    window.viewersShown += records.flatMap((record) => [...record.addedNodes]).filter(isViewer).length;
  }).observe(document, { childList: true, subtree: true });
}`;

/** Screens that were judged: each is, once, however many people see it. */
const judged = new Set<string>();

class Walker {
  readonly #walk: Walk;
  readonly #page: Page;
  readonly #observed: PageObserver;
  readonly #walked: WalkResult;
  readonly #texts = new Set<string>();
  #shots = 0;

  private constructor(walk: Walk, page: Page, observed: PageObserver) {
    this.#walk = walk;
    this.#page = page;
    this.#observed = observed;
    this.#walked = { name: walk.name, seen: [], noted: {}, pictures: [], wrong: [] };
  }

  /** `there` is the profile of somebody who is there already. */
  static async begin(browser: Browser, walk: Walk, there?: BrowserContext): Promise<Walker> {
    const locale = walk.language ?? "en-GB";
    const context = there ?? (await browser.newContext({ locale, viewport: { width: 390, height: 844 } }));
    context.setDefaultTimeout(TIMEOUT_MS);
    const observed = observePages(context);
    const page = await context.newPage();
    await page.addInitScript(RECORD_PICTURES);
    const walker = new Walker(walk, page, observed);
    await page.exposeFunction("tellText", (text: string) => walker.#texts.add(text));
    await page.addInitScript(RECORD_TEXTS);
    await page.addInitScript(RECORD_VIEWERS);
    return walker;
  }

  async go(acts: Action[]): Promise<void> {
    for (const [kind, ...more] of acts) {
      try {
        await this.#act(kind, more);
      } catch (error) {
        const said = await this.#page.evaluate("document.body.innerText").catch(String);
        throw new Error(`${this.#walk.name}, ${kind} ${more.join(" ")}: ${error}\nthe page says: ${said}`);
      }
    }
  }

  async end(): Promise<WalkResult> {
    await this.#page.close();
    this.#walked.wrong.push(...this.#observed.errors);
    return this.#walked;
  }

  async #act(kind: string, [first = "", second = ""]: string[]): Promise<void> {
    const page = this.#page;
    switch (kind) {
      case "open": {
        await allowCamera(page, new URL(first).origin, true);
        await page.goto("about:blank");
        await page.goto(first);
        return;
      }
      case "host":
        // A business's own page, which no policy of ours is sent with.
        await page.route(first, (route) => route.fulfill({ contentType: "text/html", body: "" }));
        await page.goto(first);
        return;
      case "way":
        return method(page, first).click();
      case "press":
        return press(page, first);
      case "see":
        return this.#see(first);
      case "says":
        return expect(page.locator("body")).toContainText(first);
      case "showed":
        return expect.poll(() => [...this.#texts].some((text) => text.includes(first)), first).toBe(true);
      case "arrives":
        return page.waitForURL((url) => url.href.startsWith(first));
      case "type":
        return fill(page, first, second);
      case "reach":
        return tabTo(page, first);
      case "key":
        return page.keyboard.press(first);
      case "insert":
        return page.keyboard.insertText(first);
      case "stop":
        return this.#stop();
      case "picture":
        return this.#picture();
      case "document":
        return this.#document(first, second);
      case "authenticator":
        await addAuthenticator(page);
        return;
      case "note":
        return this.#note(first, second);
      case "dark":
        return page.emulateMedia({ colorScheme: "dark" });
      case "wide":
        return page.setViewportSize({ width: 1024, height: 900 });
      case "evaluate":
        await page.evaluate(`${first}; undefined`);
        return;
      case "phone":
        return this.#beside("phone", await scanScreen(page), JSON.parse(first));
      case "tab": {
        const link = page.locator("a.main");
        await expect(link).toHaveAttribute("href", /./);
        return this.#beside("tab", (await link.getAttribute("href")) ?? "", JSON.parse(first));
      }
      default:
        throw new Error("nobody knows how to do that");
    }
  }

  /** Waits for a screen, and looks at it as somebody who judges it does. */
  async #see(heading: string): Promise<void> {
    const page = this.#page;
    await expect(page.locator("h1")).toHaveText(heading);
    this.#walked.seen.push(heading);
    await this.#judge(heading);
    await this.#shoot();
    const sent = (await page.evaluate("window.sentPictures ?? []")) as string[];
    this.#walked.pictures = [...new Set([...this.#walked.pictures, ...sent])];
  }

  async #judge(what: string): Promise<void> {
    const page = this.#page;
    const state = await page.evaluate(() =>
      [
        document.documentElement.lang,
        document.body.dataset.step,
        document.querySelector("h1")?.textContent,
        document.querySelectorAll(".error:not([hidden]), .why:not([hidden])").length,
        matchMedia("(prefers-color-scheme: dark)").matches,
      ].join(),
    );
    if (!judged.has(state)) {
      judged.add(state);
      const found = [...(await accessibilityViolations(page)), ...(await smallTargets(page))];
      this.#walked.wrong.push(...found.map((one) => `${what}: ${one}`));
    }
  }

  async #shoot(): Promise<void> {
    this.#shots += 1;
    if (process.env.SHOTS) {
      const name = `${this.#walk.name}-${String(this.#shots).padStart(2, "0")}.png`;
      await this.#page.screenshot({ path: join(process.env.SHOTS, name) });
    }
  }

  /** Notes the value of an expression, once it is true. */
  async #note(name: string, expression: string): Promise<void> {
    const value = () => this.#page.evaluate(expression).catch(() => undefined);
    await expect.poll(value, expression).toBeTruthy();
    this.#walked.noted[name] = await value();
  }

  async #stop(): Promise<void> {
    const page = this.#page;
    await press(page, "Stop");
    await expect(page.locator("#sure")).toBeVisible();
    await this.#judge("the question");
    await this.#shoot();
    await confirmStop(page);
  }

  /** Waits for the picture, which is taken by itself; where it is not, by hand. */
  async #picture(): Promise<void> {
    const page = this.#page;
    const viewer = page.locator(".viewer");
    const shown = () => page.evaluate("window.viewersShown > 0 && (window.viewersShown -= 1, true)");
    await expect.poll(shown, { timeout: TIMEOUT_MS }).toBe(true);
    if (await viewer.isVisible()) {
      await waitForCamera(page);
      await this.#judge("the camera");
      await this.#shoot();
    }
    try {
      await viewer.waitFor({ state: "detached", timeout: BY_HAND_MS });
    } catch (error) {
      if (!(error instanceof errors.TimeoutError)) {
        throw error;
      }
      await takePicture(page.mainFrame());
      await viewer.waitFor({ state: "detached" });
    }
  }

  /** Goes through the page for documents in its frame; pictures are taken by hand. */
  async #document(country: string, type: string): Promise<void> {
    const page = this.#page;
    const inside = (): Frame | undefined => page.frames().find((frame) => frame.parentFrame() === page.mainFrame());
    const stepOf = async (): Promise<string> =>
      (await inside()
        ?.evaluate(() => document.body?.dataset.step)
        .catch(() => undefined)) ?? "away";
    await expect.poll(stepOf).not.toBe("away");
    let last = "";
    while (true) {
      await expect.poll(stepOf, `goes on after ${last}`).not.toBe(last);
      last = await stepOf();
      const frame = inside();
      if (!frame || last === "away" || last === "done") {
        return;
      }
      await this.#judge(`the frame at ${last}`);
      await this.#shoot();
      if (last === "camera") {
        await takePicture(frame);
      } else {
        await pressThrough(frame, last, { country, type });
      }
    }
  }

  /** Goes on at an address beside this page: on a phone that scanned its code, or in another tab of the same browser. */
  async #beside(where: "phone" | "tab", link: string, acts: Action[]): Promise<void> {
    const walk = { ...this.#walk, name: `${this.#walk.name}-${where}` };
    const there = await Walker.begin(browser, walk, where === "tab" ? this.#page.context() : undefined);
    await there.go([["open", new URL(link, this.#page.url()).href], ...acts]);
    const { seen, pictures, wrong } = await there.end();
    this.#walked.noted[where] = seen;
    this.#walked.pictures.push(...pictures);
    this.#walked.wrong.push(...wrong);
  }
}

const groups: Group[] = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
if (process.env.SHOTS) {
  mkdirSync(process.env.SHOTS, { recursive: true });
}
const browser = await launch(process.env.FILM);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function report(group: string, walked: WalkResult[]): Promise<void> {
  const said: Report = { group, walked };
  process.stdout.write(`${JSON.stringify(said)}\n`);
  await lines.next();
}

try {
  const waiting: [Walker, Action[]][] = [];
  for (const { name, walks } of groups) {
    const all = await Promise.all(
      walks.map(async (walk) => {
        const walker = await Walker.begin(browser, walk);
        await walker.go(walk.acts);
        if (walk.later) {
          waiting.push([walker, walk.later]);
          return [];
        }
        return [await walker.end()];
      }),
    );
    await report(name, all.flat());
  }
  const late = waiting.map(async ([walker, acts]) => {
    await walker.go(acts);
    return walker.end();
  });
  await report("later", await Promise.all(late));
} finally {
  await browser.close();
}
process.exit();
