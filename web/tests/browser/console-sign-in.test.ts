// The console's door in a real browser: the first start, every way of signing in, second factors, and one's own security.

import { addAuthenticator, expectAccessible, intercept, tabTo, takeScreenshot } from "./actions";
import { judge, speak } from "./console-actions";
import { button, heading, setMembers, setOperators, spoken, TOKEN, withConsole } from "./console-page";
import { member } from "./console-stand-in";
import { CODE, openSession, PASSWORD, TICKET } from "./credentials-stand-in";
import { expect } from "./fixtures";
import { operator } from "./operators-stand-in";

const test = withConsole((server) => {
  setMembers(server, member(1, "Ada", { admin: true }));
  setOperators(server, operator(1, "Root"));
});

for (const theme of ["light", "dark"] as const) {
  test(`O1, ${theme}: an empty server is started, and its first operator made, by keyboard alone`, async ({
    page,
    server,
  }) => {
    await page.emulateMedia({ colorScheme: theme });
    server.credentials.methods = { is_set_up: false, passkeys: true, mail_links: false };
    server.secondFactor = "enrolment-required";
    await page.goto(server.page);
    await heading(page, "This server is new");
    await expect(page.getByLabel(/^Run this on the server, with its data folder/)).toHaveValue(
      "assay init --data-dir DATA --email ADDRESS",
    );
    await expect(page.locator("main")).toContainText("it prints this command as it can be run there");
    if (theme === "light") {
      await judge(page, "first-start");
    }
    await page.goto(`${server.page}#operator-invite=${TOKEN}`);
    await heading(page, "You are invited to operate this server");
    await tabTo(page, "Accept the invitation");
    await page.keyboard.press("Enter");
    await heading(page, "Set up a second factor");
    await expect(page.locator("#heading")).toBeFocused();
    await tabTo(page, "Set up an authenticator app");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("img", { name: "QR code for the authenticator app" })).toBeVisible();
    await expect(page.locator(":focus"), "the button is gone").toHaveText(/^Scan this code with the app/);
    if (theme === "light") {
      await judge(page, "enrolment");
    }
    await tabTo(page, "The six digits");
    await page.keyboard.type(CODE);
    await page.keyboard.press("Enter");
    await heading(page, "Organisations");
    await expect(page.locator(".side .account")).toHaveText("Whole installation");
    await expect(page.locator("main")).toContainText("There are no organisations yet.");
  });
}

test("what the server says there is, is shown: a passkey, the identity provider, a password, a link", async ({
  page,
  server,
}) => {
  server.credentials.methods = { is_set_up: true, passkeys: true, mail_links: true, identity_provider: "Example ID" };
  server.credentials.provider = `${server.page}#sign-in-failed=busy`;
  await addAuthenticator(page);
  await page.goto(server.namedPage);
  await heading(page, "Sign in");
  await expect(button(page, "Sign in with a passkey")).toBeVisible();
  await judge(page, "sign-in-all");
  await button(page, "Continue with Example ID").click();
  await expect(spoken(page)).toContainText("Too many people are signing in");
  await expect(page).not.toHaveURL(/failed/);
  await heading(page, "Sign in");

  server.credentials.methods = { is_set_up: true, passkeys: false, mail_links: false };
  await page.reload();
  await expect(page.locator("main")).toContainText("This server sends no email.");
  await expect(page.getByLabel("Password")).toBeVisible();
  await expect(page.getByRole("button", { name: "passkey" })).toHaveCount(0);
});

test("whoever typed something is told that the way to the identity provider loses it, and goes on from another tab", async ({
  page,
  server,
}) => {
  const [root] = server.operators.operators;
  server.credentials.methods = { is_set_up: true, passkeys: false, mail_links: true, identity_provider: "Example ID" };
  await page.goto(server.page);
  await expect(button(page, "Continue with Example ID")).toBeVisible();
  await expect(page.locator("main .note"), "nothing is lost").toHaveCount(0);
  await page.goto(`${server.page}#operator-sign-in=${TOKEN}`);
  await button(page, "Sign in").click();
  await heading(page, "Organisations");
  await page.keyboard.press("n");
  const name = page.getByLabel("Name");
  await name.fill("Example Ltd");
  server.operator = undefined;
  await name.press("Enter");
  await heading(page, "Sign in");
  await expect(button(page, "Continue with Example ID")).toHaveAccessibleDescription(
    /is lost if this tab leaves for Example ID/,
  );
  await judge(page, "sign-in-kept");
  const opened = page.context().waitForEvent("page");
  await page.getByRole("link", { name: "Sign in in another tab" }).click();
  const other = await opened;
  await expect(button(other, "Continue with Example ID")).toBeVisible();
  await expect(other.locator("main .note"), "nothing was typed there").toHaveCount(0);
  server.operatorLinks.set(TOKEN, root ?? operator(1, "Root"));
  await other.goto(`${server.page}#operator-sign-in=${TOKEN}`);
  await button(other, "Sign in").click();
  await heading(other, "Organisations");
  await other.close();
  // As it is where both were seen side by side: this one was never out of sight.
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await heading(page, "Organisations");
  await expect(name).toHaveValue("Example Ltd");
});

test("the door that could not be fetched has the focus when it comes", async ({ page, server }) => {
  const broken = /\/console\/(session|sign-in-methods)$/;
  await intercept(page, broken, (route) =>
    route.fulfill({ status: 500, json: { code: "INTERNAL_ERROR", message: "broken" } }),
  );
  await page.goto(server.page);
  await heading(page, "Assay");
  await page.unroute(broken);
  const methods = /\/console\/sign-in-methods$/;
  await intercept(page, methods, (route) =>
    route.fulfill({ status: 500, json: { code: "INTERNAL_ERROR", message: "broken" } }),
  );
  await button(page, "Try again").press("Enter");
  await heading(page, "Sign in");
  await expect(page.locator("#heading")).toBeFocused();
  await page.unroute(methods);
  await button(page, "Try again").press("Enter");
  await expect(page.getByLabel("Email address")).toBeVisible();
  await expect(page.locator("#heading")).toBeFocused();
});

test("an operator comes in with a password, then a code; wrong ones are refused", async ({ page, server }) => {
  server.secondFactor = "required";
  server.credentials.own.codes = true;
  await page.goto(server.page);
  await button(page, "Operators: use a password").click();
  await page.getByLabel("Email address").fill("root@example.com");
  await page.getByLabel("Password").fill("wrong");
  await page.keyboard.press("Enter");
  await expect(spoken(page)).toContainText("The server refused");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await heading(page, "Second factor");
  await judge(page, "second-factor");
  await page.getByLabel("Code of your authenticator app").fill("111 111");
  await page.keyboard.press("Enter");
  await expect(spoken(page)).toContainText("the code is wrong");
  await expect(page.getByLabel("Code of your authenticator app")).toHaveValue("");
  await page.getByLabel("Code of your authenticator app").fill("246 810");
  await page.keyboard.press("Enter");
  await heading(page, "Organisations");
  await page.reload();
  await heading(page, "Organisations");
});

test("a second factor that is presented in one tab is not asked for in another", async ({ page, server }) => {
  server.secondFactor = "required";
  server.credentials.own.codes = true;
  await page.goto(`${server.page}#operator-sign-in=${TOKEN}`);
  await button(page, "Sign in").click();
  await heading(page, "Second factor");
  const other = await page.context().newPage();
  await other.goto(server.page);
  await heading(other, "Second factor");
  await other.getByLabel("Code of your authenticator app").fill(CODE);
  await other.keyboard.press("Enter");
  await heading(other, "Organisations");
  await heading(page, "Organisations");
});

test("whoever lacks the second factor can leave", async ({ page, server }) => {
  server.secondFactor = "required";
  server.credentials.own.passkeys = [
    { id: "52000000-0000-4000-8000-000000000001", name: "Laptop", created_at: "2026-01-16T14:40:00Z" },
  ];
  await page.goto(`${server.page}#sign-in=${TOKEN}`);
  await button(page, "Sign in").click();
  await heading(page, "Second factor");
  await expect(page.getByLabel("Code")).toHaveCount(0);
  await expect(button(page, "Use a passkey")).toBeVisible();
  await button(page, "Sign out").click();
  await heading(page, "Sign in");
});

test("a passkey is added, signs its holder in, is renamed and removed", async ({ page, server }) => {
  server.credentials.methods = { is_set_up: true, passkeys: true, mail_links: true };
  // Otherwise the device, which agrees by itself, signs in as soon as the field is there: see the next test.
  await page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false);
  });
  const kept = await addAuthenticator(page);
  await page.goto(`${server.namedPage}#operator-sign-in=${TOKEN}`);
  await button(page, "Sign in").click();
  await heading(page, "Organisations");
  await page.getByRole("link", { name: "Root: Your security" }).click();
  await heading(page, "Your security");
  await expect(page.locator("#passkeys")).toContainText("You have no passkeys yet.");
  await page.getByLabel("Name of the passkey").fill("Laptop");
  await page.keyboard.press("Enter");
  await expect(spoken(page)).toHaveText("The passkey was added.");
  await expect(page.locator("#passkeys li")).toHaveText([/Laptop.*not used yet/]);
  expect((await kept()).length).toBe(1);

  await page.locator("#leave").click();
  await heading(page, "Sign in");
  await button(page, "Sign in with a passkey").click();
  await heading(page, "Your security");
  const begun = server.requests.filter((asked) => asked.startsWith("POST /console/session {")).at(-1) ?? "";
  expect(JSON.parse(begun.slice(begun.indexOf("{"))).passkey.credential.response.signature.length).toBeGreaterThan(60);

  await page.getByRole("button", { name: "Rename Laptop" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel("Name of the passkey")).toBeFocused();
  await dialog.getByLabel("Name of the passkey").fill("Old laptop");
  await page.keyboard.press("Enter");
  await expect(page.locator("#passkeys li")).toContainText("Old laptop");
  await page.getByRole("button", { name: "Remove Old laptop" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await expect(page.locator("#passkeys")).toContainText("You have no passkeys yet.");
});

test("a browser that can offers passkeys where the address is filled in", async ({ page, server }) => {
  server.credentials.methods = { is_set_up: true, passkeys: true, mail_links: true };
  await addAuthenticator(page);
  await page.goto(`${server.namedPage}#operator-sign-in=${TOKEN}`);
  await button(page, "Sign in").click();
  await heading(page, "Organisations");
  await page.goto(`${server.namedPage}#security`);
  await page.getByLabel("Name of the passkey").fill("Laptop");
  await page.keyboard.press("Enter");
  await expect(spoken(page)).toHaveText("The passkey was added.");
  await page.locator("#leave").click();
  // The device agrees by itself, without a press of the button. The screen is the one that was left, so that only the request
  // tells that it is a new one.
  const signIns = () => server.requests.filter((asked) => asked.startsWith("POST /console/session {")).length;
  await expect.poll(signIns).toBe(2);
  await heading(page, "Your security");
});

test("one's own security: codes, a password, and sessions that end", async ({ page, server }) => {
  server.credentials.sessions = [
    openSession(1, { current: true, browser: "Chromium", second_factor: true, method: "passkey" }),
    openSession(2),
    openSession(3, { browser: null, network: null, method: "oidc" }),
  ];
  server.credentials.methods.identity_provider = "Example ID";
  await page.goto(`${server.page}#operator-sign-in=${TOKEN}`);
  await button(page, "Sign in").click();
  await page.getByRole("link", { name: "Root: Your security" }).click();
  await heading(page, "Your security");
  await expect(page.locator("#sessions li")).toHaveText([
    /Chromium.*This session.*Second factor.*By passkey/,
    /Firefox.*192\.0\.2\.0.*By email link/,
    /Unknown browser.*By identity provider/,
  ]);
  await expect(page.locator("#sessions li").first().getByRole("button")).toHaveCount(0);
  await judge(page, "security");
  await page.getByRole("button", { name: "Sign out Firefox" }).click();
  await expect(page.locator("#sessions li")).toHaveCount(2);
  await button(page, "Sign out everywhere else").click();
  await expect(page.locator("#sessions li")).toHaveCount(1);

  await button(page, "Set up an authenticator app").click();
  await page.getByLabel("The six digits").fill("000000");
  await button(page, "Confirm").click();
  await expect(spoken(page)).toContainText("it is not the app's");
  await page.getByLabel("The six digits").fill(CODE);
  await expectAccessible(page, "the code for the app");
  await takeScreenshot(page, "console-totp");
  await button(page, "Confirm").click();
  await expect(page.locator("#totp")).toContainText("Set up");
  await button(page, "Remove the app").click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove the app" }).click();
  await expect(button(page, "Set up an authenticator app")).toBeVisible();

  await page.getByLabel("New password").fill("short");
  await button(page, "Set the password").click();
  expect(server.credentials.own.password, "too short").toBe(false);
  await page.getByLabel("New password").fill(PASSWORD);
  await button(page, "Set the password").click();
  await expect(spoken(page)).toContainText("The password is set.");
});

test("somebody who works in several places chooses one, after the identity provider", async ({ page, server }) => {
  const [ada] = server.members;
  const [root] = server.operators.operators;
  server.credentials.places = [{ id: ada?.id ?? "", account: "Corner shop" }, { id: root?.id ?? "" }];
  await page.goto(`${server.page}#choose=${TICKET}`);
  await heading(page, "Where do you want to go?");
  await expect(page).toHaveURL(server.page);
  await expect(page.locator("main").getByRole("button")).toHaveText(["Corner shop", "Whole installation"]);
  await judge(page, "places");
  await button(page, "Corner shop").click();
  await expect(page.locator(".side .account")).toHaveText("Corner shop");
  await page.goto(`${server.page}#choose=${TICKET}x`);
  await expect(spoken(page)).toContainText("the choice was made already");
});

test("a network that breaks off takes nobody's ticket for a place away", async ({ page, server }) => {
  const [ada] = server.members;
  server.credentials.places = [{ id: ada?.id ?? "", account: "Corner shop" }];
  await intercept(page, "**/sign-in/choices", (route) => route.abort());
  await page.goto(`${server.page}#choose=${TICKET}`);
  await heading(page, "Where do you want to go?");
  await expect(page.getByRole("alert")).toContainText("The server cannot be reached. Check your connection.");
  await expectAccessible(page, "places that could not be fetched");
  await page.unroute("**/sign-in/choices");
  await button(page, "Try again").press("Enter");
  await expect(page.locator("main").getByRole("button")).toHaveText(["Corner shop"]);
  await expect(page.locator("#heading"), "the button is gone").toBeFocused();
  await intercept(page, "**/console/session", (route) =>
    route.request().method() === "POST" ? route.abort() : route.continue(),
  );
  await button(page, "Corner shop").click();
  await expect(spoken(page)).toHaveText("The server cannot be reached. Check your connection.");
  await page.unroute("**/console/session");
  await button(page, "Corner shop").click();
  await expect(page.locator(".side .account")).toHaveText("Corner shop");
});

test("a second factor that is demanded from now on is asked for in the middle of work", async ({ page, server }) => {
  await page.goto(`${server.page}#operator-sign-in=${TOKEN}`);
  await button(page, "Sign in").click();
  await heading(page, "Organisations");
  server.secondFactor = "enrolment-required";
  // Of the first screen alone, whose own questions may still be under way, nothing is refused.
  const { operators } = server;
  const answer = operators.answer.bind(operators);
  operators.answer = (operation, ...rest) =>
    operation.includes("/approvals")
      ? [401, { code: "UNAUTHORIZED", message: "a second factor is needed" }]
      : answer(operation, ...rest);
  // By its address: a question of the first screen may meet it already, and takes the links away.
  await page.goto(`${server.page}#approvals`);
  await heading(page, "Set up a second factor");
});

test("a link that is followed while the page asks who is signed in is not lost to the answer", async ({
  page,
  server,
}) => {
  let answer: () => void = () => undefined;
  await intercept(page, "**/console/session", async (route) => {
    if (route.request().method() === "GET") {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
    }
    await route.continue();
  });
  const asked = page.waitForRequest("**/console/session");
  await page.goto(server.page);
  await asked;
  await page.evaluate((hash) => {
    location.hash = hash;
  }, `operator-sign-in=${TOKEN}`);
  await expect(button(page, "Sign in")).toBeVisible();
  const answered = page.waitForResponse("**/console/session");
  answer();
  await answered;
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await button(page, "Sign in").click();
  await expect(page.locator(".side .account")).toHaveText("Whole installation");
});

test("a second factor whose screen cannot be fetched is no blank page", async ({ page, server }) => {
  server.secondFactor = "required";
  await intercept(page, /\/assets\/second-factor-/, (route) => route.abort());
  await page.goto(`${server.page}#operator-sign-in=${TOKEN}`);
  await button(page, "Sign in").click();
  await heading(page, "This screen could not be loaded.");
  await page.unroute(/\/assets\/second-factor-/);
  await button(page, "Reload the page").click();
  await heading(page, "Second factor");
});

test("the door speaks Polish, and Arabic from right to left", async ({ page, server }) => {
  server.credentials.methods = { is_set_up: false, passkeys: true, mail_links: false };
  await speak(page, "pl");
  await page.goto(server.page);
  await heading(page, "Ten serwer jest nowy");
  await expectAccessible(page, "the first start in Polish");
  await speak(page, "ar");
  await page.reload();
  await heading(page, "هذا الخادم جديد");
  await judge(page, "first-start-arabic");
});
