import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { makeLoopWorld } from "../cli/loop-world.ts";

const mode = (checkpoint: string) => `checkpoint: ${checkpoint}\n`;

async function makeGitWorld(t: Parameters<typeof makeLoopWorld>[0], checkpoint: string) {
  const world = await makeLoopWorld(t, { "T-1": {} }, mode(checkpoint));
  const repo = "repos/T-1";
  const git = (...args: string[]) => world.git(repo, ...args);
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=start");
  return { ...world, inRepo: git };
}

test("each pass leaves a patch of what it changed, and by default no commit", async (t) => {
  const world = await makeGitWorld(t, "patch");
  await world.loop("--max-passes", "3");
  const patch = world.read("tasks/T-1/artifacts/passes/0003/changes.patch");
  assert.match(patch, /^diff --git a\/work.txt b\/work.txt$/m);
  assert.match(patch, /^\+work of pass 3$/m);
  assert.equal(world.exists("tasks/T-1/artifacts/passes/0001/changes.patch"), false);
  assert.equal(world.inRepo("log", "--format=%s"), "start\n");
});

test("checkpoint: commit commits what each pass changed, with the transition in the subject", async (t) => {
  const world = await makeGitWorld(t, "commit");
  world.write("repos/T-1/mine.txt", "a person's, not committed\n");
  const report = await world.loop();
  assert.equal(report.exit_code, 0);
  assert.equal(world.inRepo("log", "--format=%s"), "task-phase: T-1 implement → verify (accepted, pass 3)\nstart\n");
  assert.equal(world.inRepo("show", "--format=", "--name-only", "HEAD"), "work.txt\n");
  assert.equal(world.inRepo("status", "--porcelain"), "?? mine.txt\n");
  const checkpoint = JSON.parse(world.read("tasks/T-1/artifacts/checkpoint.json"));
  assert.deepEqual(checkpoint.git_commits, [world.inRepo("rev-parse", "HEAD").trim()]);
});

describe("--branch", () => {
  test("makes the branch, works on it, and stays there at the next call", async (t) => {
    const world = await makeGitWorld(t, "commit");
    await world.loop("--branch", "work/night", "--max-passes", "3");
    await world.loop("--branch", "work/night", "--max-passes", "1");
    assert.equal(world.inRepo("branch", "--show-current"), "work/night\n");
    assert.equal(world.inRepo("log", "--format=%s", "main"), "start\n");
  });

  test("is refused on uncommitted changes, before any pass", async (t) => {
    const world = await makeGitWorld(t, "patch");
    world.write("repos/T-1/work.txt", "changed\n");
    const report = await world.loop("--branch", "work/night");
    assert.deepEqual(
      [report.exit_code, report.findings.map(({ code }) => code), world.calls()],
      [64, ["TP_BRANCH_DIRTY"], []],
    );
    assert.equal(world.inRepo("branch", "--show-current"), "main\n");
  });
});

test("checkpoint: push has the branch in the remote after each pass", async (t) => {
  const world = await makeGitWorld(t, "push");
  execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", world.path("remote.git")], {
    env: world.env,
  });
  world.inRepo("remote", "add", "origin", world.path("remote.git"));
  world.inRepo("push", "--quiet", "--set-upstream", "origin", "main");
  const report = await world.loop("--max-passes", "3");
  assert.deepEqual(
    report.findings.filter(({ severity }) => severity !== "info"),
    [],
  );
  assert.match(world.git("remote.git", "log", "--format=%s", "main"), /implement → verify \(accepted, pass 3\)/);
  assert.equal(readFileSync(world.path("repos/T-1/work.txt"), "utf8"), "first\nwork of pass 3\n");
});

test("a stop outside a pass is committed too, so that a git host shows why", async (t) => {
  const world = await makeLoopWorld(t, { "T-1": { contract: ["budget: { passes: 1 }"] } }, mode("commit"));
  world.git("tasks", "init", "--quiet", "--initial-branch=main");
  world.git("tasks", "add", "--all");
  world.git("tasks", "commit", "--quiet", "--message=start");
  const report = await world.loop("--task-dir", world.path("tasks/T-1"));
  assert.deepEqual([report.exit_code, world.phase("T-1")], [3, "blocked"]);
  assert.equal(
    world.git("tasks", "log", "--format=%s"),
    [
      "task-phase: T-1 shape → blocked (stopped, pass 1)",
      "task-phase: T-1 intake → shape (accepted, pass 1)",
      "start\n",
    ].join("\n"),
  );
  assert.match(world.git("tasks", "show", "HEAD:T-1/STATE.md"), /^- Blockers: Stopped by task-phase: the one pass/m);
  assert.equal(world.git("tasks", "status", "--porcelain", "T-1"), "");
});
