import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { makeLoopWorld } from "./loop-world.ts";

test("the page shows the diff of the whole task from its patch, and is rebuilt to the same bytes", async (t) => {
  const world = await makeLoopWorld(t, { "T-1": {} }, "checkpoint: commit\n");
  const git = (...args: string[]) => world.git("repos/T-1", ...args);
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=start");
  world.write("repos/T-1/mine.txt", "a person's, not committed\n");
  const report = await world.loop();
  assert.equal(report.exit_code, 0);

  // The third pass alone changed code, and what it changed is committed by now.
  const patch = world.read("tasks/T-1/artifacts/passes/0003/task.patch");
  assert.deepEqual(patch.match(/^diff .*$/gm), ["diff --git a/work.txt b/work.txt"]);
  assert.match(patch, /^\+work of pass 3$/m);
  assert.equal(world.exists("tasks/T-1/artifacts/passes/0004/task.patch"), false);
  const page = world.read("tasks/T-1/artifacts/evidence.html");
  assert.match(page, /1 file, 1 line added, 0 removed; <a href="passes\/0003\/task\.patch">/);
  assert.match(page, /<span class="added">\+work of pass 3\n<\/span>/);
  assert.doesNotMatch(page, /mine\.txt/);
  assert.match(page, /<li><a href="passes\/0003\/task\.patch">task\.patch<\/a> patch, /);

  const rebuilt = await world.call("task-phase", ["evidence", "--task-dir", world.path("tasks/T-1")]);
  assert.equal(rebuilt.code, 0, rebuilt.stderr);
  assert.equal(world.read("tasks/T-1/artifacts/evidence.html"), page);
});

test("a SUMMARY.md of a done task that is missing or was changed is written again, and check is content", async (t) => {
  const world = await makeLoopWorld(t, { "T-1": {} });
  assert.equal((await world.loop()).exit_code, 0);
  const file = "tasks/T-1/SUMMARY.md";
  const report = world.read(file);
  for (const change of [() => rmSync(world.path(file)), () => world.write(file, "# All is well\n")]) {
    change();
    const rebuilt = await world.call("task-phase", ["evidence", "--task-dir", world.path("tasks/T-1")]);
    assert.equal(rebuilt.code, 0, rebuilt.stderr);
    assert.equal(world.read(file), report);
    const check = await world.call("task-phase", ["check", "--json", "--task-dir", world.path("tasks/T-1")]);
    assert.deepEqual([check.code, check.json().findings], [0, []]);
  }
});

test("a task that is not done gets no SUMMARY.md", async (t) => {
  const world = await makeLoopWorld(t, { "T-1": {} });
  await world.loop("--max-passes", "1");
  const rebuilt = await world.call("task-phase", ["evidence", "--task-dir", world.path("tasks/T-1")]);
  assert.equal(rebuilt.code, 0, rebuilt.stderr);
  assert.equal(world.exists("tasks/T-1/SUMMARY.md"), false);
});
