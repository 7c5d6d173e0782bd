import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { describeRepo, findGitTop, listRepoPaths } from "../../lib/git/list-paths.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, makeRepo, write } from "./git-repo.ts";

describe("findGitTop", () => {
  it("finds the nearest repository upward, through a gitfile too, and no folder that only has the name", () =>
    withFolder((folder) => {
      makeRepo(join(folder, "repo"), { "a/b/c": "x" });
      git(join(folder, "repo"), "worktree", "add", "-q", join(folder, "linked"));
      write(folder, { "repo/a/.git/config": "", "repo/a/b/.git": "gitdir: /nonexistent\n", "plain/.git": "no" });
      const tops = ["repo/a/b", "repo", "linked/a", "plain", "none"].map((path) => findGitTop(join(folder, path)));
      assert.deepEqual(tops, [join(folder, "repo"), join(folder, "repo"), join(folder, "linked"), null, null]);
    }));
});

describe("listRepoPaths", () => {
  it("lists tracked and new paths once, also while a merge is unresolved", () =>
    withFolder(async (folder) => {
      makeRepo(folder, { a: "1" });
      git(folder, "checkout", "-q", "-b", "other");
      write(folder, { a: "2" });
      git(folder, "commit", "-q", "-a", "-m", "other");
      git(folder, "checkout", "-q", "main");
      write(folder, { a: "3" });
      git(folder, "commit", "-q", "-a", "-m", "main");
      assert.throws(() => git(folder, "merge", "-q", "other"));
      write(folder, { new: "x" });
      const { paths } = await listRepoPaths(folder, gitEnv);
      assert.deepEqual(paths.map(String).sort(), ["a", "new"]);
    }));
});

describe("describeRepo", () => {
  it("tells commit, branch and whether anything differs", () =>
    withFolder(async (folder) => {
      assert.deepEqual(await describeRepo(folder, [], gitEnv), { head: null, branch: null, dirty: null });
      git(folder, "init", "-q");
      assert.deepEqual(await describeRepo(folder, [], gitEnv), { head: null, branch: "main", dirty: false });
      write(folder, { a: "a" });
      git(folder, "add", "-A");
      git(folder, "commit", "-q", "-m", "first");
      const head = git(folder, "rev-parse", "HEAD").trim();
      assert.deepEqual(await describeRepo(folder, [], gitEnv), { head, branch: "main", dirty: false });
      write(folder, { "in/b": "b" });
      git(folder, "checkout", "-q", "--detach");
      assert.deepEqual(await describeRepo(join(folder, "in"), [], gitEnv), { head, branch: null, dirty: true });
      write(folder, { ".git/index": "garbage" });
      assert.equal((await describeRepo(folder, [], gitEnv)).dirty, null);
      assert.deepEqual(await describeRepo(folder, [], { PATH: "/nonexistent" }), {
        head: null,
        branch: null,
        dirty: null,
      });
    }));

  it("runs no filter that .git/config names", () =>
    withFolder(async (folder) => {
      const repo = join(folder, "repo");
      makeRepo(repo, { a: "a", ".gitattributes": "* filter=evil\n" });
      writeFileSync(join(folder, "trap.sh"), `#!/bin/sh\ntouch '${folder}/sprung'\ncat\n`);
      chmodSync(join(folder, "trap.sh"), 0o755);
      mkdirSync(join(folder, "x"));
      for (const key of ["filter.evil.clean", "filter.evil.process", "core.fsmonitor"])
        git(repo, "config", key, join(folder, "trap.sh"));
      git(repo, "config", "filter.evil.required", "true");
      write(repo, { a: "b" });
      utimesSync(join(repo, ".gitattributes"), 1, 1);
      assert.equal((await describeRepo(repo, [], gitEnv)).dirty, true);
      assert.equal(existsSync(join(folder, "sprung")), false);
    }));
});
