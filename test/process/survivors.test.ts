import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { type TestContext, test } from "node:test";
import { identifyPid } from "../../lib/process/identity.ts";
import { createMark, type ProcessMark } from "../../lib/process/mark.ts";
import { containment, endSurvivors, endTree, findSurvivors, isAlive } from "../../lib/process/survivors.ts";
import { patienceMs, startCpuTime } from "../patience.ts";
import { lives, makeFolder, plainEnv } from "./arrange.ts";

/** Starts a shell, and returns when it has said something: what it does then is to wait for words that never come. */
async function start(
  t: TestContext,
  script: string,
  env: Record<string, string>,
): Promise<ChildProcess & { pid: number }> {
  const child = spawn("/bin/sh", ["-c", script], {
    env: { ...plainEnv, ...env },
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  t.after(() => child.kill("SIGKILL"));
  await new Promise((resolve) => child.stdout?.once("data", resolve));
  return child as ChildProcess & { pid: number };
}

const marked = (mark: ProcessMark): Record<string, string> => ({ TASK_PHASE_MARK: mark.id });

test("a marked process is found, an unmarked one and this one are not", async (t) => {
  const mark = createMark(makeFolder(t));
  const child = await start(t, "echo ready; read never", marked(mark));
  const other = await start(t, "echo ready; read never", {});
  process.env.TASK_PHASE_MARK = mark.id;
  t.after(() => delete process.env.TASK_PHASE_MARK);
  assert.deepEqual(findSurvivors(mark, []), [{ ...identifyPid(child.pid, "sh") }]);
  assert.deepEqual(
    (await endSurvivors(mark, [], 100)).map((one) => one.pid),
    [child.pid],
  );
  assert.deepEqual([lives(child.pid), lives(other.pid)], [false, true]);
});

test("an ancestor is not signalled, even where it carries the mark", async (t) => {
  const mark = createMark(makeFolder(t));
  const self = { ...identifyPid(process.pid, "node") };
  const parent = { ...identifyPid(process.ppid, "node") };
  assert.deepEqual(findSurvivors(mark, [self, parent]), []);
  assert.deepEqual(await endSurvivors(mark, [self, parent], 50), []);
});

test("a noted process is ended with its children; one that only has its number is not", async (t) => {
  const mark = createMark(makeFolder(t));
  const child = await start(t, "sleep 30 & sleep 30 & echo ready; read never", {});
  const noted = identifyPid(child.pid, "sh");
  assert.deepEqual(findSurvivors(mark, [{ ...noted, startTime: "1" }]), []);
  assert.deepEqual(findSurvivors(mark, [{ ...noted, bootId: "another boot" }]), []);
  assert.equal(findSurvivors(mark, [noted]).length, 3);
  const { ended, left } = await endTree(mark, [noted], 100);
  assert.deepEqual([ended.length, left.length, lives(child.pid)], [3, 0, false]);
});

test("TERM is given time, and KILL comes after the grace", async (t) => {
  const mark = createMark(makeFolder(t));
  const polite = await start(
    t,
    "trap 'sleep 0.1; exit 7' TERM; echo ready; while :; do sleep 0.01; done",
    marked(mark),
  );
  const exit = new Promise((resolve) => polite.once("exit", (code) => resolve(code)));
  await endSurvivors(mark, [], 2_000);
  assert.equal(await exit, 7);
  const rude = await start(t, "trap '' TERM; echo ready; while :; do sleep 0.01; done", marked(mark));
  const killed = new Promise((resolve) => rude.once("exit", (_, signal) => resolve(signal)));
  await endSurvivors(mark, [], 150);
  assert.equal(await killed, "SIGKILL");
});

test("where nothing lives, nothing is waited for", async (t) => {
  // No wait would ever end on this clock.
  t.mock.timers.enable({ apis: ["setTimeout"] });
  assert.deepEqual(await endSurvivors(createMark(makeFolder(t)), [], 60_000), []);
});

test("alive is only the very process, and not when it has ended uncollected", async (t) => {
  const child = await start(t, "echo ready; read never", {});
  const identity = identifyPid(child.pid, "sh");
  assert.equal(isAlive(identity), true);
  assert.equal(isAlive({ ...identity, startTime: "1" }), false);
  assert.equal(isAlive({ ...identity, bootId: "another boot" }), false);
  assert.equal(isAlive({ ...identity, startTime: "", bootId: "" }), true);
  // Nobody collects it before this turn of the event loop is over.
  child.kill("SIGKILL");
  const used = startCpuTime();
  while (isAlive(identity) && used() < patienceMs);
  assert.equal(isAlive(identity), false);
  assert.equal(isAlive({ ...identity, pid: 99_999_999, startTime: "", bootId: "" }), false);
});

test("the system decides how processes are held together", (t) => {
  assert.equal(containment(), "proc");
  assert.equal(containment(makeFolder(t)), "group");
  assert.deepEqual(findSurvivors(createMark(makeFolder(t)), [identifyPid(process.ppid, "sh")], makeFolder(t)), []);
});
