import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { chanceOf } from "../simulation/seeded.ts";
import type { Loss } from "./list-losses.ts";
import { planted } from "./plant-fault.ts";
import { scenarios } from "./scenarios.ts";
import { listStates, tryStates } from "./try-states.ts";

/** So many losses of each scenario are taken, chosen by the seed, or all. */
const asked = process.env.TASK_PHASE_CRASH_STATES ?? "12";
const taken = asked === "all" ? Number.POSITIVE_INFINITY : Number(asked);
const seed = Number(process.env.TASK_PHASE_CRASH_SEED ?? "1");
const skip = process.platform === "linux" ? false : "what is written is read back by /proc";

/** The worlds lie in memory: their disk is the recorded one, and no sync is waited for. */
function useMemory(t: TestContext): void {
  const { TMPDIR } = process.env;
  if (existsSync("/dev/shm")) process.env.TMPDIR = "/dev/shm";
  t.after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
}

for (const { name, losses: known, make, most = Number.POSITIVE_INFINITY } of scenarios) {
  test(`one recovery keeps the promises after a power cut at any moment: ${name}`, { skip }, async (t) => {
    useMemory(t);
    const stage = await make(t);
    const chance = chanceOf(seed, name);
    const wanted = Math.min(most, taken);
    const takes = () => chance.happens(wanted / known);
    const { losses, states, violations } = await tryStates(stage, { takes });
    t.diagnostic(`${stage.trace.ops.length} steps, ${losses} losses, ${states} different disks, seed ${seed}`);
    assert.deepEqual(violations, []);
    assert.ok(losses > known * 0.8, `${losses} losses, and ${known} are known: the recorder sees less`);
    assert.ok(states > Math.min(known / 10, wanted / 10), `only ${states} disks`);
  });
}

test("the same search finds faults that are planted in what was recorded", { skip }, async (t) => {
  useMemory(t);
  const stage = await scenarios[0]?.make(t);
  assert(stage !== undefined);
  // What the runner as it is survives, by the tests above, is not tried again.
  const takes = ({ lost }: Loss): boolean => lost.size <= 1;
  const known = listStates(stage, takes);
  const missed: string[] = [];
  for (const { fault, plant, isHarmless = false } of planted) {
    const ops = plant(stage.trace);
    const faulty = { ...stage, trace: { ...stage.trace, ops, told: ops.length } };
    const { violations, states } = await tryStates(faulty, { takes, known, mostViolations: 1 });
    t.diagnostic(
      `${fault}: ${
        violations[0]
          ?.split(/:? \d+ .*: /)
          .at(-1)
          ?.slice(0, 80) ?? "harmless"
      }, ${states} disks`,
    );
    if ((violations.length === 0) !== isHarmless) missed.push(fault);
  }
  assert.deepEqual(missed, []);
  assert.ok(planted.filter(({ isHarmless }) => isHarmless !== true).length >= 10);
});
