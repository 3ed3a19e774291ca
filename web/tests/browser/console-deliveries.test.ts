// Messages to applications' servers in the console, in a real browser: seen, sent again, their secret replaced, a test sent.

import { expectAccessible, holdCalls, recordedTexts, recordTexts, tabTo, takeScreenshot } from "./actions";
import { go, judge, signedIn, speak } from "./console-actions";
import { button, heading, rows, setMembers, setOperators, spoken, TOKEN, withConsole } from "./console-page";
import { member, notification } from "./console-stand-in";
import { delivery, failedDelivery, message, WEBHOOK_SECRET } from "./deliveries-stand-in";
import { expect } from "./fixtures";
import { application, operator } from "./operators-stand-in";
import { APPLICATION, verificationSession } from "./sessions-stand-in";

const OTHER_APPLICATION = application(2, "Forum").id;

const test = withConsole((server) => {
  setOperators(server, operator(1, "Root"));
  server.operators.applications = [application(1, "Shop"), application(2, "Forum")];
  server.deliveries.applications = [APPLICATION, OTHER_APPLICATION];
  setMembers(server, member(1, "Ada", { scopes: ["notifications:view"] }));
  server.consoleScopes = ["deliveries:view", "deliveries:manage"];
});

for (const theme of ["light", "dark"] as const) {
  test(`O3, ${theme}: a session is found, what happened is seen, and its webhook is sent again, by keyboard alone`, async ({
    page,
    server,
  }) => {
    await page.emulateMedia({ colorScheme: theme });
    const session = verificationSession(1);
    const failed = failedDelivery(1, "ages.result", {
      message: message({ result: false, session_key: session.id }),
      subjects: [session.id],
    });
    server.sessions.all = [session];
    server.sessions.timeline = [
      { event: "CREATED", at: "2026-01-16T14:40:00Z" },
      { event: "RESULT", at: "2026-01-16T14:42:00Z", outcome: "FAILED" },
      {
        event: "MESSAGE",
        at: "2026-01-16T14:42:00Z",
        ended_at: "2026-01-16T14:47:02Z",
        subject: "ages.result",
        outcome: "FAILED",
        delivery_id: failed.id,
      },
    ];
    server.deliveries.all = [failed];
    await signedIn(page, server, "operator-sign-in");
    await page.keyboard.press("Control+k");
    await expect(page.getByRole("searchbox", { name: "Search screens" })).toBeFocused();
    await page.keyboard.type(session.id);
    const option = page.getByRole("option", { name: "Session with this id" });
    await expect(option).toBeVisible();
    for (let step = 0; step < 20 && (await option.getAttribute("data-focused")) !== "true"; step += 1) {
      await page.keyboard.press("ArrowDown");
    }
    await page.keyboard.press("Enter");
    await heading(page, "Age verification");
    await expect(page.locator("#timeline li")).toHaveText([
      /Created/,
      /Result.*Failed/,
      /Message.*ages\.result.*Failed/,
    ]);
    await tabTo(page, "ages.result");
    await page.keyboard.press("Enter");
    await heading(page, "ages.result");
    await expect(page.locator("#attempts li")).toHaveText([
      /No answer.*did not answer within 30 seconds.*30,000 ms/,
      /410.*wants no more of these.*112 ms/,
    ]);
    await expect(page.locator("#message")).toContainText('"result": false');
    await page.keyboard.press("r");
    await expect(spoken(page)).toHaveText("Sent again now: 1.");
    await expect(page.locator("main")).toContainText("Waiting");
    server.deliveries.deliver();
    await expect(page.locator("#attempts li").last()).toContainText("204");
    await expect(page.locator("main")).toContainText("Delivered");
    // Opened, sent again, and once more when it had changed: nobody is recorded as looking all the time.
    expect(server.deliveries.seen).toEqual([failed.id, failed.id, failed.id]);
    await tabTo(page, session.id);
    await page.keyboard.press("Enter");
    await heading(page, "Age verification");
  });

  test(`I1, ${theme}: a secret is replaced and a test event is sent, by keyboard alone`, async ({ page, server }) => {
    await page.emulateMedia({ colorScheme: theme });
    server.deliveries.secrets.set(APPLICATION, [
      { id: "73000000-0000-4000-8000-000000000001", created_at: "2026-01-02T09:00:00Z" },
    ]);
    await signedIn(page, server, "sign-in");
    await go(page, "gw", "Deliveries");
    await expect(page.locator("#secrets li")).toHaveText([/Created.*Signs/]);
    await page.keyboard.press("Tab");
    await expect(button(page, "Replace the secret")).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("dialog", { name: "Replace the secret" })).toBeVisible();
    if (theme === "light") {
      await judge(page, "rotate");
    }
    await tabTo(page, "Replace it now");
    await page.keyboard.press("Enter");
    const secret = page.getByRole("dialog", { name: "Your new secret" });
    await expect(secret.getByLabel("Secret")).toHaveValue(WEBHOOK_SECRET);
    await expect(secret).toContainText("signed with the old secret as well until");
    await page.keyboard.press("Escape");
    await expect(secret, "it is not lost by a key").toBeVisible();
    await tabTo(page, "I have copied it");
    await page.keyboard.press("Enter");
    await expect(secret).toHaveCount(0);
    await expect(page.locator("#secrets li")).toHaveText([/Signs$/, /Signs until/]);
    expect(await page.evaluate(() => document.body.innerHTML.includes("whsec_"))).toBe(false);
    expect(server.requests).toContain(`POST /console/applications/${APPLICATION}/webhook-secrets {"overlap_hours":24}`);

    await expect(button(page, "Replace the secret")).toBeFocused();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Test event" });
    await expect(dialog.getByLabel("Address of the server")).toBeFocused();
    await page.keyboard.type("https://hooks.example.com/assay");
    if (theme === "light") {
      await judge(page, "test-event");
    }
    await page.keyboard.press("Enter");
    await heading(page, "webhook.test");
    await expect(spoken(page)).toHaveText("The test event is on its way.");
    await expect(page.locator("#attempts")).toContainText("It was not tried yet.");
    server.deliveries.deliver();
    await expect(page.locator("#attempts li")).toHaveText([/204/]);
    await expect(page.locator("#message")).toContainText('"type": "webhook.test"');
  });
}

test("messages are listed, marked and sent again; one that cannot be keeps none of the others back", async ({
  page,
  server,
}) => {
  server.deliveries.all = [
    failedDelivery(1, "ages.result"),
    failedDelivery(2, "identity.session_completion", { message: undefined }),
    delivery(3, "ages.result", { state: "RUNNING", attempts: [] }),
    failedDelivery(4, "proof.result", { origin: "https://other.example.com", verify_tls: false }),
    delivery(5, "ages.result", { application_id: OTHER_APPLICATION }),
  ];
  // Messages go by themselves.
  await recordTexts(page, ".toast-text");
  await signedIn(page, server, "operator-sign-in");
  await go(page, "gw", "Deliveries");
  await expect(page.locator("main")).toContainText("Choose an application to see its endpoints");
  await expect(button(page, "Replace the secret")).toHaveCount(0);
  await expect(rows(page)).toHaveText([
    /ages\.result.*hooks\.example\.com.*Given up.*410.*Shop/,
    /identity\.session_completion.*Given up/,
    /ages\.result.*Being sent/,
    /proof\.result.*other\.example\.com.*Given up/,
    /ages\.result.*Delivered.*204.*Forum/,
  ]);
  await judge(page, "deliveries");
  await page.keyboard.press("x");
  for (let row = 2; row <= 4; row += 1) {
    await page.keyboard.press("j");
    await page.keyboard.press("x");
  }
  await expect(page.locator("#delivery")).toContainText("4 marked");
  await expect(page.locator("#delivery")).toContainText("Any certificate");
  await page.keyboard.press("r");
  await expect(spoken(page)).toContainText("was erased");
  expect(await recordedTexts(page)).toEqual([
    expect.stringMatching(/Sent again now: 2/),
    expect.stringMatching(/was erased/),
  ]);
  await expect(rows(page)).toHaveText([
    /ages\.result.*Waiting/,
    /identity.*Given up/,
    /Being sent/,
    /proof\.result.*Waiting/,
    /Delivered/,
  ]);
  expect(
    server.requests.filter((one) => one.endsWith("/replay")),
    "not what is being sent",
  ).toHaveLength(3);
  await page.getByRole("row", { name: "identity.session_completion" }).press("Enter");
  await heading(page, "identity.session_completion");
  await expect(page.locator("#message")).toContainText("It was erased with the person or session");
  await expect(button(page, "Send again R")).toHaveCount(0);
  await page.keyboard.press("r");
  expect(server.requests.filter((one) => one.endsWith("/replay"))).toHaveLength(3);
});

test("the open message stays open when others come in above it, and is sent again once", async ({ page, server }) => {
  const first = failedDelivery(1, "ages.result");
  server.deliveries.all = [first];
  await page.clock.install();
  await signedIn(page, server, "operator-sign-in");
  await page.goto(`${server.page}#deliveries`);
  await expect(page.locator("#delivery")).toContainText(first.id);
  server.deliveries.all = [failedDelivery(2, "proof.result"), first];
  await page.clock.fastForward(10_000);
  await expect(rows(page)).toHaveText([/proof\.result/, /ages\.result/]);
  await expect(page.locator("#delivery")).toContainText(first.id);
  const sent = await holdCalls(page, "**/replay");
  await page.keyboard.press("r");
  await page.keyboard.press("r");
  await sent.answer();
  await expect(spoken(page)).toHaveText("Sent again now: 1.");
  expect(sent.asked).toEqual([`/console/deliveries/${first.id}/replay`]);
});

test("an application's endpoints have figures, and filters find what went wrong", async ({ page, server }) => {
  const session = verificationSession(7).id;
  server.deliveries.all = [
    failedDelivery(1, "ages.result", { subjects: [session] }),
    delivery(2, "ages.result"),
    delivery(3, "webhook.test", { origin: "https://other.example.com", verify_tls: false }),
    ...Array.from({ length: 5 }, (_, at) => delivery(10 + at, "ages.result", { origin: `https://${at}.example.com` })),
    delivery(5, "ages.result", { application_id: OTHER_APPLICATION }),
  ];
  server.deliveries.secrets.set(APPLICATION, [
    { id: "73000000-0000-4000-8000-000000000002", created_at: "2026-01-16T09:00:00Z" },
    {
      id: "73000000-0000-4000-8000-000000000001",
      created_at: "2026-01-02T09:00:00Z",
      retires_at: "2026-01-17T09:00:00Z",
    },
  ]);
  await signedIn(page, server, "operator-sign-in");
  await page.goto(`${server.page}#deliveries`);
  await page.getByLabel("Application").selectOption("Shop");
  await expect(rows(page)).toHaveCount(8);
  await expect(page.locator("#endpoints li")).toHaveCount(3);
  await expect(page.locator("#endpoints li").first(), "what failed comes first").toContainText("1 given up");
  await judge(page, "deliveries-application");
  await button(page, "All 7 endpoints").click();
  await expect(page.locator("#endpoints li").filter({ hasText: "hooks.example.com" })).toHaveText(
    /1 given up.*1 delivered.*Last delivered.*Last given up/,
  );
  await expect(page.locator("#endpoints li").filter({ hasText: "other.example.com" })).toContainText("Any certificate");
  await page.locator("#endpoints").getByRole("link", { name: "https://hooks.example.com" }).click();
  await expect(rows(page)).toHaveCount(2);
  await expect(page.getByLabel("Endpoint", { exact: true })).toHaveValue("https://hooks.example.com");
  await page.getByLabel("Status").selectOption("Given up");
  await expect(rows(page)).toHaveText([/Given up/]);
  await page.getByLabel("Status").selectOption("Being sent");
  await expect(page.locator("main")).toContainText("No messages match.");
  await page.getByLabel("Status").selectOption("Any status");
  await page.getByLabel("Endpoint", { exact: true }).selectOption("Any endpoint");
  await page.getByLabel("Topic").selectOption("webhook.test");
  await expect(rows(page)).toHaveText([/webhook\.test/]);
  await page.getByLabel("Topic").selectOption("Any topic");
  await page.getByLabel("About (id)").fill(session);
  await page.getByLabel("About (id)").press("Enter");
  await expect(rows(page)).toHaveText([/Given up/]);
  await page.getByLabel("Queued from").fill("2026-01-17");
  await button(page, "Find").press("Enter");
  await expect(page.locator("main")).toContainText("No messages match.");
  await expect(button(page, "Find"), "the focus stays").toBeFocused();
});

test("everything that was given up is sent again at once", async ({ page, server }) => {
  server.deliveries.all = [
    failedDelivery(1, "ages.result"),
    failedDelivery(2, "proof.result"),
    delivery(3, "ages.result"),
    failedDelivery(4, "ages.result", { application_id: OTHER_APPLICATION }),
    ...Array.from({ length: 60 }, (_, at) => delivery(100 + at, "ages.result")),
  ];
  await signedIn(page, server, "operator-sign-in");
  await page.goto(`${server.page}#deliveries?application_id=${APPLICATION}`);
  await expect(rows(page)).toHaveCount(50);
  await button(page, "Older").click();
  await expect(rows(page)).toHaveCount(63);
  await button(page, "Send all again: Given up").click();
  const question = page.getByRole("alertdialog", { name: "Send all again that match? (Given up)" });
  await expectAccessible(page, "the question");
  await takeScreenshot(page, "console-replay-all");
  await question.getByRole("button", { name: "Send again" }).click();
  await expect(spoken(page)).toHaveText("Sent again now: 2.");
  const sent = server.requests.find((one) => one.startsWith("POST /console/deliveries/replay ")) ?? "";
  expect(JSON.parse(sent.slice(sent.indexOf("{")))).toEqual({ application_id: APPLICATION, state: "FAILED" });
  await page.getByLabel("Status").selectOption("Waiting");
  await expect(rows(page)).toHaveCount(2);
});

test("everything is sent again once, however often it is confirmed", async ({ page, server }) => {
  server.deliveries.all = [failedDelivery(1, "ages.result")];
  await signedIn(page, server, "operator-sign-in");
  await page.goto(`${server.page}#deliveries?application_id=${APPLICATION}`);
  const sent = await holdCalls(page, "**/deliveries/replay", "POST");
  const question = page.getByRole("alertdialog");
  for (const _ of ["once", "twice"]) {
    await button(page, "Send all again: Given up").click();
    await question.getByRole("button", { name: "Send again" }).click();
    await expect(question).toHaveCount(0);
  }
  await sent.answer();
  await expect(spoken(page)).toHaveText("Sent again now: 1.");
  expect(sent.asked.length).toBe(1);
});

test("a secret that is replaced late is seen wherever somebody has gone, and what was typed outlives a session", async ({
  page,
  server,
}) => {
  const [root] = server.operators.operators;
  await signedIn(page, server, "operator-sign-in");
  await page.goto(`${server.page}#deliveries?application_id=${APPLICATION}`);
  const replaced = await holdCalls(page, /\/webhook-secrets$/, "POST");
  const dialog = page.getByRole("dialog");
  await button(page, "Replace the secret").click();
  await button(page, "Replace it now").click();
  await expect.poll(() => replaced.asked.length).toBe(1);
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await go(page, "ga", "Applications");
  await replaced.answer();
  const secret = page.getByRole("dialog", { name: "Your new secret" });
  await expect(secret.getByLabel("Secret")).toHaveValue(WEBHOOK_SECRET);
  await expect(page.locator("h1")).toHaveText("Applications");
  await button(page, "I have copied it").click();
  await expect(dialog).toHaveCount(0);
  await expect(page.locator("#heading")).toBeFocused();

  await page.goto(`${server.page}#deliveries?application_id=${APPLICATION}`);
  await heading(page, "Deliveries");
  await button(page, "Test event N").click();
  await dialog.getByLabel("Address of the server").fill("https://hooks.example.com/assay");
  server.operator = undefined;
  await page.keyboard.press("Enter");
  await heading(page, "Sign in");
  server.operatorLinks.set(TOKEN, root ?? operator(1, "Root"));
  await page.goto(`${server.page}#operator-sign-in=${TOKEN}`);
  await button(page, "Sign in").click();
  await heading(page, "Deliveries");
  await button(page, "Test event N").click();
  await expect(dialog.getByLabel("Address of the server")).toHaveValue("https://hooks.example.com/assay");
});

test("a delivery shows what is sent without secrets, and leads to what it is about", async ({ page, server }) => {
  const found = notification(1, ["BANNED_PROFILE"]);
  server.notifications = [found];
  const sent = failedDelivery(1, "moderation.notification", {
    message: message(
      { id: found.id, account_id: found.account_id, type: "FACE" },
      {
        url: "https://hooks.example.com/T024…/x",
        has_query: true,
        headers: [{ name: "authorization" }, { name: "content-type", value: "application/json" }],
      },
    ),
  });
  server.deliveries.all = [sent, delivery(2, "ages.result", { application_id: OTHER_APPLICATION })];
  await signedIn(page, server, "sign-in");
  await page.goto(`${server.page}#delivery=${sent.id}`);
  await heading(page, "moderation.notification");
  await expect(page.locator("#message")).toContainText("POST https://hooks.example.com/T024…/x?…");
  await expect(page.locator("#message")).toContainText("authorizationnot shown: it may be a secret");
  await expect(page.locator("#message")).toContainText(`webhook-id${sent.id}`);
  await judge(page, "delivery");
  await page.getByRole("link", { name: found.id }).click();
  await heading(page, "Finding");
  await page.goto(`${server.page}#delivery=${server.deliveries.all[1]?.id}`);
  await expect(page.locator("main")).toContainText("This does not exist, or belongs to another account.");
  // A member finds a message by the id that their server saw.
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("searchbox", { name: "Search screens" })).toBeFocused();
  await page.keyboard.type(sent.id);
  await expect(page.getByRole("option")).toHaveText([/Delivery with this id/]);
  await page.keyboard.press("Enter");
  await heading(page, "moderation.notification");
  // And a session by the id that their server gave it, as far as they may see sessions.
  server.consoleScopes = ["deliveries:view", "sessions:view"];
  server.sessions.all = [verificationSession(1)];
  await page.reload();
  await heading(page, "moderation.notification");
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("searchbox", { name: "Search screens" })).toBeFocused();
  await page.keyboard.type(verificationSession(1).id);
  await expect(page.getByRole("option")).toHaveText([/Session with this id.*Age verification/]);
  await page.keyboard.press("Enter");
  await heading(page, "Age verification");
});

test("who may only see changes nothing, and who may not see is told so", async ({ page, server }) => {
  server.consoleScopes = ["deliveries:view"];
  server.deliveries.all = [failedDelivery(1, "ages.result")];
  await signedIn(page, server, "sign-in");
  await go(page, "gw", "Deliveries");
  await expect(rows(page)).toHaveCount(1);
  await expect(page.locator("#endpoints")).toContainText("1 given up");
  await expect(page.locator("#secrets")).toContainText("There are none yet.");
  for (const name of ["Replace the secret", "Test event N", "Send again R", "Send all again: Given up"]) {
    await expect(button(page, name), name).toHaveCount(0);
  }
  await page.keyboard.press("x");
  await page.keyboard.press("r");
  await expect(rows(page).first()).not.toContainText("(marked)");
  await rows(page).first().press("Enter");
  await heading(page, "ages.result");
  await expect(button(page, "Send again R")).toHaveCount(0);
  expect(server.requests.filter((one) => one.startsWith("POST") && !one.includes("/session"))).toEqual([]);
  server.consoleScopes = [];
  await page.reload();
  await expect(page.locator("main")).toContainText("You may not see this. An administrator");
  await page.goto(`${server.page}#deliveries`);
  await expect(page.locator(".side").getByRole("link", { name: "Deliveries" })).toHaveCount(0);
});

test("refusals are said, and a place without messages says so", async ({ page, server }) => {
  await signedIn(page, server, "sign-in");
  await go(page, "gw", "Deliveries");
  await expect(page.locator("main")).toContainText("There are no messages yet.");
  await expect(page.locator("#endpoints")).toContainText("No messages were queued in seven days.");
  await judge(page, "deliveries-empty");
  await page.keyboard.press("n");
  const address = page.getByLabel("Address of the server");
  await address.fill("http://hooks.example.com");
  await address.press("Enter");
  expect(await address.evaluate((field: HTMLInputElement) => field.validity.patternMismatch)).toBe(true);
  await address.fill("https://10.0.0.1/hooks");
  await address.press("Enter");
  await expect(spoken(page)).toContainText("10.0.0.1 is not an address that may be called");
  await expect(page.getByRole("dialog", { name: "Test event" })).toBeVisible();
  expect(server.deliveries.all).toEqual([]);
  await page.keyboard.press("Escape");
  server.consoleScopes = ["deliveries:view"];
  await page.keyboard.press("n");
  await address.fill("https://hooks.example.com");
  await address.press("Enter");
  await expect(spoken(page)).toContainText("the scope deliveries:manage is needed");
});

test("it speaks to integrators in German, and in Arabic on a phone", async ({ page, server }) => {
  server.deliveries.all = [failedDelivery(1, "ages.result"), delivery(2, "ages.result")];
  await speak(page, "de");
  await page.goto(`${server.page}#sign-in=${TOKEN}`);
  await button(page, "Anmelden").click();
  await page.goto(`${server.page}#deliveries`);
  await heading(page, "Zustellungen");
  await expectAccessible(page, "German");
  await takeScreenshot(page, "console-deliveries-german");
  await speak(page, "ar");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload();
  await heading(page, "عمليات التسليم");
  await expectAccessible(page, "Arabic");
  await takeScreenshot(page, "console-deliveries-arabic");
});
