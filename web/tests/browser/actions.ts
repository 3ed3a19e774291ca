// What a person does and sees on a page.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Browser, expect as base, type CDPSession, type Frame, type Locator, type Page } from "@playwright/test";
import { accessibilityViolations, type Rules, smallTargets } from "./accessibility";
import { TIMEOUT_MS } from "./chromium";

/** Patient outside the test runner, too. */
export const expect = base.configure({ timeout: TIMEOUT_MS });

/** Pictures of the screens lie here after the tests. */
const SHOTS = join(process.cwd(), "node_modules/.assay/shots");

/** So often Tab is pressed at most. */
const MAX_TABS = 100;
/** What Tab may lead to. */
const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";

/** What can be pressed and is called just this. */
export function pressableElement(root: Page | Frame, name: string): Locator {
  return root.locator("button, a, label").filter({ hasText: exactText(name), visible: true });
}

export async function press(root: Page | Frame, name: string): Promise<void> {
  await pressableElement(root, name).click();
}

/** A text that is just this, but for spaces around it. */
export function exactText(text: string): RegExp {
  return new RegExp(`^\\s*${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}\\s*$`);
}

/** A way to prove an age, by its name. */
export function method(root: Page | Frame, name: string): Locator {
  return root.locator(".way").filter({ has: root.locator("strong", { hasText: exactText(name) }) });
}

/** Fills in the field with this label. */
export async function fill(root: Page | Frame, label: string, value: string): Promise<void> {
  await root.getByLabel(label, { exact: true }).fill(value);
}

/** Presses Tab until what has the focus is called this. Waits until there is such a thing: a page that is still being made is no
 * page that lacks it. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  await expect.poll(() => page.locator(FOCUSABLE).evaluateAll(namesOf)).toContain(name);
  while (passed.length < MAX_TABS) {
    await page.keyboard.press("Tab");
    const [focused = ""] = await page.locator(":focus").evaluateAll(namesOf);
    if (focused === name) {
      return;
    }
    passed.push(focused);
  }
  throw new Error(`${name} is out of the keyboard's reach: ${passed.join(", ")}`);
}

/** How elements are called; it runs in the page. */
function namesOf(elements: Element[]): string[] {
  return elements.map((element) => {
    const { labels } = element as HTMLInputElement;
    return (labels?.[0]?.textContent ?? element.getAttribute("aria-label") ?? element.textContent ?? "").trim();
  });
}

/** Answers the question whether to stop with yes. */
export async function confirmStop(page: Page): Promise<void> {
  await expect(page.locator("#sure")).toHaveJSProperty("open", true);
  await page.locator("#confirm").click();
}

/** A permission lasts as long as the session that gave it. */
const sessions = new WeakMap<Browser, CDPSession>();

/** Says whether pages of an origin may use the camera. Playwright itself can only grant. */
export async function allowCamera(page: Page, origin: string, allowed: boolean): Promise<void> {
  const context = page.context();
  const browser = context.browser();
  const own = await context.newCDPSession(page);
  const { targetInfo } = await own.send("Target.getTargetInfo");
  // It stays: with any session of a page that is detached the page loses its virtual authenticators.
  if (!browser || !targetInfo.browserContextId) {
    throw new Error("the page is in no profile of a browser");
  }
  const session = sessions.get(browser) ?? (await browser.newBrowserCDPSession());
  sessions.set(browser, session);
  const { browserContextId } = targetInfo;
  const setting = allowed ? "granted" : "denied";
  await session.send("Browser.setPermission", { permission: { name: "camera" }, setting, origin, browserContextId });
}

/** A device that keeps passkeys and has made sure who uses it; answers how to ask for what it keeps. */
export async function addAuthenticator(page: Page): Promise<() => Promise<{ credentialId: string }[]>> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return async () => (await session.send("WebAuthn.getCredentials", { authenticatorId })).credentials;
}

/** Puts nothing before the camera that is ever taken by itself. */
export async function showEmptyRoom(page: Page): Promise<void> {
  await page.addInitScript(() => {
    if (!navigator.mediaDevices) {
      return;
    }
    navigator.mediaDevices.getUserMedia = async () => {
      const canvas = Object.assign(document.createElement("canvas"), { width: 640, height: 480 });
      const ground = canvas.getContext("2d");
      let shade = 90;
      setInterval(() => {
        shade = 180 - shade;
        if (ground) {
          ground.fillStyle = `rgb(${shade} ${shade} ${shade})`;
          ground.fillRect(0, 0, canvas.width, canvas.height);
        }
      }, 50);
      return canvas.captureStream(20);
    };
  });
}

export interface PluggedCameras {
  /** What was opened so far: a device by its name, or whichever looks this way. */
  opened(): Promise<string[]>;
  unplug(device: string): Promise<void>;
}

interface MediaAsk {
  exact?: string;
  ideal?: string;
}

/** Plugs cameras into a page that is open: one looks at the person, the others away from them. All of them show what its camera
 * shows. */
export async function plugInCameras(page: Page): Promise<PluggedCameras> {
  await page.evaluate(() => {
    const plugged = ["front", "rear", "wide"];
    const asked: string[] = [];
    Object.assign(window, { plugged, asked });
    const { mediaDevices } = navigator;
    const open = mediaDevices.getUserMedia.bind(mediaDevices);
    mediaDevices.enumerateDevices = async () =>
      plugged.map((deviceId) => ({ kind: "videoinput", deviceId }) as MediaDeviceInfo);
    mediaDevices.getUserMedia = async (constraints) => {
      const { deviceId, facingMode } = (constraints?.video ?? {}) as Record<string, MediaAsk>;
      asked.push(deviceId?.exact ?? facingMode?.ideal ?? "");
      const device = deviceId?.exact ?? (facingMode?.ideal === "user" ? "front" : "rear");
      if (!plugged.includes(device)) {
        throw new DOMException("", "OverconstrainedError");
      }
      const stream = await open(constraints);
      for (const track of stream.getTracks()) {
        track.getSettings = () => ({ deviceId: device });
      }
      return stream;
    };
  });
  return {
    opened: () => page.evaluate(() => (window as unknown as { asked: string[] }).asked),
    unplug: (device) =>
      page.evaluate((device) => {
        const { plugged } = window as unknown as { plugged: string[] };
        plugged.splice(plugged.indexOf(device), 1);
      }, device),
  };
}

/** Keeps track of every camera that the page opens; answers how to ask which of them still run: `live` or `ended`. */
export async function watchCameras(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const opened: MediaStream[] = [];
    Object.assign(window, { opened });
    const { mediaDevices } = navigator;
    if (mediaDevices) {
      const open = mediaDevices.getUserMedia.bind(mediaDevices);
      mediaDevices.getUserMedia = async (asked) => {
        const stream = await open(asked);
        opened.push(stream);
        return stream;
      };
    }
  });
  return () =>
    page.evaluate(() =>
      (window as unknown as { opened: MediaStream[] }).opened.flatMap((stream) =>
        stream.getTracks().map(({ readyState }) => readyState),
      ),
    );
}

/** From here on time goes by in the page only as the test says. The clock is put forward to a moment that no slow machine can be
 * past already. */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.pauseAt(Date.now() + 30_000);
}

/** As `page.route`, and in effect when it returns. A page that is open already comes to know of its first route some time later: on
 * a busy machine, one in a hundred goes past it to the server before that. */
export async function intercept(page: Page, ...route: Parameters<Page["route"]>): Promise<void> {
  await page.route(...route);
  if (page.url() === "about:blank") {
    return;
  }
  const probe = new URL("?intercepted", page.url()).href;
  await page.route(probe, (route) => route.fulfill({ status: 204 }));
  await expect.poll(() => page.evaluate(async (probe) => (await fetch(probe)).status, probe)).toBe(204);
  await page.unroute(probe);
}

/** Keeps the page from leaving for an address until what it answers is called: one that leaves by itself is looked at first. */
export async function holdAddress(page: Page, address: string | RegExp): Promise<() => void> {
  let letGo: () => void = () => undefined;
  const looked = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await intercept(page, address, (route) => looked.then(() => route.continue()));
  return letGo;
}

/** Has an application's address lead nowhere, as where it opens beside the page; answers how to ask for those that were called. */
export async function holdApplications(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const called: string[] = [];
    Object.assign(window, { called });
    navigation.addEventListener("navigate", (event) => {
      const { url } = event.destination;
      if (!/^(https?|about|blob):/.test(url)) {
        event.preventDefault();
        called.push(url);
      }
    });
  });
  return () => page.evaluate(() => (window as unknown as { called: string[] }).called);
}

export interface HeldCalls {
  /** The paths that were called, in their order. */
  readonly asked: readonly string[];
  /** Lets go what is held back, once there is something. */
  answer(): Promise<void>;
}

/** Holds calls of the page back until the test lets them go. */
export async function holdCalls(page: Page, address: string | RegExp, method?: string): Promise<HeldCalls> {
  const asked: string[] = [];
  const held: (() => void)[] = [];
  await intercept(page, address, async (route) => {
    const request = route.request();
    if (method === undefined || request.method() === method) {
      asked.push(new URL(request.url()).pathname);
      await new Promise<void>((resolve) => held.push(resolve));
    }
    await route.continue();
  });
  const answer = async () => {
    await expect.poll(() => held.length).toBeGreaterThan(0);
    for (const letGo of held.splice(0)) {
      letGo();
    }
  };
  return { asked, answer };
}

/** Has the page believe that somebody looks at it, or not; Playwright shows each of its pages as the one in front. */
export async function showPage(page: Page, seen: boolean): Promise<void> {
  await page.evaluate((seen) => {
    const get = () => (seen ? "visible" : "hidden");
    Object.defineProperty(document, "visibilityState", { get, configurable: true });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  }, seen);
}

/** Waits until the camera on the screen shows something, or has taken its picture already. */
export async function waitForCamera(root: Page | Frame): Promise<void> {
  const runs = () =>
    root.locator("video").evaluateAll(([video]) => !video || (video as HTMLVideoElement).videoWidth > 0);
  await expect.poll(runs).toBe(true);
}

/** Records headings and what is told before the camera, or other texts: a page that goes on by itself may be past them when it is
 * asked. */
export async function recordTexts(page: Page, selector = "h1, .advice"): Promise<void> {
  await page.addInitScript((selector) => {
    const recorded: string[] = [];
    Object.assign(window, { recorded });
    const look = () => {
      for (const element of document.querySelectorAll(selector)) {
        const text = element.textContent ?? "";
        if (text !== "" && !recorded.includes(text)) {
          recorded.push(text);
        }
      }
    };
    new MutationObserver(look).observe(document, { childList: true, characterData: true, subtree: true });
  }, selector);
}

/** What was recorded since the page was loaded, each text once. */
export function recordedTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => (window as unknown as { recorded?: string[] }).recorded ?? []);
}

/** Waits until a recorded text begins with these words. */
export async function expectRecorded(page: Page, words: string): Promise<void> {
  await expect.poll(async () => (await recordedTexts(page)).some((text) => text.startsWith(words))).toBe(true);
}

export async function expectAccessible(page: Page, what: string, rules?: Rules): Promise<void> {
  expect(await accessibilityViolations(page, rules), what).toEqual([]);
}

export async function expectLargeTargets(page: Page, what: string): Promise<void> {
  expect(await smallTargets(page), what).toEqual([]);
}

/** Keeps a picture of the window where somebody wants to look; with `SCREENSHOTS=no` nobody does. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS === "no") {
    return;
  }
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}
