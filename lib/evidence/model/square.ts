import { type CheckResult, failedChecks } from "../../machine/check-run.ts";
import type { Cell } from "../../machine/square.ts";
import type { VerdictEvent } from "../../machine/verdict-event.ts";

/** One cell of the proof square, in words. */
export interface SquareRow {
  /** As `control: present work, present checks, in a clean copy`. */
  readonly cell: string;
  /** The expected result. */
  readonly wanted: string;
  /** The actual result, or why it was not run. */
  readonly result: string;
  /** False if it shows something that a reader must look at. */
  readonly good: boolean;
  /** Name of a check and its log, relative to the task folder; empty if the cell was not run. */
  readonly logs: readonly { readonly name: string; readonly path: string }[];
}

/** The cells of the square, for the first table of the proof. */
export interface SquareSection {
  readonly pass: number;
  readonly rows: readonly SquareRow[];
  /** Why the repo cannot be judged in a copy; null if it can. */
  readonly calibration: string | null;
}

/** The square of the newest verdict that has one. */
export function findSquare(
  verdicts: readonly VerdictEvent[],
  baseline: readonly CheckResult[] | null,
): SquareSection | null {
  const verdict = verdicts.findLast(({ square }) => square !== undefined);
  const square = verdict?.square;
  if (verdict === undefined || square === undefined) return null;
  const inRepo: Cell | null = verdict.checks === null ? null : { same_as: null, results: verdict.checks.results };
  const before: Cell | null = baseline === null ? null : { same_as: null, results: baseline };
  const { calibration } = square;
  return {
    pass: verdict.pass,
    calibration: calibration.kind === "good" ? null : (calibration.reason ?? "it was not calibrated"),
    rows: [
      row("baseline: work and checks of pass 1", "nothing: the others are compared with it", before, {
        none: "not run",
        good: () => true,
      }),
      row("counter: work of pass 1, current checks", "a check fails", square.counter, {
        none: square.no_counter ?? "not run",
        good: (failed) => failed > 0,
      }),
      row("guard: current work, checks of pass 1", "every check passes", square.guard, {
        none: square.no_guard ?? "not run",
        good: (failed) => failed === 0,
      }),
      row("proof: current work, current checks", "every check passes", inRepo, {
        none: "not run",
        good: (failed) => failed === 0,
      }),
      row("control: the same in a clean copy", "every check passes", square.control, {
        none: square.no_control ?? "not run",
        good: (failed) => failed === 0,
      }),
    ],
  };
}

function row(
  cell: string,
  wanted: string,
  found: Cell | null,
  judge: { readonly none: string; readonly good: (failed: number) => boolean },
): SquareRow {
  if (found === null) return { cell, wanted, result: `not judged: ${judge.none}`, good: false, logs: [] };
  const failed = failedChecks(found).map(({ name }) => name);
  const required = found.results.filter((result) => result.required).length;
  const said =
    failed.length === 0
      ? `${required} of ${required} pass`
      : `${failed.length} of ${required} fail: ${failed.join(", ")}`;
  return {
    cell,
    wanted,
    result: found.same_as === null ? said : `${said} (the same as ${found.same_as}, so it was not run)`,
    good: judge.good(failed.length),
    logs: found.same_as === null ? found.results.map(({ name, log }) => ({ name, path: log })) : [],
  };
}
