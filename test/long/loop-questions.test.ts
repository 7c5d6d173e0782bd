import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type LoopTask, makeLoopWorld } from "../cli/loop-world.ts";
import { after } from "../cli/models-world.ts";

const deadline = after(1_800).toISOString();
const asking: LoopTask = { plan: ["honest", `asks ${deadline}`] };

describe("a loop with a question that has a deadline", () => {
  test("does what else there is, sleeps until the deadline, and goes on with the safe default", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": asking, "T-2": {} });
    const report = await world.loop();
    assert.deepEqual([report.exit_code, world.phase("T-1"), world.phase("T-2")], [0, "done", "done"]);
    assert.equal(world.slept(), 1_800);
    const calls = world.calls();
    assert.deepEqual([calls.indexOf("T-2 review") < calls.lastIndexOf("T-1 shape"), calls[1]], [true, "T-1 shape"]);
    assert.match(world.read("tasks/T-1/ASSUMPTIONS.md"), /UTF-8/);
  });

  test("does so on one task, and shows with --verbose what it waits for", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": asking });
    const end = await world.call1("--task-dir", world.path("tasks/T-1"), "--verbose");
    assert.deepEqual([end.code, world.phase("T-1"), world.slept()], [0, "done", 1_800]);
    assert.match(end.stderr, new RegExp(`waiting until ${deadline}: T-1 asks: Q1 Which encoding\\?`));
    assert.match(
      end.stderr,
      /T-1 asks Q1: Which encoding\?\n[\s\S]*safe default: UTF-8\n[\s\S]*task-phase answer T-1 Q1 TEXT/,
    );
  });

  test("says once, before it sleeps, what it waits for and how to answer, without a terminal and with --json", async (t) => {
    for (const flags of [[], ["--json"]]) {
      const world = await makeLoopWorld(t, { "T-1": asking });
      let at = after(0).getTime();
      let before: string | null = null;
      const end = await world.call("task-phase-loop", ["--tasks-root", world.tasks, ...flags], {
        now: () => new Date(at),
        sleep: async (ms, told) => {
          before ??= told();
          at += ms;
        },
      });
      assert.equal(end.code, 0, end.stderr);
      const line = `waiting until ${deadline}: T-1 asks: Q1 Which encoding?`;
      for (const told of [before ?? "", end.stderr]) {
        assert.equal(told.split(line).length, 2, told);
        assert.equal(told.split("T-1 asks Q1: Which encoding?").length, 2, told);
        assert.match(told, /safe default: UTF-8\n[\s\S]*answer: task-phase answer T-1 Q1 TEXT\n/);
      }
      if (flags.length > 0) assert.equal((end.json() as { exit_code: number }).exit_code, 0, "one object on stdout");
    }
  });

  test("says nothing before a sleep of less than a minute, nor with --quiet", async (t) => {
    const soon: LoopTask = { plan: ["honest", `asks ${after(50).toISOString()}`], contract: ["question_wait: 5s"] };
    for (const [task, flags, slept] of [
      [soon, [], 50],
      [asking, ["--quiet"], 1_800],
    ] as const) {
      const world = await makeLoopWorld(t, { "T-1": task });
      const end = await world.call1(...flags);
      assert.deepEqual([end.code, world.slept()], [0, slept], end.stderr);
      assert.doesNotMatch(end.stderr, /waiting until/);
    }
  });

  test("waits no longer than --max-wait, an hour by default: 22, the question, and when it could go on", async (t) => {
    const late = after(7_200).toISOString();
    const world = await makeLoopWorld(t, { "T-1": { plan: ["honest", `asks ${late}`] } });
    const ended = await world.call1();
    assert.deepEqual([ended.code, world.slept()], [22, 0]);
    assert.match(ended.stderr, new RegExp(`the wait until ${late} is longer than --max-wait 1h`));
    assert.match(ended.stderr, /T-1 asks Q1: Which encoding\?\n[\s\S]*task-phase answer T-1 Q1 TEXT/);
    const tick = await world.call1();
    assert.deepEqual([tick.code, tick.stderr], [22, ""], "cron hears of it once");
    const short = await world.loop("--task-dir", world.path("tasks/T-1"), "--max-wait", "119m");
    assert.deepEqual([short.exit_code, short.next_eligible_at, world.slept()], [22, late, 0]);
    const long = await world.loop("--max-wait", "2h");
    assert.deepEqual([long.exit_code, world.phase("T-1"), world.slept()], [0, "done", 7_200]);
  });

  test("sees an answer that a person writes meanwhile", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": asking });
    let slices = 0;
    let at = after(0).getTime();
    const end = await world.call("task-phase-loop", ["--json", "--tasks-root", world.tasks], {
      now: () => new Date(at),
      sleep: async (ms) => {
        at += ms;
        slices += 1;
        if (slices !== 3) return;
        const path = "tasks/T-1/DECISIONS.md";
        world.write(path, world.read(path).replace("- Answer:", "- Answer: Latin-1"));
      },
    });
    assert.deepEqual([end.code, world.phase("T-1"), slices], [0, "done", 3]);
    assert.equal(world.exists("tasks/T-1/ASSUMPTIONS.md"), false);
  });

  test("is given by a run on one task with the time at which it can go on", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": asking });
    await world.loop("--max-passes", "2");
    const run = ["--task-dir", world.path("tasks/T-1"), "--json"];
    const report = (await world.call("task-phase-run", run, { now: after(60) })).json();
    assert.deepEqual([report.exit_code, report.next_eligible_at], [22, deadline]);
  });
});

test("a task that was left is taken up again in the same call if a person lets it continue", async (t) => {
  const spec = { contract: ["retries_per_failure: 0", "priority: 5"], plan: ["idle"] };
  const world = await makeLoopWorld(t, { "T-1": spec, "T-2": { plan: ["honest", `asks ${deadline}`] } });
  let at = after(0).getTime();
  let slices = 0;
  const end = await world.call("task-phase-loop", ["--json", "--tasks-root", world.tasks], {
    now: () => new Date(at),
    sleep: async (ms) => {
      at += ms;
      slices += 1;
      if (slices === 2) world.write("tasks/T-1/CONTROL.md", "retry\n");
    },
  });
  assert.deepEqual([end.code, world.phase("T-1"), world.phase("T-2")], [0, "done", "done"]);
  assert.equal(slices, 30);
});
