import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { toBoardTasks } from "../../../lib/queue/loop/board-tasks.ts";
import { inspectRoot } from "../../../lib/queue/views/inspect-root.ts";
import { makeTaskWorld } from "../../cli/task-world.ts";

test("what a board says of a task names no folder of this machine, and of an asking one since when it asks", async (t) => {
  const world = makeTaskWorld(t);
  const { folder } = await world.makeTask("a", { state: { phase: "implement" } });
  const root = `${folder}/tasks`;
  const [task] = inspectRoot(root, null, { env: world.env, home: folder, cwd: folder, now: () => new Date() });
  assert.ok(task !== undefined);
  const ask = {
    ...{ title: "Which?", question: "", options: "UTF-8, Latin-1", safeDefault: "UTF-8" },
    ...{ ofStop: false, place: "DECISIONS.md:3", end: "", takenFrom: null, due: false },
  };
  const finding = { severity: "error", code: "TP_X", file: null, line: null, column: null, fix: null } as const;
  const [one, two] = await toBoardTasks(
    [
      { ...task, why: `cannot read ${root}/T-1/x`, findings: [{ ...finding, message: `bad: ${root}/T-1/y` }] },
      {
        ...{ ...task, standing: "asks", who: "person", asked: ["Q1", "Q2"].map((id) => ({ ...ask, id })) },
        history: { ...task.history, askedAt: { Q1: "2026-01-03T00:00:00.000Z", Q2: "2026-01-02T12:00:00.000Z" } },
      },
    ],
    world,
  );
  assert.deepEqual([one?.why, one?.problems, one?.movedAt], ["cannot read T-1/x", ["bad: T-1/y"], task.movedAt]);
  assert.deepEqual(
    [two?.movedAt, two?.who, two?.questions],
    [
      "2026-01-02T12:00:00.000Z",
      "person",
      ["Q1", "Q2"].map((id) => ({
        ...{ id, title: "Which?", question: "", options: "UTF-8, Latin-1", safeDefault: "UTF-8", end: "" },
      })),
    ],
  );
  assert.equal(task.movedAt, "2026-01-02T03:04:05.000Z");
});

test("a task whose STATE.md and journal cannot be read keeps what its brief says", async (t) => {
  const world = makeTaskWorld(t);
  const { folder, taskDir } = await world.makeTask("b", {
    state: { phase: "implement" },
    contract: ["depends_on: [T-9]"],
  });
  const look = async () => {
    const ports = { env: world.env, home: folder, cwd: folder, now: () => new Date() };
    const [row] = await toBoardTasks(inspectRoot(`${folder}/tasks`, null, ports), world);
    return [row?.standing, row?.id, row?.title, row?.dependsOn];
  };
  const title = (await look())[2];
  assert.ok(typeof title === "string");
  writeFileSync(join(taskDir, "STATE.md"), "no state\n");
  // The next run puts the accepted one back.
  assert.deepEqual(await look(), ["waits", "T-1", title, ["T-9"]]);
  writeFileSync(join(taskDir, "artifacts", "journal.jsonl"), "no journal\n");
  assert.deepEqual(await look(), ["unreadable", "T-1", title, ["T-9"]]);
  writeFileSync(join(taskDir, "README.md"), "no brief\n");
  assert.deepEqual(await look(), ["unreadable", null, null, []]);
});
