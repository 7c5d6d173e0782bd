import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { updateBoard } from "../../../lib/queue/loop/update-board.ts";
import { writeBoard } from "../../../lib/queue/loop/write-board.ts";
import { inspectRoot } from "../../../lib/queue/views/inspect-root.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { makeTaskWorld, portsOf } from "../../cli/task-world.ts";

async function make(t: TestContext) {
  const world = makeTaskWorld(t);
  const task = await world.makeTask("one", { state: { phase: "shape" } });
  const root = `${task.folder}/tasks`;
  const ports = portsOf(world);
  const board = "cases/one/tasks/BOARD.md";
  return {
    ...{ world, task, board },
    write: () => writeBoard(root, null, ports),
    update: () => updateBoard(root, inspectRoot(root, null, ports, false), { config: null, repo: null }, ports),
    text: () => (world.exists(board) ? world.read(board) : null),
  };
}

test("a board that is there is brought up to date, and none is begun", async (t) => {
  const { task, write, update, text } = await make(t);
  await update();
  assert.equal(text(), null);
  await write();
  const before = text() ?? "";
  task.write("README.md", task.read("README.md").replace("title: Export the answer", "title: Import it"));
  await update();
  assert.deepEqual([before.includes("Import it"), text()?.includes("Import it")], [false, true]);
});

test("a foreign file is left alone, and so is a board in a tasks root that is a repo itself", async (t) => {
  const { world, write, update, text, board, task } = await make(t);
  world.write(board, "# My board\n");
  await update();
  assert.equal(text(), "# My board\n");
  world.write(board, "");
  await assert.rejects(
    write(),
    (error) => error instanceof TaskPhaseError && error.findings[0]?.code === "TP_BOARD_FOREIGN",
  );
  const own = await make(t);
  await own.write();
  const before = own.text();
  mkdirSync(`${own.task.folder}/tasks/.git`);
  own.task.write("README.md", own.task.read("README.md").replace("title: Export the answer", "title: Import it"));
  await own.update();
  assert.equal(own.text(), before);
  assert.ok(task.exists("README.md"));
});
