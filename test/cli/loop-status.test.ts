import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeLoopWorld } from "./loop-world.ts";

type World = Awaited<ReturnType<typeof makeLoopWorld>>;
type Task = Readonly<Record<"task" | "standing" | "why" | "hindered" | "next_eligible_at", string | null>>;

async function look(world: World) {
  const { next, tasks, next_eligible_at: at, exit_code: exit } = await world.status();
  return { exit, next, at, tasks: tasks as readonly Task[] };
}

async function lastLine(world: World) {
  const { stdout } = await world.call("task-phase", ["status", "--tasks-root", world.tasks]);
  return stdout.trimEnd().split("\n").at(-1);
}

const comes = "a pass in intake comes next";

describe("status where a run would call no model", () => {
  test("says that no model is configured, or which program is missing", async (t) => {
    for (const [config, why] of [
      ["models: []\n", "no model is configured"],
      [
        "models: [{ name: gone, adapter: command, command: [no-such-program] }, { name: x, adapter: command, command: [no/x] }]\n",
        /^no model can be called: gone, no-such-program was not found on PATH; x, \S+\/no\/x does not exist/,
      ],
    ] as const) {
      const world = await makeLoopWorld(t, { "T-1": {} }, config);
      const { exit, next, at, tasks } = await look(world);
      const hindered = tasks[0]?.hindered ?? "";
      if (typeof why === "string") assert.equal(hindered, why);
      else assert.match(hindered, why);
      assert.deepEqual(
        [exit, next, at, tasks.map((task) => [task.standing, task.why])],
        [0, "T-1", null, [["refused", hindered]]],
      );
      assert.equal(await lastLine(world), "next: task-phase doctor");
      assert.equal((await world.loop()).exit_code, 24);
    }
  });

  test("names a validator that does not exist, and the next task that can run", async (t) => {
    const world = await makeLoopWorld(t, {
      "T-1": { contract: ["validators: [{ name: tests, command: [no-such-check] }]"] },
      "T-2": {},
    });
    const hindered = "the command of tests is not an executable: no-such-check";
    const { next, tasks } = await look(world);
    assert.deepEqual(
      [next, tasks.map((task) => [task.standing, task.why, task.hindered])],
      [
        "T-2",
        [
          ["refused", hindered, hindered],
          ["runnable", comes, null],
        ],
      ],
    );
    assert.equal(await lastLine(world), "next: task-phase run T-2");
    assert.equal((await world.loop()).exit_code, 78);
  });

  test("tells of one task what it tells of all", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} }, "models: []\n");
    const { stdout } = await world.call("task-phase", ["status", "--task-dir", world.path("tasks/T-1")]);
    assert.match(stdout, /^standing: refused, no model is configured$/m);
  });
});
