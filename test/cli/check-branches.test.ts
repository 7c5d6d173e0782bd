import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { honestTask, taskAt } from "../history/honest-task.ts";
import { taskFiles } from "../queue/views/branch-world.ts";
import { claimEvent, makeGitWorld } from "./git-world.ts";
import { withFields } from "./task-states.ts";

const [main, one, two] = ["refs/heads/main", "refs/heads/task-phase/T-1", "refs/heads/task-phase/T-2"];

const claim = claimEvent("2026-11-21T09:00:00.000Z", { model: "honest", fingerprint: "code" });

/** The bare repository of these commits, and `check --history --git` of it. */
function makeCheck(...of: Parameters<typeof makeGitWorld>) {
  const { world, repo } = makeGitWorld(...of);
  const check = (...args: string[]) => world.call("task-phase", ["check", "--history", "--git", "bare.git", ...args]);
  const codes = async (...args: string[]) => {
    const end = await check(...args, "--json");
    const { findings } = end.json() as { findings: { severity: string; code: string; file: string | null }[] };
    const errors = findings.filter(({ severity }) => severity === "error");
    return [end.code, ...errors.map(({ code, file }) => `${code} ${file}`)];
  };
  return { world, repo, check, codes };
}

/** T-1 and T-2 on the base branch, and of T-1 the files of a claim and of its verdict. */
function honest() {
  const [first, second] = [honestTask(), honestTask()];
  const base = { ...taskFiles(first, "T-1", "T-1"), ...taskFiles(second, "T-2", "T-2") };
  first.add(claim);
  const claimed = taskFiles(first, "T-1", "T-1");
  first.pass("shape", { event: { pass: 1 }, withoutRecord: true });
  const accepted = taskFiles(first, "T-1", "T-1");
  return { first, second, base, claimed, accepted };
}

test("every branch of a task is judged from a bare repository, and commits that they share once", async (t) => {
  const { second, base, claimed, accepted } = honest();
  second.pass("shape");
  const commits = [
    { files: base },
    { files: claimed },
    { files: accepted },
    { files: taskFiles(second, "T-2", "T-2"), parents: [0] },
  ];
  const { check } = makeCheck(t, commits, { [main]: 0, [one]: 2, [two]: 3 });
  const { code, stdout } = await check();
  assert.equal(code, 0, stdout);
  assert.equal(
    stdout,
    "T-1: nothing is wrong\nT-2: nothing is wrong\nhistory: nothing is wrong, 2 tasks, 4 commits, 5 transitions, 5 journal events judged\n",
  );
  assert.match((await check("T-1")).stdout, /1 task, 3 commits, 3 transitions, 3 journal events judged\n$/);
  assert.match(
    (await check("--since", "main")).stdout,
    /2 tasks, 3 commits, 3 transitions, 3 journal events judged\n$/,
  );
});

test("a STATE.md that nobody accepted is found on the branch of its task, and on that of another one", async (t) => {
  const { second, base, claimed } = honest();
  const forged = { "tasks/T-2/STATE.md": withFields(second.state(), { Phase: "done" }) };
  for (const [files, refs] of [
    [forged, { [main]: 0, [two]: 1 }],
    [
      { ...claimed, ...forged },
      { [main]: 0, [one]: 1 },
    ],
  ] as const) {
    const { codes } = makeCheck(t, [{ files: base }, { files }], refs);
    assert.deepEqual(await codes(), [20, "TP_HISTORY_DONE tasks/T-2/STATE.md"]);
  }
});

test("a journal that was rewritten on a branch, and one that was pushed by force, are named", async (t) => {
  const { base, accepted } = honest();
  const other = honestTask();
  other.pass("shape", { fields: { "Current result": "another" }, withoutRecord: true });
  const rewritten = taskFiles(other, "T-1", "T-1");
  const within = makeCheck(t, [{ files: base }, { files: accepted }, { files: rewritten }], { [main]: 0, [one]: 2 });
  assert.deepEqual(await within.codes(), [20, "TP_HISTORY_JOURNAL_REWRITTEN tasks/T-1/artifacts/journal.jsonl"]);
  const forced = makeCheck(t, [{ files: base }, { files: accepted }, { files: rewritten, parents: [] }], {
    [main]: 1,
    [one]: 2,
  });
  assert.deepEqual(await forced.codes(), [65, "TP_TASK_FORKED null"]);
});

test("a clone that fetched another history than it has itself names both", async (t) => {
  const { base, accepted } = honest();
  const other = honestTask();
  other.pass("shape", { fields: { "Current result": "another" }, withoutRecord: true });
  const { codes } = makeCheck(
    t,
    [{ files: base }, { files: accepted }, { files: taskFiles(other, "T-1", "T-1"), parents: [0] }],
    { [main]: 0, [one]: 1, "refs/remotes/origin/task-phase/T-1": 2 },
  );
  assert.deepEqual(await codes(), [65, "TP_TASK_FORKED null"]);
});

test("a history that is not whole is exit code 78, and --git without --history a usage error", async (t) => {
  const { base, accepted } = honest();
  const { world, codes } = makeCheck(t, [{ files: base }, { files: accepted }], { [main]: 0, [one]: 1 });
  const url = `file://${world.path("app")}`;
  const shallow = ["clone", "-q", "--bare", "--depth=1", "--no-single-branch", url, world.path("shallow.git")];
  execFileSync("git", shallow, { env: world.env });
  const end = await world.call("task-phase", ["check", "--history", "--git", "shallow.git", "--json"]);
  assert.equal(end.code, 78);
  assert.deepEqual(
    (end.json() as { findings: { code: string }[] }).findings.map(({ code }) => code),
    ["TP_HISTORY_SHALLOW"],
  );
  const without = await world.call("task-phase", ["check", "--git", "bare.git"]);
  assert.deepEqual([without.code, /TP_USAGE_GIT/.test(without.stderr)], [64, true]);
  assert.deepEqual(await codes("--since", "nowhere"), [64, `TP_USAGE_SINCE ${world.path("bare.git")}`]);
  assert.deepEqual(await codes("--annotations", "github"), [64, "TP_USAGE_ANNOTATIONS null"]);
});

test("annotations name files as they are in the repository", async (t) => {
  const { second, base } = honest();
  const forged = { "tasks/T-2/STATE.md": withFields(second.state(), { Phase: "done" }) };
  const { check } = makeCheck(t, [{ files: base }, { files: forged }], { [main]: 0, [two]: 1 });
  const { code, stdout } = await check("--annotations", "github");
  assert.equal(code, 20);
  assert.match(stdout, /^::error file=tasks\/T-2\/STATE\.md,/m);
});

test("a STATE.md that cannot be read at the end of its own branch is an error, whatever other branches have", async (t) => {
  const { base, claimed } = honest();
  const broken = (id: string) => ({ [`tasks/${id}/STATE.md`]: "nonsense\n" });
  const commits = [
    { files: base },
    { files: broken("T-1") },
    { files: broken("T-2"), parents: [0] },
    { files: claimed },
  ];
  const both = await makeCheck(t, commits, { [main]: 0, [one]: 1, [two]: 2 }).codes();
  for (const id of ["T-1", "T-2"])
    assert.ok(both.includes(`TP_HISTORY_STATE_UNREADABLE tasks/${id}/STATE.md`), JSON.stringify(both));
  const ofBase = makeCheck(t, commits, { [main]: 2, [one]: 3 });
  const codes = await ofBase.codes();
  assert.ok(codes.includes("TP_HISTORY_STATE_UNREADABLE tasks/T-2/STATE.md"), JSON.stringify(codes));
});

test("--attestation is refused, since no task folder is checked out", async (t) => {
  const { check, world } = makeCheck(t, [{ files: honest().base }], { [main]: 0 });
  world.write("allowed", "");
  for (const [args, code] of [
    [["--attestation", "--allowed-signers", "allowed"], "TP_USAGE_ATTESTATION"],
    [["T-1", "--attestation", "--allowed-signers", "allowed"], "TP_USAGE_ATTESTATION"],
    [["--attestation"], "TP_USAGE_SIGNERS"],
  ] as const) {
    const end = await check(...args, "--json");
    const { findings } = end.json() as { findings: { code: string }[] };
    assert.deepEqual([end.code, findings.map((finding) => finding.code)], [64, [code]], args.join(" "));
  }
});

test("code that is pushed onto the branch of a done task is named, and is no error", async (t) => {
  const task = taskAt("review");
  const base = { "a.txt": "a\n", ...taskFiles(task, "T-1", "T-1") };
  task.pass("done");
  const commits = [{ files: base }, { files: taskFiles(task, "T-1", "T-1") }, { files: { "a.txt": "changed\n" } }];
  const { check } = makeCheck(t, commits, { [main]: 0, [one]: 2 });
  const end = await check("--json");
  const { findings } = end.json() as { findings: Record<"severity" | "code" | "message" | "file", string>[] };
  assert.deepEqual(
    findings.flatMap(({ severity, code, message, file }) =>
      code === "TP_MOVED_SINCE" ? [[severity, message, file]] : [],
    ),
    [["info", "done, moved since: 1 path", "tasks/T-1"]],
  );
});
