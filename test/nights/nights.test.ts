import assert from "node:assert/strict";
import { test } from "node:test";
import { planNight } from "../simulation/plan-night.ts";
import { chanceOf } from "../simulation/seeded.ts";
import { sizeOf } from "./night-size.ts";
import { plantedFaults } from "./planted-faults.ts";
import { playNights } from "./play-nights.ts";

/** So many nights, and every planted fault. */
const asked = process.env.TASK_PHASE_NIGHTS_IN_MEMORY;
const isWhole = asked !== undefined;
const seed = Number(process.env.TASK_PHASE_CRASH_SEED ?? Math.floor(Date.now() / 86_400_000));
const replay = "node scripts/play-nights.mjs --nights 1 --seed";

test("loops that are killed, lied to and interfered with keep every promise, night after night", async (t) => {
  const seeds = Array.from({ length: Number(asked ?? "8") }, (_, index) => seed * 10_000 + index);
  const nights = await playNights({ seeds, seconds: 3_000, jobs: 2 });
  const passes = nights.reduce((sum, night) => sum + night.passes, 0);
  const kills = nights.reduce((sum, night) => sum + night.killed, 0);
  t.diagnostic(`${nights.length} nights, ${passes} passes, ${kills} kills`);
  const wrong = nights.filter(({ problems }) => problems.length > 0);
  assert.deepEqual(
    wrong.map((night) => `${replay} ${night.seed}: ${night.problems.join("; ")}`),
    [],
  );
  assert(passes > nights.length * 10, "nights have passes");
});

const chance = chanceOf(seed, "faults");
const planted = isWhole ? plantedFaults : [chance.pick(plantedFaults), chance.pick(plantedFaults)];

/** Nights with the fate, or the word in a task's plan, in which something is killed, smallest first; without one, all. */
function seedsWith(shownBy: string | undefined): number[] {
  const all = Array.from({ length: 3_000 }, (_, index) => index + 1);
  if (shownBy === undefined) return all;
  const shows = (night: number): boolean => {
    const { tasks, kills, acts } = sizeOf(night);
    const { tasks: plans } = planNight(night, tasks);
    const has = plans.some(({ fate, plan, end }) => end !== "waiting" && (fate === shownBy || plan.includes(shownBy)));
    return has && kills > 2 && acts === 0;
  };
  const tasksOf = (night: number): number => sizeOf(night).tasks;
  return all.filter(shows).sort((left, right) => tasksOf(left) - tasksOf(right));
}

for (const { name, shownBy } of new Set(planted)) {
  test(`a night notices that ${name}`, async () => {
    let isFound = false;
    const heard = ({ problems }: { readonly problems: readonly string[] }): boolean => {
      isFound ||= problems.length > 0;
      return !isFound;
    };
    await playNights({ seeds: seedsWith(shownBy), seconds: 60, jobs: 2, fault: name, heard });
    assert(isFound, "no problem within a minute");
  });
}
