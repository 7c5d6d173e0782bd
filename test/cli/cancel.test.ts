import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { makeLoopWorld } from "./loop-world.ts";
import { eventsAt, fieldOf, stateFile } from "./task-states.ts";
import { makeTaskWorld } from "./task-world.ts";

test("cancel stops a pass in order, and the task stays cancelled until RETRY or resume", async (t) => {
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
    cancelled: true,
  });
  const stays =
    "the task stays cancelled until RETRY in CONTROL.md or task-phase resume T-1 --to implement --reason TEXT";
  assert.equal(reason, `the runner stopped cleanly; ${stays}`);
  const { exit_code, verdict } = await pass;
  assert.deepEqual([exit_code, verdict], [25, "interrupted"]);
  assert.match(task.read("CONTROL.md"), /^# Control\n\n- \[x\] ABORT \(task-phase cancel \S+\) \(done \S+\)\n$/);
  const cancelled =
    "cancelled: by a person; RETRY in CONTROL.md or task-phase resume T-1 --to implement --reason TEXT continues it";
  assert.equal(fieldOf(task.state(), "Status"), cancelled);
  task.propose({ task: { "artifacts/more.md": "other\n" } });
  const status = async () => (await world.call("task-phase", ["status", "--task-dir", task.taskDir, "--json"])).json();
  const calls = task.calls();
  const held = await task.pass();
  assert.deepEqual([held.exit_code, held.verdict, task.calls()], [25, null, calls]);
  assert.match(held.reason, /^a person cancelled the task at \S+; write RETRY in CONTROL\.md/);
  assert.deepEqual([(await status()).standing, (await status()).who], ["cancelled", "person"]);
  task.write("CONTROL.md", `${task.read("CONTROL.md")}- [ ] RETRY\n`);
  assert.equal((await task.pass()).exit_code, 0);
  assert.equal(fieldOf(task.state(), "Status"), "in progress");
  // Nothing runs, and no later call may begin by itself either.
  assert.equal((await task.command("cancel")).code, 0);
  assert.equal((await status()).standing, "cancelled");
  for (const page of ["EVIDENCE.md", "artifacts/evidence.html"]) assert.match(task.read(page), /cancelled/);
  const resume = ["resume", "--task-dir", task.taskDir, "--to", "implement", "--reason", "go"];
  const resumed = await world.call("task-phase", resume);
  assert.deepEqual([resumed.code, resumed.stderr], [0, "the task continues in implement\n"]);
  assert.equal((await status()).standing, "runnable");
  assert.equal(fieldOf(task.state(), "Status"), "in progress");
  assert.equal((await world.call("task-phase", ["check", "--task-dir", task.taskDir])).code, 0);
});

test("cancel of a task on which nothing runs holds it, writes no CONTROL.md, and is refused inside a pass", async (t) => {
  const world = makeTaskWorld(t);
  const task = await world.makeTask("one", { state: { phase: "implement" } });
  const end = await task.command("cancel");
  const until = "RETRY in CONTROL.md or task-phase resume T-1 --to implement --reason TEXT";
  assert.deepEqual(
    [end.code, end.stderr, task.exists("CONTROL.md")],
    [0, `the task is cancelled, and was not running: no run continues it until ${until}\n`, false],
  );
  const args = ["cancel", "--task-dir", task.taskDir];
  assert.equal((await world.call("task-phase", args, { env: { TASK_PHASE_PASS: "1" } })).code, 64);
  assert.equal((await world.call("task-phase", ["cancel", "--task-dir", "nowhere"])).code, 64);
});

test("a task that never ran stays cancelled, under cron too, until a person says otherwise", async (t) => {
  const world = await makeLoopWorld(t, { "T-1": {}, "T-2": {} });
  const cancel = () => world.call("task-phase", ["cancel", "--task-dir", world.path("tasks/T-1"), "--json"]);
  const first = (await cancel()).json();
  assert.deepEqual([first.exit_code, first.outcome, first.cancelled], [0, "idle", true]);
  assert.equal((await cancel()).json().cancelled, true);
  assert.deepEqual(
    world.events("T-1").map(({ type }) => type),
    ["adopted", "cancelled"],
  );
  assert.match(
    world.read("tasks/T-1/log.txt"),
    /^\S+ intake cancelled by a person until RETRY in CONTROL\.md or .*\n$/,
  );
  assert.deepEqual([(await world.loop()).exit_code, world.phase("T-1"), world.phase("T-2")], [25, "intake", "done"]);
  assert.equal((await world.loop("--task-dir", world.path("tasks/T-1"))).exit_code, 25);
  assert.equal(
    world.calls().some((call) => call.startsWith("T-1")),
    false,
  );
  world.write("tasks/T-1/CONTROL.md", "retry\n");
  assert.deepEqual([(await world.loop()).exit_code, world.phase("T-1")], [0, "done"]);
  assert.match(world.read("tasks/T-1/CONTROL.md"), /^\[x\] retry \(done \S+\)\n$/);
  const late = (await cancel()).json();
  assert.deepEqual([late.cancelled, late.reason], [false, "nothing is running on this task"]);
  assert.equal((await world.call("task-phase", ["check", "--tasks-root", world.tasks])).code, 0);
});

test("cancel of a task that never ran and cannot be read says why, and leaves nothing behind", async (t) => {
  const world = await makeLoopWorld(t, { "T-1": {} });
  world.write("tasks/T-1/STATE.md", stateFile({ phase: "verify" }));
  const end = await world.call("task-phase", ["cancel", "--task-dir", world.path("tasks/T-1")]);
  assert.equal(end.code, 65);
  assert.match(end.stderr, /no journal shows that it was ever accepted/);
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
    assert.match(end.stderr, /wrote ABORT to CONTROL\.md; waiting up to 45 s/);
  }
});

test("cancel ends a pass at once, however seldom CONTROL.md is read", { timeout: 60_000 }, async (t) => {
  const world = makeTaskWorld(t);
  const task = await world.makeTask("one", {
    state: { phase: "implement" },
    events: (at) => eventsAt("implement", at),
  });
  const config = "cases/one/tasks/task-phase.yaml";
  world.write(config, `${world.read(config)}control: { poll: 10m }\n`);
  task.propose({ waits: true });
  const pass = world.run("task-phase-run", ["--task-dir", task.taskDir, "--json"]);
  while (task.calls() === 0) await sleep(20);
  assert.equal((await world.run("task-phase", ["cancel", task.taskDir])).code, 0);
  assert.equal((await pass).code, 25);
});
