import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type BranchWorld, makeBranchWorld } from "../cli/branch-world.ts";

function commit(world: BranchWorld, file: string, text: string, top = "repo"): void {
  world.write(`${top}/${file}`, text);
  world.git(top, "add", file);
  world.git(top, "commit", "-qm", file);
}

function mergeByHand(world: BranchWorld, branch: string): void {
  world.git("repo", "worktree", "add", "-q", "../other", "task-phase/T-1");
  world.git("other", "merge", "-q", "--no-edit", branch);
  world.git("repo", "worktree", "remove", "../other");
}

/** The code on main, and the number of parents of its newest commit. */
function landed(world: BranchWorld): readonly [string[], number] {
  const files = world.git("repo", "ls-tree", "-r", "--name-only", "main").split("\n");
  const code = files.filter((file) => file.endsWith(".txt") && !file.startsWith("tasks/"));
  return [code, world.git("repo", "log", "-1", "--format=%P", "main").trim().split(" ").length];
}

describe("land in a branch that no longer has the commit at which a task began", () => {
  test("brings the work of the task, and nothing that a person took out of history", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    commit(world, "secret.txt", "hunter2\n");
    commit(world, "draft.txt", "first\n");
    await world.ends(0, "loop");
    world.git("repo", "reset", "-q", "--hard", "HEAD~2");
    commit(world, "draft.txt", "better\n");
    assert.match(
      (await world.ends(0, "land", "T-1", "--dry-run")).stderr,
      /T-1 {2}would land {2}it merges into main as one/,
    );
    const { stderr } = await world.ends(0, "land", "T-1");
    assert.match(
      stderr,
      /merged into main as one commit, since main does not have the commits that its branch builds on/,
    );
    const files = world.git("repo", "log", "--format=", "--name-only", "main").split("\n");
    assert.deepEqual([files.includes("T-1.txt"), files.includes("secret.txt")], [true, false]);
    assert.equal(world.read("repo/draft.txt"), "better\n");
    assert.deepEqual(world.branches(), ["main"]);
    assert.match((await world.ends(0, "check", "--history")).stdout, /nothing is wrong/);
  });

  test("--dry-run says the same of tasks that build on one another as the landing does", async (t) => {
    const world = makeBranchWorld(t, {
      "T-1": {},
      "T-2": { contract: ["depends_on: [T-1]"] },
      "T-3": { contract: ["depends_on: [T-2]"] },
    });
    commit(world, "draft.txt", "first\n");
    await world.ends(0, "loop");
    world.git("repo", "reset", "-q", "--hard", "HEAD~1");
    world.git("repo", "commit", "-q", "--amend", "-m", "Anew");
    const wordsOf = (stderr: string) =>
      stderr.match(/^T-\d {2}.*main as one commit/gm)?.map((line) => line.slice(0, 3));
    const all = ["T-1", "T-2", "T-3"];
    assert.deepEqual(wordsOf((await world.ends(0, "land", "--all", "--dry-run")).stderr), all);
    assert.deepEqual(wordsOf((await world.ends(0, "land", "--all")).stderr), all);
  });

  test("--dry-run knows what a person squashed of tasks that others build on", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {}, "T-2": { contract: ["depends_on: [T-1]"] } });
    world.git("repo", "add", "tasks");
    world.git("repo", "commit", "-qm", "The briefs");
    await world.ends(0, "loop");
    world.git("repo", "merge", "-q", "--squash", "task-phase/T-1");
    world.git("repo", "commit", "-qm", "T-1 by hand");
    const said = /^T-1 {2}landed {2}already in main\nT-2 {2}.*main as one commit/m;
    assert.match((await world.ends(0, "land", "--all", "--dry-run")).stderr, said);
    assert.match((await world.ends(0, "land", "--all")).stderr, said);
  });

  test("status counts what moved since a person squashed a branch of this machine", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    world.git("repo", "add", "tasks");
    world.git("repo", "commit", "-qm", "The brief");
    await world.ends(0, "loop");
    world.git("repo", "merge", "-q", "--squash", "task-phase/T-1");
    world.git("repo", "commit", "-qm", "T-1 by hand");
    const moved = async () => {
      const { moved_since: since } = JSON.parse((await world.ends(0, "show", "T-1", "--json")).stdout) as Record<
        string,
        unknown
      >;
      return since;
    };
    assert.equal(await moved(), null);
    commit(world, "T-1.txt", "other work\n");
    assert.deepEqual(await moved(), { paths: 1, reason: null });
  });

  test("works if no commit is common to the two", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    await world.ends(0, "loop");
    world.git("repo", "checkout", "-q", "--orphan", "anew");
    commit(world, "other.txt", "other\n");
    world.git("repo", "branch", "-qM", "anew", "main");
    await world.ends(0, "land", "T-1");
    assert.equal(world.git("repo", "log", "--format=%s", "main").split("\n").length, 3);
    assert.equal(world.read("repo/T-1.txt"), "work of T-1\n");
  });

  test("takes lines for the task's own that what it depends on brought, and a person squashed and edited", async (t) => {
    const plan = (word: string) => [`echo ${word} >> "$TASK_PHASE_REPO/work.txt"`];
    const world = makeBranchWorld(t, {
      "T-1": { plan: plan("one") },
      "T-2": { plan: plan("two"), contract: ["depends_on: [T-1]"] },
    });
    await world.ends(0, "loop");
    world.git("repo", "clean", "-qfd", "tasks/T-1");
    world.git("repo", "merge", "-q", "--squash", "task-phase/T-1");
    world.git("repo", "commit", "-qm", "T-1 (#1)");
    await world.ends(0, "land", "--all");
    assert.equal(world.read("repo/work.txt"), "first\none\ntwo\n");
  });

  test("takes what a person squashed of several for no work of the task that builds on them", async (t) => {
    const plan = (word: string, ...files: readonly string[]) => [
      files.map((file) => `echo ${word} >> "$TASK_PHASE_REPO/${file}"`).join("; "),
    ];
    const world = makeBranchWorld(t, {
      "T-1": { plan: plan("one", "one.txt") },
      "T-2": { plan: plan("two", "two.txt") },
      "T-3": { plan: plan("three", "one.txt", "two.txt"), contract: ["depends_on: [T-1, T-2]"] },
    });
    await world.ends(0, "loop");
    for (const id of ["T-1", "T-2"]) {
      world.git("repo", "clean", "-qfd", `tasks/${id}`);
      world.git("repo", "merge", "-q", "--squash", `task-phase/${id}`);
      world.git("repo", "commit", "-qm", `${id} (#1)`);
    }
    await world.ends(0, "land", "--all");
    assert.deepEqual(
      [world.read("repo/one.txt"), world.read("repo/two.txt"), landed(world)[1]],
      ["one\nthree\n", "two\nthree\n", 1],
    );
  });

  test("goes on from the merge of a repair, also if the target was rewritten before and after it", async (t) => {
    const write = (word: string) => `echo ${word} > "$TASK_PHASE_REPO/work.txt"`;
    const world = makeBranchWorld(t, { "T-1": { plan: [write("one"), "", write("both")] } });
    commit(world, "secret.txt", "hunter2\n");
    await world.ends(0, "loop");
    world.git("repo", "reset", "-q", "--hard", "HEAD~1");
    commit(world, "work.txt", "two\n");
    assert.match((await world.ends(20, "land", "T-1")).stderr, /T-1 {2}conflict .*work\.txt/);
    await world.ends(0, "loop");
    world.git("repo", "commit", "-q", "--amend", "-m", "another word");
    await world.ends(0, "land", "T-1");
    assert.equal(world.read("repo/work.txt"), "both\n");
    assert.equal(world.git("repo", "log", "--format=%s", "main", "--", "secret.txt"), "");
  });

  test("leaves out what a person merged by hand and then took out of history", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    await world.ends(0, "loop");
    commit(world, "secret.txt", "hunter2\n");
    mergeByHand(world, "main");
    world.git("repo", "reset", "-q", "--hard", "HEAD~1");
    await world.ends(0, "land", "T-1");
    assert.deepEqual(landed(world), [["T-1.txt", "work.txt"], 1]);
    assert.equal(world.git("repo", "log", "--full-history", "--format=%s", "main", "--", "secret.txt"), "");
  });

  test("keeps what a person committed on the task's branch before the first pass", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    world.git("repo", "add", "tasks");
    world.git("repo", "commit", "-qm", "briefs");
    commit(world, "secret.txt", "hunter2\n");
    world.git("repo", "checkout", "-qb", "task-phase/T-1");
    commit(world, "person.txt", "a person's\n");
    world.git("repo", "checkout", "-q", "main");
    await world.ends(0, "loop");
    world.git("repo", "reset", "-q", "--hard", "HEAD~1");
    await world.ends(0, "land", "T-1");
    assert.deepEqual(landed(world), [["T-1.txt", "person.txt", "work.txt"], 1]);
  });
});

describe("land in a branch that was not rewritten", () => {
  test("merges a task that builds on several", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {}, "T-2": {}, "T-3": { contract: ["depends_on: [T-1, T-2]"] } });
    await world.ends(0, "loop");
    await world.ends(0, "land", "--all");
    assert.deepEqual(landed(world), [["T-1.txt", "T-2.txt", "T-3.txt", "work.txt"], 2]);
  });

  test("keeps another branch that a person merged into the task's", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {} });
    world.git("repo", "checkout", "-qb", "feature");
    commit(world, "feature.txt", "a feature\n");
    world.git("repo", "checkout", "-q", "main");
    await world.ends(0, "loop");
    mergeByHand(world, "feature");
    await world.ends(0, "land", "T-1");
    assert.deepEqual(landed(world), [["T-1.txt", "feature.txt", "work.txt"], 2]);
  });

  test("keeps the work of a task that it builds on, and whose branch a person deleted", async (t) => {
    const world = makeBranchWorld(t, { "T-1": {}, "T-2": { contract: ["depends_on: [T-1]"] } });
    world.git("repo", "add", "tasks");
    world.git("repo", "commit", "-qm", "briefs");
    await world.ends(0, "loop");
    world.git("repo", "branch", "-qD", "task-phase/T-1");
    await world.ends(0, "land", "T-2");
    assert.deepEqual(landed(world), [["T-1.txt", "T-2.txt", "work.txt"], 2]);
  });
});
