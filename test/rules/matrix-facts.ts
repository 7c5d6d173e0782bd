import type { CheckResult } from "../../lib/rules/check-run.ts";
import type { Cell, MatrixFacts } from "../../lib/rules/matrix.ts";
import { check } from "./arrange.ts";

export function cell(results: readonly CheckResult[] = [check()], same_as: Cell["same_as"] = null): Cell {
  return { same_as, results };
}

/** A held-out check that passed in a clean copy. */
export function heldOut(overrides: Partial<CheckResult> = {}): CheckResult {
  return check({ name: "hidden", kind: "scenario", held_out: true, excerpt: "", ...overrides });
}

/** A matrix in which every cell passes and no check changed: its grade is `kept`. */
export function matrix(overrides: Partial<MatrixFacts> = {}): MatrixFacts {
  return {
    fingerprint: "f1",
    calibration: { kind: "good", reason: null, home: null },
    changed_checks: [],
    clean: cell(),
    old_checks: cell([check()], "clean"),
    without: cell(),
    no_clean: null,
    no_old_checks: null,
    no_without: null,
    left_out: [],
    only_own_fail: false,
    unseparated: null,
    wrong: null,
    wrong_checks: null,
    no_wrong: null,
    unsteady: [],
    written: [],
    ...overrides,
  };
}
