import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { switchBranch } from "../../lib/git/branch.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, write } from "./git-repo.ts";
import { filesOf, makeGitWorld, statusOf } from "./git-world.ts";

/** How it ended: the kind, or the exit name, the code and the words of the refusal. */
async function switched(repo: string, name: string, travelling: readonly string[] = []): Promise<string[]> {
  try {
    return [(await switchBranch(repo, name, travelling, gitEnv)).kind];
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    return [error.exitName, error.findings[0]?.code ?? "", error.message];
  }
}

const head = (repo: string) => git(repo, "symbolic-ref", "--short", "HEAD").trim();

describe("switching to a branch", () => {
  it("makes it from what is checked out, switches to it, and stays there", () =>
    withFolder(async (folder) => {
      const { repo } = makeGitWorld(folder, { a: "1\n" });
      assert.deepEqual(await switched(repo, "agent/T-1"), ["made"]);
      assert.deepEqual(await switched(repo, "agent/T-1"), ["stayed"]);
      write(repo, { a: "2\n" });
      git(repo, "commit", "-q", "-a", "-m", "x");
      assert.deepEqual([await switched(repo, "main"), head(repo), statusOf(repo)], [["switched"], "main", []]);
      assert.equal(readFileSync(join(repo, "a"), "utf8"), "1\n");
      await switched(repo, "agent/T-1");
      assert.deepEqual([readFileSync(join(repo, "a"), "utf8"), statusOf(repo)], ["2\n", []]);
    }));

  it("makes it from what origin is known to have, and follows that", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n" });
      git(world.repo, "push", "-q", "origin", "main:work");
      world.others({ a: "2\n" }, "work");
      const clone = join(folder, "clone");
      git(folder, "clone", "-q", world.remote, clone);
      assert.deepEqual(await switched(clone, "work"), ["made"]);
      assert.deepEqual(
        [filesOf(clone, "HEAD"), git(clone, "status", "-sb")],
        [{ a: "2\n" }, "## work...origin/work\n"],
      );
    }));

  it("refuses what is not committed, but takes along what is not committed in task folders", () =>
    withFolder(async (folder) => {
      const { repo } = makeGitWorld(folder, { a: "1\n", "tasks/T-1/STATE.md": "1\n", "tasks/T-1/x": "1\n" });
      const tasks = [join(repo, "tasks/T-1")];
      git(repo, "branch", "other");
      write(repo, { "tasks/T-1/STATE.md": "2\n", "tasks/T-1/new": "n\n", "tasks/.task-phase/state.json": "{}" });
      assert.deepEqual(await switched(repo, "other", tasks), ["switched"]);
      assert.deepEqual(statusOf(repo), [" M tasks/T-1/STATE.md", "?? tasks/.task-phase/", "?? tasks/T-1/new"]);
      write(repo, { a: "2\n" });
      const refused = await switched(repo, "main", tasks);
      assert.deepEqual(refused.slice(0, 2), ["usage", "TP_BRANCH_DIRTY"]);
      assert.match(refused[2] ?? "", /^cannot switch to the branch main: there are uncommitted changes: a$/);
      assert.match((await switched(repo, "main"))[2] ?? "", /changes: a, tasks\/T-1\/STATE\.md$/);
      write(repo, { a: "1\n", "tasks/T-1/x": "2\n" });
      git(repo, "commit", "-q", "-m", "x", "tasks/T-1/x");
      write(repo, { "tasks/T-1/x": "3\n" });
      const before = [git(repo, "ls-files", "-s"), statusOf(repo), head(repo)];
      assert.match((await switched(repo, "main", tasks))[2] ?? "", /Entry 'tasks\/T-1\/x' not uptodate/);
      assert.deepEqual([git(repo, "ls-files", "-s"), statusOf(repo), head(repo)], before);
    }));

  it("overwrites no untracked file, and leaves no branch behind then", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1\n" });
      git(world.repo, "push", "-q", "origin", "main:work");
      world.others({ new: "theirs\n" }, "work");
      git(world.repo, "fetch", "-q");
      write(world.repo, { new: "mine\n" });
      const refused = await switched(world.repo, "work");
      assert.deepEqual(refused.slice(0, 2), ["usage", "TP_BRANCH_DIRTY"]);
      assert.match(refused[2] ?? "", /'new' would be overwritten/);
      assert.deepEqual(
        [git(world.repo, "branch"), readFileSync(join(world.repo, "new"), "utf8")],
        ["* main\n", "mine\n"],
      );
    }));

  it("refuses names that are none, a branch of another working tree, and what is in progress", () =>
    withFolder(async (folder) => {
      const { repo } = makeGitWorld(folder, { a: "1\n" });
      for (const name of ["-f", "HEAD", "a..b", "", "a b", "x.lock", "@{-1}"]) {
        assert.deepEqual((await switched(repo, name)).slice(0, 2), ["usage", "TP_BRANCH_NAME"], name);
      }
      const below = await switched(repo, "main/x");
      assert.deepEqual(below.slice(0, 2), ["usage", "TP_BRANCH_NAME"]);
      assert.match(below[2] ?? "", /^the branch main\/x cannot be made: /);
      git(repo, "worktree", "add", "-q", join(folder, "linked"), "-b", "taken");
      assert.match((await switched(repo, "taken"))[2] ?? "", /checked out in another working tree, .*linked$/);
      write(repo, { ".git/CHERRY_PICK_HEAD": "" });
      assert.match((await switched(repo, "work"))[2] ?? "", /a cherry-pick is in progress$/);
      assert.deepEqual((await switched(folder, "work")).slice(0, 2), ["config", "TP_BRANCH_GIT"]);
    }));

  it("names the first branch of an empty repository", () =>
    withFolder(async (folder) => {
      git(folder, "init", "-q");
      assert.deepEqual([await switched(folder, "work"), head(folder)], [["made"], "work"]);
    }));
});
