import { realpathSync } from "node:fs";
import { basename, join } from "node:path";
import { switchBranch } from "../../git/branch.ts";
import { RefusedError } from "../../notify/events/refused-error.ts";
import { branchSwitched } from "../../pass/checkpoint/head-moves.ts";
import { isSignalExit } from "../../rules/exits.ts";
import { addCharge, type Spend } from "../../rules/spend.ts";
import { type RunUsage, usageOfRun } from "../../rules/usage.ts";
import { rootExcludes } from "../../task/board-files.ts";
import { listTaskFolders } from "../../task/guarded-paths.ts";
import { findRepo, loadContract } from "../../task/load-contract.ts";
import { lockRepo } from "../../task/locks.ts";
import { placeOf, type TaskPlace } from "../../task/records/task-place.ts";
import type { AsideModel, PassReport } from "../../task/request.ts";
import { prdExcludes } from "../../task/story-sources.ts";
import { orIfForeseen } from "../../text/attempt.ts";
import { hasCode, TaskPhaseError } from "../../text/errors.ts";
import type { ExitName } from "../../text/exit-codes.ts";
import { inspectRoot, inspectTask } from "../views/inspect-root.ts";
import { newestEvents } from "../views/root-view.ts";
import type { LoopPorts, LoopRequest } from "./loop-request.ts";
import { type LoopState, readersOf } from "./loop-state.ts";
import { refreshBoard, showPassBegan } from "./write-notes.ts";

/** Null if the task was left aside because it cannot be worked on at all. */
export async function onePass(state: LoopState, taskDir: string): Promise<PassReport | null> {
  const { request, ports } = state;
  try {
    const report = await callPass(state, taskDir);
    if (didSomething(report)) state.happened = true;
    if (report.verdict !== null) state.passes.push(report);
    else state.findings.push(...report.findings);
    ports.watch.ended(report);
    return report;
  } catch (error) {
    if (error instanceof RefusedError && error.isNews) await refreshBoard(state);
    if (request.target.kind === "task" || !isOfTask(error)) throw error;
    // Another running runner is not an error.
    const held = error.exitName === "locked";
    state.findings.push(
      ...error.findings.map((finding) => (held ? { ...finding, severity: "info" as const } : finding)),
    );
    state.left.set(taskDir, {
      exitName: error.exitName,
      reason: error.findings[0]?.message ?? error.message,
      mark: null,
    });
    return null;
  }
}

/** A pass, even one that does not count, or a change of the task without one: a stop by the runner, an edit, a command. */
export function didSomething({ verdict, details: { noted, unkept, end } }: PassReport): boolean {
  return verdict !== null || noted > 0 || (unkept && end !== null);
}

async function callPass(state: LoopState, taskDir: string): Promise<PassReport> {
  const { request, ports, run, asideModels } = state;
  const { repo, model, models, timeoutMs, config } = request;
  const pass = { taskDir, repo, model, models, timeoutMs, config, dryRun: false };
  const live = ports.watch.livePass(basename(taskDir));
  try {
    return await ports.pass(
      { ...pass, run: { id: run, asideModels: [...asideModels] } },
      { ...readersOf(state), ...live.ports, began: () => showPassBegan(state) },
    );
  } finally {
    live.over();
  }
}

const codesOfTask = ["TP_ANCHOR", "TP_CLONE_DAMAGED"];

/** A lock, or a problem in that task's files, records or clone, says nothing about the next task. */
function isOfTask(error: unknown): error is TaskPhaseError {
  if (!(error instanceof TaskPhaseError)) return false;
  return ["locked", "data", "config"].includes(error.exitName) || codesOfTask.some((code) => hasCode(error, code));
}

export type NextStep =
  /** Go on, with this task or another one. `aside`: asking that model again in this call would come to the same. */
  | { readonly kind: "go_on"; readonly aside: AsideModel | null }
  /** Every model cools down until then. */
  | { readonly kind: "wait"; readonly until: Date; readonly reason: string }
  | { readonly kind: "leave"; readonly exitName: ExitName; readonly reason: string }
  | { readonly kind: "stop"; readonly exitName: ExitName; readonly reason: string };

/**
 * The rules of the loop. A failed pass is tried again: the runner itself stops the task after the retries of the
 * contract. What ends nothing and is not counted as a pass is never repeated forever: a limit and a model that gave no
 * sign of work start a cooldown, the third timeout of a model at work stops the task, and a model that came to nothing
 * is not asked again in this call.
 */
export function afterPass(report: PassReport): NextStep {
  const { exit_name: exitName, reason, next_eligible_at: next } = report;
  const { end, aborted, escalated } = report.details;
  if (isSignalExit(exitName)) return { kind: "stop", exitName, reason };
  // Whatever its pass came to: a person wants an end now, and of all tasks.
  if (aborted) return { kind: "stop", exitName: "paused", reason: renderAbort(report) };
  if (end?.kind === "interrupted") {
    return end.cause === "skip" ? { kind: "go_on", aside: null } : { kind: "stop", exitName, reason };
  }
  if (report.verdict === null) return afterNoPass(report);
  if (escalated !== null || isSettled(report)) return { kind: "leave", exitName, reason };
  if (report.verdict !== "unavailable") return { kind: "go_on", aside: null };
  if (next !== null) return { kind: "wait", until: new Date(next), reason };
  return { kind: "go_on", aside: asideAfter(report) };
}

function renderAbort({ verdict, reason, findings, details: { end } }: PassReport): string {
  const switched = findings.find(({ code }) => code === branchSwitched);
  if (switched !== undefined) return switched.message;
  if (verdict === null || end?.kind === "interrupted") return reason;
  return `a person's ABORT in CONTROL.md, read when the pass already had its result: ${reason}`;
}

/** The model, if it could not be asked or came to nothing, and no cooldown keeps it from being asked again. */
function asideAfter({ model, reason, details: { end } }: PassReport): AsideModel | null {
  const rests = end === null || end.kind === "limited" || end.kind === "timed_out";
  return rests || model === null ? null : { name: model, reason };
}

function isSettled({ to }: PassReport): boolean {
  return to === "done" || to === "blocked" || to === "needs_user_decision";
}

function afterNoPass(report: PassReport): NextStep {
  const { exit_name: exitName, reason, next_eligible_at: next } = report;
  if (exitName === "unavailable" && next !== null) return { kind: "wait", until: new Date(next), reason };
  // The budget of a run or a day: no task is the cause, and none can continue.
  if (exitName === "budget" && report.details.escalated === null) return { kind: "stop", exitName, reason };
  return { kind: "leave", exitName, reason };
}

/** Notes what this call has done to a task so far. A journal that cannot be read keeps what was noted before. */
export function recordWork(state: LoopState, taskDir: string): void {
  const { request, run, worked, lost, view } = state;
  const task = inspectTask(placeOf(taskDir), request.config, readersOf(state));
  const usage = readUsage();
  const known = usage === null ? worked.get(taskDir) : undefined;
  worked.set(taskDir, { ...(known ?? withLost(usage ?? usageOfRun([], run))), task });

  function withLost(kept: RunUsage): RunUsage {
    const charge = (sum: Spend, { report, end }: (typeof lost)[number]): Spend => {
      const { model, cost_usd: costUsd, tokens, duration_ms: durationMs } = report;
      return addCharge(sum, { model, costUsd, estimateUsd: null, end, tokens, durationMs });
    };
    return { ...kept, spend: lost.filter((one) => one.taskDir === taskDir).reduce(charge, kept.spend) };
  }

  function readUsage(): RunUsage | null {
    return orIfForeseen(() => usageOfRun(newestEvents(view, task.place.name, task.place.journal), run), null);
  }
}

/**
 * Switches the repo of each task that is not done to the branch, or makes it there, while no other runner works on
 * that repo. Throws if one has changes that are not committed; a repo before it may have been switched already.
 */
export async function takeBranch(branch: string, request: LoopRequest, ports: LoopPorts): Promise<void> {
  const { target } = request;
  const tasksRoot = target.kind === "root" ? target.tasksRoot : placeOf(target.taskDir).tasksRoot;
  const folders = listTaskFolders(tasksRoot);
  const anyTask = placeOf(join(realpathSync(tasksRoot), "any"));
  for (const repo of listRepos(request, ports)) {
    const lock = lockRepo(repo, ports);
    try {
      const travelling = [
        ...folders,
        anyTask.runtime,
        ...rootExcludes(anyTask.tasksRoot, repo),
        ...prdExcludes(anyTask),
      ];
      await switchBranch(repo, branch, travelling, ports.env);
    } finally {
      lock.release();
    }
  }
}

function listRepos({ target, repo, config }: LoopRequest, ports: LoopPorts): Set<string> {
  const repoOf = (place: TaskPlace) => findRepo(place, loadContract(place, config, ports).contract, repo, ports);
  if (target.kind === "task") return new Set([repoOf(placeOf(target.taskDir))]);
  const tasks = inspectRoot(target.tasksRoot, config, ports);
  return new Set(
    tasks.filter(({ standing }) => standing !== "done" && standing !== "unreadable").map(({ place }) => repoOf(place)),
  );
}
