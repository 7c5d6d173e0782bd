import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import { type CrashWorld, lookAtTask, type Standing } from "./crash-world.ts";

/**
 * The runner is killed when the agent has ended. The world is kept as it is then, but for pipes, which nothing copies. Gives
 * how the task stood before.
 */
export async function cutOffAtWork(world: CrashWorld): Promise<Standing> {
  const before = lookAtTask(world);
  world.keep();
  world.reset();
  const calls = await world.count("honest");
  const at = calls.findLastIndex((call) => /^renameSync .*\/checkpoint-\w+$/.test(call)) - 2;
  assert(at > 0, "no such call");
  world.reset();
  const end = await world.start("honest", { moment: { at, half: false } });
  assert.equal(end.signal, "SIGKILL");
  for (const name of readdirSync(world.path("tmp"))) rmSync(world.path("tmp", name), { recursive: true });
  world.keep();
  return before;
}
