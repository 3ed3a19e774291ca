// The audit trail in the console, in a real browser: filtered, followed, saved as a file, verified; and receipts of deletions.

import { readFileSync } from "node:fs";
import { expectAccessible, holdCalls, intercept, tabTo, takeScreenshot } from "./actions";
import { deletion, record } from "./audit-stand-in";
import { go, judge, signedIn, speak } from "./console-actions";
import { button, heading, rows, setMembers, setOperators, spoken, TOKEN, withConsole } from "./console-page";
import { ACCOUNT, member } from "./console-stand-in";
import { delivery } from "./deliveries-stand-in";
import { expect } from "./fixtures";
import { account, application, operator, organisation } from "./operators-stand-in";
import { APPLICATION, verificationSession } from "./sessions-stand-in";

const KIM = operator(2, "Kim").id;

const test = withConsole((server) => {
  setOperators(server, operator(1, "Root"), operator(2, "Kim"));
  server.operators.organisations = [organisation(1, "Example Ltd")];
  server.operators.applications = [application(1, "Shop")];
  server.operators.accounts = [account(1, "Corner shop")];
  setMembers(server, member(1, "Ada"), member(2, "Bob"));
  server.consoleScopes = ["audit:view"];
});

/** Records of many kinds, the newest first. */
function mixedRecords() {
  const sent = delivery(1, "ages.result");
  return [
    record(8, "delivery.view", { actor: `operator:${KIM}`, application_id: APPLICATION, target: sent.id }),
    record(7, "api-key.create", {
      actor: `operator:${operator(1, "").id}`,
      application_id: APPLICATION,
      target: "64000000-0000-4000-8000-000000000001",
      details: { name: "Production", scopes: ["contents:manage"] },
    }),
    record(6, "media.view", {
      actor: `application:${APPLICATION}`,
      application_id: APPLICATION,
      target: "69000000-0000-4000-8000-000000000001",
      details: { session: verificationSession(1).id },
    }),
    record(4, "operator-session.begin", {
      actor: `operator:${KIM}`,
      target: KIM,
      details: { second_factor: true },
    }),
    record(3, "application.assign", {
      actor: "operator:root@example (sudo: kim)",
      target: APPLICATION,
      details: { organisation: organisation(1, "").id },
    }),
    record(2, "account.open", {
      actor: "api-key:64000000-0000-4000-8000-000000000001",
      application_id: APPLICATION,
      account_id: account(1, "").id,
      target: account(1, "").id,
      at: "2026-01-15T09:00:00Z",
    }),
    record(1, "server.start", { target: "serve", details: { version: "0.1.0" }, at: "2026-01-14T09:00:00Z" }),
  ];
}

test("the trail is read, and every id in it leads to its screen", async ({ page, server }) => {
  // One whose text somebody changed is no record any more, and is among all that is not of an application or account.
  const [newest, next, third, ...others] = mixedRecords();
  const changed = { seq: 5, hash: "5".repeat(64) };
  server.audit.records = [newest, next, third, changed, ...others].filter((one) => one !== undefined);
  server.sessions.all = [verificationSession(1)];
  server.deliveries.all = [delivery(1, "ages.result")];
  await signedIn(page, server, "operator-sign-in");
  await go(page, "gl", "Audit trail");
  await expect(rows(page)).toHaveText([
    /delivery\.view.*Operator Kim.*…00000001/,
    /api-key\.create.*Operator you/,
    /media\.view.*Application Shop/,
    /No record any more/,
    /operator-session\.begin.*Operator Kim.*Kim/,
    /application\.assign.*Operator root@example \(sudo: kim\).*Shop/,
    /account\.open.*API key.*Corner shop/,
    /server\.start.*The server.*serve/,
  ]);
  await judge(page, "audit");
  const card = page.locator("#record");
  const back = async () => {
    await page.goBack();
    await heading(page, "Audit trail");
  };
  await card.getByRole("link", { name: delivery(1, "").id }).click();
  await heading(page, "ages.result");
  await back();
  await card.getByRole("link", { name: "Kim" }).click();
  await heading(page, "Kim");
  await back();
  for (const [row, link, words] of [
    [2, verificationSession(1).id, "Age verification"],
    [5, "Example Ltd", "Example Ltd"],
    [6, "Corner shop", "Corner shop"],
  ] as const) {
    await rows(page)
      .nth(row)
      .click({ position: { x: 6, y: 6 } });
    await card.getByRole("link", { name: link }).first().click();
    await heading(page, words);
    await back();
  }
  await rows(page).nth(3).click();
  await expect(card).toContainText("Its text was changed in the database.");
  await rows(page)
    .nth(1)
    .click({ position: { x: 6, y: 6 } });
  await expect(card).toContainText('scopes["contents:manage"]');
});

for (const theme of ["light", "dark"] as const) {
  test(`${theme}: by keyboard alone the trail is filtered, followed and saved as a file`, async ({ page, server }) => {
    await page.emulateMedia({ colorScheme: theme });
    server.audit.records = mixedRecords();
    await signedIn(page, server, "operator-sign-in");
    await go(page, "gl", "Audit trail");
    await expect(rows(page)).toHaveCount(7);
    await page.keyboard.press("j");
    await expect(page.locator("#record h2")).toHaveText("api-key.create");
    await page.keyboard.press("k");
    await expect(page.locator("#record h2")).toHaveText("delivery.view");
    await tabTo(page, "Everything by this actor");
    await page.keyboard.press("Enter");
    await expect(rows(page)).toHaveText([/delivery\.view/, /operator-session\.begin/]);
    await tabTo(page, "Action (such as api-key)");
    await page.keyboard.type("delivery");
    await page.keyboard.press("Enter");
    await expect(rows(page)).toHaveText([/delivery\.view/]);
    const download = page.waitForEvent("download");
    await page.keyboard.press("Shift+Tab");
    await tabTo(page, "Download as a file");
    await page.keyboard.press("Enter");
    const file = await download;
    expect(file.suggestedFilename()).toBe("audit-records.ndjson");
    const lines = readFileSync(await file.path(), "utf8")
      .trim()
      .split("\n");
    expect(lines.map((line) => JSON.parse(line).record.action)).toEqual(["delivery.view"]);
    await expect(spoken(page)).toHaveText("The file was saved.");
    await heading(page, "Audit trail");
  });
}

test("filters are of actors, things, applications, accounts and days", async ({ page, server }) => {
  server.audit.records = mixedRecords();
  await signedIn(page, server, "operator-sign-in");
  await page.goto(`${server.page}#audit`);
  await page.getByLabel("Who", { exact: true }).focus();
  await page.getByLabel("Who", { exact: true }).selectOption("Operators");
  await expect(rows(page)).toHaveCount(4);
  await expect(page.getByLabel("Who", { exact: true }), "the focus stays").toBeFocused();
  await page.getByLabel("Who", { exact: true }).selectOption("The server itself");
  await expect(rows(page)).toHaveText([/server\.start/]);
  await page.getByLabel("Who", { exact: true }).selectOption("Anybody");
  await page.getByLabel("Application", { exact: true }).selectOption("Shop");
  await expect(rows(page)).toHaveCount(4);
  await page.getByLabel("Account", { exact: true }).selectOption("Corner shop");
  await expect(rows(page)).toHaveText([/account\.open/]);
  await page.getByLabel("Done from").fill("2026-01-16");
  await button(page, "Find").press("Enter");
  await expect(page.locator("main")).toContainText("No records match.");
  await page.getByLabel("Done from").fill("2026-01-15");
  await page.getByLabel("Done until").fill("2026-01-15");
  await button(page, "Find").press("Enter");
  await expect(rows(page)).toHaveText([/account\.open/]);
  await page.goto(`${server.page}#audit?target=${KIM}`);
  await expect(page.getByLabel("Id of the thing")).toHaveValue(KIM);
  await expect(rows(page)).toHaveText([/operator-session\.begin/]);
});

test("what was typed and not asked for yet stays when something is chosen beside it", async ({ page, server }) => {
  server.audit.records = mixedRecords();
  await signedIn(page, server, "operator-sign-in");
  await page.goto(`${server.page}#audit`);
  const [action, from] = [page.getByLabel("Action (such as api-key)"), page.getByLabel("Done from")];
  await action.fill("operator-session");
  await from.fill("2026-01-15");
  await page.getByLabel("Who", { exact: true }).selectOption("Operators");
  await expect(rows(page)).toHaveCount(4);
  await expect(action).toHaveValue("operator-session");
  await expect(from).toHaveValue("2026-01-15");
  await button(page, "Find").press("Enter");
  await expect(rows(page)).toHaveText([/operator-session\.begin/]);
  await page.goto(`${server.page}#audit?action=delivery`);
  await expect(action, "what the address says replaces it").toHaveValue("delivery");
  await expect(from).toHaveValue("");
});

test("older records come with a button, also when there is none in the latest part of the trail", async ({
  page,
  server,
}) => {
  server.audit.records = Array.from({ length: 120 }, (_, at) =>
    record(120 - at, at < 100 ? "job.retry" : "account.open"),
  );
  server.audit.lookedThrough = 60;
  await signedIn(page, server, "operator-sign-in");
  await page.goto(`${server.page}#audit`);
  await expect(rows(page)).toHaveCount(50);
  await intercept(page, /audit-records\?.*before=/, (route) => route.abort());
  await button(page, "Older").click();
  const again = button(page, "Try again");
  await expect(again).toBeVisible();
  await expect(rows(page)).toHaveCount(50);
  const [above, below] = await Promise.all([rows(page).last().boundingBox(), again.boundingBox()]);
  expect(below?.y, "where the page would stand").toBeGreaterThan(above?.y ?? Number.POSITIVE_INFINITY);
  await page.unroute(/audit-records\?.*before=/);
  const asked = server.requests.length;
  await again.click();
  await expect(rows(page)).toHaveCount(100);
  expect(server.requests.slice(asked), "the page that failed alone").toEqual(["GET /console/audit-records"]);
  await button(page, "Older").click();
  await expect(rows(page)).toHaveCount(120);
  await expect(button(page, "Older")).toHaveCount(0);
  await page.getByLabel("Action (such as api-key)").fill("account.open");
  await page.getByLabel("Action (such as api-key)").press("Enter");
  await expect(page.locator("main")).toContainText("Nothing in the latest part of the trail.");
  await button(page, "Older").click();
  await expect(rows(page)).toHaveCount(20);
});

test("the trail is verified, and what is wrong with it is said", async ({ page, server }) => {
  server.audit.records = mixedRecords();
  server.audit.verification = {
    is_whole: true,
    records: 8,
    end: { seq: 8, hash: "8".repeat(64) },
    verified_at: "2026-01-17T09:00:00Z",
  };
  await signedIn(page, server, "operator-sign-in");
  await page.goto(`${server.page}#audit`);
  const asked = await holdCalls(page, "**/audit-trail/verification");
  const verify = button(page, "Verify the trail");
  await verify.press("Enter");
  await expect(verify).toHaveAttribute("aria-disabled", "true");
  await expect(verify, "it keeps the focus").toBeFocused();
  await page.keyboard.press("Enter");
  await asked.answer();
  await expect(page.locator("#verification")).toContainText(`Whole`);
  await expect(verify).toHaveAttribute("aria-disabled", "false");
  expect(asked.asked.length, "what is under way is not asked for again").toBe(1);
  await page.unroute("**/audit-trail/verification");
  await expect(page.locator("#verification")).toContainText("8".repeat(64));
  await judge(page, "audit-verified");
  server.audit.verification = {
    is_whole: false,
    error: "record 5 was changed",
    verified_at: "2026-01-17T09:01:00Z",
  };
  await button(page, "Verify the trail").click();
  await expect(page.locator("#verification")).toContainText("Not whole");
  await expect(page.locator("#verification")).toContainText("record 5 was changed");
  server.audit.isVerifying = true;
  await button(page, "Verify the trail").click();
  await expect(spoken(page)).toContainText("the trail is being verified already");
});

test("receipts of deletions are found and downloaded by keyboard alone", async ({ page, server }) => {
  const { completed_at: _, ...running } = deletion(2, { requested_by: "member" });
  server.audit.deletions = [
    running,
    deletion(1, { requested_by: "api key 64000000-0000-4000-8000-000000000001" }),
    ...Array.from({ length: 60 }, (_, at) => deletion(10 + at)),
  ];
  await signedIn(page, server, "operator-sign-in");
  await go(page, "gl", "Audit trail");
  await expect(page.locator("main")).toContainText("Nothing was recorded yet.");
  await tabTo(page, "Deletion receipts");
  await page.keyboard.press("Enter");
  await heading(page, "Deletion receipts");
  await expect(rows(page)).toHaveCount(50);
  await expect(rows(page).first()).toContainText("Under way");
  await expect(page.locator("#deletion")).toContainText("There is a receipt once the deletion is complete.");
  await page.keyboard.press("j");
  await expect(page.locator("#deletion")).toContainText("API key 64000000");
  await judge(page, "deletion-receipts");
  const download = page.waitForEvent("download");
  await tabTo(page, "Download the receipt");
  await page.keyboard.press("Enter");
  const file = await download;
  expect(file.suggestedFilename()).toBe(`deletion-${deletion(1).account_id}.json`);
  expect(JSON.parse(readFileSync(await file.path(), "utf8")).receipt.account_id).toBe(deletion(1).account_id);
  await button(page, "Older").click();
  await expect(rows(page)).toHaveCount(62);
  await page.getByRole("link", { name: "What was done with this account" }).click();
  await heading(page, "Audit trail");
  await expect(page.locator("main")).toContainText("No records match.");
});

test("members see what concerns their account, and neither receipts nor the whole trail", async ({ page, server }) => {
  const bob = member(2, "").id;
  server.audit.records = [
    record(3, "member.set-scopes", { actor: `member:${member(1, "").id}`, account_id: ACCOUNT, target: bob }),
    record(2, "case.assign", {
      actor: `member:${bob}`,
      account_id: ACCOUNT,
      target: "50000000-0000-4000-8000-000000000001",
      details: { to: member(1, "").id },
    }),
    record(1, "account.open", { account_id: account(1, "").id }),
  ];
  await signedIn(page, server, "sign-in");
  await go(page, "gl", "Audit trail");
  await expect(rows(page)).toHaveText([/member\.set-scopes.*Member you/, /case\.assign.*Member …00000002/]);
  for (const name of ["Verify the trail"]) {
    await expect(button(page, name), name).toHaveCount(0);
  }
  await expect(page.getByRole("link", { name: "Deletion receipts" })).toHaveCount(0);
  await expect(page.locator("search").getByLabel("Account")).toHaveCount(0);
  await judge(page, "audit-member");
  await rows(page)
    .nth(1)
    .click({ position: { x: 6, y: 6 } });
  await expect(page.locator("#record").getByRole("link", { name: "50000000" })).toHaveAttribute("href", /^#case=/);
  await expect(page.locator("#record").getByRole("link", { name: bob }), "they may not open members").toHaveCount(0);
  await page.goto(`${server.page}#audit?show=receipts`);
  await heading(page, "Audit trail");
  expect(server.requests.some((one) => one.includes("deletion-receipts"))).toBe(false);
  const download = page.waitForEvent("download");
  await button(page, "Download as a file").click();
  const lines = readFileSync(await (await download).path(), "utf8");
  expect(lines).not.toContain(account(1, "").id);

  server.consoleScopes = ["audit:view"];
  server.members = [member(1, "Ada", { admin: true }), member(2, "Bob")];
  server.me = server.members[0];
  await page.reload();
  await rows(page)
    .first()
    .click({ position: { x: 6, y: 6 } });
  await page.locator("#record").getByRole("link", { name: bob }).click();
  await expect(page.getByRole("dialog", { name: "Bob" })).toBeVisible();
  server.consoleScopes = [];
  await page.goto(`${server.page}#audit`);
  await page.reload();
  await expect(page.locator(".side").getByRole("link", { name: "Audit trail" })).toHaveCount(0);
});

test("a refusal is said, and nothing is saved", async ({ page, server }) => {
  server.audit.records = mixedRecords();
  await signedIn(page, server, "operator-sign-in");
  await page.goto(`${server.page}#audit`);
  await expect(rows(page)).toHaveCount(7);
  const [root] = server.operators.operators;
  if (root) {
    server.operator = { ...root, scopes: root.scopes.filter((scope) => scope !== "audit:view") };
  }
  await button(page, "Download as a file").click();
  await expect(spoken(page)).toContainText("the scope audit:view is needed");
  await page.goto(`${server.page}#audit?action=job`);
  await expect(page.locator("main")).toContainText("the scope audit:view is needed");
});

test("it speaks to auditors in Polish, and in Arabic on a phone", async ({ page, server }) => {
  server.audit.records = mixedRecords();
  await speak(page, "pl");
  await page.goto(`${server.page}#operator-sign-in=${TOKEN}`);
  await page.locator("main button, form button").first().click();
  await page.goto(`${server.page}#audit`);
  await heading(page, "Dziennik audytu");
  await expectAccessible(page, "Polish");
  await takeScreenshot(page, "console-audit-polish");
  await speak(page, "ar");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload();
  await heading(page, "سجل التدقيق");
  await expectAccessible(page, "Arabic");
  await takeScreenshot(page, "console-audit-arabic");
});
