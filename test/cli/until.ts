import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { patienceMs } from "../patience.ts";

/** Waits until something is so, looking every few milliseconds; fails after a time that no machine needs. */
export async function until(isSo: () => boolean): Promise<void> {
  for (let round = 0; round < patienceMs / 10; round += 1) {
    if (isSo()) return;
    await setTimeout(10);
  }
  assert.fail("it did not come so");
}
