// What the pages of a browser's profile say that went wrong, and whom they ask.

import type { BrowserContext } from "@playwright/test";

const OWN_ADDRESS = /^(http:\/\/(127\.0\.0\.1|localhost):|blob:|data:|about:blank)/;

export class PageObserver {
  /** Exceptions, errors in the console, violations of the content policy. */
  readonly errors: string[] = [];
  /** Addresses that were asked for. */
  readonly requests: string[] = [];

  /** Watches another profile as well. */
  add(context: BrowserContext): void {
    context.on("weberror", (error) => this.errors.push(error.error().stack ?? String(error.error())));
    context.on("console", (message) => {
      // That a request failed is logged by the browser itself, and what comes of it is the test's matter.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
        this.errors.push(message.text());
      }
    });
    context.on("request", (request) => this.requests.push(request.url()));
  }

  /** Addresses of anybody but this machine. */
  externalRequests(): string[] {
    return this.requests.filter((url) => !OWN_ADDRESS.test(url));
  }

  /** Forgets the complaints that a test has caused on purpose. */
  ignore(expected: RegExp): void {
    const others = this.errors.filter((complaint) => !expected.test(complaint));
    this.errors.splice(0, this.errors.length, ...others);
  }
}

export function observePages(context: BrowserContext): PageObserver {
  const observed = new PageObserver();
  observed.add(context);
  return observed;
}
