import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { LANGUAGES, textDirection } from "../../shared/catalogue";

type Table = { [name: string]: string | Table };

function flat(table: Table, path = ""): [string, string][] {
  return Object.entries(table).flatMap(([name, value]) =>
    typeof value === "string" ? [[`${path}${name}`, value] as [string, string]] : flat(value, `${path}${name}.`),
  );
}

test("each catalogue has every text, with the same names to fill in, and no English left over", () => {
  for (const folder of ["shared", "identity", "age", "console"]) {
    compare(folder);
  }
  assert.equal(textDirection("ar"), "rtl");
});

test("every reason for which an age is not confirmed has words for reviewers", () => {
  const { components } = JSON.parse(readFileSync("../openapi/ages.json", "utf8"));
  const { appeal } = JSON.parse(readFileSync("console/texts/en.json", "utf8"));
  const codes: string[] = components.schemas.AgeFailureReason.enum;
  assert.deepEqual(Object.keys(appeal.reasons), [...codes, "REFUSED"]);
});

function compare(folder: string): void {
  const read = (language: string) =>
    new Map(flat(JSON.parse(readFileSync(`${folder}/texts/${language}.json`, "utf8"))));
  assert.deepEqual(readdirSync(`${folder}/texts`).sort(), LANGUAGES.map((language) => `${language}.json`).sort());
  const english = read("en");
  const names = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();
  for (const language of LANGUAGES) {
    const texts = read(language);
    assert.deepEqual([...texts.keys()], [...english.keys()], language);
    for (const [key, text] of texts) {
      assert.ok(text.trim() !== "", `${language}: ${key} is empty`);
      assert.deepEqual(names(text), names(english.get(key) ?? ""), `${language}: ${key}`);
      const same = language !== "en" && text.length > 14 && text === english.get(key);
      assert.ok(!same, `${language}: ${key} is still English`);
    }
  }
}
