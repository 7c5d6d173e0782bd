import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { findGitPlace } from "../../lib/git/place.ts";
import { findBase } from "../../lib/prove/find-base.ts";
import { git, gitEnv, makeRepo, write } from "../git/git-repo.ts";
import { withFolder } from "../store/temporary-folder.ts";

function baseOf(repo: string, revision: string | null = null, since: Date | null = null) {
  const place = findGitPlace(repo);
  assert(place !== null);
  return findBase(place, revision, since, gitEnv);
}

function commit(repo: string, name: string): string {
  write(repo, { [name]: "" });
  git(repo, "add", "-A");
  git(repo, "commit", "-q", "-m", name);
  return git(repo, "rev-parse", "HEAD").trim();
}

test("a repo without a commit has nothing to compare with", () =>
  withFolder(async (folder) => {
    git(folder, "init", "-q");
    await assert.rejects(baseOf(folder), /the repo has no commit/);
  }));

test("the base is where the work left the default branch, of which the remote's comes first", () =>
  withFolder(async (folder) => {
    const repo = join(folder, "repo");
    makeRepo(repo, { "a.txt": "" });
    const start = git(repo, "rev-parse", "HEAD").trim();
    assert.deepEqual(await baseOf(repo), { commit: start, name: "main" });
    git(repo, "switch", "-q", "-c", "work");
    commit(repo, "work.txt");
    assert.deepEqual(await baseOf(repo), { commit: start, name: "main" });
    git(repo, "switch", "-q", "main");
    const later = commit(repo, "main.txt");
    git(repo, "switch", "-q", "work");
    assert.deepEqual(await baseOf(repo), { commit: start, name: "main" });
    git(repo, "update-ref", "refs/remotes/origin/main", later);
    assert.deepEqual(await baseOf(repo), { commit: start, name: "origin/main" });
    git(repo, "merge", "-q", "main");
    assert.deepEqual(await baseOf(repo), { commit: later, name: "origin/main" });
    git(repo, "branch", "-q", "-D", "main");
    git(repo, "update-ref", "-d", "refs/remotes/origin/main");
    assert.equal((await baseOf(repo)).name, "HEAD");
  }));

test("a revision that is named is taken, and one that does not exist is a usage error", () =>
  withFolder(async (folder) => {
    makeRepo(folder, { "a.txt": "" });
    const start = git(folder, "rev-parse", "HEAD").trim();
    const now = commit(folder, "b.txt");
    assert.deepEqual(await baseOf(folder, "HEAD"), { commit: now, name: "HEAD" });
    assert.deepEqual(await baseOf(folder, "HEAD~1"), { commit: start, name: "HEAD~1" });
    await assert.rejects(baseOf(folder, "nowhere"), /--base: the repo has no commit nowhere/);
  }));

test("a branch with nothing in common is compared with as it is", () =>
  withFolder(async (folder) => {
    makeRepo(folder, { "a.txt": "" });
    git(folder, "switch", "-q", "--orphan", "other");
    const other = commit(folder, "b.txt");
    git(folder, "switch", "-q", "main");
    assert.deepEqual(await baseOf(folder, "other"), { commit: other, name: "other" });
  }));

test("on the default branch of a repo without a remote the work is what HEAD gained since a time", () =>
  withFolder(async (folder) => {
    makeRepo(folder, { "a.txt": "" });
    const start = git(folder, "rev-parse", "HEAD").trim();
    const at = (seconds: number) => ({ ...gitEnv, GIT_COMMITTER_DATE: `@${1_800_000_000 + seconds} +0000` });
    write(folder, { "b.txt": "" });
    execFileSync("git", ["add", "-A"], { cwd: folder, env: gitEnv });
    const who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    execFileSync("git", [...who, "commit", "-q", "-m", "later"], { cwd: folder, env: at(100) });
    const now = git(folder, "rev-parse", "HEAD").trim();
    const since = (seconds: number) => new Date((1_800_000_000 + seconds) * 1000);
    const found = await baseOf(folder, null, since(50));
    assert.equal(found.commit, start);
    assert.match(found.name, /^HEAD at 2027-/);
    assert.deepEqual(await baseOf(folder, null, since(200)), { commit: now, name: "main" });
    assert.deepEqual(await baseOf(folder, null, null), { commit: now, name: "main" });
    // With a remote the time says nothing.
    git(folder, "update-ref", "refs/remotes/origin/main", now);
    assert.deepEqual(await baseOf(folder, null, since(50)), { commit: now, name: "origin/main" });
  }));
