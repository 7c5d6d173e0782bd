import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makePatches } from "../../lib/git/patch.ts";
import { captureTree } from "../../lib/git/tree.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, makeRepo, write } from "./git-repo.ts";

/** What a second pass does to a repo whose first pass is over, and both patches of it. */
async function patchesOf(folder: string, repo: string, since: { commit: string; paths: string[] }, pass: () => void) {
  const scratch = join(folder, "scratch");
  const captured = await captureTree(repo, scratch, [], gitEnv);
  assert.ok(captured !== null);
  pass();
  const made = await makePatches(captured, { changedPaths: ["a", "new"], since }, gitEnv);
  assert.equal(existsSync(scratch), false);
  return { pass: made.pass?.toString("utf8") ?? null, task: made.task?.toString("utf8") ?? null };
}

const headings = (patch: string | null) => patch?.match(/^diff .*$/gm) ?? null;

test("the patch of a task begins at its commit and names only what its passes changed", () =>
  withFolder(async (folder) => {
    const repo = join(folder, "repo");
    makeRepo(repo, { a: "1\n", b: "1\n", mine: "m\n", gone: "g\n" });
    const commit = git(repo, "rev-parse", "HEAD").trim();
    // The first pass, committed in part, and what a person has not committed.
    write(repo, { a: "2\n", b: "2\n", mine: "not yet\n" });
    git(repo, "commit", "-q", "-m", "work", "a");
    rmSync(join(repo, "gone"));
    const index = git(repo, "ls-files", "-s");
    const made = await patchesOf(folder, repo, { commit, paths: ["a", "b", "gone", "new"] }, () => {
      writeFileSync(join(repo, "a"), "3\n");
      writeFileSync(join(repo, "new"), "n\n");
    });
    assert.deepEqual(headings(made.pass), ["diff --git a/a b/a", "diff --git a/new b/new"]);
    assert.match(made.pass ?? "", /-2\n\+3\n/);
    assert.deepEqual(headings(made.task), [
      ...["diff --git a/a b/a", "diff --git a/b b/b", "diff --git a/gone b/gone", "diff --git a/new b/new"],
    ]);
    assert.match(made.task ?? "", /-1\n\+3\n/);
    assert.equal(git(repo, "ls-files", "-s"), index);
  }));

test("a commit that does not exist gives no patch of the task, and the one of the pass all the same", () =>
  withFolder(async (folder) => {
    const repo = join(folder, "repo");
    makeRepo(repo, { a: "1\n" });
    const made = await patchesOf(folder, repo, { commit: "f".repeat(40), paths: ["a"] }, () =>
      write(repo, { a: "2\n" }),
    );
    assert.deepEqual([headings(made.pass), made.task], [["diff --git a/a b/a"], null]);
  }));

test("objects that the pass threw away cost only what needs them", () =>
  withFolder(async (folder) => {
    const repo = join(folder, "repo");
    makeRepo(repo, { a: "1\n" });
    write(repo, { staged: "s\n" });
    git(repo, "add", "staged");
    const commit = git(repo, "rev-parse", "HEAD").trim();
    const made = await patchesOf(folder, repo, { commit, paths: ["a"] }, () => {
      git(repo, "reset", "-q", "--hard");
      git(repo, "prune", "--expire=now");
      write(repo, { a: "2\n" });
    });
    assert.deepEqual(headings(made.pass), ["diff --git a/a b/a"]);
    assert.deepEqual(headings(made.task), ["diff --git a/a b/a"]);
  }));

test("a name that no command line can hold is said above the patch", () =>
  withFolder(async (folder) => {
    const repo = join(folder, "repo");
    makeRepo(repo, { a: "1\n" });
    const commit = git(repo, "rev-parse", "HEAD").trim();
    const odd = Buffer.concat([Buffer.from(`${repo}/od`), Buffer.from([0xff])]);
    const made = await patchesOf(folder, repo, { commit, paths: ["a", "//od\\xff"] }, () => {
      write(repo, { a: "2\n" });
      writeFileSync(odd, "x");
    });
    assert.match(made.task ?? "", /^# changed, and not shown here:\n# {3}\/\/od.*\(a name that is not UTF-8\)\n/);
    assert.deepEqual(headings(made.task), ["diff --git a/a b/a"]);
  }));
