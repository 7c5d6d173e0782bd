import { cellHolds, type SquareFacts } from "./square.ts";
import type { WatchedChange, WatchedDigest } from "./watched-change.ts";

/**
 * Whether a change of what is watched could make a check pass that did not: a changed check, script or setting, a
 * removed or changed test, and any change of what a person chose to have watched. An added test, a new script and an
 * executable that an unchanged lockfile brought do not, and are only shown.
 */
export function couldHide({ kind, change }: WatchedChange): boolean {
  if (change === "installed") return false;
  return !(change === "added" && (kind === "test" || kind === "script" || kind === "file" || kind === "mark"));
}

/**
 * Whether someone has to answer for a change. Running settles most of them: with the checks of pass 1 in a clean copy
 * (the guard) the current work passes or it does not. What no copy can hold as it was, such as another program as a
 * check, goes by its kind, and so does everything if there is no guard.
 */
export function needsAnswer(change: WatchedChange, square: SquareFacts | null): boolean {
  const guard = square?.guard ?? null;
  return guard !== null && change.side === "checks" ? !cellHolds(guard) : couldHide(change);
}

/** Changes that nobody has answered yet and that running did not settle. */
export function openChanges(changes: readonly WatchedChange[], square: SquareFacts | null): WatchedChange[] {
  return changes.filter((change) => needsAnswer(change, square) && change.answer === null);
}

/** Changes that a person refused, that are still there, and that running did not settle. */
export function refusedChanges(changes: readonly WatchedChange[], square: SquareFacts | null): WatchedChange[] {
  return changes.filter((change) => needsAnswer(change, square) && change.answer === "refused");
}

const kindWords = {
  test: "the test",
  file: "the file",
  script: "the script",
  setting: "the setting",
  executable: "the executable",
  check_file: "the file of a check",
  count: "",
  mark: "",
} as const;

/** As `the test test/sum.test.js was changed: 3 lines differ`. */
export function renderWatched({ kind, name, change, detail }: WatchedChange): string {
  if (kind === "mark") return `${name}, ${detail}`;
  if (kind === "count") return `${name} ${change === "fewer" ? "ran fewer tests" : "passed regardless"}: ${detail}`;
  return `${kindWords[kind]} ${name} was ${change}${detail === "" ? "" : `: ${detail}`}`;
}

/**
 * The changes with what a person said to exactly these digests. A test for which the brief says that it may change is
 * accepted beforehand, unless a person refused exactly this change.
 */
export function withAnswers(
  changes: readonly Omit<WatchedChange, "answer">[],
  answers: { readonly accepted: readonly WatchedDigest[]; readonly refused: readonly WatchedDigest[] },
  mayChange: (path: string) => boolean = () => false,
): WatchedChange[] {
  const named = (list: readonly WatchedDigest[], { name, digest }: WatchedDigest) =>
    list.some((one) => one.name === name && one.digest === digest);
  return changes.map((change): WatchedChange => {
    if (named(answers.accepted, change)) return { ...change, answer: "accepted" };
    if (named(answers.refused, change)) return { ...change, answer: "refused" };
    if ((change.kind === "test" || change.kind === "file") && mayChange(change.name))
      return { ...change, answer: "accepted", answer_by: "brief" };
    return { ...change, answer: null };
  });
}
