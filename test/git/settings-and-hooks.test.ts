import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { findGitPlace } from "../../lib/git/place.ts";
import { nameChanged, readSettingsAndHooks } from "../../lib/git/settings-and-hooks.ts";
import { git, gitEnv } from "./git-repo.ts";

test("settings and hooks that git acts on are compared, and what each new branch brings is not", async (t) => {
  const repo = mkdtempSync(path.join(tmpdir(), "task-phase-settings-"));
  t.after(() => rmSync(repo, { recursive: true, force: true }));
  git(repo, "init", "--quiet");
  const place = findGitPlace(repo) ?? assert.fail();
  const hook = (name: string) => path.join(repo, ".git/hooks", name);
  writeFileSync(hook("pre-push"), "exit 0\n");
  symlinkSync("/bin/true", hook("pre-commit"));
  git(repo, "config", "remote.a.url", "one");
  git(repo, "config", "alias.st", "status");
  const before = await readSettingsAndHooks(place, repo, gitEnv);
  assert.deepEqual(nameChanged(before, await readSettingsAndHooks(place, repo, gitEnv)), []);
  git(repo, "config", "branch.x.remote", "a");
  writeFileSync(hook("pre-rebase.sample"), "exit 1\n");
  assert.deepEqual(nameChanged(before, await readSettingsAndHooks(place, repo, gitEnv)), []);
  git(repo, "config", "--add", "remote.a.url", "two");
  git(repo, "config", "--unset", "alias.st");
  git(repo, "config", "core.fsmonitor", "./mine");
  chmodSync(hook("pre-push"), 0o755);
  symlinkSync("/bin/true", hook("post-merge"));
  rmSync(hook("pre-commit"));
  symlinkSync("/bin/false", hook("pre-commit"));
  writeFileSync(path.join(repo, ".git/info/attributes"), "* filter=x\n");
  assert.deepEqual(nameChanged(before, await readSettingsAndHooks(place, repo, gitEnv)), [
    ...["remote.a.url", "alias.st", ".git/hooks/pre-commit", ".git/hooks/pre-push"],
    ...["core.fsmonitor", ".git/info/attributes", ".git/hooks/post-merge"],
  ]);
  assert.deepEqual(nameChanged(before, null), []);
  const same = ["core.fsmonitor", ".git/hooks/pre-push"];
  assert.equal(
    nameChanged(before, await readSettingsAndHooks(place, repo, gitEnv), same).length,
    7,
    "files of such names hide none",
  );
});

test("hooks are found where core.hooksPath says, and that of a large folder is the setting alone", async (t) => {
  const repo = mkdtempSync(path.join(tmpdir(), "task-phase-settings-"));
  t.after(() => rmSync(repo, { recursive: true, force: true }));
  git(repo, "init", "--quiet");
  const place = findGitPlace(repo) ?? assert.fail();
  const read = () => readSettingsAndHooks(place, repo, { ...gitEnv, HOME: repo });
  mkdirSync(path.join(repo, ".husky/_"), { recursive: true });
  for (const named of [".husky/_", "~/.husky/_", path.join(repo, ".husky/_")]) {
    git(repo, "config", "core.hooksPath", named);
    const before = await read();
    writeFileSync(path.join(repo, ".husky/_/pre-commit"), `${named}\n`);
    assert.deepEqual(nameChanged(before, await read()), ["./.husky/_/pre-commit"]);
    assert.deepEqual(nameChanged(before, await read(), [".husky/_/pre-commit"]), []);
  }
  const before = await read();
  for (let at = 0; at < 300; at += 1) writeFileSync(path.join(repo, `${at}`), "");
  git(repo, "config", "core.hooksPath", ".");
  const changed = nameChanged(before, await read());
  assert.deepEqual([changed[0], changed.length < 110], ["core.hookspath", true]);
});

test("no number of other files beside it hides a hook that git runs", async (t) => {
  const repo = mkdtempSync(path.join(tmpdir(), "task-phase-settings-"));
  t.after(() => rmSync(repo, { recursive: true, force: true }));
  git(repo, "init", "--quiet");
  const place = findGitPlace(repo) ?? assert.fail();
  const hook = (name: string) => path.join(repo, ".git/hooks", name);
  for (let each = 0; each < 120; each += 1) writeFileSync(hook(`0${each}`), "");
  const before = await readSettingsAndHooks(place, repo, gitEnv);
  writeFileSync(hook("pre-push"), "exit 0\n");
  const after = await readSettingsAndHooks(place, repo, gitEnv);
  assert.deepEqual(nameChanged(before, after), [".git/hooks/pre-push"]);
  assert.equal(
    nameChanged(new Map(), after).find((name) => name.includes("hooks/")),
    ".git/hooks/pre-push",
  );
});
