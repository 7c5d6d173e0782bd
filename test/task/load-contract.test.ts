import assert from "node:assert/strict";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Contract } from "../../lib/documents/contract.ts";
import { findRepo, loadContract, reviewPolicy } from "../../lib/task/load-contract.ts";
import { placeOf } from "../../lib/task/records/task-place.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { write } from "../git/git-repo.ts";
import { makeFolder } from "../process/arrange.ts";

function arrange(t: TestContext) {
  const folder = makeFolder(t);
  write(folder, {
    "repo/tasks/T-1/STATE.md": "",
    "repo/.git/HEAD": "x",
    "repo/.git/objects/x": "",
    "other/a": "",
    file: "",
    "alone/T-1/STATE.md": "",
  });
  const ports = { env: { XDG_STATE_HOME: join(folder, "state") }, home: join(folder, "home"), cwd: folder };
  return { folder, ports, place: placeOf(join(folder, "repo/tasks/T-1")) };
}

test("the repo is that of the flag, else of the contract, else the working tree around the task", (t) => {
  const { folder, ports, place } = arrange(t);
  symlinkSync("other", join(folder, "link"));
  const find = (repo: string | null, flag: string | null) => findRepo(place, { repo }, flag, ports);
  assert.equal(find(null, null), join(folder, "repo"));
  assert.equal(find("../../../link", null), join(folder, "other"));
  assert.equal(find("../../../other", "repo/tasks"), join(folder, "repo/tasks"));
});

test("a repo that is none, or lies in the task folder or around the runner's state, is refused", (t) => {
  const { folder, ports, place } = arrange(t);
  const find =
    (repo: string | null, flag: string | null = null) =>
    () =>
      findRepo(place, { repo }, flag, ports);
  assert.throws(find("../none"), /^TaskPhaseError: the repo is not a folder: .*\/tasks\/none$/);
  assert.throws(find(null, "file"), /the repo is not a folder: .*\/file$/);
  assert.throws(find("."), /the repo is inside the task folder/);
  assert.throws(find("artifacts"), /the repo is not a folder/);
  assert.throws(find(null, folder), /the runner's state folder is inside the repo/);
  const alone = placeOf(join(folder, "alone/T-1"));
  assert.throws(
    () => findRepo(alone, { repo: null }, null, ports),
    /^TaskPhaseError: no repo: the task folder is in no git working tree/,
  );
  const fix = (cwd: string) => {
    try {
      return findRepo(alone, { repo: null }, null, { ...ports, cwd });
    } catch (error) {
      return error instanceof TaskPhaseError ? (error.findings[0]?.fix ?? null) : null;
    }
  };
  const rest = ", else its path from the task folder; or give --repo PATH";
  assert.equal(fix("/"), `add \`repo: ../..\` to the front matter if the repo is ${folder}${rest}`);
  const called = join(folder, "repo");
  assert.equal(fix(called), `add \`repo: ../../repo\` to the front matter if the repo is ${called}${rest}`);
  writeFileSync(join(folder, "alone/.git"), "gitdir: ../moved/.git/worktrees/alone\n");
  assert.match(fix("/") ?? "", /^put that repository back where it was/);
});

test("the contract is that of the brief, completed by the configuration", (t) => {
  const { ports, place } = arrange(t);
  const brief = `---
id: T-1
title: Sum up
validators:
  - { name: tests, command: [npm, test] }
  - { name: lint, command: [npm, run, lint], required: false }
---
# Sum up

`;
  write(place.taskDir, { "README.md": `${brief}Add the numbers.\n` });
  const loaded = loadContract(place, null, ports);
  assert.deepEqual([loaded.isEmpty, loaded.sha256], [false, sha256(`${brief}Add the numbers.\n`)]);
  assert.deepEqual([loaded.policy.task, loaded.policy.required_validators], ["T-1", ["tests"]]);
  assert.ok(loaded.configPaths.includes(join(place.tasksRoot, "task-phase.yaml")));
  write(place.taskDir, { "README.md": brief });
  assert.equal(loadContract(place, null, ports).isEmpty, true);
});

test("reviewers are those of the contract, or chosen by its words and by the paths that changed", () => {
  const policy = (reviewers: unknown, words: string, paths: readonly string[] = []) => {
    const contract = { title: "Sum up", userFacing: false, review: { reviewers, at: "verify" } };
    return reviewPolicy(contract as unknown as Contract, words, paths);
  };
  assert.deepEqual(policy(["security"], "passwords"), { reviewers: ["security"], at: "verify" });
  assert.notDeepEqual(policy("auto", "check passwords and tokens"), policy("auto", "add numbers"));
});
