import assert from "node:assert/strict";
import { test } from "node:test";
import { makeTaskWorld } from "../cli/task-world.ts";
import { countCalls, judgeFault } from "../pass/disk-faults.ts";

/** 1 takes every call: half an hour. */
const step = Number(process.env.TASK_PHASE_FAULT_STEP ?? "13");

for (const [which, code, every] of [
  ["changes", "ENOSPC", step],
  ["looks", "EIO", step * 7],
] as const) {
  test(`a disk that fails once (${code}) anywhere in a pass makes no verdict, and the next run accepts`, async (t) => {
    const world = makeTaskWorld(t);
    const calls = await countCalls(world, which);
    const wrong: string[] = [];
    for (let nth = 1; nth <= calls; nth += every) wrong.push(...(await judgeFault(world, { which, code, nth })));
    assert.deepEqual(wrong, []);
  });
}
