// The reviewer's queue in a real browser: cases one after the other, with the keyboard alone.

import type { Member } from "../../console/api/account";
import {
  expectAccessible,
  holdCalls,
  intercept,
  recordedTexts,
  recordTexts,
  showPage,
  stopClock,
  takeScreenshot,
} from "./actions";
import { ageAppealCase, documentCase, findingCase, matchCase, numbered } from "./cases-stand-in";
import { acceptInvitation, go, judge, pressTogether, REACHED_MS, settle, speak } from "./console-actions";
import { heading, setMembers, spoken, TOKEN, withConsole } from "./console-page";
import { type ConsoleStandIn, member } from "./console-stand-in";
import { expect, type Page } from "./fixtures";

const test = withConsole((server) => {
  setMembers(server, member(1, "Ada", { admin: true }), member(2, "Eve"), member(3, "Kim"));
  server.consoleScopes = ["cases:manage", "documents:review"];
});

async function openQueue(page: Page, server: ConsoleStandIn): Promise<void> {
  await acceptInvitation(page, server);
  await page.getByRole("navigation").getByRole("link", { name: "Queue", exact: true }).click();
}

/** How often cases were claimed, or leases renewed. */
function countOf(server: ConsoleStandIn, what: "claim" | "renew"): number {
  return server.requests.filter((asked) => asked.startsWith(`POST /console/cases/${what} `)).length;
}

/** What was sent about a case, without how long somebody looked. */
function sentOf(server: ConsoleStandIn, id: string): unknown {
  const { exposure_seconds: _, ...rest } = server.cases.decisions.get(id) ?? { decision: undefined };
  return rest;
}

test("cases are settled one after the other by single keys, and the last decision is taken back", async ({
  page,
  server,
}) => {
  const [first, second, third] = [findingCase(1), matchCase(2), findingCase(3, { reason: "UNKNOWN_FACE" })];
  server.cases.all = [first, second, third];
  await acceptInvitation(page, server);
  await heading(page, "Found: looks younger than is allowed here");
  await expect(page.locator("#heading")).toBeFocused();
  const link = page.getByRole("navigation").getByRole("link", { name: "Queue", exact: true });
  for (const again of ["another address", "the same address"]) {
    await link.click();
    await expect(page.locator("#heading"), `a link to what is open: ${again}`).toBeFocused();
    await expect(page).toHaveURL(/#queue$/);
  }
  await link.focus();
  await pressTogether(page, "gq", () => expect(page.locator("#heading")).toBeFocused({ timeout: REACHED_MS }));
  const claimed = server.requests.filter((asked) => asked.includes("/claim"));
  expect(claimed).toEqual(['POST /console/cases/claim {"count":2}']);
  await expect
    .poll(() => server.requests.filter((asked) => asked.includes(`${second.id}/pictures/face`)).length)
    .toBe(1);

  await page.keyboard.press("a");
  await heading(page, "Found: banned person");
  await expect(page.locator("#heading")).toBeFocused();
  await expect(spoken(page)).toHaveText("Decided: Confirm finding");
  await expect(page.locator(".toast .countdown")).toHaveText(/^\d+$/);
  expect(sentOf(server, first.id)).toEqual({ decision: "CONFIRM" });
  await takeScreenshot(page, "console-undo");
  await page.keyboard.press("z");
  await heading(page, "Found: looks younger than is allowed here");
  await expect(page.locator(".toast .countdown")).toHaveCount(0);
  expect(server.cases.decisions.size).toBe(0);

  await page.keyboard.press("d");
  await heading(page, "Found: banned person");
  // Answers may overtake each other, and the last message is the one that is taken back.
  await expect(page.locator(".toast .countdown")).toHaveCount(1);
  await page.keyboard.press("n");
  await heading(page, "Found: unknown face");
  await expect.poll(() => server.cases.decisions.size).toBe(2);
  expect(sentOf(server, first.id)).toEqual({ decision: "FALSE_ALARM" });
  expect(sentOf(server, second.id)).toEqual({ decision: "FALSE_ALARM" });
  await expect(page.locator(".toast .countdown")).toHaveCount(2);
  await page.locator(".toast").last().getByRole("button", { name: "Undo" }).click();
  await heading(page, "Found: banned person");
  await page.keyboard.press("s");
  await heading(page, "Found: unknown face");
  await expect.poll(() => sentOf(server, second.id)).toEqual({ decision: "CONFIRM" });
  await page.keyboard.press("a");
  await heading(page, "Queue");
  await expect(page.locator("main")).toContainText("Nothing is waiting.");
});

test("a double click decides about one case", async ({ page, server }) => {
  const [first, second] = [findingCase(1), findingCase(2, { reason: "UNKNOWN_FACE" })];
  server.cases.all = [first, second, findingCase(3)];
  await openQueue(page, server);
  await heading(page, "Found: looks younger than is allowed here");
  const button = page.locator(".decision-button").first();
  const box = await button.boundingBox();
  if (!box) {
    throw new Error("the button is shown");
  }
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.click(x, y);
  await heading(page, "Found: unknown face");
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  await expect.poll(() => server.cases.decisions.size).toBe(1);
  await heading(page, "Found: unknown face");
  expect(sentOf(server, first.id)).toEqual({ decision: "CONFIRM" });
  await page.mouse.click(x, y);
  await expect.poll(() => server.cases.decisions.size).toBe(2);
  expect(sentOf(server, second.id)).toEqual({ decision: "CONFIRM" });
});

test("pictures are covered until Space is held, and what was seen is counted", async ({ page, server }) => {
  server.cases.all = [findingCase(1), findingCase(2)];
  await page.clock.install();
  await openQueue(page, server);
  const face = page.getByAltText("Face: covered");
  await expect(face).toBeVisible();
  await expect(page.locator(".picture-frame").first()).toHaveAttribute("data-covered", "true");
  await page.locator("#heading").focus();
  await stopClock(page);
  await page.keyboard.down("Space");
  await expect(page.locator(".picture-frame").first()).toHaveAttribute("data-covered", "false");
  await expect(page.getByAltText("Face", { exact: true })).toBeVisible();
  await page.clock.runFor(1500);
  await page.keyboard.up("Space");
  await expect(face).toBeVisible();
  await page.clock.resume();
  expect(server.cases.views, "nothing was reported while it was looked at").toEqual([]);
  await page.keyboard.press("a");
  await expect.poll(() => server.cases.views.length).toBe(7);
  const seconds = server.cases.views.reduce((sum, view) => sum + view.seconds, 0);
  expect(seconds).toBeGreaterThan(1);
  expect(seconds).toBeLessThan(5);
  expect(server.cases.views.map(({ picture }) => picture).sort()).toEqual(
    ["face", "frame", "strip-1", "strip-2", "strip-3", "strip-4", "strip-5"].sort(),
  );
  await expect.poll(() => server.cases.decisions.has(findingCase(1).id)).toBe(true);
  const exposure_seconds = server.cases.decisions.get(findingCase(1).id)?.exposure_seconds;
  expect(Math.abs(Number(exposure_seconds) - seconds)).toBeLessThan(0.2);
  // Not before: it takes so long that the page would report in between.
  await expect(face).toBeVisible();
  await judge(page, "queue-covered");

  await page.getByRole("button", { name: "Show pictures" }).click();
  await expect(page.getByAltText("Face", { exact: true })).toBeVisible();
  await judge(page, "queue-shown");
  await page.getByRole("button", { name: "How pictures are shown" }).click();
  await page.getByLabel("Without colours").check();
  await page.getByLabel("Size").selectOption("Large");
  await page.getByLabel("Cover pictures until I ask").uncheck();
  await expectAccessible(page, "preferences");
  await takeScreenshot(page, "console-viewing");
  await page.reload();
  await expect(page.getByAltText("Face", { exact: true }), "the choice is kept").toBeVisible();
  await expect(page.locator(".picture").first()).toHaveAttribute("data-size", "large");
});

test("a picture that cannot be fetched says so, and is fetched when it is asked for again", async ({
  page,
  server,
}) => {
  server.cases.all = [findingCase(1)];
  await intercept(page, "**/pictures/{face,strip-1}", (route) => route.abort());
  await openQueue(page, server);
  await heading(page, /younger/);
  await expect(page.locator(".picture").first()).toContainText("The server cannot be reached. Check your connection.");
  await expectAccessible(page, "a picture that could not be fetched");
  await takeScreenshot(page, "console-no-picture");
  await page.unroute("**/pictures/{face,strip-1}");
  await page.getByRole("button", { name: "Try again: Face" }).press("Enter");
  await expect(page.getByAltText("Face: covered")).toBeVisible();
  await expect(page.locator(".picture-frame").first(), "the focus stays").toBeFocused();
});

test("what a decision rests on is drawn and said", async ({ page, server }) => {
  server.cases.all = [matchCase(1)];
  await openQueue(page, server);
  const main = page.locator("main");
  await expect(page.getByRole("img", { name: /Distance 0.41. Up to 0.52 counts as the same person/ })).toBeVisible();
  await expect(
    page.getByRole("img", { name: /Looks 19.4 years old, most likely 14.6 to 24.1. Must be 18/ }),
  ).toBeVisible();
  for (const words of ["Bob", "customer-1", "fights", "Summer at the lake", "12: 7 confirmed, 4 false alarms"]) {
    await expect(main).toContainText(words);
  }
  await expect(main).toContainText("What this case shows is deleted on 3 Dec 2026.");
  await expect(main).toContainText("About one in 12,500 strangers would be as near.");
  await page.getByRole("button", { name: "Show pictures" }).click();
  await expect(page.getByAltText("Enrolled face")).toHaveCount(2);
  await judge(page, "queue-match");
  await page.locator("#heading").focus();
  await page.keyboard.press("f");
  await page.keyboard.press("f");
  await expect(page.locator(".flicker img")).toHaveAttribute("alt", "Enrolled face");
});

test("a document is judged by its pages, its portrait beside the selfie, and what was read", async ({
  page,
  server,
}) => {
  const shown = documentCase(1);
  server.cases.all = [shown, documentCase(2), documentCase(3)];
  await openQueue(page, server);
  await heading(page, "Document check: face match");
  await expect(page.getByText(/^Was due 2 hours ago/)).toBeVisible();
  await page.getByRole("button", { name: "Show pictures" }).click();
  await expect(page.getByAltText("Portrait on the document")).toBeVisible();
  await expect(page.getByRole("row", { name: /Date of birth.*1985-09-04.*1985-09-14.*different/ })).toBeVisible();
  await expect(page.getByRole("row", { name: /Family name.*same/ })).toBeVisible();
  await expect(page.getByRole("img", { name: /Screen: 1.64/ })).toBeVisible();
  await judge(page, "queue-document");

  await page.locator("#heading").focus();
  await page.keyboard.press("f");
  await expect(page.locator(".flicker img")).toHaveAttribute("alt", "Portrait on the document");
  await page.keyboard.press("f");
  await expect(page.locator(".flicker img")).toHaveAttribute("alt", "Selfie");
  await page.keyboard.press("+");
  await expect(page.locator(".zoom-value")).toHaveText("1.5 ×");
  const moved = await page
    .locator(".picture-content")
    .evaluateAll((all) => all.map((one) => getComputedStyle(one).transform));
  expect(new Set(moved).size, "all pictures are zoomed alike").toBe(1);
  await takeScreenshot(page, "console-flicker");
  const content = page.locator(".picture-content").first();
  await page.getByRole("button", { name: "Look further left" }).press("Enter");
  await expect(content).toHaveAttribute("style", /translate\(25%, 0%\)/);
  await page.getByRole("button", { name: "Look further up" }).click();
  await expect(content).toHaveAttribute("style", /translate\(25%, 25%\)/);
  await page.getByRole("button", { name: "Look further right" }).press("Enter");
  await expect(content, "without a hand that drags").toHaveAttribute("style", /translate\(0%, 25%\)/);
  await expectAccessible(page, "a picture from nearby");
  await page.locator("#heading").focus();
  await page.keyboard.press("b");
  await expect(page.locator(".flicker")).toHaveCount(0);

  await page.keyboard.press("d");
  const reasons = page.getByRole("dialog", { name: "Choose a reason" });
  await expect(reasons, "whoever rejects a document says why").toBeVisible();
  await judge(page, "reasons");
  await page.keyboard.press("Control+1");
  await page.keyboard.press("Alt+1");
  await expect(reasons, "keys of the browser's choose nothing").toBeVisible();
  await page.keyboard.press("2");
  await expect(reasons).toHaveCount(0);
  await expect.poll(() => sentOf(server, shown.id)).toEqual({ decision: "REJECT", reason_code: "FACE_MISMATCH" });
  await expect(spoken(page)).toHaveText("Decided: Reject");
  await page.keyboard.press("a");
  await expect.poll(() => sentOf(server, documentCase(2).id)).toEqual({ decision: "APPROVE", reason_code: "GENUINE" });
  await page.getByLabel("Comment").fill("the picture is blurred");
  await page.getByRole("button", { name: "Reject" }).click();
  await expect
    .poll(() => sentOf(server, documentCase(3).id))
    .toEqual({ decision: "REJECT", comment: "the picture is blurred" });
});

test("an appeal against an age is judged by the photo, the estimate and what the person says", async ({
  page,
  server,
}) => {
  server.consoleScopes = ["ages:review"];
  const statement = "I am <b>19</b>.\n\u202Eأنا في التاسعة عشرة.\n".repeat(30).trim();
  const shown = ageAppealCase(1, { statement });
  const child = ageAppealCase(2, { type: "UNDER", threshold: 13, reason: "OVER_AGE" });
  child.pictures = [];
  server.cases.all = [shown, child];
  await openQueue(page, server);
  const main = page.locator("main");
  const showsEvidence = async () => {
    await heading(page, "Age appeal: younger than asked for");
    await page.getByRole("button", { name: "Show pictures" }).click();
    await expect(page.getByAltText("Photo of the person", { exact: true })).toBeVisible();
    const scale = { name: "Looks 17.2 years old, most likely 14.1 to 20.3. Must be 18 or older." };
    await expect(page.getByRole("img", scale)).toBeVisible();
    await expect(page.locator(".statement")).toBeVisible();
    expect(await page.locator(".statement").textContent(), "whole, and as it was written").toBe(statement);
    await expect(main).toContainText(
      /Asked for18 or olderMethodAge estimationReasonyounger than asked forCheck for a live person.*head.*Attempts2Refused23 Nov 2026.*Appeal made24 Nov 2026/,
    );
  };
  await showsEvidence();
  await judge(page, "queue-age-appeal");
  await page.getByRole("button", { name: "Overturn decision" }).click();
  await expect.poll(() => sentOf(server, shown.id)).toEqual({ decision: "OVERTURN" });

  await heading(page, "Age appeal: older than asked for");
  await expect(main).toContainText("No photo came with this appeal, or it was deleted.");
  await expect(page.getByRole("img", { name: /14.1 to 20.3. Must be younger than 13.$/ })).toBeVisible();
  await expect(main).toContainText("Asked foryounger than 13");

  await page.goto(`${server.page}#case=${shown.id}`);
  await showsEvidence();
});

test("a queue has reasons of its own, with the comment that they begin with", async ({ page, server }) => {
  const shown = documentCase(1);
  shown.reason_codes = [
    { code: "TORN", label: "It is torn", comment: "A corner is missing." },
    { code: "OTHER", label: "Something else" },
  ];
  server.cases.all = [shown];
  await openQueue(page, server);
  await heading(page, /Document check/);
  await page.keyboard.press("r");
  await expect(page.getByRole("dialog").getByRole("listitem")).toHaveText([/1\s*It is torn/, /2\s*Something else/]);
  await page.keyboard.press("1");
  await expect(page.getByLabel("Comment")).toHaveValue("A corner is missing.");
  await page.locator("#heading").focus();
  await page.keyboard.press("d");
  await expect
    .poll(() => sentOf(server, shown.id))
    .toEqual({ decision: "REJECT", reason_code: "TORN", comment: "A corner is missing." });
});

test("a case that comes back has its reason, and another reason brings its own comment", async ({ page, server }) => {
  const shown = documentCase(1);
  shown.reason_codes = [
    { code: "TORN", label: "It is torn", comment: "A corner is missing." },
    { code: "BLURRED", label: "It is blurred", comment: "Nothing can be read." },
    { code: "OTHER", label: "Something else" },
  ];
  server.cases.all = [shown, findingCase(2)];
  await openQueue(page, server);
  await heading(page, /Document check/);
  const comment = page.getByLabel("Comment");
  const reason = page.locator(".decide .answers").getByRole("button").first();
  const choose = async (number: string) => {
    await page.locator("#heading").focus();
    await page.keyboard.press("r");
    await expect(page.getByRole("dialog")).toBeVisible();
    await page.keyboard.press(number);
    await expect(page.getByRole("dialog")).toHaveCount(0);
  };
  await choose("1");
  await expect(comment).toHaveValue("A corner is missing.");
  await choose("2");
  await expect(comment).toHaveValue("Nothing can be read.");
  await choose("3");
  await expect(comment, "that of a reason that is chosen no more").toHaveValue("");
  await comment.fill("It was burnt.");
  await choose("2");
  await expect(comment, "what somebody typed stays").toHaveValue("It was burnt.");

  await intercept(page, "**/decision", (route) => route.abort());
  await page.locator("#heading").focus();
  await page.keyboard.press("d");
  await expect(spoken(page)).toHaveText("The server cannot be reached. Check your connection.");
  await heading(page, /Document check/);
  await expect(reason).toContainText("It is blurred");
  await page.unroute("**/decision");
  const sent = { decision: "REJECT", reason_code: "BLURRED", comment: "It was burnt." };
  await page.keyboard.press("d");
  await expect.poll(() => sentOf(server, shown.id)).toEqual(sent);
  await heading(page, /younger/);
  await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await heading(page, /Document check/);
  await expect(reason).toContainText("It is blurred");
  expect(server.cases.decisions.size).toBe(0);
  await page.locator("#heading").focus();
  await page.keyboard.press("d");
  await expect.poll(() => sentOf(server, shown.id)).toEqual(sent);
});

test("a settled case is looked at again, or made a golden one", async ({ page, server }) => {
  server.consoleScopes = ["cases:manage", "queues:manage"];
  const settled = findingCase(1, { state: "SETTLED", outcome: "FALSE_ALARM", closed_at: "2026-01-16T15:00:00Z" });
  server.cases.all = [settled];
  await openQueue(page, server);
  await page.goto(`${server.page}#case=${settled.id}`);
  await heading(page, /younger/);
  await page.getByRole("button", { name: "Make it a golden case" }).click();
  await expectAccessible(page, "the right answer");
  await page.getByRole("dialog").getByRole("button", { name: "Confirm finding" }).click();
  await expect(spoken(page)).toHaveText("A golden case was made of it.");
  expect(server.cases.golden.get(settled.id)).toBe("CONFIRM");
  await page.getByRole("button", { name: "Have it looked at again" }).click();
  await expect(page).toHaveURL(/#case=70000000-0000-4000-8000-000000000101$/);
  await expect(page.locator("main")).toContainText("against an earlier decision");
});

test("a case is put on hold, and another is handed to a colleague", async ({ page, server }) => {
  const [first, second] = [findingCase(1), findingCase(2, { reason: "UNKNOWN_FACE" })];
  server.cases.all = [first, second];
  server.cases.assignees = ["Eve", "Kim"].map((name, at) => ({ member_id: member(2 + at, name).id, name }));
  await openQueue(page, server);
  await heading(page, /younger/);
  await page.keyboard.press("h");
  const hold = page.getByRole("dialog", { name: "Put this case on hold" });
  await hold.getByLabel("What should others know?").fill("asked for the original");
  await expectAccessible(page, "a hold");
  await takeScreenshot(page, "console-hold");
  await hold.getByRole("button", { name: "Put on hold" }).click();
  await heading(page, /unknown face/);
  await expect(spoken(page)).toHaveText("The case is on hold.");
  const { until, note } = server.cases.holds.get(first.id) ?? {};
  expect(note).toBe("asked for the original");
  expect(Math.abs((Date.parse(`${until}`) - Date.now()) / 3_600_000 - 24)).toBeLessThan(0.1);
  await page.keyboard.press("t");
  const assign = page.getByRole("dialog", { name: "Hand this case to a colleague" });
  await expect(assign.getByRole("listitem")).toHaveText([/Eve/, /Kim/]);
  await takeScreenshot(page, "console-assign");
  await assign.getByRole("button", { name: "Kim" }).click();
  await heading(page, "Queue");
  await expect.poll(() => second.assigned_to).toBe(member(3, "Kim").id);
});

test("a case that is somebody else's by now leaves the desk, and one that cannot be sent comes back", async ({
  page,
  server,
}) => {
  server.cases.all = [findingCase(1), findingCase(2, { reason: "UNKNOWN_FACE" })];
  await page.clock.install();
  await openQueue(page, server);
  await heading(page, /younger/);
  await intercept(page, "**/decision", (route) => route.abort());
  await page.keyboard.press("a");
  await expect(spoken(page)).toHaveText("The server cannot be reached. Check your connection.");
  await heading(page, /younger/);
  await page.unroute("**/decision");
  server.cases.take(findingCase(1).id);
  await page.clock.fastForward(20_000);
  await heading(page, /unknown face/);
  await expect(spoken(page)).toHaveText(/^Your time with this case has run out/);
  await page.clock.fastForward(20_000);
  await expect.poll(() => countOf(server, "renew")).toBeGreaterThanOrEqual(2);
});

test("a case whose lease has ended and that nobody has taken stays, with what was typed about it", async ({
  page,
  server,
}) => {
  const shown = findingCase(1);
  server.cases.all = [shown];
  await page.clock.install();
  await recordTexts(page, ".empty p");
  await openQueue(page, server);
  await heading(page, /younger/);
  const comment = page.getByLabel("Comment");
  await comment.fill("a costume");
  const claims = countOf(server, "claim");
  server.cases.ended.add(shown.id);
  const renewed = page.waitForResponse("**/renew");
  await page.clock.fastForward(20_000);
  await renewed;
  await settle(page);
  expect(server.cases.ended.size).toBe(0);
  expect(countOf(server, "claim"), "it is renewed").toBe(claims);
  await heading(page, /younger/);
  await expect(comment).toHaveValue("a costume");
  await expect(comment, "whoever types goes on").toBeFocused();
  await expect(page.locator(".toast"), "nothing has happened").toHaveCount(0);
  expect(await recordedTexts(page)).not.toContain("Nothing is waiting.");

  // Decided before the lease is renewed: the server refuses it, and gives the case back.
  server.cases.ended.add(shown.id);
  await page.getByRole("button", { name: "Confirm finding" }).press("Enter");
  await expect(spoken(page)).toContainText("the case is not yours");
  await heading(page, /younger/);
  await expect(comment).toHaveValue("a costume");

  server.cases.take(shown.id);
  server.cases.isUsedUp = true;
  await page.clock.fastForward(20_000);
  await expect(page.locator("main")).toContainText("for as long as you should in one day");
});

test("what was typed about a case waits until it comes back, and is not carried over to another", async ({
  page,
  server,
}) => {
  const [first, second] = [findingCase(1), findingCase(2, { reason: "UNKNOWN_FACE" })];
  server.cases.all = [first, second];
  await page.clock.install();
  await openQueue(page, server);
  await heading(page, /younger/);
  const comment = page.getByLabel("Comment");
  const dialog = page.getByRole("dialog");
  const note = dialog.getByLabel("What should others know?");
  const hours = dialog.getByLabel("For how long?");
  await page.keyboard.press("h");
  await note.fill("asked for the original");
  await hours.selectOption("72");
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await comment.fill("a costume");

  server.cases.take(first.id);
  await page.clock.fastForward(20_000);
  await heading(page, /unknown face/);
  await expect(comment).toHaveValue("");
  await page.keyboard.press("h");
  await expect(note).toHaveValue("");
  await expect(hours).toHaveValue("24");
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);

  delete first.assigned_to;
  await page.getByRole("button", { name: "Confirm finding" }).press("Enter");
  await heading(page, /younger/);
  expect(sentOf(server, second.id)).toEqual({ decision: "CONFIRM" });
  await expect(comment).toHaveValue("a costume");
  await page.keyboard.press("h");
  await expect(note).toHaveValue("asked for the original");
  await expect(hours).toHaveValue("72");
});

test("a desk that nobody looks at claims nothing, and is up to date when somebody does", async ({ page, server }) => {
  const [first, second] = [findingCase(1), findingCase(2, { reason: "UNKNOWN_FACE" })];
  server.cases.all = [first];
  await page.clock.install();
  await openQueue(page, server);
  await heading(page, /younger/);
  const claims = countOf(server, "claim");
  server.cases.take(first.id);
  await showPage(page, false);
  const renewed = page.waitForResponse("**/renew");
  await page.clock.fastForward(20_000);
  await renewed;
  await settle(page);
  expect(countOf(server, "claim")).toBe(claims);
  await heading(page, /younger/);

  await showPage(page, true);
  await expect(spoken(page)).toHaveText(/^Your time with this case has run out/);
  await expect(page.locator("main")).toContainText("Nothing is waiting.");
  server.cases.all = [first, second];
  await showPage(page, false);
  await showPage(page, true);
  await heading(page, /unknown face/);
});

test("a case that comes back has the comment that was typed about it, and only such a case has one", async ({
  page,
  server,
}) => {
  server.cases.all = [findingCase(1), findingCase(2, { reason: "UNKNOWN_FACE" })];
  await openQueue(page, server);
  await heading(page, /younger/);
  const comment = page.getByLabel("Comment");
  const confirm = page.getByRole("button", { name: "Confirm finding" });
  await comment.fill("a costume");
  await intercept(page, "**/decision", (route) => route.abort());
  await confirm.press("Enter");
  await expect(spoken(page)).toHaveText("The server cannot be reached. Check your connection.");
  await heading(page, /younger/);
  await expect(comment).toHaveValue("a costume");
  await page.unroute("**/decision");
  await comment.fill("no costume");
  await confirm.press("Enter");
  await heading(page, /unknown face/);
  await expect(comment).toHaveValue("");
  await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await heading(page, /younger/);
  await expect(comment).toHaveValue("no costume");
  await confirm.press("Enter");
  await expect.poll(() => sentOf(server, findingCase(1).id)).toEqual({ decision: "CONFIRM", comment: "no costume" });
});

/** Signs somebody in by a link in the same tab. */
async function signInHere(page: Page, server: ConsoleStandIn, who: Member): Promise<void> {
  server.links.set(TOKEN, who);
  await page.goto(`${server.page}#sign-in=${TOKEN}`);
  await heading(page, "Welcome back");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Looks at the pictures of the case that is open. */
async function look(page: Page): Promise<void> {
  await page.locator("#heading").focus();
  await page.keyboard.down("Space");
  await expect(page.locator(".picture-frame").first()).toHaveAttribute("data-covered", "false");
  await expect(page.getByAltText("Face", { exact: true })).toBeVisible();
  await page.keyboard.up("Space");
  await expect(page.getByAltText("Face: covered")).toBeVisible();
}

test("what was typed about a case is there again after a session that ended, and not for anybody else", async ({
  page,
  server,
}) => {
  const [ada, eve] = server.members as [Member, Member, Member];
  server.cases.all = [findingCase(1), findingCase(2, { reason: "UNKNOWN_FACE" })];
  await openQueue(page, server);
  await heading(page, /younger/);
  const comment = page.getByLabel("Comment");
  const confirm = page.getByRole("button", { name: "Confirm finding" });
  const over = "Your session has ended. Sign in again: what you typed is kept in this tab until then.";
  await comment.fill("a costume");
  server.me = undefined;
  await confirm.press("Enter");
  await heading(page, "Sign in");
  await expect(spoken(page)).toHaveText(over);
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  expect(stored).not.toContain("costume");
  await signInHere(page, server, ada);
  await heading(page, /younger/);
  await expect(page).toHaveURL(/#queue$/);
  await expect(comment).toHaveValue("a costume");
  await confirm.press("Enter");
  await expect.poll(() => sentOf(server, findingCase(1).id)).toEqual({ decision: "CONFIRM", comment: "a costume" });

  await heading(page, /unknown face/);
  await expect(comment).toHaveValue("");
  await page.keyboard.press("h");
  const note = page.getByRole("dialog").getByLabel("What should others know?");
  await note.fill("asked for the original");
  const hours = page.getByRole("dialog").getByLabel("For how long?");
  await hours.selectOption("72");
  server.me = undefined;
  await page.getByRole("dialog").getByRole("button", { name: "Put on hold" }).click();
  await heading(page, "Sign in");
  await signInHere(page, server, ada);
  await heading(page, /unknown face/);
  await page.keyboard.press("h");
  await expect(note).toHaveValue("asked for the original");
  await expect(hours).toHaveValue("72");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);

  await comment.fill("of Ada alone");
  server.me = undefined;
  await confirm.press("Enter");
  await heading(page, "Sign in");
  await signInHere(page, server, { ...eve, admin: true });
  await heading(page, /unknown face/);
  await expect(comment).toHaveValue("");
  await page.locator("#leave").click();
  await heading(page, "Sign in");
  await signInHere(page, server, ada);
  await heading(page, /unknown face/);
  await expect(comment, "it is gone with the first who came").toHaveValue("");
});

test("a desk goes on as whoever signs in in a tab beside it, at once, and nothing is done there in their name", async ({
  page,
  server,
}) => {
  server.cases.all = [findingCase(1)];
  await openQueue(page, server);
  await heading(page, /younger/);
  await expect(page.locator(".side .who-name")).toHaveText("Ada");
  const comment = page.getByLabel("Comment");
  await comment.fill("of Ada alone");
  const claims = countOf(server, "claim");
  const beside = await page.context().newPage();
  await signInHere(beside, server, member(2, "Eve", { admin: true }));
  await expect(page.locator(".side .who-name")).toHaveText("Eve");
  await expect.poll(() => countOf(server, "claim"), "both tabs have a desk of Eve's").toBe(claims + 2);
  await heading(page, /younger/);
  await expect(comment).toHaveValue("");
  expect(
    server.requests.filter((asked) => asked.includes("/release")),
    "Ada's cases are not Eve's to give back",
  ).toEqual([]);
});

test("what was seen of a case is not counted for whoever signs in in a tab beside it", async ({ page, server }) => {
  const shown = findingCase(1);
  server.cases.all = [shown];
  await openQueue(page, server);
  await page.goto(`${server.page}#case=${shown.id}`);
  await heading(page, /younger/);
  await look(page);
  const beside = await page.context().newPage();
  await signInHere(beside, server, member(2, "Eve", { admin: true }));
  await expect(page.locator(".side .who-name")).toHaveText("Eve");
  await settle(page);
  expect(server.cases.views).toEqual([]);
});

test("a desk that nobody sees sends nothing for whoever has signed in beside it", async ({ page, server }) => {
  server.cases.all = [findingCase(1)];
  await page.clock.install();
  await openQueue(page, server);
  await heading(page, /younger/);
  await look(page);
  await showPage(page, false);
  const heard = page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        new BroadcastChannel("assay-console-sign-ins").onmessage = () => resolve();
      }),
  );
  const beside = await page.context().newPage();
  await signInHere(beside, server, member(2, "Eve", { admin: true }));
  await heard;
  await page.clock.fastForward(60_000);
  await expect(page.locator(".side .who-name")).toHaveText("Eve");
  await settle(page);
  expect(server.cases.views).toEqual([]);
});

test("a desk that is closed gives its cases back, also while it looks who is signed in", async ({ page, server }) => {
  server.cases.all = [findingCase(1)];
  await openQueue(page, server);
  await heading(page, /younger/);
  const looks = await holdCalls(page, "**/console/session", "GET");
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await expect.poll(() => looks.asked.length).toBe(1);
  await page.evaluate(() => window.dispatchEvent(new Event("pagehide")));
  await expect.poll(() => server.cases.held.size).toBe(0);
});

test("a desk whose last case turns out to be somebody else's is empty, and looks for more", async ({
  page,
  server,
}) => {
  const [first, second] = [findingCase(1), findingCase(2, { reason: "UNKNOWN_FACE" })];
  server.cases.all = [first];
  await page.clock.install();
  await openQueue(page, server);
  await heading(page, /younger/);
  await intercept(page, "**/decision", (route) => route.abort());
  await page.keyboard.press("a");
  await expect(spoken(page)).toHaveText("The server cannot be reached. Check your connection.");
  await heading(page, /younger/);
  await page.unroute("**/decision");
  // It came back to the desk, and is lost there.
  server.cases.take(first.id);
  await page.clock.fastForward(20_000);
  await expect(page.locator("main")).toContainText("Nothing is waiting.");

  server.cases.all = [first, second];
  await page.clock.fastForward(15_000);
  await heading(page, /unknown face/);
  server.cases.take(second.id);
  await page.keyboard.press("a");
  await expect(spoken(page)).toContainText("the case is not yours");
  await expect(page.locator("main")).toContainText("Nothing is waiting.");
});

test("a break gives cases back, and a day's budget that is used up ends the work", async ({ page, server }) => {
  server.cases.all = [findingCase(1)];
  server.cases.exposure = { seconds_today: 2700, budget_seconds: 14_400, is_break_due: true };
  await openQueue(page, server);
  await heading(page, /younger/);
  await expect(page.locator(".exposure")).toContainText(/Pictures today: 45 min of 240 min/);
  await judge(page, "queue-break");
  await page.getByRole("button", { name: "Take a break" }).click();
  await expect(page.locator("main")).toContainText("You are taking a break.");
  await expect.poll(() => server.cases.held.size).toBe(0);
  await page.getByRole("button", { name: "Continue" }).click();
  await heading(page, /younger/);
  server.cases.isUsedUp = true;
  await page.keyboard.press("a");
  await expect(page.locator("main")).toContainText("for as long as you should in one day");
});

test("leaving the queue gives its cases back", async ({ page, server }) => {
  server.cases.all = [findingCase(1), findingCase(2)];
  await openQueue(page, server);
  await heading(page, /younger/);
  expect(server.cases.held.size).toBe(2);
  await go(page, "gi", "Inbox");
  await expect.poll(() => server.cases.held.size).toBe(0);
});

test("what was done with a case is sent to the end though the page is closed meanwhile", async ({ page, server }) => {
  await page.addInitScript(() => {
    const { fetch } = window;
    const kept: string[] = [];
    Object.assign(window, { kept });
    window.fetch = (input, init) => {
      if (init?.keepalive) {
        kept.push(`${init.method} ${String(input).split("/").at(-1)}`);
      }
      return fetch(input, init);
    };
  });
  server.cases.all = [findingCase(1), findingCase(2)];
  await openQueue(page, server);
  await heading(page, /younger/);
  await page.keyboard.press("a");
  await expect(page.locator(".toast .countdown")).toBeVisible();
  await page.keyboard.press("z");
  await expect.poll(() => server.cases.decisions.size).toBe(0);
  const kept = await page.evaluate(() => (window as unknown as { kept: string[] }).kept);
  expect(kept.filter((call) => call.endsWith("decision"))).toEqual(["PUT decision", "DELETE decision"]);
});

test("another queue is claimed from only when the first one's cases are back", async ({ page, server }) => {
  const [lake, sea] = [
    { id: "60000000-0000-4000-8000-000000000001", name: "Lake" },
    { id: "60000000-0000-4000-8000-000000000002", name: "Sea" },
  ];
  server.cases.setUp(lake.id, { name: lake.name });
  server.cases.setUp(sea.id, { name: sea.name });
  server.cases.all = [
    findingCase(1, { queue: lake }),
    findingCase(2, { queue: lake }),
    findingCase(3, { queue: sea, reason: "UNKNOWN_FACE" }),
  ];
  await openQueue(page, server);
  await heading(page, /younger/);
  await page.getByLabel("Queue").selectOption("Sea");
  await heading(page, /unknown face/);
  expect([...server.cases.held]).toEqual([findingCase(3).id]);
  const changes = server.requests.filter((asked) => /claim|release/.test(asked));
  expect(changes.slice(-3).map((asked) => asked.replace(/ \/console\/cases\/([\da-f-]{36}\/)?/, " "))).toEqual([
    "POST release",
    "POST release",
    `POST claim {"count":2,"queue_id":"${sea.id}"}`,
  ]);
  await page.reload();
  await heading(page, /unknown face/);
});

test("a break that begins while cases are being claimed is a break", async ({ page, server }) => {
  server.cases.all = [findingCase(1), findingCase(2), findingCase(3), findingCase(4)];
  await openQueue(page, server);
  await heading(page, /younger/);
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await intercept(page, "**/claim", async (route) => {
    await held;
    await route.continue();
  });
  await page.keyboard.press("a");
  await expect.poll(() => server.cases.decisions.size).toBe(1);
  await page.getByRole("button", { name: "Pause" }).click();
  await expect(page.locator("main")).toContainText("You are taking a break.");
  answer();
  await expect.poll(() => server.requests.filter((asked) => asked.includes("/release")).length).toBeGreaterThan(1);
  await expect.poll(() => server.cases.held.size).toBe(0);
  await expect(page.locator("main")).toContainText("You are taking a break.");
});

test("a lead sees all cases, and takes one from whoever has it", async ({ page, server }) => {
  const eve = member(2, "Eve").id;
  server.cases.assignees = [{ member_id: member(3, "Kim").id, name: "Kim" }];
  await openQueue(page, server);
  await expect(page.locator("main")).toContainText("Nothing is waiting.");
  server.cases.all = [findingCase(1, { held_by: eve, queue: { id: "q", name: "Lake" } }), documentCase(2)];
  await page.getByRole("navigation").getByRole("link", { name: "Cases" }).click();
  await heading(page, "Cases");
  const rows = page.locator("tbody tr");
  await expect(rows).toHaveText([/younger.*Open.*Due in 3 hours.*Lake.*Eve/, /Document check: face match.*Was due/]);
  await judge(page, "cases");
  await page.getByLabel("Kind").selectOption("Document check");
  await expect(rows).toHaveCount(1);
  await page.getByLabel("Kind").selectOption("Any kind");
  await page.getByLabel("Reason").selectOption("banned person");
  await expect(page.locator("main")).toContainText("No cases match.");
  await page.getByLabel("Reason").selectOption("Any reason");
  await rows.first().click();
  await heading(page, /younger/);
  await judge(page, "case");
  await page.getByRole("button", { name: "Give back to the queue" }).click();
  await expect(spoken(page)).toHaveText("The case is back in its queue.");
  await expect(page.locator("#heading"), "the button is gone").toBeFocused();
  await page.getByRole("button", { name: "Hand over" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Kim" }).click();
  await expect(spoken(page)).toHaveText("The case waits for Kim.");
});

for (const [language, words] of [
  ["de-AT", "Gefunden: gesperrte Person"],
  ["ar", "وُجد: شخص محظور"],
] as const) {
  test(`a case is judged in ${language}`, async ({ page, server }) => {
    server.cases.all = [matchCase(1)];
    await speak(page, language);
    await page.goto(`${server.page}#invite=${TOKEN}`);
    await page.locator("main button").click();
    await heading(page, words);
    await judge(page, `queue-${language}`);
  });
}

test("a lead sees how well reviewers agree", async ({ page, server }) => {
  server.consoleScopes = ["queues:manage"];
  const agreement = (cases: number, share?: number, kappa?: number) => ({
    cases,
    ...(share === undefined ? {} : { share }),
    ...(kappa === undefined ? {} : { kappa }),
  });
  server.cases.quality = [
    {
      member_id: member(2, "Eve").id,
      decided: 412,
      exposure_seconds: 4.6,
      with_others: agreement(40, 0.95, 0.88),
      with_golden: agreement(12, 1),
    },
    {
      member_id: member(3, "Kim").id,
      decided: 97,
      exposure_seconds: 11.2,
      with_others: agreement(21, 0.714, 0.41),
      with_golden: agreement(0),
    },
  ];
  server.cases.setUp(numbered(6, 1), { name: "Faces", opinions: 2 });
  server.cases.queueQuality = [
    {
      queue_id: numbered(6, 1),
      settled: 480,
      overdue: 12,
      seconds_to_decision: { median: 95, p90: 4000 },
      between_reviewers: agreement(61, 0.87, 0.7),
      with_golden: agreement(12, 1),
    },
    { settled: 29, overdue: 0, between_reviewers: agreement(0), with_golden: agreement(0) },
  ];
  await openQueue(page, server);
  await page.getByRole("navigation").getByRole("link", { name: "Quality" }).click();
  const rows = page.getByRole("grid", { name: "By reviewer" }).locator("tbody tr");
  await expect(rows).toHaveText([/Eve.*412.*4 sec.*95% of 40.*kappa 0.88.*100% of 12/, /Kim.*97.*71.4% of 21.*–/]);
  await expect(page.getByRole("grid", { name: "By queue" }).locator("tbody tr")).toHaveText([
    /Faces.*480.*12.*1 min.*slowest tenth from 66 min.*87% of 61.*kappa 0.7/,
    /Without a queue.*29.*0.*–/,
  ]);
  await judge(page, "quality");
  await page.getByRole("columnheader", { name: "Decided" }).click();
  await expect(rows).toHaveText([/Kim/, /Eve/]);
  await page.getByLabel("Kind").selectOption("Finding");
  await expect.poll(() => server.requests.filter((asked) => asked.includes("/quality")).length).toBe(2);
  await page.getByLabel("Queue", { exact: true }).selectOption("Faces");
  await expect.poll(() => server.requests.filter((asked) => asked.includes("/quality")).length).toBe(3);
});

test("queues are set up, changed and deleted", async ({ page, server }) => {
  server.consoleScopes = ["queues:manage"];
  await openQueue(page, server);
  await page.getByRole("navigation").getByRole("link", { name: "Queue settings" }).click();
  await expect(page.locator("main")).toContainText("There are no queues yet.");
  await page.getByRole("button", { name: "New queue" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Lake");
  await dialog.getByLabel("Finding", { exact: true }).check();
  await dialog.getByLabel(/^Reasons \(/).fill("AGE_ESTIMATION, BANNED_PROFILE");
  await dialog.getByLabel("Minutes until due").fill("240");
  await dialog.getByLabel("Second opinions, in percent").fill("5");
  await dialog.getByLabel("Reasons that reviewers choose by number").fill("LAKE At the lake | Seen there.");
  await dialog.getByLabel("What reviewers should know").fill("Confirm if in doubt.");
  await judge(page, "new-queue");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(spoken(page)).toHaveText("The queue was created.");
  const rows = page.locator("tbody tr");
  await expect(rows).toHaveText([/Lake.*Findings of this account.*3.*1.*240 min.*1/]);
  const sent = server.requests.find((asked) => asked.startsWith("POST /console/queues ")) ?? "";
  expect(JSON.parse(sent.slice(sent.indexOf("{")))).toEqual({
    name: "Lake",
    of_application: false,
    rules: { kinds: ["FINDING"], reasons: ["AGE_ESTIMATION", "BANNED_PROFILE"], languages: [] },
    priority: 0,
    target_minutes: 240,
    opinions: 1,
    second_opinion_percent: 5,
    golden_percent: 0,
    reason_codes: [{ code: "LAKE", label: "At the lake", comment: "Seen there." }],
    policy: "Confirm if in doubt.",
  });
  await judge(page, "queues");
  await rows.first().press("Enter");
  await dialog.getByLabel("Name").fill("Sea");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(rows).toHaveText([/Sea/]);
  await rows.first().click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page
    .getByRole("alertdialog", { name: "Delete the queue Sea?" })
    .getByRole("button", { name: "Delete" })
    .click();
  await expect(spoken(page)).toHaveText("The queue was deleted.");
  await expect(page.locator("main")).toContainText("There are no queues yet.");
});

test("a decision is taken back from another screen, which leads to the case", async ({ page, server }) => {
  server.cases.all = [findingCase(1), findingCase(2, { reason: "UNKNOWN_FACE" })];
  await openQueue(page, server);
  await heading(page, /younger/);
  await page.keyboard.press("d");
  await expect(page.locator(".toast .countdown")).toBeVisible();
  await go(page, "gi", "Inbox");
  await page.keyboard.press("z");
  await heading(page, /younger/);
  expect(server.cases.decisions.size).toBe(0);
});

test("a decision that is taken back late leads nobody away from where they have gone since", async ({
  page,
  server,
}) => {
  server.cases.all = [findingCase(1), findingCase(2, { reason: "UNKNOWN_FACE" })];
  await openQueue(page, server);
  await heading(page, /younger/);
  await page.keyboard.press("d");
  await expect(page.locator(".toast .countdown")).toBeVisible();
  await go(page, "gi", "Inbox");
  const undone = await holdCalls(page, "**/decision", "DELETE");
  await page.keyboard.press("z");
  await expect.poll(() => undone.asked.length).toBe(1);
  await go(page, "gm", "Assigned to me");
  await undone.answer();
  await expect(spoken(page)).toHaveText("Taken back. The case is at your desk, in the queue.");
  await heading(page, "Assigned to me");
  await go(page, "gq", "Found: looks younger than is allowed here");
});

test("the list of keys has what the open case can do", async ({ page, server }) => {
  server.cases.all = [documentCase(1)];
  await openQueue(page, server);
  await heading(page, /Document check/);
  const keys = page.locator(".shortcuts").first();
  await pressTogether(page, "?", () => expect(keys).toBeVisible({ timeout: REACHED_MS }));
  await expect(keys).toContainText(
    /Flicker compare.*F.*Show pictures while held.*Space.*Approve.*A.*Unclear.*C.*Reject.*D.*Choose a reason.*R.*Put on hold.*H.*Hand over.*T/,
  );
  await takeScreenshot(page, "console-queue-keys");
});
