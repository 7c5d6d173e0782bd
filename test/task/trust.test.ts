import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import {
  grantTrust,
  isTrusted,
  remoteKey,
  requireTrust,
  requireTrustedConfig,
  requireTrustedRemote,
  revokeTrust,
} from "../../lib/task/trust.ts";
import { git, makeRepo, write } from "../git/git-repo.ts";
import { makeFolder } from "../process/arrange.ts";

function arrange(t: TestContext) {
  const folder = makeFolder(t);
  const ports = { env: { XDG_STATE_HOME: join(folder, "state") }, home: folder, now: () => new Date(0) };
  const at = (name: string) => join(folder, name);
  return { folder, ports, at, trusts: (name: string) => isTrusted(at(name), ports) };
}

test("trust holds for one folder until it is revoked, and a damaged record is none", (t) => {
  const { ports, at, trusts } = arrange(t);
  assert.equal(revokeTrust(at("tasks"), ports), false);
  assert.throws(() => requireTrust(at("tasks"), ports), /this tasks root is not trusted/);
  grantTrust(at("tasks"), "trust", ports);
  assert.deepEqual(["tasks", "tasks/in", "task", "."].map(trusts), [true, false, false, false]);
  requireTrust(at("tasks"), ports);
  const [name = "", ...more] = readdirSync(at("state/task-phase/trusted"));
  const file = at(`state/task-phase/trusted/${name}`);
  assert.deepEqual([more, statSync(file).mode & 0o777], [[], 0o600]);
  const record = JSON.parse(readFileSync(file, "utf8"));
  for (const spoilt of [{ ...record, version: 2 }, { ...record, path: at("other") }, { version: 1 }, []]) {
    writeFileSync(file, JSON.stringify(spoilt));
    assert.equal(trusts("tasks"), false, JSON.stringify(spoilt));
  }
  assert.equal(revokeTrust(at("tasks"), ports), true);
});

test("TASK_PHASE_TRUST=1 trusts every folder and remote, and no other value does", (t) => {
  const { ports, at } = arrange(t);
  for (const [value, expected] of Object.entries({ 1: true, 0: false, yes: false, true: false, "": false })) {
    const here = { ...ports, env: { ...ports.env, TASK_PHASE_TRUST: value } };
    assert.equal(isTrusted(at("tasks"), here), expected, value);
  }
});

test("trust holds in each linked working tree of the repository, and in no clone, forged one or other folder", (t) => {
  const { folder, ports, at, trusts } = arrange(t);
  makeRepo(at("repo"), { "tasks/a": "1" });
  git(at("repo"), "worktree", "add", "-q", "../side");
  grantTrust(at("repo/tasks"), "trust", ports);
  git(folder, "clone", "-q", "repo", "clone");
  write(at("forged"), { ".git": readFileSync(at("side/.git"), "utf8") });
  cpSync(at("repo/tasks"), at("forged/tasks"), { recursive: true });
  mkdirSync(at("side/other"));
  const roots = ["side/tasks", "repo/tasks", "clone/tasks", "forged/tasks", "side/other", "repo"];
  assert.deepEqual(roots.map(trusts), [true, true, false, false, false, false]);
  assert.equal(revokeTrust(at("side/tasks"), ports), true);
  assert.equal(trusts("side/tasks"), false);
});

test("a tasks root that init makes in a linked working tree is trusted only there", (t) => {
  const { ports, at, trusts } = arrange(t);
  makeRepo(at("repo"), { a: "1" });
  git(at("repo"), "worktree", "add", "-q", "../side");
  grantTrust(at("side/tasks"), "init", ports);
  assert.deepEqual(["side/tasks", "repo/tasks"].map(trusts), [true, false]);
  grantTrust(at("repo/more"), "init", ports);
  assert.equal(trusts("side/more"), true, "the main tree is everybody's");
});

test("a remote is trusted by its URL, and a configuration by a tasks root that reads it", (t) => {
  const { ports, at } = arrange(t);
  const url = "https://h/a b";
  assert.throws(() => requireTrustedRemote(url, ports), /nobody has allowed the commands of this remote/);
  grantTrust(remoteKey(url), "trust", ports);
  requireTrustedRemote(url, ports);
  write(at("repo"), { "task-phase.yaml": "", "tasks/task-phase.yaml": "", "tasks-2/task-phase.yaml": "" });
  const asked = (name: string) => () => requireTrustedConfig(at(name), ports);
  assert.throws(asked("repo/task-phase.yaml"), /belongs to no tasks root that is trusted/);
  grantTrust(at("repo/tasks"), "trust", ports);
  assert.doesNotThrow(asked("repo/task-phase.yaml"));
  assert.doesNotThrow(asked("repo/tasks/task-phase.yaml"));
  assert.throws(asked("repo/tasks-2/task-phase.yaml"), /belongs to no tasks root that is trusted/);
});
