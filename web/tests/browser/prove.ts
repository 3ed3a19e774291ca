// Goes through pages of age sessions as people would, on a server that is there:
// npm run --silent prove -- WALKS.json
//
// WALKS.json is a list of `Group`. The walks of a group go on beside each other, groups one after the other: after each its
// `Report` is printed, in JSON on a line of its own, and nothing goes on before a line was read. What walks have as `later`
// is done after the last group, in pages that stayed open all the while. Screenshots go into the folder that SHOTS names.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findings } from "./accessible";
import { Chromium, type Page } from "./chromium";
import * as person from "./person";
import { pressed } from "./presses";
import { scanScreen } from "./scanner";

/** Something that a person does or sees: a name of `Walker`'s and what belongs to it. */
type Act = [kind: string, ...more: string[]];

/** One person. */
interface Walk {
  /** What its screenshots are called. */
  name: string;
  acts: Act[];
  later?: Act[];
  /** What the browser asks for; English unless said. */
  language?: string;
}

interface Group {
  name: string;
  walks: Walk[];
}

interface Walked {
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
  walked: Walked[];
}

/** Longer than this nothing takes, not even on a machine with much else to do. */
const PATIENCE_MS = 120_000;
/** After so long the picture is taken by hand. */
const BY_HAND_MS = 15_000;
const TEXT = "document.body.innerText";
const HEADING = `document.querySelector("h1").textContent`;

/** Notes forty-eight bytes out of the middle of each picture that this page, or one in a frame of it, sends. */
const NOTES_PICTURES = `if (globalThis.XMLHttpRequest) {
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

/** Screens that were judged: each is, once, however many people see it. */
const judged = new Set<string>();

class Walker {
  readonly #walk: Walk;
  readonly #page: Page;
  readonly #walked: Walked;
  #shots = 0;

  private constructor(walk: Walk, page: Page) {
    this.#walk = walk;
    this.#page = page;
    this.#walked = { name: walk.name, seen: [], noted: {}, pictures: [], wrong: [] };
  }

  /** `context` is the profile of somebody who is there already. */
  static async begin(chromium: Chromium, walk: Walk, context?: string): Promise<Walker> {
    const page = await person.openFor(chromium, walk.language ?? "en-GB", context);
    await page.send("Emulation.setFocusEmulationEnabled", { enabled: true });
    await page.prepare(NOTES_PICTURES);
    return new Walker(walk, page);
  }

  async go(acts: Act[]): Promise<void> {
    for (const [kind, ...more] of acts) {
      try {
        await this.#act(kind, more);
      } catch (error) {
        const said = await this.#page.evaluate(TEXT).catch(String);
        throw new Error(`${this.#walk.name}, ${kind} ${more.join(" ")}: ${error}\nthe page says: ${said}`);
      }
    }
  }

  async end(): Promise<Walked> {
    const { complaints, target } = this.#page;
    this.#walked.wrong.push(...complaints);
    await this.#page.chromium.send("Target.closeTarget", { targetId: target });
    return this.#walked;
  }

  async #act(kind: string, [first = "", second = ""]: string[]): Promise<void> {
    const page = this.#page;
    switch (kind) {
      case "open": {
        await person.allow(page, new URL(first).origin, true);
        await page.go("about:blank");
        return page.go(first);
      }
      case "way":
        return this.#press(
          `[...document.querySelectorAll(".way")].find((one) => one.firstElementChild.textContent === %)`,
          first,
        );
      case "press":
        return person.click(page, first);
      case "see":
        return this.#see(first);
      case "says":
        return void (await page.until(`${TEXT}.includes(${JSON.stringify(first)})`, PATIENCE_MS));
      case "arrives":
        return void (await page.until(`location.href.startsWith(${JSON.stringify(first)})`, PATIENCE_MS));
      case "type":
        return this.#type(first, second);
      case "reach":
        return page.reach(first);
      case "key":
        return page.press(first as "Tab");
      case "insert":
        return void (await page.send("Input.insertText", { text: first }));
      case "stop":
        return this.#stop();
      case "picture":
        return this.#picture();
      case "document":
        return this.#document(first, second);
      case "authenticator":
        return this.#authenticator();
      case "note":
        this.#walked.noted[first] = await page.until(second, PATIENCE_MS);
        return;
      case "dark":
        return page.prefer({ "prefers-color-scheme": "dark" });
      case "wide":
        return page.resize(1024, 900);
      case "evaluate":
        return void (await page.evaluate(`${first}; undefined`));
      case "phone":
        return this.#beside("phone", await scanScreen(page), JSON.parse(first));
      case "tab":
        return this.#beside("tab", await page.until(`document.querySelector("a.main")?.href`), JSON.parse(first));
      default:
        throw new Error("nobody knows how to do that");
    }
  }

  async #press(found: string, name: string): Promise<void> {
    const element = found.replace("%", JSON.stringify(name));
    await this.#page.until(`${element} !== undefined`, PATIENCE_MS);
    await this.#page.evaluate(`${element}.click()`);
  }

  /** Waits for a screen, and looks at it as somebody who judges it does. */
  async #see(heading: string): Promise<void> {
    const page = this.#page;
    await person.heading(page, heading, PATIENCE_MS);
    this.#walked.seen.push(heading);
    await this.#judge(heading);
    await this.#shoot();
    const sent = (await page.evaluate("window.sentPictures ?? []")) as string[];
    this.#walked.pictures = [...new Set([...this.#walked.pictures, ...sent])];
  }

  async #judge(what: string): Promise<void> {
    const page = this.#page;
    const state: string = await page.evaluate(`[document.documentElement.lang, document.body.dataset.step, ${HEADING},
      document.querySelectorAll(".error:not([hidden]), .why:not([hidden])").length, matchMedia("(prefers-color-scheme: dark)").matches].join()`);
    if (!judged.has(state)) {
      judged.add(state);
      const found = await findings(page);
      this.#walked.wrong.push(...found.map((one) => `${what}: ${one}`));
      await person.assertLargeEnough(page, what);
    }
  }

  async #shoot(page = this.#page): Promise<void> {
    this.#shots += 1;
    if (process.env.SHOTS) {
      const name = `${this.#walk.name}-${String(this.#shots).padStart(2, "0")}.png`;
      writeFileSync(join(process.env.SHOTS, name), await page.screenshot());
    }
  }

  /** Types into the field with this label, as a keyboard does; a list or a date takes what it is given. */
  async #type(label: string, words: string): Promise<void> {
    const page = this.#page;
    const field = `[...document.querySelectorAll("label")].find((one) => one.textContent === ${JSON.stringify(label)})?.control`;
    await page.until(`${field} !== undefined`, PATIENCE_MS);
    await page.evaluate(`{ const one = ${field}; one.focus(); one.value = ""; }`);
    if (await page.evaluate(`${field}.type === "date" || ${field}.tagName === "SELECT"`)) {
      await page.evaluate(`{ const one = ${field}; one.value = ${JSON.stringify(words)}; }`);
    } else {
      await page.send("Input.insertText", { text: words });
    }
  }

  async #stop(): Promise<void> {
    const page = this.#page;
    await person.click(page, "Stop");
    await page.until(`document.querySelector("#sure").open`);
    await this.#judge("the question");
    await this.#shoot();
    await page.evaluate(`document.querySelector("#confirm").click()`);
  }

  /** Waits for the picture, which is taken by itself; where it is not, by hand. */
  async #picture(): Promise<void> {
    const page = this.#page;
    await page.until(`document.querySelector("video")?.videoWidth > 0`, PATIENCE_MS);
    await this.#judge("the camera");
    await this.#shoot();
    const began = Date.now();
    while (await page.evaluate(`document.querySelector(".viewer") !== null`)) {
      if (Date.now() > began + BY_HAND_MS) {
        await page.evaluate(`document.querySelector(".viewer .primary:not(:disabled)")?.click()`);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Goes through the page for documents in its frame; pictures are taken by hand. */
  async #document(country: string, type: string): Promise<void> {
    const page = this.#page;
    const inside = (program: string) => `{ with (document.querySelector("iframe").contentWindow) { ${program} } }`;
    const at = `document.querySelector("iframe")?.contentDocument?.body?.dataset.step`;
    await page.until(at, PATIENCE_MS);
    const acts = pressed({ country, type });
    const end = Date.now() + PATIENCE_MS;
    let last = "";
    while (Date.now() < end) {
      const now: string = await page.evaluate(`${at} ?? "away"`);
      if (now === "away" || now === "done") {
        return;
      }
      if (now !== last) {
        last = now;
        await this.#judge(`the frame at ${now}`);
        await this.#shoot();
      }
      if (now === "camera") {
        await page.evaluate(
          inside(`const take = document.querySelector(".viewer .primary");
            if (document.querySelector("video")?.videoWidth > 0 && take && !take.disabled) take.click();`),
        );
      } else if (acts[now]) {
        await page.evaluate(inside(`${acts[now]};`)).catch(() => undefined);
      }
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    throw new Error(`the document's page stands at ${last}`);
  }

  /** A device that keeps passkeys and has made sure who uses it. */
  async #authenticator(): Promise<void> {
    await this.#page.send("WebAuthn.enable");
    const options = {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    };
    await this.#page.send("WebAuthn.addVirtualAuthenticator", { options });
  }

  /** Goes on at an address beside this page: on a phone that scanned its code, or in another tab of the same browser. */
  async #beside(where: "phone" | "tab", link: string, acts: Act[]): Promise<void> {
    const walk = { ...this.#walk, name: `${this.#walk.name}-${where}` };
    const { chromium, context } = this.#page;
    const there = await Walker.begin(chromium, walk, where === "tab" ? context : undefined);
    await there.go([["open", link], ...acts]);
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
const film = process.env.FILM;
const chromium = await Chromium.start([
  "--use-fake-device-for-media-stream",
  "--autoplay-policy=no-user-gesture-required",
  ...(film ? [`--use-file-for-fake-video-capture=${film}`] : []),
]);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function report(group: string, walked: Walked[]): Promise<void> {
  const said: Report = { group, walked };
  process.stdout.write(`${JSON.stringify(said)}\n`);
  await lines.next();
}

try {
  const waiting: [Walker, Act[]][] = [];
  for (const { name, walks } of groups) {
    const all = await Promise.all(
      walks.map(async (walk) => {
        const walker = await Walker.begin(chromium, walk);
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
  await chromium.stop();
}
process.exit();
