import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, cpSync, openSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { execa } from "execa";
import { commandTable } from "../../lib/cli/command-table.ts";
import { makeWorld, projectRoot } from "./arrange.ts";
import { briefFile } from "./brief-file.ts";
import { stateFile } from "./task-states.ts";

const version = (JSON.parse(readFileSync(path.join(projectRoot, "package.json"), "utf8")) as { version: string })
  .version;

test("a call without any word, where there is no project, shows the help", async (t) => {
  const world = makeWorld(t);
  const help = await world.run("task-phase", ["--help"]);
  const end = await world.run("task-phase", []);
  assert.deepEqual([end.code, end.stdout, end.stderr], [0, help.stdout, ""]);
});

test("a call with flags and without a command prints a short usage on stderr and ends with 64", async (t) => {
  const end = await makeWorld(t).run("task-phase", ["--no-color"]);
  assert.equal(end.code, 64);
  assert.equal(end.stdout, "");
  assert.equal(
    end.stderr,
    [
      "error: no command given [TP_USAGE_NO_COMMAND]",
      "usage: task-phase COMMAND [flags]",
      `commands: ${commandTable.map(({ name }) => name).join(", ")}`,
      "help: task-phase --help",
      "",
    ].join("\n"),
  );
});

test("help and version are words too, help has topics, and a mistyped one is known", async (t) => {
  const world = makeWorld(t);
  const call = async (...args: string[]) => await world.call("task-phase", args);
  assert.equal((await call("version")).stdout, `${version}\n`);
  assert.equal((await call("help")).stdout, (await call("--help")).stdout);
  assert.match((await call("help", "phases")).stdout, /^Phases\n {2}intake /);
  assert.match((await call("help", "exit-codes")).stdout, /^Exit codes\n {4}0 ok /);
  assert.match((await call("help", "phase")).stderr, /fix: did you mean task-phase help phases\?/);
  assert.match((await call("versoin")).stderr, /fix: did you mean task-phase version\?/);
  assert.match((await call("phases")).stderr, /unknown command 'phases'/);
});

test("the help lists the commands of a fleet apart", async (t) => {
  const [, first = "", fleet = ""] = (await makeWorld(t).call("task-phase", ["--help"])).stdout.split(/^Commands.*$/m);
  assert.doesNotMatch(first, /^ {2}(?:dispatch|worker|fleet) /m);
  for (const name of ["dispatch", "worker", "fleet"]) assert.match(fleet, new RegExp(`^ {2}${name} `, "m"));
});

test("a task that is named by its id far from any project is not said to be a missing folder", async (t) => {
  const end = await makeWorld(t).call("task-phase", ["run", "T-1"]);
  assert.equal(end.code, 64);
  assert.match(end.stderr, /there is no task T-1: no tasks root is here or above \[TP_USAGE_NO_TARGET\]/);
});

test("where git is not on PATH, that is what is said, and what to do", async (t) => {
  const world = makeWorld(t);
  world.initRepo({ "a.txt": "a" });
  world.write("repo/tasks/task-phase.yaml", 'models: [{ name: x, adapter: command, command: ["/bin/true"] }]\n');
  const brief = ["id: T-1", "title: x", 'validators: [{ name: a, command: ["/bin/true"] }]'];
  world.write("repo/tasks/T-1/README.md", briefFile(brief, "Do it"));
  world.write("repo/tasks/T-1/STATE.md", stateFile({ phase: "intake" }));
  const options = { cwd: "repo", env: { PATH: "/nowhere" } };
  const run = await world.run("task-phase", ["run", "T-1"], options);
  assert.match(run.stderr, /this is a git repository, and git is not on the PATH.* \[TP_GIT\]\n {2}fix: install git/);
  assert.match(
    (await world.run("task-phase", ["doctor"], options)).stdout,
    /^next: install git, or put its folder on PATH$/m,
  );
});

test("a checkout that is not built says what builds it, without a stack", async (t) => {
  const world = makeWorld(t);
  cpSync(path.join(projectRoot, "bin"), world.path("app/bin"), { recursive: true });
  const end = await execa(process.execPath, [world.path("app/bin/task-phase-run")], { env: world.env, reject: false });
  assert.deepEqual([end.exitCode, end.stderr.split("\n").length], [1, 2]);
  assert.match(end.stderr, /app is not built, .*\n {2}fix: npm ci in that folder/);
});

test("the headings of the help are bold where colours are wanted", async (t) => {
  const { stdout } = await makeWorld(t).call("task-phase", ["help", "phases"], { env: { FORCE_COLOR: "1" } });
  assert.match(stdout.replaceAll("\u001b", "ESC"), /^ESC\[1mPhasesESC\[22m\n {2}intake /);
});

test("-q, -v and -n are --quiet, --verbose and --dry-run, alone and together", async (t) => {
  const world = makeWorld(t);
  await world.call("task-phase", ["init", "--task-dir", "tasks/T-1", "--no-validator", "-q"]);
  const quiet = await world.call("task-phase", ["board", "-q"]);
  assert.deepEqual([quiet.code, quiet.stdout, quiet.stderr], [0, "", ""]);
  const both = await world.call("task-phase", ["run", "T-1", "-nq"]);
  const long = await world.call("task-phase", ["run", "T-1", "--dry-run", "--quiet"]);
  assert.deepEqual([both.code, both.stdout, both.stderr], [long.code, long.stdout, long.stderr]);
  assert.equal(world.exists("tasks/T-1/artifacts/journal.jsonl"), false);
});

test("--version and -V print the package's version alone", async (t) => {
  const world = makeWorld(t);
  for (const [bin, word] of [
    ["task-phase", "--version"],
    ["task-phase", "-V"],
    ["task-phase-run", "--version"],
  ] as const) {
    const end = await world.run(bin, [word]);
    assert.deepEqual([end.code, end.stdout, end.stderr], [0, `${version}\n`, ""]);
  }
});

test("help wins over other flags, wherever it stands and whatever is wrong beside it", async (t) => {
  const world = makeWorld(t);
  const plain = await world.run("task-phase", ["help", "run"]);
  assert.equal(plain.code, 0);
  for (const args of [
    ["run", "--help"],
    ["--help", "run"],
    ["run", "--nope", "-h"],
    ["run", "--model", "--help"],
  ]) {
    const end = await world.run("task-phase", args);
    assert.deepEqual([end.code, end.stdout, end.stderr], [0, plain.stdout, ""]);
  }
  const own = await world.run("task-phase-run", ["--help"]);
  assert.equal(own.stdout, plain.stdout.replaceAll("task-phase run", "task-phase-run"));
});

test("words after -- are no flags", async (t) => {
  const end = await makeWorld(t).run("task-phase", ["board", "--", "--help"]);
  assert.equal(end.code, 64);
  assert.match(end.stderr, /unexpected argument '--help' \[TP_USAGE_UNEXPECTED_ARGUMENT\]/);
});

test("an unknown command names the nearest one", async (t) => {
  const world = makeWorld(t);
  const near = await world.run("task-phase", ["inti"]);
  assert.equal(near.code, 64);
  assert.match(
    near.stderr,
    /unknown command 'inti' \[TP_USAGE_UNKNOWN_COMMAND\]\n {2}fix: did you mean task-phase init\?/,
  );
  const far = await world.run("task-phase", ["help", "\u001b[31mfrobnicate"]);
  assert.equal(far.code, 64);
  assert.match(
    far.stderr,
    /unknown command '\\x1b\[31mfrobnicate'[^\n]*\n {2}fix: task-phase --help lists the commands/,
  );
});

test("with --json a wrong command line gives one object, for run in the shape of run", async (t) => {
  const world = makeWorld(t);
  const run = await world.run("task-phase-run", ["--json", "--modle", "x"]);
  const finding = {
    severity: "error",
    code: "TP_USAGE_UNKNOWN_FLAG",
    message: "unknown flag --modle",
    file: null,
    line: null,
    column: null,
    fix: "did you mean --model?",
  };
  assert.equal(run.code, 64);
  assert.deepEqual(run.json(), {
    task: null,
    pass: null,
    from: null,
    proposed: null,
    to: null,
    verdict: null,
    reason: "unknown flag --modle",
    exit_code: 64,
    exit_name: "usage",
    model: null,
    duration_ms: null,
    cost_usd: null,
    tokens: { input: null, output: null },
    progress: [],
    validators: [],
    tickets: [],
    overridden: [],
    findings: [finding],
    evidence: { path: null, url: null, pushed: null },
    next_eligible_at: null,
    stages: [],
    moves: [],
  });
  const none = await world.run("task-phase", ["--json"]);
  assert.equal(none.code, 64);
  assert.deepEqual(
    { ...none.json(), findings: [] },
    { command: null, exit_code: 64, exit_name: "usage", findings: [] },
  );
});

test("--quiet leaves the error and drops the rest of the story", async (t) => {
  const end = await makeWorld(t).run("task-phase", ["init", "--quiet", "--priority=high"]);
  assert.deepEqual(
    [end.code, end.stdout, end.stderr],
    [
      64,
      "",
      "error: --priority expects a whole number, found 'high' [TP_USAGE_BAD_VALUE]\n  fix: write --priority 5\n",
    ],
  );
});

test("a command that changes files refuses to run inside a pass", async (t) => {
  const world = makeWorld(t);
  const end = await world.run("task-phase-init", ["--task-dir", "t"], { env: { TASK_PHASE_PASS: "3" } });
  assert.equal(end.code, 64);
  assert.match(end.stderr, /init cannot be called inside a pass \(TASK_PHASE_PASS is set\) \[TP_USAGE_INSIDE_PASS\]/);
  assert.equal(world.exists("t"), false);
});

test("colour follows FORCE_COLOR, and --no-color wins", async (t) => {
  const world = makeWorld(t);
  const env = { FORCE_COLOR: "1" };
  const colored = await world.run("task-phase", ["nope"], { env });
  assert(colored.stderr.startsWith("\u001b[31merror\u001b[39m: "), colored.stderr);
  assert.match((await world.run("task-phase", ["nope", "--no-color"], { env })).stderr, /^error: /);
});

test("a reader that has gone changes no exit code and leaves no message", async (t) => {
  const world = makeWorld(t);
  const end = await world.run("task-phase", ["--help"], { onStart: (child) => child.stdout?.destroy() });
  assert.deepEqual([end.code, end.stderr], [0, ""]);
});

test("an answer that a full disk did not take is a failure that is told", (t) => {
  const world = makeWorld(t);
  const full = openSync("/dev/full", "w");
  t.after(() => closeSync(full));
  const bin = path.join(projectRoot, "bin", "task-phase");
  const end = spawnSync(process.execPath, [bin, "--help"], { env: world.env, stdio: ["ignore", full, "pipe"] });
  assert.equal(end.status, 1);
  assert.equal(
    end.stderr.toString(),
    "error: the output could not be written: ENOSPC: no space left on device, write [TP_DISK]\n",
  );
});
