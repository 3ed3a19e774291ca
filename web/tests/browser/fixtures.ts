// What the tests of the pages have beside Playwright's own: a camera with a film in it, profiles that are watched, and a
// stand-in for the server.

import { type BrowserContext, type BrowserContextOptions, test as base, expect } from "@playwright/test";
import { makeFilm } from "./camera-film";
import { launchOptions } from "./chromium";
import { observePages, type PageObserver } from "./page-observer";

export { expect, type Page } from "@playwright/test";

interface TestFixtures {
  /** What the pages said that went wrong, and whom they asked; judged after each test. */
  observed: PageObserver;
  /** Opens a profile of somebody else. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
}

interface WorkerFixtures {
  /** Whether a film of a card and of a face stands before the camera. */
  filmed: boolean;
  film: string | undefined;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  filmed: [false, { option: true, scope: "worker" }],
  film: [
    async ({ filmed }, use) => {
      const film = filmed ? makeFilm() : undefined;
      await use(film?.file);
      film?.remove();
    },
    { scope: "worker" },
  ],
  launchOptions: [async ({ film }, use) => use(launchOptions(film)), { scope: "worker" }],
  observed: [
    async ({ context }, use) => {
      const observed = observePages(context);
      await use(observed);
      expect(observed.errors).toEqual([]);
      expect(observed.externalRequests(), "asked somebody else").toEqual([]);
    },
    { auto: true },
  ],
  newContext: async ({ browser, observed, locale, viewport }, use) => {
    const opened: BrowserContext[] = [];
    await use(async (options) => {
      const context = await browser.newContext({ locale: locale ?? "en-GB", viewport, ...options });
      opened.push(context);
      observed.add(context);
      return context;
    });
    await Promise.all(opened.map((context) => context.close()));
  },
});

interface StandInServer {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The same beside a stand-in for the server, which each test has for itself. */
export function withServer<S extends StandInServer>(make: () => S) {
  return test.extend<{ server: S }>({
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from it that nothing else is needed.
    server: async ({}, use) => {
      const server = make();
      await server.start();
      await use(server);
      await server.stop();
    },
  });
}
