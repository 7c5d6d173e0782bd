import type { calibration, proof, squareFacts } from "../shapes/square-facts.ts";
import type { Shape } from "../text/shape.ts";
import { type CheckResult, type CheckRun, failedChecks } from "./check-run.ts";
import type { proofModes } from "./words.ts";

/**
 * One cell of the proof square: the checks of one version of the checks' side, run on one version of the work. A cell
 * that is equal to another one by definition is not run; `same_as` names that one, and its results are here.
 */
export type Cell = NonNullable<SquareFacts["control"]>;

/** Whether this repo can be judged in a copy: the checks of pass 1 said the same there as in the repo. */
export type Calibration = Shape<typeof calibration>;

/** What running the checks in clean copies showed about one fingerprint of the repo. */
export type SquareFacts = Shape<typeof squareFacts>;

export type ProofMode = (typeof proofModes)[number];

/** True if every required check of the cell passed. */
export function cellHolds(cell: Cell): boolean {
  return failedChecks(cell).length === 0;
}

/**
 * Compares the two runs of pass 1's checks, in the repo and in a clean copy. A check that passed in one has to pass in
 * the other; one that failed in both has to fail with the same exit code and the same count of tests, since a check
 * that fails in the copy for another reason cannot be judged there.
 */
export function calibrate(inRepo: readonly CheckResult[], inCopy: readonly CheckResult[]): Calibration {
  for (const result of inRepo.filter(({ required }) => required)) {
    const other = inCopy.find(({ name, kind }) => name === result.name && kind === result.kind);
    if (other === undefined) return differs(`${result.name} did not run in the copy`);
    if (other.status !== result.status)
      return differs(`${result.name}: ${describe(result)} in the repo, ${describe(other)} in a clean copy`);
    if (result.status === "fail" && !failsAlike(result, other))
      return differs(`${result.name} fails in a clean copy in a different way than in the repo`);
  }
  return { kind: "good", reason: null, carried: null, home: null };
}

function differs(reason: string): Calibration {
  return { kind: "differs", reason, carried: null, home: null };
}

function describe({ status }: CheckResult): string {
  return { pass: "passes", fail: "fails", timeout: "runs out of time", not_started: "cannot start" }[status];
}

function failsAlike(one: CheckResult, other: CheckResult): boolean {
  if (one.exit_code !== other.exit_code || one.signal !== other.signal) return false;
  const [left, right] = [one.tests, other.tests];
  return left === undefined || right === undefined || (left.ran === right.ran && left.failed === right.failed);
}

export type Proof = Shape<typeof proof>;

/**
 * What the proof shows: `shown` if a required check fails without the work and passes with it, `kept` if every check
 * passes without the work too, `unshown` with a reason if that was not judged.
 */
export function gradeProof(checks: CheckRun | null, square: SquareFacts | null): Proof {
  const held = square?.control?.results.filter(isHeldOut) ?? [];
  const all = [...(checks?.results ?? []), ...held].filter(({ required }) => required);
  const passed = all.filter(({ status }) => status === "pass").length;
  const unshown = (reason: string): Proof => ({ grade: "unshown", passed, failing: [], reason, looked: [] });
  if (checks === null || failedChecks(checks).length > 0) return unshown("a required check did not pass");
  if (square === null) return unshown("the checks were not run without the work");
  const { control, counter, calibration } = square;
  if (control === null) return unshown(square.no_control ?? "no clean copy was made");
  if (!cellHolds(control))
    return unshown(`the checks do not pass in a clean copy (${calibration.reason ?? "not calibrated"})`);
  if (counter === null) return unshown(square.no_counter ?? "the checks were not run without the work");
  const failing = failedChecks(counter).map(({ name }) => name);
  return failing.length === 0
    ? { grade: "kept", passed, failing, reason: null, looked: [] }
    : { grade: "shown", passed, failing, reason: null, looked: [] };
}

/** A held-out check runs in clean copies alone, so its results are in the cells and nowhere else. */
export function isHeldOut(result: CheckResult): boolean {
  return result.held_out === true;
}
