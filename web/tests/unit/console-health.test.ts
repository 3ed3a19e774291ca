// The figures of the server: what belongs together, what is wrong by them, and how they are drawn. Lives of keys on their axis.
// Answers of the sandbox.

import assert from "node:assert/strict";
import { test } from "node:test";
import { lifeAxis, lifeState } from "../../console/components/life-bars";
import { linePath } from "../../console/components/line-chart";
import {
  addUp,
  failedShare,
  interfacesOf,
  lanesOf,
  type Problem,
  problemsOf,
  requestLines,
  summarise,
} from "../../console/health/figures";
import {
  delayOf,
  readConfig,
  SANDBOX_CHECKS,
  SIMPLE_ANSWERS,
  simpleAnswer,
  withAnswer,
  withDelay,
  writeConfig,
} from "../../console/sandbox-responses";
import { Format } from "../../console/texts";
import { healthOf, series } from "../browser/health-stand-in";

const DAY_MS = 86_400_000;
const steady = (value: number | null, samples = 40) => Array.from({ length: samples }, () => value);

test("figures are added up sample by sample, and gaps stay gaps", () => {
  const one = series("requests", "per second", { status: "2xx" }, [1, null, null]);
  const other = series("requests", "per second", { status: "3xx" }, [2, 3, null]);
  assert.deepEqual(addUp([one, other], 3), [3, 3, null]);
  assert.deepEqual(summarise([1, null, 5]), { now: 5, mean: 3, highest: 5 });
  assert.equal(summarise([2, null])?.now, undefined, "the newest is not known");
  assert.equal(summarise([null]), undefined);
});

test("interfaces and lanes come in an order, and quiet ones apart", () => {
  const health = healthOf(40);
  assert.deepEqual(interfacesOf(health), { busy: ["ages", "console"], quiet: ["oauth"] });
  assert.deepEqual(lanesOf(health), { busy: ["heavy"], quiet: ["quick", "documents", "live", "upkeep"] });
  const { answered, refused, failed } = requestLines(health, "ages");
  assert.ok((answered.at(-1) ?? 0) > 5 && (refused.at(-1) ?? 0) > 0);
  assert.equal(failed.at(-1), 0, "nothing failed, though there is no such figure");
  assert.equal(failedShare(health, "ages"), 0);
  assert.equal(failedShare(health, "oauth"), undefined, "nobody asked");
});

test("what is wrong is named, and nothing else is", () => {
  const problems = (...more: Parameters<typeof healthOf>[1] & object) =>
    problemsOf(healthOf(40, more), Date.now()).map(({ kind }) => kind);
  assert.deepEqual(problems(), []);
  const failing = series("requests", "per second", { interface: "ages", status: "5xx" }, steady(1));
  assert.deepEqual(problems(failing), ["failing"]);
  const past = [...steady(1, 20), ...steady(0, 20)];
  assert.deepEqual(problems({ ...failing, values: past }), [], "it is over for five minutes");
  const parked = series("jobs", "jobs", { lane: "quick", state: "parked" }, steady(2));
  const late = series("oldest_due_job", "seconds", { lane: "heavy" }, steady(900));
  assert.deepEqual(problems(parked, late), ["parked", "lateJobs"]);
  assert.deepEqual(problems(series("oldest_due_delivery", "seconds", {}, steady(301))), ["lateMessages"]);
  const rejected = series("delivery_attempts", "per second", { outcome: "rejected" }, steady(30));
  assert.deepEqual(problems(rejected), ["undelivered"]);
  assert.deepEqual(problems(series("database_connections_used", "connections", {}, steady(8))), ["connections"]);
  const briefly = [...steady(1, 38), 8, 8];
  assert.deepEqual(problems(series("database_connections_used", "connections", {}, briefly)), []);
  assert.deepEqual(problems(series("inference_queued", "images", {}, steady(3))), ["queued"]);
});

test("figures that are old, or that the database did not give, are told", () => {
  const health = healthOf(10);
  const kinds = (found: readonly Problem[]) => found.map(({ kind }) => kind);
  assert.deepEqual(kinds(problemsOf(health, Date.now() + 10 * 60_000)), ["stale"]);
  const blind = {
    ...health,
    series: health.series.map((one) =>
      one.name === "jobs" ? { ...one, values: [...one.values.slice(1), null] } : one,
    ),
  };
  assert.deepEqual(kinds(problemsOf(blind, Date.now())), ["database"]);
  assert.deepEqual(problemsOf({ interval_seconds: 15, at: [], series: [] }, Date.now()), []);
});

test("a line has gaps where a value is not known, and a dot where one stands alone", () => {
  assert.equal(linePath([0, 10], 10), "M0 80L300 2");
  assert.equal(linePath([5, null, 5], 10), "M0 41h0M300 41h0");
  assert.equal(linePath([null, null], 10), "");
});

test("lives are over, end soon or begin later, and have room on their axis", () => {
  const now = Date.parse("2026-01-16T12:00:00Z");
  const at = (days: number) => new Date(now + days * DAY_MS).toISOString();
  assert.equal(lifeState({}, now), "fine");
  assert.equal(lifeState({ until: at(-1) }, now), "over");
  assert.equal(lifeState({ until: at(3) }, now), "soon");
  assert.equal(lifeState({ from: at(-9), until: at(60) }, now), "fine");
  assert.equal(lifeState({ from: at(2), until: at(3) }, now), "future");
  const { low, high } = lifeAxis([{ from: at(-400) }, { until: at(90) }], now);
  assert.ok(low < now - 400 * DAY_MS && high > now + 90 * DAY_MS);
});

test("sizes and durations are written in the unit that fits", () => {
  const format = new Format("en", []);
  assert.deepEqual(
    [0, 999, 2_400_000_000].map((size) => format.bytes(size)),
    ["0 byte", "999 byte", "2.4 GB"],
  );
  assert.deepEqual(
    [0, 0.0214, 2.5, 420].map((seconds) => format.duration(seconds)),
    ["0 sec", "21.4 ms", "2.5 sec", "7 min"],
  );
});

/** The same value with its members in their order, as the server answers it. */
function sorted<T>(value: T): T {
  const inOrder = (_: string, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part;
  return JSON.parse(JSON.stringify(value, inOrder)) as T;
}

test("a simple answer to a check is read and written, and others are left as they are", () => {
  const empty = { check_reports: {}, task_results: {} };
  for (const check of SANDBOX_CHECKS) {
    assert.equal(simpleAnswer(empty, check), "APPROVE");
    for (const answer of SIMPLE_ANSWERS) {
      const set = withAnswer(empty, check, answer);
      assert.equal(simpleAnswer(set, check), answer);
      assert.deepEqual(readConfig(writeConfig(set)), set);
      assert.equal(simpleAnswer(sorted(set), check), answer, "the server sorts members");
      assert.deepEqual(withAnswer(set, check, "APPROVE"), empty);
    }
  }
  const own = { check_reports: { LIVENESS: [{ liveness_type: "ZOOM", result: { report: {} } }] }, more: 1 };
  assert.equal(simpleAnswer(own, "LIVENESS"), undefined);
  const changed = withAnswer(own, "FACE_COMPARISON", "REJECT");
  assert.deepEqual(changed.more, 1);
  assert.equal(simpleAnswer(changed, "LIVENESS"), undefined);
  assert.deepEqual([delayOf(withDelay(own, 10)), delayOf(withDelay(withDelay(own, 10), 0))], [10, 0]);
  assert.equal(readConfig("[1]"), undefined);
  assert.equal(readConfig("{"), undefined);
});
