import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { loadConfig } from "../../../lib/documents/config/load-config.ts";
import { beginList, readPending } from "../../../lib/queue/listing/list-root.ts";
import { inspectRows } from "../../../lib/queue/views/inspect-rows.ts";
import { tryLock } from "../../../lib/store/lock.ts";
import { anchorFolder } from "../../../lib/task/records/anchor.ts";
import { placeOf } from "../../../lib/task/records/task-place.ts";
import { taskLockPath } from "../../../lib/task/task-lock.ts";
import { stateFile } from "../../cli/task-states.ts";
import { adoptedJournal, makeTaskWorld, portsOf } from "../../cli/task-world.ts";

/** A root with T-1 and T-2, which needs T-1, and its tasks as they are inspected. */
async function make(t: TestContext) {
  const world = makeTaskWorld(t);
  const { folder } = await world.makeTask("one", { state: { phase: "implement" } });
  const root = `${folder}/tasks`;
  const readme = world.read("cases/one/tasks/T-1/README.md").replace("id: T-1", "id: T-2\ndepends_on: [T-1]");
  const state = stateFile({ phase: "shape" });
  const own = { "README.md": readme, "STATE.md": state, "artifacts/journal.jsonl": adoptedJournal(state, readme) };
  for (const [name, text] of Object.entries(own)) world.write(`cases/one/tasks/T-2/${name}`, text);
  const ports = portsOf(world);
  const look = (isMet?: (path: string) => boolean, readable = true) => {
    const list = beginList(root, {}, null);
    readPending(list, {});
    const config = readable ? loadConfig({ ...ports, configFlag: null, taskDir: `${root}/any` }) : null;
    return inspectRows(list, config, ports, isMet);
  };
  return {
    world,
    root,
    ports,
    look,
    lines: (...args: Parameters<typeof look>) =>
      [...look(...args)].map(({ place, standing }) => `${place.name} ${standing}`),
  };
}

test("each task of a list is inspected when it is asked for, and says the same when it is asked again", async (t) => {
  const { root, look, lines } = await make(t);
  assert.deepEqual(lines(), ["T-1 runnable", "T-2 waits"]);
  const tasks = look();
  const locks = `${root}/.task-phase/locks`;
  assert.deepEqual([tasks.length, tasks.at(0)?.standing, tasks.at(2)], [2, "runnable", undefined]);
  rmSync(locks, { recursive: true, force: true });
  assert.equal(tasks.at(0)?.standing, "runnable");
});

test("who reads may say when a dependency counts as met", async (t) => {
  const { root, lines } = await make(t);
  assert.deepEqual(
    lines((folder) => folder === `${root}/T-1`),
    ["T-1 runnable", "T-2 runnable"],
  );
});

test("a task whose files cannot be read is among the others, and without a configuration only such tasks are shown", async (t) => {
  const { world, lines } = await make(t);
  world.write("cases/one/tasks/T-1/TASKS.md", "\0");
  assert.deepEqual(lines(), ["T-1 unreadable", "T-2 waits"]);
  assert.deepEqual(lines(undefined, false), ["T-1 unreadable"]);
});

test("a task that a runner holds is running, and one of which a killed run left something damaged cannot be read", async (t) => {
  const { root, world, ports, lines } = await make(t);
  const place = placeOf(`${root}/T-1`);
  world.write("cases/one/tasks/.task-phase/locks/.gitignore", "*\n");
  const lock = tryLock(taskLockPath(place)) ?? assert.fail("it is locked");
  assert.deepEqual(lines(), ["T-1 running", "T-2 waits"]);
  lock.release();
  assert.equal(lines()[0], "T-1 runnable");
  const folder = anchorFolder(place.taskDir, ports);
  world.write(`${folder.slice(world.folder.length + 1)}/current.json`, "");
  writeFileSync(`${folder}/current.json`, "{}");
  assert.equal(lines()[0], "T-1 unreadable", "what is left is damaged");
});
