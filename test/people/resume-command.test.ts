import assert from "node:assert/strict";
import { test } from "node:test";
import { placeOf } from "../../lib/anchor/task-place.ts";
import { resumeCommand } from "../../lib/people/resume-command.ts";

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
