import { lstatSync, type Stats } from "node:fs";
import { orElse } from "../../text/attempt.ts";

/**
 * The entries of a task folder that a row is made from: bit n of `present` says that the nth is there. What is not
 * there is known from the folders, whose times change with every name that comes or goes.
 */
export const stampedNames = [
  "",
  "README.md",
  "STATE.md",
  "EVIDENCE.md",
  "TASKS.md",
  "DECISIONS.md",
  "CONTROL.md",
  "artifacts",
  "artifacts/journal.jsonl",
] as const;

/** Inode, size, and when contents and entry changed, in milliseconds and parts of them. */
export const figuresEach = 4;

/** A file that changed this recently may change again within one tick of the clock of its file system. */
const settledAfterMs = 100;
/** For times in whole seconds, on file systems that keep no fractions or only every second one. */
const settledAfterCoarseMs = 2_100;

/** The figures of an entry. Null if it changed so recently that they may not tell the next change. */
export function figuresOf({ ino, size, mtimeMs, ctimeMs }: Stats, now: number): readonly number[] | null {
  const settled = ctimeMs % 1_000 === 0 ? settledAfterCoarseMs : settledAfterMs;
  return now - ctimeMs > settled ? [ino, size, mtimeMs, ctimeMs] : null;
}

/** True if the entries of a task folder have these figures still, which begin at `at`. */
export function holdsStamp(taskDir: string, present: number, figures: Float64Array, at: number): boolean {
  let next = at;
  for (let bit = 0; bit < stampedNames.length; bit++) {
    if ((present & (1 << bit)) === 0) continue;
    const stats = statOf(bit === 0 ? taskDir : `${taskDir}/${stampedNames[bit]}`);
    // The time of the entry differs wherever anything else does.
    if (stats === undefined || stats.ctimeMs !== figures[next + 3] || stats.ino !== figures[next]) return false;
    if (stats.size !== figures[next + 1] || stats.mtimeMs !== figures[next + 2]) return false;
    next += figuresEach;
  }
  return true;
}

/** How many numbers the stamp of these entries has. */
export function stampLength(present: number): number {
  let bits = 0;
  for (let left = present; left !== 0; left &= left - 1) bits++;
  return bits * figuresEach;
}

/** Undefined if nothing is there or the user may not look. */
export function statOf(path: string): Stats | undefined {
  // The reader then reports the problem.
  return orElse(() => lstatSync(path, { throwIfNoEntry: false }), undefined);
}
