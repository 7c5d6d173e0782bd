import assert from "node:assert/strict";
import { test } from "node:test";
import { whyNoForgetting } from "./forgetting-disk.ts";
import { fileSystems, tryCopies, whyNoImage } from "./images.ts";
import { nothingSynced } from "./planted-faults.ts";

const isWhole = process.env.TASK_PHASE_FORGETTING === "all";
const seed = Number(process.env.TASK_PHASE_CRASH_SEED ?? "1");
const tried = isWhole ? fileSystems : fileSystems.slice(0, 1);

for (const system of tried) {
  const { name } = system;
  const skip = whyNoForgetting() || whyNoImage(system);
  test(`one recovery keeps the promises on copies of a disk with ${name} while a loop runs`, { skip }, async (t) => {
    const wanted = isWhole ? 20 : 4;
    const { copies, lost, told, cutOff, problems } = await tryCopies(t, system, seed, wanted);
    t.diagnostic(`seed ${seed}: ${copies} copies, ${cutOff} cut off, ${lost} writes lost, ${told} verdicts told`);
    assert.deepEqual(problems, []);
    assert.equal(copies, wanted);
    assert(lost > 0, "no write was lost");
    // About three copies of ten are of a moment in a pass.
    if (isWhole) assert(cutOff > 0, "no run was cut off");
  });

  if (!isWhole) continue;
  test(`copies of a disk with ${name} show that nothing is synced`, { skip }, async (t) => {
    const { problems } = await tryCopies(t, system, seed, 12, nothingSynced.preload);
    t.diagnostic(`${problems.length} problems: ${problems[0]?.slice(0, 200)}`);
    assert(problems.length > 0, "nothing was found");
  });
}
