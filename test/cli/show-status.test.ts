import assert from "node:assert/strict";
import { test } from "node:test";
import { renderNext } from "../../lib/cli/show-status.ts";
import { toListedHistory } from "../../lib/queue/listing/listed-files.ts";
import { emptyHistory } from "../../lib/rules/history.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import { placeOf } from "../../lib/task/records/task-place.ts";

const stopped = (standing: "stuck" | "blocked", phase: Phase, stoppedIn: Phase | null) => ({
  standing,
  phase,
  asked: [],
  facts: { briefEdited: false },
  id: "T-1",
  place: placeOf("/w/tasks/T-1-x"),
  history: toListedHistory({ ...emptyHistory, phase, stoppedIn }),
});

test("the next step of a stopped task is the whole command that lets it continue where it stopped", () => {
  for (const [task, to] of [
    [stopped("stuck", "needs_user_decision", "verify"), "verify"],
    // The runner holds it in intake.
    [stopped("blocked", "intake", null), "intake"],
    [stopped("blocked", "blocked", null), "PHASE"],
  ] as const)
    assert.equal(renderNext(null, [task]), `next: task-phase resume T-1 --to ${to} --reason TEXT`);
});

test("tasks whose brief was edited once they were done are named, with the command that opens them again", () => {
  const done = { ...stopped("blocked", "done", null), standing: "done" } as const;
  assert.equal(renderNext(null, [done]), "next: every task is done");
  assert.equal(
    renderNext(null, [done, { ...done, id: "T-2", facts: { briefEdited: true } }]),
    "next: every task is done; if the edited brief of T-2 asks for more: task-phase resume T-2 --to intake --reason TEXT",
  );
});
