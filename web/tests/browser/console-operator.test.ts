// What operators do in the console, in a real browser: tenants and keys, approvals, other operators and their roles.

import { expectAccessible, holdCalls, intercept, showPage, tabTo, takeScreenshot } from "./actions";
import { go, judge, settle, signedIn, speak } from "./console-actions";
import { button, heading, rows, setOperators, spoken, TOKEN, withConsole } from "./console-page";
import { expect, type Page } from "./fixtures";
import { account, apiKey, application, approval, operator, organisation } from "./operators-stand-in";
import { APPLICATION, verificationSession } from "./sessions-stand-in";
import { job } from "./work-stand-in";

const test = withConsole((server) => {
  setOperators(server, operator(1, "Root"), operator(2, "Kim", { role: "support", scopes: ["jobs:manage"] }));
});

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("searchbox", { name: "Search screens" })).toBeFocused();
}

for (const theme of ["light", "dark"] as const) {
  test(`O2, ${theme}: an organisation, an application and a key are made by keyboard alone`, async ({
    page,
    server,
  }) => {
    await page.emulateMedia({ colorScheme: theme });
    await signedIn(page, server);
    await heading(page, "Organisations");
    await openPalette(page);
    await page.keyboard.type("new organ");
    await expect(page.getByRole("option")).toHaveText([/New organisation/]);
    await page.keyboard.press("Enter");
    await expect(page.getByLabel("Name")).toBeFocused();
    await page.keyboard.type("Example Ltd");
    await page.keyboard.press("Enter");
    await heading(page, "Example Ltd");
    await page.keyboard.press("n");
    await expect(page.getByLabel("Name")).toBeFocused();
    await expect(page.getByLabel("Organisation", { exact: true })).toHaveValue(
      server.operators.organisations[0]?.id ?? "",
    );
    await page.keyboard.type("Shop");
    await page.keyboard.press("Enter");
    await heading(page, "Shop");
    await page.keyboard.press("n");
    await expect(page.getByLabel("Name")).toBeFocused();
    await page.keyboard.type("Production");
    await tabTo(page, "Everything that the application may");
    await page.keyboard.press("Space");
    await tabTo(page, "Create the key");
    await page.keyboard.press("Enter");
    const secret = page.getByRole("dialog", { name: "Your new key" });
    await expect(secret.getByLabel("Key")).toHaveValue(/^assay_/);
    await expect(secret.getByRole("button", { name: "Copy" })).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(secret, "it is not lost by a key").toBeVisible();
    if (theme === "light") {
      await judge(page, "secret");
    }
    await tabTo(page, "I have copied it");
    await page.keyboard.press("Enter");
    await expect(secret).toHaveCount(0);
    await expect(rows(page)).toHaveText([/Production.*Works.*Everything.*Not used yet/]);
    expect(await page.evaluate(() => document.body.innerHTML.includes("assay_2mCk"))).toBe(false);
    const asked = server.requests.find((one) => one.includes("/keys {")) ?? "";
    const { scopes, expires_at } = JSON.parse(asked.slice(asked.indexOf("{")));
    expect(scopes).toEqual([]);
    const days = (Date.parse(expires_at) - Date.now()) / 86_400_000;
    expect(Math.abs(days - 365)).toBeLessThan(0.01);
  });

  test(`O5, ${theme}: a deletion that a colleague asked for is approved by keyboard alone`, async ({
    page,
    server,
  }) => {
    await page.emulateMedia({ colorScheme: theme });
    server.operators.accounts = [account(1, "Corner shop"), account(2, "Other shop")];
    server.operators.approvals = [
      approval(1),
      approval(2, { action: "api-key.revoke", application_id: application(1, "").id, key_id: apiKey(1, "").id }),
    ];
    await signedIn(page, server);
    await go(page, "gd", "Approvals");
    await expect(page.locator("#approval")).toContainText("Corner shop");
    await expect(page.locator("#approval")).toContainText("Kim");
    if (theme === "light") {
      await judge(page, "approvals");
    }
    await page.keyboard.press("a");
    const question = page.getByRole("alertdialog", { name: "Approve it?" });
    await expect(question.getByRole("button", { name: "Cancel" })).toBeFocused();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect(spoken(page)).toHaveText("Approved, and done.");
    await expect(rows(page)).toHaveText([/Revoke a key.*Waiting/]);
    expect(server.operators.accounts.map(({ name }) => name)).toEqual(["Other shop"]);
    await page.keyboard.press("d");
    const refusal = page.getByRole("alertdialog", { name: "Refuse it?" });
    await expect(refusal.getByRole("button", { name: "Cancel" })).toBeFocused();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect(page.locator("main")).toContainText("Nothing waits for approval.");
    expect(server.operators.approvals.map(({ state }) => state)).toEqual(["APPROVED", "REFUSED"]);
    await tabTo(page, "Show");
    await page.keyboard.press("ArrowDown");
    const download = page.waitForEvent("download");
    await tabTo(page, "Download the receipt");
    await page.keyboard.press("Enter");
    expect((await download).suggestedFilename()).toBe(`deletion-${account(1, "").id}.json`);
  });
}

for (const theme of ["light", "dark"] as const) {
  test(`O4, ${theme}: why jobs are parked is seen, and they are tried again, by keyboard alone`, async ({
    page,
    server,
  }) => {
    await page.emulateMedia({ colorScheme: theme });
    const { work } = server.operators;
    work.jobs = [
      job(1, "mail.send"),
      job(2, "delivery.send", { last_error: "503 from the receiver", lane: "heavy" }),
      job(3, "mail.send"),
      job(4, "retention.sweep", { state: "WAITING", lane: "upkeep" }),
    ];
    await signedIn(page, server);
    await go(page, "gj", "Jobs");
    await expect(page.locator("#lanes")).toContainText("Upkeep");
    await expect(page.locator("#job")).toContainText("the mail server cannot be reached");
    if (theme === "light") {
      await judge(page, "jobs");
    }
    await page.keyboard.press("x");
    await expect(rows(page).first()).toContainText("(marked)");
    await page.keyboard.press("j");
    await expect(page.locator("#job")).toContainText("503 from the receiver");
    await page.keyboard.press("x");
    await expect(page.locator("#job")).toContainText("2 marked");
    await page.keyboard.press("r");
    await expect(spoken(page)).toHaveText("Tried again now: 2.");
    await expect(rows(page)).toHaveText([/mail\.send/]);
    expect(work.retried).toEqual(["mail.send", "delivery.send"]);
    await tabTo(page, "Discard");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("alertdialog").getByRole("button", { name: "Cancel" })).toBeFocused();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect(page.locator("main")).toContainText("There are none.");
  });
}

test("the list of jobs may change while one is open, which stays what is discarded", async ({ page, server }) => {
  const { work } = server.operators;
  const [first, second, third] = [job(1, "mail.send"), job(2, "delivery.send"), job(3, "retention.sweep")];
  work.jobs = [first];
  await page.clock.install();
  await signedIn(page, server);
  await page.goto(`${server.page}#jobs`);
  await expect(page.locator("#job")).toContainText(first.id);
  work.jobs = [second, first];
  await page.clock.fastForward(10_000);
  await expect(rows(page)).toHaveCount(2);
  await expect(page.locator("#job")).toContainText(first.id);
  await button(page, "Discard").click();
  const question = page.getByRole("alertdialog");
  await expect(question).toBeVisible();
  work.jobs = [second, third];
  await page.clock.fastForward(10_000);
  await expect(question, "what it was about is gone").toHaveCount(0);
  await expect(page.locator("#job")).toContainText(second.id);

  await page.keyboard.press("x");
  await expect(rows(page).first()).toContainText("(marked)");
  await rows(page).last().click();
  await page.keyboard.press("x");
  await expect(page.locator("#job")).toContainText("2 marked");
  await button(page, "Discard").click();
  work.jobs = [third, first];
  await page.clock.fastForward(10_000);
  await expect(rows(page)).toHaveText([/retention\.sweep/, /mail\.send/]);
  await question.getByRole("button", { name: "Discard" }).click();
  await expect(rows(page)).toHaveText([/mail\.send/]);
  const discarded = server.requests.filter((asked) => asked.startsWith("DELETE "));
  expect(discarded).toEqual([`DELETE /console/jobs/${second.id}`, `DELETE /console/jobs/${third.id}`]);
});

test("marks of jobs that are listed no more hold nothing up, and a job is tried again once", async ({
  page,
  server,
}) => {
  const { work } = server.operators;
  work.jobs = [job(1, "mail.send"), job(2, "retention.sweep", { state: "WAITING" })];
  await signedIn(page, server);
  await page.goto(`${server.page}#jobs`);
  await expect(page.locator("#job")).toContainText("mail.send");
  await page.keyboard.press("x");
  await expect(page.locator("#job")).toContainText("1 marked");
  await page.getByLabel("Status").selectOption("Waiting");
  await expect(rows(page)).toHaveText([/retention\.sweep/]);
  await expect(page.locator("#job")).not.toContainText("marked");
  await rows(page).first().focus();
  const retries = await holdCalls(page, "**/retry");
  await page.keyboard.press("r");
  await page.keyboard.press("r");
  await retries.answer();
  await expect(spoken(page)).toHaveText("Tried again now: 1.");
  expect(work.retried).toEqual(["retention.sweep"]);
});

test("what is sent twice is done once", async ({ page, server }) => {
  const { operators } = server;
  await signedIn(page, server);
  const sent = await holdCalls(page, /\/(organisations|applications|keys)$/, "POST");
  const twice = async (press: () => Promise<void>) => {
    await press();
    await press();
    await sent.answer();
  };
  await page.goto(`${server.page}#organisations?new=true`);
  await page.getByLabel("Name").fill("Example Ltd");
  await twice(() => page.keyboard.press("Enter"));
  await heading(page, "Example Ltd");
  await page.keyboard.press("n");
  await page.getByLabel("Name").fill("Shop");
  await twice(() => button(page, "Create").click());
  await heading(page, "Shop");
  await page.keyboard.press("n");
  await page.getByLabel("Name").fill("Till");
  await page.getByLabel("see people").check();
  await twice(() => button(page, "Create the key").click());
  await expect(page.locator("#secret")).toBeVisible();
  expect(sent.asked.length).toBe(3);
  expect([operators.organisations.length, operators.applications.length]).toEqual([1, 1]);
});

test("an answer that comes late takes nobody away from where they have gone since", async ({ page, server }) => {
  server.operators.accounts = [account(1, "Corner shop")];
  await signedIn(page, server);
  const made = await holdCalls(page, "**/organisations", "POST");
  await heading(page, "Organisations");
  await page.keyboard.press("n");
  await page.getByLabel("Name").fill("Example Ltd");
  await page.keyboard.press("Enter");
  await expect.poll(() => made.asked.length).toBe(1);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await go(page, "gc", "Accounts");
  await expect(rows(page)).toHaveText([/Corner shop/]);
  await page.evaluate(() => {
    const visited: string[] = [];
    Object.assign(window, { visited });
    window.addEventListener("hashchange", () => visited.push(location.hash));
  });
  await made.answer();
  await expect(spoken(page)).toHaveText("The organisation was created.");
  await go(page, "go", "Organisations");
  await expect(rows(page)).toHaveText([/Example Ltd/]);
  expect(await page.evaluate(() => (window as unknown as { visited: string[] }).visited)).toEqual(["#organisations"]);
});

test("an answer that comes late closes no other dialog, and leads nowhere", async ({ page, server }) => {
  const { operators } = server;
  const created_at = "2026-01-16T14:40:00Z";
  operators.roles = ["Day shift", "Night shift"].map((name, at) => ({
    id: `68000000-0000-4000-8000-00000000000${at}`,
    name,
    scopes: ["jobs:manage"],
    created_at,
  }));
  await signedIn(page, server);
  await page.goto(`${server.page}#operator-roles`);
  const saved = await holdCalls(page, /\/operator-roles\/[\da-f-]{36}$/, "PUT");
  const dialog = page.getByRole("dialog");
  await rows(page).first().press("Enter");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => saved.asked.length).toBe(1);
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await rows(page).last().press("Enter");
  await dialog.getByLabel("Name").fill("Late shift");
  await saved.answer();
  await expect(spoken(page)).toContainText("Saved");
  await expect(dialog.getByLabel("Name")).toHaveValue("Late shift");

  const invited = await holdCalls(page, "**/operators/invitations", "POST");
  await page.goto(`${server.page}#operators?new=true`);
  await dialog.getByLabel("Email address").fill("bob@example.com");
  await dialog.getByRole("button", { name: "Send the invitation" }).click();
  await expect.poll(() => invited.asked.length).toBe(1);
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await go(page, "gc", "Accounts");
  await invited.answer();
  await expect(spoken(page)).toHaveText("The invitation to bob@example.com is on its way.");
  await heading(page, "Accounts");
});

test("a key that is made late, and limits that are changed late, close no other dialog", async ({ page, server }) => {
  const { operators } = server;
  const shop = application(1, "Shop");
  operators.applications = [shop];
  operators.keys.set(shop.id, [apiKey(1, "Till"), apiKey(2, "Scale")]);
  await signedIn(page, server);
  await page.goto(`${server.page}#application=${shop.id}`);
  const dialog = page.getByRole("dialog");
  const field = page.getByRole("spinbutton", { name: "Calls at once" });
  const changed = await holdCalls(page, `**/applications/${shop.id}`, "PATCH");
  await button(page, "Change the limits").click();
  await field.fill("80");
  await button(page, "Save").click();
  await expect.poll(() => changed.asked.length).toBe(1);
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await button(page, "Change the limits").click();
  await field.fill("90");
  await changed.answer();
  // What it closes, it closes once the use is there anew.
  await expect(page.locator("#limits")).toContainText("57 of 80");
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await expect(field).toHaveValue("90");
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);

  const revoked = await holdCalls(page, /\/keys\/[\da-f-]{36}$/, "DELETE");
  await rows(page).first().press("Enter");
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
  await expect.poll(() => revoked.asked.length).toBe(1);
  await dialog.press("Escape");
  await expect(dialog).toHaveCount(0);
  await rows(page).nth(1).press("Enter");
  await expect(dialog).toContainText("Scale");
  await revoked.answer();
  await expect(spoken(page)).toHaveText("The key was revoked.");
  await expect(rows(page).first()).toContainText("Revoked");
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await expect(dialog).toContainText("Scale");
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);

  const made = await holdCalls(page, /\/keys$/, "POST");
  await page.keyboard.press("n");
  await dialog.getByLabel("Name").fill("Kiosk");
  await dialog.getByLabel("see people").check();
  await button(page, "Create the key").click();
  await expect.poll(() => made.asked.length).toBe(1);
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await page.keyboard.press("n");
  await dialog.getByLabel("Name").fill("Counter");
  await made.answer();
  await expect(page.locator("#secret"), "the secret is not lost").toBeVisible();
  await expect(page.locator("#new-key input").first()).toHaveValue("Counter");
});

test("a key that is made late is seen wherever its maker has gone, one after the other, and ends with the session", async ({
  page,
  server,
}) => {
  const { operators } = server;
  const shop = application(1, "Shop");
  operators.applications = [shop];
  operators.accounts = [account(1, "Corner shop")];
  await signedIn(page, server);
  await page.goto(`${server.page}#application=${shop.id}`);
  await heading(page, "Shop");
  // What the server has answered already is held back: it makes the key also for somebody who has left meanwhile.
  const held: (() => void)[] = [];
  await intercept(page, /\/keys$/, async (route) => {
    if (route.request().method() !== "POST") {
      await route.continue();
      return;
    }
    const response = await route.fetch();
    await new Promise<void>((resolve) => held.push(resolve));
    await route.fulfill({ response });
  });
  const dialog = page.getByRole("dialog");
  const secret = page.locator("#secret");
  const ask = async (name: string) => {
    const asked = held.length;
    await page.keyboard.press("n");
    await dialog.getByLabel("Name").fill(name);
    await dialog.getByLabel("see people").check();
    await button(page, "Create the key").click();
    await expect.poll(() => held.length).toBe(asked + 1);
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
  };
  const answer = () => {
    for (const letGo of held.splice(0)) {
      letGo();
    }
  };
  await ask("Till");
  await ask("Kiosk");
  await go(page, "gc", "Accounts");
  await expect(rows(page)).toHaveText([/Corner shop/]);
  answer();
  for (const name of [/Till|Kiosk/, /Till|Kiosk/]) {
    await expect(secret).toContainText(name);
    await expect(secret.getByLabel("Key")).toHaveValue(/^assay_/);
    await expect(secret.getByRole("button", { name: "Copy" })).toBeFocused();
    await heading(page, "Accounts");
    await button(page, "I have copied it").click();
  }
  await expect(secret).toHaveCount(0);
  await expect(page.locator("#heading")).toBeFocused();
  const isKept = () =>
    page.evaluate(() =>
      JSON.stringify([document.body.innerHTML, { ...localStorage }, { ...sessionStorage }]).includes("assay_2mCk"),
    );
  expect(await isKept()).toBe(false);

  await page.goto(`${server.page}#application=${shop.id}`);
  await heading(page, "Shop");
  await ask("Scale");
  answer();
  await expect(secret).toContainText("Scale");
  server.operator = undefined;
  await page.goto(`${server.page}#accounts`);
  await page.goto(`${server.page}#jobs`);
  await heading(page, "Sign in");
  await expect(secret, "it ends with the session").toHaveCount(0);
  expect(await isKept()).toBe(false);

  const [root] = operators.operators;
  server.operatorLinks.set(TOKEN, root ?? operator(1, "Root"));
  await page.goto(`${server.page}#operator-sign-in=${TOKEN}`);
  await button(page, "Sign in").click();
  await expect(page.locator(".side").getByRole("navigation")).toBeVisible();
  await page.goto(`${server.page}#application=${shop.id}`);
  await heading(page, "Shop");
  await ask("Counter");
  await page.locator("#leave").click();
  await heading(page, "Sign in");
  const answered = page.waitForResponse(/\/keys$/);
  answer();
  await answered;
  await settle(page);
  await expect(secret, "nobody is there who may see it").toHaveCount(0);
  expect(await isKept()).toBe(false);
});

test("what needs a second operator is asked for once, however often it is confirmed", async ({ page, server }) => {
  const { operators } = server;
  operators.fourEyes = true;
  const shop = application(1, "Shop");
  operators.applications = [shop];
  operators.accounts = [account(1, "Corner shop")];
  operators.keys.set(shop.id, [apiKey(1, "Till")]);
  await signedIn(page, server);
  await page.goto(`${server.page}#application=${shop.id}`);
  const asked = await holdCalls(page, /\/(keys|accounts)\/[\da-f-]{36}$/, "DELETE");
  const question = page.getByRole("alertdialog");
  await rows(page).first().press("Enter");
  for (const _ of ["once", "twice"]) {
    await page.locator("#key").getByRole("button", { name: "Revoke" }).click();
    await question.getByRole("button", { name: "Revoke" }).click();
    await expect(question).toHaveCount(0);
  }
  await asked.answer();
  await expect(spoken(page)).toContainText("Another operator must approve it");
  await expect(page.getByRole("dialog")).toHaveCount(0);

  await page.goto(`${server.page}#account=${account(1, "").id}`);
  await heading(page, "Corner shop");
  for (const _ of ["once", "twice"]) {
    await button(page, "Delete the account").click();
    await question.getByLabel("Type Corner shop to confirm").fill("Corner shop");
    await question.getByRole("button", { name: "Delete the account" }).click();
    await expect(question).toHaveCount(0);
  }
  await asked.answer();
  await heading(page, "Approvals");
  expect(asked.asked.length).toBe(2);
  expect(operators.approvals.map(({ action }) => action)).toEqual(["account.delete", "api-key.revoke"]);
});

test("an approval that is answered late takes the focus from nothing, and is sent once", async ({ page, server }) => {
  server.operators.accounts = [account(1, "Corner shop")];
  server.operators.approvals = [
    approval(1),
    approval(2, { action: "api-key.revoke", application_id: application(1, "").id, key_id: apiKey(1, "").id }),
  ];
  await signedIn(page, server);
  await go(page, "gd", "Approvals");
  await expect(page.locator("#approval")).toContainText("Corner shop");
  const decided = await holdCalls(page, /\/(approve|refuse)$/, "POST");
  const question = page.getByRole("alertdialog");
  for (const _ of ["once", "twice"]) {
    await button(page, "Approve A").click();
    await question.getByRole("button", { name: "Approve" }).click();
    await expect(question).toHaveCount(0);
  }
  const show = page.getByLabel("Show");
  await show.focus();
  await decided.answer();
  await expect(rows(page)).toHaveText([/Revoke a key/]);
  await settle(page);
  await expect(show, "they have gone on").toBeFocused();
  expect(decided.asked.length).toBe(1);

  await button(page, "Refuse D").click();
  await question.getByRole("button", { name: "Refuse" }).click();
  await decided.answer();
  await expect(page.locator("main")).toContainText("Nothing waits for approval.");
  await expect(page.locator("#heading"), "what was pressed is gone").toBeFocused();
});

test("an operator is let in again once, however often the button is pressed", async ({ page, server }) => {
  const { operators } = server;
  operators.fourEyes = true;
  const kim = operator(2, "Kim", { role: "administrator", scopes: ["operators:manage"], disabled: true });
  operators.operators = [...operators.operators.slice(0, 1), kim];
  await signedIn(page, server);
  await page.goto(`${server.page}#operator=${kim.id}`);
  const asked = await holdCalls(page, "**/enable", "POST");
  await button(page, "Let in again").click();
  await button(page, "Let in again").click();
  await asked.answer();
  await expect(spoken(page)).toContainText("Another operator must approve it");
  expect(asked.asked.length).toBe(1);
  expect(operators.approvals.length).toBe(1);
});

test("whether to disable an operator is asked no more once they are disabled, and lets nobody in again", async ({
  page,
  server,
}) => {
  const { operators } = server;
  const kim = operator(2, "Kim");
  operators.operators = [...operators.operators.slice(0, 1), kim];
  await page.clock.install();
  await signedIn(page, server);
  await page.goto(`${server.page}#operator=${kim.id}`);
  await button(page, "Disable").click();
  const question = page.getByRole("alertdialog", { name: "Disable Kim?" });
  await expect(question).toBeVisible();
  // A colleague is faster.
  kim.disabled = true;
  await page.clock.fastForward(10_000);
  await showPage(page, false);
  await showPage(page, true);
  await expect(page.locator("main")).toContainText("Let in again");
  await expect(question, "it is done").toHaveCount(0);
  await button(page, "Let in again").click();
  await expect(spoken(page)).toHaveText("Kim can sign in again.");
  await expect(button(page, "Disable")).toBeVisible();
  await expect(question, "nor is it asked anew").toHaveCount(0);
  const changes = server.requests.filter((one) => /\/(en|dis)able$/.test(one));
  expect(changes).toEqual([`POST /console/operators/${kim.id}/enable`]);
});

test("headings sort a whole list, and so what is on its other pages", async ({ page, server }) => {
  server.operators.applications = Array.from({ length: 60 }, (_, at) =>
    application(at + 1, `Shop ${String(at + 1).padStart(2, "0")}`),
  );
  await signedIn(page, server);
  await page.goto(`${server.page}#applications`);
  await expect(rows(page)).toHaveCount(50);
  await page.getByRole("columnheader", { name: "Name" }).click();
  await page.getByRole("columnheader", { name: "Name" }).click();
  await expect(rows(page).first()).toContainText("Shop 60");
  await button(page, "Older").click();
  await expect(rows(page)).toHaveCount(10);
  await expect(rows(page).first()).toContainText("Shop 10");
  await expect(rows(page).last()).toContainText("Shop 01");
});

test("tenants are listed, lead to what belongs to them, and keys are revoked", async ({ page, server }) => {
  const { operators } = server;
  operators.organisations = [organisation(1, "Example Ltd"), organisation(2, "Gone Ltd", { status: "SUSPENDED" })];
  operators.applications = [application(1, "Shop"), application(2, "Forum", { features: ["ages"], state: "DISABLED" })];
  operators.keys.set(application(1, "").id, [
    apiKey(1, "Production", { last_used_at: "2026-01-17T09:00:00Z", scopes: ["contents:manage", "profiles:list"] }),
    apiKey(2, "Old", { revoked: true }),
    apiKey(3, "Trial", { expires_at: "2026-01-20T00:00:00Z" }),
  ]);
  await signedIn(page, server);
  await expect(page.locator(".side").getByRole("navigation").getByRole("link")).toHaveText([
    "Organisations",
    "Applications",
    "Accounts",
    "Sessions",
    "How sessions go",
    "Deliveries",
    "Approvals",
    "Operators",
    "Operator roles",
    "Jobs",
    "Audit trail",
    "Health",
    "Settings",
    "Models",
    "Providers",
    "Trust and keys",
  ]);
  await expect(rows(page)).toHaveText([/Example Ltd.*Active.*2/, /Gone Ltd.*Suspended.*0/]);
  await judge(page, "organisations");
  await page.getByRole("columnheader", { name: "Name" }).click();
  await page.getByRole("columnheader", { name: "Name" }).click();
  await expect(rows(page)).toHaveText([/Gone Ltd/, /Example Ltd/]);
  await rows(page).last().press("Enter");
  await heading(page, "Example Ltd");
  await expect(rows(page)).toHaveText([/Shop.*Enabled.*Content moderation/, /Forum.*Disabled.*Age verification/]);
  await judge(page, "organisation");
  await go(page, "ga", "Applications");
  await judge(page, "applications");
  await rows(page).first().press("Enter");
  await heading(page, "Shop");
  await expect(rows(page)).toHaveText([/Production.*Works.*contents:manage/, /Old.*Revoked/, /Trial.*Expired/]);
  await judge(page, "application");
  await rows(page).first().press("Enter");
  const dialog = page.getByRole("dialog", { name: "Production" });
  await expectAccessible(page, "a key");
  await takeScreenshot(page, "console-key");
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("alertdialog", { name: "Revoke Production?" }).getByRole("button", { name: "Revoke" }).click();
  await expect(spoken(page)).toHaveText("The key was revoked.");
  await expect(rows(page).first()).toContainText("Revoked");
  await page.getByRole("link", { name: "Example Ltd" }).click();
  await heading(page, "Example Ltd");
  await page.keyboard.press("n");
  await judge(page, "new-application");
});

test("with four eyes, a deletion waits for somebody else", async ({ page, server }) => {
  const { operators } = server;
  operators.fourEyes = true;
  operators.organisations = [organisation(1, "Example Ltd")];
  operators.applications = [application(1, "Shop")];
  operators.accounts = [account(1, "Corner shop"), account(2, "Closing shop", { state: "CLOSING" })];
  await signedIn(page, server);
  await go(page, "gc", "Accounts");
  await expect(rows(page)).toHaveText([/Corner shop.*Shop.*Open.*3/, /Closing shop.*Being deleted/]);
  await judge(page, "accounts");
  await rows(page).first().press("Enter");
  await heading(page, "Corner shop");
  await judge(page, "account");
  await button(page, "Delete the account").click();
  const question = page.getByRole("alertdialog", { name: "Delete Corner shop for good?" });
  await expect(question.getByRole("button", { name: "Delete the account" })).toBeDisabled();
  await question.getByLabel("Type Corner shop to confirm").fill("Corner shop");
  await expectAccessible(page, "the question");
  await takeScreenshot(page, "console-delete-account");
  await question.getByRole("button", { name: "Delete the account" }).click();
  await expect(spoken(page)).toContainText("Another operator must approve it");
  await heading(page, "Approvals");
  await expect(page.locator("#approval")).toContainText("You asked for this yourself.");
  await expect(button(page, "Approve A")).toHaveCount(0);
  await page.keyboard.press("a");
  await expect(page.getByRole("alertdialog")).toHaveCount(0);
  await page.getByRole("link", { name: "Corner shop" }).click();
  await heading(page, "Corner shop");
  await page.getByRole("link", { name: "Shop", exact: true }).click();
  await heading(page, "Shop");
});

test("with four eyes, a key waits for somebody else", async ({ page, server }) => {
  const { operators } = server;
  operators.fourEyes = true;
  operators.organisations = [organisation(1, "Example Ltd")];
  operators.applications = [application(1, "Shop")];
  await signedIn(page, server);
  await go(page, "ga", "Applications");
  await rows(page).first().press("Enter");
  await heading(page, "Shop");
  await page.keyboard.press("n");
  await page.getByLabel("Name").fill("Till");
  await page.getByLabel("see people").check();
  await judge(page, "new-key");
  await button(page, "Create the key").click();
  await expect(page.locator("#secret")).toContainText("It works once another operator has approved it");
  await button(page, "I have copied it").click();
  await go(page, "gd", "Approvals");
  await page.getByLabel("Show").selectOption("All of the last month");
  await expect(rows(page)).toHaveText([/Create a key.*you/]);
  await expect(page.locator("#approval")).toContainText("profiles:view");
});

test("operators are invited, allowed and disabled", async ({ page, server }) => {
  const { operators } = server;
  await signedIn(page, server);
  await go(page, "gp", "Operators");
  await expect(rows(page)).toHaveText([/Root \(you\).*Administrator.*Can sign in/, /Kim.*Support/]);
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog", { name: "Invite an operator" });
  await dialog.getByLabel("Email address").fill("bob@example.com");
  await dialog.getByLabel("Role", { exact: true }).selectOption("Auditor");
  await dialog.getByLabel("retry and discard jobs").check();
  await judge(page, "invite-operator");
  await dialog.getByRole("button", { name: "Send the invitation" }).click();
  await expect(spoken(page)).toHaveText("The invitation to bob@example.com is on its way.");
  const [sent] = operators.invitations;
  expect([sent?.role, sent?.scopes]).toEqual(["auditor", ["jobs:manage"]]);
  await expect(page.locator("#operator-invitations")).toContainText("bob@example.com");
  await judge(page, "operators");
  await page.getByRole("button", { name: "Withdraw the invitation to bob@example.com" }).click();
  await expect(page.locator("#operator-invitations")).toContainText("No open invitations.");

  await rows(page).last().press("Enter");
  await heading(page, "Kim");
  await page.getByLabel("Role", { exact: true }).selectOption("Auditor");
  await page.getByLabel("retry and discard jobs").check();
  await page.locator("#grant").getByRole("button", { name: "Save" }).click();
  await expect(spoken(page)).toContainText("Saved");
  await expect(page.locator("#heading"), "the form was made anew").toBeFocused();
  expect(operators.operators[1]?.scopes).toEqual(expect.arrayContaining(["audit:view", "jobs:manage"]));
  await judge(page, "operator");
  await button(page, "Disable").click();
  await page.getByRole("alertdialog", { name: "Disable Kim?" }).getByRole("button", { name: "Disable" }).click();
  await expect(spoken(page)).toHaveText("Kim can sign in no more.");
  await button(page, "Let in again").click();
  await expect(spoken(page)).toHaveText("Kim can sign in again.");
  await page.goto(`${server.page}#operator=${operators.operators[0]?.id}`);
  await heading(page, "Root");
  await expect(button(page, "Disable"), "nobody shuts themselves out").toHaveCount(0);
});

test("with four eyes, rights to ask and to approve wait for somebody else", async ({ page, server }) => {
  const { operators } = server;
  operators.fourEyes = true;
  await signedIn(page, server);
  await go(page, "gp", "Operators");
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog", { name: "Invite an operator" });
  await dialog.getByLabel("Email address").fill("bob@example.com");
  await dialog.getByLabel("Role", { exact: true }).selectOption("Administrator");
  await dialog.getByRole("button", { name: "Send the invitation" }).click();
  await expect(spoken(page)).toContainText("Another operator must approve it");
  await expect(dialog).toHaveCount(0);
  await expect(page.locator("#operator-invitations")).toContainText("No open invitations.");

  await rows(page).last().press("Enter");
  await heading(page, "Kim");
  await page.getByLabel("Role", { exact: true }).selectOption("Administrator");
  await page.locator("#grant").getByRole("button", { name: "Save" }).click();
  await expect(spoken(page)).toContainText("Another operator must approve it");
  expect(operators.operators[1]?.scopes).toEqual(["jobs:manage"]);
  await go(page, "gd", "Approvals");
  await expect(rows(page)).toHaveText([/Change what an operator may do/, /Invite an operator/]);
  await expect(page.locator("#approval")).toContainText(/Kim.*Administrator/);
  await rows(page).last().click();
  await expect(page.locator("#approval")).toContainText("bob@example.com");
  await judge(page, "approval-of-rights");
});

test("roles of operators are made, changed, and deleted if nobody has them", async ({ page, server }) => {
  await signedIn(page, server);
  await go(page, "gr", "Operator roles");
  await expect(page.locator("main")).toContainText("Auditor");
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Night shift");
  await dialog.getByLabel("retry and discard jobs").check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(rows(page)).toHaveText([/Night shift.*retry and discard jobs/]);
  await judge(page, "operator-roles");
  await rows(page).first().press("Enter");
  await dialog.getByLabel("see the audit trail").check();
  await judge(page, "operator-role");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(rows(page).first()).toContainText("see the audit trail");
  const [kim] = server.operators.operators.slice(1);
  if (kim) {
    kim.role = server.operators.roles[0]?.id ?? null;
  }
  await rows(page).first().press("Enter");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await expect(spoken(page)).toContainText("somebody has the role");
});

test("an operator sees what their scopes allow, and Ctrl-K finds everything by name or id", async ({
  page,
  server,
}) => {
  const { operators } = server;
  operators.organisations = [organisation(1, "Example Ltd")];
  operators.applications = [application(1, "Shop")];
  operators.accounts = [account(1, "Corner shop")];
  await signedIn(page, server);
  await openPalette(page);
  await page.keyboard.type("shop");
  await expect(page.getByRole("option")).toHaveText([/Shop.*Application/, /Shop.*New key/, /Corner shop.*Account/]);
  await expectAccessible(page, "what was found");
  await takeScreenshot(page, "console-palette-found");
  await page.keyboard.press("Control+a");
  await page.keyboard.type(account(1, "").id);
  await expect(page.getByRole("option")).toHaveText([/Corner shop/]);
  await page.keyboard.press("Enter");
  await heading(page, "Corner shop");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toContainText("Go to Approvals");
  await page.keyboard.press("Escape");

  const kim = operator(2, "Kim", { role: "support", scopes: ["keys:manage"] });
  operators.operators = [kim];
  server.operator = kim;
  await page.goto(`${server.page}#organisations`);
  await page.reload();
  await heading(page, "Approvals");
  await expect(page.locator(".side").getByRole("navigation").getByRole("link")).toHaveText(["Approvals"]);
  await page.goto(`${server.page}#account=${account(1, "").id}`);
  await expect(page.locator("main")).toContainText("You may not see this. An operator");
  await page.goto(`${server.page}#application=${application(1, "").id}`);
  await expect(page.locator("main")).toContainText("This application has no keys yet.");
});

test("who may see figures alone sees an application's use and requests, and changes nothing", async ({
  page,
  server,
}) => {
  setOperators(server, operator(1, "Root", { scopes: ["health:view", "sessions:view"] }));
  server.sessions.all = [verificationSession(1)];
  server.sessions.days = [{ day: "2026-01-01T00:00:00Z", interface: "ages", calls: 600, refused: 60 }];
  await signedIn(page, server);
  await page.goto(`${server.page}#session=${verificationSession(1).id}`);
  await page.locator("main").getByRole("link").getByText(APPLICATION).click();
  await heading(page, "Application");
  await expect(page.locator("#usage")).toContainText("Calls: 600, refused: 60");
  await expect(page.locator("#limits")).toContainText("57 of 60");
  await expect(page.locator("main").getByRole("heading", { level: 2 })).toHaveText([
    "Calls in thirty days",
    "Limits",
    "Latest requests",
  ]);
  await expect(page.locator("main").getByRole("button")).toHaveText(["Copy"]);
  await expectAccessible(page, "an application's figures");
  expect(server.requests.filter((asked) => /applications(\/[^/]+\/keys)?$/.test(asked))).toEqual([]);
});

test("it speaks to operators in German, and in Arabic on a phone", async ({ page, server }) => {
  server.operators.organisations = [organisation(1, "Example Ltd")];
  await speak(page, "de");
  await page.goto(`${server.page}#operator-sign-in=${TOKEN}`);
  await button(page, "Anmelden").click();
  await heading(page, "Organisationen");
  await expectAccessible(page, "German");
  await takeScreenshot(page, "console-operator-german");
  await speak(page, "ar");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload();
  await heading(page, "المؤسسات");
  await expectAccessible(page, "Arabic");
  await takeScreenshot(page, "console-operator-arabic");
});
