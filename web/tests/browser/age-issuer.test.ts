// Blind tokens on the page of age sessions: the issuer's page in a tab of its own.

import type { Step } from "../../age/session";
import { packIds } from "../../shared/short-link";
import { method } from "../age-responses";
import { confirmStop, expectAccessible, press, tabTo, method as way } from "./actions";
import { accessible, arrive, embed, heading, keep, OVER, says, stored, test, toProvider, wayBackOf } from "./age-page";
import { AgeStandIn, ISSUER_SESSION, SDK_ID, SESSION } from "./age-stand-in";
import { expect, type Page } from "./fixtures";

/** The issuer's page in another tab of the same browser, once it has begun. */
async function atTheIssuer(page: Page, href: string, prepared = ""): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.addInitScript(prepared);
  await tab.goto(href);
  await heading(tab, OVER);
  expect(await tab.evaluate(() => location.hash + document.referrer)).toBe("");
  await expectAccessible(tab, "the issuer's page");
  await keep(tab, "23-token-issuer");
  await press(tab, "Go on");
  await says(tab, "Demo issuer checks your age here");
  return tab;
}

/** Shows the age to the issuer, by an address. */
async function showTheAge(tab: Page): Promise<void> {
  await tab.locator(".way").click();
  await heading(tab, "Your email address");
  await tab.getByRole("textbox").fill("ada@example.com");
  await press(tab, "Check");
  await heading(tab, "Type the code");
  await tab.getByRole("textbox").fill("123456");
  await press(tab, "Continue");
}

async function throughTheIssuer(page: Page, href: string, prepared = ""): Promise<Page> {
  const tab = await atTheIssuer(page, href, prepared);
  await showTheAge(tab);
  return tab;
}

/** The link to the issuer's page, once it is there; another one than the one that was used. */
async function toTheIssuer(page: Page, used = ""): Promise<string> {
  await heading(page, "Get an anonymous proof");
  const link = page.locator("a.main");
  await expect(link).toHaveAttribute("href", /./);
  await expect(link).not.toHaveAttribute("href", used);
  return (await link.getAttribute("href")) ?? "";
}

test("a blind token is had in another tab, which hears nothing of this one's session", async ({ page, server }) => {
  server.methods = [method("DOUBLE_ANONYMITY"), method("EMAIL")];
  await page.goto(server.page("double_anonymity"));
  const href = await toTheIssuer(page);
  const link = page.locator("a.main");
  await expect(link).toHaveAttribute("rel", "noopener noreferrer");
  await expect(link).toHaveAttribute("target", "_blank");
  expect(new URL(href).search).toBe("");
  expect(href).not.toContain(SESSION);
  expect(href).not.toContain(SDK_ID);
  await accessible(page, "the blind token");
  await keep(page, "23-token");
  await tabTo(page, `Open ${server.origin.slice(7)} in a new tab`);
  // Somebody else's words on the channel, which they cannot know, are none of the key's.
  await page.evaluate(
    (channel) => new BroadcastChannel(`assay-age-${channel}`).postMessage({ response: "A".repeat(342) }),
    new URLSearchParams(new URL(href).hash.slice(1)).get("c"),
  );
  await says(page, "What came back could not be used.");

  const tab = await throughTheIssuer(page, href);
  await heading(tab, "Your proof is ready");
  await expectAccessible(tab, "the proof is ready");
  await keep(tab, "23-token-ready");
  await says(tab, "You can close this one.");
  await heading(page, "Your age is confirmed");
  const asked = server.requests.findIndex(({ operation: what }) => what.includes("anonymity"));
  const atIssuer = server.requests
    .slice(asked)
    .filter(({ operation: what, body }) => !("token" in body) && what !== "GET ");
  expect(JSON.stringify(atIssuer)).not.toContain(SESSION);
  expect(server.requests[asked]?.body).toEqual({ threshold: 18 });
  expect(await stored(page)).toEqual({});
  expect(await stored(tab)).toEqual({});
});

for (const elsewhere of [false, true]) {
  const where = elsewhere ? "of another origin" : "of this server";
  test(`where an issuer ${where} gives nothing the other tab says so, and only a person ends it`, async ({
    page,
    server,
  }) => {
    const issuer = new AgeStandIn();
    await issuer.start();
    try {
      issuer.redeemers = [server.origin];
      server.issuer = elsewhere ? issuer.origin : undefined;
      server.methods = [method("DOUBLE_ANONYMITY"), method("EMAIL")];
      await page.goto(server.page("double_anonymity"));
      const first = await toTheIssuer(page);
      const tab = await atTheIssuer(page, first);
      await press(tab, "Stop");
      await expect(tab.locator("#meaning")).toContainText("No proof is made then.");
      await confirmStop(tab);
      await heading(tab, elsewhere ? "No proof was made" : "Stopped");
      await says(tab, "Go back to the tab in which you began.");
      await says(tab, "You can close this one.");
      await expectAccessible(tab, "nothing was issued");
      expect(await stored(tab)).toEqual({});
      await tab.close();
      await says(page, "Nothing came of it in the other tab.");
      await accessible(page, "nothing came of it");
      await keep(page, "23-token-nothing");
      expect(server.count(/ID$/)).toBe(0);

      // The link is a new one, by which the issuer does not know the person again.
      const second = await toTheIssuer(page, first);
      const words = (href: string) => new URLSearchParams(new URL(href).hash.slice(1));
      expect(words(second).get("c")).toBe(words(first).get("c"));
      expect(words(second).get("r")).not.toBe(words(first).get("r"));
      await press(page, "I cannot show it there");
      await heading(page, "Try it another way");
      expect(server.last(/ID$/).declined).toBe(true);
    } finally {
      await issuer.stop();
    }
  });
}

test("a tab that shows the age counts although another showed nothing", async ({ page, server }) => {
  server.methods = [method("DOUBLE_ANONYMITY"), method("EMAIL")];
  await page.goto(server.page("double_anonymity"));
  const href = await toTheIssuer(page);
  const vain = await atTheIssuer(page, href);
  await press(vain, "Stop");
  await confirmStop(vain);
  await says(page, "Nothing came of it in the other tab.");
  await toTheIssuer(page, href);
  // This one was opened by the first link.
  const tab = await throughTheIssuer(page, href);
  await heading(tab, "Your proof is ready");
  await heading(page, "Your age is confirmed");
});

test("an issuer's session is led by the tab that began it, and by no address", async ({ page, server }) => {
  // What somebody can do who wants another to show an age for them.
  await page.goto(`${server.origin}/thanks`);
  await page.evaluate(() => fetch("/age/v1/anonymity/sessions", { method: "POST", body: '{"threshold":18}' }));
  for (const address of [
    `?sessionId=${ISSUER_SESSION}&sdkId=${SDK_ID}`,
    `/email?sessionId=${ISSUER_SESSION}&sdkId=${SDK_ID}`,
    `#${packIds(ISSUER_SESSION, SDK_ID)}`,
  ]) {
    await arrive(page, `${server.origin}/age${address}`);
    await heading(page, "Begin again");
    await accessible(page, "an issuer's session without an order");
  }
  const errand = {
    base: "",
    id: ISSUER_SESSION,
    sdkId: SDK_ID,
    attempt: "a",
    continuation: "c",
    url: `${server.origin}/provider`,
  };
  await arrive(page, `${server.origin}/age/return#go=${encodeURIComponent(JSON.stringify(errand))}`);
  await toProvider(page, server);
  await heading(page, "Begin again");
  expect(server.count(/^POST \/(?!age)/)).toBe(0);
});

test("an answer of the issuer that is lost is had again, and one that it refuses is given up", async ({
  page,
  server,
}) => {
  server.methods = [method("DOUBLE_ANONYMITY")];
  await page.goto(server.page("double_anonymity"));
  server.losses.set("POST /token", 2);
  let tab = await throughTheIssuer(page, await toTheIssuer(page));
  await heading(tab, "Your proof is ready");
  expect(server.count(/token$/)).toBe(3);
  await heading(page, "Your age is confirmed");
  await says(tab, "You can close this one.");
  // Nothing is left to be done there.
  await tab.reload();
  await heading(tab, "Go on in the other tab");
  await tab.close();

  server.status = "PENDING";
  server.methods = [method("DOUBLE_ANONYMITY")];
  await arrive(page, server.page("double_anonymity"));
  const refused = await toTheIssuer(page);
  tab = await atTheIssuer(page, refused);
  server.issuing?.refuse("POST /token", 409, "INVALID_STATUS");
  await showTheAge(tab);
  await heading(tab, "No proof was made");
  await says(page, "Nothing came of it in the other tab.");
  await tab.close();

  // What is no answer of the issuer's is none.
  tab = await atTheIssuer(page, await toTheIssuer(page, refused));
  const issuing = server.issuing as AgeStandIn;
  const { signs } = issuing;
  issuing.signs = () => "";
  await showTheAge(tab);
  await heading(tab, "The server does not answer");
  issuing.signs = signs;
  await press(tab, "Try again");
  await heading(tab, "Your proof is ready");
  await heading(page, "Your age is confirmed");
});

test("an issuer's tab that keeps nothing knows its order all the same", async ({ page, server }) => {
  server.methods = [method("DOUBLE_ANONYMITY")];
  await page.goto(server.page("double_anonymity"));
  const nothing = `Storage.prototype.setItem = () => { throw new DOMException("", "QuotaExceededError") }`;
  const tab = await throughTheIssuer(page, await toTheIssuer(page), nothing);
  await heading(tab, "Your proof is ready");
  await heading(page, "Your age is confirmed");
});

test("a wallet that comes back in a tab of its own leaves the issuer's tab to go on", async ({ page, server }) => {
  server.methods = [method("DOUBLE_ANONYMITY")];
  server.issuerMethods = [method("DIGITAL_ID", { hand_off: false })];
  await page.goto(server.page("double_anonymity"));
  const tab = await atTheIssuer(page, await toTheIssuer(page));
  const links = [`${server.origin}/wallet`];
  const step: Step = { kind: "wallet", url: "openid4vp://?request_uri=x", links, poll_ms: 500 };
  let shown = false;
  const issuing = server.issuing as AgeStandIn;
  issuing.scripts.DIGITAL_ID = (input) => {
    shown ||= input?.returned?.response_code === "c0de";
    return shown ? { ends: "COMPLETE" } : { step };
  };
  await tab.locator(".way").click();
  await heading(tab, "Use your wallet");
  // An app takes the link, and the tab stays where it is.
  await tab.locator("a.press").evaluate((link) => {
    link.addEventListener("click", (event) => event.preventDefault());
  });
  await tab.locator("a.press").click();
  const other = await page.context().newPage();
  await other.goto(await wayBackOf(tab, server));
  await heading(other, "Go on in the other tab");
  await heading(tab, "Your proof is ready");
  await heading(page, "Your age is confirmed");
});

test("what the issuer cannot do is said before an age is shown", async ({ context, page, server }) => {
  server.methods = [method("DOUBLE_ANONYMITY")];
  await page.goto(server.page("double_anonymity"));
  server.refuse("POST /age/v1/anonymity/sessions", 400, "INVALID_REQUEST");
  const tab = await context.newPage();
  await tab.goto(await toTheIssuer(page));
  await press(tab, "Go on");
  await heading(tab, "No proof was made");
  await expectAccessible(tab, "an issuer that begins nothing");
  await says(page, "Nothing came of it in the other tab.");
  await says(tab, "You can close this one.");
});

for (const known of [false, true]) {
  const whom = known ? "the servers that it knows" : "no others";
  test(`an issuer of another origin sends the answer back to ${whom}`, async ({ context, page, server }) => {
    const issuer = new AgeStandIn();
    await issuer.start();
    try {
      server.issuer = issuer.origin;
      issuer.redeemers = known ? [server.origin] : ["https://other.example"];
      server.methods = [method("DOUBLE_ANONYMITY")];
      await page.goto(server.page("double_anonymity"));
      const href = await toTheIssuer(page);
      if (known) {
        const tab = await throughTheIssuer(page, href);
        await heading(tab, "Your proof is ready");
        await expect(tab).toHaveURL(`${server.origin}/age/return`);
        await heading(page, "Your age is confirmed");
      } else {
        const tab = await context.newPage();
        await tab.goto(href);
        await press(tab, "Go on");
        await heading(tab, "No proof was made");
        await says(tab, "This page gives no proofs to the page that you came from.");
        expect(await tab.evaluate(() => location.origin)).toBe(issuer.origin);
        expect(await stored(tab)).toEqual({});
        await heading(page, "Get an anonymous proof");
      }
      expect(JSON.stringify(issuer.requests)).not.toContain(SESSION);
    } finally {
      await issuer.stop();
    }
  });
}

test("from a frame a blind token is had in a tab of its own", async ({ page, server }) => {
  server.methods = [method("DOUBLE_ANONYMITY"), method("EMAIL")];
  const link = (await embed(page, server, server.page("double_anonymity"))).locator("a.press");
  await expect(link).toHaveText("Open in a new tab");
  await expect(link).toHaveAttribute("target", "_blank");
  await expect(link).toHaveAttribute("rel", "noopener");
  await page.goto(await link.evaluate((one: HTMLAnchorElement) => one.href));
  await way(page, "Anonymous proof").click();
  expect(await toTheIssuer(page)).toContain("/age/issue#");
});

test("an issuer's page that nobody asked for begins nothing", async ({ page, server }) => {
  await page.goto(`${server.origin}/age/issue#t=18&r=x&c=y`);
  await heading(page, "The link is incomplete");
  expect(server.requests.length).toBe(0);
});
