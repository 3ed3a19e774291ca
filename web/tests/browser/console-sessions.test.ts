// Sessions of verification in the console, and what integrators see of their application, in a real browser.

import { expectAccessible, showPage } from "./actions";
import { judge, settle, signedIn, speak } from "./console-actions";
import { button, heading, rows, setMembers, setOperators, spoken, TOKEN, withConsole } from "./console-page";
import { member } from "./console-stand-in";
import { expect } from "./fixtures";
import { apiKey, application, operator } from "./operators-stand-in";
import { APPLICATION, verificationSession } from "./sessions-stand-in";

const test = withConsole((server) => {
  setOperators(server, operator(1, "Root"));
  server.operators.applications = [application(1, "Shop")];
  setMembers(server, member(1, "Ada"));
});

test("a session is found by its id, its timeline is read, and it is erased", async ({ page, server }) => {
  const failed = verificationSession(1);
  server.sessions.all = [failed, verificationSession(2, { kind: "DOCUMENT", state: "ONGOING", sandbox: true })];
  delete server.sessions.all[1]?.outcome;
  delete server.sessions.all[1]?.ended_at;
  server.sessions.timeline = [
    { event: "CREATED", at: "2026-01-16T14:40:00Z" },
    { event: "PAGE_OPENED", at: "2026-01-16T14:40:30Z", subject: "" },
    {
      event: "METHOD",
      at: "2026-01-16T14:41:00Z",
      ended_at: "2026-01-16T14:41:40Z",
      subject: "AGE_ESTIMATION",
      outcome: "FAILED",
      reason: "UNDER_AGE",
    },
    { event: "RESULT", at: "2026-01-16T14:42:00Z", outcome: "FAILED" },
    {
      event: "MESSAGE",
      at: "2026-01-16T14:42:00Z",
      subject: "age.session",
      outcome: "DELIVERED",
      delivery_id: "72000000-0000-4000-8000-000000000001",
    },
  ];
  await signedIn(page, server, "operator-sign-in");
  await page.locator("nav").getByRole("link", { name: "Sessions", exact: true }).click();
  await heading(page, "Sessions");
  await expect(rows(page)).toHaveText([
    /Age verification.*Failed.*Under age.*Age estimation.*Shop/,
    /Document verification \(Sandbox\).*Under way/,
  ]);
  await judge(page, "sessions");
  await page.getByLabel("Kind").selectOption("Document verification");
  await expect(rows(page)).toHaveCount(1);
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("searchbox", { name: "Search screens" })).toBeFocused();
  await page.keyboard.type(failed.id);
  await page.getByRole("option", { name: "Session with this id" }).click();
  await heading(page, "Age verification");
  await expect(page.locator("#timeline li")).toHaveText([
    /Created/,
    /Page opened/,
    /Method.*Age estimation.*Failed.*Under age.*40 sec/,
    /Result.*Failed/,
    /Message.*age\.session.*Delivered/,
  ]);
  await judge(page, "session");
  await button(page, "Erase the session").click();
  const question = page.getByRole("alertdialog", { name: "Erase this session for good?" });
  await question.getByRole("button", { name: "Erase the session" }).click();
  await expect(spoken(page)).toHaveText("The session was erased.");
  expect(server.sessions.all.map(({ id }) => id)).not.toContain(failed.id);
});

test("more sessions come with a button, and a funnel says how they go", async ({ page, server }) => {
  server.sessions.all = Array.from({ length: 110 }, (_, at) => verificationSession(at + 1));
  const step = { kind: "AGE" as const, failed: 20, undecided: 5, left: 15 };
  server.sessions.steps = [
    { ...step, step: "SESSION", subject: "OVER", started: 100, passed: 60, median_seconds: 42, p90_seconds: 180 },
    { ...step, step: "METHOD", subject: "AGE_ESTIMATION", started: 80, passed: 40, median_seconds: 21 },
  ];
  await signedIn(page, server, "operator-sign-in");
  await page.goto(`${server.page}#sessions`);
  await expect(rows(page)).toHaveCount(50);
  await button(page, "Older").press("Enter");
  await expect(rows(page)).toHaveCount(100);
  await expect(button(page, "Older"), "the focus stays").toBeFocused();
  await page.keyboard.press("Enter");
  await expect(rows(page)).toHaveCount(110);
  await expect(button(page, "Older")).toHaveCount(0);
  await page.locator("nav").getByRole("link", { name: "How sessions go" }).click();
  await heading(page, "How sessions go");
  await expect(page.locator(".funnel tbody tr")).toHaveText([
    /Session.*100.*60 passed, 20 failed, 5 undecided, 15 left.*42 sec.*3 min/,
    /Method.*Age estimation.*80.*40 passed.*21 sec.*–/,
  ]);
  await judge(page, "funnel");
  await page.getByLabel("Kind").selectOption("Document verification");
  await expect(page.locator("main")).toContainText("No session began in this period.");
});

test("a session is found by its reference, and the focus stays in the field", async ({ page, server }) => {
  server.sessions.all = [verificationSession(1), verificationSession(2)];
  server.sessions.references.set(verificationSession(2).id, "order-7");
  await signedIn(page, server, "operator-sign-in");
  await page.goto(`${server.page}#sessions?application_id=${APPLICATION}`);
  await expect(rows(page)).toHaveCount(2);
  const reference = page.getByLabel("Reference, exactly");
  await reference.fill("order-7");
  await reference.press("Enter");
  await expect(rows(page)).toHaveCount(1);
  await expect(reference).toBeFocused();
  await expect(page).toHaveURL(/reference=order-7/);
  await page.goto(`${server.page}#sessions?application_id=${APPLICATION}`);
  await expect(rows(page)).toHaveCount(2);
  await expect(reference, "it is what the address says").toHaveValue("");
});

test("an integrator sees keys, use and requests of their application, and moves the sandbox's clock", async ({
  page,
  server,
}) => {
  server.consoleScopes = ["keys:manage", "usage:view", "sandbox:manage", "sessions:view"];
  server.operators.keys.set(APPLICATION, [apiKey(1, "Production")]);
  server.sessions.days = [1, 2, 3].map((day) => ({
    day: `2026-01-0${day}T00:00:00Z`,
    interface: "ages",
    calls: 100 * day,
    refused: 10 * day,
  }));
  server.sessions.requests = [
    {
      id: "73000000-0000-4000-8000-000000000001",
      interface: "ages",
      operation: "create_age_session",
      status: 201,
      milliseconds: 3.4,
      received_at: "2026-01-16T14:40:00Z",
    },
    {
      id: "73000000-0000-4000-8000-000000000002",
      interface: "ages",
      operation: "get_age_session",
      status: 404,
      error_code: "NOT_FOUND",
      milliseconds: 1.1,
      received_at: "2026-01-16T14:41:00Z",
    },
  ];
  await signedIn(page, server, "sign-in");
  await page.locator("nav").getByRole("link", { name: "Integration" }).click();
  await heading(page, "Integration");
  await expect(page.locator("#usage")).toContainText("Calls: 600, refused: 60");
  await expect(page.locator("#limits")).toContainText("57 of 60");
  await expect(page.getByRole("row", { name: "get_age_session" })).toContainText("NOT_FOUND");
  await judge(page, "integration");
  await page.getByLabel("Refused ones only").check();
  await expect(page.getByRole("row", { name: "create_age_session" })).toHaveCount(0);
  await page.getByLabel("By how much?").selectOption("7 days");
  await button(page, "Put it forward").click();
  await expect(page.locator("#clock")).toContainText("Put forward, in sessions: 2.");
  expect(server.requests).toContain('POST /console/sandbox/clock {"seconds":604800}');
  await speak(page, "ar");
  await page.reload();
  await expectAccessible(page, "the integrator's view in Arabic");
});

test.describe("west of Greenwich", () => {
  test.use({ timezoneId: "America/New_York" });

  test("days of use are those of the server, wherever the reader is", async ({ page, server }) => {
    server.consoleScopes = ["usage:view"];
    server.sessions.days = [
      { day: "2026-01-01T00:00:00Z", interface: "ages", calls: 1, refused: 0 },
      { day: "2026-01-02T00:00:00Z", interface: "ages", calls: 2, refused: 0 },
    ];
    await signedIn(page, server, "sign-in");
    await page.goto(`${server.page}#integration`);
    await expect(page.locator("#usage title")).toHaveText([/^1 Jan 2026:/, /^2 Jan 2026:/]);
  });
});

test("an integrator sets what the sandbox answers about documents, and the result of an age session", async ({
  page,
  server,
}) => {
  server.consoleScopes = ["sandbox:manage", "sessions:view"];
  const session = verificationSession(1, { sandbox: true, state: "PENDING" });
  delete session.outcome;
  server.sessions.all = [session];
  server.sandbox.ageSessions.set(session.id, undefined);
  await signedIn(page, server, "sign-in");
  await page.goto(`${server.page}#integration`);
  const documents = page.locator("#sandbox-documents");
  await expect(documents.getByLabel("Authenticity")).toHaveValue("APPROVE");
  await judge(page, "sandbox");
  await documents.getByLabel("Authenticity").selectOption("Rejects");
  await documents.getByLabel("Live face").selectOption("Unclear");
  await documents.getByLabel("Delay of reports, seconds").fill("10");
  await documents.getByRole("button", { name: "Save" }).press("Enter");
  await expect(spoken(page)).toHaveText("The sandbox answers so from now on.");
  expect(server.sandbox.documents).toEqual({
    check_reports: {
      ID_DOCUMENT_AUTHENTICITY: [
        {
          result: {
            report: {
              recommendation: { value: "REJECT", reason: "TAMPERED", recovery_suggestion: "USE_ANOTHER_DOCUMENT" },
            },
          },
        },
      ],
      LIVENESS: [{ result: { report: { recommendation: { value: "CONSIDER" } } } }],
    },
    task_results: {},
    async_report_delay: 10,
  });

  await documents.getByRole("button", { name: "Everything as JSON" }).press("Enter");
  const json = documents.getByLabel("Response configuration");
  await json.fill("{");
  await expect(documents.getByRole("alert")).toHaveText("This is not a JSON object.");
  await expect(documents.getByRole("button", { name: "Save" })).toBeDisabled();
  await json.fill('{"check_reports":{"LIVENESS":[{"liveness_type":"ZOOM","result":{}}]},"async_report_delay":9999}');
  await expect(documents.getByLabel("Live face")).toHaveValue("OWN");
  await expectAccessible(page, "a response configuration as JSON");

  await page.goto(`${server.page}#session=${session.id}`);
  await page.getByRole("link", { name: "Set the result" }).click();
  const age = page.locator("#sandbox-age");
  await expect(age.getByLabel("Id of the session")).toHaveValue(session.id);
  await age.getByLabel("Result").selectOption("Complete");
  await age.getByLabel("Age, years").fill("34");
  await age.getByLabel("Method").selectOption("Doc scan");
  await age.getByRole("button", { name: "Set the result" }).press("Enter");
  await expect(spoken(page)).toHaveText("The session has this result.");
  expect(server.sandbox.ageSessions.get(session.id)).toEqual({ status: "COMPLETE", age: 34, method: "DOC_SCAN" });
  await age.getByLabel("Id of the session").fill("71000000-0000-4000-8000-00000000ffff");
  await age.getByRole("button", { name: "Set the result" }).press("Enter");
  await expect(spoken(page)).toHaveText("This does not exist, or belongs to another account.");
});

test("a configuration that the server refuses is told, and without the scope there is no sandbox", async ({
  page,
  server,
}) => {
  server.consoleScopes = ["sandbox:manage", "usage:view"];
  await signedIn(page, server, "sign-in");
  await page.goto(`${server.page}#integration`);
  const documents = page.locator("#sandbox-documents");
  await documents.getByRole("button", { name: "Everything as JSON" }).press("Enter");
  await documents.getByLabel("Response configuration").fill('{"async_report_delay":9999}');
  await documents.getByLabel("Live face").selectOption("No result");
  await documents.getByLabel("Delay of reports, seconds").evaluate((field) => field.removeAttribute("max"));
  await documents.getByRole("button", { name: "Save" }).press("Enter");
  await expect(spoken(page)).toContainText("config.async_report_delay: it is 9999");
  server.consoleScopes = ["usage:view"];
  await page.reload();
  await expect(page.locator("#usage")).toBeVisible();
  await expect(documents).toHaveCount(0);
  await expect(page.locator("#sandbox-age")).toHaveCount(0);
});

test("what is typed about the sandbox stays while others change its answers, and outlives the session", async ({
  page,
  server,
}) => {
  server.consoleScopes = ["sandbox:manage"];
  const answers = (delay: number) => ({ check_reports: {}, task_results: {}, async_report_delay: delay });
  const [documents, age] = [page.locator("#sandbox-documents"), page.locator("#sandbox-age")];
  const delay = documents.getByLabel("Delay of reports, seconds");
  const json = documents.getByLabel("Response configuration");
  const openJson = () => documents.getByRole("button", { name: "Everything as JSON" }).press("Enter");
  const asked = () => server.requests.filter((one) => one === "GET /console/sandbox/document-responses").length;
  /** A colleague sets what the sandbox answers, and the page comes to know of it. */
  const changeElsewhere = async (delay: number) => {
    server.sandbox.documents = answers(delay);
    const before = asked();
    await page.clock.fastForward(10_000);
    await showPage(page, false);
    await showPage(page, true);
    await expect.poll(asked).toBeGreaterThan(before);
    await settle(page);
  };
  await page.clock.install();
  await signedIn(page, server, "sign-in");
  await page.goto(`${server.page}#integration`);
  await delay.fill("10");
  await delay.press("Enter");
  await expect(spoken(page)).toHaveText("The sandbox answers so from now on.");
  await expect(delay, "the keyboard stays where it was").toBeFocused();

  await changeElsewhere(20);
  await expect(delay, "nothing was typed").toHaveValue("20");
  const typed = '{"check_reports":{},"async_report_delay":30}';
  await openJson();
  await json.fill(typed);
  await age.getByLabel("Id of the session").fill(verificationSession(1).id);
  await age.getByLabel("Result").selectOption("Failed");
  await age.getByLabel("Age, years").fill("34");
  await age.getByLabel("Method").selectOption("Doc scan");
  await changeElsewhere(40);
  await expect(json).toHaveValue(typed);

  server.me = undefined;
  await documents.getByRole("button", { name: "Save" }).click();
  await heading(page, "Sign in");
  await expect(spoken(page)).toContainText("what you typed is kept in this tab");
  server.links.set(TOKEN, member(1, "Ada"));
  await page.goto(`${server.page}#sign-in=${TOKEN}`);
  await button(page, "Sign in").click();
  await heading(page, "Integration");
  await openJson();
  await expect(json).toHaveValue(typed);
  await expect(age.getByLabel("Id of the session")).toHaveValue(verificationSession(1).id);
  await expect(age.getByLabel("Result")).toHaveValue("FAIL");
  await expect(age.getByLabel("Age, years")).toHaveValue("34");
  await expect(age.getByLabel("Method")).toHaveValue("DOC_SCAN");
  await documents.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => server.sandbox.documents).toEqual(JSON.parse(typed));
});
