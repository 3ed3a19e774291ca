// Goes through pages of verification sessions as people would, on a server that is there, one after the other:
// npm run --silent verify -- WALKS.json
//
// WALKS.json is a list of `Walk`. Prints what was seen, as a list in JSON: each step with its heading and words, how it
// ended, where it left to, and what was wrong with the page. Screenshots go into the folder that SHOTS names.

import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findings } from "./accessible";
import { Chromium, type Page } from "./chromium";
import { pressed } from "./presses";

/** One person, one session. */
interface Walk {
  /** What its screenshots are called. */
  name: string;
  /** The page, with the session's id and token. */
  address: string;
  /**
   * What stands before the camera, in Y4M (4:2:0, BT.601, narrow range; Chromium takes the rate from the file). Without
   * films nothing is pressed: somebody who leaves the page alone.
   */
  films?: { front?: string; back?: string; face: string };
  /** The document that is chosen, where there is a choice. */
  country?: string;
  type?: string;
  /** The step at which the person stops. */
  stop?: string;
  /** Whether the business has given an address to go to at the end. */
  leaves?: boolean;
}

interface Seen {
  step: string;
  heading: string;
  words: string;
  /** What was told before the camera, one after the other. */
  advice: string[];
}

/** What there is to see at a moment. */
interface Look {
  step: string;
  heading: string;
  words: string;
  advice: string | undefined;
  /** What the page wants to have before the camera that it opens now. */
  lookedFor: "front" | "back" | "face" | undefined;
}

interface Walked {
  name: string;
  steps: Seen[];
  ended: Seen;
  left: string | undefined;
  wrong: string[];
}

/** Longer than this no walk takes, not even on a machine with much else to do. */
const PATIENCE_MS = 240_000;
/** After so long the picture is taken by hand. */
const BY_HAND_MS = 60_000;
const STEP = "document.body.dataset.step";
const HEADING = `document.querySelector("h1").textContent`;
const LOOK = `({ step: ${STEP} ?? "", heading: ${HEADING}, words: document.querySelector("#body").innerText,
  advice: document.querySelector(".advice")?.textContent, lookedFor: window.lookedFor })`;
const ENDS = ["done", "over", "broken"];
/** Whether the page sent its person back to the business. */
const LEFT = `!location.pathname.includes("/web/")`;

/** Chromium opens its file whenever a page opens the camera, so another one may lie there each time. */
const folder = mkdtempSync(join(tmpdir(), "assay-films-"));
const camera = join(folder, "camera.y4m");

function point(film: string): void {
  symlinkSync(film, `${camera}.next`);
  renameSync(`${camera}.next`, camera);
}

/** A page that opens the camera says what it looks for, and waits until that stands before it. */
const WAITS = `if (globalThis.MediaDevices) {
  const open = MediaDevices.prototype.getUserMedia;
  MediaDevices.prototype.getUserMedia = async function (wanted) {
    const heading = ${HEADING};
    window.lookedFor = wanted.video.facingMode?.ideal === "user" ? "face" : heading === "Back" ? "back" : "front";
    while (window.lookedFor) await new Promise((resolve) => setTimeout(resolve, 50));
    return open.call(this, wanted);
  };
}`;

async function shoot(page: Page, name: string): Promise<void> {
  if (process.env.SHOTS) {
    writeFileSync(join(process.env.SHOTS, `${name}.png`), await page.screenshot());
  }
}

async function stop(page: Page, name: string): Promise<void> {
  await page.evaluate(`document.querySelector("#stop").click()`);
  await page.until(`document.querySelector("#sure").open`);
  await shoot(page, `${name}-stop`);
  await page.evaluate(`document.querySelector("#confirm").click()`);
  await page.until(`${STEP} === "over" || ${LEFT}`);
}

/** Goes on until the page has ended. */
async function go(page: Page, walk: Walk): Promise<Seen[]> {
  const seen: Seen[] = [];
  const end = Date.now() + PATIENCE_MS;
  let since = Date.now();
  let looked = false;
  while (Date.now() < end) {
    if (walk.leaves && (await page.evaluate(LEFT))) {
      return seen;
    }
    const { step, heading, words, advice, lookedFor } = (await page.evaluate(LOOK)) as Look;
    const last = seen.at(-1);
    const name = () => `${walk.name}-${seen.length}-${step}`;
    if (last?.step !== step || last.heading !== heading) {
      since = Date.now();
      looked = false;
      seen.push({ step, heading, words, advice: [] });
      await shoot(page, name());
    } else if (advice && last.advice.at(-1) !== advice) {
      last.advice.push(advice);
    }
    if (ENDS.includes(step)) {
      return seen;
    }
    if (lookedFor && walk.films) {
      point(walk.films[lookedFor] ?? walk.films.front ?? walk.films.face);
      await page.evaluate("window.lookedFor = undefined");
    } else if (step === "camera" && !looked) {
      looked = await page.evaluate(`document.querySelector("video")?.videoWidth > 0`);
      if (looked) {
        since = Date.now();
        await shoot(page, `${name()}-open`);
      }
    }
    const act = walk.films && pressed(walk)[step];
    if (step === walk.stop && (step !== "camera" || looked)) {
      await stop(page, walk.name);
    } else if (act) {
      await page.evaluate(`${act}; undefined`);
      await page.until(`${STEP} !== ${JSON.stringify(step)} || ${HEADING} !== ${JSON.stringify(heading)}`);
    } else if (looked && walk.films && Date.now() - since > BY_HAND_MS) {
      since = Date.now();
      await page.evaluate(`document.querySelector(".viewer .primary")?.click()`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${walk.name} did not end: ${JSON.stringify(seen)}`);
}

async function walkThrough(chromium: Chromium, walk: Walk): Promise<Walked> {
  const page = await chromium.newPage();
  await page.send("Emulation.setLocaleOverride", { locale: "en-GB" });
  await page.prepare(`Object.defineProperty(navigator, "languages", { get: () => ["en-GB"] })`);
  await page.prepare(WAITS);
  await page.resize(390, 844);
  const { origin } = new URL(walk.address);
  const permission = { permission: { name: "camera" }, setting: "granted", origin, browserContextId: page.context };
  await chromium.send("Browser.setPermission", permission);
  await page.go(walk.address);
  await page.until(STEP);
  const steps = await go(page, walk);
  const wrong = walk.leaves ? [] : await findings(page);
  let left: string | undefined;
  if (walk.leaves) {
    left = await page.until(`${LEFT} && location.href`);
  }
  await page.close();
  return { name: walk.name, steps, ended: steps.at(-1) as Seen, left, wrong: [...wrong, ...page.complaints] };
}

const walks: Walk[] = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const first = walks.find(({ films }) => films)?.films;
if (process.env.SHOTS) {
  mkdirSync(process.env.SHOTS, { recursive: true });
}
if (first) {
  point(first.face);
}
const chromium = await Chromium.start([
  "--use-fake-device-for-media-stream",
  ...(first ? [`--use-file-for-fake-video-capture=${camera}`] : []),
]);
try {
  const walked: Walked[] = [];
  for (const walk of walks) {
    walked.push(await walkThrough(chromium, walk));
  }
  process.stdout.write(`${JSON.stringify(walked)}\n`);
} finally {
  await chromium.stop();
  rmSync(folder, { recursive: true, force: true });
}
