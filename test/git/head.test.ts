import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { busyFinding, findUnfinished, listChanged, readHead, readStatus } from "../../lib/git/head.ts";
import { findGitPlace } from "../../lib/git/place.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, makeRepo, write } from "./git-repo.ts";

describe("an unfinished operation of git", () => {
  const signs = {
    MERGE_HEAD: "merge",
    "rebase-merge/x": "rebase",
    "rebase-apply/x": "rebase",
    CHERRY_PICK_HEAD: "cherry-pick",
    REVERT_HEAD: "revert",
    BISECT_START: "bisect",
  };

  it("is known by the file that git keeps of it", () =>
    withFolder((folder) => {
      const place = { top: "/r", gitDir: join(folder, "git"), commonDir: folder };
      assert.equal(findUnfinished(place), null);
      for (const [name, what] of Object.entries(signs)) {
        write(place.gitDir, { [name]: "" });
        assert.equal(findUnfinished(place), what, name);
        rmSync(place.gitDir, { recursive: true });
      }
      const { severity, code, message, fix } = busyFinding(place, "pushed", "merge");
      assert.deepEqual(
        [severity, code, message, fix],
        [
          "warning",
          "TP_GIT_BUSY",
          "not pushed: a merge is in progress in /r",
          "finish the merge; the next run of the task does it then",
        ],
      );
    }));
});

describe("HEAD and what differs from it", () => {
  it("is a branch, a commit, or none yet", () =>
    withFolder(async (folder) => {
      git(folder, "init", "-q");
      const place = findGitPlace(folder) ?? assert.fail();
      assert.equal(await readHead(place, gitEnv), null);
      assert.deepEqual(await readStatus(place, folder, [], gitEnv), { commit: null, branch: "main", dirty: false });
      git(folder, "commit", "-q", "--allow-empty", "-m", "first");
      const [commit, tree] = git(folder, "rev-parse", "HEAD", "HEAD^{tree}").trim().split("\n");
      assert.deepEqual(await readHead(place, gitEnv), { commit, tree, ref: "refs/heads/main" });
      git(folder, "checkout", "-q", "--detach");
      assert.deepEqual(await readHead(place, gitEnv), { commit, tree, ref: null });
      assert.deepEqual(await readStatus(place, folder, [], gitEnv), { commit, branch: null, dirty: false });
    }));

  it("is told for one folder: staged, changed, gone, new and in conflict, whatever the names are", () =>
    withFolder(async (folder) => {
      makeRepo(folder, { "in/a b": "1", "in/gone": "1", "in/both": "1", "in/staged": "1", beside: "1" });
      git(folder, "switch", "-q", "-c", "other");
      write(folder, { "in/both": "theirs" });
      git(folder, "commit", "-q", "-am", "theirs");
      git(folder, "switch", "-q", "main");
      write(folder, { "in/both": "ours" });
      git(folder, "commit", "-q", "-am", "ours");
      assert.throws(() => git(folder, "merge", "-q", "other"));
      const place = findGitPlace(folder) ?? assert.fail();
      const repo = join(folder, "in");
      const dirty = async (...leaveOut: string[]) => (await readStatus(place, repo, leaveOut, gitEnv)).dirty;
      assert.deepEqual([await listChanged(place, repo, gitEnv), await dirty()], [["both"], true]);
      assert.equal(await dirty(join(repo, "both")), false);
      write(folder, { "in/a b": "2", "in/staged": "2", "in/new/ü\n": "1", "in/.task-phase/x": "1", beside: "2" });
      rmSync(join(repo, "gone"));
      git(folder, "add", "in/staged");
      const changed = ["a b", "both", "gone", "new/ü\n", "staged"];
      assert.deepEqual((await listChanged(place, repo, gitEnv)).sort(), changed);
    }));

  it("is no code in the folders that the caller leaves out, or beside the repo", () =>
    withFolder(async (folder) => {
      makeRepo(folder, { "in/a": "1", beside: "1" });
      const place = findGitPlace(folder) ?? assert.fail();
      const dirty = async (repo: string, ...leaveOut: string[]) =>
        (await readStatus(place, repo, leaveOut, gitEnv)).dirty;
      write(folder, { beside: "2", "in/tasks/T-1": "1", "in/.task-phase/lock": "1" });
      const [repo, tasks] = [join(folder, "in"), join(folder, "in/tasks")];
      assert.deepEqual([await dirty(repo), await dirty(repo, tasks, "/elsewhere")], [true, false]);
      assert.equal(await dirty(folder, tasks), true);
    }));
});
