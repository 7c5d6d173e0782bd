import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChangeSize } from "../../lib/rules/bounds.ts";
import { decide } from "../../lib/rules/decide.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import { before, checkRun, facts, policy, proposal } from "./arrange.ts";

const bounds = { verify: { files: 10, lines: 200 }, repair: { files: 20, lines: 400 } };

function judge(from: Phase, to: Phase, change: ChangeSize, over: "show" | "block" | null) {
  const seen = facts({ change, checks: checkRun(), fingerprint: { before: "f0", after: "f1", present: null } });
  return decide(before(from), proposal(to), seen, policy(over === null ? {} : { bounds: { ...bounds, over } }));
}

test("a change over its bounds is shown with the figures, and accepted", () => {
  const decision = judge("repair", "verify", { files: 21, lines: 3 }, "show");
  assert.deepEqual(
    [decision.verdict, decision.over_bounds, decision.tickets],
    ["accepted", { phase: "repair", files: 21, lines: 3, most: { files: 20, lines: 400 } }, []],
  );
});

test("with `over: block` it is rejected with a ticket, whatever the pass proposes", () => {
  for (const [from, to, change] of [
    ["repair", "verify", { files: 1, lines: 401 }],
    ["repair", "repair", { files: 21, lines: null }],
    ["verify", "review", { files: 11, lines: 0 }],
  ] as const) {
    const decision = judge(from, to, change, "block");
    assert.deepEqual(
      [decision.verdict, decision.to, decision.reasons.map(({ code }) => code), decision.tickets.map(({ id }) => id)],
      ["rejected", from, ["within_bounds"], [`bounds:${from}`]],
      `${from} → ${to}`,
    );
  }
  assert.equal(
    judge("verify", "verify", { files: 11, lines: 1 }, "block").reason,
    "the pass changed 11 files and 1 line in verify; its bounds are 10 files and 200 lines",
  );
});

test("a change as large as its bounds is within them, and other phases have none", () => {
  const free = [
    judge("repair", "verify", { files: 20, lines: 400 }, "block"),
    judge("implement", "implement", { files: 900, lines: 90_000 }, "block"),
  ];
  assert.deepEqual(
    free.map(({ verdict, over_bounds: over }) => [verdict, over]),
    [
      ["accepted", null],
      ["accepted", null],
    ],
  );
});
