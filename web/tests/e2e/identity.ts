// Goes through pages of verification sessions as people would, on a server that is there, one after the other:
// npm run --silent e2e:identity -- WALKS.json
//
// WALKS.json is a list of `Walk`. Prints what was seen, as a list in JSON: each step with its heading and words, how it
// ended, where it left to, and what was wrong with the page. Screenshots go into the folder that SHOTS names.

import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "@playwright/test";
import { accessibilityViolations } from "../browser/accessibility";
import { allowCamera, confirmStop, expect } from "../browser/actions";
import { launch, TIMEOUT_MS } from "../browser/chromium";
import { observePages } from "../browser/page-observer";
import { type Choice, pressThrough, takePicture } from "./document-page";

/** One person, one session. */
interface Walk extends Choice {
  /** What its screenshots are called. */
  name: string;
  /** The page, with the session's id and token. */
  address: string;
  /**
   * What stands before the camera, in Y4M (4:2:0, BT.601, narrow range; Chromium takes the rate from the file). Without
   * films nothing is pressed: somebody who leaves the page alone.
   */
  films?: { front?: string; back?: string; face: string };
  /** The size of their screen; that of a phone, if nothing is said. */
  viewport?: { width: number; height: number };
  /** Whether they come nearer when the page asks for it. */
  approaches?: boolean;
  /** The step at which the person stops. */
  stop?: string;
  /** Whether the business has given an address to go to at the end. */
  leaves?: boolean;
}

interface SeenStep {
  step: string;
  heading: string;
  words: string;
  /** What was told before the camera, one after the other. */
  advice: string[];
}

/** What there is to see at a moment. */
interface PageSnapshot {
  /** Whether the page sent its person back to the business. */
  left: boolean;
  step: string;
  heading: string;
  words: string;
  advice: string | undefined;
  /** What the page wants to have before the camera that it opens now. */
  wanted: "front" | "back" | "face" | undefined;
  /** Whether the camera shows something. */
  live: boolean;
}

interface WalkResult {
  name: string;
  steps: SeenStep[];
  ended: SeenStep;
  left: string | undefined;
  wrong: string[];
}

/** Longer than this no walk takes, not even on a machine with much else to do. */
const WALK_MS = 2 * TIMEOUT_MS;
/** After so long the picture is taken by hand. */
const BY_HAND_MS = 60_000;
const ENDS = ["done", "over", "broken"];

/** Chromium opens its file whenever a page opens the camera, so another one may lie there each time. */
const folder = mkdtempSync(join(tmpdir(), "assay-films-"));
const camera = join(folder, "camera.y4m");

function putBeforeCamera(film: string): void {
  symlinkSync(film, `${camera}.next`);
  renameSync(`${camera}.next`, camera);
}

/** What the pages of a walk share with this program. */
interface SharedWindow extends Window {
  wanted?: PageSnapshot["wanted"];
  cameraIsReady?(): void;
  tellLook?(look: PageSnapshot): void;
}

/** Makes a page that opens the camera say what it wants to see there, and wait until that stands before it. */
async function announceCamera(page: Page): Promise<void> {
  await page.addInitScript(() => {
    if (!globalThis.MediaDevices) {
      return;
    }
    const shared = window as SharedWindow;
    const open = MediaDevices.prototype.getUserMedia;
    MediaDevices.prototype.getUserMedia = async function (constraints) {
      const video = constraints?.video as { facingMode?: { ideal?: string } } | undefined;
      const heading = document.querySelector("h1")?.textContent;
      shared.wanted = video?.facingMode?.ideal === "user" ? "face" : heading === "Back" ? "back" : "front";
      await new Promise<void>((resolve) => {
        shared.cameraIsReady = resolve;
      });
      delete shared.wanted;
      return open.call(this, constraints);
    };
  });
}

/**
 * Makes the person before the camera come nearer while the page asks for it: a little each time that it has looked, so that
 * how busy the machine is decides how long it takes and not what is seen. What is shown is cut out of the film.
 */
async function approach(page: Page): Promise<void> {
  await page.addInitScript(() => {
    if (!globalThis.MediaDevices) {
      return;
    }
    const [width, height, nearest, step] = [1920, 1080, 2.4, 1.02];
    let [zoom, looked] = [1, false];
    const draw = CanvasRenderingContext2D.prototype.drawImage;
    CanvasRenderingContext2D.prototype.drawImage = function (this: CanvasRenderingContext2D, ...all: unknown[]) {
      looked ||= all[0] instanceof HTMLVideoElement;
      Reflect.apply(draw, this, all);
    } as typeof draw;
    const open = MediaDevices.prototype.getUserMedia;
    MediaDevices.prototype.getUserMedia = async function () {
      const film = Object.assign(document.createElement("video"), {
        srcObject: await open.call(this, { video: true }),
      });
      await film.play();
      const canvas = Object.assign(document.createElement("canvas"), { width, height });
      const context = canvas.getContext("2d") as CanvasRenderingContext2D;
      const show = () => {
        if (looked && document.querySelector(".advice")?.textContent === "Now come slowly nearer") {
          zoom = Math.min(nearest, zoom * step);
        }
        looked = false;
        const { videoWidth, videoHeight } = film;
        const [w, h] = [videoWidth / zoom, videoHeight / zoom];
        draw.call(context, film, (videoWidth - w) / 2, (videoHeight - h) / 2, w, h, 0, 0, width, height);
      };
      show();
      setInterval(show, 100);
      return canvas.captureStream();
    };
  });
}

/**
 * What there was to see on a page, each time something else than before. The page tells it by itself, so that nothing is
 * missed that was there, however busy the machine is and wherever the page goes next.
 */
class PageSnapshots {
  #new: PageSnapshot[] = [];
  #told: () => void = () => undefined;

  static async of(page: Page): Promise<PageSnapshots> {
    const looks = new PageSnapshots();
    await page.exposeFunction("tellLook", (look: PageSnapshot) => {
      looks.#new.push(look);
      looks.#told();
    });
    await page.addInitScript(() => {
      if (window !== window.top) {
        return;
      }
      const shared = window as SharedWindow;
      const find = (selector: string) => document.querySelector<HTMLElement>(selector);
      let last = "";
      const tell = () => {
        const now = {
          left: !location.pathname.includes("/web/"),
          step: document.body?.dataset.step ?? "",
          heading: find("h1")?.textContent ?? "",
          words: find("#body")?.innerText ?? "",
          advice: find(".advice")?.textContent ?? undefined,
          wanted: shared.wanted,
          live: (document.querySelector("video")?.videoWidth ?? 0) > 0,
        };
        const text = JSON.stringify(now);
        if ((now.left || now.step) && text !== last) {
          last = text;
          shared.tellLook?.(now);
        }
      };
      setInterval(tell, 100);
    });
    return looks;
  }

  /** Waits until there is something new to see; nothing where that takes too long. */
  async next(): Promise<PageSnapshot[]> {
    if (this.#new.length === 0) {
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, BY_HAND_MS);
        this.#told = () => {
          clearTimeout(late);
          resolve();
        };
      });
    }
    return this.#new.splice(0);
  }
}

async function shoot(page: Page, name: string): Promise<void> {
  if (process.env.SHOTS) {
    await page.screenshot({ path: join(process.env.SHOTS, `${name}.png`) });
  }
}

async function stop(page: Page, name: string): Promise<void> {
  await page.locator("#stop").click();
  await expect(page.locator("#sure")).toBeVisible();
  await shoot(page, `${name}-stop`);
  await confirmStop(page);
}

/** Goes on until the page has ended. */
async function go(page: Page, looks: PageSnapshots, walk: Walk): Promise<SeenStep[]> {
  const seen: SeenStep[] = [];
  const end = Date.now() + WALK_MS;
  let last: PageSnapshot | undefined;
  let shotLive = false;
  let stopped = false;
  while (Date.now() < end) {
    let entered = false;
    const shown = await looks.next();
    for (const { left, step, heading, words, advice } of shown) {
      if (left) {
        return seen;
      }
      const current = seen.at(-1);
      if (current?.step !== step || current.heading !== heading) {
        entered = true;
        seen.push({ step, heading, words, advice: advice ? [advice] : [] });
      } else if (advice && current.advice.at(-1) !== advice) {
        current.advice.push(advice);
      }
    }
    const now = shown.at(-1);
    if (!now) {
      if (last && walk.films) {
        await (last.live ? takePicture(page.mainFrame()) : pressThrough(page.mainFrame(), last.step, walk));
      }
      continue;
    }
    last = now;
    const { step, wanted, live } = now;
    const name = `${walk.name}-${seen.length - 1}-${step}`;
    if (entered) {
      shotLive = false;
      await shoot(page, name);
    }
    if (ENDS.includes(step)) {
      if (walk.leaves) {
        continue;
      }
      return seen;
    }
    if (wanted && walk.films) {
      putBeforeCamera(walk.films[wanted] ?? walk.films.front ?? walk.films.face);
      await page.evaluate(() => (window as SharedWindow).cameraIsReady?.());
    }
    if (step === "camera" && live && !shotLive) {
      shotLive = true;
      await shoot(page, `${name}-open`);
    }
    if (step === walk.stop && !stopped && (step !== "camera" || live)) {
      stopped = true;
      await stop(page, walk.name);
    } else if (entered && walk.films) {
      await pressThrough(page.mainFrame(), step, walk);
    }
  }
  throw new Error(`${walk.name} did not end: ${JSON.stringify(seen)}`);
}

async function walkThrough(browser: Browser, walk: Walk): Promise<WalkResult> {
  const context = await browser.newContext({ locale: "en-GB", viewport: walk.viewport ?? { width: 390, height: 844 } });
  context.setDefaultTimeout(TIMEOUT_MS);
  const observed = observePages(context);
  const page = await context.newPage();
  if (walk.approaches) {
    await approach(page);
  }
  await announceCamera(page);
  const looks = await PageSnapshots.of(page);
  await allowCamera(page, new URL(walk.address).origin, true);
  await page.goto(walk.address);
  const steps = await go(page, looks, walk);
  const wrong = walk.leaves ? [] : await accessibilityViolations(page);
  const left = walk.leaves ? page.url() : undefined;
  await context.close();
  return { name: walk.name, steps, ended: steps.at(-1) as SeenStep, left, wrong: [...wrong, ...observed.errors] };
}

const walks: Walk[] = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const first = walks.find(({ films }) => films)?.films;
if (process.env.SHOTS) {
  mkdirSync(process.env.SHOTS, { recursive: true });
}
if (first) {
  putBeforeCamera(first.face);
}
const browser = await launch(first && camera);
try {
  const walked: WalkResult[] = [];
  for (const walk of walks) {
    walked.push(await walkThrough(browser, walk));
  }
  process.stdout.write(`${JSON.stringify(walked)}\n`);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
