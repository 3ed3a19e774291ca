// What the pages of a browser's profile say that went wrong, and whom they ask.

import type { BrowserContext } from "@playwright/test";

const OWN_ADDRESS = /^(http:\/\/(127\.0\.0\.1|localhost):|blob:|data:|about:blank)/;

export class Observed {
  /** Exceptions, errors in the console, violations of the content policy. */
  readonly complaints: string[] = [];
  /** Addresses that were asked for. */
  readonly requests: string[] = [];

  /** Watches another profile as well. */
  add(context: BrowserContext): void {
    context.on("weberror", (error) => this.complaints.push(error.error().stack ?? String(error.error())));
    context.on("console", (message) => {
      // That a request failed is logged by the browser itself, and what comes of it is the test's matter.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
        this.complaints.push(message.text());
      }
    });
    context.on("request", (request) => this.requests.push(request.url()));
  }

  /** Addresses of anybody but this machine. */
  elsewhere(): string[] {
    return this.requests.filter((url) => !OWN_ADDRESS.test(url));
  }

  /** Forgets the complaints that a test has caused on purpose. */
  forgive(expected: RegExp): void {
    const others = this.complaints.filter((complaint) => !expected.test(complaint));
    this.complaints.splice(0, this.complaints.length, ...others);
  }
}

export function observe(context: BrowserContext): Observed {
  const observed = new Observed();
  observed.add(context);
  return observed;
}
