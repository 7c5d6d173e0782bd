import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, rmSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { projectRoot } from "../cli/arrange.ts";
import { assertAccepted, type MatrixCase, type MatrixWorld, makeMatrixWorld } from "../cli/matrix-world.ts";
import { stateFile } from "../cli/task-states.ts";

const nodeTest = 'import test from "node:test";\nimport assert from "node:assert/strict";\n';
const checks = "validators: [{ name: tests, command: [node, --test], timeout: 30s }]";
const repo = {
  "src/slug.mjs": "export const slug = (text) => text;\n",
  "test/slug.test.mjs": `${nodeTest}import { slug } from "../src/slug.mjs";\ntest("slug", () => assert.equal(slug("a b"), "a-b"));\n`,
};
const work = 'export const slug = (text) => text.replaceAll(" ", "-");';

/** A task in the repo that it is about, with these lines in task-phase.yaml. */
async function begin(world: MatrixWorld, name: string, config: string): Promise<MatrixCase> {
  const task = await world.begin(name, { repo, contract: [checks] });
  const file = `cases/${name}/tasks/task-phase.yaml`;
  world.write(file, `${config}\n${world.read(file)}`);
  return task;
}

/** One pass in a process of its own, which something kills. */
async function runKilled(world: MatrixWorld, task: MatrixCase, env: Readonly<Record<string, string>> = {}) {
  const words = [path.join(projectRoot, "bin", "task-phase-run"), "--task-dir", task.taskDir];
  const run = spawn(process.execPath, words, { env: { ...world.env, ...env }, stdio: "ignore" });
  const [, signal] = await once(run, "exit");
  assert.equal(signal, "SIGKILL");
}

/** Whether the checks pass in a clone of what is committed. */
function assertCloned(world: MatrixWorld, task: MatrixCase): void {
  const clone = world.path("clone");
  rmSync(clone, { recursive: true, force: true });
  execFileSync("git", ["clone", "--quiet", world.path(task.repo), clone], { env: world.env });
  execFileSync(process.execPath, ["--test"], { cwd: clone, env: { PATH: world.env.PATH }, stdio: "ignore" });
}

for (const commits of ["pass", "task"] as const) {
  test(`work of a killed pass is in the commit of done, with commits: ${commits}`, async (t) => {
    const world = makeMatrixWorld(t);
    const task = await begin(world, "killed", `checkpoint: commit\ncommits: ${commits}`);
    const flag = world.path("killed-once");
    task.agentFirst(
      `test -e ${flag} || { touch ${flag}; printf '%s\\n' '${work}' > src/slug.mjs; kill -9 "$PPID"; sleep 5; }`,
    );
    await runKilled(world, task);
    assert.equal(world.read(`${task.repo}/src/slug.mjs`), `${work}\n`);
    assertAccepted(await task.finish({}), "done");
    assert.equal(task.last().proof?.grade, "shown");
    assertCloned(world, task);
    await task.assertChecked();
  });
}

for (const commits of ["pass", "task"] as const) {
  test(`a runner that is killed before the commit of done makes it in the next run, with commits: ${commits}`, async (t) => {
    const world = makeMatrixWorld(t);
    const task = await begin(world, "late", `checkpoint: commit\ncommits: ${commits}`);
    git(world, "cases/late/tasks", "init", "--quiet", "--initial-branch=main");
    for (const to of ["verify", "review"] as const) assertAccepted(await task.step(to, { "src/slug.mjs": work }), to);
    const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    const wrapper = world.write(
      "bin/git",
      `#!/bin/sh\ncase "$GIT_INDEX_FILE" in */git-work/commit-*) kill -9 "$PPID"; sleep 5;; esac\nexec ${real} "$@"\n`,
    );
    chmodSync(wrapper, 0o755);
    task.propose({ task: { "STATE.md": stateFile({ phase: "done" }) } });
    await runKilled(world, task, { PATH: `${world.path("bin")}:${world.env.PATH}` });
    assert.equal(task.last().to, "done");
    const report = await task.pass();
    assert.deepEqual([report.verdict, report.exit_code], [null, 0], report.reason);
    assertCloned(world, task);
    assert.match(git(world, "cases/late/tasks", "log", "-1", "--format=%B"), /Task-Phase-Pass: 3\n/);
    const commit = git(world, "cases/late/tasks", "rev-parse", "HEAD");
    await task.pass();
    assert.equal(git(world, "cases/late/tasks", "rev-parse", "HEAD"), commit);
    await task.assertChecked();
  });
}

function git(world: MatrixWorld, folder: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd: world.path(folder), encoding: "utf8", env: world.env });
}
