import assert from "node:assert/strict";
import { test } from "node:test";
import { TEXTS as HOLDER } from "../../holder/texts";
import { chooseLanguage, LANGUAGES } from "../../shared/language";

test("the first language that is spoken is chosen, English for everybody else", () => {
  assert.equal(chooseLanguage(["fr", "de-AT", "en"]), "de");
  assert.equal(chooseLanguage(["EN-us", "de"]), "en");
  assert.equal(chooseLanguage(["fr", "deu", "ja"]), "en");
  assert.equal(chooseLanguage([]), "en");
});

test("no text is empty, and none is the same in two languages by mistake", () => {
  const strings = (texts: object): string[] => JSON.stringify(texts).match(/"[^"]*"/g) ?? [];
  const [en, ...others] = LANGUAGES.map((language) => strings(HOLDER[language]));
  for (const other of others) {
    assert.equal(other.length, en?.length);
    assert.ok(!other.includes('""'));
    const long = other.filter((text, at) => text === en?.[at] && text.length > 20 && text.includes(" "));
    assert.deepEqual(long, []);
  }
});
