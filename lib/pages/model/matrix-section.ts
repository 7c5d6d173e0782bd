import { type CheckResult, failedChecks } from "../../rules/check-run.ts";
import { type Cell, cellHolds, renderVersion, type WrongRuns } from "../../rules/matrix.ts";
import { isExcused, renderUnsteady } from "../../rules/steadiness.ts";
import type { VerdictEvent } from "../../rules/verdict-event.ts";
import { adviseWatched } from "../../rules/watched.ts";

export interface MatrixRow {
  /** For example `clean: the work in a clean copy`. */
  readonly cell: string;
  readonly wanted: string;
  /** The actual result, or why it was not run. */
  readonly result: string;
  /** False if it came out otherwise than it must; null if it was not run, or nothing is expected of it. */
  readonly good: boolean | null;
  /** Name of a check and its log, relative to the task folder; empty if the cell was not run. */
  readonly logs: readonly { readonly name: string; readonly path: string }[];
}

/**
 * The proof of the newest verdict that has one: each check in each run that was made, the runs with what each has to show,
 * the wrong versions, and the checks that failed and passed on this code.
 */
export function findMatrix(verdicts: readonly VerdictEvent[], results: readonly CheckResult[] | null) {
  const verdict = verdicts.findLast(({ matrix }) => matrix !== null);
  if (!verdict?.matrix) return null;
  const { matrix } = verdict;
  const inRepo: Cell | null = verdict.checks === null ? null : { same_as: null, results: verdict.checks.results };
  const before: Cell | null = results === null ? null : { same_as: null, results };
  const { calibration } = matrix;
  const advice = adviseWatched(verdict.watched ?? []);
  const isKept = matrix.without !== null && matrix.without.same_as === null && cellHolds(matrix.without);
  return {
    /** Why checks in copies saw what else is on the machine; null if they did not. */
    unseparated: matrix.unseparated,
    ...tabulate([
      ["before", before],
      ["now", inRepo],
      ["clean", matrix.clean],
      ["old_checks", matrix.old_checks],
      ["without", matrix.without],
    ]),
    unsteady: (matrix.steadiness ?? []).map((check) => ({
      ...{ name: check.name, told: renderUnsteady(check), log: check.log, bad: !isExcused(check) },
    })),
    /** Why the repo cannot be judged in a copy; null if it can. */
    calibration: calibration.kind === "good" ? null : (calibration.reason ?? "it was not calibrated"),
    rows: [
      row("before: the work as at pass 1", "the others are compared with it", before, { none: null, good: () => null }),
      row("now: the work in the repo", "every check must pass", inRepo, { none: null, good: allPass }),
      row("without: today's checks without the work", "a check must fail", matrix.without, {
        none: matrix.no_without,
        good: (failed) => failed > 0,
        also: isKept && advice !== "" ? `; ${advice} into README.md` : "",
      }),
      row("old_checks: the work under the checks of pass 1", "every check must pass", matrix.old_checks, {
        none: matrix.no_old_checks,
        good: allPass,
        also: matrix.written.length === 0 ? "" : `; written with this work: ${matrix.written.join(", ")}`,
      }),
      row("clean: the work in a clean copy", "every check must pass", matrix.clean, {
        none: matrix.no_clean,
        good: allPass,
      }),
      wrongRow("wrong versions of the work", "the checks must notice them", matrix.wrong, matrix.no_wrong),
      wrongRow("wrong expectations of the tests", "a check must fail", matrix.wrong_checks, null),
      // A cell without a reason was not requested.
    ].filter(({ result }) => result !== notRun),
  };
}

/** The runs that were made, and what each check said in each of them; null if it was not in that run. */
function tabulate(all: readonly (readonly [name: string, run: Cell | null])[]) {
  const made = all.flatMap(([name, run]) => (run === null ? [] : [{ name, run }]));
  const names = new Set(made.flatMap(({ run }) => run.results.map((result) => result.name)));
  const markOf = ({ name, run }: (typeof made)[number], check: string) => {
    const found = run.results.find((result) => result.name === check);
    if (found === undefined) return null;
    const good = found.status === "pass" || !found.required || name === "before" || name === "without";
    // A run that is equal to another one was not made, and has no log.
    return { status: found.status, path: run.same_as === null ? found.log : null, good };
  };
  return {
    runs: made.map(({ name }) => name),
    checks: [...names].map((name) => ({ name, marks: made.map((one) => markOf(one, name)) })),
  };
}

const notRun = "not judged";
const allPass = (failed: number) => failed === 0;

function unjudged(cell: string, wanted: string, none: string | null): MatrixRow {
  return { cell, wanted, result: none === null ? notRun : `not judged: ${none}`, good: null, logs: [] };
}

const mostNamed = 5;

/** Each version that nothing noticed is named by its line, so that a reader can look at what no check looks at. */
function wrongRow(cell: string, wanted: string, runs: WrongRuns | null, none: string | null): MatrixRow {
  const ran = runs?.versions.filter(({ outcome }) => outcome !== "unloadable") ?? [];
  if (ran.length === 0) return unjudged(cell, wanted, none);
  const missed = ran.filter(({ outcome }) => outcome === "unnoticed");
  const named = missed.slice(0, mostNamed).map(renderVersion);
  const more = missed.length > mostNamed ? `, and ${missed.length - mostNamed} more` : "";
  return {
    cell,
    wanted,
    result: `${ran.length - missed.length} of ${ran.length} noticed${missed.length === 0 ? "" : `; unnoticed: ${named.join("; ")}${more}`}`,
    good: missed.length < ran.length && missed.every(({ line }) => line !== null),
    logs: (missed.length === 0 ? ran.slice(0, 1) : missed.slice(0, mostNamed)).flatMap(({ path, line, log }) =>
      log === null ? [] : [{ name: line === null ? "emptied" : `${path}:${line}`, path: log }],
    ),
  };
}

function row(
  cell: string,
  wanted: string,
  found: Cell | null,
  judge: { readonly none: string | null; readonly good: (failed: number) => boolean | null; readonly also?: string },
): MatrixRow {
  if (found === null) return unjudged(cell, wanted, judge.none);
  const failed = failedChecks(found).map(({ name }) => name);
  const required = found.results.filter((result) => result.required).length;
  const failing = failed.length === 0 ? "" : `${failed.length} of ${required} fail: ${failed.join(", ")}`;
  const said = `${failing === "" ? `${required} of ${required} pass` : failing}${judge.also ?? ""}`;
  return {
    cell,
    wanted,
    result: found.same_as === null ? said : `${said} (the same as ${found.same_as}, so it was not run)`,
    good: judge.good(failed.length),
    logs: found.same_as === null ? found.results.map(({ name, log }) => ({ name, path: log })) : [],
  };
}
