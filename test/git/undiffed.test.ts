import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { findGitPlace } from "../../lib/git/place.ts";
import { listChanged, readUndiffed } from "../../lib/git/undiffed.ts";
import { git, gitEnv } from "./git-repo.ts";

test("settings and hooks that git acts on are compared, and what each new branch brings is not", async (t) => {
  const repo = mkdtempSync(path.join(tmpdir(), "task-phase-undiffed-"));
  t.after(() => rmSync(repo, { recursive: true, force: true }));
  git(repo, "init", "--quiet");
  const place = findGitPlace(repo) ?? assert.fail();
  const hook = (name: string) => path.join(repo, ".git/hooks", name);
  writeFileSync(hook("pre-push"), "exit 0\n");
  git(repo, "config", "remote.a.url", "one");
  git(repo, "config", "alias.st", "status");
  const before = await readUndiffed(place, gitEnv);
  assert.deepEqual(listChanged(before, await readUndiffed(place, gitEnv)), []);
  git(repo, "config", "branch.x.remote", "a");
  writeFileSync(hook("pre-rebase.sample"), "exit 1\n");
  assert.deepEqual(listChanged(before, await readUndiffed(place, gitEnv)), []);
  git(repo, "config", "--add", "remote.a.url", "two");
  git(repo, "config", "--unset", "alias.st");
  git(repo, "config", "core.fsmonitor", "./mine");
  chmodSync(hook("pre-push"), 0o755);
  symlinkSync("/bin/true", hook("post-merge"));
  writeFileSync(path.join(repo, ".git/info/attributes"), "* filter=x\n");
  assert.deepEqual(listChanged(before, await readUndiffed(place, gitEnv)), [
    ...["alias.st", "core.fsmonitor", "hooks/post-merge", "hooks/pre-push", "info/attributes", "remote.a.url"],
  ]);
});
