/** A command of the repo's own, and the file that tells of it. */
export interface FoundCheck {
  /** `tests`: shows whether the work is there. `lint` and `types` pass or fail whatever the work does. */
  readonly name: "tests" | "lint" | "types";
  readonly command: readonly string[];
  /** Completes `NAME: COMMAND (...)`. */
  readonly why: string;
}

export interface FoundChecks {
  readonly checks: readonly FoundCheck[];
  /** Why a file that could have named a test command did not. */
  readonly notes: readonly string[];
}
