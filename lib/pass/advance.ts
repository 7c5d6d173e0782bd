import { frameGates, frameLeft, gatesBesideChecks, nextOfFrame } from "../machine/advance.ts";
import { isApproved } from "../machine/approval.ts";
import { keptCode } from "../machine/gates-checks.ts";
import type { Phase } from "../machine/phases.ts";
import { gateInput } from "../people/judge-hand-edit.ts";
import type { OpenTask } from "../task/open-task.ts";
import type { TaskSession } from "../task/session.ts";
import { withFeatures } from "../task-folder/evidence-file.ts";
import type { StateDocument } from "../task-folder/state.ts";
import { goingOn, writeState } from "../verdict/write-state.ts";

/** A person sent the task to this phase, or answered what it asked: a model works there. */
function wasSent({ journal }: TaskSession, phase: Phase): boolean {
  const came = journal.events.findLast((event) => "to" in event && event.to === phase && event.from !== phase);
  return came !== undefined && came.type !== "advanced" && came.type !== "verdict";
}

/**
 * Moves a task on whose frame is there already, one event a move: intake → shape → implement. No model is paid for a
 * move whose gates hold. Returns STATE.md afterwards.
 */
export function advanceFrame(session: TaskSession, task: OpenTask, document: StateDocument): StateDocument {
  const { phase: from, fields } = document.view;
  const to = nextOfFrame(from);
  const { contract, policy, evidence } = task;
  const { approvals } = session.history;
  if (contract.advance === "never" || to === null) return document;
  if (wasSent(session, from) && !isApproved(document.view, approvals)) return document;
  const gates = [
    ...frameLeft(policy, withFeatures(document.view, evidence), approvals),
    ...frameGates(from, document.view),
  ];
  if (!gates.every(({ ok }) => ok)) return document;
  const at = session.ports.now().toISOString();
  const moved = writeState(session, document, {
    at,
    fields: { phase: to, ...(fields.status === "new" ? { status: goingOn } : {}) },
    event: (state) => ({ type: "advanced", at, from, to, gates, state }),
    files: [{ path: "log.txt", text: `${at} ${from} → ${to}: no model needed\n`, append: true }],
  });
  session.ports.tell("PREP", `${from} → ${to}: the frame is complete, so no model is asked`);
  return advanceFrame(session, task, moved);
}

/**
 * Whether verify needs no model: all that one could add is there already, and only the checks are left to run. Where
 * the runner's own attempt was rejected, a model looks at why. In review the checks run again, before a model is paid,
 * on code that a person moved since they passed.
 */
export async function needsNoModel(
  session: TaskSession,
  task: OpenTask,
  document: StateDocument,
  repo: string,
): Promise<boolean> {
  const { view } = document;
  const { lastVerdict: last, reviewedFingerprint: reviewed } = session.history;
  const isReview = view.phase === "review" && reviewed !== null;
  if (!isReview && (task.contract.advance === "never" || view.phase !== "verify")) return false;
  if (last?.end.kind === "no_model" && last.verdict === "rejected") return false;
  const from = { ...view, phase: "verify" as const };
  // What changed of tests and checks is judged by the runs of the proof.
  const input = { ...(await gateInput(session, from, { ...view, phase: "review" }, { repo, task })), watched: null };
  const { present } = input.fingerprint;
  // What the pass itself changed is judged with its next one.
  const isWaiting = last?.verdict === "accepted" && last.gates.some(({ gate, ok }) => gate === keptCode && !ok);
  const isPersons = isWaiting || (last !== null && present !== (last.fingerprint.present ?? last.fingerprint.after));
  if (isReview && (present === reviewed || !isPersons)) return false;
  return gatesBesideChecks("verify", "review", input).every(({ ok }) => ok);
}
