import assert from "node:assert/strict";
import { test } from "node:test";
import type { Decision, EscalationCause, Verdict } from "../../lib/machine/decision.ts";
import { escalate } from "../../lib/machine/escalate.ts";
import { type EscalationInput, exitOf, findEscalation } from "../../lib/machine/find-escalation.ts";
import type { Phase } from "../../lib/machine/phases.ts";
import { counts, facts, policy, proposal } from "./arrange.ts";

test("the exit of a stop tells its cause, whatever the verdict was", () => {
  const exits: readonly (readonly [EscalationCause, Phase, Decision["exit_name"]])[] = [
    ["stuck", "implement", "no_progress"],
    ["no_progress", "implement", "no_progress"],
    ["timeouts", "implement", "unavailable"],
    ["passes", "implement", "iterations"],
    ["money", "implement", "budget"],
    ["tokens", "implement", "budget"],
    ["time", "implement", "budget"],
    ["no_validators", "verify", "needs_user_decision"],
    ["watched", "verify", "needs_user_decision"],
    ["manual", "review", "needs_user_decision"],
    ["repairs", "verify", "blocked"],
    ["repairs", "review", "needs_user_decision"],
  ];
  for (const [cause, from, exit] of exits) {
    const escalation = escalate(cause, from, "it happened");
    for (const verdict of ["rejected", "redirected", "interrupted"] as const) {
      assert.equal(exitOf(verdict, escalation.to, escalation), exit, `${cause} from ${from}`);
    }
  }
});

test("without a stop the exit is that of the verdict, and of an accepted one that of where it leads", () => {
  const exits: readonly (readonly [Verdict, Phase, Decision["exit_name"]])[] = [
    ["interrupted", "implement", "paused"],
    ["rejected", "implement", "rejected"],
    ["no_progress", "implement", "no_progress"],
    ["unavailable", "implement", "unavailable"],
    ["redirected", "repair", "ok"],
    ["accepted", "verify", "ok"],
    ["accepted", "done", "ok"],
    ["accepted", "blocked", "blocked"],
    ["accepted", "needs_user_decision", "needs_user_decision"],
  ];
  for (const [verdict, to, exit] of exits) assert.equal(exitOf(verdict, to, null), exit, `${verdict} ${to}`);
});

test("three timeouts in a row stop the task, and the newest says whose it was", () => {
  const told = (timeouts_in_row: number, role?: string) => {
    const end = { kind: "timed_out", timeout_ms: 1, ...(role === undefined ? {} : { role }) } as const;
    const input: EscalationInput = {
      ...{ verdict: "unavailable", from: "implement", landing: "implement", reasons: [], failure: null },
      facts: facts({ end, history: counts({ timeouts_in_row }) }),
      policy: policy(),
      proposal: proposal("implement"),
    };
    return findEscalation(input)?.blockers.replace(/\. What a person can do.*/, "") ?? null;
  };
  assert.deepEqual(
    [told(1), told(2), told(2, "tests")],
    [
      null,
      "Stopped by task-phase: the model timed out 3 times in a row",
      "Stopped by task-phase: 3 passes in a row timed out, the newest in reviewer tests, before the model was called",
    ],
  );
});
