import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type LoopTask, makeLoopWorld } from "./loop-world.ts";
import { after } from "./models-world.ts";

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

  test("waits no longer than --max-seconds, and not for a pass that it may not do: 22, and when it could go on", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": asking });
    const task = ["--task-dir", world.path("tasks/T-1")];
    for (const target of [[], task]) {
      const bounded = await world.loop(...target, "--max-seconds", "1800");
      assert.deepEqual([bounded.exit_code, bounded.next_eligible_at, world.slept()], [22, deadline, 0]);
    }
    const other = await makeLoopWorld(t, { "T-1": asking });
    const last = await other.loop("--max-passes", "2");
    assert.deepEqual([last.exit_code, last.next_eligible_at, other.slept()], [22, deadline, 0]);
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

  test("does not wait for a question that only a person ends", async (t) => {
    const world = await makeLoopWorld(t, { "T-1": { plan: ["asks"] } });
    const report = await world.loop();
    assert.deepEqual([report.exit_code, report.next_eligible_at, world.slept()], [22, null, 0]);
  });

  test("and run on one task says when it could go on", async (t) => {
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
