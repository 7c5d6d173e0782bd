import assert from "node:assert/strict";
import { lstatSync, readdirSync } from "node:fs";
import { test } from "node:test";
import type { RunEnd } from "../cli/arrange.ts";
import { assertRecovered, type CrashWorld, lookAtTask, makeCrashWorld, until } from "./crash-world.ts";

test("a second run of a task ends with 75 at once and writes nothing, until the first one is killed", async (t) => {
  const world = await makeCrashWorld(t);
  const before = lookAtTask(world);
  const first = await holdTask(world, "stays");
  const standing = picture(world);
  const second = await world.start("honest");
  assert.equal(second.code, 75, second.stdout);
  assert.match(second.stderr, /TP_LOCKED/);
  assert.deepEqual(picture(world), standing);
  first.kill("SIGKILL");
  await first.ended;
  await assertRecovered(world, before, ["interrupted"]);
});

test("a dry run, `check` and a loop beside a run that works take it for no run that was cut off, and leave its notes", async (t) => {
  const world = await makeCrashWorld(t);
  const first = await holdTask(world, "stays");
  const notes = () => readdirSync(world.anchor()).sort();
  const before = notes();
  const dry = await world.inside("run", ["--dry-run"]);
  assert.equal(dry.code, 75, dry.output);
  const checked = await world.inside("check", []);
  assert.deepEqual([checked.code, checked.output.includes("TP_INTERRUPTED")], [0, false], checked.output);
  assert.equal((await world.inside("loop", [])).code, 75);
  assert.deepEqual(notes(), before);
  first.kill("SIGKILL");
  await first.ended;
  assert.match((await world.inside("check", [])).output, /TP_INTERRUPTED/);
  assert.match((await world.inside("run", ["--dry-run"])).output, /an interrupted pass has to be recovered/);
});

test("a run of another task with the same repo ends with 75 and writes nothing", async (t) => {
  const world = await makeCrashWorld(t);
  await world.addTask("T-2");
  const first = await holdTask(world, "stays");
  const standing = picture(world);
  const second = await world.start("honest", { task: "T-2" });
  assert.equal(second.code, 75, second.stdout);
  assert.match(second.stderr, /holds the repo/);
  assert.deepEqual(picture(world), standing);
  first.kill("SIGTERM");
  assert.equal((await first.ended).code, 143);
  assert.equal((await world.start("honest", { task: "T-2" })).code, 0);
});

test("an agent that removes the lock files lets no second run in", async (t) => {
  const world = await makeCrashWorld(t);
  const first = await holdTask(world, "deletes-the-lock");
  for (let count = 0; count < 2; count += 1) {
    const second = await world.start("honest");
    assert.equal(second.code, 75, second.stdout);
  }
  first.kill("SIGTERM");
  assert.equal((await first.ended).code, 143);
});

const rivals = process.env.TASK_PHASE_FAULT_STEP === "1" ? 50 : 20;

test(`of ${rivals} runs that start at once one goes on, and the others end with 75`, async (t) => {
  const world = await makeCrashWorld(t);
  const before = lookAtTask(world);
  const children: { kill(signal: NodeJS.Signals): void }[] = [];
  const ends: number[] = [];
  const runs = Array.from({ length: rivals }, async () => {
    const end = await world.start("stays", {
      env: { AGENT_READY: world.path("ready") },
      onStart: (child) => children.push(child),
    });
    ends.push(end.code ?? -1);
  });
  await until(() => ends.length >= rivals - 1 && world.exists("ready"), "the others end");
  const others = Array(rivals - 1).fill(75);
  assert.deepEqual(ends, others);
  for (const child of children) child.kill("SIGTERM");
  await Promise.all(runs);
  assert.deepEqual(ends, [...others, 143]);
  await assertRecovered(world, before, ["interrupted"]);
});

interface HeldTask {
  readonly ended: Promise<RunEnd>;
  kill(signal: NodeJS.Signals): void;
}

/** A run whose agent is at work. */
async function holdTask(world: CrashWorld, model: string): Promise<HeldTask> {
  let kill: HeldTask["kill"] = () => {};
  const ended = world.start(model, {
    env: { AGENT_READY: world.path("ready") },
    onStart: (child) => {
      kill = (signal) => child.kill(signal);
    },
  });
  await until(() => world.exists("ready"), "the agent works");
  return { ended, kill };
}

/** Every path of the world with what would show that it was written to. */
function picture(world: CrashWorld): string[] {
  return (readdirSync(world.folder, { recursive: true }) as string[])
    .map((name) => {
      const { size, mtimeMs, ctimeMs } = lstatSync(world.path(name));
      return `${name} ${size} ${mtimeMs} ${ctimeMs}`;
    })
    .sort();
}
