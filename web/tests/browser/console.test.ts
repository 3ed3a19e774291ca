// The console in a real browser: what a member sees and does, with the keyboard too.

import { exactText, expectAccessible, takeScreenshot } from "./actions";
import { ACCOUNT, ConsoleStandIn, member, notification, profile } from "./console-stand-in";
import { expect, type Page, withServer } from "./fixtures";

const TOKEN = "c0de-of_the-invitation-that-is-long-enough-1";

const test = withServer(() => {
  const server = new ConsoleStandIn();
  const ada = member(1, "Ada", { admin: true });
  const eve = member(2, "Eve", { scopes: ["notifications:view"] });
  server.members = [ada, eve];
  server.links.set(TOKEN, ada);
  return server;
});
test.use({ viewport: { width: 1024, height: 768 } });

const heading = (page: Page, words: string) => expect(page.locator("h1")).toHaveText(words);
const spoken = (page: Page) => page.locator("#spoken");

async function click(page: Page, words: string, within = "body"): Promise<void> {
  await page
    .locator(within)
    .locator("button, a")
    .filter({ hasText: exactText(words), visible: true })
    .first()
    .click();
}

async function signedIn(page: Page, server: ConsoleStandIn): Promise<void> {
  await page.goto(`${server.page}#invite=${TOKEN}`);
  await click(page, "Accept the invitation");
  await heading(page, "Inbox");
}

test("an invitation is accepted by a press and not by opening it, and leaves the address at once", async ({
  page,
  server,
}) => {
  await page.goto(`${server.page}#invite=${TOKEN}`);
  await heading(page, "You are invited");
  await expect(page).toHaveURL(server.page);
  expect(server.requests, "whoever opens it ahead of its reader uses nothing up").toEqual([]);
  await expectAccessible(page, "the invitation");
  await takeScreenshot(page, "console-invitation");
  await click(page, "Accept the invitation");
  await heading(page, "Inbox");
  await expect(page.locator("#heading")).toBeFocused();
  await expect(page.locator("#where")).toHaveText("Corner shop");
  expect(await page.evaluate(() => document.cookie), "no program can read the session").toBe("");
  await page.reload();
  await heading(page, "Inbox");
  await click(page, "Sign out");
  await heading(page, "Sign in");
});

test("a link that was used says so, and a new one is asked for by mail", async ({ page, server }) => {
  await page.goto(`${server.page}#sign-in=${"x".repeat(43)}`);
  await heading(page, "Welcome back");
  await click(page, "Sign in");
  await heading(page, "Sign in");
  await expect(spoken(page)).toContainText("used already");
  await expectAccessible(page, "signing in");
  await takeScreenshot(page, "console-sign-in");
  await page.locator("#email").fill("ada@example.com");
  await page.keyboard.press("Enter");
  await heading(page, "Look into your mail");
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
  await heading(mailed, "Notification");
  await expect(mailed.locator("article")).toContainText("Found: banned person");
  await takeScreenshot(mailed, "console-deep-link");
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
  const list = page.locator("#notifications");
  for (const words of [
    "Found: banned person, unknown face",
    "16 Jan 2026",
    "12.5 s into the video",
    "13 to 15",
    "https://videos.example.com/1.mp4",
    "<img src=x onerror=alert(1)>",
    "0 of 500 characters",
    "Moderation failed",
    "the content is empty",
    "Moderation done",
  ]) {
    await expect(list).toContainText(words);
  }
  await expect(list.locator("textarea"), "there is nothing to decide about an end").toHaveCount(1);
  await expect(list.locator("a, img")).toHaveCount(0);
  await expectAccessible(page, "the inbox");
  await takeScreenshot(page, "console-inbox");

  const first = page.locator("article").first();
  const comment = first.getByRole("textbox");
  await comment.focus();
  await page.keyboard.insertText(`${"a".repeat(498)}😀 and too much`);
  await expect(first.locator(".count"), "an emoji is one").toContainText(/^499 of 500/);
  await comment.fill("that is the manager");
  await first.locator("details summary").click();
  await click(page, "Dismiss", "article");
  await expect(first.locator(".reviews")).toHaveText(
    /16 Jan 2026.*\(you\)\s*Dismissed: it is wrong\.\s*“that is the manager”/,
  );
  expect(server.requests.some((asked) => asked.endsWith('/dismiss {"comment":"that is the manager"}'))).toBe(true);
  await expect(spoken(page)).toHaveText("Dismissed: it is wrong.");
  await takeScreenshot(page, "console-reviewed");
  await expect(first.locator(".outcome")).toHaveText("Dismissed: it is wrong.");
});

test("what was decided is seen after a reload, and whether members disagree", async ({ page, server }) => {
  const young = notification(1, ["AGE_ESTIMATION"], { age_group: "adult" });
  server.titles.set(young.data.content_id, "Summer at the lake");
  server.notifications = [young, notification(2, ["UNKNOWN_FACE"])];
  await signedIn(page, server);
  const [first, second] = [page.locator("article").first(), page.locator("article").last()];
  await expect(first).toContainText("Summer at the lake");
  await expect(first).toContainText("looks younger than is allowed here");
  await first.getByRole("button", { name: "Accept" }).click();
  await expect(first.locator(".outcome")).toHaveText("Accepted: it is right.");
  await page.reload();
  await expect(first.locator(".outcome")).toHaveText("Accepted: it is right.");
  await expect(second.locator(".outcome")).toBeEmpty();
  await expectAccessible(page, "a decision");
  await takeScreenshot(page, "console-decided");
  await first.getByRole("button", { name: "Dismiss" }).click();
  await expect(first.locator(".outcome"), "the later word counts").toHaveText("Dismissed: it is wrong.");
  server.review(server.notifications[0]?.id ?? "", "00000000-0000-4000-8000-000000000002", 100);
  await page.reload();
  await expect(first.locator(".outcome")).toHaveText("1 of 2 members accepted it.");
});

test("pages are turned by the keyboard, which is then at their top", async ({ page, server }) => {
  server.notifications = Array.from({ length: 45 }, (_, at) => notification(at + 1, ["UNKNOWN_FACE"]));
  await signedIn(page, server);
  await expect(page.locator("body")).toContainText("Page 1 of 3");
  await page.locator(".pager button:last-of-type").focus();
  await page.keyboard.press("Enter");
  await expect(page.locator("body")).toContainText("Page 2 of 3");
  await expect(page.locator("#heading")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("textbox").first()).toBeFocused();
  expect(server.requests).toContain(`GET /accounts/${ACCOUNT}/notifications`);
});

test("members are invited, allowed, made administrators and removed", async ({ page, server }) => {
  await signedIn(page, server);
  await click(page, "Members");
  await heading(page, "Members");
  const members = page.locator("#members article");
  await expect(members).toHaveCount(2);
  await expectAccessible(page, "the members");
  await takeScreenshot(page, "console-members");

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
  await address.fill("eve@example.com");
  await page.keyboard.press("Enter");
  await expect(spoken(page)).toContainText("has a member with that address");
  await expectAccessible(page, "a refusal");
  await click(page, "Take back");
  await expect(page.locator("#invitations")).toHaveCount(0);

  const eve = "#members li:last-child";
  await page.locator(`${eve} summary`).click();
  await page.locator(`${eve} input[value='members:manage']`).check();
  await expectAccessible(page, "what may be done");
  await takeScreenshot(page, "console-scopes");
  await click(page, "Save", eve);
  await expect(spoken(page)).toContainText(/^Saved/);
  expect(server.members[1]?.scopes).toEqual(["members:manage", "notifications:view"]);
  await click(page, "Make administrator", eve);
  await expect(page.locator(".badge")).toHaveCount(2);
  await click(page, "Remove", eve);
  await expect(page.locator("#sure")).toBeVisible();
  await expectAccessible(page, "the question");
  await takeScreenshot(page, "console-question");
  await page.keyboard.press("Escape");
  await expect(page.locator("#sure")).toBeHidden();
  expect(server.members.length, "Escape is no yes").toBe(2);
  // The quickest of fingers: the question is put again before anybody was told that it was closed.
  await page.evaluate((eve) => {
    const sure = document.querySelector<HTMLDialogElement>("#sure");
    const remove = [...document.querySelectorAll<HTMLButtonElement>(`${eve} button`)].at(-1);
    remove?.click();
    sure?.close("");
    remove?.click();
    document.querySelector<HTMLButtonElement>("#confirm")?.click();
  }, eve);
  await expect(members).toHaveCount(1);
  expect(server.requests.filter((asked) => asked.startsWith("DELETE") && asked.includes("/members/")).length).toBe(1);
  await click(page, "Make ordinary member");
  await expect(spoken(page)).toContainText("last administrator");
});

test("who may less sees less, and a session that is over leads to the door", async ({ page, server }) => {
  server.links.set(TOKEN, member(2, "Eve", { scopes: ["notifications:view"] }));
  server.notifications = [notification(1, ["UNKNOWN_FACE"])];
  await signedIn(page, server);
  await expect(page.locator("article")).toBeVisible();
  await expect(page.getByRole("navigation").getByRole("link")).toHaveText(["Inbox", "For you"]);
  await expect(page.locator("article").locator("button, textarea")).toHaveCount(0);
  // The heading does not change: the inbox is shown anew when its answer is there.
  const answered = page.waitForResponse((response) => response.url().includes("/notifications"));
  await page.goto(`${server.page}#members`);
  await answered;
  await heading(page, "Inbox");
  server.me = undefined;
  await page.locator("article summary").click();
  await heading(page, "Sign in");
  await expect(spoken(page)).toHaveText("Your session is over. Sign in again.");
});

test("it is right at every size and in every scheme, and speaks German", async ({ page, server }) => {
  server.notifications = [notification(1, ["AGE_ESTIMATION"], { age_group: "child" })];
  await page.addInitScript(() => Object.defineProperty(navigator, "languages", { get: () => ["de-AT"] }));
  await page.goto(`${server.page}#invite=${TOKEN}`);
  await click(page, "Einladung annehmen");
  await heading(page, "Eingang");
  await expect(page.locator("article")).toBeVisible();
  for (const [look, width, height, media] of [
    ["a small phone", 320, 568, {}],
    ["dark", 390, 844, { colorScheme: "dark" }],
    ["a desk", 1280, 800, { colorScheme: "light" }],
    ["forced colours", 1280, 800, { forcedColors: "active" }],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia(media);
    await expectAccessible(page, look);
    await takeScreenshot(page, `console-${look.replace(/ /g, "-")}`);
  }
});

test("people are listed and found, and who is told of in a notification is one click away", async ({
  page,
  server,
}) => {
  const bob = profile(1, "Bob", { is_banned: true, reference: "customer-1" });
  server.profiles = [bob, profile(2, ""), ...Array.from({ length: 20 }, (_, at) => profile(10 + at, `Guest ${at}`))];
  server.notifications = [notification(1, ["BANNED_PROFILE"], { profile_id: bob.profile_id })];
  await signedIn(page, server);
  await click(page, "See who that is");
  await heading(page, "Bob");
  await expect(page.locator("#content")).toContainText("customer-1");
  await click(page, "People");
  await heading(page, "People");
  const people = page.locator("#people li");
  await expect(people).toHaveCount(20);
  await expect(people.nth(1)).toContainText("Without a name");
  await expectAccessible(page, "the people");
  await takeScreenshot(page, "console-people");
  await click(page, "Older");
  await expect(people).toHaveCount(2);
  await page.getByLabel("banned people only").check();
  await click(page, "Find");
  await expect(people).toHaveText([/Bob\s*Banned\s*Reference: customer-1/]);
  await page.getByLabel("Reference, exactly").fill("customer-2");
  await page.keyboard.press("Enter");
  await expect(page.locator("#content")).toContainText("Nobody is here.");
  await expect(page.locator("#heading")).toBeFocused();
});

test("somebody is banned with a reason and an end, and the ban is lifted", async ({ page, server }) => {
  const bob = profile(1, "Bob");
  server.profiles = [bob];
  await signedIn(page, server);
  await page.goto(`${server.page}#profile=${bob.profile_id}`);
  await heading(page, "Bob");
  await page.locator("summary", { hasText: "Ban this person" }).press("Enter");
  await page.getByLabel("Why?").fill("fights");
  await page.getByLabel("For how long?").selectOption("7 days");
  await expectAccessible(page, "a ban");
  await takeScreenshot(page, "console-ban");
  await click(page, "Ban");
  await expect(spoken(page)).toHaveText("Banned. Every moderation looks for this person from now on.");
  await expect(page.locator("#heading")).toBeFocused();
  const content = page.locator("#content");
  await expect(content).toContainText("fights");
  await expect(content).toContainText("(you)");
  const asked = server.requests.find((request) => request.includes("/ban "));
  const { reason, until } = JSON.parse(asked?.slice(asked.indexOf("{")) ?? "{}");
  expect(reason).toBe("fights");
  const days = (Date.parse(until) - Date.now()) / 86_400_000;
  expect(Math.abs(days - 7)).toBeLessThan(0.01);
  await takeScreenshot(page, "console-banned");
  await click(page, "Lift the ban");
  await expect(page.locator("#sure")).toContainText("Lift the ban of Bob?");
  await click(page, "Lift the ban", "#sure");
  await expect(spoken(page)).toHaveText("The ban is lifted.");
  await expect(content).not.toContainText("fights");
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
  const dismissals = page.locator("#dismissals li");
  await expect(dismissals).toHaveText([
    /16 Jan 2026.*\(you\).*in that content only.*“Summer at the lake”|“Summer at the lake”.*in that content only/,
  ]);
  await expectAccessible(page, "a person");
  await takeScreenshot(page, "console-dismissals");
  await page.setViewportSize({ width: 360, height: 640 });
  await takeScreenshot(page, "console-dismissals-phone");
  await click(page, "Undo");
  await expect(spoken(page)).toHaveText("Undone. The face counts as this person again.");
  await expect(page.locator("#content")).toContainText("No face was dismissed.");
  const undone = server.requests.find((request) => request.startsWith("DELETE"));
  expect(undone).toContain(`/profiles/${bob.profile_id}/dismissals/50000000-`);
});

test("a member sees of people what their scopes allow", async ({ page, server }) => {
  const bob = profile(1, "Bob", { is_banned: true });
  server.profiles = [bob];
  const eve = member(2, "Eve", { scopes: ["profiles:list"] });
  server.members.push(eve);
  server.links.set(TOKEN, eve);
  await signedIn(page, server);
  await click(page, "People");
  await expect(page.locator("#people li")).toHaveText([/Bob/]);
  await expect(page.locator("#people a")).toHaveCount(0);
  eve.scopes.push("profiles:view");
  await page.reload();
  await page.locator("#people a").click();
  await heading(page, "Bob");
  await expect(page.locator("#content button")).toHaveCount(0);
  await expect(page.locator("#dismissals-heading")).toHaveCount(0);
});
