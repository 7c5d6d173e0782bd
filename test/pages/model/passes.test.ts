import assert from "node:assert/strict";
import { test } from "node:test";
import { listPasses } from "../../../lib/pages/model/passes.ts";
import { passStarted } from "../../rules/arrange.ts";
import { reviewed } from "../full-task.ts";
import { events, verdict } from "../sample-task.ts";

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
        "cut off before its verdict; the next run recovered the last accepted state (nothing had to be restored)",
      ],
      [
        2,
        "interrupted",
        "cut off before its verdict; the next run recovered the last accepted state (restored: STATE.md)",
      ],
      [3, "accepted", "progress in implement"],
    ],
  );
});

test("a pass names what made it cheaper and what its reviewers cost, apart from its own cost", () => {
  const start = passStarted(1, { phase: "review" });
  const asides = (events: Parameters<typeof listPasses>[0]) =>
    listPasses(events).map(({ degrade, reviews, costUsd }) => ({ degrade, reviews, costUsd }));
  const reviews = [
    reviewed("security", { pass: 1, cost_usd: 0.5 }),
    reviewed("tests", { pass: 1, cost_usd: null }),
    reviewed("usability", { pass: 1, cost_usd: 0.25 }),
    reviewed("tests", { pass: 2, cost_usd: null }),
  ];
  const cheap = { ...start, degrade: ["cheap_tier"] } as const;
  assert.deepEqual(asides([cheap, ...reviews, verdict(1), { ...start, pass: 2 }, verdict(2), verdict(3)]), [
    { degrade: ["cheap_tier"], reviews: { count: 3, costUsd: 0.75, unknownCosts: 1 }, costUsd: 0.21 },
    { degrade: [], reviews: { count: 1, costUsd: null, unknownCosts: 1 }, costUsd: 0.21 },
    { degrade: [], reviews: null, costUsd: 0.21 },
  ]);
});
