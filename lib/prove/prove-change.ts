import { join } from "node:path";
import { deliveredBlobs } from "../checks/delivery.ts";
import { findMarks } from "../checks/find-marks.ts";
import { cellGround, findCheckSide } from "../checks/matrix-input.ts";
import { type CopyContents, contentsOf } from "../checks/proof/clean-copy.ts";
import { judgeMatrix, runNamed } from "../checks/proof/judge-matrix.ts";
import { mostExpectations } from "../checks/proof/judge-wrong.ts";
import { openKeptCopy } from "../checks/proof/kept-copy.ts";
import { lockKind } from "../checks/proof/lock-entries.ts";
import { isRewriting } from "../checks/proof/run-cell.ts";
import { reachedWords } from "../checks/watch/parts.ts";
import { changedCheckPaths } from "../checks/watch/sides.ts";
import { testClass } from "../checks/watch/test-paths.ts";
import { takeWatch, type WatchInput, type WatchRecord } from "../checks/watch/watch.ts";
import { listWatched } from "../checks/watch-repo.ts";
import type { LoadedConfig } from "../documents/config/load-config.ts";
import type { Contract } from "../documents/contract.ts";
import type { Fingerprint } from "../git/fingerprint-entries.ts";
import { createMark, type ProcessMark } from "../process/mark.ts";
import { listLeftProofs, makeTemporaryFolder } from "../process/temporary-folder.ts";
import { attributeTests, type CheckResult, type CheckRun } from "../rules/check-run.ts";
import { type MatrixFacts, wrongIsOff } from "../rules/matrix.ts";
import { countsInDoubt, mergeCounts } from "../rules/test-counts.ts";
import type { WatchedChange } from "../rules/watched.ts";
import { statEntry } from "../store/folder.ts";
import { removeTree } from "../store/remove-tree.ts";
import { endingOrphans } from "../task/guard/end-orphans.ts";
import type { PassPorts } from "../task/records/ports.ts";
import { redactDeep } from "../text/redact.ts";
import type { Base } from "./find-base.ts";
import { judgeLack, nameUndelivered } from "./judge-lack.ts";
import type { ChangeRequest } from "./read-change.ts";
import { type Change, readChange } from "./read-change.ts";

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

export interface ProvenChange {
  /** Repo paths that the change is about, sorted. */
  readonly paths: readonly string[];
  /** The base's checks on the base; empty if they could not be run. */
  readonly before: readonly CheckResult[];
  /** Null: nothing differs from the base. */
  readonly matrix: MatrixFacts | null;
  readonly watched: readonly WatchedChange[];
  /** Why checks that fail in a copy say nothing of the change, see judge-lack.ts; missing: they say something. */
  readonly lack?: string;
  /** What may differ too: git's filters make it of other bytes. */
  readonly uncompared?: string;
  /** How often checks ran. */
  readonly runs: number;
}

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
  const placed = await watchChange(
    change,
    { folder, blobs: deliveredBlobs(folder), signal: ports.signal },
    {
      checks: contract.validators,
      globs: contract.watched,
      searchPath: ports.env.PATH ?? "",
      home: ports.home,
      redact: (text) => ports.redactor.redact(text),
    },
  );
  if (placed === null) return null;
  const timed = late === null ? ports : { ...ports, signal: AbortSignal.any([ports.signal, late.signal]) };
  const isOver = () => (late?.signal.aborted === true && !ports.signal.aborted ? late.reason : null);
  const ground = {
    ...cellGround({
      ...{
        repo,
        contract: request,
        ports: timed,
        entries: now.entries,
        noCode,
        origin,
        pins: null,
        home: "private",
        folder,
      },
      work: { mark, work_folder: work },
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
  const outcome = await judgeMatrix(
    {
      ...named,
      fingerprint: now,
      now: delivery.now,
      before: delivery.before,
      looseChecks: [],
      undelivered: delivery.undelivered,
      ...(typeof placed === "string"
        ? { changedChecks: [], sharedData: [] }
        : findCheckSide({ ...placed, origin, brief: "", earlier: before })),
      testsMayChange: contract.testsMayChange,
      ...{ calibration, earlier: before, guarded: tests },
      run: notInRepo(now),
      pass: 1,
      failedOn: new Map(),
      inTurn,
      heldOut: [],
      noClean: typeof placed === "string" ? placed : null,
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
    typeof placed === "string" ? [] : await watchedIn({ change, placed, contract, base, before, matrix }, ports);
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
  readonly placed: PlacedChange;
  readonly contract: Contract;
  readonly base: Base;
  readonly before: readonly CheckResult[];
  readonly matrix: MatrixFacts;
}

/** The changes of tests and of what the checks run, and new lines of the work that bear on how its tests end. */
async function watchedIn(
  { change, placed, contract, base, before, matrix }: JudgedChange,
  { env }: PassPorts,
): Promise<WatchedChange[]> {
  const { record, input } = placed;
  const results = matrix.clean?.results ?? [];
  const testCounts = mergeCounts({}, before, "before");
  const marks = await findMarks({
    repo: change.repo,
    since: { commit: base.commit, paths: change.paths },
    inDoubt: countsInDoubt(testCounts, results),
    findChecks: () => ({ paths: changedCheckPaths(record, input), reached: reachedWords(input) }),
    env,
  });
  const answers = { accepted: [], refused: [] };
  const since = { record, input, testCounts, answers, mayChange: contract.testsMayChange };
  return listWatched(since, { matrix, checks: { ...notInRepo(change.now), results }, marks });
}

interface PlacedChange {
  /** What tests and checks were at the base. */
  readonly record: WatchRecord;
  /** The same place with its present files. */
  readonly input: WatchInput;
}

/**
 * Compares tests and what the checks run in one place, which has the base's files first and then the present ones: so
 * nothing differs but by the change. Null after a signal. A reason if the files cannot be put there. Throws TP_DISK.
 */
async function watchChange(
  change: Change,
  { folder, blobs, signal }: { readonly folder: string; readonly blobs: string; readonly signal: AbortSignal },
  settings: Pick<WatchInput, "checks" | "globs" | "searchPath" | "home" | "redact">,
): Promise<PlacedChange | string | null> {
  const kept = openKeptCopy(join(folder, "watched"));
  const { repo, origin, delivery, noCode } = change;
  const target = join(kept.folder, "code");
  const place = async (contents: CopyContents) => {
    const made = await kept.update({ ...{ repo, origin, blobs, contents, target, signal } }, []);
    if (made.kind === "made") await kept.note(new Map());
    return made;
  };
  const before = contentsOf(origin.entries, "origin", noCode);
  const made = await place(before);
  if (made.kind !== "made") return made.kind === "refused" ? made.reason : null;
  const blank = { ...settings, repo: target, leaveOut: [] };
  const record = takeWatch({ ...blank, entries: origin.entries });
  const present = await place(delivery.now);
  if (present.kind !== "made") return present.kind === "refused" ? present.reason : null;
  return { record, input: { ...blank, entries: change.now.entries } };
}
