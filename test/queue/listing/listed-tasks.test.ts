import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyList, type FailedRow, type Row } from "../../../lib/queue/listing/list-root.ts";
import { noHistory } from "../../../lib/queue/listing/listed-files.ts";
import { listedTasks } from "../../../lib/queue/listing/listed-tasks.ts";
import type { Phase } from "../../../lib/rules/phases.ts";

function read(name: string, id: string, phase: Phase | null = null, dependsOn: readonly string[] = []): Row {
  const files = { brief: { id, dependsOn }, history: { ...noHistory, phase } };
  return { kind: "read", name, files, anchor: "", present: 0 } as unknown as Row;
}

function failed(name: string, id: string | null, more: Partial<FailedRow> = {}): Row {
  const needed = id === null ? null : { id, dependsOn: [] };
  return { kind: "failed", name, error: null, told: null, needed, isDone: () => false, ...more };
}

const list = (...rows: Row[]) => listedTasks({ ...emptyList("/tasks"), rows });

test("a task is found by its id with what it needs, also if its files cannot be read", () => {
  const tasks = list(read("one", "T-1", null, ["T-2"]), failed("two", "T-2"), failed("three", null));
  assert.deepEqual(tasks.find("T-1"), [{ id: "T-1", dependsOn: ["T-2"], folder: "/tasks/one" }]);
  assert.deepEqual(tasks.find("T-2"), [{ id: "T-2", dependsOn: [], folder: "/tasks/two" }]);
  assert.deepEqual([tasks.find("T-3"), tasks.ids()], [[], ["T-1", "T-2"]]);
});

test("folders that share an id are all found, and none of them is alone", () => {
  const tasks = list(read("a", "T-1"), read("b", "T-1"), failed("c", "T-1"), read("d", "T-2"));
  assert.deepEqual(
    tasks.find("T-1").map(({ folder }) => folder),
    ["/tasks/a", "/tasks/b", "/tasks/c"],
  );
  assert.deepEqual(
    [
      tasks.isAlone?.("T-1", "a"),
      tasks.isAlone?.("T-2", "d"),
      tasks.isAlone?.("T-2", "x"),
      tasks.isAlone?.("T-3", "x"),
    ],
    [false, true, false, false],
  );
});

test("a task is done by its journal, which is looked at once where the row could not be read", () => {
  const looked: string[] = [];
  const isDone: FailedRow["isDone"] = ({ taskDir }) => looked.push(taskDir) > 0;
  const tasks = list(read("a", "T-1", "done"), read("b", "T-2", "verify"), failed("c", "T-3", { isDone }));
  const done = (name: string) => tasks.isDone(`/tasks/${name}`);
  assert.deepEqual(["a", "b", "c", "c", "none"].map(done), [true, false, true, true, false]);
  assert.deepEqual(looked, ["/tasks/c"]);
});

test("a task that could not be read, or has no verdict, is not proven", () => {
  const tasks = list(read("a", "T-1", "done"), failed("b", "T-2", { isDone: () => true }));
  assert.deepEqual(
    ["a", "b", "none"].map((name) => tasks.isProven(`/tasks/${name}`)),
    [false, false, false],
  );
});
