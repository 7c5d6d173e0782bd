import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { parse } from "yaml";
import { renderState } from "../../lib/templates/task-files.ts";
import { makeWorld, projectRoot, type World } from "./arrange.ts";
import { briefFile } from "./brief-file.ts";
import { withoutSsh } from "./signing-world.ts";
import { withFields } from "./task-states.ts";

/** action.yml and the template for GitLab, each run as its host would; `npm` stands in for the one that installs. */
interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: {
    readonly using: string;
    readonly steps: readonly {
      readonly shell: string;
      readonly run: string;
      readonly env?: Readonly<Record<string, string>>;
    }[];
  };
}

interface Job {
  readonly variables: Readonly<Record<string, string>>;
  readonly before_script: readonly string[];
  readonly script: readonly string[];
  readonly artifacts: unknown;
}

const action = parse(readFileSync(path.join(projectRoot, "action.yml"), "utf8")) as Action;
const job = (
  parse(readFileSync(path.join(projectRoot, "ci", "task-phase.gitlab-ci.yml"), "utf8")) as Record<string, Job>
)[".task-phase-check"] as Job;

/** A repository with one task at intake; `npm` notes where it was called, and with what. */
function makeApp(t: TestContext): { world: World; env: Record<string, string> } {
  const world = makeWorld(t);
  world.initRepo(
    {
      "tasks/T-1/README.md": briefFile(
        ["id: T-1", "title: Add", "validators: [{ name: tests, command: [test, -d, tasks] }]"],
        "Add",
      ),
      "tasks/T-1/STATE.md": renderState({
        id: "T-1",
        title: "Add",
        userFacing: false,
        now: "2026-01-02T03:04:05.000Z",
      }),
    },
    "app",
  );
  // The clone of the template has no build: that of this checkout stands in for it.
  const npm = [
    "#!/bin/sh",
    'echo "$PWD $*" >> "$NPM_CALLS"',
    `if [ "$1" = run ] && [ ! -d dist ]; then ln -s '${projectRoot}/dist' dist; fi`,
    `if [ "$1" = ci ] && [ ! -d node_modules ]; then ln -s '${projectRoot}/node_modules' node_modules; fi`,
    "",
  ];
  chmodSync(world.write("bin/npm", npm.join("\n")), 0o755);
  const PATH = `${world.path("bin")}:${path.dirname(process.execPath)}:${world.env.PATH}`;
  return { world, env: { ...world.env, PATH, NPM_CALLS: world.path("calls") } };
}

function forge(world: World): void {
  world.write("app/tasks/T-1/STATE.md", withFields(world.read("app/tasks/T-1/STATE.md"), { Phase: "done" }));
  world.git("app", "commit", "--quiet", "--all", "--message=It is done");
  world.git("app", "revert", "--no-edit", "HEAD");
}

/** The steps as GitHub calls them, up to the first that fails. */
function runAction(world: World, env: Record<string, string>, inputs: Readonly<Record<string, string>>) {
  const given = Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, input.default]));
  const fill = (text: string) =>
    text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => ({ ...given, ...inputs })[name] ?? "");
  let out = "";
  for (const step of action.runs.steps) {
    assert.equal(step.shell, "bash");
    assert.doesNotMatch(step.run, /\$\{\{/, "an expression in a script is run as a part of it");
    const own = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, fill(value)]));
    const end = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run], {
      cwd: world.path("app"),
      env: { ...env, ...own, GITHUB_ACTION_PATH: projectRoot },
      encoding: "utf8",
    });
    out += end.stdout + end.stderr;
    if (end.status !== 0) return { status: end.status, out };
  }
  return { status: 0, out };
}

/** One shell for all lines, as the runner of GitLab does it. */
function runJob(world: World, env: Record<string, string>, variables: Readonly<Record<string, string>>) {
  return spawnSync("bash", ["-eo", "pipefail", "-c", [...job.before_script, ...job.script].join("\n")], {
    cwd: world.path("app"),
    env: { ...env, ...job.variables, ...variables },
    encoding: "utf8",
  });
}

test("the action builds itself where it stands, passes an honest history, and annotates a done by hand", (t) => {
  const { world, env } = makeApp(t);
  assert.equal(action.runs.using, "composite");
  const good = runAction(world, env, {});
  assert.equal(good.status, 0, good.out);
  assert.deepEqual(world.read("calls").trimEnd().split("\n"), [
    `${projectRoot} ci --include=dev --ignore-scripts --no-audit --no-fund --loglevel=error`,
    `${projectRoot} run --silent build`,
  ]);
  assert.match(good.out, /^task-phase check: history: nothing is wrong, 1 task, 1 commit/m);
  forge(world);
  const bad = runAction(world, env, {});
  assert.equal(bad.status, 20, bad.out);
  assert.match(
    bad.out,
    /^::error file=tasks\/T-1\/STATE.md,line=3,title=TP_HISTORY_NO_JOURNAL::T-1, commit \w+ \("It is done", /m,
  );
  assert.equal(runAction(world, env, { history: "false" }).status, 0);
  // After the commit of a person that was taken back.
  assert.equal(runAction(world, env, { since: "HEAD" }).status, 0);
  assert.equal(runAction(world, env, { since: "HEAD~2" }).status, 20);
  assert.equal(runAction(world, env, { history: "false", since: "HEAD~2" }).status, 0);
});

test("the action and the template judge signatures by a file of allowed signers, if one is given", {
  skip: withoutSsh,
}, (t) => {
  const { world, env } = makeApp(t);
  const git = (...args: string[]) => world.git("app", ...args);
  git("commit", "--quiet", "--allow-empty", "--message=moved\n\nTask-Phase-Task: T-1\nTask-Phase-Verdict: accepted");
  world.initRepo({ "bin/task-phase": readFileSync(path.join(projectRoot, "bin", "task-phase"), "utf8") }, "tool");
  const tool = ["bin/built.cjs", "bin/package.json", "package.json", "templates/STATE.md.eta"];
  for (const file of tool) world.write(`tool/${file}`, readFileSync(path.join(projectRoot, file), "utf8"));
  world.git("tool", "add", "-A");
  world.git("tool", "commit", "--quiet", "--message=all");
  const signers = world.write(
    "allowed signers",
    'runner@example.org namespaces="git" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA\n',
  );
  const variables = { TASK_PHASE_REPOSITORY: `file://${world.path("tool")}`, TMPDIR: world.path("home") };
  assert.equal(runAction(world, env, {}).status, 0);
  assert.equal(runJob(world, env, variables).status, 0);
  const judged = runAction(world, env, { "allowed-signers": signers });
  assert.deepEqual([judged.status, /TP_HISTORY_UNSIGNED/.test(judged.out)], [65, true], judged.out);
  assert.equal(runJob(world, env, { ...variables, TASK_PHASE_ALLOWED_SIGNERS: signers }).status, 65);
  assert.match(world.read("app/gl-code-quality-report.json"), /TP_HISTORY_UNSIGNED/);
  // A file that would be judged by nothing is an error, and never passed over.
  assert.equal(runAction(world, env, { "allowed-signers": signers, history: "false" }).status, 64);
  const hostile = runAction(world, env, { "allowed-signers": '"; touch sprung; $(touch sprung)' });
  assert.deepEqual([hostile.status === 0, world.exists("app/sprung")], [false, false], hostile.out);
});

test("what an input holds is never run, and a wrong one is said to be wrong", (t) => {
  const { world, env } = makeApp(t);
  const hostile = "tasks\"; touch sprung; echo '$(touch sprung)`touch sprung`";
  assert.equal(runAction(world, env, { "tasks-root": hostile }).status, 64);
  const wrong = runAction(world, env, { history: "yes; touch sprung" });
  assert.deepEqual([wrong.status, world.exists("app/sprung")], [64, false]);
  assert.match(wrong.out, /^::error title=task-phase::the input history takes true or false$/m);
  const since = runAction(world, env, { since: '--output=sprung"; touch sprung; $(touch sprung)' });
  assert.deepEqual([since.status, world.exists("app/sprung")], [64, false]);
  assert.match(since.out, /^::error .*title=TP_USAGE_SINCE::--since does not name a commit/m);
  const old = `${world.path("old")}:${env.PATH}`;
  chmodSync(world.write("old/node", "#!/bin/sh\nexit 1\n"), 0o755);
  assert.equal(runAction(world, { ...env, PATH: old }, {}).status, 78);
});

test("the template clones a given ref, leaves a Code Quality report, and ends as the check ends", (t) => {
  const { world, env } = makeApp(t);
  const tool = ["bin/task-phase", "bin/built.cjs", "bin/package.json", "package.json", "templates/STATE.md.eta"];
  world.initRepo(
    Object.fromEntries(tool.map((file) => [file, readFileSync(path.join(projectRoot, file), "utf8")])),
    "tool",
  );
  const variables = { TASK_PHASE_REPOSITORY: `file://${world.path("tool")}`, TMPDIR: world.path("home") };
  const report = () => JSON.parse(world.read("app/gl-code-quality-report.json")) as Record<string, unknown>[];
  const good = runJob(world, env, variables);
  assert.deepEqual([good.status, report()], [0, []], good.stderr);
  forge(world);
  const bad = runJob(world, env, variables);
  assert.equal(bad.status, 20, bad.stderr);
  assert.deepEqual(
    report().map(({ check_name, severity, location }) => [check_name, severity, location]),
    [["TP_HISTORY_NO_JOURNAL", "critical", { path: "tasks/T-1/STATE.md", lines: { begin: 3 } }]],
  );
  // In a merge request from its base on, unless another commit is given, or none.
  const base = { ...variables, CI_MERGE_REQUEST_DIFF_BASE_SHA: world.git("app", "rev-parse", "HEAD").trim() };
  assert.equal(runJob(world, env, base).status, 0);
  assert.equal(runJob(world, env, { ...base, TASK_PHASE_SINCE: "HEAD~2" }).status, 20);
  assert.equal(runJob(world, env, { ...base, TASK_PHASE_SINCE: "" }).status, 20);
  assert.equal(runJob(world, env, { ...variables, TASK_PHASE_SINCE: "--all; touch sprung" }).status, 64);
  assert.equal(world.exists("app/sprung"), false);
  const unset = runJob(world, env, {});
  assert.deepEqual([unset.status, job.variables.GIT_DEPTH], [78, "0"]);
  assert.match(unset.stderr, /set TASK_PHASE_REPOSITORY/);
  assert.deepEqual(job.artifacts, { when: "always", reports: { codequality: "gl-code-quality-report.json" } });
});
