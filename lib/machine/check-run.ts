export const checkStatuses = ["pass", "fail", "timeout", "not_started"] as const;
export type CheckStatus = (typeof checkStatuses)[number];
export const attributions = ["clean", "regressed", "fixed", "broken_before"] as const;
export type Attribution = (typeof attributions)[number];

/** The test counts in a check's own output. */
export interface TestCounts {
  /** Tests that came to a result: passed or failed. */
  readonly ran: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The result of one validator or scenario. */
export interface CheckResult {
  readonly name: string;
  readonly kind: "validator" | "scenario";
  readonly required: boolean;
  /** The words that were run, redacted. */
  readonly command: readonly string[];
  readonly status: CheckStatus;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly duration_ms: number;
  readonly attribution: Attribution | null;
  /** Relative to the task folder. */
  readonly log: string;
  /** The last lines of its output, redacted, at most 2,000 characters. */
  readonly excerpt: string;
  /** The counts of its tests, if its output has any. */
  readonly tests?: TestCounts;
  /** True for a held-out check, which runs in clean copies alone; missing otherwise. */
  readonly held_out?: true;
  /** The expectation of the contract that it missed although it exited 0; its status is then `fail`. */
  readonly unmet?: string;
}

/** One run of the whole set. */
export interface CheckRun {
  readonly fingerprint_before: string;
  readonly fingerprint_after: string;
  /** 2 if the fingerprint moved under the first run. */
  readonly attempts: number;
  /** The paths that moved under the last run; empty if it did not change. */
  readonly moved: readonly string[];
  /** A required check failed at the first attempt, so that no second one was made; missing: none did. */
  readonly failed_first?: true;
  readonly results: readonly CheckResult[];
}

/** The required checks of a run, or of a cell of the square, that did not pass. */
export function failedChecks({ results }: { readonly results: readonly CheckResult[] }): readonly CheckResult[] {
  return results.filter((result) => result.required && result.status !== "pass");
}

/**
 * The fingerprint is the judge; the paths only name what moved. Whether a second attempt would have moved the repo too
 * is not known if the first one failed: its failure is what counts then.
 */
export function stoodStill(checks: CheckRun): boolean {
  if (checks.failed_first === true) return true;
  return checks.moved.length === 0 && checks.fingerprint_before === checks.fingerprint_after;
}

/** All required checks passed, and the repo did not change while they ran. */
export function checksHold(checks: CheckRun): boolean {
  return failedChecks(checks).length === 0 && stoodStill(checks);
}
