import { join } from "node:path";
import { withFeatures } from "../documents/evidence-file.ts";
import { readOptionalFile } from "../documents/read-task-file.ts";
import { readState, type StateDocument } from "../documents/state.ts";
import { frameGates, frameLeft, gatesBesideChecks, nextOfFrame } from "../rules/advance.ts";
import { isApproved } from "../rules/approval.ts";
import { waitsForAnswer } from "../rules/escalate.ts";
import type { TaskEvent } from "../rules/events.ts";
import { standingFingerprint } from "../rules/facts.ts";
import { keptCode } from "../rules/gates-checks.ts";
import type { Phase } from "../rules/phases.ts";
import type { OpenTask } from "../task/open-task.ts";
import { passFolder } from "../task/records/task-place.ts";
import type { TaskSession } from "../task/session.ts";
import { gateInput } from "./people/judge-hand-edit.ts";
import { goingOn, writeState } from "./verdict/write-state.ts";

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
 * The proposal of done that only a person's answer held back, if the code is the same and nothing but answers came since:
 * no model is paid to propose it again. Null otherwise. `present`: the fingerprint of the repo.
 */
export function answeredProposal({ place, history, journal }: TaskSession, present: string): StateDocument | null {
  const { lastVerdict: last, phase } = history;
  if (last?.from !== "review" || phase !== "review" || !waitsForAnswer(last) || present !== standingFingerprint(last))
    return null;
  const since = journal.events.slice(journal.events.findLastIndex(({ type }) => type === "verdict"));
  if (!since.some(({ type }) => type === "answered") || since.some(({ type }) => byHand.has(type))) return null;
  const bytes = readOptionalFile(join(passFolder(place, last.pass), "STATE.proposed.md"));
  const read = bytes === null ? null : readState(bytes, "STATE.md");
  return read?.kind === "state" && read.document.view.phase === "done" ? read.document : null;
}

/** By these a person has changed what was proposed on. */
const byHand: ReadonlySet<TaskEvent["type"]> = new Set(["state_edited", "brief_changed", "resumed"]);

/**
 * Whether verify needs no model: all that one could add is there already, and only the checks are left to run. Where
 * the runner's own attempt was rejected, a model looks at why, unless a person was asked. In review the checks run again,
 * before a model is paid, on code that a person moved since they passed, and where a person set review after a stop; and
 * a proposal that waited for a person's answer is judged with it.
 */
export async function needsNoModel(
  session: TaskSession,
  task: OpenTask,
  document: StateDocument,
  repo: string,
): Promise<boolean> {
  const { view } = document;
  const { lastVerdict: last, reviewedFingerprint: reviewed } = session.history;
  const isReview = view.phase === "review";
  const advances = task.contract.advance !== "never";
  if (!isReview && (!advances || view.phase !== "verify")) return false;
  if (last?.end.kind === "no_model" && last.verdict === "rejected" && !waitsForAnswer(last)) return false;
  const from = { ...view, phase: "verify" as const };
  // What changed of tests and checks is judged by the runs of the proof.
  const input = { ...(await gateInput(session, from, { ...view, phase: "review" }, { repo, task })), watched: null };
  const present = input.fingerprint.present ?? "";
  const answered = isReview && advances ? answeredProposal(session, present) : null;
  if (answered !== null) {
    const done = await gateInput(session, view, answered.view, { repo, task });
    const known = { ...done, watched: null, manual_answers: session.history.manualAnswers };
    const gates = gatesBesideChecks("review", "done", known);
    return gates.every(({ ok, code }) => ok || code === "manual_refused");
  }
  // What the pass itself changed is judged with its next one.
  const isWaiting = last?.verdict === "accepted" && last.gates.some(({ gate, ok }) => gate === keptCode && !ok);
  const isPersons = isWaiting || (last !== null && present !== (last.fingerprint.present ?? last.fingerprint.after));
  if (isReview && reviewed !== null && (present === reviewed || !isPersons)) return false;
  return gatesBesideChecks("verify", "review", input).every(({ ok }) => ok);
}
