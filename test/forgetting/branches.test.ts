import assert from "node:assert/strict";
import { test } from "node:test";
import { playBranches } from "./branch-cuts.ts";
import { whyNoForgetting } from "./forgetting-disk.ts";

const isWhole = process.env.TASK_PHASE_FORGETTING === "all";
const firstSeed = Number(process.env.TASK_PHASE_CRASH_SEED ?? "1");
const skip = whyNoForgetting();
const lives = isWhole ? 2 : 1;
const cuts = isWhole ? 10 : 2;

test("claims and landings keep their promises on a disk that forgets", { skip }, async (t) => {
  const seeds = Array.from({ length: lives }, (_, index) => firstSeed + index);
  const next = async (): Promise<void> => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const life = await playBranches(t, { seed, cuts });
      const what = `${life.lost} changes lost, ${life.torn} of them in part, ${life.told} verdicts told`;
      t.diagnostic(
        `seed ${seed}: ${life.cuts} cuts, ${life.landings} of them in a landing; ${what}, ${life.landed} landed`,
      );
      assert.deepEqual(life.problems, []);
    }
  };
  await Promise.all([next(), next()]);
});
