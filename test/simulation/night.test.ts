import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { checkNight, type NightResult } from "./check-night.ts";
import { makeNight } from "./make-night.ts";
import { planNight } from "./plan-night.ts";
import { type NightLog, runNight } from "./run-night.ts";
import { startsOf } from "./start-command.ts";

/**
 * A small night; scripts/simulate-night.mjs does the same with 200 tasks and 50 kills. Of this seed, agents
 * crash, hang once, forge the journal and another task, write their own assumptions, ask one with a default and propose
 * what they may not; one task has no check, and two wait for it.
 */
const seed = 1354;
const tasks = 6;

test("a loop that is killed again and again brings every task to the end that its seed foretells", async (t) => {
  const killed = await spendNight(t, 4);
  assert.deepEqual([killed.log.problems, killed.result.problems, killed.log.kills], [[], [], 4]);
});

async function spendNight(t: TestContext, kills: number): Promise<{ log: NightLog; result: NightResult }> {
  const night = makeNight(planNight(seed, tasks));
  t.after(() => night.remove());
  const start = startsOf(night);
  const log = await runNight(night, { kills, seed, start });
  return { log, result: await checkNight(night, start) };
}
