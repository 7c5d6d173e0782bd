import { join } from "node:path";
import { diffFingerprints, type Fingerprint } from "../git/fingerprint.ts";
import { checksHold } from "../machine/check-run.ts";
import { callsForChecks } from "../machine/decide.ts";
import type { Before, CheckRun, Facts, Proposal, Tamper } from "../machine/facts.ts";
import { promiseProblem } from "../machine/promise.ts";
import { countsInDoubt } from "../machine/test-counts.ts";
import type { ModelOutcome } from "../models/run-model.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { editState, readState, type StateDocument, writePlain } from "../task-folder/state.ts";
import { type ChecksOutcome, runContractChecks } from "./contract-checks.ts";
import { changedSince } from "./git-pending.ts";
import { compareAndRestore } from "./guard.ts";
import { interruptedBy } from "./interrupted-by.ts";
import { judgeInCopies } from "./judge-in-copies.ts";
import { lookAtEvidence, lookAtQuestions, lookAtSteps } from "./look.ts";
import { lookAtCode } from "./look-at-code.ts";
import { type FoundChange, lookAtMarks } from "./look-at-marks.ts";
import type { PreparedPass } from "./prepared-pass.ts";
import { gainedFiles, gainedRows, listAgentFiles, listRunnerDigests, readEvidenceRows } from "./proof-files.ts";
import { pathsOfPasses, proveFeatures } from "./prove-features.ts";
import { redactDeep } from "./redact-deep.ts";
import { standingsIn } from "./review-standings.ts";
import { readReviewed } from "./reviewed.ts";
import { passName } from "./task-place.ts";
import { lookAtWatch, type WatchedBeside } from "./watch-repo.ts";

/** What a pass left behind, as facts, and the bytes that the facts are about. */
export interface ValidatedPass {
  readonly before: Before;
  readonly proposal: Proposal;
  readonly facts: Facts;
  /** Null where STATE.md could not be read as such. */
  readonly document: StateDocument | null;
  /** STATE.md as the agent left it; null where it left none. */
  readonly proposedBytes: Buffer | null;
  readonly fingerprint: Fingerprint;
  readonly changedPaths: readonly { readonly path: string; readonly change: string }[];
}

/**
 * VALIDATE: the model's processes are ended already. Compares what must not change; reads the proposal; runs
 * validators and scenarios where the proposal calls for them, and compares again.
 */
export async function validate(prepared: PreparedPass, outcome: ModelOutcome): Promise<ValidatedPass> {
  const { session, guarded, repo } = prepared;
  const { place, ports } = session;
  if (guarded === null) throw new Error("a dry run has nothing to validate");
  const compared = compareAndRestore(guarded.guard, "model");
  const tampering: Tamper[] = [...prepared.baselineTampering, ...compared.tampering];
  const read = readProposal(prepared);
  const { fingerprint, problem } = await lookAtCode(repo, place, "model");
  const before: Before = { state: prepared.document.view };
  const look = lookAfter(prepared, read.document, fingerprint);
  const facts: Facts = {
    pass: prepared.pass,
    end: outcome.end,
    tampering: [...tampering, ...(problem === null ? [] : [problem]), ...look.problems],
    ...putBackIn(compared.putBack),
    secrets: read.secrets,
    fingerprint: { before: prepared.before.fingerprint.hash, after: fingerprint.hash, present: null },
    reviewed_fingerprint: session.history.reviewedFingerprint,
    moved_since_review: movedSinceReview(prepared, fingerprint),
    checks: null,
    evidence: look.evidence,
    feature_proofs: look.featureProofs,
    artifacts_changed: gainedFiles(prepared.before.artifacts, listAgentFiles(place), () => listRunnerDigests(place)),
    evidence_rows_added: gainedRows(prepared.before.evidenceRows, readEvidenceRows(place)),
    task_files_changed: compared.allowed,
    known_features: session.history.knownFeatures,
    steps: { before: prepared.before.steps, after: look.steps },
    open_questions: look.openQuestions,
    ...reviewsOn(prepared, fingerprint),
    ...watchedOn(prepared, fingerprint),
    ...promiseOn(outcome.finalText, prepared.policy.completion_promise),
    history: session.history.counts,
  };
  const clean = {
    before,
    proposal: redactDeep(read.proposal, ports.redactor),
    facts: redactDeep(facts, ports.redactor),
  };
  const checked = callsForChecks(clean.before, clean.proposal, clean.facts)
    ? await addChecks(prepared, clean.facts, fingerprint, read.bytes)
    : { facts: clean.facts, fingerprint };
  return {
    ...clean,
    ...checked,
    document: read.document,
    proposedBytes: read.bytes,
    changedPaths: diffFingerprints(prepared.before.fingerprint, checked.fingerprint),
  };
}

interface ReadProposal {
  readonly proposal: Proposal;
  readonly document: StateDocument | null;
  readonly bytes: Buffer | null;
  readonly secrets: readonly string[];
}

function readProposal(prepared: PreparedPass): ReadProposal {
  const { place, ports } = prepared.session;
  const read = readRegularFile(place.state, 1024 * 1024);
  if (read.kind !== "file") {
    const problem = `STATE.md is not a readable regular file (${read.kind.replace("_", " ")})`;
    return { proposal: { kind: "unreadable", problems: [problem] }, document: null, bytes: null, secrets: [] };
  }
  const secrets = [...new Set(ports.redactor.findSecrets(read.bytes.toString("utf8")).map((hit) => hit.shape))];
  const state = readState(read.bytes, "STATE.md");
  if (state.kind === "unreadable") {
    const problems = state.findings.map(
      ({ line, column, message, fix }) =>
        `STATE.md:${line ?? "?"}:${column ?? "?"}: ${message}${fix === null ? "" : ` (${fix})`}`,
    );
    return { proposal: { kind: "unreadable", problems }, document: null, bytes: read.bytes, secrets };
  }
  const problem = refusesEdits(state.document);
  if (problem !== null)
    return { proposal: { kind: "unreadable", problems: [problem] }, document: null, bytes: read.bytes, secrets };
  return {
    proposal: { kind: "read", state: state.document.view },
    document: state.document,
    bytes: read.bytes,
    secrets,
  };
}

/** A form that the runner cannot write its own values into is no STATE.md, however it reads. */
function refusesEdits(document: StateDocument): string | null {
  const trial = {
    phase: "blocked",
    blockers: "trial",
    evidence_link: "[trial](trial)",
    validator_status: "fail",
    repair_applied: "yes",
    revalidation_status: "fail",
    last_updated: "1970-01-01T00:00:00.000Z",
  };
  try {
    editState(writePlain(document), trial);
    return null;
  } catch (error) {
    if (error instanceof TaskPhaseError)
      return `STATE.md cannot be edited: ${error.message}; write each field as a plain line \`- Label: value\``;
    throw error;
  }
}

/** Files that the pass left in a form that nobody can read count as tampering: they carry the task's contract. */
function lookAfter(prepared: PreparedPass, document: StateDocument | null, fingerprint: Fingerprint) {
  const { place, journal } = prepared.session;
  const madeByPass = pathsOfPasses(journal.events, diffFingerprints(prepared.before.fingerprint, fingerprint));
  const view = (document ?? prepared.document).view;
  const problems: Tamper[] = [];
  const guarded = <Value>(path: string, look: () => Value, otherwise: Value): Value => {
    try {
      return look();
    } catch (error) {
      problems.push({
        path,
        change: "changed",
        guard: "task_file",
        by: "model",
        detail: (error as Error).message,
        restored: false,
      });
      return otherwise;
    }
  };
  return {
    problems,
    evidence: lookAtEvidence(place, view),
    featureProofs: proveFeatures({ place, repo: prepared.repo, madeByPass }, view.features),
    steps: guarded("TASKS.md", () => lookAtSteps(place), prepared.before.steps),
    openQuestions: guarded("DECISIONS.md", () => lookAtQuestions(place), [])
      .filter((question) => question.open)
      .map((question) => question.id),
  };
}

async function addChecks(prepared: PreparedPass, facts: Facts, fingerprint: Fingerprint, proposed: Buffer | null) {
  const { session, guarded, contract, repo, pass } = prepared;
  const { ports, history } = session;
  if (guarded === null) throw new Error("a dry run runs no checks");
  ports.tell("VALIDATE", "running validators and scenarios");
  const outcome = await runContractChecks(
    {
      contract: contract.contract,
      repo,
      place: session.place,
      logFolder: guarded.anchor.spool,
      logRelative: join("artifacts", "passes", passName(pass)),
      baseline: history.baseline,
      mark: guarded.current.mark,
      ports,
    },
    fingerprint,
  );
  const square = outcome.kind === "aborted" ? null : await squareOn(prepared, facts, outcome);
  const compared = compareAndRestore(guarded.guard, "validators");
  const tampering = [...facts.tampering, ...compared.tampering, ...proposalMoved(prepared, proposed)];
  if (outcome.kind === "aborted" || square === null) {
    const end = interruptedBy(ports.signal, `stopped by ${String(ports.signal.reason)} while the checks ran`);
    return { facts: { ...facts, tampering, end }, fingerprint };
  }
  const checks = redactDeep(outcome.run, ports.redactor);
  const marks = await newMarks(prepared, outcome.after, checks);
  return {
    facts: {
      ...facts,
      tampering,
      ...putBackIn([...(facts.put_back ?? []), ...compared.putBack]),
      checks,
      ...redactDeep(square, ports.redactor),
      moved_since_review: movedSinceReview(prepared, outcome.after),
      ...reviewsOn(prepared, outcome.after),
      ...redactDeep(
        watchedOn(prepared, outcome.after, { alsoChanged: square.square?.changed_checks, checks, marks }),
        ports.redactor,
      ),
    },
    fingerprint: outcome.after,
  };
}

/**
 * The proof square about what the checks have just passed on; no key if they did not pass, and that of the accepted
 * verify → review in review, as long as the code is the same. Null where a signal cut it short.
 */
async function squareOn(
  prepared: PreparedPass,
  facts: Facts,
  { run, after }: Extract<ChecksOutcome, { kind: "ran" }>,
): Promise<Pick<Facts, "square"> | null> {
  const { session, guarded, contract, repo, pass } = prepared;
  if (guarded === null || !checksHold(run) || facts.tampering.length > 0) return {};
  const reviewed = prepared.document.view.phase === "review" ? session.history.square : null;
  if (reviewed !== null && reviewed.fingerprint === after.hash) return { square: reviewed };
  const { anchor, current } = guarded;
  const logRelative = join("artifacts", "passes", passName(pass));
  const square = await judgeInCopies(
    { session, anchor, current, contract, repo, fingerprint: after, logRelative },
    prepared.watched,
  );
  return square === null ? null : { square };
}

/** A check that rewrites the proposal is tampering; the proposal stands again for the record. */
function proposalMoved(prepared: PreparedPass, proposed: Buffer | null): Tamper[] {
  const { state } = prepared.session.place;
  const read = readRegularFile(state, 1024 * 1024);
  if (proposed === null || (read.kind === "file" && read.bytes.equals(proposed))) return [];
  putFile(state, proposed);
  return [{ path: "STATE.md", change: "changed", guard: "task_file", by: "validators", detail: null, restored: true }];
}

function movedSinceReview(prepared: PreparedPass, now: Fingerprint): string[] {
  const { history, anchor } = prepared.session;
  const reviewed = anchor === null ? null : readReviewed(anchor);
  if (reviewed === null || reviewed.hash !== history.reviewedFingerprint || reviewed.hash === now.hash) return [];
  return diffFingerprints(reviewed, now).map((change) => change.path);
}

/** What the reviewers said of the code as it stands; no key at all where none is due. */
function reviewsOn(prepared: PreparedPass, { hash }: Fingerprint): Pick<Facts, "reviews"> {
  const { session, policy, document } = prepared;
  const reviews = redactDeep(standingsIn(session, policy, document.view.phase, hash), session.ports.redactor);
  return reviews.length === 0 ? {} : { reviews };
}

/** What differs of tests and of what the checks run; no key at all where nothing is watched. */
function watchedOn(prepared: PreparedPass, fingerprint: Fingerprint, beside: WatchedBeside = {}) {
  const { session, watched, repo, contract } = prepared;
  if (watched === null) return {};
  return { watched: lookAtWatch(session, watched, { repo, contract: contract.contract, fingerprint }, beside) };
}

/** The lines of the work that are new since pass 1 and bear on how its tests end. */
async function newMarks(prepared: PreparedPass, now: Fingerprint, checks: CheckRun): Promise<FoundChange[]> {
  const { session, repo, before } = prepared;
  const { place, journal, history, ports } = session;
  const changed = diffFingerprints(before.fingerprint, now).map(({ path }) => path);
  return lookAtMarks({
    repo,
    since: changedSince(place, journal.events, changed),
    inDoubt: countsInDoubt(history.testCounts, checks.results),
    env: ports.env,
  });
}

/** No key at all where nothing was put back. */
function putBackIn(putBack: readonly Tamper[]): Pick<Facts, "put_back"> {
  return putBack.length === 0 ? {} : { put_back: putBack };
}

/** Whether the model gave the promise of the contract, and why not. */
function promiseOn(finalText: string, promise: string | null): Pick<Facts, "promise_seen" | "promise_problem"> {
  if (promise === null) return { promise_seen: false };
  const problem = promiseProblem(finalText, promise);
  return { promise_seen: problem === null, promise_problem: problem };
}
