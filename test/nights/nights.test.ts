import assert from "node:assert/strict";
import { test } from "node:test";
import { chanceOf } from "../simulation/seeded.ts";
import { plantedFaults } from "./planted-faults.ts";
import { playNights } from "./play-nights.ts";

const isWhole = process.env.TASK_PHASE_NIGHTS_IN_MEMORY === "all";
const seed = Number(process.env.TASK_PHASE_CRASH_SEED ?? Math.floor(Date.now() / 86_400_000));
const replay = "node scripts/play-nights.mjs --nights 1 --seed";

test("loops that are killed, lied to and interfered with keep every promise, night after night", async (t) => {
  const nights = await playNights({ seed: seed * 1000, nights: isWhole ? 2_000 : 60, seconds: 3_000, jobs: 2 });
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

for (const { name } of new Set(planted)) {
  test(`a night notices that ${name}`, async () => {
    let isFound = false;
    const heard = ({ problems }: { readonly problems: readonly string[] }): boolean => {
      isFound ||= problems.length > 0;
      return !isFound;
    };
    await playNights({ seed: 1, nights: 1_000, seconds: 60, jobs: 2, fault: name, heard });
    assert(isFound, "no problem within a minute");
  });
}
