import assert from "node:assert/strict";
import { test } from "node:test";
import { choose, type Facts, runningLow, type Screen } from "../../holder/screen";

const NOTHING: Facts = {
  removed: false,
  failed: false,
  clockBelievable: true,
  clockOffset: 0,
  invited: false,
  spent: false,
  refusedAnother: false,
  supply: "idle",
  online: true,
  showing: false,
  left: { count: 0, until: 0 },
};
const SOME = { count: 5, until: 1000 };

test("each state has its screen", () => {
  const screens: [Partial<Facts>, Screen["kind"]][] = [
    [{}, "uninvited"],
    [{ invited: true }, "loading"],
    [{ invited: true, supply: "asking" }, "loading"],
    [{ invited: true, supply: "offline" }, "stranded"],
    [{ invited: true, supply: "busy" }, "busy"],
    [{ invited: true, supply: "broken" }, "broken"],
    [{ invited: true, spent: true }, "spent"],
    [{ invited: true, spent: true, supply: "offline" }, "spent"],
    [{ invited: true, left: SOME }, "code"],
    [{ invited: true, showing: true, spent: true }, "code"],
    [{ invited: true, left: SOME, supply: "broken" }, "code"],
    [{ invited: true, left: SOME, clockBelievable: false }, "clock"],
    [{ invited: true, left: SOME, failed: true }, "broken"],
    [{ removed: true, left: SOME, failed: true }, "removed"],
  ];
  for (const [facts, kind] of screens) {
    assert.equal(choose({ ...NOTHING, ...facts }).kind, kind, JSON.stringify(facts));
  }
});

test("a code comes with the remarks that hold", () => {
  const ready = { ...NOTHING, invited: true, left: SOME };
  assert.deepEqual(choose(ready), { kind: "code", offline: false, remarks: [] });
  assert.deepEqual(choose({ ...ready, online: false }), { kind: "code", offline: true, remarks: [] });
  assert.deepEqual(choose({ ...ready, supply: "offline", spent: true, clockOffset: -90_000 }), {
    kind: "code",
    offline: true,
    remarks: ["last", "clock-corrected"],
  });
  assert.deepEqual(choose({ ...ready, supply: "busy", refusedAnother: true }), {
    kind: "code",
    offline: false,
    remarks: ["refused-another", "server-busy"],
  });
});

test("more are fetched while there are still some", () => {
  assert.ok(!runningLow({ count: 20, until: 1600 }, 1000));
  assert.ok(runningLow({ count: 19, until: 9000 }, 1000), "few");
  assert.ok(runningLow({ count: 120, until: 1599 }, 1000), "soon");
  assert.ok(runningLow({ count: 0, until: 0 }, 1000));
});
