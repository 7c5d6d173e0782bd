import assert from "node:assert/strict";
import { test } from "node:test";
import type { PathChange } from "../../lib/git/commits.ts";
import type { TreeEntry } from "../../lib/git/list-tree.ts";
import { walkTasks } from "../../lib/history/walk-tasks.ts";
import { commit, judge, rename, stateOf, under, walkTo } from "./arrange.ts";

test("a folder that is renamed, with all that it holds, and one that is removed", async (t) => {
  const { task, commits } = walkTo("done");
  commits.push({ files: { "T-1": null, ...under("T-9", task.files()) } }, { files: { "T-9": null } });
  const { found, report } = await judge(t, commits);
  assert.deepEqual([found, report.tasks], [[], 2]);
});

test("two branches that work on two tasks, merged", async (t) => {
  const { task, commits } = walkTo("done");
  const other = walkTo("done").commits.map(({ files }) => ({ files: rename(files, "T-2") }));
  const [first, ...rest] = other;
  commits.push({ ...first, files: first?.files ?? {}, parents: [0] }, ...rest);
  const merged = { files: under("T-1", task.files()), parents: [commits.length - 1, 5] };
  const { found, report } = await judge(t, [...commits, merged]);
  assert.deepEqual([found, report.transitions], [[], 12]);
});

test("two branches that worked on the same task, where the merge takes what one of them has", async (t) => {
  const { task, commits } = walkTo("implement");
  const [ours, theirs] = [task.fork(), task.fork()];
  ours.pass("verify");
  theirs.pass("verify", { fields: { "Next step": "otherwise" } });
  const base = commits.length - 1;
  commits.push({ ...commit(ours), parents: [base] }, { ...commit(theirs), parents: [base] });
  commits.push({ ...commit(ours), parents: [base + 2, base + 1] });
  const { found } = await judge(t, commits);
  assert.deepEqual(found, []);
});

test("an evil merge that sets done", async (t) => {
  const { task, commits } = walkTo("review");
  commits.push({ files: { "other.txt": "x" }, parents: [0] });
  commits.push({ ...commit(task, stateOf(task, { Phase: "done" })), parents: [4, 5], message: "Merge branch x" });
  const { found, report } = await judge(t, commits);
  assert.deepEqual([found, report.forged[0]?.subject], [["error DONE 6"], "Merge branch x"]);
});

test("done on a branch that a merge left aside", async (t) => {
  const { task, commits } = walkTo("review");
  commits.push(commit(task, stateOf(task, { Phase: "done" })));
  commits.push({ ...commit(task), parents: [4, 5], message: "ours" });
  const { found } = await judge(t, commits);
  assert.deepEqual(found, ["error DONE 5"]);
});

const entry = (oid: string, mode = "100644"): TreeEntry => ({ mode, oid });
const change = (path: string, oid: string | null): PathChange => ({ path, entry: oid === null ? null : entry(oid) });

/** Each step as `commit order state journal`, with `?` in front of one that is trusted. */
function stepsOf(walk: ReturnType<typeof walkTasks>, name = "T-1"): string[] {
  const steps = walk.tasks.find((task) => task.name === name)?.steps ?? [];
  return steps.map(
    ({ commit: { sha }, order, now, judged }) =>
      `${judged ? "" : "?"}${sha} ${order} ${now.state?.oid ?? "-"} ${now.journal?.oid ?? "-"}`,
  );
}

const line = [
  { sha: "a", parents: [] },
  { sha: "b", parents: ["a"] },
  { sha: "c", parents: ["b"] },
];

test("a commit is a step of each task whose STATE.md or journal it changes, and keeps what it does not change", () => {
  const changes = new Map([
    ["a", [change("T-1/STATE.md", "s1"), change("T-2/STATE.md", "x1")]],
    ["b", [change("T-1/artifacts/journal.jsonl", "j1")]],
    ["c", [change("T-1/STATE.md", null), change("other.txt", "o1"), change(".task-phase/STATE.md", "r1")]],
  ]);
  const walk = walkTasks(line, changes, "", null, null);
  assert.deepEqual(stepsOf(walk), ["a 0 s1 -", "b 1 s1 j1", "c 2 - j1"]);
  assert.deepEqual(stepsOf(walk, "T-2"), ["a 0 x1 -"]);
  assert.deepEqual([walk.commits, walk.tasks.map(({ name }) => name)], [3, ["T-1", "T-2", "other.txt"]]);
  assert.deepEqual(walk.tasks[0]?.head, { state: null, journal: entry("j1") });
  assert.deepEqual(stepsOf(walkTasks(line, changes, "", "T-2", null)), []);
  assert.deepEqual(stepsOf(walkTasks(line, changes, "tasks/", null, null)), []);
});

test("records and packs of passes are kept by their names, and are no steps", () => {
  const changes = new Map([
    ["a", [change("t/T-1/artifacts/passes/0001/pass.json", "p1"), change("t/T-1/artifacts/passes/packed.jsonl", "k")]],
    ["b", [change("t/T-1/artifacts/passes/0001/pass.json", "p2")]],
    ["c", [change("t/T-1/artifacts/passes/0001/pass.json", null), change("t/T-1/artifacts/passes/packed.jsonl", null)]],
  ]);
  const [task] = walkTasks(line, changes, "t/", null, null).tasks;
  assert.deepEqual([...(task?.records.get("0001") ?? [])], ["p1", "p2"]);
  assert.deepEqual([[...(task?.packs ?? [])], task?.steps], [["k"], []]);
});

test("only commits that are judged count, and others are steps that are trusted", () => {
  const changes = new Map([
    ["a", [change("T-1/STATE.md", "s1")]],
    ["c", [change("T-1/STATE.md", "s2")]],
  ]);
  const walk = walkTasks(line, changes, "", null, new Set(["b", "c"]));
  assert.deepEqual([walk.commits, stepsOf(walk)], [1, ["?a 0 s1 -", "c 2 s2 -"]]);
});

test("a merge that takes a parent's version is no step, and one with a version of its own is one", () => {
  const commits = [
    { sha: "a", parents: [] },
    { sha: "b", parents: ["a"] },
    { sha: "c", parents: ["a"] },
    { sha: "m", parents: ["b", "c"] },
  ];
  const merged = (oid: string) =>
    new Map([
      ["a", [change("T-1/STATE.md", "s1")]],
      ["b", [change("T-1/STATE.md", "s2")]],
      ["c", [change("T-1/STATE.md", "s3")]],
      ["m", [change("T-1/STATE.md", oid)]],
    ]);
  assert.deepEqual(stepsOf(walkTasks(commits, merged("s3"), "", null, null)).slice(3), []);
  const evil = walkTasks(commits, merged("s4"), "", null, null).tasks[0]?.steps.at(-1);
  assert.deepEqual([evil?.now.state?.oid, evil?.before.map(({ state }) => state?.oid)], ["s4", ["s2", "s3"]]);
  const tips = new Map([["T-1", "c"]]);
  assert.equal(walkTasks(commits, merged("s4"), "", null, null, tips).tasks[0]?.head.state?.oid, "s3");
});

test("another mode of the file is another version", () => {
  const changes = new Map([
    ["a", [change("T-1/STATE.md", "s1")]],
    ["b", [{ path: "T-1/STATE.md", entry: entry("s1", "100755") }]],
    ["c", [{ path: "T-1/STATE.md", entry: entry("s1", "100755") }]],
  ]);
  assert.equal(stepsOf(walkTasks(line, changes, "", null, null)).length, 2);
});
