import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { writeTask, writeTasks } from "../../../lib/scaffold/interchange/write-tasks.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { isDiskError, refusing } from "../../store/refused-calls.ts";

function arrange(t: TestContext) {
  const root = mkdtempSync(path.join(tmpdir(), "task-phase-test-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const task = (id: string) => ({ id, folder: path.join(root, id), files: [{ name: "STATE.md", content: `${id}\n` }] });
  return {
    root,
    task,
    half: () => readdirSync(path.join(root, ".task-phase/locks")).filter((name) => name.startsWith("import-")),
  };
}

test("each folder is announced before it appears, and appears whole", (t) => {
  const { root, task, half } = arrange(t);
  const told: unknown[] = [];
  writeTasks(root, [task("A"), { ...task("B"), files: null }, task("C")], (folder) => {
    told.push([path.basename(folder), readdirSync(root).includes(path.basename(folder))]);
  });
  assert.deepEqual(told, [
    ["A", false],
    ["C", false],
  ]);
  assert.deepEqual(readdirSync(root).sort(), [".task-phase", "A", "C"]);
  assert.deepEqual(readdirSync(path.join(root, "C")).sort(), ["STATE.md", "artifacts"]);
  assert.equal(readFileSync(path.join(root, ".task-phase/locks/.gitignore"), "utf8"), "*\n");
  assert.deepEqual(half(), []);
});

test("a failure between two folders leaves the first whole and nothing of the second", (t) => {
  const { root, task, half } = arrange(t);
  const failing = (folder: string) => {
    if (folder.endsWith("B")) throw new Error("the disk is gone");
  };
  assert.throws(() => writeTasks(root, [task("A"), task("B"), task("C")], failing), /the disk is gone/);
  assert.deepEqual([readdirSync(root).sort(), half()], [[".task-phase", "A"], []]);
  writeTasks(root, [task("B")], () => {});
  assert.deepEqual(readdirSync(root).sort(), [".task-phase", "A", "B"]);
});

for (const [name, put] of [
  [
    "a folder",
    (folder: string) => {
      mkdirSync(folder);
      writeFileSync(path.join(folder, "mine"), "mine\n");
    },
  ],
  ["a file", (folder: string) => writeFileSync(folder, "mine\n")],
] as const) {
  test(`${name} that was put in the place meanwhile is left as it is`, (t) => {
    const { root, task, half } = arrange(t);
    assert.throws(
      () => writeTasks(root, [task("A")], put),
      (error) =>
        error instanceof TaskPhaseError &&
        error.exitName === "locked" &&
        error.findings[0]?.file === path.join(root, "A"),
    );
    const mine = name === "a file" ? path.join(root, "A") : path.join(root, "A", "mine");
    assert.deepEqual([readFileSync(mine, "utf8"), half()], ["mine\n", []]);
  });
}

test("a folder whose files the disk refuses does not appear, and the next call sweeps what a killed one left", (t) => {
  const { root, task, half } = arrange(t);
  const { folder, ...plan } = task("A");
  const act = () => writeTask(plan, folder);
  assert.throws(() => refusing("linkSync", "ENOSPC", /import-/, act), isDiskError);
  assert.deepEqual([readdirSync(root), half()], [[".task-phase"], []]);
  for (const name of ["import-0123456789abcdef", "import-mine"]) mkdirSync(path.join(root, ".task-phase/locks", name));
  assert.deepEqual(writeTask(plan, folder), { made: ["STATE.md"], kept: [] });
  assert.deepEqual([readdirSync(root).sort(), half()], [[".task-phase", "A"], ["import-mine"]]);
});
