import assert from "node:assert/strict";
import { test } from "node:test";
import type { EscalationCause } from "../../lib/rules/decision.ts";
import { type EscalationInput, escalate, findEscalation } from "../../lib/rules/escalate.ts";
import { workingPhases } from "../../lib/rules/phases.ts";
import { counts, facts, policy, proposal } from "./arrange.ts";

const causes: readonly EscalationCause[] = ["stuck", "no_progress", "repairs", "passes", "money", "timeouts"];
for (const cause of causes) {
  test(`${cause} goes to blocked where the table allows it, from review to a question, and keeps intake`, () => {
    assert.deepEqual(Object.fromEntries(workingPhases.map((from) => [from, escalate(cause, from, "it happened").to])), {
      intake: "intake",
      shape: "blocked",
      implement: "blocked",
      verify: "blocked",
      review: "needs_user_decision",
      repair: "blocked",
    });
  });
}

test("missing validators need a decision wherever the table allows one", () => {
  assert.deepEqual(
    workingPhases.map((from) => escalate("no_validators", from, "none").to),
    ["intake", ...Array<string>(5).fill("needs_user_decision")],
  );
});

test("Blockers say in one line what happened and what a person can do", () => {
  assert.deepEqual(escalate("timeouts", "implement", "the model timed out\n3 times in a row"), {
    cause: "timeouts",
    to: "blocked",
    blockers:
      "Stopped by task-phase: the model timed out 3 times in a row. What a person can do: raise the model's `timeout` or make the next step smaller, then `task-phase resume TASK --to implement --reason TEXT`.",
    question: null,
  });
});

test("a move to needs_user_decision brings the question, which names the key to change", () => {
  assert.deepEqual(escalate("no_validators", "review", "the contract has no required validator"), {
    cause: "no_validators",
    to: "needs_user_decision",
    blockers:
      "Stopped by task-phase: the contract has no required validator. What a person can do: add at least one command under `validators` in the front matter of README.md, then answer the question in DECISIONS.md.",
    question:
      "the contract has no required validator. How should the task continue? Add at least one command under `validators` in the front matter of README.md, then answer the question in DECISIONS.md.",
  });
});

test("in intake, which keeps its phase, a person is given the command that goes on", () => {
  const { to, blockers, question } = escalate("no_progress", "intake", "3 passes moved nothing");
  assert.equal(to, "intake");
  assert.match(blockers, /then `task-phase resume TASK --to intake --reason TEXT`\.$/);
  assert.equal(question, null);
});

test("spent budgets name their key in the brief", () => {
  assert.match(escalate("passes", "verify", "spent").blockers, /`budget\.passes`/);
  assert.match(escalate("repairs", "verify", "spent").blockers, /DEFERRED\.md.*`budget\.repairs`/);
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
