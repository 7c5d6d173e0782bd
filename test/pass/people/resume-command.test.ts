import assert from "node:assert/strict";
import { test } from "node:test";
import { resumeCommand, startsJournal } from "../../../lib/pass/people/resume-command.ts";
import { placeOf } from "../../../lib/task/records/task-place.ts";

test("a folder whose name a shell would split is quoted", () => {
  assert.equal(
    resumeCommand(placeOf("/x y/it's"), "intake", null),
    `task-phase resume --task-dir '/x y/it'\\''s' --to intake --reason "..."`,
  );
  assert.equal(
    resumeCommand(placeOf("/x/T-1"), "PHASE", null),
    'task-phase resume --task-dir /x/T-1 --to PHASE --reason "..."',
  );
});

test("a journal is started in the phase of STATE.md, or in intake if no pass works in it", () => {
  const place = placeOf("/x/T-1");
  const start = (phase: string) =>
    `set Phase to intake, or start a journal with: task-phase resume --task-dir /x/T-1 --to ${phase} --reason "..."`;
  assert.deepEqual(
    [startsJournal(place, "verify", null), startsJournal(place, "done", null)],
    [start("verify"), start("intake")],
  );
});

test("for a claimed pass it is a command for a clone of the remote, since the clone of the pass is removed", () => {
  assert.equal(
    resumeCommand(placeOf("/cache/clones/1/T-1/tasks/T-1"), "intake", { branch: "agents/T-1", folder: "tasks/T-1" }),
    'git switch agents/T-1 && task-phase resume --task-dir tasks/T-1 --to intake --reason "..." (in a clone of the remote; then commit and push)',
  );
});
