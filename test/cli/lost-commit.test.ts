import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { makeLoopWorld } from "./loop-world.ts";

test("check and status name a commit of a task that is done, and that the repository does not have", async (t) => {
  const world = await makeLoopWorld(t, { A: {} }, "checkpoint: commit\n");
  const git = (...args: string[]) => world.git("repos/A", ...args);
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=start");
  assert.equal((await world.loop()).exit_code, 0);
  const told = async (command: string) => {
    const end = await world.call("task-phase", [command, "--task-dir", world.path("tasks/A"), "--json"]);
    const findings = end.json().findings as readonly { severity: string; code: string; message: string }[];
    const lost = findings.filter(({ code }) => code === "TP_COMMIT_LOST");
    return [end.code, ...lost.map(({ severity, message }) => `${severity}: ${message}`)];
  };
  const both = async () => [await told("check"), await told("status")];
  assert.deepEqual(await both(), [[0], [0]]);

  // As a power cut leaves a branch whose file was not on the disk yet.
  const branch = world.path("repos/A/.git/refs/heads/main");
  const tip = world.read("repos/A/.git/refs/heads/main");
  writeFileSync(branch, "");
  const headless = `warning: the task is done, but HEAD of ${world.path("repos/A")} names no commit`;
  assert.deepEqual(await both(), [
    [0, headless],
    [0, headless],
  ]);
  writeFileSync(branch, tip);
  git("commit", "--quiet", "--allow-empty", "--message=more");
  const journal = world.read("tasks/A/artifacts/journal.jsonl").trimEnd().split("\n");
  const { code } = JSON.parse(journal.at(-1) ?? "") as { code: { commit: string } };
  rmSync(world.path("repos/A/.git/objects", code.commit.slice(0, 2), code.commit.slice(2)));
  const gone = `warning: the task is done, but the commit ${code.commit.slice(0, 12)} of its verdict is not in ${world.path("repos/A")}`;
  assert.deepEqual(await both(), [
    [0, gone],
    [0, gone],
  ]);
  writeFileSync(world.path("repos/A/.git/shallow"), tip);
  assert.deepEqual(await both(), [[0], [0]]);
});

test("after a squash merge the runner does not take the last pass for one that was never committed", async (t) => {
  const world = await makeLoopWorld(t, { A: {} }, "checkpoint: commit\n");
  const git = (...args: string[]) => world.git(".", ...args);
  const ended = async () => {
    const end = await world.call("task-phase", ["run", "--json", "--task-dir", world.path("tasks/A")]);
    const findings = end.json().findings as readonly { code: string; message: string }[];
    return [end.code, ...findings.map(({ code, message }) => `${code} ${message}`)];
  };
  git("init", "--quiet", "--initial-branch=main");
  git("add", "tasks", "repos");
  git("commit", "--quiet", "--message=start");
  git("checkout", "--quiet", "-b", "work");
  assert.equal((await world.loop()).exit_code, 0);
  git("checkout", "--quiet", "main");
  git("merge", "--quiet", "--squash", "work");
  git("commit", "--quiet", "--message=squashed");
  world.write("repos/A/later.txt", "later\n");
  git("add", "repos");
  git("commit", "--quiet", "--message=later");
  assert.deepEqual(await ended(), [0]);

  // The journal of the last pass was killed before its commit.
  git("checkout", "--quiet", "work~1", "--", "tasks/A/artifacts/journal.jsonl");
  git("commit", "--quiet", "--message=without the last pass");
  git("checkout", "--quiet", "work", "--", "tasks/A/artifacts/journal.jsonl");
  const [code, told] = await ended();
  assert.equal(code, 0);
  assert.match(
    String(told),
    /^TP_UNFINISHED HEAD has no commit of pass \d, and the code is no longer what was proven$/,
  );

  // Somebody committed the folder of the task, and the last pass was killed before it committed the work.
  git("checkout", "--quiet", "--force", "-B", "main", "main~3");
  git("checkout", "--quiet", "work", "--", "tasks");
  git("commit", "--quiet", "--message=the folder alone");
  git("checkout", "--quiet", "work", "--", "repos");
  git("reset", "--quiet");
  assert.deepEqual(await ended(), [0]);
  assert.match(git("log", "-1", "--format=%s"), /review → done/);
  git("diff", "--exit-code", "work", "--", "repos");
});
