// How the server is and what it is made of, as operators see it, in a real browser.

import { readFileSync } from "node:fs";
import type { Setting, TrustList } from "../../console/api/installation";
import { expectAccessible, showPage, takeScreenshot } from "./actions";
import { go, judge, signedIn, speak } from "./console-actions";
import { button, heading, rows, setOperators, spoken, TOKEN, withConsole } from "./console-page";
import { expect } from "./fixtures";
import { healthOf, INTERVAL_SECONDS, series } from "./health-stand-in";
import { operator } from "./operators-stand-in";

const DAY_MS = 86_400_000;

const test = withConsole((server) => {
  setOperators(server, operator(1, "Root"));
});

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

test("the figures of the last hour are charts with their numbers, and what is wrong stands first", async ({
  page,
  server,
}) => {
  const steady = (value: number) => Array.from({ length: 240 }, () => value);
  server.operators.health.health = healthOf(240, [
    series("requests", "per second", { interface: "ages", status: "5xx" }, steady(0.9)),
    series("jobs", "jobs", { lane: "quick", state: "parked" }, steady(2)),
    series("oldest_due_job", "seconds", { lane: "heavy" }, steady(900)),
  ]);
  await signedIn(page, server);
  await go(page, "gh", "Health");
  await expect(page.locator("#problems li")).toHaveText([
    /Age verification: the server failed .*% of the requests/,
    /Parked jobs: 2\. Lane: Quick\..*Jobs/,
    /The oldest due job has waited 15 min\. Lane: Heavy\./,
  ]);
  const requests = page.getByRole("figure", { name: "Requests per second" }).first();
  await expect(requests.getByRole("img")).toHaveAttribute(
    "aria-label",
    /last hour\. Now: Answered .*Failed \(5xx\) 0\.9/,
  );
  await expect(requests.getByRole("row", { name: /Failed/ })).toHaveText(/0\.9.*0\.9.*0\.9/);
  await expect(page.locator("main")).toContainText("Nothing in the last hour: Tokens.");
  await judge(page, "health");
  await page.locator(".line-figure").first().scrollIntoViewIfNeeded();
  await takeScreenshot(page, "console-health-charts");

  const all = requests.getByRole("button", { name: "Every figure: Requests per second" });
  await all.focus();
  await page.keyboard.press("Enter");
  await expect(requests.getByRole("region").getByRole("row")).toHaveCount(241);
  await page.getByLabel("Show").selectOption("Process");
  await expect(page.getByRole("heading", { level: 2 })).toHaveText(["What is wrong now", "Process"]);
  await expect(page.getByRole("row", { name: /Resident/ })).toContainText("MB");
  await page.locator("#problems").getByRole("link", { name: "Jobs" }).first().click();
  await heading(page, "Jobs");
});

test("figures are fetched again while the page is visible, and not otherwise", async ({ page, server }) => {
  server.operators.health.health = healthOf(0);
  await page.clock.install();
  await signedIn(page, server);
  await page.goto(`${server.page}#health`);
  await expect(page.locator("main")).toContainText("There are no figures yet.");
  await expectAccessible(page, "health without figures");
  const asked = () => server.requests.filter((one) => one === "GET /console/health").length;
  server.operators.health.health = healthOf(40);
  await page.clock.fastForward(1000 * INTERVAL_SECONDS);
  await expect(page.locator("#problems")).toContainText("Nothing is wrong, as far as these figures say.");
  await showPage(page, false);
  const before = asked();
  await page.clock.fastForward(10_000 * INTERVAL_SECONDS);
  expect(asked()).toBe(before);
});

const SETTINGS: readonly Setting[] = [
  { name: "ages.credit_card.secret_file", source: "file" },
  { name: "ages.keep_days", source: "default", unit: "days", value: "30" },
  { name: "delivery.keep_days", source: "file", unit: "days", value: "14" },
  { name: "egress.ports", source: "default", value: "[443,8443]" },
  { name: "request_log.days", source: "default", unit: "days", value: "7" },
  { name: "server.body_bytes", source: "default", unit: "bytes", value: "2097152" },
  { name: "server.frame_origins", source: "environment", value: '["https://portal.example.com"]' },
  { name: "storage.s3", source: "default", value: "null" },
];

test("settings are found by name and by who set them, without secrets", async ({ page, server }) => {
  server.operators.health.settings = [...SETTINGS];
  await signedIn(page, server);
  await go(page, "ge", "Settings");
  await expect(page.locator("main h2")).toHaveText([
    "Server, limits and storage",
    "Egress",
    "Deliveries",
    "Age verification",
    "Mail, console and cases",
  ]);
  const row = (name: string) => page.getByRole("row", { name });
  await expect(row("server.body_bytes")).toHaveText(/2097152 bytes \(2\.1 MB\).*Default/);
  await expect(row("server.frame_origins")).toHaveText(/portal\.example\.com.*Environment/);
  await expect(row("egress.ports")).toHaveText(/443, 8443/);
  await expect(row("storage.s3")).toHaveText(/Not set/);
  await expect(row("secret_file")).toHaveText(/Set, and never shown.*File/);
  await judge(page, "settings");
  await page.getByLabel("Set by").selectOption("File");
  await expect(page.locator("main tbody tr")).toHaveCount(2);
  await page.getByLabel("Filter").fill("keep");
  await expect(page.locator("main tbody tr")).toHaveText([/delivery\.keep_days.*14 days/]);
  await page.getByLabel("Filter").fill("no such thing");
  await expect(page.locator("main")).toContainText("Nothing matches.");
});

test("models say what they do, their licence and how well they do", async ({ page, server }) => {
  server.operators.health.models = [
    {
      id: "faceres-age",
      task: "age",
      in_use: true,
      is_experimental: false,
      sha256: "60ba968db8521490098228d445c6b503d8062a0aa62a0f67155ac98ea440656f",
      bytes: 13_945_669,
      licence: "Apache-2.0",
      licence_note: "its base was trained on a set published for research",
      training_data: "public age sets",
      source: {
        package: "@vladmandic/human",
        version: "3.3.6",
        converter: "5",
        files: { "models/faceres.bin": "ab12" },
      },
      accuracy: {
        of: "age-errors",
        covers: "about 68 % of people",
        bands: [
          { from_years: 0, standard_deviation_years: 3.4 },
          { from_years: 18, standard_deviation_years: 4.6 },
        ],
      },
    },
    {
      id: "face-api-recognition",
      task: "embed",
      in_use: true,
      is_experimental: false,
      licence: "CC0-1.0",
      accuracy: { of: "false-matches", thresholds: [{ rate: 0.001, distance: 0.53 }] },
    },
    {
      id: "liveness-cues-1",
      task: "liveness",
      in_use: false,
      is_experimental: true,
      licence: "MIT OR Apache-2.0",
      accuracy: { of: "liveness-thresholds", low: 0.13, medium: 0.31, high: 0.5 },
    },
    { id: "blazeface", task: "detect", in_use: true, is_experimental: false, licence: "Apache-2.0" },
  ];
  server.operators.health.reports = [
    { name: "age-2026-11-27.html", bytes: 84_000, written_at: "2026-11-27T02:00:00Z" },
    { name: "match-2026-11-26.html", bytes: 112_000, written_at: "2026-11-26T02:00:00Z" },
  ];
  await signedIn(page, server);
  await go(page, "gm", "Models");
  await expect(rows(page)).toHaveText([
    /faceres-age.*Estimates ages.*In use.*Apache-2\.0/,
    /face-api-recognition.*Compares faces/,
    /liveness-cues-1.*Tells whether a face is live.*Not in use.*Experimental/,
    /blazeface.*Finds faces/,
  ]);
  await expect(page.locator("#accuracy tbody tr")).toHaveText([/0.*± 3\.4 years/, /18.*± 4\.6 years/]);
  await expect(page.locator("#accuracy")).toContainText("about 68 % of people");
  await expect(page.locator("#reports li")).toHaveText([/age-2026-11-27\.html.*84 kB/, /match-2026-11-26\.html/]);
  await judge(page, "models");
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download: age-2026-11-27.html" }).press("Enter");
  const report = await saved;
  expect(report.suggestedFilename()).toBe("age-2026-11-27.html");
  expect(readFileSync(await report.path(), "utf8")).toContain("Age estimation");
  await page.keyboard.press("j");
  await expect(page.locator("#model")).toContainText("face-api-recognition");
  await expect(page.locator("#model")).toContainText("Built into the program");
  await expect(page.locator("#accuracy")).toContainText("1 in 1,000");
  await page.keyboard.press("j");
  await expect(page.locator("#model")).toContainText("not to be relied on yet");
  await page.keyboard.press("j");
  await expect(page.locator("#accuracy")).toContainText("Nothing is recorded of it.");
});

test("a provider is tested by keyboard alone, and says what happened and how long it took", async ({
  page,
  server,
}) => {
  const { health } = server.operators;
  health.providers = [
    { name: "storage", test: "STORAGE" },
    { name: "mail", test: "MAIL" },
    { name: "ages.email", test: "REACHABILITY", host: "registry.example.com" },
    { name: "ages.cpf", test: "SIMULATED" },
    { name: "console.oidc", test: "OIDC_DISCOVERY", host: "login.example.com" },
  ];
  const tested_at = "2026-01-16T14:40:00Z";
  health.outcomes.set("mail", {
    succeeded: false,
    message: "the mail server cannot be reached: connection refused",
    took_ms: 2_500,
    tested_at,
  });
  await signedIn(page, server);
  await go(page, "gv", "Providers");
  await expect(rows(page)).toHaveCount(5);
  await page.keyboard.press("t");
  await expect(page.locator("#provider")).toContainText("a file was written, read and deleted");
  await expect(page.locator("#provider")).toContainText("12 ms");
  await page.keyboard.press("j");
  await expect(page.locator("#provider")).toContainText("The test sends a mail to you, root@example.com.");
  await page.keyboard.press("t");
  await expect(page.locator("#provider")).toContainText("connection refused");
  await expect(rows(page).nth(1)).toHaveText(/mail.*Sends a mail.*It failed.*2\.5 sec/);
  await judge(page, "providers");
  await page.goto(`${server.page}#models`);
  await heading(page, "Models");
  await expect(page.locator("main")).toContainText("This server has no models.");
  await expect(page.locator("#reports")).toContainText("There are no reports yet.");
  await page.goto(`${server.page}#providers`);
  await expect(rows(page).nth(1)).toHaveText(/It failed/);
  await rows(page).nth(2).click();
  await expect(page.locator("#provider")).toContainText("registry.example.com");
  const tests = () => server.requests.filter((one) => one.startsWith("POST ") && one.endsWith("/test")).length;
  for (let number = tests() + 1; number <= 11; number += 1) {
    await expect(button(page, "Test now T")).toBeEnabled();
    await button(page, "Test now T").click();
    await expect.poll(tests).toBe(number);
  }
  await expect(spoken(page)).toContainText("too many requests");
});

test("the trust list and keys have their lives as bars, with what is over in words", async ({ page, server }) => {
  const issuers: TrustList["issuers"] = [
    {
      id: "https://id.example.gov",
      provider: "GOV_EXAMPLE",
      formats: ["sd-jwt-vc", "mdoc"],
      key_set_url: "https://id.example.gov/keys",
      valid_from: inDays(-200),
      valid_until: inDays(300),
      keys: [
        { kind: "LISTED", id: "2025", valid_until: inDays(-3) },
        { kind: "FETCHED", id: "2026", valid_from: inDays(-30), valid_until: inDays(6) },
        { kind: "ROOT" },
      ],
    },
    { id: "https://old.example.com", provider: "OLD", formats: ["jwt"], valid_until: inDays(-40), keys: [] },
    { id: "https://assay.example.com", provider: "ASSAY", formats: ["cwt"], keys: [{ kind: "LISTED", id: "k1" }] },
    {
      id: "https://new.example.com",
      provider: "NEW",
      formats: ["jwt"],
      keys: [
        { kind: "LISTED", id: "n1", valid_until: inDays(-2) },
        { kind: "LISTED", id: "n2", valid_from: inDays(3) },
      ],
    },
  ];
  const { health } = server.operators;
  health.trustList = { issuers, expires_at: inDays(5) };
  health.keys = {
    signing_keys: [
      { purpose: "age-webhooks", id: "w2", state: "SIGNING", created_at: inDays(-12) },
      { purpose: "age-webhooks", id: "w1", state: "RETIRING", created_at: inDays(-300), until: inDays(19) },
      {
        purpose: "blind-tokens",
        id: "b1",
        state: "SIGNING",
        created_at: inDays(-20),
        until: inDays(10),
        years: 18,
        sandbox: false,
      },
    ],
    data_keys: [
      {
        id: "81000000-0000-4000-8000-000000000001",
        master_key: "a1b2c3d4e5f60718",
        state: "CURRENT",
        created_at: inDays(-12),
      },
      {
        id: "81000000-0000-4000-8000-000000000001",
        master_key: "00112233445566aa",
        state: "RETIRED",
        created_at: inDays(-400),
        retired_at: inDays(-11),
      },
    ],
    processes: [
      { name: "serve node-1 4711", master_key: "a1b2c3d4e5f60718", seen_at: inDays(0) },
      { name: "work node-2 17", master_key: "00112233445566aa", seen_at: inDays(0) },
    ],
  };
  await signedIn(page, server);
  await go(page, "gt", "Trust and keys");
  await expect(page.locator("#list-expiry")).toContainText("ends in 5 days");
  await expect(rows(page)).toHaveText([
    /id\.example\.gov.*GOV_EXAMPLE.*Ends soon/,
    /old\.example\.com.*Ended/,
    /assay\.example\.com.*Accepted/,
    /new\.example\.com.*Not yet/,
  ]);
  await expect(page.locator("#issuer .life")).toHaveText([
    /Entry in the list.*ends in/,
    /Key in the list.*ended 3 days ago.*2025.*Until/,
    /Fetched key.*ends in 6 days.*2026/,
    /Root certificate.*no end is set.*Always/,
  ]);
  await expect(page.locator("#signing-keys .life")).toHaveCount(3);
  await expect(page.locator("#signing-keys")).toContainText("Blind tokens from 18 years");
  await expect(page.locator("#processes li")).toHaveText([
    /node-1.*Has the current master key/,
    /node-2.*Has a former master key/,
  ]);
  await judge(page, "trust");
  await page.locator("#own-keys").scrollIntoViewIfNeeded();
  await takeScreenshot(page, "console-trust-keys");
  await page.keyboard.press("j");
  await expect(page.locator("#issuer")).toContainText("No key of it is known.");
});

test("without anything there are words, and a refusal is told with a way to try again", async ({ page, server }) => {
  await signedIn(page, server);
  await page.goto(`${server.page}#trust`);
  await expect(page.locator("main")).toContainText("Nobody’s proofs of age are accepted.");
  await expect(page.locator("main")).toContainText("There are none yet; each is made when it is first needed.");
  await page.goto(`${server.page}#providers`);
  await expect(page.locator("main")).toContainText("There are no services to test.");
  await expectAccessible(page, "no providers");
  await page.goto(`${server.page}#settings`);
  await expect(page.locator("main")).toContainText("Nothing matches.");

  // A scope that was taken away meanwhile.
  const [root] = server.operators.operators;
  if (root) {
    root.scopes = root.scopes.filter((scope) => scope !== "models:view");
  }
  await page.goto(`${server.page}#models`);
  await expect(page.getByRole("alert")).toContainText("the scope models:view is needed");
  await expect(button(page, "Try again")).toBeVisible();
});

test("who lacks the scopes sees none of it, and who has `trust:manage` alone sees trust alone", async ({
  page,
  server,
}) => {
  await signedIn(page, server);
  const kim = operator(2, "Kim", { scopes: ["trust:manage"] });
  server.operators.operators = [kim];
  server.operator = kim;
  await page.reload();
  const links = page.locator(".side").getByRole("navigation").getByRole("link");
  await expect(links).toHaveText(["Approvals", "Trust and keys"]);
  kim.scopes = ["jobs:manage"];
  await page.reload();
  await expect(links).toHaveText(["Approvals", "Jobs"]);
  // A place that somebody may not open leads to their first one.
  await page.goto(`${server.page}#health`);
  await heading(page, "Approvals");
  expect(server.requests).not.toContain("GET /console/health");
});

test("it speaks Arabic on a phone, with times from right to left", async ({ page, server }) => {
  server.operators.health.health = healthOf(40);
  await speak(page, "ar");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${server.page}#operator-sign-in=${TOKEN}`);
  await page.locator("form button, .door button").first().press("Enter");
  await page.goto(`${server.page}#health`);
  await heading(page, "الصحة");
  await expect(page.locator("#problems")).toContainText("لا خلل");
  await expectAccessible(page, "health in Arabic");
  await takeScreenshot(page, "console-health-arabic");
});
