import type { WatchedChange } from "./facts.ts";

/**
 * Whether a change of what is watched could make a check pass that did not: a changed check, script or setting, and a
 * deleted, newly skipped or weakened test. An added or otherwise changed test, and a new script that nothing runs, do
 * not, and are only shown.
 */
export function couldHide({ kind, change }: WatchedChange): boolean {
  if (kind === "test") return change === "deleted" || change === "skipped" || change === "weakened";
  return !(kind === "script" && change === "added");
}

/** Those that nobody has answered yet. */
export function openChanges(changes: readonly WatchedChange[]): WatchedChange[] {
  return changes.filter((change) => couldHide(change) && change.answer === null);
}

/** Those that a person did not accept, and that stand all the same. */
export function refusedChanges(changes: readonly WatchedChange[]): WatchedChange[] {
  return changes.filter((change) => couldHide(change) && change.answer === "refused");
}

const kindWords = {
  test: "the test",
  script: "the script",
  setting: "the setting",
  executable: "the executable",
  check_file: "the file of a check",
} as const;

/** As `the test test/sum.test.js was weakened: 1 of 4 assertions is gone`. */
export function tellWatched({ kind, name, change, detail }: WatchedChange): string {
  return `${kindWords[kind]} ${name} was ${change}${detail === "" ? "" : `: ${detail}`}`;
}
