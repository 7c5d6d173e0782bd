import type { ModelOutcome } from "../agents/run/run-model.ts";
import type { Handed } from "../checks/handover.ts";
import { readCode } from "../checks/read-code.ts";
import { withFeatures } from "../documents/evidence-file.ts";
import { readIfGood, readTaskFile, taskFiles } from "../documents/read-task-file.ts";
import { type StateDocument, stateText } from "../documents/state.ts";
import { diffFingerprints, type Fingerprint } from "../git/fingerprint-entries.ts";
import { type ArtifactRow, listArtifacts } from "../pages/files/list-artifacts.ts";
import { findProof } from "../pages/files/proof.ts";
import { callsForChecks } from "../rules/decide.ts";
import type { Before, Facts, Proposal, Tamper } from "../rules/facts.ts";
import { promiseGate } from "../rules/gates-checks.ts";
import { phases } from "../rules/phases.ts";
import { promiseProblem } from "../rules/promise.ts";
import { judgeAsked } from "../rules/question-wait.ts";
import type { StateView } from "../rules/state-view.ts";
import type { VerdictEvent } from "../rules/verdict-event.ts";
import { endingOrphans } from "../task/guard/end-orphans.ts";
import { compareAndRestore } from "../task/guard/guard.ts";
import { putAside, putBackState } from "../task/guard/state-file.ts";
import { TaskPhaseError } from "../text/errors.ts";
import { warningFinding } from "../text/finding.ts";
import { redactDeep } from "../text/redact.ts";
import { answeredProposal } from "./advance-frame.ts";
import { countLines } from "./checkpoint/git-capture.ts";
import { findOpenBrief } from "./people/open-brief.ts";
import { callsModel, type PreparedPass } from "./prepared-pass.ts";
import { gainedFiles, gainedRows, listAgentFiles, listRunnerDigests } from "./proof-files.ts";
import { proposeMove, readProposal } from "./read-proposal.ts";
import { addChecks, movedSinceReview, reportHeadMoves, reviewsOn, watchedOn } from "./validate-checks.ts";
import { madeByPasses, proveFeatures, proveSteps } from "./verdict/prove-features.ts";

/** The facts that a pass left behind, and the bytes that they are about. */
export interface ValidatedPass {
  readonly before: Before;
  readonly proposal: Proposal;
  readonly facts: Facts;
  /** Null if STATE.md could not be read as such. */
  readonly document: StateDocument | null;
  readonly fingerprint: Fingerprint;
  /** What the proof is about; null if none was due. */
  readonly handed: Handed | null;
  readonly changedPaths: VerdictEvent["changed_paths"];
}

/**
 * VALIDATE: the model's processes are ended already. Compares what must not change; reads the proposal, and puts the
 * accepted STATE.md back; runs validators and scenarios if the proposal calls for them; compares once more at its end,
 * and takes the fingerprint once more if checks ran. After it no fact changes.
 */
export async function validate(prepared: PreparedPass, outcome: ModelOutcome): Promise<ValidatedPass> {
  const { session, guard, repo, contract } = prepared;
  const { place, ports } = session;
  const compared = compareAndRestore(guard, "model");
  const tampering: Tamper[] = [...prepared.ahead.tampering, ...compared.tampering];
  const evidence = readIfGood(taskFiles.evidence, place.taskDir);
  const proposed = callsModel(prepared) ? readProposal(session, evidence) : null;
  putAside(guard, session, proposed?.bytes ?? null);
  const { fingerprint, problem } = await readCode(repo, place, "model");
  const answered = proposed === null ? answeredProposal(session, fingerprint.hash) : null;
  const read = proposed ?? proposeMove(answered, prepared.document, evidence);
  const before: Before = { state: withFeatures(prepared.document.view, contract.evidence) };
  const view = withFeatures((read.document ?? prepared.document).view, evidence);
  const rows = listArtifacts(place.taskDir, "agent");
  const look = readAfter(prepared, view, fingerprint, rows);
  const changed = diffFingerprints(prepared.before.fingerprint, fingerprint);
  const visible = changed.map(({ path }) => path);
  const persons = await reportHeadMoves(prepared, visible);
  const facts: Facts = {
    pass: prepared.pass,
    end: outcome.end,
    tampering: [...tampering, ...(problem === null ? [] : [problem]), ...look.problems],
    put_back: compared.putBack,
    secrets: read.secrets,
    fingerprint: { before: prepared.before.fingerprint.hash, after: fingerprint.hash, present: null },
    code_counts: phases[prepared.document.view.phase].changesCode,
    reviewed_fingerprint: session.history.reviewedFingerprint,
    moved_since_review: movedSinceReview(prepared, fingerprint),
    moved_by_person: changed.length > 0 && changed.every(({ path }) => persons.has(path)),
    checks: null,
    evidence: look.evidence,
    feature_proofs: look.featureProofs,
    artifacts_changed: gainedFiles(prepared.before.artifacts, listAgentFiles(place, rows), () =>
      listRunnerDigests(place),
    ),
    evidence_rows_added: gainedRows(contract.evidence.agentRows, evidence.agentRows),
    task_files_changed: compared.allowed,
    known_features: session.history.knownFeatures,
    steps: { before: contract.steps, after: look.steps },
    step_proofs: look.stepProofs,
    open_questions: look.open.map(({ id }) => id),
    ...judgeAsked(look.open, compared.putBack),
    brief_unanswered: findOpenBrief(session, stateText(read.document ?? prepared.document))?.mark ?? null,
    reviews: reviewsOn(prepared, fingerprint, read.proposal),
    watched: watchedOn(prepared, fingerprint),
    matrix: null,
    approvals: session.history.approvals,
    manual_answers: session.history.manualAnswers.filter(({ name }) =>
      contract.policy.manual.some((scenario) => scenario.name === name),
    ),
    change: await sizeOf(prepared, fingerprint),
    ...(answered === null
      ? promiseOn(outcome.finalText, contract.policy.completion_promise)
      : {
          promise_seen: session.history.lastVerdict?.gates.some(({ gate, ok }) => gate === promiseGate && ok) === true,
          promise_problem: null,
        }),
    history: session.history.counts,
  };
  const clean = { before, ...redactDeep({ proposal: read.proposal, facts }, ports.redactor) };
  const problems = clean.facts.question_problems.map((problem) => warningFinding("TP_QUESTION", problem));
  session.findings.push(...problems);
  const checked = callsForChecks(clean.before, clean.proposal, clean.facts)
    ? await endingOrphans(guard.anchor.folder, guard.current.mark, ports.env, () =>
        addChecks(prepared, clean, fingerprint),
      )
    : { facts: clean.facts, fingerprint, handed: null };
  return {
    ...clean,
    facts: await addLastLook(prepared, checked.facts),
    fingerprint: checked.fingerprint,
    handed: checked.handed,
    document: read.document,
    changedPaths: diffFingerprints(prepared.before.fingerprint, checked.fingerprint).map(({ path, change }) => {
      const person = persons.get(path);
      return { path, change, ...(person === undefined ? {} : { person }) };
    }),
  };
}

/** The facts with the last compare of what must not change, and the fingerprint that the verdict is about. */
async function addLastLook(prepared: PreparedPass, facts: Facts): Promise<Facts> {
  const { session, guard, repo, watch } = prepared;
  watch.finish();
  const compared = compareAndRestore(guard, "validators");
  putBackState(guard, session);
  // Nothing is read after a review, so nothing rests on stats then: a shared mapping can change a file without them.
  const how = prepared.document.view.phase === "review" ? "contents" : "stats";
  const look = facts.checks === null ? null : await readCode(repo, session.place, "validators", how);
  const problems = look === null || look.problem === null ? [] : [look.problem];
  return {
    ...facts,
    tampering: [...facts.tampering, ...compared.tampering, ...problems],
    put_back: [...facts.put_back, ...compared.putBack],
    fingerprint: { ...facts.fingerprint, present: look?.fingerprint.hash ?? null },
  };
}

/** Unreadable files that the pass left count as tampering: they carry the task's contract. */
function readAfter(prepared: PreparedPass, view: StateView, fingerprint: Fingerprint, rows: readonly ArtifactRow[]) {
  const { place, journal } = prepared.session;
  const madeByPass = madeByPasses(journal.events, diffFingerprints(prepared.before.fingerprint, fingerprint));
  const problems: Tamper[] = [];
  const guarded = <Value>(path: string, look: () => Value, otherwise: Value): Value => {
    try {
      return look();
    } catch (error) {
      // Any other error, such as one of the disk, is not the model's fault.
      if (!(error instanceof TaskPhaseError) || error.exitName !== "data") throw error;
      const change = { path, change: "changed", guard: "task_file", by: "model" } as const;
      problems.push({ ...change, detail: error.message, restored: false });
      return otherwise;
    }
  };
  const steps = guarded("TASKS.md", () => readTaskFile(taskFiles.steps, place.taskDir), {
    ...taskFiles.steps.ifMissing,
    items: prepared.contract.steps,
  });
  return {
    problems,
    evidence: findProof(place.taskDir, view.fields.evidence_location, rows),
    featureProofs: proveFeatures({ place, repo: prepared.repo, madeByPass }, view.features),
    steps: steps.items,
    stepProofs: proveSteps(place, steps.proofs),
    open: guarded("DECISIONS.md", () => readTaskFile(taskFiles.decisions, place.taskDir).questions, []).filter(
      (question) => question.open,
    ),
  };
}

/** How much the model changed, in a phase that bounds it. */
async function sizeOf({ before, document, git, session }: PreparedPass, now: Fingerprint): Promise<Facts["change"]> {
  const { phase } = document.view;
  const paths = diffFingerprints(before.fingerprint, now).map(({ path }) => path);
  if (paths.length === 0 || (phase !== "verify" && phase !== "repair")) return null;
  return { files: paths.length, lines: await countLines(git, paths, session.ports) };
}

/** Whether the model gave the promise of the contract, and why not. */
function promiseOn(finalText: string, promise: string | null): Pick<Facts, "promise_seen" | "promise_problem"> {
  if (promise === null) return { promise_seen: false, promise_problem: null };
  const problem = promiseProblem(finalText, promise);
  return { promise_seen: problem === null, promise_problem: problem };
}
