import { newestRun } from "../queue/loop/run-report.ts";
import { earliestEligible } from "../queue/loop/select-task.ts";
import type { InspectedTask } from "../queue/views/inspect-task.ts";
import type { AheadTask } from "../queue/views/root-view.ts";
import type { RootStatus, TaskStatus } from "../rules/shapes/reports/status.ts";
import type { Moved } from "../rules/standing-facts.ts";
import { type EvidenceUrl, evidenceJson } from "../task/request.ts";

/** A task with the facts that are not in its own files. */
export interface ShownTask extends InspectedTask {
  /** Where a browser edits its DECISIONS.md; null if that is not known. */
  readonly editUrl: string | null;
  readonly evidenceUrl: EvidenceUrl | null;
  /** The keys of a task that was read from a commit. */
  /** As in `AskingTask`. */
  readonly onBranch?: boolean;
  /** Its branch is newer than its folder. */
  readonly ahead?: Pick<AheadTask, "ref" | "commit">;
  readonly inGit?: Pick<TaskStatus, "folder"> & Required<Pick<TaskStatus, "branch" | "claim">>;
}

/** The keys of the JSON object about all tasks together, around those of each. */
export function toStatusKeys<Tasks>(
  listed: readonly ListedTask[],
  next: ListedTask | null,
  more: { readonly tasks: Tasks } & Pick<RootStatus, "loop_running" | "cooldowns">,
): Omit<RootStatus, "tasks" | "git"> & { readonly tasks: Tasks } {
  const run = newestRun(listed);
  return {
    run_id: run?.id ?? null,
    iteration: run?.passes ?? null,
    loop_running: more.loop_running,
    tasks: more.tasks,
    next: next?.id ?? next?.place.name ?? null,
    cooldowns: more.cooldowns,
    next_eligible_at: next === null ? earliestEligible(listed) : next.until,
  };
}

type ListedTask = Pick<InspectedTask, "id" | "place" | "standing" | "until" | "history">;

export function toTaskKeys(task: ShownTask): TaskStatus {
  const { history, place } = task;
  const last = history.lastVerdict;
  return {
    task: task.id,
    title: task.title,
    folder: task.inGit?.folder ?? place.taskDir,
    priority: task.priority,
    phase: task.phase,
    standing: task.standing,
    why: task.why,
    who: task.who,
    moved_since: toMovedKeys(task.facts.moved),
    last_verdict:
      last === null
        ? null
        : { pass: last.pass, verdict: last.verdict, from: last.from, to: last.to, reason: last.reason, at: last.at },
    passes: history.counts.passes,
    repairs: history.counts.repairs,
    spent_usd: history.spend.knownUsd,
    charged_usd: history.spend.chargedUsd,
    unknown_costs: history.spend.unknownPasses,
    spent_tokens: history.spend.tokens,
    spent_ms: history.spend.timeMs,
    degraded: history.degrade,
    blockers: task.blockers,
    waits_for: task.waitsFor,
    open_questions: task.asked.map(({ id }) => id),
    questions: task.asked.map((ask) => ({
      id: ask.id,
      title: ask.title,
      question: ask.question,
      options: ask.options,
      safe_default: ask.safeDefault,
      default_at: ask.takenFrom,
      place: ask.place,
      edit_url: task.editUrl,
    })),
    tickets: history.tickets,
    run: history.run === null ? null : { id: history.run.id, passes: history.run.passes, last_pass_at: history.run.at },
    evidence: evidenceJson(task.hasPage ? place.page : null, task.evidenceUrl),
    cooldowns: task.models.cooldowns,
    hindered: task.facts.hindered?.why ?? null,
    next_eligible_at: task.until,
    ...(task.ahead && { branch: { ref: task.ahead.ref, commit: task.ahead.commit, merged: false } }),
    ...(task.inGit === undefined ? {} : { branch: task.inGit.branch, claim: task.inGit.claim }),
  };
}

function toMovedKeys(moved: Moved | null): TaskStatus["moved_since"] {
  if (moved === null || moved.kind === "unseen") return null;
  return moved.kind === "paths" ? { paths: moved.count, reason: null } : { paths: null, reason: moved.reason };
}
