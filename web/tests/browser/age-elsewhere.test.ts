// Methods that leave the page of age sessions: providers, documents, wallets.

import type { Step } from "../../age/session";
import { CAPTURE, method } from "../age-responses";
import { press, method as way } from "./actions";
import {
  accessible,
  arrive,
  heading,
  keep,
  OVER,
  says,
  stored,
  test,
  toProvider,
  waiting,
  wayBackOf,
} from "./age-page";
import { SDK_ID, SESSION } from "./age-stand-in";
import { expect } from "./fixtures";
import { scanScreen } from "./qr-scanner";

test("somebody signs in elsewhere and comes back; what brought them back is gone then", async ({ page, server }) => {
  server.methods = [method("ELECTRONIC_ID"), method("EMAIL")];
  await page.goto(server.page("", "&locale=en"));
  await way(page, "Bank or electronic ID").click();
  await heading(page, "Who shall confirm your age?");
  await press(page, "Continue");
  await says(page, "Choose one of them.");
  await accessible(page, "the providers");
  await keep(page, "18-choose");
  await press(page, "My bank");
  await press(page, "Continue");
  await heading(page, "You sign in elsewhere");
  await accessible(page, "the way out");
  await keep(page, "19-redirect");
  await toProvider(page, server);
  await expect(page).toHaveURL(/\/provider/);
  const kept = JSON.parse((await page.evaluate(() => sessionStorage.getItem("assay-age"))) ?? "{}");
  expect(Object.keys(kept).sort()).toEqual(["attempt", "base", "continuation", "handedOff", "id", "locale", "sdkId"]);
  await page.locator("#yes").click();
  await heading(page, "Your age is confirmed");
  expect(server.last(/ID$/).returned).toEqual({ state: "s1", code: "c0de" });
  await expect(page).toHaveURL(`${server.origin}/age?sessionId=${SESSION}&sdkId=${SDK_ID}&locale=en`);
  expect(await stored(page)).toEqual({});
});

test("who declines at the provider is offered the other ways; who comes from nowhere is told where to go", async ({
  page,
  server,
}) => {
  server.methods = [method("ELECTRONIC_ID"), method("EMAIL")];
  await page.goto(server.page("electronic_id", "", "/sandbox"));
  await press(page, "National eID");
  await press(page, "Continue");
  await toProvider(page, server);
  await expect(page).toHaveURL(/\/provider/);
  // The sandbox's provider comes back below the sandbox.
  await page.evaluate(() => location.assign("/sandbox/age/return?state=s1&error=access_denied"));
  await heading(page, "Try it another way");
  await expect(page).toHaveURL(/\/sandbox\/age\?/);
  await arrive(page, `${server.origin}/age/return?state=s1&code=c0de`);
  await heading(page, "Go back to where you began");
  await expect(page).toHaveURL(`${server.origin}/age/return`);
  await accessible(page, "from nowhere");
  await keep(page, "20-lost");
});

test("a document is photographed in a frame, and its end is noticed at once", async ({ page, server }) => {
  server.methods = [method("DOC_SCAN")];
  await page.goto(server.page("doc_scan"));
  await heading(page, "Show your document");
  const inside = page.frameLocator("iframe").getByRole("button");
  await expect(inside).toBeVisible();
  await accessible(page, "the document");
  await keep(page, "21-document");
  // Others cannot end it.
  await page.evaluate(() => window.postMessage({ eventType: "SUCCESS" }, "*"));
  server.otherDone = true;
  const before = server.count(/ID$/);
  // At once, and not by the mouse: the page asks now and then by itself, and the frame would go under it.
  await inside.dispatchEvent("click");
  await heading(page, "Your age is confirmed");
  expect(server.count(/ID$/)).toBeLessThanOrEqual(before + 2);
});

test("a document page of somewhere else is not shown", async ({ page, server }) => {
  server.methods = [method("DOC_SCAN"), method("EMAIL")];
  server.scripts.DOC_SCAN = () => ({ step: { kind: "document", url: "https://elsewhere.example/web" } });
  await page.goto(server.page("doc_scan"));
  await heading(page, "This does not work here");
  await expect(page.locator("iframe")).toHaveCount(0);
  await press(page, "Choose another way");
  await heading(page, OVER);
});

test("a wallet is called by a code and by a link, and waited for", async ({ page, server }) => {
  server.methods = [method("DIGITAL_ID")];
  await page.setViewportSize({ width: 1024, height: 900 });
  await page.goto(server.page("digital_id"));
  await heading(page, "Use your wallet");
  await expect(page.locator("svg.code path")).toHaveAttribute("d", /./);
  await accessible(page, "the wallet");
  await keep(page, "22-wallet");
  const links = page.locator("a.press");
  await expect(links).toHaveText(["Open the wallet on this device", "Open the wallet on this device (http)"]);
  await expect(links.first()).toHaveAttribute("href", /e%2Fr%2F2$/);
  await expect(links.last()).toHaveAttribute("href", `${server.origin}/wallet`);
  expect(await scanScreen(page)).toMatch(/^openid4vp:.*%2Fr%2F1$/);
  server.otherDone = true;
  await heading(page, "Your age is confirmed");
  const inputs = server.requests
    .filter(({ operation: what }) => what.endsWith("ID"))
    .map(({ body }) => Object.keys(body).join());
  expect(new Set(inputs), "it only asked").toEqual(new Set(["continuation"]));
});

test("a wallet on this device comes back with a code, in whichever tab", async ({ page, server }) => {
  server.methods = [method("DIGITAL_ID")];
  server.scripts.DIGITAL_ID = (input) => {
    const { response_code: code } = input?.returned ?? {};
    const links = [`${server.origin}/wallet`];
    return code === "c0de"
      ? { ends: "COMPLETE" }
      : { step: { kind: "wallet", url: "openid4vp://?request_uri=x", links, poll_ms: 15_000 } };
  };
  await page.goto(server.page("digital_id"));
  await heading(page, "Use your wallet");
  // The link leads away in this tab; another would be as good, as nothing is kept in the tab itself.
  await page.locator("a.press").click();
  await expect(page).toHaveURL(/\/wallet$/);
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  const back = await wayBackOf(page, server);
  // A code for another attempt is no business of this one's.
  await arrive(page, `${server.origin}/age/return?attempt=${SESSION}&response_code=c0de`);
  await heading(page, "Go back to where you began");
  await arrive(page, back);
  await heading(page, "Your age is confirmed");
  expect(await page.evaluate(() => localStorage.length)).toBe(0);

  // Whoever followed another's link has nothing to bring the code to.
  await page.goto(back);
  await heading(page, "Go back to where you began");
});

test("where a wallet has nothing to say a face is asked for, with consent", async ({ page, server }) => {
  server.methods = [method("DIGITAL_ID"), method("EMAIL")];
  server.consent = { required: true, given: null, may_give: true };
  const face: Step = { kind: "camera", level: "PASSIVE", capture: CAPTURE };
  server.scripts.DIGITAL_ID = (input) =>
    input ? { step: face } : { step: { kind: "wallet", url: "openid4vp://?request_uri=x", links: [], poll_ms: 500 } };
  await page.goto(server.page("digital_id"));
  await heading(page, "May your face be measured?");
  await accessible(page, "consent after a wallet");
  await press(page, "I agree");
  await heading(page, "Now your face");
});

test("what others do is waited for, through a network that goes away", async ({ page, server }) => {
  server.methods = [method("DOC_SCAN")];
  server.scripts.DOC_SCAN = waiting(server);
  await page.goto(server.page("doc_scan"));
  await heading(page, "Being checked");
  await accessible(page, "waiting");
  const failed = page.waitForEvent("requestfailed");
  await server.stop();
  await failed;
  server.otherDone = true;
  await server.start();
  await page.evaluate(() => window.dispatchEvent(new Event("online")));
  await heading(page, "Your age is confirmed");
});
