import type { Shape } from "../text/shape.ts";
import { cellHolds, type MatrixFacts } from "./matrix.ts";
import type { watchedChange } from "./shapes/facts.ts";

export type WatchedChange = Shape<typeof watchedChange>;

export type WatchedDigest = Pick<WatchedChange, "name" | "digest">;

/**
 * Whether a change could make a check pass that did not: a changed check, script or setting, a removed or changed test,
 * and anything in `watched`. An added test, a new script or an executable from an unchanged lockfile could not, and are
 * only shown.
 */
export function couldHide({ kind, change }: WatchedChange): boolean {
  if (change === "installed") return false;
  return !(change === "added" && (kind === "test" || kind === "script" || kind === "file" || kind === "mark"));
}

/** Where no check fails without the work: only a file that is known as a test runs without it. Empty if one changed. */
export function adviseWatched(changes: readonly Pick<WatchedChange, "kind" | "change">[]): string {
  if (changes.some(({ kind, change }) => change !== "removed" && (kind === "test" || kind === "file"))) return "";
  return "no new or changed file has the name of a test; if one is a test, write its path as `watched: [PATH]`";
}

/**
 * Whether a person must answer. Running settles most changes: the checks of pass 1 pass or fail in a clean copy on the
 * current work (`old_checks`). Changes that no copy can reproduce, such as another program as a check, are judged by
 * kind, and so is everything without that run.
 */
export function needsAnswer(change: WatchedChange, matrix: MatrixFacts | null): boolean {
  const oldChecks = matrix?.old_checks ?? null;
  return oldChecks !== null && change.side === "checks" ? !cellHolds(oldChecks) : couldHide(change);
}

/** Unanswered, and not settled by running. */
export function openChanges(changes: readonly WatchedChange[], matrix: MatrixFacts | null): WatchedChange[] {
  return changes.filter((change) => needsAnswer(change, matrix) && change.answer === null);
}

/** Refused, still present, and not settled by running. */
export function refusedChanges(changes: readonly WatchedChange[], matrix: MatrixFacts | null): WatchedChange[] {
  return changes.filter((change) => needsAnswer(change, matrix) && change.answer === "refused");
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

/** `the test test/sum.test.js was changed: 3 lines differ` */
export function renderWatched({
  kind,
  name,
  change,
  detail,
}: Pick<WatchedChange, "kind" | "name" | "change" | "detail">): string {
  if (kind === "mark") return `${name}, ${detail}`;
  if (change === "unfailing") return `${kindWords[kind]} ${name} passes whatever it expects: ${detail}`;
  if (kind === "count") return `${name} ${change === "fewer" ? "ran fewer tests" : "passed regardless"}: ${detail}`;
  return `${kindWords[kind]} ${name} was ${change}${detail === "" ? "" : `: ${detail}`}`;
}

/**
 * By exact digest. A test that the brief allows to change is accepted, unless a person refused this change, and so is a
 * lower count if only such tests are gone.
 */
export function withAnswers(
  changes: readonly Omit<WatchedChange, "answer">[],
  answers: { readonly accepted: readonly WatchedDigest[]; readonly refused: readonly WatchedDigest[] },
  mayChange: (path: string) => boolean = () => false,
  mayRunFewer: (check: string) => boolean = () => false,
): WatchedChange[] {
  const named = (list: readonly WatchedDigest[], { name, digest }: WatchedDigest) =>
    list.some((one) => one.name === name && one.digest === digest);
  return changes.map((change): WatchedChange => {
    if (named(answers.accepted, change)) return { ...change, answer: "accepted" };
    if (named(answers.refused, change)) return { ...change, answer: "refused" };
    const isTest = change.kind === "test" || change.kind === "file";
    if ((isTest && mayChange(change.name)) || (change.change === "fewer" && mayRunFewer(change.name)))
      return { ...change, answer: "accepted", answer_by: "brief" };
    return { ...change, answer: null };
  });
}
