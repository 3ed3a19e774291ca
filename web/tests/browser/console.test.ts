// The console in a real browser: what a member sees and does, with the keyboard too.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { findings } from "./accessible";
import { Chromium, type Page } from "./chromium";
import { ACCOUNT, ConsoleStandIn, member, notification } from "./console-stand-in";

const TOKEN = "c0de-of_the-invitation-that-is-long-enough-1";
const HEADING = `document.querySelector("h1").textContent`;
const SPOKEN = `document.querySelector("#spoken").textContent`;

let chromium: Chromium;
let server: ConsoleStandIn;
let page: Page;

before(async () => {
  chromium = await Chromium.start();
});
after(() => chromium.stop());

beforeEach(async () => {
  server = new ConsoleStandIn();
  const ada = member(1, "Ada", { admin: true });
  const eve = member(2, "Eve", { scopes: ["notifications:view"] });
  server.members = [ada, eve];
  server.links.set(TOKEN, ada);
  await server.start();
  page = await chromium.newPage();
  await page.send("Emulation.setLocaleOverride", { locale: "en-GB" });
  await page.prepare(`Object.defineProperty(navigator, "languages", { configurable: true, get: () => ["en-GB"] })`);
  await page.resize(1024, 768);
});

afterEach(async () => {
  await page.close();
  await server.stop();
  // A refusal that the page is there to show is logged by the browser itself.
  assert.deepEqual(
    page.complaints.filter((said) => !/status of (401|409)/.test(said)),
    [],
  );
  const elsewhere = page.requests.filter((url) => !url.startsWith("http://127.0.0.1:") && url !== "about:blank");
  assert.deepEqual(elsewhere, [], "asked somebody else");
});

async function assertAccessible(what: string): Promise<void> {
  assert.deepEqual(await findings(page), [], what);
}

/** Keeps a picture where somebody wants to look: SHOTS names the folder. */
async function shoot(name: string): Promise<void> {
  if (process.env.SHOTS) {
    writeFileSync(`${process.env.SHOTS}/${name}.png`, await page.screenshot());
  }
}

async function click(words: string, within = "body"): Promise<void> {
  const found = `[...document.querySelectorAll(${JSON.stringify(`${within} button, ${within} a`)})]
    .find((one) => one.textContent.trim() === ${JSON.stringify(words)} && one.checkVisibility())`;
  await page.until(found.concat("?.textContent"));
  await page.evaluate(`${found}.click()`);
}

async function type(field: string, text: string): Promise<void> {
  await page.evaluate(`document.querySelector(${JSON.stringify(field)}).focus()`);
  await page.send("Input.insertText", { text });
}

async function signedIn(heading = "Inbox"): Promise<void> {
  await page.go(`${server.page}#invite=${TOKEN}`);
  await click("Accept the invitation");
  await page.until(`${HEADING} === ${JSON.stringify(heading)}`);
}

test("an invitation is accepted by a press and not by opening it, and leaves the address at once", async () => {
  await page.go(`${server.page}#invite=${TOKEN}`);
  await page.until(`${HEADING} === "You are invited"`);
  assert.equal(await page.evaluate("location.href"), server.page);
  assert.deepEqual(server.asked, [], "whoever opens it ahead of its reader uses nothing up");
  await assertAccessible("the invitation");
  await shoot("invitation");
  await click("Accept the invitation");
  await page.until(`${HEADING} === "Inbox"`);
  assert.equal(await page.evaluate("document.activeElement.id"), "heading");
  assert.equal(await page.evaluate(`document.querySelector("#where").textContent`), "Corner shop");
  assert.equal(await page.evaluate("document.cookie"), "", "no program can read the session");
  await page.reload();
  await page.until(`${HEADING} === "Inbox"`);
  await click("Sign out");
  await page.until(`${HEADING} === "Sign in"`);
});

test("a link that was used says so, and a new one is asked for by mail", async () => {
  await page.go(`${server.page}#sign-in=${"x".repeat(43)}`);
  await page.until(`${HEADING} === "Welcome back"`);
  await click("Sign in");
  await page.until(`${HEADING} === "Sign in" && ${SPOKEN}.includes("used already")`);
  await assertAccessible("signing in");
  await shoot("sign-in");
  await type("#email", "ada@example.com");
  await page.press("Enter");
  await page.until(`${HEADING} === "Look into your mail"`);
  assert.equal(server.asked.at(-1), 'POST /console/sign-in {"email":"ada@example.com"}');
});

test("the inbox shows what was found, and what members say to it", async () => {
  server.notifications = [
    notification(1, ["BANNED_PROFILE", "UNKNOWN_FACE"], { age_group: "teenager_young" }),
    notification(2, ["STARTED"], { url: "https://videos.example.com/<img src=x onerror=alert(1)>", frame_time: 0 }),
  ];
  await signedIn();
  const text = await page.evaluate(`document.querySelector("#notifications").innerText`);
  for (const words of [
    "Found: banned person, unknown face",
    "16 Jan 2026",
    "12.5 s into the video",
    "13 to 15",
    "https://videos.example.com/1.mp4",
    "<img src=x onerror=alert(1)>",
    "0 of 500 characters",
  ]) {
    assert.ok(text.includes(words), `${words}: ${text}`);
  }
  assert.equal(await page.evaluate(`document.querySelectorAll("#notifications a, #notifications img").length`), 0);
  await assertAccessible("the inbox");
  await shoot("inbox");

  await type("article textarea", `${"a".repeat(498)}😀 and too much`);
  assert.match(await page.evaluate(`document.querySelector(".count").textContent`), /^499 of 500/, "an emoji is one");
  await page.evaluate(`document.querySelector("article textarea").value = ""`);
  await type("article textarea", "that is the manager");
  await page.evaluate(`document.querySelector("article details summary").click()`);
  await click("Dismiss", "article");
  await page.until(`document.querySelector("article .reviews").textContent.includes("that is the manager")`);
  const said = await page.evaluate(`document.querySelector("article .reviews").innerText`);
  assert.match(said, /16 Jan 2026.*\(you\) Dismissed: it is wrong\. “that is the manager”/);
  assert.ok(server.asked.some((asked) => asked.endsWith('/dismiss {"comment":"that is the manager"}')));
  assert.equal(await page.evaluate(SPOKEN), "Dismissed: it is wrong.");
  await shoot("reviewed");
});

test("pages are turned by the keyboard, which is then at their top", async () => {
  server.notifications = Array.from({ length: 45 }, (_, at) => notification(at + 1, ["UNKNOWN_FACE"]));
  await signedIn();
  assert.match(await page.evaluate("document.body.innerText"), /Page 1 of 3/);
  await page.evaluate(`document.querySelector(".pager button:last-of-type").focus()`);
  await page.press("Enter");
  await page.until(`document.body.innerText.includes("Page 2 of 3")`);
  await page.until(`document.activeElement.id === "heading"`);
  await page.press("Tab");
  assert.equal(await page.evaluate("document.activeElement.tagName"), "TEXTAREA");
  assert.ok(server.asked.includes(`GET /accounts/${ACCOUNT}/notifications`));
});

test("members are invited, allowed, made administrators and removed", async () => {
  await signedIn();
  await click("Members");
  await page.until(`${HEADING} === "Members" && document.querySelectorAll("#members article").length === 2`);
  await assertAccessible("the members");
  await shoot("members");

  await type("#invite input[type=email]", "bob@example.com");
  await page.press("Enter");
  await page.until(`${SPOKEN} === "The invitation to bob@example.com is on its way."`);
  const sent = JSON.parse(
    server.asked.find((asked) => asked.includes("POST /accounts"))?.split("invitations ")[1] ?? "",
  );
  assert.deepEqual(sent, {
    email: "bob@example.com",
    admin: false,
    scopes: ["notifications:manage", "notifications:view"],
  });
  await page.until(`document.querySelector("#invitations").textContent.includes("bob@example.com")`);
  await type("#invite input[type=email]", "eve@example.com");
  await page.press("Enter");
  await page.until(`${SPOKEN}.includes("has a member with that address")`);
  await assertAccessible("a refusal");
  await click("Take back");
  await page.until(`!document.querySelector("#invitations")`);

  const eve = "#members li:last-child";
  await page.evaluate(`document.querySelector("${eve} summary").click()`);
  await page.evaluate(`document.querySelector("${eve} input[value='members:manage']").click()`);
  await assertAccessible("what may be done");
  await shoot("scopes");
  await click("Save", eve);
  await page.until(`${SPOKEN}.startsWith("Saved")`);
  assert.deepEqual(server.members[1]?.scopes, ["members:manage", "notifications:view"]);
  await click("Make administrator", eve);
  await page.until(`document.querySelectorAll(".badge").length === 2`);
  await click("Remove", eve);
  await page.until(`document.querySelector("#sure").open`);
  await assertAccessible("the question");
  await shoot("question");
  await page.press("Escape");
  await page.until(`!document.querySelector("#sure").open`);
  assert.equal(server.members.length, 2, "Escape is no yes");
  // The quickest of fingers: the question is put again before anybody was told that it was closed.
  await page.evaluate(`{
    const [sure, remove] = [document.querySelector("#sure"), [...document.querySelectorAll("${eve} button")].at(-1)];
    remove.click();
    sure.close("");
    remove.click();
    document.querySelector("#confirm").click();
  }`);
  await page.until(`document.querySelectorAll("#members article").length === 1`);
  assert.equal(server.asked.filter((asked) => asked.startsWith("DELETE") && asked.includes("/members/")).length, 1);
  await click("Make ordinary member");
  await page.until(`${SPOKEN}.includes("last administrator")`);
});

test("who may less sees less, and a session that is over leads to the door", async () => {
  server.links.set(TOKEN, member(2, "Eve", { scopes: ["notifications:view"] }));
  server.notifications = [notification(1, ["UNKNOWN_FACE"])];
  await signedIn();
  assert.equal(await page.evaluate(`document.querySelector("nav").innerText.replace(/\\s+/g, " ")`), "Inbox For you");
  assert.equal(await page.evaluate(`document.querySelectorAll("article button, article textarea").length`), 0);
  await page.go(`${server.page}#members`);
  await page.until(`${HEADING} === "Inbox"`);
  server.me = undefined;
  await page.evaluate(`document.querySelector("article summary").click()`);
  await page.until(`${HEADING} === "Sign in" && ${SPOKEN} === "Your session is over. Sign in again."`);
});

test("it is right at every size and in every scheme, and speaks German", async () => {
  server.notifications = [notification(1, ["AGE_ESTIMATION"], { age_group: "child" })];
  await page.prepare(`Object.defineProperty(navigator, "languages", { get: () => ["de-AT"] })`);
  await page.go(`${server.page}#invite=${TOKEN}`);
  await click("Einladung annehmen");
  await page.until(`${HEADING} === "Eingang" && document.querySelector("article")`);
  for (const [look, [width, height], features] of [
    ["a small phone", [320, 568], {}],
    ["dark", [390, 844], { "prefers-color-scheme": "dark" }],
    ["a desk", [1280, 800], {}],
    ["forced colours", [1280, 800], { "forced-colors": "active" }],
  ] as [string, [number, number], Record<string, string>][]) {
    await page.resize(width, height);
    await page.prefer(features);
    await assertAccessible(look);
    await shoot(look.replace(/ /g, "-"));
  }
});
