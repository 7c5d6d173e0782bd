import assert from "node:assert/strict";
import { test } from "node:test";
import { type EscalationInput, findEscalation } from "../../lib/machine/find-escalation.ts";
import { counts, facts, policy, proposal } from "./arrange.ts";

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
