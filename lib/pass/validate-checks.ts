import { besideFinding, type ChecksOutcome, digestContract, runContractChecks } from "../checks/contract-checks.ts";
import { findTestPackages } from "../checks/dependencies.ts";
import { findMarks } from "../checks/find-marks.ts";
import type { Handed } from "../checks/handover.ts";
import { judgeInCopies, type ProofInCopies } from "../checks/judge-in-copies.ts";
import type { FoundChange } from "../checks/watch/record.ts";
import { listWatchedChanges, readCheckSide, type WatchedBeside } from "../checks/watch-repo.ts";
import { passPath } from "../documents/pass-pack.ts";
import { somePaths } from "../git/choose-paths.ts";
import { diffFingerprints, type Fingerprint } from "../git/fingerprint-entries.ts";
import { attributeTests, type CheckRun, checksHold } from "../rules/check-run.ts";
import type { Facts, Proposal } from "../rules/facts.ts";
import { renderTaken, takeFresh } from "../rules/fresh.ts";
import type { MatrixFacts } from "../rules/matrix.ts";
import { countsInDoubt, heldOutInDoubt } from "../rules/test-counts.ts";
import { plural } from "../rules/wording.ts";
import { compareAndRestore } from "../task/guard/guard.ts";
import { putBackState } from "../task/guard/state-file.ts";
import { readReviewed } from "../task/records/anchor.ts";
import { interruptedBy } from "../task/records/ports.ts";
import { infoFinding, warningFinding } from "../text/finding.ts";
import { redactDeep } from "../text/redact.ts";
import { nameSome } from "../text/shorten.ts";
import { changedSince } from "./checkpoint/git-pending.ts";
import { findChangedSettings, findHeadMoves, nameHead } from "./checkpoint/head-moves.ts";
import type { PreparedPass } from "./prepared-pass.ts";
import { standingsIn } from "./review/review-standings.ts";

/**
 * Runs validators and scenarios, then the runs of the proof, and compares again what must not change. Gives the
 * facts with what came of it, and the code that they are about.
 */
export async function addChecks(
  prepared: PreparedPass,
  { facts, proposal }: { readonly facts: Facts; readonly proposal: Proposal },
  fingerprint: Fingerprint,
): Promise<{ readonly facts: Facts; readonly fingerprint: Fingerprint; readonly handed: Handed | null }> {
  const { session, guard, contract, repo, pass } = prepared;
  const { ports, history } = session;
  const taken = takeChecks(prepared, fingerprint);
  const names = nameChecks(contract.contract);
  if (names !== "" && taken === null) ports.tell("VALIDATE", `running the checks: ${names}`);
  const outcome: ChecksOutcome =
    taken ??
    (await runContractChecks(
      {
        ...{ contract: contract.contract, repo, place: session.place, history, pass, mark: guard.current.mark, ports },
        ...{ logFolder: guard.anchor.staging, logRelative: passPath(pass) },
      },
      fingerprint,
    ));
  const matrix = outcome.kind === "aborted" ? null : await matrixOn(prepared, facts, outcome);
  const beside = (matrix?.matrix?.steadiness ?? []).filter(({ kind }) => kind === "beside");
  if (beside.length > 0 && !history.inTurn) session.findings.push(besideFinding(beside.map(({ name }) => name)));
  const compared = compareAndRestore(guard, "validators", "own");
  putBackState(guard, session);
  const tampering = [...facts.tampering, ...compared.tampering];
  if (outcome.kind === "aborted" || matrix === null) {
    const end = interruptedBy(ports.signal, `stopped by ${String(ports.signal.reason)} while the checks ran`);
    return { facts: { ...facts, tampering, end }, fingerprint, handed: null };
  }
  const results = attributeTests(outcome.run.results, history.beforeResults);
  const checks = redactDeep({ ...outcome.run, results }, ports.redactor);
  const marks = [
    ...(await newMarks(prepared, outcome.after, checks, matrix.matrix)),
    ...findTestPackages({ session, anchor: guard.anchor, repo, fingerprint: outcome.after }),
  ];
  return {
    facts: {
      ...facts,
      tampering,
      put_back: [...facts.put_back, ...compared.putBack],
      checks,
      matrix: redactDeep(matrix.matrix, ports.redactor),
      moved_since_review: movedSinceReview(prepared, outcome.after),
      reviews: reviewsOn(prepared, outcome.after, proposal),
      watched: redactDeep(watchedOn(prepared, outcome.after, { matrix: matrix.matrix, checks, marks }), ports.redactor),
    },
    fingerprint: outcome.after,
    handed: matrix.handed,
  };
}

/** The checks of the accepted verify → review, if they are fresh and the task is in the review that it led to. */
function takeChecks(
  { session: { history, ports }, contract: { contract }, document }: PreparedPass,
  after: Fingerprint,
): Extract<ChecksOutcome, { kind: "ran" }> | null {
  if (document.view.phase !== "review") return null;
  const run = takeFresh(history, {
    fingerprint: after.hash,
    contract: digestContract(contract),
    freshMs: contract.proof.freshMs,
    at: ports.now().toISOString(),
  });
  if (run?.taken === undefined) return null;
  ports.tell("VALIDATE", `${renderTaken(run.taken)}: they do not run again`);
  return { kind: "ran", run, after };
}

/**
 * The proof about what the checks have just passed on; null if they did not pass, and that of the accepted
 * verify → review in review, as long as the code is the same. No outcome at all if a signal cut it short.
 */
async function matrixOn(
  prepared: PreparedPass,
  facts: Facts,
  { run, after }: Extract<ChecksOutcome, { kind: "ran" }>,
): Promise<(Pick<Facts, "matrix"> & Pick<ProofInCopies, "handed">) | null> {
  const { session, guard, contract, repo, pass } = prepared;
  if (!checksHold(run) || facts.tampering.length > 0) return { matrix: null, handed: null };
  const reviewed = prepared.document.view.phase === "review" ? session.history.matrix : null;
  const isSteady = run.first === undefined || run.taken !== undefined;
  const { anchor, current } = guard;
  const logRelative = passPath(pass);
  const changedNow = diffFingerprints(prepared.before.fingerprint, after).map(({ path }) => path);
  const code = { session, anchor, current, contract, repo, pass, fingerprint: after, run, changedNow, logRelative };
  const still = isSteady && reviewed?.fingerprint === after.hash ? reviewed : null;
  return await judgeInCopies(code, prepared.watched, still);
}

function nameChecks({ validators, scenarios }: PreparedPass["contract"]["contract"]): string {
  const names = [...validators, ...scenarios].map(({ name }) => name);
  return nameSome(names, mostNamed);
}

const mostNamed = 5;

/** The lines of the work that are new since pass 1 and bear on how its tests end. */
async function newMarks(
  prepared: PreparedPass,
  now: Fingerprint,
  checks: CheckRun,
  matrix: MatrixFacts | null,
): Promise<FoundChange[]> {
  const { session, repo, before, watched, contract } = prepared;
  const { place, journal, history, ports } = session;
  const changed = diffFingerprints(before.fingerprint, now).map(({ path }) => path);
  return findMarks({
    repo,
    since: changedSince(place, journal.events, changed),
    inDoubt: countsInDoubt(history.testCounts, checks.results) || heldOutInDoubt(matrix),
    findChecks: () => readCheckSide(session, watched, { repo, contract: contract.contract, fingerprint: now }),
    env: ports.env,
  });
}

/**
 * Reports what a person committed meanwhile, which commits are lost, and what no diff shows. `visible`: the paths that one
 * shows. Gives the person's commit of each path.
 */
export async function reportHeadMoves(
  { session, repo, pass, before }: PreparedPass,
  visible: readonly string[],
): Promise<PersonsPaths> {
  const { findings, ports } = session;
  const { persons, lost } = await findHeadMoves(repo, before.head, ports);
  for (const { name, paths, switched } of persons) {
    const what = paths.length === 0 ? name : `${name} (${somePaths(paths)})`;
    const told = `a person ${switched ? "moved HEAD" : "committed"} during pass ${pass}: ${what}`;
    findings.push(infoFinding("TP_PERSON_COMMITTED", told));
  }
  if (before.head !== null && lost.length > 0) {
    const what = `${plural(lost.length, "commit")}: ${nameSome(lost, mostNamed)}`;
    const told = `since the pass began, ${nameHead(before.head)} has lost ${what}`;
    const [sha, ...subject] = lost[0]?.split(" ") ?? [];
    const fix =
      subject.length === 0
        ? `git no longer has ${sha}; fetch it from another clone`
        : `git branch NAME ${sha} keeps what it should not have lost`;
    findings.push(warningFinding("TP_COMMITS_LOST", told, { file: repo, fix }));
  }
  findings.push(...(await findChangedSettings(repo, before.settingsAndHooks, ports, visible)));
  return new Map(persons.flatMap(({ name, paths }) => paths.map((path) => [path, name])));
}

/** The commit of a person, as `9a01b22 Fix it`, by each path in it. */
export type PersonsPaths = ReadonlyMap<string, string>;

/** The paths in which the code differs from what the reviewers saw; none if no code was reviewed. */
export function movedSinceReview(prepared: PreparedPass, now: Fingerprint): string[] {
  const { history, anchor } = prepared.session;
  const reviewed = readReviewed(anchor);
  if (reviewed === null || reviewed.hash !== history.reviewedFingerprint || reviewed.hash === now.hash) return [];
  return diffFingerprints(reviewed, now).map((change) => change.path);
}

/** The reviewers' reports on the current code and the proposed frame; none if no review is due. */
export function reviewsOn(
  { session, contract: { policy }, document }: PreparedPass,
  { hash }: Fingerprint,
  proposal: Proposal,
): Facts["reviews"] {
  const state = proposal.kind === "read" ? proposal.state : document.view;
  const standings = standingsIn(session, policy, document.view.phase, { fingerprint: hash, state });
  return redactDeep(standings, session.ports.redactor);
}

/** The changes of tests and of what the checks run. */
export function watchedOn(prepared: PreparedPass, fingerprint: Fingerprint, beside: WatchedBeside = {}) {
  const { session, watched, repo, contract } = prepared;
  return listWatchedChanges(session, watched, { repo, contract: contract.contract, fingerprint }, beside);
}
