import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { renderState } from "../../lib/documents/templates/render-task-files.ts";
import { agentPath } from "../fake-agents/agent-path.ts";
import { makeWorld, type World } from "./arrange.ts";
import { briefFile } from "./brief-file.ts";
import { withFields } from "./task-states.ts";

const brief = (id: string) =>
  briefFile(
    [`id: ${id}`, "title: Add a line", 'validators: [{ name: tests, command: [test, "!", -e, broken.txt] }]'],
    "Add",
  );
const state = (id: string) => renderState({ id, title: "Add", userFacing: false, now: "2026-01-02T03:04:05.000Z" });

/** A repository with two tasks at intake; each pass is committed. */
function makeApp(t: TestContext): World {
  const world = makeWorld(t);
  const command = `[/bin/sh, ${agentPath("walks.sh")}, ${world.path("plans")}]`;
  world.initRepo(
    {
      "work.txt": "first\n",
      "tasks/task-phase.yaml": `checkpoint: commit\nmodels:\n  - { name: walker, adapter: command, command: ${command} }\n`,
      "tasks/T-1/README.md": brief("T-1"),
      "tasks/T-1/STATE.md": state("T-1"),
      "tasks/T-2/README.md": brief("T-2"),
      "tasks/T-2/STATE.md": state("T-2"),
    },
    "app",
  );
  world.write("plans/.keep", "");
  return world;
}

function forge(world: World, id: string): string {
  world.write(`app/tasks/${id}/STATE.md`, withFields(world.read(`app/tasks/${id}/STATE.md`), { Phase: "done" }));
  world.git("app", "commit", "--quiet", "--all", `--message=${id} is done`);
  return world.git("app", "rev-parse", "HEAD").trim();
}

const check = (world: World, ...args: string[]) =>
  world.call("task-phase", ["check", "--tasks-root", world.path("app/tasks"), ...args]);

test("commits of the runner hold, and a done by hand is named with its commit", async (t) => {
  const world = makeApp(t);
  const loop = await world.call("task-phase-loop", ["--task-dir", world.path("app/tasks/T-1"), "--max-passes", "5"]);
  assert.equal(loop.code, 0, loop.stderr);
  const good = await check(world, "--history");
  assert.deepEqual(
    [
      good.code,
      good.stderr,
      good.stdout
        .trimEnd()
        .replace(/\d+(?= journal)/, "N")
        .split("\n"),
    ],
    [
      0,
      "",
      [
        "T-1: nothing is wrong, 5 verdicts decided again",
        "T-2: nothing is wrong, 0 verdicts decided again",
        "history: nothing is wrong, 2 tasks, 6 commits, 7 transitions, N journal events judged",
      ],
    ],
  );
  const sha = forge(world, "T-2");
  world.git("app", "revert", "--no-edit", "HEAD");
  assert.equal((await check(world)).code, 0, "what is checked out is as it was");
  const bad = await check(world, "--history", "--json");
  const { ok, exit_name, history } = bad.json() as unknown as {
    ok: boolean;
    exit_name: string;
    history: { forged: Record<string, unknown>[] };
  };
  assert.deepEqual(
    [bad.code, ok, exit_name, history.forged.map(({ commit, subject, task, code }) => [commit, subject, task, code])],
    [20, false, "rejected", [[sha, "T-2 is done", "T-2", "TP_HISTORY_NO_JOURNAL"]]],
  );
});

test("one task is judged by --task-dir, also through a link", async (t) => {
  const world = makeApp(t);
  forge(world, "T-2");
  symlinkSync("app/tasks/T-1", world.path("link"));
  const one = (folder: string) => world.call("task-phase", ["check", "--history", "--task-dir", world.path(folder)]);
  const [linked, wrong] = [await one("link"), await one("app/tasks/T-2")];
  assert.deepEqual([linked.code, linked.stderr], [0, ""]);
  assert.match(linked.stdout, /^history: nothing is wrong, 1 task, 1 commit, 1 transition, 0 journal events judged$/m);
  assert.equal(wrong.code, 65, "the plain check cannot take it either");
  assert.match(wrong.stdout, /^history: wrong, 1 task, 2 commits, .*\nhistory of T-2: 1 commit wrong$/m);
});

test("annotations take the place of the answer, for GitHub that of stderr too, and keep the exit code", async (t) => {
  const world = makeApp(t);
  forge(world, "T-2");
  const github = await check(world, "--history", "--annotations", "github");
  const [first = "", second = "", ...answer] = github.stdout.trimEnd().split("\n");
  assert.deepEqual([github.code, github.stderr], [65, ""]);
  assert.match(first, /^::error file=tasks\/T-2\/STATE.md,title=TP_NO_JOURNAL::STATE.md says done/);
  assert.match(second, /^::error file=tasks\/T-2\/STATE.md,line=3,title=TP_HISTORY_NO_JOURNAL::T-2, commit /);
  assert.deepEqual(answer.slice(0, 2), [
    "task-phase check: T-1: nothing is wrong, 0 verdicts decided again",
    "task-phase check: T-2: wrong, 0 verdicts decided again",
  ]);
  const gitlab = await check(world, "--annotations", "gitlab");
  assert.deepEqual(
    (JSON.parse(gitlab.stdout) as { check_name: string }[]).map(({ check_name }) => check_name),
    ["TP_NO_JOURNAL"],
  );
  assert.match(gitlab.stderr, /TP_NO_JOURNAL/);
  const missing = await world.call("task-phase", ["check", "--tasks-root", "nowhere", "--annotations", "github"]);
  assert.deepEqual([missing.code, missing.stderr], [64, ""]);
  assert.match(missing.stdout, /^::error title=TP_TASKS_ROOT::the tasks root does not exist/);
});

test("--annotations takes two words, and neither --json nor --quiet beside it", async (t) => {
  const world = makeApp(t);
  for (const [args, words] of [
    [["--annotations", "gitea"], "--annotations takes github or gitlab, found 'gitea'"],
    [["--annotations", "github", "--json"], "--annotations and --json cannot be combined"],
    [["--annotations", "gitlab", "--quiet"], "--annotations and --quiet cannot be combined"],
  ] as const) {
    const end = await check(world, ...args);
    assert.equal(end.code, 64);
    assert.match(end.stdout + end.stderr, new RegExp(words));
  }
});

test("--since leaves out what a protected branch can no longer take out, and goes with --history alone", async (t) => {
  const world = makeApp(t);
  const sha = forge(world, "T-2");
  world.git("app", "revert", "--no-edit", "HEAD");
  assert.equal((await check(world, "--history")).code, 20);
  const from = await check(world, "--history", "--since", "HEAD");
  assert.deepEqual([from.code, from.stderr], [0, ""]);
  assert.match(from.stdout, /^history: nothing is wrong, 0 tasks, 0 commits, 0 transitions, 0 journal events judged$/m);
  assert.equal((await check(world, "--history", "--since", `${sha}^`)).code, 20);
  for (const [args, words] of [
    [["--history", "--since=nowhere"], "--since does not name a commit of this repository: 'nowhere'"],
    [["--history", "--since=--upload-pack=x"], "--since does not name a commit of this repository: '--upload-pack=x'"],
    [["--since", "HEAD"], "--since limits --history, but --history was not given"],
  ] as const) {
    const end = await check(world, ...args);
    assert.equal(end.code, 64);
    assert.ok(end.stderr.includes(words), end.stderr);
  }
});

test("task folders that were never committed fail the gate, and an empty tasks root passes", async (t) => {
  const world = makeApp(t);
  world.write("app/other/T-1/README.md", brief("T-1"));
  world.write("app/other/T-1/STATE.md", state("T-1"));
  world.write("app/empty/.keep", "");
  const ask = (root: string) => world.call("task-phase", ["check", "--history", "--tasks-root", world.path(root)]);
  const [other, empty] = [await ask("app/other"), await ask("app/empty")];
  assert.deepEqual([other.code, empty.code], [65, 0]);
  assert.match(other.stdout, /^T-1: nothing is wrong, .*\nhistory: not judged$/m);
  assert.match(other.stderr, /none was ever committed \(T-1\), so nothing was judged \[TP_HISTORY_UNCOMMITTED\]/);
  assert.match(empty.stderr, /TP_HISTORY_EMPTY/);
});

test("the help of check fits a line each", async (t) => {
  const { stdout } = await makeWorld(t).call("task-phase", ["check", "--help"]);
  const lines = stdout.split("\n").filter((line) => /--(history|since|allowed-signers|annotations)/.test(line));
  assert.ok(
    lines.every((line) => line.length <= 80),
    stdout,
  );
  assert.match(stdout, /--history +.*exit 78 without full git history/);
  assert.match(stdout, /--annotations FORMAT +.*not with --json/);
});

test("a missing or partial git history is reported beside the findings", async (t) => {
  const world = makeWorld(t);
  world.write("tasks/T-1/README.md", brief("T-1"));
  world.write("tasks/T-1/STATE.md", state("T-1"));
  const plain = await world.call("task-phase", ["check", "--history", "--tasks-root", "tasks", "--repo", "."]);
  assert.equal(plain.code, 78);
  assert.match(plain.stdout, /^T-1: nothing is wrong, .*\nhistory: not judged$/m);
  assert.match(plain.stderr, /TP_HISTORY_NO_GIT/);
  world.git(".", "init", "--quiet", "broken");
  world.write("broken/tasks/T-1/STATE.md", state("T-1"));
  world.write("broken/.git/HEAD", "neither a name nor a commit\n");
  const broken = await world.call("task-phase", ["check", "--history", "--tasks-root", "broken/tasks", "--json"]);
  const { findings, history } = broken.json() as unknown as { findings: { code: string }[]; history: unknown };
  assert.deepEqual(history, { commits: 0, transitions: 0, events: 0, tasks: 0, forged: [] });
  assert.ok(findings.some(({ code }) => code === "TP_GIT"));
});
