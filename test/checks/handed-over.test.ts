import assert from "node:assert/strict";
import { test } from "node:test";
import { filterHandedOver, listHandedOver } from "../../lib/checks/handed-over.ts";
import { makeWorld } from "../cli/arrange.ts";
import { briefFile } from "../cli/brief-file.ts";
import { stateFile } from "../cli/task-states.ts";

test("a task whose journal is damaged hands nothing over, and stops no other", (t) => {
  const world = makeWorld(t);
  world.write("tasks/T-1/README.md", briefFile(["id: T-1", "title: One", "repo: ../../repo", "validators: []"], "One"));
  world.write("tasks/T-1/STATE.md", stateFile({ phase: "intake" }));
  world.write("tasks/T-1/artifacts/journal.jsonl", "no event\n");
  const ports = { env: world.env, home: world.path("home") };
  assert.deepEqual([...listHandedOver({ tasksRoot: world.path("tasks"), name: "T-2" }, ports)], []);
});

test("a file whose bytes differ from those that a task handed over is not that task's", () => {
  const handed = new Map([
    ["a", [{ entry: "file 644 1", task: "T-1" }]],
    ["b", [{ entry: "file 644 2", task: "T-1" }]],
    ["c", [{ entry: "gone", task: "T-1" }]],
  ]);
  const entries = new Map([
    ["a", "file 664 1"],
    ["b", "file 644 3"],
    ["d", "file 644 4"],
  ]);
  const kept = filterHandedOver(handed, ["a", "b", "c", "d"], entries);
  assert.deepEqual(
    [[...kept.paths], kept.tasks],
    [
      ["a", "c"],
      ["T-1", "T-1"],
    ],
  );
});
