import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type BranchWorld, makeBranchWorld } from "../cli/branch-world.ts";

function commit(world: BranchWorld, file: string, text: string): void {
  world.write(`repo/${file}`, text);
  world.git("repo", "add", file);
  world.git("repo", "commit", "-qm", file);
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
      /merged into main as one commit, since main does not have the commit that its branch began at/,
    );
    const files = world.git("repo", "log", "--format=", "--name-only", "main").split("\n");
    assert.deepEqual([files.includes("T-1.txt"), files.includes("secret.txt")], [true, false]);
    assert.equal(world.read("repo/draft.txt"), "better\n");
    assert.deepEqual(world.branches(), ["main"]);
    assert.match((await world.ends(0, "check", "--history")).stdout, /nothing is wrong/);
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
});
