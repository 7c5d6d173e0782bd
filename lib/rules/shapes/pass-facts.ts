import * as v from "valibot";
import { about, whole } from "../../text/shape.ts";
import { type FeatureRow, type FieldKey, type ListedItem, type StateView, stateFields } from "../state-view.ts";
import { decisionExits, escalationCauses, progressKinds, reasonCategories, verdicts } from "../words.ts";
import {
  changeSize,
  checkRun,
  escalation,
  evidenceFacts,
  failure,
  frameAnswer,
  gateResult,
  manualAnswer,
  manualStanding,
  modelEnd,
  overBounds,
  reason,
  reviewFinding,
  tamper,
  ticket,
  watchedChange,
} from "./facts.ts";
import { matrixFacts, proof } from "./matrix-facts.ts";
import { count, flag, maybePhase, maybeText, phase, text, texts } from "./values.ts";

const listedItem = whole<ListedItem>()({ text, done: flag });
const pending = v.picklist(["pending", "pass", "fail"]);
const fieldKeys = stateFields.map(({ key }) => key) as [FieldKey, ...FieldKey[]];

export const stateView = whole<StateView>()({
  phase,
  fields: about(v.object(v.entriesFromList(fieldKeys, text)), "by their names in snake_case"),
  risks: v.array(listedItem),
  features: v.array(whole<FeatureRow>()({ feature: text, label: text, proof: text })),
  findings: about(texts, "the open items under Findings"),
  closed_findings: about(texts, "the ticked items under Findings"),
  notes: about(texts, "the items and paragraphs under Notes"),
});

export const proposal = v.variant("kind", [
  v.object({ kind: v.literal("read"), state: stateView }),
  v.object({ kind: v.literal("unreadable"), problems: texts }),
]);

const reviewStanding = v.object({
  role: text,
  current: flag,
  problem: maybeText,
  findings: v.array(reviewFinding),
});

export const facts = v.object({
  pass: about(count, "its number"),
  end: about(
    modelEnd,
    "how the model ended: `kind` is `exited` (`exit_code, signal, result_event`; `said`, if it ended badly: its last error in its own words, or null), `timed_out` (`timeout_ms`; `role` if it was a reviewer; `silent` if the model gave no sign of work), `not_started` (`reason`), `limited` (`cause`: `rate_limit`, `quota` or `overloaded`; `reason`; `until`: a time or null), `auth_failed` (`reason`), `interrupted` (`reason`; `cause`: `signal`, `abort`, `skip` or `cut_off`) or `withheld` (`reason`: something was tampered with before)",
  ),
  tampering: about(
    v.array(tamper),
    "`guard` is `task_file`, `runner_file`, `config`, `other_task`, `protected` or `git`; `by` is `model`, `validators`, `before` or `reviewers`",
  ),
  put_back: about(
    v.array(tamper),
    "ledgers and SUMMARY.md that were changed and restored, and a DECISIONS.md whose new questions lost their answers, in the form of `tampering`; no reason against the pass",
  ),
  secrets: about(texts, "names of the token shapes found in the proposal"),
  fingerprint: about(v.object({ before: text, after: text, present: maybeText }), "`present` is null if no checks ran"),
  code_counts: about(flag, "whether a change of the repo is progress in this phase"),
  reviewed_fingerprint: about(maybeText, "fingerprint of the accepted verify → review, or null"),
  moved_since_review: about(texts, "paths"),
  moved_by_person: about(
    flag,
    "true if all that changed in the repo during the pass is in commits that a person made meanwhile",
  ),
  checks: about(
    v.nullable(checkRun),
    "`failed_first` is there, and `true`, if a required check failed while the repo moved, so that no second attempt was made. A result is `{name, kind, required, command, status, exit_code, signal, duration_ms, attribution, log, excerpt, unmet, tests}`; `unmet`, if the check ended well and failed all the same: which expectation of the brief its output misses; `tests`, if the output of the check has the counts of its test runner: `{ran, failed, skipped}`",
  ),
  evidence: evidenceFacts,
  feature_proofs: v.array(v.object({ feature: text, problem: maybeText })),
  /** New or changed files under artifacts/ that the runner did not write. */
  artifacts_changed: texts,
  /** New rows in the agent's part of EVIDENCE.md. */
  evidence_rows_added: texts,
  /** Task files that the pass changed as it may: names, such as STATE.md. */
  task_files_changed: texts,
  /** Names of visible features that were accepted before and that no person took out. */
  known_features: texts,
  steps: about(
    v.object({ before: v.array(listedItem), after: v.array(listedItem) }),
    "the items of TASKS.md, each `{text, done}`",
  ),
  step_proofs: about(
    v.array(v.object({ text, line: count, path: text, problem: maybeText })),
    "the files that ticked items of TASKS.md name as their proof; `problem`: why one proves nothing, or null",
  ),
  open_questions: about(texts, "ids"),
  questions_asked: about(texts, "those of them that the pass asked in a form that a person can answer"),
  question_problems: about(texts, "what is wrong with the form of the others"),
  brief_unanswered: about(
    maybeText,
    "the mark of a person's change of the brief that the proposal does not answer, or null",
  ),
  reviews: about(v.array(reviewStanding), "one for each role, if reviews are due"),
  watched: about(
    v.nullable(v.array(watchedChange)),
    "the tests and checks that differ from pass 1; `kind` is `test`, `file` (which only `watched` of the contract names), `script`, `setting`, `executable`, `check_file`, `count` (a check ran fewer tests than before, or, `changed`, passed although its output reports failed ones) or `mark` (a new line of the work: `changed` if it can patch what tests rely on, or can end a test process while the counts of tests do not show that all ran; else, and if it silences a tool, `added`); `change` is `added`, `changed`, `removed`, `fewer` (of a count), `unfailing` (a test as at pass 1 that passes whatever it expects) or `installed` (an executable, by an unchanged lockfile); `side` is `checks` (a file that a copy can hold as at pass 1) or `outside`; `answer` is `accepted`, `refused` or null; `answer_by` is `brief` if `tests_may_change` accepted it, else missing. Null if nothing is watched",
  ),
  matrix: about(
    v.nullable(matrixFacts),
    "the results of the checks in clean copies. `calibration`: `kind` is `good`, `differs` or `none`; `home` is `private` if the checks see an empty home folder in a copy, else `own`. The cells `control`, `guard` and `counter` are each null or `{same_as, results}`; `no_clean`, `no_old_checks` and `no_without` say why one is missing; `wrong` and `wrong_checks` are null or `{checks, versions, left}`. Null if it was not due",
  ),
  approvals: about(v.array(frameAnswer), "what a person said about frames"),
  manual_answers: about(v.array(manualAnswer), "what a person answered about manual scenarios, on any code"),
  change: about(
    v.nullable(changeSize),
    "how much the model changed in the repo; null but in verify and repair, and if it changed nothing",
  ),
  promise_seen: about(flag, "true if the final text gives the promise"),
  promise_problem: about(maybeText, "why it does not, or null"),
  history: about(
    v.object({
      passes: count,
      repairs: count,
      failure: v.nullable(failure),
      timeouts_in_row: count,
    }),
    "before this pass; `failure` is `{signature, count, passes}` or null",
  ),
});

const runnerFields = v.object({
  validator_status: pending,
  repair_applied: v.picklist(["yes", "no"]),
  revalidation_status: pending,
});

const listWords = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(", ");

export const decision = v.object({
  verdict: v.picklist(verdicts),
  from: phase,
  proposed: maybePhase,
  to: phase,
  /** The text of the first reason that decided; for an accepted pass, what was accepted. */
  reason: text,
  reasons: about(v.array(reason), `in the order of judgement: ${listWords(reasonCategories)}. The first decides`),
  gates: about(v.array(gateResult), "the gates of the proposed transition"),
  progress: v.array(v.picklist(progressKinds)),
  tickets: v.array(ticket),
  failure: about(v.nullable(failure), "`passes` are the numbers of those that failed alike"),
  escalation: about(v.nullable(escalation), `\`cause\` is one of ${listWords(escalationCauses)}`),
  proof: about(v.nullable(proof), "the proof grade of the work; null if the proof was not judged"),
  manual: about(
    v.array(manualStanding),
    "the manual scenarios, each with what a person said about this code; empty if no checks ran",
  ),
  frame: about(maybeText, "the frame that a person is asked to approve, or null"),
  over_bounds: about(
    v.nullable(overBounds),
    "the change of the repo if it is larger than the bounds of the phase (`most`), else null",
  ),
  runner_fields: runnerFields,
  exit_name: v.picklist(decisionExits),
});
