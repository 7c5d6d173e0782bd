import type { ProgressKind, Reason } from "./decision.ts";
import type { Facts, Proposal, Tamper } from "./facts.ts";
import type { Gate } from "./gate.ts";
import { type ModelEnd, noAnswer, renderNothing } from "./model-end.ts";
import { mayPropose, type Phase, phases } from "./phases.ts";
import { isFilled, type StateView, stateFields } from "./state-view.ts";

/** Why the pass does not count: it was interrupted, or no model did it. The order is that of `reasonCategories`. */
export function endReasons(before: StateView, proposal: Proposal, facts: Facts): Reason[] {
  const { end } = facts;
  switch (end.kind) {
    case "interrupted":
      return [{ category: "interrupted", code: interruptedCodes[end.cause], text: end.reason }];
    case "timed_out":
      return [timeoutReason(end, end.silent === true && changedNothing(before, proposal, facts))];
    case "not_started":
    case "limited":
    case "auth_failed":
      return [{ category: "unavailable", code: end.kind, text: end.reason }];
    case "no_model":
      return [];
    case "exited": {
      const silent = !end.result_event && changedNothing(before, proposal, facts);
      return silent ? [{ category: "unavailable", code: "nothing_happened", text: renderNothing(end) }] : [];
    }
    case "withheld":
      // A forbidden change is the reason, in its own words; even without one, a pass that no model made is not a pass.
      return facts.tampering.length > 0 ? [] : [{ category: "tampering", code: "withheld", text: end.reason }];
  }
}

function changedNothing(before: StateView, proposal: Proposal, facts: Facts): boolean {
  return proposal.kind === "read" && nothingChanged(before, proposal.state, facts);
}

/** A model that never answered mostly waits for its provider: no task is at fault. */
function timeoutReason({ role, timeout_ms }: Extract<ModelEnd, { kind: "timed_out" }>, silent: boolean): Reason {
  const who = role === undefined ? "the model" : `reviewer ${role}`;
  const seconds = Math.round(timeout_ms / 1000);
  return silent
    ? { category: "unavailable", code: noAnswer, text: `${who} gave no sign of work within ${seconds} s` }
    : { category: "unavailable", code: "timed_out", text: `${who} did not end within ${seconds} s` };
}

const interruptedCodes = { signal: "interrupted", abort: "aborted", skip: "skipped", cut_off: "interrupted" } as const;

export function tamperReasons(facts: Facts): Reason[] {
  return facts.tampering.map((tamper) => ({
    category: "tampering",
    code: `tampered_${tamper.guard}`,
    text: renderTamper(tamper),
  }));
}

export function proposalReasons(proposal: Proposal, facts: Facts): Reason[] {
  const reasons: Reason[] = [];
  if (proposal.kind === "unreadable") {
    for (const problem of proposal.problems)
      reasons.push({ category: "unreadable", code: "unreadable", text: problem });
  }
  for (const shape of facts.secrets) {
    reasons.push({
      category: "unreadable",
      code: "secret_in_proposal",
      text: `STATE.md contains what looks like a secret (${shape}); remove it, and name where it is kept instead`,
    });
  }
  return reasons;
}

export function transitionReasons(from: Phase, to: Phase): Reason[] {
  if (mayPropose(from, to)) return [];
  const allowed = [from, ...phases[from].next].join(", ");
  return [
    {
      category: "illegal",
      code: "illegal_transition",
      text: `${from} → ${to} is not allowed; from ${from} a pass may propose ${allowed}`,
    },
  ];
}

export function gateReasons(gates: readonly Gate[]): Reason[] {
  return gates
    .filter((gate) => !gate.ok)
    .map((gate) => ({
      category: gate.onFailure === "redirect" ? "redirect" : "gate",
      code: gate.code,
      text: gate.failed,
    }));
}

/** What becomes of a path that must not change. */
export function undone({ change }: Pick<Tamper, "change">): string {
  return change === "added" ? "removed" : "restored";
}

function renderTamper(tamper: Tamper): string {
  const who = {
    model: "the pass",
    validators: "a validator or scenario",
    before: "a validator or scenario that ran before the work",
    reviewers: "a reviewer",
  }[tamper.by];
  const detail = tamper.detail === null ? "" : ` (${tamper.detail})`;
  return `${who} ${tamper.change} ${tamper.path}, which it must not${detail}; it ${tamper.restored ? "was" : "could not be"} ${undone(tamper)}`;
}

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
