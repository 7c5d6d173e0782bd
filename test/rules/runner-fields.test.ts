import assert from "node:assert/strict";
import { test } from "node:test";
import type { Phase } from "../../lib/rules/phases.ts";
import { afterVerdict, readRunnerFields, reopenedFields } from "../../lib/rules/runner-fields.ts";
import { checkRun, failing, stateAt } from "./arrange.ts";

const passed = { validator_status: "pass", repair_applied: "yes", revalidation_status: "pass" } as const;

test("entry to verify makes Validator status pending until the checks ran", () => {
  assert.deepEqual(afterVerdict(stateAt("implement", passed), "verify", null), {
    ...passed,
    validator_status: "pending",
  });
  assert.deepEqual(afterVerdict(stateAt("verify", passed), "verify", null), passed);
});

test("repair → verify sets Repair applied yes and Revalidation status pending", () => {
  assert.deepEqual(afterVerdict(stateAt("repair", { validator_status: "fail" }), "verify", null), {
    validator_status: "pending",
    repair_applied: "yes",
    revalidation_status: "pending",
  });
});

test("checks that ran set Validator status, and Revalidation status where a repair was applied", () => {
  assert.deepEqual(afterVerdict(stateAt("verify"), "review", checkRun()), {
    validator_status: "pass",
    repair_applied: "no",
    revalidation_status: "pending",
  });
  assert.deepEqual(afterVerdict(stateAt("verify", { repair_applied: "yes" }), "review", checkRun()), passed);
  assert.deepEqual(afterVerdict(stateAt("verify", { repair_applied: "yes" }), "repair", checkRun([failing()])), {
    validator_status: "fail",
    repair_applied: "yes",
    revalidation_status: "fail",
  });
});

for (const to of [
  "shape",
  "implement",
  "review",
  "repair",
  "done",
  "blocked",
  "needs_user_decision",
] satisfies Phase[]) {
  test(`a move to ${to} without checks keeps the runner's fields`, () => {
    assert.deepEqual(afterVerdict(stateAt("review", passed), to, null), passed);
  });
}

test("a word that is none of the runner's is read as the start value", () => {
  assert.deepEqual(
    readRunnerFields(
      stateAt("verify", { validator_status: "green", repair_applied: "maybe", revalidation_status: "fail" }),
    ),
    { validator_status: "pending", repair_applied: "no", revalidation_status: "fail" },
  );
});

test("a task that was opened again starts with nothing proven", () => {
  assert.deepEqual(reopenedFields, {
    validator_status: "pending",
    repair_applied: "no",
    revalidation_status: "pending",
  });
});
