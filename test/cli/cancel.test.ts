import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventsAt } from "./task-states.ts";
import { makeTaskWorld } from "./task-world.ts";

test("cancel stops a pass in order, and the next one runs", async (t) => {
  const world = makeTaskWorld(t);
  const task = await world.makeTask("one", {
    state: { phase: "implement" },
    events: (place) => eventsAt("implement", place),
  });
  const config = path.join(task.folder, "tasks", "task-phase.yaml");
  writeFileSync(config, `${readFileSync(config, "utf8")}control: { poll: 1s }\n`);
  task.propose({ task: { "artifacts/more.md": "more\n" }, sleep: "20" });
  const pass = task.pass();
  while (task.calls() === 0) await sleep(20);
  const args = ["cancel", "--task-dir", task.taskDir, "--json", "--timeout", "30s"];
  const end = await world.call("task-phase", args, { sleep: (ms) => sleep(ms) });
  const { reason, ...json } = end.json();
  assert.deepEqual(json, {
    command: "cancel",
    exit_code: 0,
    exit_name: "ok",
    findings: [],
    task_dir: task.taskDir,
    outcome: "stopped",
  });
  assert.equal(reason, "the runner stopped in order");
  const { exit_code, verdict } = await pass;
  assert.deepEqual([exit_code, verdict], [25, "interrupted"]);
  assert.match(task.read("CONTROL.md"), /^# Control\n\n- \[x\] ABORT \(task-phase cancel \S+\) \(done \S+\)\n$/);
  task.propose({ task: { "artifacts/more.md": "other\n" } });
  assert.equal((await task.pass()).exit_code, 0);
});

test("cancel of a task on which nothing runs says so, writes nothing, and is refused inside a pass", async (t) => {
  const world = makeTaskWorld(t);
  const task = await world.makeTask("one", { state: { phase: "implement" } });
  const end = await task.command("cancel");
  assert.deepEqual([end.code, end.stderr, task.exists("CONTROL.md")], [0, "nothing runs on this task\n", false]);
  const args = ["cancel", "--task-dir", task.taskDir];
  assert.equal((await world.call("task-phase", args, { env: { TASK_PHASE_PASS: "1" } })).code, 64);
  assert.equal((await world.call("task-phase", ["cancel", "--task-dir", "nowhere"])).code, 64);
});

test("the time that a runner has is that of control.poll, or the usual one where the brief is wrong", async (t) => {
  const world = makeTaskWorld(t);
  for (const [contract, seconds] of [
    [[], 45],
    [["nonsense: 1"], 45],
  ] as const) {
    const task = await world.makeTask(`case-${contract.length}`, { state: { phase: "implement" }, contract });
    const { tryLock } = await import("../../lib/store/lock.ts");
    const locks = path.join(task.folder, "tasks", ".task-phase", "locks");
    world.write(path.relative(world.folder, path.join(locks, ".keep")), "");
    const lock = tryLock(path.join(locks, "T-1.lock"));
    let slept = 0;
    const sleeps = async (ms: number) => {
      slept += ms;
    };
    const end = await world.call("task-phase", ["cancel", "--task-dir", task.taskDir], { sleep: sleeps });
    lock?.release();
    assert.deepEqual([end.code, slept], [75, seconds * 1000]);
    assert.match(end.stderr, /ABORT stands in CONTROL\.md; waiting up to 45 s/);
  }
});
