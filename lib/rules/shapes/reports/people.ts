import * as v from "valibot";
import { about, type Shape } from "../../../text/shape.ts";
import { count, flag, maybePhase, maybeText, text, texts } from "../values.ts";
import { evidence, reportOf } from "./common.ts";

export const evidenceKeys = v.object({
  task: maybeText,
  evidence: about(evidence, "as for `run`"),
  relinked: about(flag, "true if the Evidence link in STATE.md was updated"),
  attested: about(flag, "true if the signed statement about a task that is done was missing and was written"),
});
export const evidenceReport = reportOf(evidenceKeys.entries);

export const resumeKeys = v.object({ task: maybeText, from: maybePhase, to: maybePhase, reason: text });
export const resumeReport = reportOf(resumeKeys.entries);

export const trustKeys = v.object({
  tasks_root: about(text, "the real path"),
  trusted: about(flag, "whether its commands may run from now on"),
  trusted_before: about(flag, "whether they could before this call"),
});
export const trustReport = reportOf(trustKeys.entries);

export const answerKeys = v.object({
  task_dir: text,
  question: about(text, "its id, such as `Q1`"),
  title: text,
  read: about(
    v.nullable(v.picklist(["yes", "no"])),
    "how the answer to a question of the runner with two answers was read; `null`: any words answer this one",
  ),
  open: about(texts, "ids of the questions that are still open"),
});
export const answerReport = reportOf(answerKeys.entries);

export const cancelKeys = v.object({
  task_dir: text,
  outcome: about(
    v.picklist(["idle", "stopped", "ended", "left"]),
    "`idle` (nothing ran), `stopped` (it stopped cleanly), `ended` (its processes were killed) or `left` (exit code 75: a runner on another machine holds it; ABORT is in CONTROL.md)",
  ),
  reason: text,
  cancelled: about(flag, "the task stays cancelled"),
});
export const cancelReport = reportOf(cancelKeys.entries);

export const landKeys = v.object({
  tasks: v.array(
    v.object({
      task: text,
      outcome: about(
        v.picklist(["landed", "would_land", "not_done", "waits", "conflict", "failed", "left"]),
        "`would_land` with `--dry-run`; `waits` for a task that did not land; `conflict` and `failed`: on the merge, and the task goes on in repair; `left`: the branch to merge into could not be moved",
      ),
      why: text,
      commit: about(maybeText, "the merge"),
      fix: about(maybeText, "what to do next"),
    }),
  ),
});
export const landReport = reportOf(landKeys.entries);

export const demoKeys = v.object({
  folder: about(text, "the temporary folder"),
  kept: about(flag, "false if it was stopped, and the folder was removed"),
  passes: about(count, "passes that were played"),
  phase: about(maybePhase, "where its task is"),
});
export const demoReport = reportOf(demoKeys.entries);

export const completionKeys = v.object({
  shell: about(text, "`bash`, `zsh`, `fish`, or `tasks`"),
  lines: about(texts, "of its script; with `tasks`: the names of the tasks"),
});
export const completionReport = reportOf(completionKeys.entries);

export type EvidenceKeys = Shape<typeof evidenceKeys>;
export type ResumeKeys = Shape<typeof resumeKeys>;
export type TrustKeys = Shape<typeof trustKeys>;
export type AnswerKeys = Shape<typeof answerKeys>;
export type DemoKeys = Shape<typeof demoKeys>;
export type CompletionKeys = Shape<typeof completionKeys>;
export type CancelKeys = Shape<typeof cancelKeys>;
export type LandKeys = Shape<typeof landKeys>;
