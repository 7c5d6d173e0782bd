import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { locateTask, placeIn, placeOf, type TaskPlace } from "../../../lib/task/records/task-place.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { makeFolder } from "../../process/arrange.ts";
import { findingOf } from "./finding-of.ts";

test("a task folder that is not there: the one of that root whose name is near, else how to make it", (t) => {
  const root = makeFolder(t);
  for (const name of ["T-1-sum up", "T-22-notes"]) mkdirSync(join(root, name));
  writeFileSync(join(root, "T-1-sum up", "STATE.md"), "");
  const fixOf = (named: string) => {
    try {
      return locateTask(named, root);
    } catch (error) {
      assert.ok(error instanceof TaskPhaseError);
      return error.findings[0]?.fix;
    }
  };
  assert.equal(fixOf("T-1-sim-up"), `did you mean '${root}/T-1-sum up'? Else task-phase init T-1-sim-up makes it`);
  assert.equal(fixOf("T-22-note"), "task-phase init T-22-note makes it", "a folder without STATE.md is no task");
  assert.equal(fixOf("a b/T-1"), "task-phase init 'a b/T-1' makes it");
});

test("a task folder that is a link to nothing is said to be one, and no other task is offered", (t) => {
  const root = makeFolder(t);
  mkdirSync(join(root, "T-1-sum"));
  writeFileSync(join(root, "T-1-sum", "STATE.md"), "");
  symlinkSync("../gone", join(root, "T-1-sub"));
  assert.throws(
    () => locateTask("T-1-sub", root),
    (error) => {
      assert.ok(error instanceof TaskPhaseError);
      const { code, message, file, fix } = error.findings[0] ?? {};
      assert.deepEqual(
        [code, message, file, fix],
        [
          "TP_TASK_DIR",
          "the task folder is a symbolic link to ../gone, and nothing is there",
          join(root, "T-1-sub"),
          "remove the link, or let it lead to the task folder",
        ],
      );
      return true;
    },
  );
});

test("a task folder that is named wrongly says what to type; a known one may be gone", (t) => {
  const folder = makeFolder(t);
  writeFileSync(join(folder, "file"), "");
  const real = locateTask(".", folder).taskDir;
  assert.equal(locateTask("T-1", folder, () => true).taskDir, join(real, "T-1"));
  assert.deepEqual(
    [
      findingOf(() => locateTask("T-1", folder)),
      findingOf(() => locateTask("file", folder)),
      findingOf(() => locateTask("file", folder, () => true)),
      findingOf(() => locateTask("file/below", folder))?.slice(0, 2),
      findingOf(() => locateTask("no/T-1", folder, () => true)),
    ],
    [
      ["usage", "TP_TASK_DIR", "the task folder does not exist", null],
      ["usage", "TP_TASK_DIR", "the task folder is not a folder", null],
      ["usage", "TP_TASK_DIR", "the task folder is not a folder", null],
      ["usage", "TP_TASK_DIR"],
      ["usage", "TP_TASK_DIR", "the task folder does not exist", null],
    ],
  );
});

test("each file of a task has its place, by the folder or by the name in its root", () => {
  const places = {
    ...{ taskDir: "/w/tasks/T-1", tasksRoot: "/w/tasks", name: "T-1", runtime: "/w/tasks/.task-phase" },
    ...{ readme: "/w/tasks/T-1/README.md", state: "/w/tasks/T-1/STATE.md", steps: "/w/tasks/T-1/TASKS.md" },
    ...{ evidence: "/w/tasks/T-1/EVIDENCE.md", decisions: "/w/tasks/T-1/DECISIONS.md" },
    ...{ control: "/w/tasks/T-1/CONTROL.md", summary: "/w/tasks/T-1/SUMMARY.md", log: "/w/tasks/T-1/log.txt" },
    ...{ lastError: "/w/tasks/T-1/last_error.txt", artifacts: "/w/tasks/T-1/artifacts" },
    ...{ journal: "/w/tasks/T-1/artifacts/journal.jsonl", checkpoint: "/w/tasks/T-1/artifacts/checkpoint.json" },
    ...{ page: "/w/tasks/T-1/artifacts/evidence.html", passes: "/w/tasks/T-1/artifacts/passes" },
    attestation: "/w/tasks/T-1/artifacts/attestation.json",
  } satisfies TaskPlace;
  const keys = Object.keys(places) as (keyof TaskPlace)[];
  for (const place of [placeOf("/w/tasks/T-1"), placeIn("/w/tasks", "T-1")])
    assert.deepEqual(Object.fromEntries(keys.map((key) => [key, place[key]])), places);
});
