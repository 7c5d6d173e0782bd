import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assertReachesDone,
  assertRecovered,
  lookAtTask,
  type Moment,
  makeCrashWorld,
  scenarios,
} from "./crash-world.ts";

/** Moments of each pass; `scripts/kill-sweep.mjs` takes all of them. */
const momentsPerPass = 3;
/** Where an honest agent needs more than one pass from there to done, only some of the moments are followed so far. */
const followed = new Set([2]);

for (const scenario of scenarios) {
  const title = `a ${scenario.name} pass that is killed anywhere is carried out or undone by the next run`;
  test(title, async (t) => {
    const world = await makeCrashWorld(t);
    await world.until(scenario.phase, scenario.phase === "verify");
    world.keep();
    const before = lookAtTask(world);
    const calls = await world.count(scenario.agent, { env: scenario.env });
    assert(calls.length > scenario.calls * 0.8, `only ${calls.length} of ${scenario.calls} calls were counted`);
    assert.equal(world.journal().findLast((event) => event.type === "verdict")?.verdict, scenario.verdict);
    for (const [index, moment] of spread(calls, momentsPerPass).entries()) {
      world.reset();
      const end = await world.start(scenario.agent, { env: scenario.env, moment });
      assert.equal(end.signal, "SIGKILL");
      await assertRecovered(world, before, [scenario.verdict, "interrupted"]);
      if (scenario.phase === "review" || followed.has(index)) await assertReachesDone(world);
    }
  });
}

test("a run that recovers a pass can be killed anywhere too", async (t) => {
  const world = await makeCrashWorld(t);
  await world.until("review");
  const before = lookAtTask(world);
  world.keep();
  const calls = await world.count("honest");
  for (const first of spread(calls, 2)) {
    world.reset();
    await world.start("honest", { moment: first });
    const recovering = await world.count("nobody");
    for (const second of spread(recovering, 2)) {
      world.reset();
      assert.equal((await world.start("honest", { moment: first })).signal, "SIGKILL");
      assert.equal((await world.start("nobody", { moment: second })).signal, "SIGKILL");
      await assertRecovered(world, before, ["accepted", "interrupted"]);
    }
  }
});

/** So many calls, evenly spread; every second one that writes is cut off in the middle. */
function spread(calls: readonly string[], count: number): Moment[] {
  return Array.from({ length: Math.min(count, calls.length) }, (_, index) => {
    const at = Math.floor(((index + 0.5) * calls.length) / count) + 1;
    return { at, half: calls[at - 1]?.startsWith("writeSync") === true && index % 2 === 0 };
  });
}
