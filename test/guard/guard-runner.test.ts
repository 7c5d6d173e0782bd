import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { guardRunner } from "../../lib/guard/guard-runner.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { type GuardedTask, guardTask } from "./arrange.ts";

const detail = (more: string) =>
  `the runner itself is installed there${more}; to work on it, install it outside the repo`;

function install(task: GuardedTask) {
  const at = "repo/node_modules/task-phase";
  task.put(`${at}/package.json`, "{}");
  task.put(`${at}/dist/main.js`, "run();\n");
  task.put(`${at}/bin/task-phase`, "go();\n");
  const installation = { packageRoot: join(task.folder, at), called: null, node: "/usr/bin/node" };
  return guardRunner(task.anchor, task.place, task.repo, task.ports, installation);
}

test("a runner that is installed elsewhere is not looked after", (t) => {
  const task = guardTask(t);
  const installation = { packageRoot: join(task.folder, "home"), called: null, node: "/usr/bin/node" };
  assert.equal(guardRunner(task.anchor, task.place, task.repo, task.ports, installation), null);
});

test("a runner inside the repo is put back, and the first file that differs is told", (t) => {
  const task = guardTask(t);
  const guard = install(task) ?? assert.fail("it is inside the repo");
  const keep = join(task.folder, "kept");
  assert.equal(guard.restore("model", keep), null);
  task.put("repo/node_modules/task-phase/dist/main.js", "forged();\n");
  const path = "node_modules/task-phase/dist/main.js";
  const tamper = { path, change: "changed", guard: "runner_file", by: "model", restored: true } as const;
  assert.deepEqual(guard.restore("model", keep), { ...tamper, detail: detail("") });
  assert.equal(task.read(`repo/${path}`), "run();\n");
  assert.equal(task.read(`kept/repo/${path}`), "forged();\n");
  task.put("repo/node_modules/task-phase/bin/task-phase", "forged();\n");
  task.put(`repo/${path}`, "forged();\n");
  rmSync(join(task.anchor.folder, "runner", "blobs", sha256("run();\n")));
  assert.deepEqual(guard.restore("validators", keep), {
    ...{ ...tamper, path: "node_modules/task-phase/bin/task-phase", by: "validators", restored: false },
    detail: detail(", and 1 more of its files"),
  });
  assert.equal(task.read("repo/node_modules/task-phase/bin/task-phase"), "go();\n");
});

test("copies of an earlier installation are not kept", (t) => {
  const task = guardTask(t);
  install(task);
  const blob = (text: string) =>
    task.read(join(task.anchor.folder, "runner/blobs", sha256(text)).slice(task.folder.length));
  assert.equal(blob("run();\n"), "run();\n");
  task.put("repo/node_modules/task-phase/dist/main.js", "newer();\n");
  const installation = { packageRoot: join(task.repo, "node_modules/task-phase"), called: null, node: "/usr/bin/node" };
  guardRunner(task.anchor, task.place, task.repo, task.ports, installation);
  assert.deepEqual([blob("run();\n"), blob("newer();\n")], [null, "newer();\n"]);
});
