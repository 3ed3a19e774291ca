// The forms of organisations and applications in the console, in a real browser: what is typed is kept, and what others changed stays.

import { showPage } from "./actions";
import { judge, signedIn } from "./console-actions";
import { button, heading, rows, setOperators, spoken, TOKEN, withConsole } from "./console-page";
import { expect } from "./fixtures";
import { application, operator, organisation } from "./operators-stand-in";

const test = withConsole((server) => {
  setOperators(server, operator(1, "Root"));
});

test("limits that were typed when the session ended are there again", async ({ page, server }) => {
  const shop = application(1, "Shop");
  server.operators.applications = [shop];
  const [root] = server.operators.operators;
  await signedIn(page, server);
  await page.goto(`${server.page}#application=${shop.id}`);
  const field = page.getByRole("spinbutton", { name: "Calls at once" });
  await button(page, "Change the limits").click();
  await field.fill("80");
  server.operator = undefined;
  await button(page, "Save").click();
  await heading(page, "Sign in");
  await expect(spoken(page)).toContainText("what you typed is kept in this tab");
  server.operatorLinks.set(TOKEN, root ?? operator(1, "Root"));
  await page.goto(`${server.page}#operator-sign-in=${TOKEN}`);
  await button(page, "Sign in").click();
  await heading(page, "Shop");
  await button(page, "Change the limits").click();
  await expect(field).toHaveValue("80");
});

test("a limit that a colleague has changed since the form was opened stays", async ({ page, server }) => {
  const shop = application(1, "Shop");
  server.operators.applications = [shop];
  const [root] = server.operators.operators;
  const setByColleague = (allowed: number) =>
    server.sessions.limits.splice(2, 1, { limit: "calls_per_minute", allowed, is_own: true });
  await page.clock.install();
  await signedIn(page, server);
  await page.goto(`${server.page}#application=${shop.id}`);
  const [field, limits] = [page.getByRole("spinbutton", { name: "Calls at once" }), page.locator("#limits")];
  await button(page, "Change the limits").click();
  await field.fill("80");
  setByColleague(300);
  await page.clock.fastForward(10_000);
  await showPage(page, false);
  await showPage(page, true);
  await expect(limits).toContainText("300 (set for this application)");
  await button(page, "Save").click();
  await expect(limits).toContainText("57 of 80");

  await button(page, "Change the limits").click();
  await field.fill("90");
  server.operator = undefined;
  await button(page, "Save").click();
  await heading(page, "Sign in");
  setByColleague(200);
  server.operatorLinks.set(TOKEN, root ?? operator(1, "Root"));
  await page.goto(`${server.page}#operator-sign-in=${TOKEN}`);
  await button(page, "Sign in").click();
  await heading(page, "Shop");
  await expect(limits).toContainText("200 (set for this application)");
  await button(page, "Change the limits").click();
  await expect(field).toHaveValue("90");
  await button(page, "Save").click();
  await expect(limits).toContainText("57 of 90");
  await expect(limits).toContainText("200 (set for this application)");
  const sent = server.requests.filter((one) => one.includes('"limits"')).map((one) => one.slice(one.indexOf("{")));
  const burst = (allowed: number) => `{"limits":[{"limit":"burst","allowed":${allowed}}]}`;
  expect(sent).toEqual([burst(80), burst(90), burst(90)]);
});

test("a form that was filled in when the session ended is there again, filled in", async ({ page, server }) => {
  const [root] = server.operators.operators;
  await signedIn(page, server);
  await heading(page, "Organisations");
  await page.keyboard.press("n");
  const name = page.getByLabel("Name");
  await name.fill("Example Ltd");
  server.operator = undefined;
  await name.press("Enter");
  await heading(page, "Sign in");
  await expect(spoken(page)).toContainText("what you typed is kept in this tab");
  server.operatorLinks.set(TOKEN, root ?? operator(1, "Root"));
  await page.goto(`${server.page}#operator-sign-in=${TOKEN}`);
  await heading(page, "Welcome back, operator");
  await button(page, "Sign in").click();
  await heading(page, "Organisations");
  await expect(page.getByRole("dialog", { name: "New organisation" })).toBeVisible();
  await expect(name).toHaveValue("Example Ltd");
  await name.press("Enter");
  await heading(page, "Example Ltd");
});

test("what was filled in is not lost by a press beside its dialog", async ({ page, server }) => {
  await signedIn(page, server);
  await heading(page, "Organisations");
  const beside = () => page.mouse.click(5, 400);
  const dialog = page.getByRole("dialog", { name: "New organisation" });
  await page.keyboard.press("n");
  await expect(dialog).toBeVisible();
  await beside();
  await expect(dialog).toHaveCount(0);
  await page.keyboard.press("n");
  const name = page.getByLabel("Name");
  await name.fill("Example");
  await beside();
  // The dialog gives the keyboard back a frame later. A person who types on has the caret where it was; a field that the driver
  // has to focus itself has it before the first character.
  await expect(name, "the keyboard stays in the field").toBeFocused();
  await name.pressSequentially(" Ltd");
  await expect(name).toHaveValue("Example Ltd");
  await page.keyboard.press("Escape");
  await expect(dialog, "a key closes it").toHaveCount(0);
});

test("an organisation and an application are changed, and what the application may take", async ({ page, server }) => {
  const owner = organisation(1, "Example Ltd");
  server.operators.organisations = [owner];
  server.operators.applications = [application(1, "Shop", { organisation_id: owner.id })];
  await signedIn(page, server);
  await page.goto(`${server.page}#organisation=${owner.id}`);
  await heading(page, owner.name);
  await page.keyboard.press("e");
  await expect(page.getByLabel("Name")).toBeFocused();
  await page.getByLabel("Name").fill("Example plc");
  await page.getByLabel("Status").selectOption("Suspended");
  await judge(page, "organisation-change");
  await button(page, "Save").click();
  await expect(spoken(page)).toHaveText("The organisation was changed.");
  await heading(page, "Example plc");
  await expect(page.locator("main")).toContainText("Suspended");

  await rows(page).first().press("Enter");
  await heading(page, "Shop");
  await page.keyboard.press("e");
  await page.getByLabel("Name").fill("Corner shop");
  await page.getByLabel("Status").selectOption("Disabled");
  await page.getByLabel("Proof of age").uncheck();
  await judge(page, "application-change");
  await button(page, "Save").click();
  await heading(page, "Corner shop");
  await expect(page.locator("main")).toContainText("Disabled");
  expect(server.operators.applications[0]?.features).not.toContain("proof-of-age");

  await expect(page.locator("#limits")).toContainText("600 (set for this application)");
  await button(page, "Change the limits").click();
  await expect(page.getByRole("spinbutton", { name: "Calls at once" })).toBeFocused();
  await page.getByRole("spinbutton", { name: "Calls at once" }).fill("80");
  await page.getByRole("spinbutton", { name: "Calls in a minute" }).fill("");
  await judge(page, "limits");
  await button(page, "Save").click();
  await expect(page.locator("#limits")).toContainText("57 of 80 (set for this application)");
  const asked = server.requests.filter((one) => one.includes('"limits"')).map((one) => one.slice(one.indexOf("{")));
  expect(asked).toEqual(['{"limits":[{"limit":"burst","allowed":80},{"limit":"calls_per_minute"}]}']);
});

test("a form sends what was changed in it alone, also of an application whose organisation was deleted", async ({
  page,
  server,
}) => {
  const { operators } = server;
  const [owner, other] = [organisation(1, "Example Ltd"), organisation(2, "Other Ltd")];
  const shop = application(1, "Shop", { organisation_id: owner.id, billing_source_id: "Cost centre 7" });
  operators.organisations = [owner];
  operators.applications = [shop];
  const [name, dialog] = [page.getByLabel("Name"), page.getByRole("dialog")];
  await signedIn(page, server);
  await page.goto(`${server.page}#organisation=${owner.id}`);
  await heading(page, "Example Ltd");
  await page.keyboard.press("e");
  await name.fill("Example plc");
  // A colleague changes it, too.
  owner.status = "SUSPENDED";
  await button(page, "Save").click();
  await heading(page, "Example plc");
  await expect(page.locator("main")).toContainText("Suspended");

  await page.goto(`${server.page}#application=${shop.id}`);
  await heading(page, "Shop");
  await page.keyboard.press("e");
  await name.fill("Corner shop");
  await page.getByLabel("Billed to").fill("");
  Object.assign(shop, { state: "DISABLED", features: ["ages"] });
  await button(page, "Save").click();
  await heading(page, "Corner shop");
  await expect(page.locator("main")).toContainText("Disabled");
  expect(shop).toMatchObject({ state: "DISABLED", features: ["ages"], billing_source_id: owner.id });

  operators.organisations = [other];
  await page.reload();
  await heading(page, "Corner shop");
  await page.keyboard.press("e");
  const choice = page.getByLabel("Organisation", { exact: true });
  await expect(choice, "what it is, not what it might be").toHaveValue(owner.id);
  await name.fill("Till");
  await button(page, "Save").click();
  await heading(page, "Till");
  await expect(dialog).toHaveCount(0);
  await page.keyboard.press("e");
  await choice.selectOption("Other Ltd");
  await button(page, "Save").click();
  await expect(page.locator("main").getByRole("link", { name: "Other Ltd" })).toBeVisible();
  const changes = server.requests.filter((one) => one.startsWith("PATCH ")).map((one) => one.slice(one.indexOf("{")));
  expect(changes).toEqual([
    '{"name":"Example plc"}',
    `{"name":"Corner shop","billing_source_id":"${owner.id}"}`,
    '{"name":"Till"}',
    `{"organisation_id":"${other.id}"}`,
  ]);
});
