import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, renameSync, rmSync } from "node:fs";
import { test } from "node:test";
import { assertAccepted, type MatrixCase, type MatrixWorld, makeMatrixWorld } from "../cli/matrix-world.ts";
import { stateFile } from "../cli/task-states.ts";
import type { Report } from "../cli/task-world.ts";

const nodeTest = 'import test from "node:test";\nimport assert from "node:assert/strict";\n';
const checks = "validators: [{ name: tests, command: [node, --test], timeout: 30s }]";
const repo = {
  "src/slug.mjs": "export const slug = (text) => text;\n",
  "src/other.mjs": "export {};\n",
  "test/slug.test.mjs": `${nodeTest}import { slug } from "../src/slug.mjs";\ntest("slug", () => assert.equal(slug("a b"), "a-b"));\n`,
  ".gitattributes": "*.mjs text eol=lf\n",
};
/** Git stores other line endings than these. */
const work = { "src/slug.mjs": 'export const slug = (text) => text.replaceAll(" ", "-");\r\n' };

const person = ["-c", "user.name=A Person", "-c", "user.email=person@example.test"];

function git(world: MatrixWorld, folder: string, ...args: string[]): string {
  return execFileSync("git", [...person, ...args], { cwd: world.path(folder), encoding: "utf8", env: world.env });
}

/** A task whose repo is pushed to `remote.git` after each pass. */
async function begin(world: MatrixWorld, name: string): Promise<MatrixCase & { readonly remote: string }> {
  const task = await world.begin(name, { repo, contract: [checks] });
  const remote = `cases/${name}/remote.git`;
  execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", world.path(remote)], { env: world.env });
  git(world, task.repo, "remote", "add", "origin", world.path(remote));
  git(world, task.repo, "push", "--quiet", "--set-upstream", "origin", "HEAD:main");
  git(world, task.repo, "branch", "--quiet", "-M", "main");
  const config = `cases/${name}/tasks/task-phase.yaml`;
  world.write(config, `checkpoint: push\n${world.read(config)}`);
  return { ...task, remote };
}

test("the proven work is pushed, and passes its checks in a clone", async (t) => {
  const world = makeMatrixWorld(t);
  const task = await begin(world, "pushed");
  // A draft of a person is in nobody's way, and goes nowhere.
  world.write(`${task.repo}/src/other.mjs`, "not even JavaScript (\n");
  const report = await task.finish(work);
  assertAccepted(report, "done");
  assert.deepEqual([report.exit_code, report.findings.filter(({ severity }) => severity !== "info")], [0, []]);
  git(world, "cases/pushed", "clone", "--quiet", "remote.git", "clone");
  const clone = "cases/pushed/clone";
  assert.equal(world.read(`${clone}/src/slug.mjs`), work["src/slug.mjs"].replaceAll("\r", ""));
  assert.equal(world.read(`${clone}/src/other.mjs`), repo["src/other.mjs"]);
  execFileSync(process.execPath, ["--test"], { cwd: world.path(clone), env: { PATH: world.env.PATH } });
  await task.assertChecked();
});

test("a commit that somebody makes in between is not pushed, and every report names its path", async (t) => {
  const world = makeMatrixWorld(t);
  const task = await begin(world, "between");
  git(world, "cases/between/tasks", "init", "--quiet", "--initial-branch=main");
  for (const to of ["verify", "review"] as const) assertAccepted(await task.step(to, work), to);
  const pushed = git(world, task.remote, "rev-parse", "main");
  // Between the proof and the runner's commit, once.
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const flag = world.path("between");
  const inRepo = `${real} -C ${world.path(task.repo)} ${person.join(" ").replaceAll("A Person", "Person")}`;
  const wrapper = world.write(
    "bin/git",
    `#!/bin/sh\ncase "$GIT_INDEX_FILE" in */git-work/commit-*)\n  if [ ! -e ${flag} ]; then\n    touch ${flag}\n    echo 'export const theirs = 1;' > ${world.path(task.repo)}/src/other.mjs\n    env -u GIT_INDEX_FILE -u GIT_OBJECT_DIRECTORY -u GIT_DIR -u GIT_WORK_TREE ${inRepo} commit --quiet --message theirs src/other.mjs\n  fi ;;\nesac\nexec ${real} "$@"\n`,
  );
  chmodSync(wrapper, 0o755);
  (world.env as Record<string, string>).PATH = `${world.path("bin")}:${world.env.PATH}`;
  const report = await task.step("done");
  assert(world.exists("between"), "the wrapper of git was never asked");
  const said =
    /^Done, but the commit [0-9a-f]{12} does not contain what was proven: src\/other\.mjs; the check passes;/;
  assert.deepEqual([report.verdict, report.to, report.exit_name], ["accepted", "done", "failure"], report.reason);
  assert.match(report.reason, said);
  assert.deepEqual(
    report.findings.filter(({ severity }) => severity === "error").map(({ code }) => code),
    ["TP_GIT_UNCHECKED"],
  );
  assert.equal(git(world, task.remote, "rev-parse", "main"), pushed);
  assert.match(task.read("EVIDENCE.md"), /\*\*Done, but the commit .* src\/other\.mjs/);
  const inState = /^- Status: done: the commit .* does not contain what was proven: src\/other/m;
  assert.match(task.read("STATE.md"), inState);
  assert.match(git(world, "cases/between/tasks", "show", "HEAD:T-1/STATE.md"), inState);
  assert.match(git(world, "cases/between/tasks", "show", "HEAD:T-1/EVIDENCE.md"), /\*\*Done, but the commit /);
  assert.match(git(world, "cases/between/tasks", "log", "-1", "--format=%s"), /done, but git does not hold it/);
  assert.match(task.read("SUMMARY.md"), /Done, but the commit .* src\/other\.mjs/);
  assert.match((await task.command("show", "--pr")).stdout, /Done, but the commit .* src\/other\.mjs/);
  assert.match(
    (await task.command("status")).stdout,
    /the commit .* does not contain what was proven: src\/other\.mjs/,
  );
  await task.assertChecked();
});

test("a task beside its code in one repository is committed with what was proven", async (t) => {
  const world = makeMatrixWorld(t);
  const task = await world.begin("one", { repo, contract: [checks] });
  rmSync(world.path(`${task.repo}/.git`), { recursive: true });
  const config = "cases/one/tasks/task-phase.yaml";
  world.write(config, `checkpoint: commit\ncommits: task\n${world.read(config)}`);
  world.write("cases/one/.gitignore", "proposals/\n.task-phase/\n");
  git(world, "cases/one", "init", "--quiet", "--initial-branch=main");
  git(world, "cases/one", "add", "--all");
  git(world, "cases/one", "commit", "--quiet", "--message", "start");
  const report = await task.finish(work);
  assertAccepted(report, "done");
  assert.deepEqual(
    [report.exit_code, report.findings.filter(({ severity }) => severity !== "info")],
    [0, []],
    report.reason,
  );
  assert.equal(git(world, "cases/one", "status", "--porcelain"), "");
  git(world, "cases/one", "clone", "--quiet", ".", "../clone");
  execFileSync(process.execPath, ["--test"], { cwd: world.path("cases/clone/repo"), env: { PATH: world.env.PATH } });
});

test("a task whose folder is in the repo is committed with the settings of its tasks root", async (t) => {
  const world = makeMatrixWorld(t);
  const task = await world.begin("inside", { repo, contract: [checks] });
  const top = "cases/inside/repo";
  renameSync(world.path("cases/inside/tasks"), world.path(`${top}/tasks`));
  const brief = `${top}/tasks/T-1/README.md`;
  world.write(brief, world.read(brief).replace("repo: ../../repo", "repo: ../.."));
  const config = `${top}/tasks/task-phase.yaml`;
  world.write(config, `checkpoint: commit\n${world.read(config)}`);
  git(world, top, "add", "--all");
  git(world, top, "commit", "--quiet", "--message", "tasks");
  const place = ["--task-dir", world.path(`${top}/tasks/T-1`)];
  for (const to of ["verify", "review", "done"] as const) {
    task.propose({ task: { "STATE.md": stateFile({ phase: to }) }, repo: work });
    const report = (await world.call("task-phase-run", [...place, "--json"])).json() as unknown as Report;
    assertAccepted(report, to);
    const errors = report.findings.filter(({ severity }) => severity === "error");
    // Nothing is proven yet when the first pass commits what git stores with other line endings.
    assert.deepEqual(
      [report.exit_code, errors.map(({ code }) => code)],
      [0, to === "verify" ? ["TP_GIT_LEFT_OUT", "TP_GIT_UNCHECKED"] : []],
      JSON.stringify(errors),
    );
  }
  assert.equal(git(world, top, "status", "--porcelain", "--", "src", "test", "tasks/T-1"), "");
  git(world, "cases/inside", "clone", "--quiet", "repo", "clone");
  execFileSync(process.execPath, ["--test"], { cwd: world.path("cases/inside/clone"), env: { PATH: world.env.PATH } });
  assert.equal((await world.call("task-phase", ["show", ...place, "--json"])).json().moved_since, null);
});
