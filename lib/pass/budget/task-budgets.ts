import type { ModelConfig } from "../../documents/config/load-config.ts";
import type { StateDocument } from "../../documents/state.ts";
import {
  type Budget,
  type BudgetKind,
  type BudgetLimits,
  findSpent,
  keyOf,
  type NextCall,
  type SpentBudget,
  timeLeft,
} from "../../rules/budgets.ts";
import { escalate } from "../../rules/escalate.ts";
import type { TaskHistory } from "../../rules/history.ts";
import { dollars, estimateOf, estimateTokens } from "../../rules/spend.ts";
import { usageOf } from "../../rules/usage.ts";
import { plural } from "../../rules/wording.ts";
import type { TaskContract } from "../../task/load-contract.ts";
import type { RunOfPass } from "../../task/request.ts";
import { type Stop, stop, type TaskSession } from "../../task/session.ts";
import { formatDuration } from "../../text/duration.ts";
import { shorten } from "../../text/shorten.ts";
import { stopTask } from "../verdict/stop-task.ts";
import { readRootUsage } from "./root-usage.ts";

/** The budgets of the task, the loop's run and the UTC day. Reads other tasks only if the latter are set. */
export function readBudgets(session: TaskSession, contract: TaskContract, run: RunOfPass | null): Budget[] {
  const { run: runLimits, day: dayLimits } = contract.config.budget;
  const runs = run !== null && isSet(runLimits);
  const task: Budget = { scope: "task", limits: contract.contract.budget, used: usageOf(session.history) };
  if (!runs && !isSet(dayLimits)) return [task];
  const used = readRootUsage(session.place, session.journal, run?.id ?? null, session.ports);
  session.findings.push(...used.findings);
  return [
    task,
    ...(runs ? [{ scope: "run" as const, limits: runLimits, used: used.run }] : []),
    ...(isSet(dayLimits) ? [{ scope: "day" as const, limits: dayLimits, used: used.day }] : []),
  ];
}

/**
 * Before the call: a spent budget of the task stops the task, and one of the run or the day stops only this call, which
 * changes nothing. Null if the call fits. `next` is null until a model is chosen; `calls` counts the pass itself and each
 * reviewer.
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
  const happened = `${renderSpent(spent, next?.name ?? null)}. What was tried: ${renderHistory(session.history)}`;
  return stopTask(session, document, escalate(spent.kind, document.view.phase, happened, false, contract.contract.id));
}

/** How long the model may work: as long as it may by itself, and no longer than the time that is left. */
export function boundTimeout(budgets: readonly Budget[], timeoutMs: number): number {
  const left = timeLeft(budgets);
  return left === null ? timeoutMs : Math.max(leastTimeoutMs, Math.min(timeoutMs, Math.floor(left)));
}

/** A shorter timeout says nothing about the model; a pass exceeds its budget by this at most. */
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
  const reason = renderRunOrDay(spent, next?.name ?? null, file, nextDay);
  return { ...stop("budget", reason, document.view.phase), nextEligibleAt: nextDay };
}

export function nextUtcMidnight(now: Date): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1)).toISOString();
}

export function isSet(limits: BudgetLimits): boolean {
  return Object.values(limits).some((limit) => limit !== null);
}

/** Reserves what the pass and its reviewers may use of limits shared by machines. A stop if that is not left. */
export async function reserveShared(
  session: TaskSession,
  next: { readonly model: ModelConfig; readonly pass: number; readonly timeoutMs: number },
  calls: number,
): Promise<Stop | null> {
  const { shared } = session.ports;
  if (shared === undefined) return null;
  const { model, pass, timeoutMs } = next;
  const { estimateUsd, tokens } = expectedOf(session, model, calls);
  const estimate = { passes: 1, moneyUsd: estimateUsd ?? 0, tokens, timeMs: timeoutMs * calls };
  const refused = await shared.reserve({ model: model.name, pass, estimate });
  if (refused === null) return null;
  return {
    ...stop("budget", refused.reason, session.history.phase),
    nextEligibleAt: refused.again?.toISOString() ?? null,
  };
}

export function renderAmount(kind: BudgetKind, amount: number): string {
  switch (kind) {
    case "money":
      return dollars(amount);
    case "time":
      return formatDuration(amount);
    case "tokens":
      return `${Math.round(amount)} tokens`;
    case "passes":
      return plural(amount, "pass", "passes");
  }
}

/** The budget that is spent, and by how much the next call would exceed it. No full stop. */
export function renderSpent(spent: SpentBudget, model: string | null): string {
  const { scope, kind, used, limit, estimate } = spent;
  const key = keyOf(spent);
  if (scope === "task" && kind === "passes") {
    const all = limit === 1 ? "the one pass of the budget is" : `all ${limit} passes of the budget are`;
    return `${all} spent (\`${key}\` in the brief raises it)`;
  }
  const amounts = `${renderAmount(kind, used)} of ${renderAmount(kind, limit)} ${kind === "passes" && used === 1 ? "is" : "are"} spent`;
  if (estimate === null) return `${amounts}, all of \`${key}\``;
  const by = model === null ? "" : `, by ${model},`;
  // The key first: Status shows no more than the beginning.
  return `\`${key}\`: ${amounts}, and the next pass${by} is estimated at ${renderAmount(kind, estimate)}`;
}

/** Why a call of a loop, or a day, ends here; the task itself stays as it is. */
function renderRunOrDay(spent: SpentBudget, model: string | null, file: string, nextDay: string | null): string {
  const anew =
    nextDay === null
      ? "the next call of the loop, which starts from zero"
      : `the next UTC day, which begins at ${nextDay}`;
  return `the budget of the ${spent.scope} stops the task where it is: ${renderSpent(spent, model)}. To continue before ${anew}, raise that key in ${file}`;
}

/** The passes and repairs of a task so far, for the reader of why it stopped. */
export function renderHistory({ counts, lastVerdict }: Pick<TaskHistory, "counts" | "lastVerdict">): string {
  if (lastVerdict === null) return "nothing yet";
  const { pass, from, verdict, reason } = lastVerdict;
  const repairs = counts.repairs === 0 ? "" : ` and ${plural(counts.repairs, "repair")}`;
  const passes = `${plural(counts.passes, "pass", "passes")}${repairs}`;
  return `${passes}; the newest, pass ${pass} in ${from}, was ${verdict} (${shorten(reason, 160)})`;
}
