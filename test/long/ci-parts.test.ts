import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, renameSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { parse } from "yaml";
import { renderState } from "../../lib/documents/templates/render-task-files.ts";
import { makeWorld, projectRoot, type World } from "../cli/arrange.ts";
import { briefFile } from "../cli/brief-file.ts";
import { withoutSsh } from "../cli/signing-world.ts";
import { withFields } from "../cli/task-states.ts";

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

/** What stands for a clone of this repo, beside its program. */
const toolFiles = [
  "bin/built.cjs",
  "bin/package.json",
  "ci/report-proof.mjs",
  "package.json",
  "templates/STATE.md.eta",
];

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
  for (const file of toolFiles) world.write(`tool/${file}`, readFileSync(path.join(projectRoot, file), "utf8"));
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

test("the text of an input is never run, and a wrong input is refused", (t) => {
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
  const tool = [...toolFiles, "bin/task-phase"];
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

/** npm stands in for the one that installs, so that it is not what runs the tests. */
const check = "node test/up.test.js";
const proven = "exports.up = (x) => x + 1;\n";

/** A pull request of a repo with a remote, whose change is `files`; the clone of the job is in `app`. */
function openPullRequest(world: World, files: Readonly<Record<string, string>>, ...clone: string[]): void {
  const start = {
    "src/up.js": "exports.up = (x) => x;\n",
    "test/up.test.js": 'require("node:assert").equal(require("../src/up.js").up(0) >= 0, true);\n',
  };
  for (const [name, text] of Object.entries(start)) world.write(`app/${name}`, text);
  world.git("app", "add", "--all");
  world.git("app", "commit", "--quiet", "--message=Start");
  world.git("app", "switch", "--quiet", "--create", "work");
  for (const [name, text] of Object.entries(files)) world.write(`app/${name}`, text);
  world.git("app", "add", "--all");
  world.git("app", "commit", "--quiet", "--message=Work");
  renameSync(world.path("app"), world.path("origin"));
  world.git(".", "clone", "--quiet", "--branch=work", ...clone, `file://${world.path("origin")}`, "app");
}

const shownChange = {
  "src/up.js": proven,
  "test/up.test.js": 'require("node:assert").equal(require("../src/up.js").up(1), 2);\n',
};
const brokenChange = { "src/up.js": "exports.up = (x) => y;\n" };

test("the action proves a pull request into the summary, deepens a shallow clone, and fails only if asked to", (t) => {
  const { world, env } = makeApp(t);
  openPullRequest(world, shownChange, "--depth=1");
  const summary = world.path("summary.md");
  const event = { ...env, GITHUB_EVENT_NAME: "pull_request", GITHUB_BASE_REF: "main", GITHUB_STEP_SUMMARY: summary };
  const good = runAction(world, event, { history: "false", check, prove: "require" });
  assert.equal(good.status, 0, good.out);
  assert.match(good.out, /^task-phase prove: The check passes; without this work only tests written with it fail; /m);
  const text = world.read("summary.md");
  assert.match(
    text,
    /^## task-phase prove\n\n\*\*The check passes; .*\*\*\n\n\| check \| before \| clean \| old_checks \| without \|\n/,
  );
  assert.match(text, /^\| node test\/up\.test\.js \| pass \| pass \| pass \| fail \|$/m);
  assert.match(text, /^2 changed paths against origin\/main; \d+ runs of the checks in \d+ s$/m);
  assert.equal(world.git("app", "status", "--porcelain"), "");

  world.write("app/src/up.js", brokenChange["src/up.js"]);
  const report = runAction(world, event, { history: "false", check });
  assert.equal(report.status, 0, report.out);
  assert.match(report.out, /^::warning title=TP_PROVE_FAILS::node test\/up\.test\.js: .*y is not defined/m);
  const required = runAction(world, event, { history: "false", check, prove: "require" });
  assert.equal(required.status, 20, required.out);
  assert.match(required.out, /^::error title=TP_PROVE_FAILS::node test/m);
  // Another event, as one with more rights, and a base that cannot be had.
  const target = runAction(world, { ...event, GITHUB_EVENT_NAME: "pull_request_target" }, { history: "false" });
  assert.deepEqual([target.status, /prove/.test(target.out)], [0, false], target.out);
  const lost = { ...event, GITHUB_BASE_REF: "gone" };
  const missing = runAction(world, lost, { history: "false" });
  assert.equal(missing.status, 0, missing.out);
  assert.match(missing.out, /^::warning title=task-phase prove::not judged: the base is not in this clone/m);
  assert.equal(runAction(world, lost, { history: "false", check, prove: "require" }).status, 78);
  assert.equal(runAction(world, event, { history: "false", prove: "yes; touch sprung" }).status, 64);
  assert.equal(runAction(world, event, { history: "false", "prove-minutes": "1; touch sprung" }).status, 64);
  assert.equal(world.exists("app/sprung"), false);
});

test("the template proves a merge request, with the lines that no check notices in its report", (t) => {
  const { world, env } = makeApp(t);
  openPullRequest(world, { "src/up.js": "exports.up = (x) => {\n  const more = 1;\n  return x + more;\n};\n" });
  world.initRepo(
    Object.fromEntries(
      [...toolFiles, "bin/task-phase"].map((file) => [file, readFileSync(path.join(projectRoot, file), "utf8")]),
    ),
    "tool",
  );
  const variables = {
    TASK_PHASE_REPOSITORY: `file://${world.path("tool")}`,
    TMPDIR: world.path("home"),
    TASK_PHASE_HISTORY: "false",
    TASK_PHASE_PROVE_CHECK: check,
    CI_MERGE_REQUEST_DIFF_BASE_SHA: world.git("app", "rev-parse", "origin/main").trim(),
  };
  const report = () => JSON.parse(world.read("app/gl-code-quality-report.json")) as Record<string, unknown>[];
  const good = runJob(world, env, variables);
  assert.deepEqual([good.status, report()], [0, []], good.stderr);
  assert.match(good.stdout, /^task-phase prove: Nothing broke, but no check fails without this work$/m);
  world.write("app/src/up.js", brokenChange["src/up.js"]);
  assert.equal(runJob(world, env, variables).status, 0);
  const end = runJob(world, env, { ...variables, TASK_PHASE_PROVE: "require" });
  assert.equal(end.status, 20, end.stderr);
  assert.deepEqual(
    report().map(({ check_name, severity }) => [check_name, severity]),
    [["TP_PROVE_FAILS", "critical"]],
  );
  const off = runJob(world, env, { ...variables, TASK_PHASE_PROVE: "false" });
  assert.deepEqual([off.status, /prove/.test(off.stdout)], [0, false]);
});

test("the lines that a proof names are annotated, and no text of theirs is a command of the host", (t) => {
  const world = makeWorld(t);
  const proof = {
    ...{ exit_code: 22, findings: [], headline: "::error::mine ##[error]x", base: { name: "main", commit: "c0ffee" } },
    ...{ changed: ["src/a.js"], checks: [], runs: 9, duration_ms: 61_000, failing: [] },
    watched: [
      { name: "test/a.test.js", kind: "test", change: "changed", detail: "fewer, tests", asks: true },
      { name: "test/b.test.js", kind: "test", change: "added", detail: "", asks: false },
    ],
    unnoticed: [
      { path: "src/a.js", line: 12, was: "2", made: "3" },
      { path: "src/b.js", line: null, was: "all", made: "nothing\n::error::b" },
    ],
  };
  const script = path.join(projectRoot, "ci", "report-proof.mjs");
  const call = (...words: string[]) =>
    spawnSync(process.execPath, [script, ...words], {
      cwd: world.folder,
      env: { ...world.env, GITHUB_STEP_SUMMARY: world.path("summary.md") },
      encoding: "utf8",
    });
  const file = world.write("proof.json", JSON.stringify(proof));
  const end = call("github", "require", file);
  assert.equal(end.status, 22, end.stderr);
  assert.deepEqual(end.stdout.trimEnd().split("\n"), [
    "::error file=test/a.test.js,title=TP_PROVE_ASKS::a person has to look at the test test/a.test.js, changed: fewer, tests",
    "::warning file=src/a.js,line=12,title=TP_PROVE_UNNOTICED::no check notices 2 made 3",
    "::warning file=src/b.js,title=TP_PROVE_UNNOTICED::no check notices all made nothing%0A::error::b",
    "task-phase prove: ::error::mine # #[error]x",
  ]);
  assert.match(world.read("summary.md"), /^- src\/a\.js:12: no check notices 2 made 3$/m);
  assert.match(world.read("summary.md"), /^1 changed paths against main; 9 runs of the checks in 61 s$/m);
  const late = call("github", "require", world.write("empty", ""));
  assert.deepEqual([late.status, late.stdout.split("::")[1]], [1, "error title=TP_PROVE_ENDED"]);
  assert.equal(call("github", "report", world.path("empty")).status, 0);
});
