import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { honestTask, taskAt } from "../history/honest-task.ts";
import { taskFiles } from "../queue/views/branch-world.ts";
import { makeGitWorld } from "./git-world.ts";

const now = new Date("2026-11-21T12:00:00.000Z");

function makeGit(t: TestContext) {
  const task = honestTask();
  const first = { ...taskFiles(task, "T-1-one", "T-1"), ...taskFiles(taskAt("done"), "T-2", "T-2") };
  task.pass("shape");
  const commits = [{ files: first }, { files: taskFiles(task, "T-1-one", "T-1") }];
  const { world } = makeGitWorld(t, commits, { "refs/heads/main": 0, "refs/heads/task-phase/T-1": 1 });
  const board = (...args: string[]) => world.call("task-phase", ["board", ...args], { now });
  return { world, board };
}

test("board --git writes both files into the folder that --out names, and nothing if they say the same", async (t) => {
  const { world, board } = makeGit(t);
  const end = await board("--git", "bare.git", "--out", "public/tasks", "--json");
  const { board: files, tasks, by_phase, changed } = end.json() as Record<string, unknown>;
  assert.deepEqual([end.code, tasks, by_phase, changed], [0, 2, { shape: 1, done: 1 }, true]);
  assert.deepEqual(files, {
    markdown: world.path("public/tasks/BOARD.md"),
    page: world.path("public/tasks/index.html"),
  });
  const text = world.read("public/tasks/BOARD.md");
  assert.match(text, /^# Board: bare$/m);
  assert.match(text, /T-1: Round half up\*\* · ready, shape/);
  // No file lies beside it, so nothing is linked.
  assert.doesNotMatch(text + world.read("public/tasks/index.html"), /STATE\.md|EVIDENCE\.md|task-phase-branches/);
  assert.equal((await board("--git", "bare.git", "--out", "public/tasks", "--json")).json().changed, false);
});

test("a file in the place of the board, a link and a file in the place of the folder are left alone", async (t) => {
  const { world, board } = makeGit(t);
  world.write("mine/BOARD.md", "my own\n");
  mkdirSync(world.path("linked"));
  symlinkSync("/etc/hostname", world.path("linked/index.html"));
  world.write("file", "x");
  for (const [out, code, finding] of [
    ["mine", 65, "TP_BOARD_FOREIGN"],
    ["linked", 65, "TP_BOARD_PLACE"],
    ["file", 64, "TP_USAGE_OUT"],
  ] as const) {
    const end = await board("--git", "bare.git", "--out", out, "--json");
    assert.deepEqual([end.code, (end.json() as { findings: { code: string }[] }).findings[0]?.code], [code, finding]);
  }
  assert.equal(world.read("mine/BOARD.md"), "my own\n");
  assert.equal(world.exists("linked/BOARD.md"), false);
});

test("--git and --out come together", async (t) => {
  const { board } = makeGit(t);
  for (const args of [
    ["--git", "bare.git"],
    ["--out", "public"],
  ]) {
    const { code, stderr } = await board(...args);
    assert.deepEqual([code, /TP_USAGE_OUT/.test(stderr)], [64, true]);
  }
});
