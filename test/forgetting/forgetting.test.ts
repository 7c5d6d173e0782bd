import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type DiskModel, whyNoForgetting } from "./forgetting-disk.ts";
import { plantedFaults } from "./planted-faults.ts";
import { type Life, playLife } from "./play-cuts.ts";

const isWhole = process.env.TASK_PHASE_FORGETTING === "all";
const firstSeed = Number(process.env.TASK_PHASE_CRASH_SEED ?? "1");
const skip = whyNoForgetting();
const lives = isWhole ? 10 : 1;
const cutsOfLife = isWhole ? 10 : 5;
/** The first is found with the fewest cuts. */
const planted = isWhole ? plantedFaults : plantedFaults.slice(0, 1);
const mostCuts = 60;

for (const model of ["strict", "ordered"] as const) {
  test(`a loop keeps its promises on a disk that forgets: ${model}`, { skip }, async (t) => {
    const seeds = Array.from({ length: lives }, (_, index) => firstSeed + index);
    const next = async (): Promise<void> => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift())
        judgeLife(t, model, seed, await play(seed));
    };
    const play = (seed: number): Promise<Life> => playLife(t, { model, seed, cuts: cutsOfLife });
    await Promise.all([next(), next()]);
  });
}

function judgeLife(t: TestContext, model: DiskModel, seed: number, life: Life): void {
  const { cuts, again, lost, torn, told, tasks, problems } = life;
  const what = `${lost} changes lost, ${torn} of them in part, ${told} verdicts told, ${tasks} tasks`;
  t.diagnostic(`${model}, seed ${seed}: ${cuts} cuts, ${again} of them while it recovers, ${what}`);
  assert.deepEqual(problems, []);
  assert(cuts >= cutsOfLife);
  assert(lost > cuts, `only ${lost} changes were lost`);
}

for (const { name, preload } of planted) {
  test(`the cuts show that ${name}`, { skip }, async (t) => {
    const found: string[] = [];
    let cuts = 0;
    for (let seed = firstSeed; found.length === 0 && cuts < mostCuts; seed += 1) {
      const life = await playLife(t, { model: "strict", seed, cuts: 10, preload });
      cuts += life.cuts;
      found.push(...life.problems);
    }
    t.diagnostic(`${cuts} cuts: ${found[0]?.slice(0, 200)}`);
    assert(found.length > 0, `${cuts} cuts show nothing`);
  });
}
