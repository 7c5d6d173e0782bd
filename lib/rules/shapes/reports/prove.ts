import * as v from "valibot";
import { about, type Shape } from "../../../text/shape.ts";
import { checkStatuses, grades, watchedChanges, watchedKinds } from "../../words.ts";
import { checkResult, watchedChange } from "../facts.ts";
import { matrixFacts } from "../matrix-facts.ts";
import { count, flag, maybeText, number, text, texts, time } from "../values.ts";
import { reportOf } from "./common.ts";

const mark = v.nullable(
  v.object({
    status: v.picklist(checkStatuses),
    log: about(maybeText, "absolute; null if the run was not made, since it is equal to `clean`"),
  }),
);

export const proveKeys = v.object({
  base: about(v.object({ name: text, commit: text }), "what the change is held against: where HEAD left this revision"),
  changed: about(texts, "repo paths that differ from the base, sorted"),
  grade: about(v.nullable(v.picklist(grades)), "null: a required check fails; `unshown` if it needs what no copy has"),
  headline: about(text, "one sentence, which says no more than the runs showed"),
  checks: about(
    v.array(
      v.object({
        name: text,
        command: texts,
        before: about(mark, "the base with its own checks"),
        clean: about(mark, "the present code, in a clean copy"),
        old_checks: about(mark, "the present code with the tests and checks of the base"),
        without: about(mark, "the code of the base with the present tests and checks"),
      }),
    ),
    "a row a check; null for a run that it had no part in",
  ),
  wrong: about(v.nullable(v.object({ tried: count, noticed: count })), "wrong versions of the change; null: none ran"),
  unnoticed: about(
    v.array(
      v.object({ path: text, line: about(v.nullable(count), "null: all that changed in it"), was: text, made: text }),
    ),
    "the wrong versions that no check noticed",
  ),
  watched: about(
    v.array(
      v.object({
        name: text,
        kind: v.picklist(watchedKinds),
        change: v.picklist(watchedChanges),
        detail: text,
        asks: about(flag, "no run settles it, so a person has to look: exit code 22 without --accept-tests"),
      }),
    ),
    "changed tests, and whatever else bears on the checks",
  ),
  failing: about(
    v.array(
      v.object({
        check: text,
        said: maybeText,
        compared: about(text, "with the base"),
        failed_before: about(flag, "the base fails in the same way"),
        log: text,
      }),
    ),
    "the required checks that fail in a copy of the change, with the line of their output that tells why",
  ),
  old_failing: about(
    v.array(v.object({ check: text, said: maybeText, log: text })),
    "the required checks that fail with the tests and checks of the base",
  ),
  uncompared: about(maybeText, "changed files of which nothing here has what they were at the base; null: none"),
  unseparated: about(maybeText, "why the checks could see the rest of this machine; null if they could not"),
  runs: about(count, "how often checks ran"),
  duration_ms: number,
  proven_at: time,
  known: about(flag, "the same was proven before, and nothing ran now"),
  page: about(maybeText, "the page of --out"),
});
export const proveReport = reportOf(proveKeys.entries);
export type ProveKeys = Shape<typeof proveKeys>;

/** The cached result of a change whose checks pass, so that an equal change is not run again. */
export const provenShape = v.object({
  /** Repo paths that the change is about, sorted. */
  paths: texts,
  /** The base's checks on the base; empty if they could not be run. */
  before: v.array(checkResult),
  /** Null: nothing differs from the base. */
  matrix: v.nullable(matrixFacts),
  watched: v.array(watchedChange),
  /** Why checks that fail in a copy say nothing of the change, see judge-lack.ts; missing: they say something. */
  lack: v.optional(text),
  /** Paths that may differ too, since git's filters make them of other bytes. */
  uncompared: v.optional(text),
  /** How often checks ran. */
  runs: count,
  duration_ms: number,
  at: time,
});
export type Proven = Shape<typeof provenShape>;
