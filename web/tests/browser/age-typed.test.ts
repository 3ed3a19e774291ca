// What is typed on the page of age sessions, or shown to be typed elsewhere: cards, codes, numbers of people.

import type { MethodName } from "../../age/session";
import { method } from "../age-responses";
import { fill, press, method as way } from "./actions";
import { accessible, arrive, errors, heading, keep, says, stored, test } from "./age-page";
import { codeStep, formStep } from "./age-stand-in";
import { expect } from "./fixtures";

test("a card is looked at before anything is sent, and nothing of it is kept", async ({ page, server, observed }) => {
  server.methods = [method("CREDIT_CARD")];
  await page.goto(server.page());
  await way(page, "Credit card").click();
  await heading(page, "Your credit card");
  const inputs = page.locator("input");
  expect(await inputs.evaluateAll((all) => all.map((input) => input.getAttribute("autocomplete")))).toEqual([
    "cc-number",
    "cc-exp",
    "cc-csc",
  ]);
  await says(page, "Debit and prepaid cards do not count");
  await accessible(page, "the form");
  await keep(page, "12-card");
  await press(page, "Check");
  await expect(errors(page)).toHaveCount(3);
  await expect(inputs.first(), "what is missing has the focus").toBeFocused();
  await fill(page, "Card number", "4242 4242 4242 4241");
  await fill(page, "Valid until", "01/20");
  await fill(page, "Security code", "12");
  await press(page, "Check");
  await expect(errors(page)).toHaveText([
    "This is not a card number. Look at each digit again.",
    "This card has expired.",
    "Three digits, or four with American Express.",
  ]);
  await expect(inputs.first()).toBeFocused();
  await expect(inputs.first()).toHaveAccessibleDescription(/This is not a card number. Look at each digit again\.$/);
  await expect(inputs.first()).toHaveAttribute("aria-invalid", "true");
  await accessible(page, "what is wrong");
  await keep(page, "13-card-wrong");
  expect(server.count(/^POST \/attempts\/ID/), "nothing was sent").toBe(0);
  await fill(page, "Card number", "4242 4242 4242 4242");
  await fill(page, "Valid until", "4 / 2031");
  await fill(page, "Security code", "123");
  await press(page, "Check");
  await heading(page, "Your age is confirmed");
  expect(server.last(/^POST \/attempts\/ID/).fields).toEqual({
    number: "4242424242424242",
    expiry: "04/31",
    code: "123",
  });
  expect(await stored(page)).toEqual({});
  expect(observed.requests.join()).not.toContain("4242");
});

test("a card that is declined leads on, one whose provider is away ends with an error", async ({ page, server }) => {
  server.methods = [method("CREDIT_CARD"), method("EMAIL")];
  const fillIn = async (number: string) => {
    await fill(page, "Card number", number);
    await fill(page, "Valid until", "04/31");
    await fill(page, "Security code", "123");
    await press(page, "Check");
  };
  await page.goto(server.page());
  await way(page, "Credit card").click();
  await fillIn("4000000000000002");
  await heading(page, "Try it another way");
  await says(page, "Credit card: your age could not be confirmed this way. Debit and prepaid cards do not count.");
  await keep(page, "14-debit");
  server.methods = [method("CREDIT_CARD", { attempts_remaining: 1 })];
  server.status = "PENDING";
  server.result = null;
  await arrive(page, server.page());
  await way(page, "Credit card").click();
  await fillIn("4000000000009995");
  await heading(page, "It did not work");
  await says(page, "The service that checks this could not be reached.");
  await accessible(page, "an error");
  await keep(page, "14-error");
  await press(page, "Back to the business");
  await expect(page).toHaveURL(/\/thanks\?/);
});

test("an address gets a code: a wrong one is said, another is sent, the right one leads to the end", async ({
  page,
  server,
}) => {
  await page.goto(server.page("email"));
  await heading(page, "Your email address");
  await fill(page, "Email address", "ada@example");
  await press(page, "Check");
  await says(page, "An address looks like");
  await fill(page, "Email address", "ada@example.com");
  await press(page, "Check");
  await heading(page, "Type the code");
  await says(page, "a•••@example.com");
  const code = page.getByLabel("Code");
  await expect(code).toHaveAttribute("autocomplete", "one-time-code");
  await accessible(page, "the code");
  await keep(page, "15-code");
  await code.fill("12");
  await press(page, "Continue");
  await says(page, "The code has 6 digits.");
  expect(server.count(/^POST \/attempts\/ID/)).toBe(1);
  await code.fill("000 000");
  await press(page, "Continue");
  await says(page, "That is not the code that was sent. Attempts left: 2");
  await expect(code).toBeFocused();
  await expect(code, "what was typed stands").toHaveValue("000 000");
  await accessible(page, "a wrong code");
  await keep(page, "16-wrong-code");
  await press(page, "Send another code");
  await says(page, "Another code is on its way.");
  await says(page, /Another code in [23]\d?/);
  expect(Object.keys(server.last(/^POST \/attempts\/ID/)).sort()).toEqual(["continuation", "resend"]);
  // As an Arabic keyboard has them.
  await code.fill("\u0661\u0662\u0663 \u0664\u0665\u0666");
  await press(page, "Continue");
  await heading(page, "Your age is confirmed");
  expect(server.last(/^POST \/attempts\/ID/).code).toBe("123456");
  expect(await stored(page)).toEqual({});
});

test("a phone number gets a code by text message; whether it needs its country's code the server says", async ({
  page,
  server,
}) => {
  server.methods = [method("MOBILE")];
  server.scripts.MOBILE = (input) => {
    const { phone } = input?.fields ?? {};
    if (input?.code) {
      return { ends: "COMPLETE" };
    }
    return phone?.startsWith("+") || phone === "07700900123"
      ? { step: codeStep("SMS", 30) }
      : { step: formStep("MOBILE"), ...(phone ? { problem: { code: "INVALID", field: "phone" } } : {}) };
  };
  await page.goto(server.page("mobile"));
  await fill(page, "Mobile phone number", "0151 234567");
  await press(page, "Check");
  await says(page, "Begin with +");
  await expect(page.getByLabel("Mobile phone number")).toBeFocused();
  expect(server.last(/ID$/).fields).toEqual({ phone: "0151234567" });
  await fill(page, "Mobile phone number", "0049 151 / 23 45 67 89");
  await press(page, "Check");
  await says(page, "A text message with 6 digits was sent to ••• 123");
  expect(server.last(/ID$/).fields).toEqual({ phone: "+4915123456789" });
  await fill(page, "Code", "123456");
  await press(page, "Continue");
  await heading(page, "Your age is confirmed");

  server.status = "PENDING";
  server.methods = [method("MOBILE")];
  await arrive(page, server.page("mobile"));
  await fill(page, "Mobile phone number", "07700 900123");
  await press(page, "Check");
  await heading(page, "Type the code");
});

for (const [name, words, wrong, right, sent] of [
  [
    "SOCIAL_SECURITY_NUMBER",
    "Your social security number",
    { "Social security number": "666-12-3456" },
    { "Social security number": "219-09-9999" },
    { number: "219099999" },
  ],
  ["CPF", "Your CPF", { "CPF number": "529.982.247-24" }, { "CPF number": "529.982.247-25" }, { cpf: "52998224725" }],
  [
    "US_FLORIDA_HB3",
    "Your name and address",
    { "Date of birth": "2990-01-01" },
    { "Street and number, city": "1 Main St, Miami", "Postal code": "33101" },
    { address: "1 Main St, Miami", postal_code: "33101" },
  ],
] as [MethodName, string, Record<string, string>, Record<string, string>, object][]) {
  test(`people's numbers are checked by their own rules before they are sent: ${name}`, async ({ page, server }) => {
    server.methods = [method(name)];
    await page.goto(server.page(name.toLowerCase()));
    await heading(page, words);
    await fill(page, "Full name", "Ada Lovelace");
    await fill(page, "Date of birth", "1990-12-10");
    for (const [label, value] of Object.entries(wrong)) {
      await fill(page, label, value);
    }
    await press(page, "Check");
    await expect(errors(page).first()).toBeVisible();
    expect(server.count(/ID$/), "nothing was sent").toBe(0);
    await accessible(page, name);
    await keep(page, `17-${name.toLowerCase()}`);
    await fill(page, "Date of birth", "1990-12-10");
    for (const [label, value] of Object.entries(right)) {
      await fill(page, label, value);
    }
    await press(page, "Check");
    await heading(page, "Your age is confirmed");
    const fields = { full_name: "Ada Lovelace", date_of_birth: "1990-12-10", ...sent };
    expect(server.last(/ID$/).fields).toEqual(fields);
  });
}

test("a code is shown to be typed into an app, and the page goes on when the app has answered", async ({
  page,
  server,
}) => {
  server.methods = [method("LA_WALLET"), method("EMAIL")];
  await page.goto(server.page("la_wallet"));
  await heading(page, "Type the code into LA Wallet");
  await says(page, "“Verify You”, then “Remote Verify”");
  const code = page.locator(".app-code");
  await expect(code).toHaveText("4821");
  await expect(code, "read digit by digit").toHaveAccessibleName("4 8 2 1");
  await accessible(page, "the code");
  await keep(page, "17-la_wallet");
  server.otherDone = true;
  await heading(page, "Your age is confirmed");
});
