import { type StateDocument, stateText, writePlain } from "../../documents/state.ts";
import type { Decision } from "../../rules/decision.ts";
import { isWorkingPhase } from "../../rules/phases.ts";
import { stateFields } from "../../rules/state-view.ts";
import { escalationFields } from "./stop-task.ts";
import { goingOn, stamp } from "./write-state.ts";

/**
 * Accepted and redirected: the proposal with the runner's values; otherwise the last accepted bytes. An escalation sets
 * Phase and Blockers, and a stop or end sets Status. `overridden`: labels of the runner's fields that the pass changed,
 * and of those not in plain form.
 */
export function stateAfter(
  decision: Decision,
  before: StateDocument,
  proposal: StateDocument | null,
  evidenceLink: string,
  at: string,
  /** The runner's Status; null while that is the agent's. */
  status: string | null,
) {
  const taken = proposal !== null && (decision.verdict === "accepted" || decision.verdict === "redirected");
  const base = taken ? writePlain(proposal) : before;
  const overridden = proposal === null ? [] : overriddenLabels(before, proposal);
  const escalated = decision.escalation === null ? {} : escalationFields(decision.escalation);
  if (!taken && decision.escalation === null) return { text: stateText(before), overridden };
  const now = status ?? (base.view.fields.status === "new" && isWorkingPhase(decision.to) ? goingOn : null);
  const values = {
    ...(taken ? { ...decision.runner_fields, evidence_link: evidenceLink } : {}),
    phase: decision.to,
    ...escalated,
    ...(now === null ? {} : { status: now }),
  };
  return { text: stateText(stamp(base, values, at)), overridden };
}

/** Labels of the runner's fields that someone else changed, and of those rewritten in plain form. */
export function overriddenLabels(before: StateDocument, proposal: StateDocument): string[] {
  const changed = ({ key, owner }: (typeof stateFields)[number]): boolean =>
    owner === "runner" && before.view.fields[key] !== proposal.view.fields[key];
  return stateFields.filter((field) => changed(field) || proposal.loose.includes(field.key)).map(({ label }) => label);
}
