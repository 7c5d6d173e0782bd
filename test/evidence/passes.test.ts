import assert from "node:assert/strict";
import { test } from "node:test";
import { listPasses, passFolder } from "../../lib/evidence/passes.ts";
import { events, verdict } from "./sample-task.ts";

test("each verdict is a row, in order", () => {
  const rows = listPasses(events).map(
    (row) =>
      `${row.pass} ${row.from} ${row.to} ${row.verdict} ${row.checks === null ? "-" : `${row.checks.passed}/${row.checks.ran}`}`,
  );
  assert.deepEqual(rows, [
    "1 intake shape accepted -",
    "2 shape shape rejected -",
    "3 implement verify accepted -",
    "4 verify repair redirected 1/2",
    "5 repair verify accepted -",
    "6 review done accepted 3/3",
  ]);
});

test("a pass that was cut off has a row of its own, unless it has a verdict", () => {
  const recovered = (pass: number, restored: readonly string[]) =>
    ({ type: "recovered", at: "2026-11-21T11:00:00Z", pass, restored, ended: 1 }) as const;
  const rows = listPasses([recovered(1, []), recovered(2, ["STATE.md"]), recovered(3, []), verdict(3)]);
  assert.deepEqual(
    rows.map(({ pass, verdict: name, reason }) => [pass, name, reason]),
    [
      [
        1,
        "interrupted",
        "cut off before its verdict; the next run recovered the last accepted state (nothing had to be put back)",
      ],
      [
        2,
        "interrupted",
        "cut off before its verdict; the next run recovered the last accepted state (put back: STATE.md)",
      ],
      [3, "accepted", "progress in implement"],
    ],
  );
});

test("the folder of a pass has four digits", () => {
  assert.deepEqual([passFolder(7), passFolder(12345)], ["artifacts/passes/0007", "artifacts/passes/12345"]);
});
