import assert from "node:assert/strict";
import { test } from "node:test";
import { makeTaskWorld } from "../cli/task-world.ts";
import { judgeFault, noSuchCall } from "../pass/disk-faults.ts";

/** 1 takes every call: half an hour. */
const step = Number(process.env.TASK_PHASE_FAULT_STEP ?? "13");

/** `known`: how many calls there were when this was written. Far fewer mean that the double sees less. */
for (const [which, code, every, known] of [
  ["changes", "ENOSPC", step, 548],
  ["looks", "EIO", step * 7, 3095],
] as const) {
  test(`a disk that fails once (${code}) anywhere in a pass makes no verdict, and the next run accepts`, async (t) => {
    const world = makeTaskWorld(t);
    const wrong: string[] = [];
    let nth = 1;
    while (!wrong.includes(noSuchCall)) {
      wrong.push(...(await judgeFault(world, { which, code, nth })));
      nth += every;
    }
    assert.deepEqual(wrong, [noSuchCall]);
    assert.ok(nth > known * 0.8, `a pass made only ${nth} of ${known} calls`);
  });
}
