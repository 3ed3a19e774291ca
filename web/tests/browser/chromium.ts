// Drives a headless Chromium over the DevTools protocol. Its pipe needs no package: messages end with a zero byte.

import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Readable, Writable } from "node:stream";

// What the protocol sends is read here and there by name; a type for each message would say no more.
// biome-ignore lint/suspicious/noExplicitAny: messages of the protocol
type Message = any;
type Waiting = { resolve(result: Message): void; reject(error: Error): void };

// Long enough for a busy machine; nothing waits for it where all is well.
const PATIENCE_MS = 180_000;

/** Where a browser is; `CHROMIUM` names another. */
export function findChromium(): string {
  const names = [process.env.CHROMIUM, "chromium", "chromium-browser", "google-chrome"].filter((name) => name);
  for (const name of names as string[]) {
    for (const folder of name.includes("/") ? [""] : (process.env.PATH ?? "").split(delimiter)) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // The next one, then.
      }
    }
  }
  throw new Error("no Chromium found; install Debian's package `chromium`, or say in CHROMIUM where it is");
}

export class Chromium {
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, (method: string, params: Message) => void>();
  #id = 0;
  #rest = "";

  private constructor(process: ChildProcess, profile: string) {
    this.#process = process;
    this.#profile = profile;
    const [, , , , output] = process.stdio;
    (output as Readable).setEncoding("utf8").on("data", (text: string) => this.#read(text));
  }

  /** Starts one; `more` are flags of its own, for example for a camera. */
  static async start(more: string[] = []): Promise<Chromium> {
    const profile = mkdtempSync(join(tmpdir(), "assay-chromium-"));
    const flags = [
      "--headless=new",
      "--remote-debugging-pipe",
      `--user-data-dir=${profile}`,
      "--no-first-run",
      "--no-default-browser-check",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-default-apps",
      "--disable-dev-shm-usage",
      "--disable-gpu",
      "--disable-sync",
      "--hide-scrollbars",
      "--force-color-profile=srgb",
      "--password-store=basic",
      // Root has no sandbox to go into; the pages are our own.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      ...more,
      "about:blank",
    ];
    const child = spawn(findChromium(), flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    const chromium = new Chromium(child, profile);
    child.on("error", (error) => chromium.#fail(error));
    child.on("exit", () => chromium.#fail(new Error("Chromium ended")));
    // Tests that break off must not leave it behind.
    process.once("exit", () => child.kill("SIGKILL"));
    await chromium.send("Browser.getVersion");
    return chromium;
  }

  /** Sends a command, to the browser or to one of its pages. */
  send(method: string, params: object = {}, sessionId?: string): Promise<Message> {
    this.#id += 1;
    const id = this.#id;
    const input = this.#process.stdio[3] as Writable;
    input.write(`${JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) })}\0`);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method} was not answered`)), PATIENCE_MS);
      const settled = () => {
        clearTimeout(timer);
        this.#waiting.delete(id);
      };
      this.#waiting.set(id, {
        resolve: (result) => {
          settled();
          resolve(result);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      });
    });
  }

  /** A page in a profile of its own: nothing is kept from other pages. */
  async newPage(): Promise<Page> {
    const { browserContextId } = await this.send("Target.createBrowserContext");
    return this.openIn(browserContextId);
  }

  /** Another tab of a page's profile. */
  async openIn(browserContextId: string): Promise<Page> {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank", browserContextId });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId, browserContextId);
    this.#listeners.set(sessionId, (method, params) => page.hear(method, params));
    for (const domain of ["Page", "Runtime", "Network", "Log"]) {
      await page.send(`${domain}.enable`);
    }
    return page;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.send("Browser.close").catch(() => undefined);
    const late = setTimeout(() => this.#process.kill("SIGKILL"), 5000);
    await ended;
    clearTimeout(late);
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }

  #read(text: string): void {
    const messages = (this.#rest + text).split("\0");
    this.#rest = messages.pop() ?? "";
    for (const message of messages.map((json) => JSON.parse(json))) {
      const waiting = this.#waiting.get(message.id);
      if (message.error) {
        waiting?.reject(new Error(message.error.message));
      } else if (waiting) {
        waiting.resolve(message.result);
      } else {
        this.#listeners.get(message.sessionId)?.(message.method, message.params);
      }
    }
  }

  #fail(error: Error): void {
    for (const { reject } of [...this.#waiting.values()]) {
      reject(error);
    }
  }
}

const KEYS: Record<string, object> = {
  Tab: { key: "Tab", code: "Tab", windowsVirtualKeyCode: 9 },
  Enter: { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13, text: "\r" },
  Space: { key: " ", code: "Space", windowsVirtualKeyCode: 32, text: " " },
  ArrowDown: { key: "ArrowDown", code: "ArrowDown", windowsVirtualKeyCode: 40 },
  Escape: { key: "Escape", code: "Escape", windowsVirtualKeyCode: 27 },
};

export class Page {
  /** What went wrong inside: exceptions, errors in the console, violations of the content policy. */
  readonly complaints: string[] = [];
  /** Addresses that were asked for. */
  readonly requests: string[] = [];

  constructor(
    readonly chromium: Chromium,
    readonly session: string,
    readonly target: string,
    readonly context: string,
  ) {}

  send(method: string, params: object = {}): Promise<Message> {
    return this.chromium.send(method, params, this.session);
  }

  hear(method: string, params: Message): void {
    if (method === "Runtime.exceptionThrown") {
      this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    } else if (method === "Log.entryAdded" && params.entry.level === "error" && params.entry.source !== "network") {
      this.complaints.push(params.entry.text);
    } else if (method === "Network.requestWillBeSent") {
      this.requests.push(params.request.url);
    }
  }

  async go(url: string): Promise<void> {
    const { errorText } = await this.send("Page.navigate", { url });
    if (errorText) {
      throw new Error(`${url}: ${errorText}`);
    }
    // The answer comes when the page begins, not when there is something to look at.
    await this.until(`document.readyState !== "loading"`);
  }

  async reload(): Promise<void> {
    await this.send("Page.reload");
  }

  /** The value of an expression in the page; promises are awaited. */
  async evaluate(expression: string): Promise<Message> {
    const asked = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", asked);
    if (exceptionDetails) {
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    }
    return result.value;
  }

  /** Waits until an expression is true, and answers it. */
  async until(expression: string, patience = PATIENCE_MS): Promise<Message> {
    const end = Date.now() + patience;
    while (true) {
      // While a page is being replaced there is nothing to evaluate in.
      const value = await this.evaluate(expression).catch(() => undefined);
      if (value) {
        return value;
      }
      if (Date.now() > end) {
        const text = await this.evaluate("document.body.innerText").catch(String);
        throw new Error(`never true: ${expression}\nthe page says: ${text}\n${this.complaints.join("\n")}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Presses Tab until what has the focus is called this. */
  async reach(name: string): Promise<void> {
    for (let presses = 0; presses < 60; presses += 1) {
      await this.press("Tab");
      const focused: string = await this.evaluate(`((one) =>
        (one.labels?.[0]?.textContent ?? one.getAttribute("aria-label") ?? one.textContent).trim())(document.activeElement)`);
      if (focused === name) {
        return;
      }
    }
    throw new Error(`${name} is out of the keyboard's reach`);
  }

  async press(name: keyof typeof KEYS & string): Promise<void> {
    const key = KEYS[name];
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", ...key });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...key, text: undefined });
  }

  /** A picture of what is on the screen, PNG. */
  async screenshot(): Promise<Uint8Array<ArrayBuffer>> {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    return Uint8Array.from(Buffer.from(data, "base64"));
  }

  /** The window in CSS pixels, and how many device pixels each has. */
  async resize(width: number, height: number, scale = 1): Promise<void> {
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: scale, mobile: false });
  }

  /** Media features, for example `prefers-color-scheme: dark`. */
  async prefer(features: Record<string, string>, media = ""): Promise<void> {
    const list = Object.entries(features).map(([name, value]) => ({ name, value }));
    await this.send("Emulation.setEmulatedMedia", { media, features: list });
  }

  /** Runs before any program of the pages to come. */
  async prepare(source: string): Promise<void> {
    await this.send("Page.addScriptToEvaluateOnNewDocument", { source });
  }

  async close(): Promise<void> {
    await this.chromium.send("Target.closeTarget", { targetId: this.target });
  }
}
