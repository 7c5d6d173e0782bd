import { join } from "node:path";
import type { ModelConfig } from "../config/load-config.ts";
import { escalate } from "../machine/escalate.ts";
import { estimateOf, type Spend, refuseMoney as whyRefused } from "../machine/spend.ts";
import { adapters } from "../models/adapters.ts";
import { costsOfRecordings } from "../models/replay.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { errorFinding } from "../report/finding.ts";
import type { StateDocument } from "../task-folder/state.ts";
import type { TaskContract } from "./load-contract.ts";
import type { Stop, TaskSession } from "./session.ts";
import { stopTask } from "./stop-task.ts";

/**
 * A money budget over a model whose cost nobody can know would be a limit that never holds: a config error that names
 * the key to add. All models that may be selected are judged, not only the one whose turn it is.
 */
export function requireKnownCosts(session: TaskSession, contract: TaskContract, models: readonly ModelConfig[]): void {
  if (contract.contract.budget.moneyUsd === null) return;
  const unknown = models.filter((model) => !isCostKnown(session, model));
  if (unknown.length === 0) return;
  const file = contract.config.path ?? join(session.place.tasksRoot, "task-phase.yaml");
  throw new TaskPhaseError(
    "config",
    unknown.map((model) =>
      errorFinding(
        "TP_COST_UNKNOWN",
        `the brief sets \`budget.money_usd\`, and what a pass of model ${model.name} costs cannot be known${whyUnknown(session.history.spend, model)}`,
        {
          file,
          fix: `add \`estimate_usd:\`${pricedBy(model)} to the model, or take \`budget.money_usd\` out of the brief`,
        },
      ),
    ),
  );
}

/** Before the call: the task stops where it would cost more than its money budget has left. */
export function refuseSpentMoney(
  session: TaskSession,
  document: StateDocument,
  contract: TaskContract,
  model: ModelConfig,
): Stop | null {
  const limitUsd = contract.contract.budget.moneyUsd;
  if (limitUsd === null) return null;
  const { spend } = session.history;
  const why = whyRefused(spend, limitUsd, model.name, estimateOf(spend, model.name, model.estimateUsd));
  return why === null ? null : stopTask(session, document, escalate("money", document.view.phase, why));
}

function isCostKnown(session: TaskSession, model: ModelConfig): boolean {
  const { spend, started } = session.history;
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
