import assert from "node:assert/strict";
import { test } from "node:test";
import { makeWorld } from "./arrange.ts";

test("a branch with the name of a task that it does not hold is an error of every command on it", async (t) => {
  const world = makeWorld(t);
  world.initRepo({ "package.json": '{ "scripts": { "test": "true" } }' });
  await world.call("task-phase", ["init", "Round"], { cwd: "repo" });
  world.git("repo", "branch", "task-phase/T-1");
  const readers = [["status"], ["check"], ["check", "T-1"], ["show", "T-1"], ["run", "T-1"]];
  const writers = [
    ["answer", "T-1", "Q1", "yes"],
    ["resume", "T-1"],
    ["cancel", "T-1"],
  ];
  for (const words of [...readers, ...writers]) {
    const end = await world.call("task-phase", [...words, "--json"], { cwd: "repo" });
    const findings = end.json().findings as { readonly code: string }[];
    assert.deepEqual([end.code, findings.map(({ code }) => code)], [78, ["TP_TASK_BRANCH"]], words.join(" "));
  }
});
