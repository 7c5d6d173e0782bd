import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { canGroup } from "../../lib/process/control-group.ts";
import { findExecutable } from "../../lib/process/find-executable.ts";
import { readRow } from "../../lib/process/proc-table.ts";
import type { RunEnd } from "../cli/arrange.ts";
import { agentPath } from "../fake-agents/agent-path.ts";
import { makeFolder, plainEnv, run } from "../process/arrange.ts";
import { findLeft } from "../process/find-living.ts";
import { type CrashWorld, makeCrashWorld, until } from "./crash-world.ts";

/** Words of test/fake-agents/crash/escapes.sh. */
const kinds = [
  ...["", "deaf", "stopped", "session", "orphan", "elsewhere", "renamed", "removed", "closed", "many"],
  ...["bare", "bare session", "bare session orphan", "bare session orphan closed", "deaf session orphan many"],
  ...["stopped session orphan", "bare session closed renamed", "deaf bare session orphan closed elsewhere"],
  ...["parent", "parent session bare", "many bare session orphan closed deaf"],
  ...(process.geteuid?.() === 0 ? ["stranger", "stranger bare session orphan closed"] : []),
];

/** How the run ends during which they were started. */
const ends: Readonly<Record<string, (world: CrashWorld, how: string) => Promise<unknown>>> = {
  "its agent ends": (world, how) => world.start("escapes", { env: envOf(world, how) }),
  "the time of its agent is up": (world, how) => world.start("escapes-late", { env: envOf(world, `${how} stays`) }),
  "it is asked to end": (world, how) => endRun(world, how, "SIGTERM"),
  "it is killed": (world, how) => endRun(world, how, "SIGKILL"),
};

/** Each kind with each end takes minutes: every so many of them, unless all are asked for. */
const every = Number(process.env.TASK_PHASE_FAULT_STEP ?? "11");
const cases = kinds
  .flatMap((how) => Object.entries(ends).map(([end, act]) => ({ how, end, act })))
  .filter((_, at) => at % every === 0);

const skip = process.platform === "linux" ? false : "they are known by /proc";

test("nothing that an agent started lives on, however it hides and however the run ends", { skip }, async (t) => {
  const world = await makeCrashWorld(t);
  world.keep();
  const left: string[] = [];
  let started = 0;
  for (const { how, end, act } of cases) {
    world.reset();
    await act(world, how);
    // On a busy machine its time can be up before it has begun.
    if (world.exists("ready")) started += 1;
    const pids = readPids(world).filter((pid) => readRow(pid)?.ended === false);
    const living = [...pids.map(String), ...findLeft(world.folder)];
    if (living.length > 0) left.push(`${how || "a child"}, ${end}: ${living.join(", ")}`);
    for (const pid of pids) process.kill(pid, "SIGKILL");
  }
  t.diagnostic(`${started} escapes of ${kinds.length} kinds`);
  assert.deepEqual(left, []);
  assert(started > cases.length * 0.8, `only ${started} of ${cases.length} began`);
});

const chainNeeds = !canGroup()
  ? "this user may make no control group here"
  : findExecutable("python3", "/", plainEnv.PATH) === null && "python3 is not installed";

test("chains of forks that shed every mark do not outlive the process that began them", {
  skip: chainNeeds,
}, async (t) => {
  for (let round = 0; round < 3; round += 1) {
    const folder = makeFolder(t);
    const seen = join(folder, "seen");
    // Without the kill the links go on for a while after the sweeps, and show it.
    const { end } = await run(folder, [agentPath("forks-a-chain.py"), seen, "8", "8"]);
    assert.equal(end.problem, null);
    const { mtimeMs } = statSync(seen);
    await sleep(200);
    assert.equal(statSync(seen).mtimeMs, mtimeMs, `round ${round}`);
  }
});

function envOf(world: CrashWorld, how: string): Record<string, string> {
  return { AGENT_READY: world.path("ready"), AGENT_HOW: how };
}

/** Of a run that was killed the next one ends what is left. */
async function endRun(world: CrashWorld, how: string, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  let child: ChildProcess | null = null;
  let end: RunEnd | null = null;
  const ended = world.start("escapes", {
    env: envOf(world, `${how} stays`),
    onStart: (started) => {
      child = started;
    },
  });
  void ended.then((one) => {
    end = one;
  });
  await until(() => world.exists("ready") || end !== null, "the agent works");
  assert.equal(end, null, JSON.stringify(end));
  // That of execa would kill it a few seconds later.
  process.kill((child as ChildProcess | null)?.pid ?? 0, signal);
  await ended;
  if (signal === "SIGKILL") await world.start("nobody");
}

function readPids(world: CrashWorld): number[] {
  const file = world.path("ready.pids");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : [];
}
