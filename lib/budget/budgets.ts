import type { ModelConfig } from "../config/load-config.ts";
import {
  type Budget,
  type BudgetLimits,
  findSpent,
  type NextCall,
  type SpentBudget,
  timeLeft,
} from "../machine/budgets.ts";
import { escalate } from "../machine/escalate.ts";
import type { TaskHistory } from "../machine/history.ts";
import { estimateOf, estimateTokens } from "../machine/spend.ts";
import { usageOf } from "../machine/usage.ts";
import type { TaskContract } from "../task/load-contract.ts";
import type { RunOfPass } from "../task/request.ts";
import { type Stop, stop, type TaskSession } from "../task/session.ts";
import type { StateDocument } from "../task-folder/state.ts";
import { stopTask } from "../verdict/stop-task.ts";
import { describeHistory, describeRunOrDay, renderSpent } from "./describe-budget.ts";
import { readRootUsage } from "./root-usage.ts";

/**
 * What bounds a pass: the task's own budgets, that of the loop's run, and that of the UTC day. Other tasks are looked
 * at only if task-phase.yaml bounds a run or a day.
 */
export function readBudgets(session: TaskSession, contract: TaskContract, run: RunOfPass | null): Budget[] {
  const { run: runLimits, day: dayLimits } = contract.config.budget;
  const runs = run !== null && isSet(runLimits);
  const task: Budget = { scope: "task", limits: contract.contract.budget, used: usageOf(session.history) };
  if (!runs && !isSet(dayLimits)) return [task];
  const used = readRootUsage(session.place, session.journal, run?.id ?? null, session.ports.now());
  session.findings.push(...used.findings);
  return [
    task,
    ...(runs ? [{ scope: "run" as const, limits: runLimits, used: used.run }] : []),
    ...(isSet(dayLimits) ? [{ scope: "day" as const, limits: dayLimits, used: used.day }] : []),
  ];
}

/**
 * Before the call: a spent budget of the task stops the task, and one of the run or the day stops only this call, which
 * changes nothing. Null if the call fits; `next` is null as long as no model is chosen, and is called so many times,
 * once for each reviewer beside the pass itself.
 */
export function refuseSpent(
  session: TaskSession,
  document: StateDocument,
  contract: TaskContract,
  budgets: readonly Budget[],
  next: ModelConfig | null,
  calls = 1,
): Stop | null {
  const [spent] = findSpent(budgets, next === null ? null : expectedOf(session, next, calls));
  if (spent === undefined) return null;
  if (spent.scope !== "task") return stopRunOrDay(session, document, contract, spent, next);
  const happened = `${renderSpent(spent, next?.name ?? null)}. What was tried: ${describeHistory(session.history)}`;
  return stopTask(session, document, escalate(spent.kind, document.view.phase, happened));
}

/** How long the model may work: as long as it may by itself, and no longer than the time that is left. */
export function boundTimeout(budgets: readonly Budget[], timeoutMs: number): number {
  const left = timeLeft(budgets);
  return left === null ? timeoutMs : Math.max(leastTimeoutMs, Math.min(timeoutMs, Math.floor(left)));
}

/** Below this a timeout tells nothing of the model; what a pass takes beyond its budget is no more than this. */
const leastTimeoutMs = 1_000;

/** The estimate of that model's next calls, from its newest passes. */
export function expectedOf(
  { history }: { readonly history: Pick<TaskHistory, "spend"> },
  model: ModelConfig,
  calls: number,
): NextCall {
  const { spend } = history;
  const estimateUsd = estimateOf(spend, model.name, model.estimateUsd);
  return {
    estimateUsd: estimateUsd === null ? null : estimateUsd * calls,
    tokens: estimateTokens(spend, model.name) * calls,
  };
}

function stopRunOrDay(
  session: TaskSession,
  document: StateDocument,
  contract: TaskContract,
  spent: SpentBudget,
  next: ModelConfig | null,
): Stop {
  const nextDay = spent.scope === "day" ? nextUtcMidnight(session.ports.now()) : null;
  const file = contract.config.path ?? "task-phase.yaml";
  const reason = describeRunOrDay(spent, next?.name ?? null, file, nextDay);
  return { ...stop("budget", reason, document.view.phase), nextEligibleAt: nextDay };
}

/** When the day of `now` ends, ISO 8601. */
export function nextUtcMidnight(now: Date): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1)).toISOString();
}

/** True if anything is bounded. */
export function isSet(limits: BudgetLimits): boolean {
  return Object.values(limits).some((limit) => limit !== null);
}
