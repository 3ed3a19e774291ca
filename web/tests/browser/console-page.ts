// What the tests of the console's screens begin with: a stand-in for the server with people in it, and short words.

import type { Member } from "../../console/api/account";
import type { Operator } from "../../console/api/operators";
import { exactText } from "./actions";
import { ConsoleStandIn } from "./console-stand-in";
import { expect, type Page, withServer } from "./fixtures";

/** The secret of a link: of an invitation, or one that signs somebody in. */
export const TOKEN = "c0de-of_the-invitation-that-is-long-enough-1";

/** Tests in the window of a laptop, each beside a stand-in with what `prepare` puts into it. */
export function withConsole(prepare: (server: ConsoleStandIn) => void) {
  const test = withServer(() => {
    const server = new ConsoleStandIn();
    prepare(server);
    return server;
  });
  test.use({ viewport: { width: 1280, height: 800 } });
  return test;
}

/** The operators that there are; the link is the first one's. */
export function setOperators(server: ConsoleStandIn, first: Operator, ...others: Operator[]): void {
  server.operators.operators = [first, ...others];
  server.operatorLinks.set(TOKEN, first);
}

/** The members that there are; the link is the first one's. */
export function setMembers(server: ConsoleStandIn, first: Member, ...others: Member[]): void {
  server.members = [first, ...others];
  server.links.set(TOKEN, first);
}

export const heading = (page: Page, words: string | RegExp) => expect(page.locator("h1")).toHaveText(words);
export const spoken = (page: Page) => page.locator("#spoken");
export const rows = (page: Page) => page.locator("[role=rowgroup]:last-child > [role=row]");
export const button = (page: Page, name: string) => page.getByRole("button", { name: exactText(name) });
