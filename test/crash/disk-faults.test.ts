import assert from "node:assert/strict";
import { test } from "node:test";
import { goodRepo, makeTaskWorld } from "../cli/task-world.ts";
import { type FaultyPass, judgeFault, noSuchCall } from "../pass/disk-faults.ts";

/** 1 takes every call: hours. */
const step = Number(process.env.TASK_PHASE_DISK_STEP ?? "78");
const seed = Number(process.env.TASK_PHASE_CRASH_SEED ?? "1");

/** `known`: how many calls that change the disk, and that look, there were when this was written. */
const passes: readonly (FaultyPass & { readonly known: readonly [number, number] })[] = [
  { phase: "verify", to: "review", repo: goodRepo, verdict: "accepted", known: [510, 2250] },
  { phase: "verify", to: "review", repo: { "bad.txt": "bad\n" }, verdict: "redirected", known: [430, 1850] },
  { phase: "shape", to: "done", repo: goodRepo, verdict: "rejected", known: [300, 1450] },
];

for (const pass of passes) {
  for (const [which, code, every, known] of [
    ["changes", "ENOSPC", step, pass.known[0]],
    ["looks", "EIO", step * 7, pass.known[1]],
  ] as const) {
    test(`a disk that fails once (${code}) in a pass that is ${pass.verdict} makes no verdict, and the next run does`, async (t) => {
      const world = makeTaskWorld(t);
      const wrong: string[] = [];
      let tried = 0;
      let nth = 1 + (seed % every);
      for (; !wrong.includes(noSuchCall); nth += every, tried += 1)
        wrong.push(...(await judgeFault(world, { which, code, nth, pass })));
      t.diagnostic(`${tried - 1} calls failed with ${code}`);
      assert.deepEqual(wrong, [noSuchCall]);
      // Far fewer mean that the double sees less.
      assert.ok(nth > known * 0.8, `a pass made only ${nth} of ${known} calls`);
    });
  }
}
