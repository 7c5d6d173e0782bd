import * as v from "valibot";
import { grades } from "../machine/words.ts";
import { about } from "../text/shape.ts";
import { checkResult } from "./facts.ts";
import { count, maybeText, text, texts } from "./values.ts";

const cell = v.object({
  same_as: v.nullable(v.picklist(["baseline", "control"])),
  results: v.array(checkResult),
});

export const calibration = v.object({
  kind: v.picklist(["good", "differs", "none"]),
  /** Why it is not good; null if it is. */
  reason: maybeText,
  /** The folders of dependencies that the copy held; null if none was made. */
  carried: v.nullable(texts),
  /**
   * Whether the checks see the user's home folder and the name of the repo's folder in a copy, or an empty home and
   * another name; null if no copy was made.
   */
  home: v.nullable(v.picklist(["private", "own"])),
});

export const squareFacts = v.object({
  /** Of the code that was judged. */
  fingerprint: text,
  calibration,
  /** Repo paths of the checks' side that differ from pass 1, sorted. Files of `tests_may_change` are among them. */
  changed_checks: texts,
  /** Present work, present checks, in a clean copy; held-out checks too. Null: no copy was made. */
  control: v.nullable(cell),
  /** Present work, checks of pass 1. Null: not run. */
  guard: v.nullable(cell),
  /** Work of pass 1, present checks. Null: not run. */
  counter: v.nullable(cell),
  /** Why there is no control; null if there is one. */
  no_control: maybeText,
  /** Why there is no guard, though there is a control; null if there is one. */
  no_guard: maybeText,
  /** Why there is no counter, though there is a control; null if there is one. */
  no_counter: maybeText,
  /** Repo paths that no copy holds, such as links that leave the repo; at most 50. */
  left_out: texts,
});

export const proof = v.object({
  grade: v.picklist(grades),
  /** How many required checks passed on the current code. */
  passed: count,
  /** The required checks that fail without the work and pass with it; empty unless the grade is `shown`. */
  failing: texts,
  /** Why the grade is `unshown`; null otherwise. */
  reason: maybeText,
  looked: about(texts, "manual scenarios that a person looked at and said yes to; no part of the grade"),
});
