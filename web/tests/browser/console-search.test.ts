// Finding everything about a face, a name or a reference in the console: by a picture, by words and by ids.

import { exactText, expectAccessible, intercept, tabTo, takeScreenshot } from "./actions";
import { casePicture } from "./case-pictures";
import { matchCase } from "./cases-stand-in";
import { acceptInvitation, judge, speak } from "./console-actions";
import { heading, rows, setMembers, TOKEN, withConsole } from "./console-page";
import { type ConsoleStandIn, member, notification, profile } from "./console-stand-in";
import { content, findingMatch, moderation, seenFace } from "./contents-stand-in";
import { expect, type Page } from "./fixtures";

const UPLOADER = "80000000-0000-4000-8000-000000000001";

const test = withConsole((server) => {
  setMembers(server, member(1, "Ada", { admin: true }));
  server.consoleScopes = ["cases:manage"];
  stock(server);
});

const FACE = { id: "d0000000-0000-4000-8000-000000000001", created_at: "2026-01-10T09:00:00Z", quality: 0.9 };

/** Two contents of one uploader; in one of them Bob, who is banned, was seen, and somebody who is like him. */
function stock(server: ConsoleStandIn): void {
  const bob = profile(1, "Bob", { is_banned: true, reference: "customer-1", faces: [FACE] });
  server.profiles = [bob, profile(2, "Bea", { reference: "customer-2" })];
  const lake = content(1, "Summer at the lake", { uploader_id: UPLOADER, profile_ids: [bob.profile_id] });
  const sea = content(2, "Winter by the sea", { uploader_id: UPLOADER, type: "IMAGE", archived: true });
  const [ofLake, ofSea] = [moderation(1, lake), moderation(2, sea, { state: "FAILED" })];
  const faces = [
    seenFace(1, { profile_id: bob.profile_id, is_banned: true }),
    seenFace(2, { age_group: "teenager_old" }),
  ] as const;
  server.contents.all = [lake, sea, content(3, null, { upload_id: UPLOADER, url: null })];
  server.contents.moderations = [ofLake, ofSea];
  server.contents.faces.set(ofLake.id, [...faces]);
  server.contents.seen = [findingMatch(ofLake, faces[0], 0.71), findingMatch(ofLake, faces[1], 0.46)];
  const alike = { reference: "customer-2", is_banned: false, similarity: 0.47, distance: 0.55, face_id: FACE.id };
  server.contents.people = [
    { ...bob, similarity: 0.61, distance: 0.41, face_id: FACE.id },
    { ...profile(2, "Bea"), ...alike },
  ];
  server.notifications = [
    notification(1, ["BANNED_PROFILE"], { profile_id: bob.profile_id, finding_id: faces[0].id }),
    notification(2, ["FAILED"], { content_type: "IMAGE" }),
  ];
  server.contents.reports.set(lake.id, [
    {
      id: "e0000000-0000-4000-8000-000000000001",
      content_id: lake.id,
      reason: "He was told to stay away.",
      created_at: "2026-01-17T08:00:00Z",
    },
  ]);
}

const option = (page: Page, words: RegExp) => page.getByRole("option", { name: words });

async function signedIn(page: Page, server: ConsoleStandIn, hash = "people"): Promise<void> {
  await acceptInvitation(page, server);
  await heading(page, /./);
  await page.goto(`${server.page}#${hash}`);
}

/** Opens the palette and types. */
async function find(page: Page, words: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog").getByRole("searchbox")).toBeFocused();
  // At once, as whoever types fast: a pause would ask for a part of it.
  await page.keyboard.insertText(words);
}

const JPEG = { name: "face.jpg", mimeType: "image/jpeg" };

test("a search that cannot be fetched is asked for again, and nothing that was typed is lost", async ({
  page,
  server,
}) => {
  server.cases.all = [matchCase(1)];
  await intercept(page, /\/assets\/face-search-/, (route) => route.abort());
  await signedIn(page, server, "queue");
  await heading(page, "Found: banned person");
  const comment = page.getByLabel("Comment");
  await comment.fill("half a sentence");
  await page.locator("#heading").focus();
  await page.keyboard.press("w");
  const who = page.getByRole("dialog", { name: "Who is this?" });
  await expect(who.getByRole("alert")).toContainText("This part of the page could not be fetched.");
  await expectAccessible(page, "a search that could not be fetched");
  await page.unroute(/\/assets\/face-search-/);
  await who.getByRole("button", { name: "Try again" }).press("Enter");
  await expect(who.locator(".matches li")).toHaveCount(2);
  await expect(who.getByRole("heading", { name: "Who is this?" }), "the button is gone").toBeFocused();
  await who.getByRole("button", { name: "Close" }).press("Enter");
  await expect(who).toHaveCount(0);
  await expect(comment).toHaveValue("half a sentence");
});

for (const theme of ["light", "dark"] as const) {
  test(`everything about a face, a name and a reference is found by keyboard alone, ${theme}`, async ({
    page,
    server,
  }) => {
    server.cases.all = [matchCase(1)];
    await page.emulateMedia({ colorScheme: theme });
    await signedIn(page, server, "queue");
    await heading(page, "Found: banned person");
    await page.keyboard.press("w");
    const who = page.getByRole("dialog", { name: "Who is this?" });
    await expect(who.locator(".matches li")).toHaveText([/Bob.*Banned.*customer-1/, /Bea.*Not banned.*customer-2/]);
    await expect(
      who.getByRole("img", { name: /Similarity 0.61. From 0.5 it counts as the same person/ }),
    ).toBeVisible();
    await expectAccessible(page, "who this is");
    await page.keyboard.press("Escape");
    await expect(who).toHaveCount(0);
    await heading(page, "Found: banned person");

    await find(page, "customer-1");
    await expect(option(page, /Bob/)).toContainText("customer-1 · Banned");
    await expect(option(page, /Bob/)).toHaveAttribute("data-focused", "true");
    await page.keyboard.press("Enter");
    await heading(page, "Bob");
    await expect(page.locator("#heading")).toBeFocused();

    await page.keyboard.press("w");
    await expect(rows(page)).toHaveText([/Summer at the lake.*16 Jan 2026.*banned person.*Finding/, /not reported/]);
    await page.keyboard.press("j");
    await expect(rows(page).first()).toBeFocused();
    await page.keyboard.press("Enter");
    await heading(page, "Summer at the lake");
    await expect(page.locator("#of-uploader")).toContainText("Winter by the sea");
    await tabTo(page, "All contents of this uploader (2)");
    await page.keyboard.press("Enter");
    await heading(page, "Contents");
    await expect(rows(page)).toHaveCount(2);

    await find(page, "by the s");
    await expect(option(page, /Winter by the sea/)).toHaveAttribute("data-focused", "true");
    await page.keyboard.press("Enter");
    await heading(page, "Winter by the sea");

    await find(page, "bea");
    await expect(option(page, /Bea/)).toHaveAttribute("data-focused", "true");
    await page.keyboard.press("Enter");
    await heading(page, "Bea");

    await find(page, server.contents.moderations[0]?.id ?? "");
    await expect(page.getByRole("option")).toHaveText([/Moderation with this id.*Done, 16 Jan 2026/]);
    await takeScreenshot(page, `console-palette-id-${theme}`);
    await page.keyboard.press("Enter");
    await heading(page, "Moderation");
    await find(page, UPLOADER);
    await expect(page.getByRole("option")).toHaveText(["All contents of this uploader (2)"]);
    await page.keyboard.press("Enter");
    await heading(page, "Contents");
  });
}

test("people are searched by a picture that is chosen, pasted or dropped, and covered until Space is held", async ({
  page,
  server,
}) => {
  const buffer = casePicture("selfie");
  // From the beginning: a key may be there before the browser has heard that its dialog is answered here.
  page.on("filechooser", (chooser) => void chooser.setFiles({ ...JPEG, buffer }));
  await signedIn(page, server);
  await heading(page, "People");
  await expect(rows(page)).toHaveCount(2);
  await judge(page, "people-search");
  await page.keyboard.press("u");
  const found = page.locator("#who-found");
  await expect(found.locator(".matches li")).toHaveText([/Bob.*Banned/, /Bea/]);
  await expect(found).toContainText("2 found, the most similar first.");
  await expect(page.getByAltText("Your picture: covered")).toBeVisible();
  await page.locator("#heading").focus();
  await page.keyboard.down("Space");
  await expect(page.getByAltText("Your picture", { exact: true })).toBeVisible();
  await page.keyboard.up("Space");
  await expect(page.getByAltText("Your picture: covered")).toBeVisible();
  const asked = server.requests.filter((one) => one.includes("/profiles/search"));
  expect(asked.length).toBe(1);
  expect(JSON.parse(asked[0]?.split("search ")[1] ?? "").most).toBe(20);
  expect(server.cases.views, "nobody is told of one's own picture").toEqual([]);
  await judge(page, "people-found");

  await page.getByRole("button", { name: "Search past findings" }).click();
  await expect(page.locator("#where-seen")).toContainText("Faces compared: 2. The oldest was seen on 16 Jan 2026.");
  await expect(page.locator("#where-seen")).toContainText("for 90 days after their moderation");
  await judge(page, "face-seen");
  await page.getByRole("columnheader", { name: "Similarity" }).click();
  await expect(rows(page).first()).toContainText("not reported");
  await page.getByRole("link", { name: "Finding", exact: true }).click();
  await heading(page, "Finding");
  await expect(page.locator("article")).toContainText("banned person");

  await page.goto(`${server.page}#people`);
  await heading(page, "People");
  await expect(page.getByRole("button", { name: "Remove the picture" })).toBeHidden();
  server.contents.people = [];
  const transfer = await page.evaluateHandle((base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], "face.jpg", { type: "image/jpeg" }));
    return transfer;
  }, buffer.toString("base64"));
  await page.evaluate((clipboardData) => {
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
  }, transfer);
  await expect(found).toContainText("Nobody who is enrolled looks like this.");
  await page.getByRole("button", { name: "Remove the picture" }).click();
  await expect(rows(page)).toHaveCount(2);
  server.contents.refusal = "the picture shows 2 faces; send one of exactly one face";
  await page.locator(".picker").dispatchEvent("drop", { dataTransfer: transfer });
  await expect(found).toContainText("The server refused: the picture shows 2 faces");
  await expectAccessible(page, "a refused picture");

  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "a.png", mimeType: "image/png", buffer: Buffer.from("no") });
  await expect(page.locator(".picker")).toContainText("This is not a picture that can be read here.");
  await takeScreenshot(page, "console-picture-unreadable");
});

test("of two pictures that are chosen one after the other, the last is searched for", async ({ page, server }) => {
  await signedIn(page, server);
  // The first is read only when it may, and how many have been read is written down.
  await page.evaluate(() => {
    const read = window.createImageBitmap.bind(window) as (file: Blob) => Promise<ImageBitmap>;
    let readFirst = () => {};
    const first = new Promise<void>((may) => {
      readFirst = may;
    });
    const { close } = ImageBitmap.prototype;
    let begun = 0;
    Object.assign(window, {
      readFirst,
      createImageBitmap: async (file: Blob) => {
        begun += 1;
        if (begun === 1) {
          await first;
        }
        return read(file);
      },
    });
    ImageBitmap.prototype.close = function () {
      close.call(this);
      const { dataset } = document.documentElement;
      dataset.read = `${Number(dataset.read ?? 0) + 1}`;
    };
  });
  const searches = () => server.requests.filter((asked) => asked.startsWith("POST") && asked.includes("search"));
  const input = page.locator("input[type=file]");
  await input.setInputFiles({ ...JPEG, buffer: casePicture("selfie") });
  await input.setInputFiles({ ...JPEG, buffer: casePicture("face") });
  await expect(page.locator("#who-found a").first()).toBeVisible();
  const ofTheLast = searches();
  expect(ofTheLast.length).toBeGreaterThan(0);
  await page.evaluate(() => (window as unknown as { readFirst(): void }).readFirst());
  await expect(page.locator("html")).toHaveAttribute("data-read", "2");
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100))));
  expect(searches()).toEqual(ofTheLast);
});

test("who the face of a case may be is asked without leaving the case, and where it was seen", async ({
  page,
  server,
}) => {
  server.cases.all = [matchCase(1)];
  await signedIn(page, server, "queue");
  await page.getByRole("button", { name: "Who is this?" }).click();
  const who = page.getByRole("dialog", { name: "Who is this?" });
  await expect(who.locator(".matches li")).toHaveCount(2);
  await judge(page, "who");
  await who.getByRole("button", { name: "Search past findings" }).click();
  await expect(who.getByRole("link", { name: "Finding", exact: true })).toBeVisible();
  // axe takes links that are scrolled out of a dialog for ways to skip something.
  await page.setViewportSize({ width: 1280, height: 1800 });
  await expectAccessible(page, "where the face was seen");
  await takeScreenshot(page, "console-who-seen");
  server.contents.refusal = "the picture shows no face";
  await who.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Who is this?" }).click();
  await expect(who).toContainText("The server refused: the picture shows no face");
});

test("older findings of a person are searched when that is asked for", async ({ page, server }) => {
  server.contents.comparedAtOnce = 1;
  await signedIn(page, server, `profile=${profile(1, "").profile_id}`);
  await heading(page, "Bob");
  await page.getByRole("button", { name: "Search past findings" }).click();
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole("button", { name: "Search older findings" }).click();
  await expect(rows(page)).toHaveCount(2);
  await expect(page.getByRole("button", { name: "Search older findings" })).toHaveCount(0);
  await judge(page, "person-seen");
  await page.goto(`${server.page}#profile=${profile(2, "").profile_id}`);
  await heading(page, "Bea");
  await expect(page.locator("#where-seen")).toContainText("No face of this person is enrolled.");
});

test("of a moderation with more notifications than are looked through, nothing is said not to be reported", async ({
  page,
  server,
}) => {
  const [newest] = server.notifications;
  const older = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      notification(10 + at, ["AGE_ESTIMATION"], { moderation_id: newest?.data.moderation_id ?? "" }),
    );
  const linked = (name: string) => rows(page).getByRole("link", { name, exact: true });
  await signedIn(page, server);
  for (const [count, unreported] of [
    [99, 1],
    [100, 0],
  ] as const) {
    server.notifications = [...server.notifications.slice(0, 1), ...older(count)];
    await page.goto("about:blank");
    await page.goto(`${server.page}#profile=${profile(1, "").profile_id}`);
    await page.getByRole("button", { name: "Search past findings" }).click();
    await expect(linked("Finding")).toHaveCount(1);
    await expect(linked("Moderation")).toHaveCount(2);
    await expect(rows(page).getByText("not reported")).toHaveCount(unreported);
  }
});

test("contents are found by title, uploader, type, state and day, and sorted on their page", async ({
  page,
  server,
}) => {
  const many = Array.from({ length: 22 }, (_, at) => content(20 + at, `Clip ${at + 1}`));
  server.contents.all.push(...many);
  await signedIn(page, server, "contents");
  await heading(page, "Contents");
  await expect(rows(page)).toHaveCount(20);
  await expect(page.locator(".pager")).toContainText("Headings sort what is on this page.");
  await judge(page, "contents");
  await page.getByRole("columnheader", { name: "Title" }).click();
  await expect(rows(page).nth(1)).toContainText("Clip 1");
  await page.getByRole("columnheader", { name: "Title" }).click();
  await expect(rows(page).first()).toContainText("Winter by the sea");
  await page.getByRole("button", { name: "Older" }).click();
  await expect(rows(page)).toHaveCount(5);
  await page.getByLabel("Title contains").fill("LAKE");
  await page.keyboard.press("Enter");
  await expect(rows(page)).toHaveText([/Summer at the lake.*Video.*In use/]);
  await page.reload();
  await heading(page, "Contents");
  await expect(page.getByLabel("Title contains")).toHaveValue("LAKE");
  await page.getByLabel("Title contains").fill("");
  await page.getByLabel("Uploader’s id").fill(UPLOADER);
  await page.getByLabel("Status").selectOption("Archived");
  await page.getByRole("button", { name: "Find" }).click();
  await expect(rows(page)).toHaveText([/Winter by the sea.*Image.*Archived/]);
  await page.getByLabel("Registered until").fill("2026-01-15");
  await page.getByRole("button", { name: "Find" }).click();
  await expect(page.locator("main")).toContainText("No contents match.");
  const last = server.requests.filter((one) => one.includes("GET") && one.endsWith("/contents")).length;
  expect(last).toBeGreaterThan(3);
});

test("a content shows its moderations, findings, reports, people and what else its uploader uploaded", async ({
  page,
  server,
}) => {
  await signedIn(page, server, "contents");
  await rows(page).first().press("Enter");
  await heading(page, "Summer at the lake");
  const main = page.locator("main");
  await expect(main).toContainText("https://videos.example.com/1.mp4");
  await expect(page.locator("#moderations")).toContainText("banned people, age");
  await expect(page.locator("#moderations")).toContainText("Found: banned person");
  await expect(page.locator("#reports")).toContainText("He was told to stay away.");
  await expect(main.getByRole("link", { name: "Bob" })).toBeVisible();
  await expect(page.locator("#of-uploader")).toContainText(/Winter by the sea.*Failed/);
  await judge(page, "content");
  await page.getByRole("button", { name: "Decide on this report" }).press("Enter");
  await page.getByLabel("What is done about it?").fill("taken down");
  await expectAccessible(page, "a decision on a report");
  await page.locator("#reports form button").click();
  await expect(page.locator("#reports")).toContainText("taken down");
  await expect(page.locator("#spoken")).toHaveText("The report is decided.");
  await page.locator("#moderations").getByRole("link", { name: "16 Jan 2026" }).first().click();
  await heading(page, "Moderation");
  await page.getByRole("button", { name: "Show them" }).click();
  await expect(rows(page)).toHaveText([/1 s.*banned person.*25 and older.*106 × 107 px/, /2 s.*unknown face/]);
  await judge(page, "moderation");
  await page.getByRole("link", { name: "Summer at the lake" }).first().click();
  await heading(page, "Summer at the lake");
  await page.goto(`${server.page}#content=20000000-0000-4000-8000-000000000099`);
  await expect(main).toContainText("This does not exist, or belongs to another account.");
});

test("what a member may not see is said, and nothing is asked for it", async ({ page, server }) => {
  const eve = member(2, "Eve", { scopes: ["contents:view", "profiles:list", "moderations:view"] });
  server.links.set(TOKEN, eve);
  await signedIn(page, server, `content=${server.contents.all[0]?.id}`);
  await heading(page, "Summer at the lake");
  const main = page.locator("main");
  for (const words of [
    "People: 1. You may not see who they are.",
    "You may not see findings.",
    "You may not see reports.",
    "You may not list contents.",
  ]) {
    await expect(main).toContainText(words);
  }
  await judge(page, "content-closed");
  await page.goto(`${server.page}#people`);
  await page.locator("input[type=file]").setInputFiles({ ...JPEG, buffer: casePicture("selfie") });
  await expect(page.locator("#where-seen")).toContainText("You may not search past findings.");
  await expect(page.locator("#who-found a")).toHaveCount(0);
  eve.scopes.splice(0, 3, "profiles:list");
  await page.goto(`${server.page}#inbox`);
  await page.reload();
  await heading(page, /./);
  await page.goto(`${server.page}#content=${server.contents.all[0]?.id}`);
  await expect(main).toContainText("You may not see this.");
  const asked = server.requests.filter((one) => /reports|findings\/search|notifications/.test(one));
  expect(asked).toEqual([]);
});

test("the palette asks after a pause, gives up what is wanted no more, and says where names are looked for", async ({
  page,
  server,
}) => {
  server.namesAtOnce = 100;
  server.profiles.push(...Array.from({ length: 110 }, (_, at) => profile(10 + at, `Guest ${at}`)));
  server.contents.all.push(...Array.from({ length: 9 }, (_, at) => content(20 + at, `Guest book ${at}`)));
  await signedIn(page, server);
  await heading(page, "People");
  await expect(rows(page)).toHaveCount(20);
  const before = server.requests.length;
  await find(page, "guest");
  await expect(option(page, /All 9 contents with guest in their title/)).toBeVisible();
  await expect(page.getByRole("option", { name: /^Guest \d/ })).toHaveCount(6);
  await expect(page.locator(".palette-note")).toContainText(/Only people who were enrolled since .* were looked/);
  const asked = server.requests.slice(before).filter((one) => /profiles|contents/.test(one));
  expect(asked.length, "one title, one reference, one name").toBe(3);
  await expect(page.getByRole("option").first(), "Enter opens the first").toHaveAttribute("data-focused", "true");
  await judge(page, "palette-found");
  for (let down = 0; down < 12; down += 1) {
    await page.keyboard.press("ArrowDown");
  }
  await expect(option(page, /All 9 contents/)).toHaveAttribute("data-focused", "true");
  await expect(option(page, /All 9 contents/)).toBeInViewport();
  await page.keyboard.press("Escape");
  await intercept(page, "**/contents?*", (route) => route.abort());
  await find(page, "lake");
  await expect(page.locator(".palette-note")).toContainText("Not everything could be searched.");
  await page.unroute("**/contents?*");
  await page.keyboard.press("Escape");
  await find(page, "80000000-0000-4000-8000-0000000000ff");
  await expect(page.locator(".palette-list")).toContainText("Nothing found");
});

test("searching reads well in German and from right to left", async ({ page, server }) => {
  await speak(page, "ar");
  await page.goto(`${server.page}#invite=${TOKEN}`);
  await page.locator("main button").click();
  await expect(page.locator("nav").first()).toBeVisible();
  await page.goto(`${server.page}#people`);
  await page.locator("input[type=file]").setInputFiles({ ...JPEG, buffer: casePicture("selfie") });
  await expect(page.locator(".matches li")).toHaveCount(2);
  await judge(page, "people-found-arabic");
  await page.goto(`${server.page}#content=${server.contents.all[0]?.id}`);
  await heading(page, "Summer at the lake");
  await judge(page, "content-arabic");
  await speak(page, "de");
  await page.reload();
  await expect(page.locator("h2").filter({ hasText: exactText("Über diesen Inhalt") })).toBeVisible();
  await judge(page, "content-german");
});
