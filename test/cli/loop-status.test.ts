import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { makeLoopWorld } from "./loop-world.ts";
import { adoptedJournal } from "./task-world.ts";

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

  test("tells that the day's budget is spent, and until when", async (t) => {
    const midnight = "2026-11-22T00:00:00.000Z";
    const why = `the budget of the day stops it until ${midnight}: 1 passes of 1 passes are spent, all of \`budget.day.passes\``;
    const world = await makeLoopWorld(t, { "T-1": {}, "T-2": {} }, "budget: { day: { passes: 1 } }\n");
    assert.equal((await look(world)).at, null);
    assert.equal((await world.loop()).exit_code, 2);
    const { next, at, tasks } = await look(world);
    assert.deepEqual(
      [next, at, tasks.map(({ hindered, next_eligible_at }) => [hindered, next_eligible_at])],
      ["T-1", midnight, [1, 2].map(() => [why, midnight])],
    );
    const one = await world.call1("--task-dir", world.path("tasks/T-2"));
    assert.equal(one.code, 2);
  });

  test("tells that the next pass would cost more than the day has left", async (t) => {
    const world = await makeLoopWorld(
      t,
      { "T-1": { plan: ["costs 3"] } },
      "budget: { day: { money_usd: 5 } }\nmodels: [{ name: walker, adapter: command, command: [WALKS], estimate_usd: 3 }]\n",
    );
    assert.equal((await look(world)).tasks[0]?.hindered, null);
    assert.equal((await world.loop()).exit_code, 2);
    assert.match(
      (await look(world)).tasks[0]?.hindered ?? "",
      /^the budget of the day stops it until 2026-11-22T00:00:00\.000Z: .* by walker, is estimated at /,
    );
  });

  test("names another loop that is active in the repo", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    world.write("repos/T-1/.claude/ralph-loop.local.md", "---\nactive: true\niteration: 1\n---\n\nGo on.\n");
    const file = world.path("repos/T-1/.claude/ralph-loop.local.md");
    assert.equal((await look(world)).tasks[0]?.hindered, `another loop is active in the repo: ${file}`);
    assert.equal((await world.loop()).exit_code, 75);
  });

  test("a repo that only --repo names hinders nothing", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} });
    world.write(
      "tasks/T-1/README.md",
      world.read("tasks/T-1/README.md").replace("repo: ../../repos/T-1", "repo: ../gone"),
    );
    assert.equal((await look(world)).tasks[0]?.hindered, null);
  });

  test("tells of one task what it tells of all", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": {} }, "models: []\n");
    const { stdout } = await world.call("task-phase", ["status", "--task-dir", world.path("tasks/T-1")]);
    assert.match(stdout, /^standing: refused, no model is configured$/m);
  });
});

test("tasks that wait for a person do not hide that others lack a model", async (t) => {
  const world = await makeLoopWorld(
    t,
    { "T-1": {}, "T-2": {}, "T-5": {}, "T-6": {} },
    "models: [{ name: gone, adapter: command, command: [no-such-program] }]\n",
  );
  const lacks = (who: string) =>
    new RegExp(`; and ${who} could run, but no model can be called: model gone cannot be called: no-such-program `);
  const hold = (task: string) => {
    const state = world
      .read(`tasks/${task}/STATE.md`)
      .replace(/^- Phase: .*$/m, "- Phase: blocked")
      .replace(/^- Blockers: .*$/m, "- Blockers: a key");
    world.write(`tasks/${task}/STATE.md`, state);
    world.write(`tasks/${task}/artifacts/journal.jsonl`, adoptedJournal(state, world.read(`tasks/${task}/README.md`)));
  };
  hold("T-1");
  hold("T-2");
  const two = await world.loop();
  assert.equal(two.exit_code, 21);
  assert.match(two.reason, /^nothing is runnable; a task is blocked; and /);
  assert.match(two.reason, lacks("T-5 and 1 more"));
  hold("T-6");
  assert.match((await world.loop()).reason, lacks("T-5"));
});
