// The console in a real browser: what a member sees and does, with the keyboard too.

import type { Member } from "../../console/api/account";
import { exactText, expectAccessible, holdCalls, intercept, showPage, takeScreenshot } from "./actions";
import { acceptInvitation, go, judge, settle, speak } from "./console-actions";
import { heading, rows, setMembers, spoken, TOKEN, withConsole } from "./console-page";
import { ACCOUNT, type ConsoleStandIn, member, notification, profile } from "./console-stand-in";
import { openSession } from "./credentials-stand-in";
import { expect, type Page } from "./fixtures";

const test = withConsole((server) => {
  setMembers(server, member(1, "Ada", { admin: true }), member(2, "Eve", { scopes: ["notifications:view"] }));
});

async function click(page: Page, words: string, within = "body"): Promise<void> {
  await page
    .locator(within)
    .locator("button, a")
    .filter({ hasText: exactText(words), visible: true })
    .first()
    .click();
}

async function signedIn(page: Page, server: ConsoleStandIn, place = "Inbox"): Promise<void> {
  await acceptInvitation(page, server);
  await click(page, place, "nav");
  await heading(page, place);
}

test("an invitation is accepted by a press and not by opening it, and leaves the address at once", async ({
  page,
  server,
}) => {
  await page.goto(`${server.page}#invite=${TOKEN}`);
  await heading(page, "You are invited");
  await expect(page).toHaveURL(server.page);
  expect(server.requests, "whoever opens it ahead of its reader uses nothing up").toEqual([]);
  await judge(page, "invitation");
  await click(page, "Accept the invitation");
  await heading(page, "Queue");
  await expect(page.locator("#heading")).toBeFocused();
  await expect(page.locator(".side .account")).toHaveText("Corner shop");
  expect(await page.evaluate(() => document.cookie), "no program can read the session").toBe("");
  await page.reload();
  await heading(page, "Queue");
  await page.locator("#leave").click();
  await heading(page, "Sign in");
});

test("a link that was used says so, and a new one is asked for by mail", async ({ page, server }) => {
  await page.goto(`${server.page}#sign-in=${"x".repeat(43)}`);
  await heading(page, "Welcome back");
  await click(page, "Sign in");
  await heading(page, "Sign in");
  await expect(spoken(page)).toContainText("used already");
  await judge(page, "sign-in");
  await page.locator("#email").fill("ada@example.com");
  await page.keyboard.press("Enter");
  await heading(page, "Check your email");
  expect(server.requests.at(-1)).toBe('POST /console/sign-in {"email":"ada@example.com"}');
});

test("a link to a notification is followed after signing in, and only in its own account", async ({ page, server }) => {
  server.notifications = [notification(1, ["BANNED_PROFILE"])];
  const { id } = notification(1, ["BANNED_PROFILE"]);
  await page.goto(`${server.page}#account=${ACCOUNT}&notification=${id}`);
  await heading(page, "Sign in");
  // The mail's link opens a page of its own.
  const mailed = await page.context().newPage();
  await mailed.goto(`${server.page}#sign-in=${TOKEN}`);
  await click(mailed, "Sign in");
  await heading(mailed, "Finding");
  await expect(mailed.locator("article")).toContainText("Found: banned person");
  await judge(mailed, "finding");
  await mailed.goto(`${server.page}#inbox`);
  await heading(mailed, "Inbox");
  await mailed.reload();
  await heading(mailed, "Inbox");

  const elsewhere = `${server.page}#account=${ACCOUNT.replace(/1$/, "2")}&notification=${id}`;
  await mailed.goto(elsewhere);
  await expect(mailed.locator("main")).toContainText("This belongs to another account.");
  await expect(mailed.locator("article")).toHaveCount(0);
});

test("the inbox shows what was found, and what members say to it", async ({ page, server }) => {
  server.notifications = [
    notification(1, ["BANNED_PROFILE", "UNKNOWN_FACE"], { age_group: "teenager_young" }),
    notification(2, ["STARTED"], { url: "https://videos.example.com/<img src=x onerror=alert(1)>" }),
    notification(3, ["FAILED"], { error: { code: "CONTENT_EMPTY", message: "the content is empty" } }),
    notification(4, ["DONE"], { content_type: "IMAGE" }),
  ];
  await signedIn(page, server);
  await expect(rows(page)).toHaveText([
    /Found: banned person, unknown face.*12.5 s into the video.*videos.example.com\/1.mp4.*Not decided.*16 Jan 2026/,
    /Moderation started.*<img src=x onerror=alert\(1\)>/,
    /Moderation failed/,
    /Moderation done/,
  ]);
  await expect(page.locator("main img"), "an address is text").toHaveCount(0);
  const detail = page.locator("article");
  await expect(detail).toContainText("13 to 15");
  await judge(page, "inbox");

  await rows(page).nth(2).click();
  await expect(detail).toContainText("the content is empty");
  await expect(detail.locator("textarea"), "there is nothing to decide about an end").toHaveCount(0);
  await rows(page).first().click();
  const comment = detail.getByRole("textbox");
  await comment.focus();
  await page.keyboard.insertText(`${"a".repeat(498)}😀 and too much`);
  await expect(detail.locator(".count"), "an emoji is one").toContainText(/^499 of 500/);
  await comment.fill("that is the manager");
  await detail.getByRole("button", { name: "Who decided what" }).click();
  await detail.getByRole("button", { name: "False alarm" }).click();
  await expect(detail.locator(".reviews")).toHaveText(/16 Jan 2026.*\(you\)\s*False alarm\s*“that is the manager”/);
  expect(server.requests.some((asked) => asked.endsWith('/dismiss {"comment":"that is the manager"}'))).toBe(true);
  await expect(spoken(page)).toHaveText("Marked as a false alarm.");
  await expect(comment).toHaveValue("");
  await takeScreenshot(page, "console-reviewed");
  await expect(rows(page).first()).toContainText("False alarm");
});

test("what was decided is seen after a reload, and whether members disagree", async ({ page, server }) => {
  const young = notification(1, ["AGE_ESTIMATION"], { age_group: "adult" });
  server.titles.set(young.data.content_id, "Summer at the lake");
  server.notifications = [young, notification(2, ["UNKNOWN_FACE"])];
  await signedIn(page, server);
  const [first, second] = [rows(page).first(), rows(page).last()];
  await expect(first).toContainText("Summer at the lake");
  await expect(first).toContainText("looks younger than is allowed here");
  await page.getByRole("button", { name: "Confirm finding" }).click();
  await expect(first).toContainText("Finding confirmed");
  await page.reload();
  await expect(first).toContainText("Finding confirmed");
  await expect(second).toContainText("Not decided");
  await page.getByRole("button", { name: "False alarm" }).click();
  await expect(first, "the later word counts").toContainText("False alarm");
  server.review(server.notifications[0]?.id ?? "", "00000000-0000-4000-8000-000000000002", 100);
  await page.reload();
  await expect(first).toContainText("1 of 2 members confirm it");
  await page.getByLabel("Show").selectOption("Not decided");
  await expect(rows(page)).toHaveText([/unknown face/]);
  await page.getByLabel("Reason").selectOption("banned person");
  await expect(page.locator("main")).toContainText("No findings match.");
  await page.reload();
  await expect(page.getByLabel("Show"), "how a list is filtered stands in its address").toHaveValue("open");
});

test("findings are decided by the keyboard alone", async ({ page, server }) => {
  server.notifications = [1, 2, 3].map((at) => notification(at, ["UNKNOWN_FACE"]));
  await signedIn(page, server);
  await expect(rows(page)).toHaveCount(3);
  await page.keyboard.press("j");
  await expect(rows(page).nth(1)).toBeFocused();
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await expect(rows(page).nth(1)).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("a");
  await expect(rows(page).nth(1)).toContainText("Finding confirmed");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("d");
  await expect(rows(page).nth(2)).toContainText("False alarm");
  await expect(rows(page).first()).toContainText("Not decided");
  await page.keyboard.press("c");
  await page.keyboard.type("a bad day");
  await expect(page.getByRole("textbox"), "while somebody types, keys are letters").toHaveValue("a bad day");
  await expect(rows(page).nth(2)).toContainText("False alarm");
  await rows(page).first().focus();
  await page.keyboard.press("Enter");
  await heading(page, "Finding");
  await page.goBack();
  await heading(page, "Inbox");
});

test("a finding is decided once, however often the keys are pressed", async ({ page, server }) => {
  server.notifications = [notification(1, ["UNKNOWN_FACE"])];
  await signedIn(page, server);
  const comment = page.locator("article").getByRole("textbox");
  await comment.fill("twins");
  await rows(page).first().focus();
  const sent = await holdCalls(page, /\/(accept|dismiss)$/);
  for (const key of ["a", "a", "d"]) {
    await page.keyboard.press(key);
  }
  await expect.poll(() => sent.asked.length).toBe(1);
  await comment.fill("twins, I think");
  await sent.answer();
  await expect(rows(page).first()).toContainText("Finding confirmed");
  expect(sent.asked.length).toBe(1);
  await expect(comment, "what was typed meanwhile is not lost").toHaveValue("twins, I think");
});

test("the open finding stays open while the list changes, until it is decided", async ({ page, server }) => {
  const [first, second] = [notification(1, ["UNKNOWN_FACE"]), notification(2, ["BANNED_PROFILE"])];
  server.notifications = [first];
  await page.clock.install();
  await signedIn(page, server);
  await page.getByLabel("Show").selectOption("Not decided");
  await expect(rows(page)).toHaveText([/unknown face/]);
  const detail = page.locator("article");
  const comment = detail.getByRole("textbox");
  await comment.fill("half a sen");
  server.notifications = [second, first];
  await page.clock.fastForward(30_000);
  await expect(rows(page)).toHaveText([/banned person/, /unknown face/]);
  await expect(detail).toContainText("Found: unknown face");
  await expect(comment).toHaveValue("half a sen");
  await expect(comment).toBeFocused();

  server.review(first.id, member(2, "Eve").id, 0);
  await page.clock.fastForward(30_000);
  await expect(rows(page)).toHaveText([/banned person/]);
  await expect(detail).toContainText("Found: unknown face");
  await expect(comment).toHaveValue("half a sen");
  await detail.getByRole("button", { name: "Confirm finding" }).click();
  await expect(detail, "what is decided makes room").toContainText("Found: banned person");
  await expect(comment).toHaveValue("");
  expect(
    server.requests.filter((asked) => /accept|dismiss /.test(asked)).map((asked) => asked.split("notifications/")[1]),
  ).toEqual([`${first.id}/accept {"comment":"half a sen"}`]);
});

test("a session that ends leaves a comment to whoever is signed in again, by a link that opened another tab too", async ({
  page,
  server,
}) => {
  const [ada] = server.members;
  server.notifications = [notification(1, ["UNKNOWN_FACE"])];
  await signedIn(page, server);
  const detail = page.locator("article");
  const comment = detail.getByRole("textbox");
  await comment.fill("half a sen");
  await intercept(page, /\/reviews/, (route) => {
    server.me = undefined;
    return route.continue();
  });
  await detail.getByRole("button", { name: "Who decided what" }).click();
  await heading(page, "Sign in");
  await page.unroute(/\/reviews/);
  // Another one has come in above it meanwhile.
  server.notifications.unshift(notification(2, ["BANNED_PROFILE"]));
  server.links.set(TOKEN, ada ?? member(1, "Ada"));
  const mailed = await page.context().newPage();
  await mailed.goto(`${server.page}#sign-in=${TOKEN}`);
  await click(mailed, "Sign in");
  await expect(mailed.locator("nav").first()).toBeVisible();
  await showPage(page, false);
  await showPage(page, true);
  await heading(page, "Inbox");
  await expect(rows(page)).toHaveText([/banned person/, /unknown face/]);
  await expect(detail).toContainText("Found: unknown face");
  await expect(comment).toHaveValue("half a sen");
});

/** Refuses calls until they are routed no more. */
function refuseCalls(page: Page, address: RegExp, status: number, message: string): Promise<void> {
  return intercept(page, address, (route) => route.fulfill({ status, json: { code: "REFUSED", message } }));
}

test("a list that cannot be fetched anew says so above what was fetched, which goes once it may not be seen", async ({
  page,
  server,
}) => {
  server.notifications = [notification(1, ["UNKNOWN_FACE"])];
  await page.clock.install();
  await signedIn(page, server);
  const list = /\/notifications\?/;
  const failure = page.getByRole("alert");
  const comment = page.locator("article").getByRole("textbox");
  await comment.fill("half a sen");
  await refuseCalls(page, list, 500, "broken");
  await page.clock.fastForward(30_000);
  await expect(failure).toContainText("broken");
  await expect(rows(page)).toHaveText([/unknown face/]);
  await expect(comment).toHaveValue("half a sen");
  await expect(comment).toBeFocused();
  await expectAccessible(page, "a list that is outdated");
  await takeScreenshot(page, "console-list-outdated");
  await page.unroute(list);
  await click(page, "Try again");
  await expect(failure).toHaveCount(0);
  await expect(comment).toHaveValue("half a sen");

  for (const [status, words] of [
    [401, "The server refused: the scope notifications:view is needed"],
    [403, "The server refused: the scope notifications:view is needed"],
    [404, "This does not exist, or belongs to another account."],
  ] as const) {
    await expect(rows(page)).toHaveCount(1);
    await refuseCalls(page, list, status, "the scope notifications:view is needed");
    await page.clock.fastForward(30_000);
    await expect(failure).toHaveText(new RegExp(words));
    await expect(rows(page)).toHaveCount(0);
    await expect(page.locator("article")).toHaveCount(0);
    await page.unroute(list);
    await click(page, "Try again");
    await expect(failure).toHaveCount(0);
  }
});

test("of a person who was erased nothing is shown any more, nor their name", async ({ page, server }) => {
  const bob = profile(1, "Bob");
  server.profiles = [bob];
  await page.clock.install();
  await signedIn(page, server);
  await page.goto(`${server.page}#profile=${bob.profile_id}`);
  await heading(page, "Bob");
  server.profiles = [];
  await showPage(page, false);
  await page.clock.fastForward(10_000);
  await showPage(page, true);
  await heading(page, "Person");
  await expect(page.getByRole("alert")).toContainText("This does not exist");
  await expect(page.locator("main")).not.toContainText("Bob");
});

test("a session that a list finds to be over leaves what was typed beside it", async ({ page, server }) => {
  const [ada] = server.members;
  server.notifications = [notification(1, ["UNKNOWN_FACE"])];
  await page.clock.install();
  await signedIn(page, server);
  const comment = page.locator("article").getByRole("textbox");
  await comment.fill("half a sen");
  server.me = undefined;
  const looks = await holdCalls(page, "**/console/session", "GET");
  await page.clock.fastForward(30_000);
  await expect.poll(() => looks.asked.length).toBe(1);
  await settle(page);
  await expect(comment, "whether it is over is not known yet").toHaveValue("half a sen");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await looks.answer();
  await heading(page, "Sign in");
  await page.unroute("**/console/session");
  server.links.set(TOKEN, ada ?? member(1, "Ada"));
  await page.goto(`${server.page}#sign-in=${TOKEN}`);
  await click(page, "Sign in");
  await heading(page, "Inbox");
  await expect(comment).toHaveValue("half a sen");
});

/** Signs Eve in in a tab beside this one, which hears nothing of it, as where it sleeps. */
async function signEveInBeside(page: Page, server: ConsoleStandIn): Promise<void> {
  server.links.set(TOKEN, member(2, "Eve", { admin: true }));
  const mailed = await page.context().newPage();
  await mailed.addInitScript(() => {
    BroadcastChannel.prototype.postMessage = () => undefined;
  });
  await mailed.goto(`${server.page}#sign-in=${TOKEN}`);
  await click(mailed, "Sign in");
  await expect(mailed.locator("nav").first()).toBeVisible();
}

test("a tab goes on as whoever has signed in in another one since, and what was typed in it is gone", async ({
  page,
  server,
}) => {
  server.notifications = [notification(1, ["UNKNOWN_FACE"])];
  await signedIn(page, server);
  const name = page.locator(".side .who-name");
  await expect(name).toHaveText("Ada");
  const comment = page.locator("article").getByRole("textbox");
  await comment.fill("of Ada alone");
  await signEveInBeside(page, server);
  await showPage(page, false);
  await showPage(page, true);
  await expect(name).toHaveText("Eve");
  await expect(spoken(page)).toHaveText("Eve has signed in in another tab and is now signed in here too.");
  await heading(page, "Inbox");
  await expect(page.locator("#heading")).toBeFocused();
  await expect(comment).toHaveValue("");
  await page.getByRole("button", { name: "Confirm finding" }).click();
  await expect(rows(page).first()).toContainText("Finding confirmed");
  expect(server.requests.join("\n")).not.toContain("of Ada alone");
});

test("nothing is sent in the name of whoever has signed in in another tab before that is known", async ({
  page,
  server,
}) => {
  server.notifications = [notification(1, ["UNKNOWN_FACE"])];
  await signedIn(page, server);
  const name = page.locator(".side .who-name");
  const comment = page.locator("article").getByRole("textbox");
  const confirm = page.getByRole("button", { name: "Confirm finding" });
  const accepted = () => server.requests.filter((asked) => /^POST .*\/accept\b/.test(asked));
  await comment.fill("of Ada alone");
  await signEveInBeside(page, server);
  const looks = await holdCalls(page, "**/console/session", "GET");
  await showPage(page, false);
  await showPage(page, true);
  await expect.poll(() => looks.asked.length).toBe(1);
  await confirm.click();
  await settle(page);
  expect(accepted()).toEqual([]);
  await looks.answer();
  await expect(name).toHaveText("Eve");
  await settle(page);
  expect(accepted()).toEqual([]);
  await expect(spoken(page)).toHaveText("Eve has signed in in another tab and is now signed in here too.");
});

test("what is pressed where nobody answers who is signed in is not sent, and asks again", async ({ page, server }) => {
  server.notifications = [notification(1, ["UNKNOWN_FACE"])];
  await signedIn(page, server);
  const comment = page.locator("article").getByRole("textbox");
  const confirm = page.getByRole("button", { name: "Confirm finding" });
  const accepted = () => server.requests.filter((asked) => /^POST .*\/accept\b/.test(asked));
  await comment.fill("of Ada alone");
  await signEveInBeside(page, server);
  await intercept(page, "**/console/session", (route) => route.fulfill({ status: 502 }));
  const failed = page.waitForResponse("**/console/session");
  await showPage(page, false);
  await showPage(page, true);
  await failed;
  await settle(page);
  const again = page.waitForResponse("**/console/session");
  await confirm.click();
  await again;
  await expect(spoken(page)).toHaveText("The server cannot be reached. Check your connection.");
  await expect(comment).toHaveValue("of Ada alone");
  expect(accepted()).toEqual([]);

  await page.unroute("**/console/session");
  await confirm.click();
  await expect(page.locator(".side .who-name")).toHaveText("Eve");
  await settle(page);
  expect(accepted()).toEqual([]);
});

test("looking who is signed in is done once at a time, interrupts nobody, and signs nobody out where nobody answers", async ({
  page,
  server,
}) => {
  server.notifications = [notification(1, ["UNKNOWN_FACE"])];
  await signedIn(page, server);
  const comment = page.locator("article").getByRole("textbox");
  await comment.fill("half a sen");
  const looks = await holdCalls(page, "**/console/session", "GET");
  for (const seen of [false, true, false, true]) {
    await showPage(page, seen);
  }
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await expect.poll(() => looks.asked.length).toBe(1);
  const answered = page.waitForResponse("**/console/session");
  await looks.answer();
  await answered;
  await settle(page);
  expect(looks.asked.length).toBe(1);
  await page.unroute("**/console/session");

  await intercept(page, "**/console/session", (route) => route.abort());
  const failed = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/console/session"));
  await showPage(page, false);
  await showPage(page, true);
  await failed;
  await settle(page);
  await heading(page, "Inbox");
  await expect(comment).toHaveValue("half a sen");
  await expect(comment).toBeFocused();
});

test("what is meant for the reader is a list of its own", async ({ page, server }) => {
  server.notifications = [notification(1, ["UNKNOWN_FACE"]), notification(2, ["BANNED_PROFILE"])];
  server.mine.add(notification(2, []).id);
  await signedIn(page, server, "Assigned to me");
  await expect(rows(page)).toHaveText([/banned person/]);
});

test("pages are turned by the keyboard, which is then at their top", async ({ page, server }) => {
  server.notifications = Array.from({ length: 45 }, (_, at) => notification(at + 1, ["UNKNOWN_FACE"]));
  await signedIn(page, server);
  await expect(page.locator("main")).toContainText("Page 1 of 3");
  await page.locator(".pager button:last-of-type").focus();
  await page.keyboard.press("Enter");
  await expect(page.locator("main")).toContainText("Page 2 of 3");
  await expect(page.locator("#heading")).toBeFocused();
  expect(server.requests).toContain(`GET /accounts/${ACCOUNT}/notifications`);
});

test("the list of keys and the palette know what the open screen can do", async ({ page, server }) => {
  server.notifications = [notification(1, ["UNKNOWN_FACE"])];
  await signedIn(page, server);
  await expect(page.locator("article")).toBeVisible();
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("Keyboard shortcuts");
  await expect(dialog.locator(".shortcuts").first()).toContainText(/Next row.*J.*Confirm finding.*A/);
  await expect(dialog.locator(".shortcuts").last()).toContainText(/Go to People.*G.*then.*P/);
  await judge(page, "shortcuts");
  await page.keyboard.press("a");
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(rows(page).first(), "a dialog hears no shortcuts").toContainText("Not decided");

  await go(page, "gp", "People");
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("searchbox", { name: "Search screens" })).toBeFocused();
  await page.keyboard.type("mem");
  await expect(page.getByRole("option")).toHaveText([/Members/, "People with the reference mem"]);
  await judge(page, "palette");
  await page.keyboard.press("Enter");
  await heading(page, "Members");
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("searchbox")).toBeFocused();
  await page.keyboard.type("dark");
  await expect(page.getByRole("option")).toHaveCount(2);
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.reload();
  await expect(page.locator("html"), "the choice is kept").toHaveAttribute("data-theme", "dark");
  // The theme is there before the page that hears keys.
  await heading(page, "Members");
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("searchbox")).toBeFocused();
  await page.keyboard.type(notification(1, []).id);
  await page.getByRole("option", { name: "Finding with this id" }).click();
  await heading(page, "Finding");
  await page.keyboard.press("?");
  await page.getByLabel("Single-key shortcuts").uncheck();
  await page.keyboard.press("Escape");
  await page.keyboard.press("a");
  await page.keyboard.press("g");
  await page.keyboard.press("p");
  await heading(page, "Finding");
  await expect(page.locator("article")).toContainText("Not decided");
});

test("a part of the console that cannot be fetched says so, and is fetched when it is asked for again", async ({
  page,
  server,
}) => {
  server.notifications = [notification(1, ["UNKNOWN_FACE"])];
  const parts = /\/assets\/(shortcut-dialog|command-palette|people)-/;
  await intercept(page, parts, (route) => route.abort());
  await signedIn(page, server);
  await expect(page.locator("article")).toBeVisible();
  await page.keyboard.press("?");
  await expect(spoken(page)).toHaveText(/^This part of the page could not be fetched. Check your connection/);
  await heading(page, "Inbox");
  await page.keyboard.press("j");
  await expect(rows(page).first(), "what was open is closed, and keys are heard").toBeFocused();
  await page.locator(".toasts").getByRole("button", { name: "Close" }).click();
  await page.keyboard.press("Control+k");
  await expect(page.locator(".toast-text")).toHaveText(/^This part of the page could not be fetched/);
  await click(page, "People", "nav");
  await heading(page, "This screen could not be loaded.");
  await expect(page.getByRole("alert")).toContainText("If that does not help, reload the page.");
  await expect(page.getByRole("navigation").first()).toBeVisible();
  await expectAccessible(page, "a screen that could not be fetched");
  await click(page, "Try again");
  await heading(page, "This screen could not be loaded.");
  await expect(page.locator("#heading")).toBeFocused();

  await page.unroute(parts);
  await click(page, "Try again");
  await heading(page, "People");
  await expect(page.locator("#heading")).toBeFocused();
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toContainText("Keyboard shortcuts");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("searchbox", { name: "Search screens" })).toBeFocused();
  await page.keyboard.press("Escape");
});

test("the first screen that could not be fetched has the focus when it comes", async ({ page, server }) => {
  await signedIn(page, server);
  await intercept(page, /\/assets\/inbox-/, (route) => route.abort());
  await page.reload();
  await heading(page, "This screen could not be loaded.");
  await page.unroute(/\/assets\/inbox-/);
  await click(page, "Try again");
  await heading(page, "Inbox");
  await expect(page.locator("#heading")).toBeFocused();
});

test("what is fetched anew by a button that goes leaves the focus at the heading of its part", async ({
  page,
  server,
}) => {
  const found = notification(1, ["UNKNOWN_FACE"]);
  server.notifications = [found];
  await signedIn(page, server);
  const broken = /\/notifications\/[\da-f-]{36}(\/reviews)?$/;
  await intercept(page, broken, (route) =>
    route.fulfill({ status: 500, json: { code: "INTERNAL_ERROR", message: "broken" } }),
  );
  await page.goto(`${server.page}#notification=${found.id}`);
  const again = page.getByRole("button", { name: "Try again" });
  await expect(page.getByRole("alert")).toContainText("broken");
  await again.press("Enter");
  await expect(page.locator("#heading"), "it failed again").toBeFocused();
  await expect(again).toBeVisible();
  await page.unroute(broken);
  await again.press("Enter");
  await expect(page.locator("article")).toBeVisible();
  await expect(page.locator("#heading")).toBeFocused();

  await intercept(page, broken, (route) =>
    route.fulfill({ status: 500, json: { code: "INTERNAL_ERROR", message: "broken" } }),
  );
  await click(page, "Who decided what");
  await expect(again).toBeVisible();
  await page.unroute(broken);
  await again.press("Enter");
  await expect(page.locator(".disclosure")).toContainText("Nobody");
  await expect(page.locator("article h2")).toBeFocused();
});

test("members are invited, allowed, made administrators and removed", async ({ page, server }) => {
  await signedIn(page, server, "Members");
  await expect(rows(page)).toHaveText([/Ada \(you\).*Administrator.*Everything/, /Eve.*Member.*see findings/]);
  await judge(page, "members");
  await page.getByRole("columnheader", { name: "Name" }).click();
  await page.getByRole("columnheader", { name: "Name" }).click();
  await expect(rows(page)).toHaveText([/Eve/, /Ada/]);
  await page.getByRole("columnheader", { name: "Name" }).click();

  const address = page.locator("#invite input[type=email]");
  await address.fill("bob@example.com");
  await page.keyboard.press("Enter");
  await expect(spoken(page)).toHaveText("The invitation to bob@example.com is on its way.");
  const sent = JSON.parse(
    server.requests.find((asked) => asked.includes("POST /accounts"))?.split("invitations ")[1] ?? "",
  );
  expect(sent).toEqual({
    email: "bob@example.com",
    admin: false,
    scopes: ["notifications:manage", "notifications:view"],
  });
  await expect(page.locator("#invitations")).toContainText("bob@example.com");
  await expect(address, "the next address is not mixed up with the last").toHaveValue("");
  await address.fill("eve@example.com");
  await page.keyboard.press("Enter");
  await expect(spoken(page)).toContainText("has a member with that address");
  await expectAccessible(page, "a refusal");
  await page.getByRole("button", { name: "Withdraw the invitation to bob@example.com" }).click();
  await expect(page.locator("#invitations")).toContainText("No open invitations.");

  await rows(page).last().click();
  const dialog = page.getByRole("dialog", { name: "Manage Eve" });
  await dialog.locator("input[value='members:manage']").check();
  await judge(page, "member");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(spoken(page)).toContainText(/^Saved/);
  expect(server.members[1]?.scopes).toEqual(["members:manage", "notifications:view"]);
  await dialog.getByRole("button", { name: "Make administrator" }).click();
  await expect(dialog).toContainText("Administrator");
  await dialog.getByRole("button", { name: "Remove" }).click();
  const question = page.getByRole("alertdialog", { name: "Remove Eve?" });
  await expectAccessible(page, "the question");
  await takeScreenshot(page, "console-question");
  await page.keyboard.press("Escape");
  await expect(question).toHaveCount(0);
  expect(server.members.length, "Escape is no yes").toBe(2);
  await dialog.getByRole("button", { name: "Remove" }).click();
  await question.getByRole("button", { name: "Remove" }).dblclick();
  await expect(rows(page)).toHaveCount(1);
  expect(server.requests.filter((asked) => asked.startsWith("DELETE") && asked.includes("/members/")).length).toBe(1);
  await rows(page).first().click();
  await page.getByRole("button", { name: "Make ordinary member" }).click();
  await expect(spoken(page)).toContainText("last administrator");
});

test("a member who is removed late takes nobody's dialog away", async ({ page, server }) => {
  await signedIn(page, server, "Members");
  await rows(page).last().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Remove" }).click();
  const removed = await holdCalls(page, /\/members\/[\da-f-]{36}$/, "DELETE");
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await expect.poll(() => removed.asked.length).toBe(1);
  await dialog.press("Escape");
  await expect(dialog).toHaveCount(0);
  await rows(page).first().click();
  await expect(dialog).toContainText("Manage Ada");
  await removed.answer();
  await expect(spoken(page)).toHaveText("Eve was removed.");
  await expect(rows(page)).toHaveCount(1);
  await expect(dialog).toContainText("Manage Ada");
});

test("a message that is closed gives the focus back to where it was", async ({ page, server }) => {
  await signedIn(page, server, "Members");
  const address = page.locator("#invite input[type=email]");
  await address.fill("eve@example.com");
  await page.keyboard.press("Enter");
  await expect(spoken(page)).toContainText("has a member with that address");
  await page.locator(".toasts").getByRole("button", { name: "Close" }).press("Enter");
  await expect(page.locator(".toast")).toHaveCount(0);
  await expect(address).toBeFocused();
});

test("a message that goes by itself leaves the focus where it is, in another one too", async ({ page, server }) => {
  await page.clock.install();
  await signedIn(page, server, "Members");
  const address = page.locator("#invite input[type=email]");
  await address.fill("eve@example.com");
  await page.keyboard.press("Enter");
  await expect(spoken(page)).toContainText("has a member with that address");
  await address.fill("bob@example.com");
  await page.keyboard.press("Enter");
  await expect(spoken(page)).toContainText("bob@example.com");
  const close = page.locator(".toast").filter({ hasText: "has a member" }).getByRole("button", { name: "Close" });
  await close.focus();
  await page.clock.fastForward(6_000);
  await expect(page.locator(".toast")).toHaveCount(1);
  await expect(close).toBeFocused();
});

test("who may less sees less, and a session that is over leads to the door", async ({ page, server }) => {
  server.links.set(TOKEN, member(2, "Eve", { scopes: ["notifications:view"] }));
  server.notifications = [notification(1, ["UNKNOWN_FACE"])];
  await signedIn(page, server);
  await expect(page.locator("article")).toBeVisible();
  await expect(page.locator(".side").getByRole("navigation").getByRole("link")).toHaveText(["Inbox", "Assigned to me"]);
  await expect(page.locator("article").getByRole("textbox")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Confirm finding" })).toHaveCount(0);
  await page.goto(`${server.page}#members`);
  await heading(page, "Inbox");
  await page.goto(`${server.page}#profile=${profile(1, "Bob").profile_id}`);
  await expect(page.locator("main")).toContainText("You may not see this.");
  await page.goto(`${server.page}#inbox`);
  // It ends with this question: what else is under way would lead to the door before it is asked.
  await intercept(page, /\/reviews/, (route) => {
    server.me = undefined;
    return route.continue();
  });
  await page.getByRole("button", { name: "Who decided what" }).click();
  await heading(page, "Sign in");
  await expect(spoken(page)).toHaveText("Your session has ended. Sign in again.");
});

test("roles of the account are made, and members get them, scopes besides, and are signed out", async ({
  page,
  server,
}) => {
  server.consoleScopes = ["roles:manage", "cases:manage", "queues:manage", "audit:view"];
  const eve = server.members[1];
  server.roles.sessions.set(eve?.id ?? "", [openSession(1), openSession(2, { browser: "Safari" })]);
  await signedIn(page, server, "Roles");
  await expect(page.locator("main")).toContainText("There are no roles of your own yet.");
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Lead");
  await dialog.getByLabel("see and hand over all cases").check();
  await expect(dialog.getByLabel("decide document checks"), "what one has not, one does not give").toBeDisabled();
  await judge(page, "role");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(rows(page)).toHaveText([/Lead.*None.*see and hand over all cases/]);
  await judge(page, "roles");

  await page.keyboard.press("Control+k");
  await expect(page.getByRole("searchbox", { name: "Search screens" })).toBeFocused();
  await page.keyboard.type("eve@");
  // Members are asked for when the palette opens, and may come after what else was found.
  await page.getByRole("option", { name: "Eve" }).click();
  await heading(page, "Members");
  await expect(dialog).toContainText("Manage Eve");
  await expect(dialog.locator("#member-sessions li")).toHaveText([/Firefox/, /Safari/]);
  await dialog.getByLabel("Role", { exact: true }).selectOption("Lead");
  await dialog.getByLabel("see the audit trail").check();
  await judge(page, "member-console");
  await dialog.getByRole("button", { name: "Save role and permissions" }).click();
  await expect(spoken(page)).toContainText("Saved");
  expect(server.roles.granted.get(eve?.id ?? "")).toEqual({
    role: server.roles.all[0]?.id,
    scopes: ["audit:view"],
  });
  await dialog.getByRole("button", { name: "Sign them out everywhere" }).click();
  await expect(dialog.locator("#member-sessions")).toContainText("Signed in nowhere.");
  await page.keyboard.press("Escape");
  await expect(rows(page).last()).toContainText("Lead");
});

test("a role and permissions that are saved one after the other leave each other alone, and what was ticked stays", async ({
  page,
  server,
}) => {
  const [ada, eve] = server.members as [Member, Member];
  server.consoleScopes = ["roles:manage", "audit:view"];
  const role = (number: number, name: string, scopes: Member["scopes"]) => {
    const id = `69000000-0000-4000-8000-00000000000${number}`;
    return { id, name, scopes, console_scopes: [], created_at: "2026-01-16T14:40:00Z" };
  };
  const [lead, editor] = [role(1, "Lead", ["profiles:view"]), role(2, "Editor", ["contents:view"])] as const;
  server.roles.all = [lead, editor];
  const granted = () => server.roles.granted.get(eve.id);
  await signedIn(page, server, "Members");
  await rows(page).last().click();
  const dialog = page.getByRole("dialog", { name: "Manage Eve" });
  const box = (scope: string) => dialog.locator(`input[value='${scope}']`);
  const chosen = dialog.getByLabel("Role", { exact: true });
  const save = async (name: string) => {
    const done = page.waitForResponse((answer) => answer.request().method() === "PUT");
    await dialog.getByRole("button", { name, exact: true }).click();
    await done;
  };
  await box("members:manage").check();
  await chosen.selectOption("Lead");
  await save("Save role and permissions");
  await expect(box("profiles:view"), "what the role allows").toBeChecked();
  await expect(box("members:manage"), "what was ticked before").toBeChecked();
  await save("Save");
  expect(granted()?.role).toBe(lead.id);
  expect(eve.scopes).toEqual(["members:manage", "notifications:view"]);

  await chosen.selectOption("Editor");
  await save("Save role and permissions");
  await expect(box("contents:view")).toBeChecked();
  await expect(box("profiles:view")).not.toBeChecked();
  await save("Save");
  expect(granted()?.role).toBe(editor.id);
  expect(eve.scopes, "nothing of a role is their own").toEqual(["members:manage", "notifications:view"]);

  await box("contents:view").uncheck();
  await box("audit:view").check();
  await save("Save");
  await expect(chosen, "a role that allows more is taken away").toHaveValue("");
  await expect(box("audit:view")).toBeChecked();
  await save("Save role and permissions");
  expect(granted()).toEqual({ role: undefined, scopes: ["audit:view"] });

  await box("members:manage").uncheck();
  await chosen.selectOption("Lead");
  server.me = undefined;
  await save("Save role and permissions");
  await heading(page, "Sign in");
  server.links.set(TOKEN, ada);
  await page.goto(`${server.page}#sign-in=${TOKEN}`);
  await click(page, "Sign in");
  await heading(page, "Members");
  await expect(chosen).toHaveValue(lead.id);
  await expect(box("members:manage")).not.toBeChecked();
  await expect(box("notifications:view")).toBeChecked();
});

test("it speaks German, reads from right to left in Arabic, and obeys forced colours", async ({ page, server }) => {
  server.notifications = [notification(1, ["AGE_ESTIMATION"], { age_group: "child" })];
  await speak(page, "de-AT");
  await page.goto(`${server.page}#invite=${TOKEN}`);
  await click(page, "Einladung annehmen");
  await click(page, "Eingang", "nav");
  await expect(page.locator("article")).toBeVisible();
  await judge(page, "german");
  await page.emulateMedia({ forcedColors: "active" });
  await expectAccessible(page, "forced colours");
  await takeScreenshot(page, "console-forced-colours");
  await page.emulateMedia({ forcedColors: "none" });
  await page.setViewportSize({ width: 320, height: 568 });
  await expectAccessible(page, "a small phone");
  await takeScreenshot(page, "console-small-phone");
  await speak(page, "ar");
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("dir", "rtl");
  await judge(page, "arabic");
});

test("a phone has the same places behind a menu", async ({ page, server }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await acceptInvitation(page, server);
  await page.getByRole("button", { name: "Menu" }).click();
  const menu = page.getByRole("dialog", { name: "Menu" });
  await expect(menu).toContainText("Corner shop");
  await expectAccessible(page, "the menu");
  await takeScreenshot(page, "console-menu");
  await menu.getByRole("link", { name: "People" }).click();
  await heading(page, "People");
  await expect(menu).toHaveCount(0);
  await page.getByRole("button", { name: "Menu" }).click();
  await menu.getByRole("link", { name: "People" }).click();
  await expect(menu, "the menu closes over the place that is open, too").toHaveCount(0);
  await expect(page.locator("#heading")).toBeFocused();
});

test("at 400 % what has the focus is not covered by the bar at the top", async ({ page, server }) => {
  server.notifications = Array.from({ length: 20 }, (_, at) => notification(at + 1, ["UNKNOWN_FACE"]));
  await signedIn(page, server);
  await page.setViewportSize({ width: 320, height: 256 });
  await expect(rows(page)).toHaveCount(20);
  const bar = await page.locator(".top").boundingBox();
  const filter = page.getByLabel("Show");
  await filter.evaluate((field) => window.scrollBy(0, field.getBoundingClientRect().top - 5));
  await filter.focus();
  const focused = await filter.boundingBox();
  expect(focused?.y).toBeGreaterThanOrEqual(bar?.height ?? Number.POSITIVE_INFINITY);
  expect(focused?.y).toBeLessThan(256);
});

test("people are listed and found, and who is told of in a notification is one click away", async ({
  page,
  server,
}) => {
  const bob = profile(1, "Bob", { is_banned: true, reference: "customer-1" });
  server.profiles = [bob, profile(2, ""), ...Array.from({ length: 20 }, (_, at) => profile(10 + at, `Guest ${at}`))];
  server.notifications = [notification(1, ["BANNED_PROFILE"], { profile_id: bob.profile_id })];
  await signedIn(page, server);
  await click(page, "See who this is");
  await heading(page, "Bob");
  await expect(page.locator("main")).toContainText("customer-1");
  await click(page, "People", "nav");
  await heading(page, "People");
  await expect(rows(page)).toHaveCount(20);
  await expect(rows(page).nth(1)).toContainText("No name");
  await judge(page, "people");
  await click(page, "Older");
  await expect(rows(page)).toHaveCount(2);
  await page.getByLabel("Banned people only").check();
  await click(page, "Find");
  await expect(rows(page)).toHaveText([/Bob.*customer-1.*Banned/]);
  await page.getByLabel("Banned people only").uncheck();
  await page.getByLabel("Part of the name").fill("GUEST 1");
  await page.keyboard.press("Enter");
  await expect(rows(page)).toHaveCount(11);
  await page.goBack();
  await expect(rows(page)).toHaveText([/Bob.*customer-1.*Banned/]);
  await page.getByLabel("Reference, exactly").fill("customer-2");
  await page.keyboard.press("Enter");
  await expect(page.locator("main").getByRole("status"), "it is heard").toHaveText("Nobody matches.");
  await expect(page.locator("#heading")).toBeFocused();
  await page.goBack();
  await rows(page).first().press("Enter");
  await heading(page, "Bob");
});

test("somebody is banned with a reason and an end, and the ban is lifted", async ({ page, server }) => {
  const bob = profile(1, "Bob");
  server.profiles = [bob];
  await signedIn(page, server);
  await page.goto(`${server.page}#profile=${bob.profile_id}`);
  await heading(page, "Bob");
  await page.getByRole("button", { name: "Ban this person" }).press("Enter");
  await page.getByLabel("Why?").fill("fights");
  await page.getByLabel("For how long?").selectOption("7 days");
  await judge(page, "ban");
  await page.locator("#ban button").click();
  await expect(spoken(page)).toHaveText("Banned. Moderations look for this person from now on.");
  await expect(page.locator("#heading")).toBeFocused();
  const content = page.locator("main");
  await expect(content).toContainText("fights");
  await expect(content).toContainText("(you)");
  const asked = server.requests.find((request) => request.includes("/ban "));
  const { reason, until } = JSON.parse(asked?.slice(asked.indexOf("{")) ?? "{}");
  expect(reason).toBe("fights");
  const days = (Date.parse(until) - Date.now()) / 86_400_000;
  expect(Math.abs(days - 7)).toBeLessThan(0.01);
  await takeScreenshot(page, "console-banned");
  await click(page, "Lift the ban");
  const question = page.getByRole("alertdialog", { name: "Lift the ban on Bob?" });
  await question.getByRole("button", { name: "Lift the ban" }).click();
  await expect(spoken(page)).toHaveText("The ban is lifted.");
  await expect(content).not.toContainText("fights");
});

test("a ban that is answered late takes the focus from nothing, and is lifted once", async ({ page, server }) => {
  const bob = profile(1, "Bob");
  server.profiles = [bob];
  await signedIn(page, server);
  await page.goto(`${server.page}#profile=${bob.profile_id}`);
  await heading(page, "Bob");
  const banned = await holdCalls(page, /\/(ban|unban)$/, "POST");
  await page.getByRole("button", { name: "Ban this person" }).press("Enter");
  await page.locator("#ban button").press("Enter");
  await expect.poll(() => banned.asked.length).toBe(1);
  const link = page.getByRole("navigation").getByRole("link", { name: "People", exact: true });
  await link.focus();
  await banned.answer();
  await expect(page.locator("main")).toContainText("Lift the ban");
  await settle(page);
  await expect(link, "they have gone on").toBeFocused();

  const lift = page.getByRole("button", { name: "Lift the ban" });
  for (const _ of ["once", "twice"]) {
    await lift.click();
    const dialog = page.getByRole("alertdialog");
    await dialog.getByRole("button", { name: "Lift the ban" }).click();
    await expect(dialog).toBeHidden();
  }
  await banned.answer();
  await expect(spoken(page)).toHaveText("The ban is lifted.");
  await expect(page.locator("#heading"), "the button is gone").toBeFocused();
  expect(banned.asked.length).toBe(2);
});

test("a dismissal is seen at the person, and undone", async ({ page, server }) => {
  const bob = profile(1, "Bob", { is_banned: true });
  server.profiles = [bob];
  const seen = notification(1, ["BANNED_PROFILE"], { profile_id: bob.profile_id });
  server.notifications = [seen];
  server.titles.set(seen.data.content_id, "Summer at the lake");
  server.dismissals.set(bob.profile_id, [
    {
      id: "50000000-0000-4000-8000-000000000001",
      notification_id: seen.id,
      content_id: seen.data.content_id,
      user_id: member(1, "Ada").id,
      distance: 0.41,
      this_content_only: true,
      created_at: "2026-01-16T15:00:00Z",
    },
  ]);
  await signedIn(page, server);
  await page.goto(`${server.page}#profile=${bob.profile_id}`);
  await expect(page.locator("#dismissals li")).toHaveText([
    /16 Jan 2026.*\(you\).*“Summer at the lake”, in that content only/,
  ]);
  await judge(page, "person");
  await click(page, "Undo");
  await expect(spoken(page)).toHaveText("Undone. The face counts as this person again.");
  await expect(page.locator("#dismissals")).toContainText("No face was ruled out.");
  const undone = server.requests.find((request) => request.startsWith("DELETE"));
  expect(undone).toContain(`/profiles/${bob.profile_id}/dismissals/50000000-`);
});

test("a member sees of people what their scopes allow", async ({ page, server }) => {
  const bob = profile(1, "Bob", { is_banned: true });
  server.profiles = [bob];
  const eve = member(2, "Eve", { scopes: ["profiles:list"] });
  server.members.push(eve);
  server.links.set(TOKEN, eve);
  await signedIn(page, server, "People");
  await expect(rows(page)).toHaveText([/Bob/]);
  await rows(page).first().click();
  await heading(page, "People");
  eve.scopes.push("profiles:view");
  await page.reload();
  await rows(page).first().click();
  await heading(page, "Bob");
  await expect(page.locator("main button")).toHaveCount(0);
  await expect(page.locator("#dismissals")).toHaveCount(0);
});
