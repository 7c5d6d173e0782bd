import type { ProgressKind } from "./decision.ts";
import type { Facts } from "./facts.ts";
import { isFilled, type StateView, stateFields } from "./state-view.ts";

/** Empty without material progress. */
export function measureProgress(before: StateView, after: StateView, facts: Facts): ProgressKind[] {
  const kinds: ProgressKind[] = [];
  if (codeChanged(facts) && facts.code_counts) kinds.push("code_change");
  if (stateMoved(before, after) || stepsTicked(facts)) kinds.push("state_change");
  if (facts.artifacts_changed.length > 0 || facts.evidence_rows_added.length > 0) kinds.push("evidence_gain");
  if (before.fields.blockers !== after.fields.blockers && isFilled("blockers", after.fields.blockers)) {
    kinds.push("blocker_clarification");
  }
  if (risksClosed(before, after)) kinds.push("risk_reduction");
  if (facts.questions_asked.length > 0) kinds.push("question");
  return kinds;
}

/** Neither code nor proof nor any task file. */
export function nothingChanged(before: StateView, after: StateView, facts: Facts): boolean {
  return (
    !codeChanged(facts) &&
    facts.artifacts_changed.length === 0 &&
    facts.evidence_rows_added.length === 0 &&
    facts.task_files_changed.length === 0 &&
    facts.tampering.length === 0 &&
    facts.put_back.length === 0 &&
    JSON.stringify(facts.steps.before) === JSON.stringify(facts.steps.after) &&
    JSON.stringify(before) === JSON.stringify(after)
  );
}

/** The runner's own fields and Status never count. */
function stateMoved(before: StateView, after: StateView): boolean {
  return stateFields.some(
    ({ key, owner }) => (owner === "content" || owner === "proposal") && before.fields[key] !== after.fields[key],
  );
}

/** A new item already ticked was never open work. */
function stepsTicked(facts: Facts): boolean {
  const open = new Set(facts.steps.before.filter((step) => !step.done).map((step) => step.text));
  return facts.steps.after.some((step) => step.done && open.has(step.text));
}

function risksClosed(before: StateView, after: StateView): boolean {
  const open = new Set(before.risks.filter((risk) => !risk.done).map((risk) => risk.text));
  return after.risks.some((risk) => risk.done && open.has(risk.text));
}

export function codeChanged({ fingerprint }: Pick<Facts, "fingerprint">): boolean {
  return fingerprint.before !== fingerprint.after;
}
