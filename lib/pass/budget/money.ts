import { join } from "node:path";
import { adapters } from "../../agents/adapters/adapters.ts";
import { costsOfRecordings } from "../../agents/run/replay.ts";
import type { ModelConfig } from "../../documents/config/load-config.ts";
import { type BudgetScope, keyOf } from "../../rules/budgets.ts";
import type { TaskHistory } from "../../rules/history.ts";
import type { Spend } from "../../rules/spend.ts";
import type { TaskContract } from "../../task/load-contract.ts";
import type { TaskPlace } from "../../task/records/task-place.ts";
import type { TaskSession } from "../../task/session.ts";
import { TaskPhaseError } from "../../text/errors.ts";
import { errorFinding, type Finding } from "../../text/finding.ts";

/**
 * A money budget over a model of unknowable cost could never be enforced: a config error that names the key to add. All
 * models that may be selected are judged, not only the one whose turn it is.
 */
export function requireKnownCosts(session: TaskSession, contract: TaskContract, models: readonly ModelConfig[]): void {
  const findings = judgeCosts(session, contract, models, session.ports.shared !== undefined);
  if (findings.length > 0) throw new TaskPhaseError("config", findings);
}

interface Costing {
  readonly place: Pick<TaskPlace, "tasksRoot">;
  readonly history: Pick<TaskHistory, "spend" | "started">;
}

interface Budgeted {
  readonly contract: { readonly budget: Pick<TaskContract["contract"]["budget"], "moneyUsd"> };
  readonly config: TaskContract["config"];
}

/** A finding for each model whose cost a money budget needs and cannot know. */
export function judgeCosts(
  task: Costing,
  contract: Budgeted,
  models: readonly ModelConfig[],
  isShared: boolean,
): Finding[] {
  const set = moneyKeys(contract, isShared);
  if (set.length === 0) return [];
  const unknown = models.filter((model) => !isCostKnown(task, model));
  const file = contract.config.path ?? join(task.place.tasksRoot, "task-phase.yaml");
  const setting = set.map(({ where, keys }) => `${where} sets ${keys.join(" and ")}`).join(", and ");
  const taking = set.map(({ where, keys }) => `${keys.join(" and ")} from ${where}`).join(", and ");
  return unknown.map((model) =>
    errorFinding(
      "TP_COST_UNKNOWN",
      `${setting}, and what a pass of model ${model.name} costs cannot be known${whyUnknown(task.history.spend, model)}`,
      { file, fix: `add \`estimate_usd:\`${pricedBy(model)} to the model, or remove ${taking}` },
    ),
  );
}

function moneyKeys(
  { contract, config }: Budgeted,
  isShared: boolean,
): { readonly where: string; readonly keys: readonly string[] }[] {
  const key = (scope: BudgetScope, { moneyUsd }: { readonly moneyUsd: number | null }) =>
    moneyUsd === null ? [] : [`\`${keyOf({ scope, kind: "money" })}\``];
  return [
    { where: "the brief", keys: key("task", contract.budget) },
    {
      where: "task-phase.yaml",
      keys: [
        ...key("run", config.budget.run),
        ...key("day", config.budget.day),
        ...(isShared && (config.fleet?.budget.day.moneyUsd ?? null) !== null ? ["`fleet.budget.day.money_usd`"] : []),
      ],
    },
  ].filter(({ keys }) => keys.length > 0);
}

function isCostKnown({ history: { spend, started } }: Costing, model: ModelConfig): boolean {
  if (model.estimateUsd !== null) return true;
  if (spend.silent.includes(model.name)) return false;
  if (model.price !== null || spend.recent[model.name] !== undefined) return true;
  if (model.adapter === "command") return false;
  return model.adapter === "replay"
    ? costsOfRecordings(model, started[model.name] ?? 0)
    : adapters[model.adapter].reportsCost;
}

function whyUnknown(spend: Spend, model: ModelConfig): string {
  if (spend.silent.includes(model.name)) return ": its newest pass reported none";
  if (model.adapter === "command") return " before it has reported one";
  return model.adapter === "replay"
    ? ": a recording has no cost in usage.json"
    : ": its CLI reports tokens and no cost";
}

function pricedBy(model: ModelConfig): string {
  return model.adapter === "replay" ? "" : " or `price:`";
}
