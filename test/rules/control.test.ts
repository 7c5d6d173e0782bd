import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "../../lib/rules/decide.ts";
import type { Decision } from "../../lib/rules/decision.ts";
import type { ModelEnd } from "../../lib/rules/model-end.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import { before, counts, facts, policy, proposal } from "./arrange.ts";

/** The verdict on a pass that a person ended so, after so many of 5 repairs. */
function endedBy(cause: "abort" | "skip" | "signal", from: Phase, repairs: number): Decision {
  const end: ModelEnd = { kind: "interrupted", cause, reason: "it was ended" };
  const given = facts({ end, history: counts({ repairs }) });
  return decide(before(from), proposal(from), given, policy({ budget: { passes: 12, repairs: 5 } }));
}

test("the reason names what ended the pass", () => {
  assert.deepEqual(
    (["signal", "abort", "skip"] as const).map((cause) => endedBy(cause, "repair", 1).reasons[0]?.code),
    ["interrupted", "aborted", "skipped"],
  );
});

test("an ABORT or a SKIP keeps the phase, counts as no failure and exits as paused", () => {
  for (const cause of ["abort", "skip"] as const) {
    const { verdict, to, failure, escalation, exit_name } = endedBy(cause, "repair", 4);
    assert.deepEqual([verdict, to, failure, escalation, exit_name], ["interrupted", "repair", null, null, "paused"]);
  }
});

test("a SKIP of the last repair of the budget blocks the task, and an ABORT of it does not", () => {
  const { verdict, to, escalation, exit_name } = endedBy("skip", "repair", 5);
  assert.deepEqual([verdict, to, escalation?.cause, exit_name], ["interrupted", "blocked", "repairs", "blocked"]);
  assert.match(escalation?.blockers ?? "", /all 5 repairs are spent, and a person skipped the last one/);
  assert.equal(endedBy("abort", "repair", 5).escalation, null);
});

test("outside repair nothing is given up by a SKIP", () => {
  assert.equal(endedBy("skip", "verify", 5).escalation, null);
});
