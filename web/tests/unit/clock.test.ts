import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Clock, offsetFrom } from "../../shared/clock";

const NOON = Date.parse("2026-11-21T12:00:00Z");
const DATE = "Sat, 21 Nov 2026 12:00:00 GMT";

test("a clock that is nearly right is left alone", () => {
  assert.equal(offsetFrom(DATE, NOON, NOON + 200), 0);
  assert.equal(offsetFrom(DATE, NOON - 1800, NOON - 1600), 0);
  assert.equal(offsetFrom(DATE, NOON + 2500, NOON + 2700), 0);
  assert.equal(offsetFrom(DATE, NOON - 9000, NOON + 3000), 0, "a slow answer says little");
});

test("a clock that is wrong is put right to the second", () => {
  const offset = offsetFrom(DATE, NOON - 420_000, NOON - 419_800) ?? 0;
  assert.ok(Math.abs(offset - 420_000) <= 600, `${offset}`);
  assert.ok((offsetFrom(DATE, NOON + 420_000, NOON + 420_200) ?? 0) < -419_000);
});

test("an answer without a date changes nothing", () => {
  assert.equal(offsetFrom(null, NOON, NOON), undefined);
  assert.equal(offsetFrom("soon", NOON, NOON), undefined);
});

test("a clock that went back is not believed until a server says so", () => {
  mock.timers.enable({ apis: ["Date"], now: NOON });
  const clock = new Clock(0, NOON + 10_000);
  assert.ok(clock.isBelievable(), "a little is within what clocks do");
  const later = new Clock(0, NOON + 3_600_000);
  assert.ok(!later.isBelievable());
  later.set(DATE, NOON, NOON + 100);
  assert.ok(later.isBelievable());
  mock.timers.tick(5000);
  assert.equal(later.now(), NOON + 5000);
  mock.timers.reset();
});
