import type { WatchedDigest } from "./events.ts";
import type { WatchedChange } from "./facts.ts";

/**
 * Whether a change of what is watched could make a check pass that did not: a changed check, script or setting, a
 * deleted, newly skipped or weakened test, and any change of what a person chose to have watched. An added or otherwise
 * changed test, and a new script that nothing runs, do not, and are only shown.
 */
export function couldHide({ kind, change }: WatchedChange): boolean {
  if (kind === "test") return change === "deleted" || change === "skipped" || change === "weakened";
  return !((kind === "script" || kind === "file") && change === "added");
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
  file: "the file",
  script: "the script",
  setting: "the setting",
  executable: "the executable",
  check_file: "the file of a check",
} as const;

/** As `the test test/sum.test.js was weakened: 1 of 4 assertions is gone`. */
export function tellWatched({ kind, name, change, detail }: WatchedChange): string {
  return `${kindWords[kind]} ${name} was ${change}${detail === "" ? "" : `: ${detail}`}`;
}

/** The changes with what a person said to exactly these digests. */
export function withAnswers(
  changes: readonly Omit<WatchedChange, "answer">[],
  answers: { readonly accepted: readonly WatchedDigest[]; readonly refused: readonly WatchedDigest[] },
): WatchedChange[] {
  const named = (list: readonly WatchedDigest[], { name, digest }: WatchedDigest) =>
    list.some((one) => one.name === name && one.digest === digest);
  return changes.map((change) => ({
    ...change,
    answer: named(answers.accepted, change) ? "accepted" : named(answers.refused, change) ? "refused" : null,
  }));
}
