import { listWatchedChanges, loadWatch } from "../../checks/watch-repo.ts";
import { withFeatures } from "../../documents/evidence-file.ts";
import { readIfGood, taskFiles } from "../../documents/read-task-file.ts";
import { type StateDocument, stateText, writePlain } from "../../documents/state.ts";
import { takeFingerprint } from "../../git/fingerprint.ts";
import type { Fingerprint } from "../../git/fingerprint-entries.ts";
import { findProof } from "../../pages/files/proof.ts";
import { noFacts } from "../../rules/facts.ts";
import type { GateInput } from "../../rules/gate.ts";
import { clearsHold, type EditJudgement, judgePersonEdit } from "../../rules/person-edit.ts";
import { isWorkingPhase, type Phase } from "../../rules/phases.ts";
import type { StateView } from "../../rules/state-view.ts";
import { fingerprintExcludes } from "../../task/fingerprint-excludes.ts";
import { openIds } from "../../task/open-questions.ts";
import type { OpenTask } from "../../task/open-task.ts";
import type { Stop, TaskSession } from "../../task/session.ts";
import { infoFinding } from "../../text/finding.ts";
import { sha256 } from "../../text/sha256.ts";
import { standingsIn } from "../review/review-standings.ts";
import { madeByPasses, proveFeatures } from "../verdict/prove-features.ts";
import { overriddenLabels } from "../verdict/state-after.ts";
import { goingOn, goOnFields, statusAfterEdit, writeState } from "../verdict/write-state.ts";
import { putBack } from "./put-back.ts";

export interface EditInput {
  readonly repo: string;
  readonly task: Pick<OpenTask, "contract" | "policy" | "sha256" | "steps" | "questions">;
}

/** A person's edit of STATE.md between passes: accepted and journalled, or refused, kept and restored. */
export async function judgeHandEdit(
  session: TaskSession,
  accepted: StateDocument,
  edited: StateDocument,
  input: EditInput,
): Promise<Stop | { readonly kind: "settled"; readonly document: StateDocument }> {
  const from = accepted.view.phase;
  const to = edited.view.phase;
  const secret = secretIn(session, edited);
  if (secret !== null) return refuse(session, edited, from, to, secret);
  const judgement = await judgeEdit(session, accepted, edited, input);
  if (judgement.kind === "refused") return refuse(session, edited, from, to, judgement.reason);
  const reopened = judgement.reopened || clearsHold(session.history.stop, edited.view, from);
  const at = session.ports.now().toISOString();
  const { blockers } = reopened ? goOnFields(session.history, edited) : {};
  const { tickets } = judgement;
  const overridden = overriddenLabels(accepted, edited);
  const features = withFeatures(edited.view, readIfGood(taskFiles.evidence, session.place.taskDir)).features.map(
    (row) => row.feature,
  );
  const document = writeState(session, writePlain(edited), {
    at,
    fields: {
      evidence_link: accepted.view.fields.evidence_link,
      ...judgement.runner_fields,
      ...(blockers === undefined ? {} : { blockers }),
      ...(edited.view.fields.status === accepted.view.fields.status
        ? statusAfter(session, accepted.view, edited.view, input, reopened)
        : {}),
    },
    event: (state) => ({ type: "state_edited", at, from, to, reopened, tickets, overridden, features, state }),
    over: [sha256(stateText(edited))],
  });
  const what = from === to ? "STATE.md was edited by hand" : `STATE.md was set from ${from} to ${to} by hand`;
  session.findings.push(infoFinding("TP_STATE_EDITED", `${what}; accepted`, { file: session.place.state }));
  return { kind: "settled", document };
}

/** As `judgePersonEdit`, but git or an editor may put an earlier text back: nobody chose its phase, or to end a hold. */
export async function judgeEdit(
  session: TaskSession,
  accepted: StateDocument,
  edited: StateDocument,
  input: EditInput,
): Promise<EditJudgement> {
  const [text, { view }, { phase: from }] = [stateText(edited), edited, accepted.view];
  const goesOn = view.phase !== from || clearsHold(session.history.stop, view, from);
  if (!goesOn || !session.journal.events.some((event) => "state" in event && event.state === text))
    return judgePersonEdit(await gateInput(session, accepted.view, view, input));
  const reason = `it is, byte for byte, an earlier one (${view.phase}), as after git stash or reset; if you mean that, edit the restored one`;
  return { kind: "refused", reason };
}

/** Status where the edit lets a task go on or stops it; a working task's is its agent's. */
function statusAfter(
  { history, ports }: TaskSession,
  { phase: from }: StateView,
  { phase: to, fields }: StateView,
  { task: { questions } }: EditInput,
  reopened: boolean,
): { readonly status?: string } {
  if (reopened) return { status: goingOn };
  if (from === to || isWorkingPhase(to)) return {};
  return { status: statusAfterEdit(to, { history, blockers: fields.blockers, questions, redactor: ports.redactor }) };
}

export async function gateInput(
  session: TaskSession,
  before: StateView,
  edited: StateView,
  input: EditInput,
): Promise<GateInput> {
  const { place, history } = session;
  const state = withFeatures(edited, readIfGood(taskFiles.evidence, place.taskDir));
  const { task } = input;
  const moved = before.phase !== state.phase;
  const taken = moved ? await takeFingerprint(input.repo, fingerprintExcludes(place, input.repo)) : null;
  const fingerprint = taken?.hash ?? "";
  const madeByPass = madeByPasses(session.journal.events, []);
  return {
    ...noFacts,
    before,
    state,
    // The results under an earlier contract are void, whether the edit of the brief is journalled yet or not.
    checks: history.contractSha256 === task.sha256 ? history.checks : null,
    fingerprint: { before: fingerprint, after: fingerprint, present: fingerprint },
    reviewed_fingerprint: history.reviewedFingerprint,
    evidence: findProof(place.taskDir, state.fields.evidence_location),
    feature_proofs: proveFeatures({ place, repo: input.repo, madeByPass }, state.features),
    steps: { before: task.steps, after: task.steps },
    open_questions: openIds(task.questions),
    // A person is held to what the reviewers said as a pass is.
    reviews: moved ? standingsIn(session, task.policy, before.phase, { fingerprint, state }) : [],
    matrix: history.matrix,
    watched: taken === null ? null : watchedFor(session, input, taken),
    policy: task.policy,
  };
}

function watchedFor(session: TaskSession, { repo, task: { contract } }: EditInput, fingerprint: Fingerprint) {
  const record = loadWatch(session);
  return record === null
    ? null
    : listWatchedChanges(session, record, { repo, contract, fingerprint }, { checks: session.history.checks });
}

function refuse(session: TaskSession, edited: StateDocument, from: Phase, to: Phase, reason: string): Stop {
  return putBack(session, Buffer.from(stateText(edited)), { from, to, reason, isReplaced: false });
}

/** Why a person's STATE.md cannot be taken over as it is; null if it holds nothing that looks like a secret. */
export function secretIn(session: TaskSession, document: StateDocument): string | null {
  const hit = session.ports.redactor.findSecrets(stateText(document))[0];
  return hit === undefined ? null : `STATE.md contains what looks like a secret (${hit.shape}) in line ${hit.line}`;
}
