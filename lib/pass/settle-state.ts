import { join } from "node:path";
import type { Policy } from "../machine/facts.ts";
import type { GateInput } from "../machine/gate.ts";
import { judgePersonEdit } from "../machine/person-edit.ts";
import type { Phase } from "../machine/phases.ts";
import { isUnblocked, type StateView } from "../machine/state-view.ts";
import { dataError, TaskPhaseError } from "../report/errors.ts";
import { infoFinding } from "../report/finding.ts";
import { takeFingerprint } from "../store/fingerprint.ts";
import { makeFolder, putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { editState, readState, type StateDocument } from "../task-folder/state.ts";
import { phaseDiagram } from "../templates/phase-diagram.ts";
import {
  fingerprintExcludes,
  lookAtEvidence,
  lookAtQuestions,
  lookAtSteps,
  proveFeatures,
  unreadableFile,
} from "./look.ts";
import { accept, type Stop, stop, type TaskSession } from "./session.ts";
import { overriddenLabels } from "./state-after.ts";
import { stateText } from "./state-text.ts";

export interface SettleInput {
  readonly contractSha256: string;
  readonly repo: string;
  readonly policy: Policy;
}

export type Settled = Stop | { readonly kind: "settled"; readonly document: StateDocument };

/**
 * Where the task stands before a pass. Bytes that differ from the last accepted ones are a person's edit, and are
 * judged; a task without a journal is adopted at intake; an answered question sends the task back to who asked.
 */
export async function settleState(session: TaskSession, input: SettleInput): Promise<Settled> {
  const { place, history } = session;
  const bytes = readStateBytes(place.state);
  const document = parseState(bytes, place.state);
  if (history.state === null) return adopt(session, document, input);
  const accepted = parseAccepted(history.state, place.journal);
  const settled =
    stateText(document) === history.state
      ? ({ kind: "settled", document: accepted } as const)
      : await judgeEdit(session, accepted, document, input);
  if (settled.kind === "stopped") return settled;
  const current =
    history.contractSha256 === input.contractSha256
      ? settled.document
      : noteBriefChange(session, settled.document, input);
  return followAnswer(session, current);
}

export function readStateBytes(path: string): Buffer {
  const read = readRegularFile(path, 1024 * 1024);
  if (read.kind !== "file") throw unreadableFile(path, read);
  return read.bytes;
}

/** The last accepted STATE.md as the journal holds it; where that cannot be read, it is the journal that is wrong. */
export function parseAccepted(state: string, journal: string): StateDocument {
  const read = readState(Buffer.from(state), "STATE.md");
  if (read.kind === "state") return read.document;
  throw dataError("TP_JOURNAL", `the STATE.md that the journal accepted cannot be read: ${read.findings[0]?.message}`, {
    file: journal,
    fix: "put back the journal as it was, as from git",
  });
}

export function parseState(bytes: Buffer, path: string): StateDocument {
  const read = readState(bytes, path);
  if (read.kind === "unreadable") throw new TaskPhaseError("data", read.findings);
  return read.document;
}

function adopt(session: TaskSession, document: StateDocument, input: SettleInput): Settled {
  const { place, ports } = session;
  const phase = document.view.phase;
  if (phase !== "intake") {
    throw dataError("TP_NO_JOURNAL", `STATE.md says ${phase}, and no journal says that it was ever accepted`, {
      file: place.state,
      fix: `set Phase to intake, or start a journal with: task-phase resume --task-dir ${place.taskDir} --to ${phase === "done" || phase === "blocked" || phase === "needs_user_decision" ? "intake" : phase} --reason "..."`,
    });
  }
  const secret = secretIn(session, document);
  if (secret !== null)
    throw dataError("TP_SECRET", secret, { file: place.state, fix: "take it out; name where it is kept instead" });
  accept(session, {
    event: {
      type: "adopted",
      at: ports.now().toISOString(),
      phase,
      state: stateText(document),
      contract_sha256: input.contractSha256,
    },
    state: null,
  });
  return { kind: "settled", document };
}

/** What the earlier contract's validators said is void, and STATE.md says so. */
function noteBriefChange(session: TaskSession, document: StateDocument, input: SettleInput): StateDocument {
  const pending = { validator_status: "pending", revalidation_status: "pending" };
  const edited = editState(document, pending);
  const state = stateText(edited.document);
  const changed = state !== stateText(document);
  accept(session, {
    event: {
      type: "brief_changed",
      at: session.ports.now().toISOString(),
      was: session.history.contractSha256 ?? "",
      contract_sha256: input.contractSha256,
      state,
    },
    state: changed ? state : null,
  });
  session.findings.push(
    infoFinding("TP_BRIEF_CHANGED", "the brief was edited since the last pass; earlier validator results are void", {
      file: session.place.readme,
    }),
  );
  return edited.document;
}

async function judgeEdit(
  session: TaskSession,
  accepted: StateDocument,
  edited: StateDocument,
  input: SettleInput,
): Promise<Settled> {
  const from = accepted.view.phase;
  const to = edited.view.phase;
  const secret = secretIn(session, edited);
  if (secret !== null) return refuse(session, edited, from, to, secret);
  const judgement = judgePersonEdit(await gateInput(session, accepted.view, edited.view, input));
  if (judgement.kind === "refused") return refuse(session, edited, from, to, judgement.reason);
  const cleared =
    from === "intake" && session.history.runnerBlockers !== null && isUnblocked(edited.view.fields.blockers);
  const reopened = judgement.reopened || cleared;
  const own = session.history.runnerBlockers !== null && edited.view.fields.blockers === session.history.runnerBlockers;
  const { bytes, document, overridden } = withRunnerFields(accepted, edited, {
    ...judgement.runner_fields,
    ...(reopened && own ? { blockers: "none" } : {}),
    last_updated: session.ports.now().toISOString(),
  });
  accept(session, {
    event: {
      type: "state_edited",
      at: session.ports.now().toISOString(),
      from,
      to,
      reopened,
      tickets: judgement.tickets,
      overridden,
      features: document.view.features.map((row) => row.feature),
      state: bytes.toString("utf8"),
    },
    state: bytes.toString("utf8"),
  });
  const what = from === to ? "STATE.md was edited by hand" : `STATE.md was set from ${from} to ${to} by hand`;
  session.findings.push(infoFinding("TP_STATE_EDITED", `${what}; accepted`, { file: session.place.state }));
  return { kind: "settled", document };
}

function withRunnerFields(accepted: StateDocument, edited: StateDocument, values: Parameters<typeof editState>[1]) {
  const own = { evidence_link: accepted.view.fields.evidence_link, ...values };
  return {
    ...editState(edited, own, { diagram: phaseDiagram(edited.view.phase) }),
    overridden: overriddenLabels(accepted, edited),
  };
}

export async function gateInput(
  session: TaskSession,
  before: StateView,
  state: StateView,
  input: SettleInput,
): Promise<GateInput> {
  const { place, history } = session;
  const moved = before.phase !== state.phase;
  return {
    before,
    state,
    // What the checks of an earlier contract said is void, whether the edit of the brief is journalled yet or not.
    checks: history.contractSha256 === input.contractSha256 ? history.checks : null,
    fingerprint: moved ? (await takeFingerprint(input.repo, fingerprintExcludes(place))).hash : "",
    reviewed_fingerprint: history.reviewedFingerprint,
    evidence: lookAtEvidence(place, state),
    feature_proofs: proveFeatures(place, input.repo, state.features),
    known_features: [],
    steps: lookAtSteps(place),
    open_questions: lookAtQuestions(place)
      .filter((question) => question.open)
      .map((question) => question.id),
    promise_seen: false,
    policy: input.policy,
  };
}

/** The edited bytes are kept beside the passes, and the accepted ones stand again. */
function refuse(session: TaskSession, edited: StateDocument, from: Phase, to: Phase, reason: string): Stop {
  const { place, ports, history } = session;
  const kept = join("artifacts", "passes", "refused", `${String(session.journal.seq + 1).padStart(4, "0")}-STATE.md`);
  if (session.anchor !== null) {
    makeFolder(join(place.passes, "refused"));
    putFile(join(place.taskDir, kept), ports.redactor.redact(stateText(edited)));
  }
  const at = ports.now().toISOString();
  accept(session, { event: { type: "edit_refused", at, from, to, reason, kept }, state: history.state });
  return stop("rejected", `the hand edit of STATE.md is refused: ${reason}. The edited file is kept at ${kept}`, from);
}

/** All questions answered: the task goes on in the phase that asked. */
function followAnswer(session: TaskSession, document: StateDocument): Settled {
  const { place, history, ports } = session;
  if (document.view.phase !== "needs_user_decision" || history.askedFrom === null) return { kind: "settled", document };
  const questions = lookAtQuestions(place);
  if (questions.length === 0 || questions.some((question) => question.open)) return { kind: "settled", document };
  const to = history.askedFrom;
  const own = history.runnerBlockers !== null && document.view.fields.blockers === history.runnerBlockers;
  const edited = editState(
    document,
    { phase: to, last_updated: ports.now().toISOString(), ...(own ? { blockers: "none" } : {}) },
    { diagram: phaseDiagram(to) },
  );
  const state = edited.bytes.toString("utf8");
  accept(session, {
    event: {
      type: "answered",
      at: ports.now().toISOString(),
      from: "needs_user_decision",
      to,
      questions: questions.map((question) => question.id),
      state,
    },
    state,
  });
  session.findings.push(
    infoFinding("TP_ANSWERED", `every question is answered; the task goes on in ${to}`, { file: place.decisions }),
  );
  return { kind: "settled", document: edited.document };
}

function secretIn(session: TaskSession, document: StateDocument): string | null {
  const hit = session.ports.redactor.findSecrets(stateText(document))[0];
  return hit === undefined ? null : `STATE.md holds what looks like a secret (${hit.shape}) in line ${hit.line}`;
}
