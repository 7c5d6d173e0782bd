import * as v from "valibot";
import { about } from "../../text/shape.ts";
import {
  attributions,
  checkStatuses,
  escalationCauses,
  failureCauses,
  interruptCauses,
  limitCauses,
  reasonCategories,
  severities,
  tamperChanges,
  tamperers,
  tamperGuards,
  ticketSources,
  watchedChanges,
  watchedKinds,
} from "../words.ts";
import { count, maybeText, phase, text, texts, time } from "./values.ts";

export const modelEnd = v.variant("kind", [
  v.object({
    kind: v.literal("exited"),
    exit_code: v.nullable(v.number()),
    signal: maybeText,
    result_event: v.boolean(),
    said: v.exactOptional(about(maybeText, "if it ended badly: its last error in its own words, or null")),
  }),
  v.object({
    kind: v.literal("timed_out"),
    timeout_ms: v.number(),
    role: v.exactOptional(about(text, "if it was a reviewer")),
    silent: v.exactOptional(about(v.literal(true), "if the model gave no sign of work")),
  }),
  v.object({ kind: v.literal("not_started"), reason: text }),
  v.object({
    kind: v.literal("limited"),
    cause: v.picklist(limitCauses),
    reason: text,
    until: about(maybeText, "a time, or null"),
  }),
  v.object({ kind: v.literal("auth_failed"), reason: text }),
  v.object({
    kind: v.literal("interrupted"),
    reason: text,
    cause: v.picklist(interruptCauses),
  }),
  v.object({ kind: v.literal("no_model") }),
  v.object({
    kind: v.literal("withheld"),
    reason: about(text, "something was tampered with before"),
  }),
]);

export const tamper = v.object({
  /** Relative to the task folder or, for protected paths, to the repo. */
  path: text,
  change: v.picklist(tamperChanges),
  /** The kind of path: used in messages and for tickets. */
  guard: v.picklist(tamperGuards),
  by: v.picklist(tamperers),
  /** False if it could not be restored, as with a deleted `.git`. */
  restored: v.boolean(),
  detail: maybeText,
});

/** The cause of a check's failure, as its own output shows it. */
const checkFailure = v.object({
  by: about(
    v.picklist(failureCauses),
    "an assertion did not hold, something could not be loaded or built, or an error of the language itself ended it; `other` if the output shows none of these",
  ),
  tests: about(texts, "names of the tests that failed, as the test runner writes them, sorted; at most 200"),
  in_tasks: v.exactOptional(
    about(v.literal(true), "its output names files of tasks alone, which are no part of the code"),
  ),
  broken_before: v.exactOptional(
    about(
      texts,
      "those of them that failed before the work too; missing if nothing tells: the others did not fail then",
    ),
  ),
  said: about(
    maybeText,
    "the line of the output that says most about it, at most 200 characters; null if there is none",
  ),
});

export const checkResult = v.object({
  name: text,
  kind: v.picklist(["validator", "scenario"]),
  required: v.boolean(),
  /** The words that were run, redacted. */
  command: texts,
  status: v.picklist(checkStatuses),
  exit_code: v.nullable(v.number()),
  signal: maybeText,
  duration_ms: v.number(),
  attribution: v.nullable(v.picklist(attributions)),
  /** Relative to the task folder. */
  log: text,
  /** The last lines of its output, redacted, at most 2,000 characters. */
  excerpt: text,
  /** True for a held-out check, which runs in clean copies alone; missing otherwise. */
  held_out: v.exactOptional(v.literal(true)),
  unmet: v.exactOptional(
    about(text, "if the check ended well and failed all the same: which expectation of the brief its output misses"),
  ),
  tests: v.exactOptional(
    about(
      v.object({ ran: count, failed: count, skipped: count }),
      "if the output of the check has the counts of its test runner",
    ),
  ),
  passes: v.exactOptional(
    about(
      v.object({ passed: count, failed: count }),
      "if it failed, and passed in an earlier pass on the same code: that pass and this one",
    ),
  ),
  failure: v.exactOptional(about(checkFailure, "if the check failed: what it failed by")),
});

export const limits = v.object({ files: count, lines: about(count, "added and removed") });
const size = { files: count, lines: about(v.nullable(count), "added and removed; null if they could not be counted") };
export const changeSize = v.object(size);
export const overBounds = v.object({ phase, ...size, most: limits });

const frame = about(text, "the words of the fields that a person approves, as one JSON text");
export const frameAnswer = v.object({ frame, approved: v.boolean(), said: text, question: text });

const scenario = { name: text, look: about(text, "what a person looks at") };
const looked = { holds: v.boolean(), said: text, question: text };
export const manualScenario = v.object(scenario);
export const manualAnswer = v.object({ ...scenario, fingerprint: text, ...looked });
export const manualStanding = v.object({
  ...scenario,
  answer: v.nullable(v.object(looked)),
});

export const checkRun = v.object({
  fingerprint_before: text,
  fingerprint_after: text,
  /** 2 if the fingerprint moved under the first run. */
  attempts: v.number(),
  /** The paths that moved under the last run; empty if it did not change. */
  moved: texts,
  failed_first: v.exactOptional(
    about(v.literal(true), "a required check failed while the repo moved, so that no second attempt was made"),
  ),
  results: v.array(checkResult),
  first: v.exactOptional(
    about(v.array(checkResult), "what required checks said that failed at first, and passed when they ran once more"),
  ),
  beside: v.exactOptional(
    about(v.boolean(), "if those ran beside others at first: whether checks failed once more beside others"),
  ),
  contract: v.exactOptional(about(text, "digest of the contract that the checks ran under, defaults included")),
  taken: v.exactOptional(
    about(
      v.object({ pass: count, ran: time, at: time, fresh_ms: count }),
      "if nothing ran, since this is the run of the accepted verify → review on the same code: its pass, when that was accepted, when it was taken over, and `proof.fresh` then",
    ),
  ),
});

export const watchedChange = v.object({
  /**
   * The changed thing: a repo path, `../` and a name above the repo, a part of a file such as
   * `package.json#scripts.test`, or the absolute path of an executable outside the repo.
   */
  name: text,
  kind: v.picklist(watchedKinds),
  /**
   * `installed`: an executable that appeared by an unchanged lockfile. `fewer`: of a count; a count is `changed` if its
   * check passed although its output reports failed tests. `unfailing`: a test as at pass 1 that passes with each of
   * its expectations made wrong. A mark is `changed` if it can patch what tests rely on, or end a test process while
   * the counts of tests are in doubt, else `added`.
   */
  change: v.picklist(watchedChanges),
  /** The difference in one line. */
  detail: text,
  /** Digest of the current content, so that an answer applies to this content only; `gone` if there is none. */
  digest: text,
  /**
   * `checks`: a file of the checks' side, of which a clean copy can have the version of pass 1. `outside`: no copy can
   * have that version, because it is outside the repo, ignored by git, or an executable.
   */
  side: v.picklist(["checks", "outside"]),
  /** The answer to exactly this digest. */
  answer: v.nullable(v.picklist(["accepted", "refused"])),
  /** `brief`: `tests_may_change` of the contract accepted it beforehand. Absent: a person answered. */
  answer_by: v.exactOptional(v.literal("brief")),
});

export const changedPath = v.object({
  path: text,
  change: text,
  person: v.exactOptional(about(text, "the commit of a person that holds it, made during the pass: `9a01b22 Fix it`")),
});

export const evidenceFacts = v.object({
  location: text,
  /** Why the location contains no proof; null if it does. */
  problem: maybeText,
  /** Non-empty regular files that no task-phase command wrote, relative to the task folder. */
  files: texts,
  /** The target of the Evidence link, relative to the task folder, and whether it exists. */
  link_target: maybeText,
  link_target_exists: v.boolean(),
});

export const failure = v.object({
  signature: text,
  count,
  /** The numbers of the newest passes that ended so. */
  passes: v.array(count),
});

export const ticket = v.object({
  id: text,
  source: v.picklist(ticketSources),
  name: text,
  text,
});

export const reason = v.object({
  category: v.picklist(reasonCategories),
  /** Stable word, such as `illegal_transition`. */
  code: text,
  /** One sentence that a person and a model both understand. */
  text,
});

export const gateResult = v.object({ gate: text, ok: v.boolean(), detail: text });

export const reviewFinding = v.object({
  severity: v.picklist(severities),
  /** One paragraph, redacted, at most 2,000 characters. */
  text,
});

export const escalation = v.object({
  cause: v.picklist(escalationCauses),
  /** `blocked`, `needs_user_decision`, or the phase itself (intake). */
  to: phase,
  /** The new Blockers: what happened, what was tried, what a person can do. One line. */
  blockers: text,
  /** The question to write to DECISIONS.md; null if `to` is another phase. */
  question: maybeText,
});
