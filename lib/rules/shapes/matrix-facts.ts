import * as v from "valibot";
import { about } from "../../text/shape.ts";
import { grades, noticedBy, unsteadyKinds, wrongChanges, wrongOutcomes } from "../words.ts";
import { checkResult } from "./facts.ts";
import { count, maybeText, text, texts } from "./values.ts";

const cell = v.object({
  same_as: v.nullable(v.literal("clean")),
  results: v.array(checkResult),
});

export const calibration = v.object({
  kind: about(
    v.picklist(["good", "differs", "none"]),
    "`good`: the repo can be judged in a copy; `differs`: the checks of pass 1 failed in a copy as those of now do",
  ),
  /** Why it is not good, and what to write so that it is; null if it is. */
  reason: maybeText,
  /**
   * Whether the checks see the user's home folder and the name of the repo's folder in a copy, or an empty home and
   * another name; null if they passed in none.
   */
  home: v.nullable(v.picklist(["private", "own"])),
});

const wrongVersion = v.object({
  path: text,
  line: about(v.nullable(count), "from 1; null: all that the work changed in its files gives nothing"),
  was: text,
  made: text,
  change: about(
    v.picklist(wrongChanges),
    "another value, a statement that is gone, nothing returned (emptied work too), or another text for people",
  ),
  outcome: about(
    v.picklist(wrongOutcomes),
    "a deciding check failed, none did, or the version could not be built or loaded",
  ),
  noticed_by: v.exactOptional(
    about(
      v.picklist(noticedBy),
      "if it was noticed: what the deciding check failed by; `standing`: in tests alone that pass without the work",
    ),
  ),
  log: about(maybeText, "of the first deciding check, relative to the task folder; null if it did not run"),
  stood: v.exactOptional(about(v.literal(true), "if it is an expectation of a test file that is as at pass 1")),
  unchanged: v.exactOptional(about(v.literal(true), "if it is one on a line of before, in a test file that changed")),
});

/** The deciding checks, run on versions of the work, or of their own expectations, that are wrong on purpose. */
const wrongRuns = v.object({
  checks: about(texts, "the checks that decide the grade: those that fail without the work"),
  versions: v.array(wrongVersion),
  left: about(count, "how many more there are that were not tried"),
});

const unsteadyCheck = v.object({
  name: text,
  kind: about(
    v.picklist(unsteadyKinds),
    "`beside`: it fails beside other checks alone; `before`: it failed and passed on the work of pass 1 too; `since`: not there, or that is not known; `once`: it failed on this code in an earlier pass, and not since",
  ),
  failed: about(count, "on the present code, out of `ran`"),
  ran: count,
  before: about(v.nullable(v.object({ failed: count, ran: count })), "on the work of pass 1; null: not known"),
  passes: about(
    v.nullable(v.object({ passed: count, failed: count })),
    "if it failed in an earlier pass: the two passes",
  ),
  tests: about(texts, "the tests that failed, if its output names them"),
  log: about(text, "of a run that failed"),
});

export const matrixFacts = v.object({
  /** Fingerprint of the judged code. */
  fingerprint: text,
  calibration,
  /** Why the checks in copies saw what else is on this machine; null if they did not. */
  unseparated: maybeText,
  /** Repo paths of the checks' side that differ from pass 1, sorted. Files of `tests_may_change` are among them. */
  changed_checks: texts,
  /** Present work, present checks, in a clean copy; held-out checks too. Null: no copy was made. */
  clean: v.nullable(cell),
  /** Present work, checks of pass 1. Null: not run. */
  old_checks: v.nullable(cell),
  written: about(texts, "the checks of which nothing stood at pass 1, no script, file or test: written with this work"),
  /** Work of pass 1, present checks. Null: not run. */
  without: v.nullable(cell),
  unsteady: about(texts, "the checks that failed without the work, and not again in the same tests"),
  steadiness: v.exactOptional(
    about(v.array(unsteadyCheck), "the required checks that failed and passed on this code, if there are any"),
  ),
  only_own_fail: about(v.boolean(), "all that fails without the work was written or changed with it"),
  /** Wrong versions of the work, under the present checks. Null: not run. */
  wrong: v.nullable(wrongRuns),
  /** The present work, with one expectation of the present checks made wrong. Null: not run. */
  wrong_checks: v.nullable(wrongRuns),
  /** Why there are no wrong versions, though a check fails without the work; null if there are some. */
  no_wrong: maybeText,
  /** Why there is no `clean`; null if there is one. */
  no_clean: maybeText,
  /** Why there is no `old_checks`, though there is `clean`; null if there is one. */
  no_old_checks: maybeText,
  /** Why there is no `without`, though there is `clean`; null if there is one. */
  no_without: maybeText,
  /** Repo paths that no copy can contain, such as links that leave the repo; at most 50. */
  left_out: texts,
  undelivered: v.exactOptional(about(text, "what of it no clone gets, if that is known")),
  on_top: v.exactOptional(about(texts, "other tasks that are done, whose work was below this one and in no commit")),
  delivered: v.exactOptional(
    about(
      v.object({ all: text, task: text }),
      "digests of what is handed over: of every path, and of those that `moved since` is about: changed by passes, tests, and what checks run. Missing if git could not tell",
    ),
  ),
});

export const proof = v.object({
  grade: v.picklist(grades),
  /** How many required checks passed on the current code. */
  passed: count,
  /** The required checks that fail without the work and pass with it; empty unless the grade is `shown` or `hollow`. */
  failing: texts,
  only_own: about(v.boolean(), "all of these fail only in tests that were written or changed with the work"),
  wrong: about(
    v.nullable(v.object({ tried: count, noticed: count, can_fail: v.boolean(), standing: v.exactOptional(count) })),
    "wrong versions of the work that could be run, those that a check noticed, false if no wrong expectation made a test fail, and how many were noticed in tests alone that pass without the work; null if there was none",
  ),
  /** Why the grade is `unshown`; `no file changed` or `no test ran` if it is `kept` for that; null otherwise. */
  reason: maybeText,
  delivered: v.exactOptional(about(text, "digest of what the task handed over, by which `moved since` is judged")),
  undelivered: v.exactOptional(about(text, "in what a clone differs from what was proven, if that is known")),
  on_top: v.exactOptional(about(texts, "the tasks whose work, in no commit, was part of what was proven")),
  unsteady: v.exactOptional(
    about(texts, "the checks that failed and passed on the same code, and are excused: with counts, in words"),
  ),
  looked: about(texts, "manual scenarios that a person looked at and said yes to; no part of the grade"),
});
