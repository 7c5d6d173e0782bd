import { hasCheapTier } from "../../agents/adapters/adapters.ts";
import type { ModelConfig } from "../../documents/config/load-config.ts";
import { type Budget, chooseSteps, type Degrading, usedShares } from "../../rules/budgets.ts";
import type { DegradeStep } from "../../rules/events.ts";
import type { TaskContract } from "../../task/load-contract.ts";
import { accept, type TaskSession } from "../../task/session.ts";
import { infoFinding } from "../../text/finding.ts";

/** The steps that make this pass cheaper, near the end of a budget. A change of them is journalled. */
export function applyDegrade(
  session: TaskSession,
  contract: TaskContract,
  budgets: readonly Budget[],
  model: ModelConfig,
): readonly DegradeStep[] {
  const { history, ports } = session;
  const chosen = chooseSteps({
    over: contract.contract.degradeOver,
    shares: usedShares(budgets),
    current: history.degrade,
    tried: wasTried(session),
  });
  if (chosen.steps.join() !== history.degrade.join()) {
    const at = ports.now().toISOString();
    const files = [{ path: "log.txt", text: `${at} ${renderChange(chosen, model)}\n`, append: true }];
    accept(session, { event: { type: "degraded", at, ...chosen }, state: null, files });
  }
  if (chosen.steps.length > 0) report(session, contract, chosen, model);
  return chosen.steps;
}

/** A pass that did not come to its model, as after a signal, is not a further pass. */
function wasTried({ journal }: TaskSession): boolean {
  const last = journal.events.findLast((event) => event.type === "degraded" || event.type === "pass_started");
  return last?.type === "pass_started";
}

function renderChange({ steps, reason }: Degrading, model: ModelConfig): string {
  return steps.length === 0
    ? `passes are back to normal: ${reason}`
    : `passes are cheaper by ${steps.join(", ")}${hasCheapTier(model) ? "" : ` (${model.name} has no cheap tier)`}: ${reason}`;
}

function report(session: TaskSession, contract: TaskContract, { steps, reason }: Degrading, model: ModelConfig): void {
  const { findings, place } = session;
  // The cheap tier is the first step, so it is among them.
  const taken = hasCheapTier(model) ? steps : steps.filter((step) => step !== "cheap_tier");
  if (taken.length > 0) {
    const message = `this pass is cheaper by ${taken.join(", ")}: ${reason}`;
    const fix = "raise that key, or write `degrade: null` in the front matter of the brief";
    findings.push(infoFinding("TP_DEGRADED", message, { file: place.readme, fix }));
  }
  if (hasCheapTier(model)) return;
  const message = `model ${model.name} has no cheap tier, so its tier is as usual: ${reason}`;
  const fix = "add `tiers: { cheap: { args: [...] } }` to the model";
  findings.push(infoFinding("TP_NO_CHEAP_TIER", message, { file: contract.config.path, fix }));
}
