import { join } from "node:path";
import { findMarks, type MarksRequest } from "../checks/find-marks.ts";
import { cellGround, findCheckSide } from "../checks/matrix-input.ts";
import type { CellGround } from "../checks/proof/cell.ts";
import { type CopyContents, contentsOf } from "../checks/proof/clean-copy.ts";
import { judgeMatrix, runNamed } from "../checks/proof/judge-matrix.ts";
import { mostExpectations } from "../checks/proof/judge-wrong.ts";
import { type KeptCopy, openKeptCopy } from "../checks/proof/kept-copy.ts";
import { lockKind } from "../checks/proof/lock-entries.ts";
import { isRewriting, placeInCopy } from "../checks/proof/run-cell.ts";
import { reachedWords } from "../checks/watch/parts.ts";
import type { FoundChange } from "../checks/watch/record.ts";
import { changedCheckPaths } from "../checks/watch/sides.ts";
import { testClass } from "../checks/watch/test-paths.ts";
import { compareWatch, takeWatch, type WatchInput, type WatchRecord } from "../checks/watch/watch.ts";
import { listWatched } from "../checks/watch-repo.ts";
import type { LoadedConfig } from "../documents/config/load-config.ts";
import type { Contract } from "../documents/contract.ts";
import type { Fingerprint } from "../git/fingerprint-entries.ts";
import { createMark, type ProcessMark } from "../process/mark.ts";
import { listLeftProofs, makeTemporaryFolder } from "../process/temporary-folder.ts";
import { attributeTests, type CheckResult, type CheckRun } from "../rules/check-run.ts";
import { type MatrixFacts, wrongIsOff } from "../rules/matrix.ts";
import type { Proven } from "../rules/shapes/reports/prove.ts";
import { countsInDoubt, mergeCounts } from "../rules/test-counts.ts";
import type { WatchedChange } from "../rules/watched.ts";
import { statEntry } from "../store/folder.ts";
import { removeTree } from "../store/remove-tree.ts";
import { endingOrphans } from "../task/guard/end-orphans.ts";
import type { PassPorts } from "../task/records/ports.ts";
import { redactDeep } from "../text/redact.ts";
import type { Base } from "./find-base.ts";
import { judgeLack, nameUndelivered } from "./judge-lack.ts";
import { type Change, type ChangeRequest, readChange } from "./read-change.ts";

export interface ProveRequest extends Omit<ChangeRequest, "base" | "env"> {
  readonly base: Base;
  readonly contract: Contract;
  readonly config: LoadedConfig;
  readonly logs: string;
  readonly late: Late | null;
}

/** Ends the runs, so that what ran until then is judged. */
export interface Late {
  readonly signal: AbortSignal;
  /** Such as "the 15m of --timeout are over". */
  readonly reason: string;
}

export type ProvenChange = Omit<Proven, "duration_ms" | "at">;

/**
 * The runs of the proof on a change: its work is what differs from the base, its checks are those of the contract. Writes
 * nothing in the repo. Null after a signal. Throws TP_GIT and TP_DISK.
 */
export async function proveChange(request: ProveRequest, ports: PassPorts): Promise<ProvenChange | null> {
  const { place, base, fingerprint, leaveOut, folder } = request;
  listLeftProofs().forEach(removeTree);
  const work = makeTemporaryFolder("prove");
  try {
    const change = await readChange({ place, base: base.commit, fingerprint, leaveOut, env: ports.env, folder });
    if (change.paths.length === 0) {
      return { paths: [], before: [], matrix: null, watched: [], ...uncomparedOf(change), runs: 0 };
    }
    const mark = createMark(work);
    return await endingOrphans(work, mark, ports.env, () => judgeChange(change, { ...request, work, mark }, ports));
  } finally {
    removeTree(work);
    removeTree(folder);
  }
}

/** The base twice, the present code, and both with the other's checks. */
const mostPlainRuns = 6;

async function judgeChange(
  change: Change,
  request: ProveRequest & { readonly work: string; readonly mark: ProcessMark },
  ports: PassPorts,
): Promise<ProvenChange | null> {
  const { contract, folder, base, work, mark, logs, late } = request;
  const { repo, origin, now, noCode, delivery } = change;
  const { wrong } = contract.proof;
  const most = mostPlainRuns + (wrong.mode === "off" ? 0 : wrong.max + mostExpectations);
  let runs = 0;
  const tell = (text: string): void => {
    runs += 1;
    ports.tell("VALIDATE", `run ${runs} of at most ${most}: ${text}`);
  };
  const timed = late === null ? ports : { ...ports, signal: AbortSignal.any([ports.signal, late.signal]) };
  const isOver = () => (late?.signal.aborted === true && !ports.signal.aborted ? late.reason : null);
  const ground = {
    ...cellGround({
      ...{ repo, contract: request, ports: timed, entries: now.entries, noCode, origin },
      ...{ pins: null, home: "private", folder, work: { mark, work_folder: work } },
      tasksRoot: repo,
      isNew: () => false,
    }),
    history: delivery.history === null ? null : { ...delivery.history, isCommitted: delivery.isCommitted },
  };
  const kept = openKeptCopy(folder);
  const copies = { ground, parallel: contract.parallel, logFolder: logs, logRelative: logs, tell, isOver };
  const inTurn = contract.parallel === false;
  const runBefore = async (restored: readonly string[]) =>
    await runNamed(copies, kept, { home: "private", inTurn })("before", delivery.before ?? new Map(), [], { restored });
  const tests = [...now.entries.keys()].filter((path) => testClass(path) !== null);
  const guardedRun = await runBefore(tests);
  // Files that the checks wrote before the change too are no part of what they compare with.
  const named = { ...copies, ownWrites: guardedRun.kind === "ran" ? guardedRun.rewritten : [] };
  const isOwn = guardedRun.kind === "ran" && guardedRun.cell.results.some(isRewriting);
  const calibration = isOwn ? await runBefore([]) : guardedRun;
  if (calibration.kind === "aborted") return null;
  const before = calibration.kind === "ran" ? calibration.cell.results : [];
  const compared = await compareChange(change, { ground, kept, contract, before }, ports);
  if (compared === null) return null;
  const outcome = await judgeMatrix(
    {
      ...named,
      fingerprint: now,
      now: delivery.now,
      before: delivery.before,
      looseChecks: [],
      undelivered: delivery.undelivered,
      ...(typeof compared === "string" ? { changedChecks: [], sharedData: [] } : compared.checkSide),
      testsMayChange: contract.testsMayChange,
      ...{ calibration, earlier: before, guarded: tests },
      run: notInRepo(now),
      pass: 1,
      failedOn: new Map(),
      inTurn,
      heldOut: [],
      noClean: typeof compared === "string" ? compared : null,
      noWithout: contract.proof.without === "off" ? "`proof.without` is off" : null,
      noWrong: contract.proof.wrong.mode === "off" ? wrongIsOff : null,
      wrongRules: contract.proof.wrong,
    },
    kept,
  );
  if (outcome.kind === "aborted") return null;
  const matrix = withAttributions(outcome.matrix, before);
  const hidesRepo = ground.sandbox !== null && request.config.sandbox !== "bwrap";
  const beside = { place: request.place, env: ports.env, named, folder, inTurn, hidesRepo };
  const listed = contentsOf(request.fingerprint.entries, "repo", noCode);
  const lack = await judgeLack({ ...beside, versions: delivery, listed, before, matrix });
  if (ports.signal.aborted) return null;
  const watched =
    typeof compared === "string" ? [] : await watchedIn({ change, compared, contract, base, before, matrix }, ports);
  const also = { ...(lack !== null && { lack }), ...uncomparedOf(change) };
  const unknown = lack === null ? withoutBase(change, outcome.matrix) : null;
  const proven = { paths: change.paths, before, matrix, watched, runs, ...unknown, ...also };
  return redactDeep(proven, ports.redactor);
}

/** A failure with what is installed now is none of the base if that names other dependencies. Null if it is, or passes. */
function withoutBase({ paths, repo }: Change, matrix: MatrixFacts): Pick<ProvenChange, "before" | "matrix"> | null {
  const lock = paths.find((path) => {
    const folder = lockKind(path)?.ecosystem;
    // Other programs than those of Node and Python find each version in a cache, or there.
    return folder !== undefined && (folder !== "vendor" || statEntry(join(repo, folder)) !== null);
  });
  if (lock === undefined || matrix.calibration.kind !== "differs") return null;
  const reason = `With the dependencies that are installed, nothing is known of the base: ${lock} changed`;
  return { before: [], matrix: { ...matrix, calibration: { kind: "none", reason, home: null } } };
}

function uncomparedOf({ delivery }: Change): Pick<ProvenChange, "uncompared"> {
  const uncompared = nameUndelivered(delivery.undelivered);
  return uncompared === null ? {} : { uncompared };
}

/** Nothing ran in the repo itself, so that nothing was written there. */
function notInRepo({ hash }: Fingerprint): CheckRun {
  return { fingerprint_before: hash, fingerprint_after: hash, attempts: 1, moved: [], results: [], contract: "" };
}

function withAttributions(matrix: MatrixFacts, before: readonly CheckResult[]): MatrixFacts {
  const { clean } = matrix;
  return clean === null ? matrix : { ...matrix, clean: { ...clean, results: attributeTests(clean.results, before) } };
}

interface JudgedChange {
  readonly change: Change;
  readonly compared: ComparedChange;
  readonly contract: Contract;
  readonly base: Base;
  readonly before: readonly CheckResult[];
  readonly matrix: MatrixFacts;
}

/** The changes of tests and of what the checks run, and new lines of the work that bear on how its tests end. */
async function watchedIn(
  { change, compared, contract, base, before, matrix }: JudgedChange,
  { env }: PassPorts,
): Promise<WatchedChange[]> {
  const { record, rows, checks } = compared;
  const { entries } = change.now;
  const results = matrix.clean?.results ?? [];
  const testCounts = mergeCounts({}, before, "before");
  const marks = await findMarks({
    repo: change.repo,
    since: { commit: base.commit, paths: change.paths },
    inDoubt: countsInDoubt(testCounts, results),
    findChecks: () => checks,
    env,
  });
  const answers = { accepted: [], refused: [] };
  const since = { record, rows, entries, testCounts, answers, mayChange: contract.testsMayChange };
  return listWatched(since, { matrix, checks: { ...notInRepo(change.now), results }, marks });
}

interface ComparedChange {
  /** What tests and checks were at the base, and what differs now. */
  readonly record: WatchRecord;
  readonly rows: readonly FoundChange[];
  readonly checkSide: ReturnType<typeof findCheckSide>;
  readonly checks: ReturnType<MarksRequest["findChecks"]>;
}

interface CompareInput {
  readonly ground: CellGround;
  readonly kept: KeptCopy;
  readonly contract: Contract;
  readonly before: readonly CheckResult[];
}

/**
 * Compares tests and what the checks run in one place, the copy for the cells, which has the base's files first and then
 * the present ones: so nothing differs but by the change. Null after a signal. A reason if the files cannot be put there.
 * Throws TP_DISK.
 */
async function compareChange(
  { origin, delivery, noCode, now }: Change,
  { ground, kept, contract, before }: CompareInput,
  { env, home, redactor, signal }: PassPorts,
): Promise<ComparedChange | string | null> {
  const inputOf = (repo: string, entries: WatchInput["entries"]): WatchInput => ({
    ...{ repo, entries, home, checks: contract.validators, globs: contract.watched, leaveOut: [] },
    searchPath: env.PATH ?? "",
    redact: (text) => redactor.redact(text),
  });
  // What is late ends runs alone.
  const place = async (contents: CopyContents) => await placeInCopy({ ...ground, signal }, contents, kept);
  const below = await place(contentsOf(origin.entries, "origin", noCode));
  if (below.kind !== "placed") return below.kind === "refused" ? below.reason : null;
  const record = takeWatch(inputOf(below.copy, origin.entries));
  const present = await place(delivery.now);
  if (present.kind !== "placed") return present.kind === "refused" ? present.reason : null;
  const input = inputOf(present.copy, now.entries);
  return {
    ...{ record, rows: compareWatch(record, input) },
    checkSide: findCheckSide(record, origin, { input, brief: "", earlier: before }),
    checks: { paths: changedCheckPaths(record, input), reached: reachedWords(input) },
  };
}
