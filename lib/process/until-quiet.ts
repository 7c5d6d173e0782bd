import { setImmediate as nextTurn } from "node:timers/promises";

/** A full pipe is read in a few turns; output in each of so many comes from a writer that nobody could end. */
const mostTurns = 1_000;

/**
 * Resolves when a whole turn of the event loop, which reads what is in the pipes, brought nothing more. `seen` counts
 * what came. Time alone would not tell: this process may not come to read as long as the machine is busy.
 */
export async function untilQuiet(seen: () => number): Promise<void> {
  let before = Number.NaN;
  for (let turn = 0; turn < mostTurns && before !== seen(); turn++) {
    before = seen();
    // The pipes are read between these two.
    await nextTurn();
    await nextTurn();
  }
}
