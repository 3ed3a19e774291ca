import assert from "node:assert/strict";
import { test } from "node:test";
import { isRunningLow, type Screen, type ScreenInput, selectScreen } from "../../holder/screen-selection";

const NOTHING: ScreenInput = {
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
  remaining: { count: 0, until: 0 },
};
const SOME = { count: 5, until: 1000 };

test("each state has its screen", () => {
  const screens: [Partial<ScreenInput>, Screen["kind"]][] = [
    [{}, "uninvited"],
    [{ invited: true }, "loading"],
    [{ invited: true, supply: "asking" }, "loading"],
    [{ invited: true, supply: "offline" }, "stranded"],
    [{ invited: true, supply: "busy" }, "busy"],
    [{ invited: true, supply: "broken" }, "broken"],
    [{ invited: true, spent: true }, "spent"],
    [{ invited: true, spent: true, supply: "offline" }, "spent"],
    [{ invited: true, remaining: SOME }, "code"],
    [{ invited: true, showing: true, spent: true }, "code"],
    [{ invited: true, remaining: SOME, supply: "broken" }, "code"],
    [{ invited: true, remaining: SOME, clockBelievable: false }, "clock"],
    [{ invited: true, remaining: SOME, failed: true }, "broken"],
    [{ removed: true, remaining: SOME, failed: true }, "removed"],
  ];
  for (const [facts, kind] of screens) {
    assert.equal(selectScreen({ ...NOTHING, ...facts }).kind, kind, JSON.stringify(facts));
  }
});

test("a code comes with the remarks that hold", () => {
  const ready = { ...NOTHING, invited: true, remaining: SOME };
  assert.deepEqual(selectScreen(ready), { kind: "code", offline: false, remarks: [] });
  assert.deepEqual(selectScreen({ ...ready, online: false }), { kind: "code", offline: true, remarks: [] });
  assert.deepEqual(selectScreen({ ...ready, supply: "offline", spent: true, clockOffset: -90_000 }), {
    kind: "code",
    offline: true,
    remarks: ["last", "clock-corrected"],
  });
  assert.deepEqual(selectScreen({ ...ready, supply: "busy", refusedAnother: true }), {
    kind: "code",
    offline: false,
    remarks: ["refused-another", "server-busy"],
  });
});

test("more are fetched while there are still some", () => {
  assert.ok(!isRunningLow({ count: 20, until: 1600 }, 1000));
  assert.ok(isRunningLow({ count: 19, until: 9000 }, 1000), "few");
  assert.ok(isRunningLow({ count: 120, until: 1599 }, 1000), "soon");
  assert.ok(isRunningLow({ count: 0, until: 0 }, 1000));
});
