import assert from "node:assert/strict";
import { test } from "node:test";
import { placeOf } from "../../lib/anchor/task-place.ts";
import { resumeCommand, startsJournal } from "../../lib/people/resume-command.ts";

test("a folder whose name a shell would split is quoted", () => {
  assert.equal(
    resumeCommand(placeOf("/x y/it's"), "intake"),
    `task-phase resume --task-dir '/x y/it'\\''s' --to intake --reason "..."`,
  );
  assert.equal(
    resumeCommand(placeOf("/x/T-1"), "PHASE"),
    'task-phase resume --task-dir /x/T-1 --to PHASE --reason "..."',
  );
});

test("a journal is started in the phase of STATE.md, or in intake if no pass works in it", () => {
  const place = placeOf("/x/T-1");
  const start = (phase: string) =>
    `set Phase to intake, or start a journal with: task-phase resume --task-dir /x/T-1 --to ${phase} --reason "..."`;
  assert.deepEqual([startsJournal(place, "verify"), startsJournal(place, "done")], [start("verify"), start("intake")]);
});
