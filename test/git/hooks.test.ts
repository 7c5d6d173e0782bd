import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { listCommitHooks } from "../../lib/git/hooks.ts";
import { captureGit } from "../../lib/pass/checkpoint/git-capture.ts";
import { openAnchor } from "../../lib/task/records/anchor.ts";
import { placeOf } from "../../lib/task/records/task-place.ts";
import { createRedactor } from "../../lib/text/redact.ts";
import { git, gitEnv } from "./git-repo.ts";

function repoWithHooks(t: TestContext, folder: string): string {
  const repo = mkdtempSync(path.join(tmpdir(), "task-phase-hooks-"));
  t.after(() => rmSync(repo, { recursive: true, force: true }));
  git(repo, "init", "--quiet");
  mkdirSync(path.join(repo, folder), { recursive: true });
  for (const [name, mode] of [
    ["commit-msg", 0o755],
    ["pre-push", 0o755],
    ["pre-commit.sample", 0o755],
    ["pre-commit", 0o644],
  ] as const) {
    writeFileSync(path.join(repo, folder, name), "#!/bin/sh\nexit 1\n");
    chmodSync(path.join(repo, folder, name), mode);
  }
  return repo;
}

test("the hooks that a commit would run are found where git looks for them", async (t) => {
  const repo = repoWithHooks(t, ".git/hooks");
  assert.deepEqual(await listCommitHooks(repo, gitEnv), ["commit-msg", "pre-push"]);
  const moved = repoWithHooks(t, ".husky/_");
  assert.deepEqual(await listCommitHooks(moved, gitEnv), []);
  git(moved, "config", "core.hooksPath", ".husky/_");
  assert.deepEqual(await listCommitHooks(moved, gitEnv), ["commit-msg", "pre-push"]);
});

test("the first pass of a task says that its commits run none of them, and no later one", async (t) => {
  const repo = repoWithHooks(t, ".git/hooks");
  const place = placeOf(path.join(repo, "tasks/T-1"));
  mkdirSync(place.artifacts, { recursive: true });
  const ports = { env: { ...gitEnv, XDG_STATE_HOME: `${repo}-state` }, home: repo, redactor: createRedactor(gitEnv) };
  t.after(() => rmSync(`${repo}-state`, { recursive: true, force: true }));
  const anchor = openAnchor(place, ports);
  const said = async (mode: "patch" | "commit", pass: number) =>
    (await captureGit({ place, repo, anchor, mode, pass }, ports)).findings.map(
      ({ code, message }) => `${code} ${message}`,
    );
  assert.deepEqual(await said("commit", 1), [
    "TP_GIT_HOOKS the commits of task-phase run no hook of this repo: commit-msg, pre-push",
  ]);
  assert.deepEqual([...(await said("commit", 2)), ...(await said("patch", 1))], []);
});
