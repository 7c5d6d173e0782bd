import assert from "node:assert/strict";
import { test } from "node:test";
import { commandTable } from "../../lib/cli/command-table.ts";
import { parseFlags } from "../../lib/cli/flag-values.ts";
import { chooseTarget, chooseTask } from "../../lib/cli/target.ts";
import { makeWorld } from "./arrange.ts";

const flags = commandTable[1].flags;
const given = (cwd: string, ...argv: string[]) => ({ cwd, flags: parseFlags(argv, flags, "") });

test("a task folder or a tasks root is taken relative to the present folder", () => {
  assert.deepEqual(chooseTarget(given("/w", "--task-dir", "a/")), { kind: "task", taskDir: "/w/a" });
  assert.deepEqual(chooseTarget(given("/w", "--tasks-root", "../b")), { kind: "root", tasksRoot: "/b" });
});

test("both at once are refused", () => {
  assert.throws(() => chooseTarget(given("/w", "--task-dir=a", "--tasks-root=b")), /cannot be combined/);
});

test("without either, the present folder is the task where it holds STATE.md", (t) => {
  const world = makeWorld(t);
  assert.throws(() => chooseTarget(given(world.folder)), /no task folder given/);
  world.write("STATE.md", "");
  assert.deepEqual(chooseTarget(given(world.folder)), { kind: "task", taskDir: world.folder });
  assert.equal(chooseTask(given(world.folder)), world.folder);
});
