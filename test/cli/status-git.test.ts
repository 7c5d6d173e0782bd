import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { honestTask, taskAt } from "../history/honest-task.ts";
import { taskFiles } from "../queue/views/branch-world.ts";
import { claimEvent, claimRunner, makeGitWorld } from "./git-world.ts";

const now = new Date("2026-11-21T12:00:00.000Z");
const claim = claimEvent("2026-11-21T11:59:00.000Z");

function makeGit(...of: Parameters<typeof makeGitWorld>) {
  const { world, repo } = makeGitWorld(...of);
  const status = (...args: string[]) => world.call("task-phase", ["status", ...args], { now });
  return { world, repo, status };
}

function threeTasks(t: TestContext) {
  const held = honestTask();
  const first = {
    ...taskFiles(held, "T-1-one", "T-1"),
    ...taskFiles(taskAt("shape"), "T-2-two", "T-2", "depends_on: [T-1]\n"),
    "tasks/task-phase.yaml": "fleet: {}\n",
  };
  held.add(claim);
  const asking = {
    ...taskFiles(honestTask(), "T-3", "T-3"),
    "tasks/T-3/DECISIONS.md": "# Decisions\n\n## Q1: Which encoding?\n- Question: Which one?\n- Answer:\n",
  };
  return makeGit(t, [{ files: first }, { files: taskFiles(held, "T-1-one", "T-1") }, { files: asking, parents: [0] }], {
    "refs/heads/main": 0,
    "refs/heads/task-phase/T-1": 1,
    "refs/heads/task-phase/T-3": 2,
  });
}

test("status --git shows each task of a bare repository, from its own branch", async (t) => {
  const { status } = threeTasks(t);
  const { code, stdout, stderr } = await status("--git", "bare.git");
  assert.deepEqual([code, stderr], [0, ""]);
  assert.equal(
    stdout,
    `T-1  intake  running  w1 holds pass 1 until 2026-11-21T12:10:00.000Z
T-2  shape   waits    waits for T-1
T-3  intake  asks     Q1 Which encoding?
T-3 asks Q1: Which encoding?
  Which one?
  no safe default; it waits for a person
  answer: in task-phase/T-3:tasks/T-3/DECISIONS.md:3, and push it
next: nothing is runnable; a question waits for an answer
`,
  );
});

test("status --git TASK shows one task by its id or folder, and the commit that it was read from", async (t) => {
  const { status, repo } = threeTasks(t);
  const { code, stdout } = await status("T-1", "--git", "bare.git");
  assert.equal(code, 0);
  assert.match(stdout, /^T-1 {2}Round half up$/m);
  assert.ok(stdout.includes(`read from: task-phase/T-1 (${repo.commits[1]?.slice(0, 12)})\n`), stdout);
  assert.equal((await status("T-1-one", "--git", "bare.git")).stdout, stdout);
  const wrong = await status("T-4", "--git", "bare.git");
  assert.equal(wrong.code, 64);
  assert.match(
    wrong.stderr,
    /no branch of the repository has a task T-4 \[TP_USAGE_TASK_UNKNOWN]\n {2}fix: did you mean T-/,
  );
});

test("status --git --json has the branch and the claim of each task, and the repository", async (t) => {
  const { status, repo, world } = threeTasks(t);
  const [first, second] = repo.commits;
  const json = (await status("--git", "bare.git", "--json")).json() as {
    git: object;
    next: null;
    tasks: { task: string; folder: string; branch: object; claim: object | null; evidence: object }[];
  };
  assert.deepEqual(json.git, { repository: world.path("bare.git"), base: { ref: "refs/heads/main", commit: first } });
  assert.deepEqual(
    json.tasks
      .map(({ task, folder, branch, claim: open, evidence }) => ({ task, folder, branch, open, evidence }))
      .slice(0, 2),
    [
      {
        task: "T-1",
        folder: "tasks/T-1-one",
        branch: { ref: "refs/heads/task-phase/T-1", commit: second, merged: false },
        open: {
          ...{ pass: 1, phase: "intake", model: "mine", at: "2026-11-21T11:59:00.000Z" },
          ...{ until: "2026-11-21T12:10:00.000Z", runner: claimRunner, holds: true },
        },
        evidence: { path: null, url: null, pushed: null },
      },
      {
        task: "T-2",
        folder: "tasks/T-2-two",
        branch: { ref: "refs/heads/main", commit: first, merged: null },
        open: null,
        evidence: { path: null, url: null, pushed: null },
      },
    ],
  );
});

test("status --git names what is no repository, no tasks root and no git", async (t) => {
  const { status, world } = threeTasks(t);
  world.write("folder/a.txt", "x");
  for (const [args, code, finding] of [
    [["--git", "folder"], 64, "TP_GIT_REPO"],
    [["--git", "gone"], 64, "TP_GIT_REPO"],
    [["--git", "app/tasks"], 64, "TP_GIT_REPO"],
    [["--git", "bare.git", "--tasks-root", "work"], 64, "TP_GIT_NO_TASKS"],
    [["--git", "bare.git", "--tasks-root", "/tasks"], 64, "TP_GIT_ROOT"],
  ] as const) {
    const end = await status(...args, "--json");
    const [first] = (end.json() as { findings: { code: string }[] }).findings;
    assert.deepEqual([end.code, first?.code], [code, finding], args.join(" "));
  }
  assert.equal((await status("--git", "bare.git", "--tasks-root", "./tasks/")).code, 0);
  const without = await world.call("task-phase", ["status", "--git", "bare.git"], { env: { PATH: "/nonexistent" } });
  assert.equal(without.code, 1);
  assert.match(without.stderr, /git/);
});

test("a branch that carries no task is exit code 78, and its name cannot steer a terminal", async (t) => {
  const name = "x\u202ey\u009bz";
  const { status } = makeGit(t, [{ files: taskFiles(honestTask(), "T-1", "T-1") }], {
    "refs/heads/main": 0,
    [`refs/heads/task-phase/${name}`]: 0,
  });
  const { code, stdout, stderr } = await status("--git", "bare.git");
  assert.equal(code, 78);
  assert.match(stderr, /no task folder with a readable brief has the id x\\u202ey\\x9bz|TP_TASK_BRANCH/);
  assert.doesNotMatch(stdout + stderr, /\u202e|\u009b/);
  assert.match(stdout, /^T-1 /m);
});
