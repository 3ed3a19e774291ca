// The reviewer's desk: which case is shown, whatever arrives late or twice; how long pictures were looked at; which reason goes
// with a decision; what limits say as numbers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLimit } from "../../console/components/charts";
import { commentFor, reasonFor, reasonsFor } from "../../console/desk/decisions";
import { EMPTY_DESK, keepRenewed, leave, receive, restore, undoTime } from "../../console/desk/desk";
import { ExposureMeter } from "../../console/desk/exposure";
import { PictureStore } from "../../console/desk/pictures";
import { readReasons, writeReasons } from "../../console/desk/reason-lines";
import english from "../../console/texts/en.json";
import { findingCase } from "../browser/cases-stand-in";

const [first, second, third] = [findingCase(1), findingCase(2), findingCase(3)];
const ids = (desk: typeof EMPTY_DESK) => desk.held.map(({ id }) => id);

test("what is shown stays in front of what is claimed later", () => {
  const desk = receive(EMPTY_DESK, [first, second]);
  assert.deepEqual(ids(receive(desk, [third, second, first])), [first.id, second.id, third.id]);
  assert.deepEqual(ids(receive(desk, [second])), [second.id], "what the server has no more is gone");
});

test("a case that was decided does not come back by an answer that was under way, and does by a later one", () => {
  const desk = leave(receive(EMPTY_DESK, [first, second]), first.id);
  assert.deepEqual(ids(receive(desk, [first, second])), [second.id]);
  assert.deepEqual(ids(receive(desk, [first, second], [first.id])), [second.id, first.id]);
});

test("a case whose decision was taken back is shown again, once", () => {
  const desk = leave(receive(EMPTY_DESK, [first, second]), first.id);
  const back = restore(desk, first);
  assert.deepEqual(ids(back), [first.id, second.id]);
  assert.deepEqual(ids(restore(back, first)), [first.id, second.id]);
  assert.deepEqual(ids(receive(back, [second, first])), [first.id, second.id]);
});

test("only leases that were asked for can turn out to be over", () => {
  const desk = receive(EMPTY_DESK, [first, second, third]);
  assert.deepEqual(ids(keepRenewed(desk, [first.id, second.id], [second.id])), [second.id, third.id]);
});

test("a clock that is wrong makes the time to take back neither nothing nor endless", () => {
  const now = Date.parse("2026-01-16T12:00:00Z");
  assert.equal(undoTime("2026-01-16T12:00:09Z", now), 9_000);
  assert.equal(undoTime("2026-01-16T11:00:00Z", now), 10_000);
  assert.equal(undoTime("2026-01-16T13:00:00Z", now), 10_000);
  assert.equal(undoTime("later", now), 10_000);
});

test("time at pictures is counted while they are uncovered, and shared among those that are seen at once", () => {
  const meter = new ExposureMeter();
  meter.tick(0);
  meter.see(["face", "frame"], 1000);
  meter.tick(2000);
  meter.see(["face"], 3000);
  meter.see([], 4000);
  meter.tick(9000);
  assert.equal(meter.total, 3);
  assert.deepEqual(meter.take(), [
    { picture: "face", seconds: 2 },
    { picture: "frame", seconds: 1 },
  ]);
  assert.deepEqual(meter.take(), [], "it was reported");
  meter.see(["face"], 10_000);
  meter.tick(60_000);
  assert.equal(meter.total, 5, "a machine that slept has not looked");
});

test("pictures are fetched once, and not kept when their case has left", async () => {
  const fetched: string[] = [];
  const cancelled: string[] = [];
  let fails = false;
  const store = new PictureStore((path, signal) => {
    fetched.push(path);
    signal.addEventListener("abort", () => cancelled.push(path));
    return fails ? Promise.reject(new Error("no network")) : Promise.resolve(new Blob(["picture"]));
  });
  const url = await store.load("one", "face");
  assert.match(url, /^blob:/);
  assert.equal(await store.load("one", "face"), url);
  await store.load("two", "face");
  assert.deepEqual(fetched, ["/console/cases/one/pictures/face", "/console/cases/two/pictures/face"]);
  store.keepOnly(["two"]);
  assert.deepEqual(cancelled, ["/console/cases/one/pictures/face"]);
  fails = true;
  await assert.rejects(store.load("one", "face"));
  fails = false;
  await store.load("one", "face");
  assert.equal(fetched.length, 4, "what failed is tried again");
  store.keepOnly([]);
});

test("a decision about a document has a reason, which is chosen first where it does not go without saying", () => {
  assert.equal(reasonFor("REJECT", "", ""), undefined);
  assert.equal(reasonFor("REJECT", "", "blurred"), "");
  assert.equal(reasonFor("REJECT", "TAMPERED", ""), "TAMPERED");
  assert.equal(reasonFor("APPROVE", "", ""), "GENUINE");
  assert.equal(reasonFor("CONSIDER", "POOR_PICTURE", ""), "POOR_PICTURE");
  assert.equal(reasonFor("CONFIRM", "", ""), "");
  const codes = (shown: Parameters<typeof reasonsFor>[0], decision?: Parameters<typeof reasonsFor>[1]) =>
    reasonsFor(shown, decision, english.reasons).map(({ code }) => code);
  const usual = { kind: "DOCUMENT_CHECK", reason_codes: [] } as const;
  assert.ok(!codes({ ...usual, reason_codes: [] }, "REJECT").includes("GENUINE"));
  assert.ok(codes({ ...usual, reason_codes: [] }).length <= 9, "each has a number on the keyboard");
  const own = [{ code: "TORN", label: "It is torn" }];
  assert.deepEqual(codes({ kind: "DOCUMENT_CHECK", reason_codes: own }, "REJECT"), ["TORN"]);
});

test("a reason brings its comment, in place of another reason's and of nothing that somebody typed", () => {
  const [torn, blurred, other] = [
    { code: "TORN", label: "It is torn", comment: "A corner is missing" },
    { code: "BLURRED", label: "It is blurred", comment: "Nothing can be read" },
    { code: "OTHER", label: "Something else" },
  ] as const;
  assert.equal(commentFor(torn, undefined, " "), "A corner is missing");
  assert.equal(commentFor(blurred, torn, "A corner is missing"), "Nothing can be read");
  assert.equal(commentFor(other, torn, "A corner is missing"), "");
  assert.equal(commentFor(blurred, torn, "Both corners are missing"), "Both corners are missing");
  assert.equal(commentFor(blurred, other, "It was burnt"), "It was burnt");
});

test("reasons of a queue are written as lines, and read again", () => {
  const reasons = [
    { code: "TORN", label: "It is torn", comment: "A corner | is missing" },
    { code: "OTHER", label: "Something else" },
  ];
  assert.equal(writeReasons(reasons), "TORN It is torn | A corner | is missing\nOTHER Something else");
  assert.deepEqual(readReasons(writeReasons(reasons)), reasons);
  assert.deepEqual(readReasons("\n  ALONE  \n"), [{ code: "ALONE", label: "ALONE" }]);
});

test("limits in words are numbers where they have one", () => {
  assert.deepEqual(parseLimit("at most 1.8 decades that a peak stands out"), { at: 1.8, met: "below" });
  assert.deepEqual(parseLimit("at least 12"), { at: 12, met: "above" });
  assert.equal(parseLimit("the forms of the issuer"), undefined);
});
