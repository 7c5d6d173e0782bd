/**
 * `file`: what only `watched` of the contract names. `count`: how many tests a check ran. `mark`: a line of the work
 * that can end or patch a test process, or silences a tool.
 */
export const watchedKinds = ["test", "file", "script", "setting", "executable", "check_file", "count", "mark"] as const;
export type WatchedKind = (typeof watchedKinds)[number];

export const watchedChanges = ["added", "changed", "removed", "installed", "fewer"] as const;

/** Something watched that differs from what it was at pass 1. */
export interface WatchedChange {
  /**
   * What changed: a repo path, `../` and a name above the repo, a part of a file as `package.json#scripts.test`, or the
   * absolute path of an executable outside the repo.
   */
  readonly name: string;
  readonly kind: WatchedKind;
  /**
   * `installed`: an executable that appeared by an unchanged lockfile. `fewer`: of a count; `changed` of
   * a count: its check passed although its output tells of failed tests. A mark is `changed` if it can patch what tests
   * rely on, or end a test process while the counts of tests are in doubt, else `added`.
   */
  readonly change: (typeof watchedChanges)[number];
  /** One line: what is different. */
  readonly detail: string;
  /** Digest of the current content, so that an answer applies to exactly this; `gone` if there is none. */
  readonly digest: string;
  /**
   * `checks`: a file of the checks' side, which a clean copy can hold as at pass 1. `outside`: what no copy can hold as
   * it was, since it is outside the repo or git ignores it, or an executable.
   */
  readonly side: "checks" | "outside";
  /** The answer to exactly this digest. */
  readonly answer: "accepted" | "refused" | null;
  /** `brief`: `tests_may_change` of the contract accepted it beforehand. Missing: a person answered. */
  readonly answer_by?: "brief";
}

export type WatchedDigest = Pick<WatchedChange, "name" | "digest">;
