import assert from "node:assert/strict";
import { test } from "node:test";
import * as checks from "../../age/field-validation";
import { normaliseValue } from "../../age/steps/form";

const NOW = new Date(2026, 10, 22);

test("card numbers have their check digit, a scheme, and the scheme's length", () => {
  const good = [
    "4242424242424242",
    "4000000000000002",
    "5555555555554444",
    "2223003122003222",
    "378282246310005",
    "30569309025904",
    "6011111111111117",
    "3530111333300000",
    "6200000000000005",
    "6759649826438453",
  ];
  for (const number of good) {
    assert.equal(checks.validateCardNumber(number), undefined, number);
    // Any digit that is mistyped is noticed.
    for (let at = 0; at < number.length; at += 1) {
      const wrong = number.slice(0, at) + ((Number(number[at]) + 1) % 10) + number.slice(at + 1);
      assert.notEqual(checks.validateCardNumber(wrong), undefined, wrong);
    }
  }
  assert.equal(checks.validateCardNumber("37828224631000"), "card", "an American Express card with a digit too few");
  assert.equal(checks.validateCardNumber("4242 4242 4242 4242"), "card");
  assert.equal(checks.validateCardNumber("0000000000000000"), "scheme", "the check digit alone is not enough");
  assert.equal(checks.validateCardNumber(""), "card");
});

test("a card is good until its month ends", () => {
  for (const [text, wrong] of [
    ["11/26", undefined],
    ["10/26", "expired"],
    ["12/25", "expired"],
    ["01/27", undefined],
    ["11/46", undefined],
    ["12/46", "expiry"],
    ["13/30", "expiry"],
    ["00/30", "expiry"],
    ["1/30", "expiry"],
    ["", "expiry"],
  ] as const) {
    assert.equal(checks.validateExpiry(text, NOW), wrong, text);
  }
});

test("security codes have the length of their scheme", () => {
  assert.equal(checks.validateSecurityCode("123", "4242424242424242"), undefined);
  assert.equal(checks.validateSecurityCode("1234", "4242424242424242"), "code");
  assert.equal(checks.validateSecurityCode("1234", "378282246310005"), undefined);
  assert.equal(checks.validateSecurityCode("123", "378282246310005"), "code");
  assert.equal(checks.validateSecurityCode("1234", ""), undefined, "of a card that is not known yet");
});

test("CPF numbers have two check digits", () => {
  for (const good of ["52998224725", "11144477735", "12345678909"]) {
    assert.equal(checks.validateCpf(good), undefined, good);
  }
  for (const bad of ["52998224724", "52998224735", "11111111111", "5299822472", "529982247255", "", "5299822472a"]) {
    assert.equal(checks.validateCpf(bad), "cpf", bad);
  }
});

test("social security numbers are those that are given out, or their last four digits", () => {
  for (const good of ["219099999", "078051120", "1234", "9999"]) {
    assert.equal(checks.validateSsn(good), undefined, good);
  }
  for (const bad of ["000123456", "666123456", "900123456", "219009999", "219090000", "0000", "12345", ""]) {
    assert.equal(checks.validateSsn(bad), "ssn", bad);
  }
});

test("phone numbers, addresses, names and days have their forms", () => {
  assert.equal(checks.validatePhone("+4915123456789"), undefined);
  // Whether it is one without its country's code the server knows.
  assert.equal(checks.validatePhone("07700900123"), undefined);
  assert.deepEqual(["07700900123", "+447700900123"].map(checks.isNationalNumber), [true, false]);
  for (const bad of [
    "07700",
    "0770090012345678",
    "077009OO123",
    "+0915123456789",
    "+49151",
    "+4915123456789012",
    "+49a5123456789",
  ]) {
    assert.equal(checks.validatePhone(bad), "phone", bad);
  }
  assert.equal(checks.validateEmail("a.b+c@mail.example.com"), undefined);
  for (const bad of [
    "a@b",
    "@example.com",
    "a b@example.com",
    "a@example..com",
    "a@.example.com",
    `${"a".repeat(65)}@example.com`,
  ]) {
    assert.equal(checks.validateEmail(bad), "email", bad);
  }
  assert.equal(checks.validateFullName("Ada Lovelace"), undefined);
  assert.equal(checks.validateFullName(" Ada "), "name");
  assert.equal(checks.validateBirthDate("2008-02-29", NOW), undefined);
  for (const bad of ["2026-11-23", "2007-02-29", "1890-01-01", "10.12.1990", ""]) {
    assert.equal(checks.validateBirthDate(bad, NOW), "date", bad);
  }
});

test("what people put between digits is no matter", () => {
  assert.equal(normaliseValue(" 4242 4242-4242.4242 ", "number", "digits"), "4242424242424242");
  assert.equal(normaliseValue("529.982.247-25", "cpf", "digits"), "52998224725");
  assert.equal(normaliseValue("0049 (151) 23/45-67", "phone", "tel"), "+491512345 67".replace(" ", ""));
  for (const text of [
    "+44 (0)7700 900123",
    "0044 (0) 7700 900123",
    "(+44) (0)7700\u2013900123",
    "\u202a+44\u00a07700\u00a0900123\u202c",
    "\uff0b\uff14\uff14 7700 900123",
    "+\u0664\u0664 \u0667\u0667\u0660\u0660 \u0669\u0660\u0660\u0661\u0662\u0663",
  ]) {
    assert.equal(normaliseValue(text, "phone", "tel"), "+447700900123", text);
  }
  assert.equal(
    normaliseValue("(0)7700 900123", "phone", "tel"),
    "07700900123",
    "the zero is dialled within the country",
  );
  assert.equal(normaliseValue("\u06f4\u06f2\u06f4\u06f2-\uff14\uff12\u2066", "number", "digits"), "424242");
  for (const text of ["4/29", "04/29", "0429", "04 / 2029", "4-2029", "04.29"]) {
    assert.equal(normaliseValue(text, "expiry", "text"), "04/29", text);
  }
  assert.equal(normaliseValue("soon", "expiry", "text"), "soon");
  assert.equal(normaliseValue("\u202a ada@example.com\u200b ", "email", "email"), "ada@example.com");
  assert.equal(normaliseValue("  Ada   Lovelace ", "full_name", "text"), "Ada Lovelace");
});
