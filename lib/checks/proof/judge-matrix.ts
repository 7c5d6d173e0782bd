import { cellHolds, type MatrixFacts, steadyFailures } from "../../rules/matrix.ts";
import { failBeside } from "../../rules/steadiness.ts";
import { testClass } from "../watch/test-paths.ts";
import type { ChangedFile } from "../wrong/changed-lines.ts";
import { refused } from "./cell.ts";
import type { CellHome } from "./cell-home.ts";
import { changedFiles, onlyNewFiles } from "./changed-files.ts";
import { withoutEndedFailures } from "./ended-failures.ts";
import { findInnerTests } from "./inner-tests.ts";
import { judgeClean } from "./judge-clean.ts";
import { judgeOldChecks, restoredOf } from "./judge-old-checks.ts";
import { judgeSteadiness } from "./judge-steadiness.ts";
import { judgeWithout, onlyOwnFail } from "./judge-without.ts";
import { judgeWrong } from "./judge-wrong.ts";
import { type KeptCopy, openKeptCopy } from "./kept-copy.ts";
import { type MatrixRequest, passCoverage, presentContents, type Run, withPaths } from "./matrix-runs.ts";
import { findOutsidePaths } from "./outside-paths.ts";
import { runCell } from "./run-cell.ts";
import { withNewSources } from "./source-lists.ts";

export type MatrixOutcome =
  /** `leftover`: the folder of the copy if something of it could not be removed. */
  | { readonly kind: "judged"; readonly matrix: MatrixFacts; readonly leftover: string | null }
  | { readonly kind: "aborted" };

/** At most this many paths that are in no copy are named. */
const mostLeftOut = 50;

/**
 * Judges the current code in clean copies. Cells that are equal by definition are not run: if no file of the checks'
 * side changed, `old_checks` is `clean`. If `clean` does not pass, nothing more is run, since it would show
 * nothing more. Throws TP_DISK.
 */
export async function judgeMatrix(
  request: MatrixRequest,
  kept: KeptCopy = openKeptCopy(request.ground.copies),
): Promise<MatrixOutcome> {
  let leftover: string | null = null;
  let matrix: MatrixFacts | null;
  try {
    matrix = await judgeIn(kept, request);
  } finally {
    leftover = kept.remove();
  }
  return matrix === null ? { kind: "aborted" } : { kind: "judged", matrix, leftover };
}

export type NamedRuns = Pick<
  MatrixRequest,
  "ground" | "parallel" | "ownWrites" | "logFolder" | "logRelative" | "tell" | "isOver"
>;

/** Runs a cell by its name, which its logs have too. */
export function runNamed(
  request: NamedRuns,
  kept: KeptCopy,
  usual: { readonly home: CellHome; readonly inTurn: boolean },
): Run {
  return async (name, contents, heldOut, how = {}) => {
    const { restored = [], only, longestMs, home: seen = usual.home, inTurn = usual.inTurn } = how;
    const over = request.isOver?.() ?? null;
    if (over !== null) return refused(over);
    request.tell(`running the checks in a clean copy: ${renderCell(name)}`);
    const outcome = await runCell(
      { ...request.ground, home: { ...request.ground.home, seen } },
      {
        ...{ name, contents, heldOut, restored: restored.filter((path) => request.ownWrites?.includes(path) !== true) },
        inTurn: inTurn && request.parallel !== true,
        ...(only === undefined ? {} : { only }),
        ...(longestMs === undefined ? {} : { longestMs }),
        logFolder: `${request.logFolder}/${name}`,
        logRelative: `${request.logRelative}/${name}`,
      },
      kept,
    );
    const reason = outcome.kind === "aborted" ? (request.isOver?.() ?? null) : null;
    return reason === null ? outcome : refused(reason);
  };
}

/** Files among tests that may hold settings of coverage. */
const mayConfigure = /(?:^|\/)(?:conftest\.py|[^/]*(?:config\b|rc\b)[^/]*)$/;

/** Null if a signal cut it short. */
async function judgeIn(kept: KeptCopy, request: MatrixRequest): Promise<MatrixFacts | null> {
  const { repo, blobs, origin } = request.ground;
  const files = origin === null ? [] : changedFiles({ repo, blobs, origin, fingerprint: request.fingerprint });
  const blank: MatrixFacts = {
    fingerprint: request.fingerprint.hash,
    calibration: { kind: "none", reason: request.noClean, home: null },
    unseparated: request.ground.unseparated,
    changed_checks: request.changedChecks,
    clean: null,
    old_checks: null,
    written: [],
    without: null,
    no_clean: request.noClean,
    no_old_checks: null,
    no_without: null,
    unsteady: [],
    only_own_fail: false,
    wrong: null,
    wrong_checks: null,
    no_wrong: null,
    left_out: [],
  };
  let home = request.ground.home.seen;
  let inTurn = request.inTurn || request.run.beside === true;
  const run: Run = async (name, contents, heldOut, how = {}) =>
    await runNamed(request, kept, { home, inTurn })(name, contents, heldOut, how);
  /** A path with the reason why it is not delivered, if known. */
  const told = (path: string): string => {
    const why = request.undelivered.find((one) => one.path === path)?.why;
    return why === undefined ? path : `${path} (${why})`;
  };
  const clean =
    request.noClean === null ? await judgeClean(request, run, request.ground.home.seen) : refused(request.noClean);
  if (clean.kind === "aborted") return null;
  if (clean.kind === "ran") home = clean.home;
  const steadiness = await judgeSteadiness(request, clean.kind === "ran" ? clean : null, run);
  if (steadiness === null) return null;
  const known: MatrixFacts = {
    ...blank,
    unsteady: steadiness.filter(({ kind }) => kind !== "beside").map(({ name }) => name),
    ...(steadiness.length === 0 ? {} : { steadiness }),
  };
  if (clean.kind === "refused") return { ...known, no_clean: clean.reason };
  if (failBeside(known)) inTurn = true;
  const undelivered = request.undelivered.map(({ path }) => path);
  const leftOut = [...request.ground.nested, ...[...clean.leftOut, ...undelivered].map(told)];
  const matrix: MatrixFacts = {
    ...known,
    calibration: clean.calibration,
    clean: clean.cell,
    left_out: [...new Set(leftOut)].slice(0, mostLeftOut),
  };
  if (!cellHolds(clean.cell)) {
    const reason = "the checks do not pass in a clean copy of the current code";
    return { ...matrix, no_old_checks: reason, no_without: reason };
  }
  const outside = namesOutside(request, files);
  if (outside !== null) return { ...matrix, no_old_checks: outside, no_without: outside };
  // A check may run a source of the work that has tests.
  const isTest = (path: string) => request.changedChecks.includes(path) && testClass(path) !== null;
  const inner = await findInnerTests(files.filter(({ path }) => !isTest(path)));
  const lenient = passCoverage(run, () => Promise.resolve(true));
  const asSet = passCoverage(run, () => reachesOldThreshold(request, run));
  const restored = restoredOf(request);
  const builds = withNewSources(files, restored, request.before?.keys() ?? []);
  const ended = withoutEndedFailures(files, restored);
  const oldChecks = await judgeOldChecks(request, clean.cell, asSet, inner, { builds, ended });
  if (oldChecks.kind === "aborted") return null;
  const { without, scripts } = await judgeWithout(request, clean.cell, lenient, inner);
  if (without.kind === "aborted") return null;
  const own = { ...request, changedChecks: [...request.changedChecks, ...inner.without.keys(), ...inner.added] };
  const judged: MatrixFacts = {
    ...matrix,
    old_checks: oldChecks.kind === "ran" ? oldChecks.cell : null,
    no_old_checks: oldChecks.kind === "ran" ? null : oldChecks.reason,
    written: oldChecks.kind === "ran" ? oldChecks.written : [],
    changed_checks: [...matrix.changed_checks, ...(oldChecks.kind === "ran" ? oldChecks.data : [])].sort(),
    without: without.kind === "ran" ? without.cell : null,
    no_without: without.kind === "ran" ? null : without.reason,
    unsteady: [...new Set([...known.unsteady, ...(without.kind === "ran" ? without.unsteady : [])])],
  };
  const asked = { ...request, changedChecks: request.changedChecks.filter((path) => !scripts.includes(path)) };
  const graded = { ...judged, only_own_fail: onlyOwnFail(own, steadyFailures(judged), judged.written) };
  return await addWrong(asked, graded, lenient, files);
}

/** A threshold that the work lowered is held against it, unless its own tests reach that of before. */
async function reachesOldThreshold(request: MatrixRequest, run: Run): Promise<boolean> {
  const settings = request.changedChecks.filter((path) => testClass(path) === null || mayConfigure.test(path));
  if (settings.length === 0) return true;
  const { before, heldOut } = request;
  const contents = withPaths(presentContents(request), settings, before ?? new Map());
  const outcome = await run("old_settings", contents, heldOut);
  return outcome.kind === "ran" && cellHolds(outcome.cell);
}

/** Why no copy on this machine says what a colleague's would: the delivery names what is outside of it. */
function namesOutside(
  { ground: { repo, isSeen, settings } }: MatrixRequest,
  files: readonly ChangedFile[],
): string | null {
  const work = files.filter(({ path }) => !settings.includes(path));
  const found = findOutsidePaths(repo, work, isSeen);
  return found.length === 0
    ? null
    : `${found.join(", ")}, which a copy on this machine finds and a clone does not have`;
}

const atLeastMs = 10_000;
const longerTimes = 10;

const cellWords: Readonly<Record<string, string>> = {
  calibration: "the code of pass 1",
  "before-here": "the code before this work, with all that git ignores",
  "clean-here": "the current code, with all that git ignores",
  "calibration-own-home": "the code of pass 1, with your home folder",
  before: "the code before this work",
  clean: "the current code",
  listed: "the current code, with what is not handed over",
  delivered: "the current code, without tests that nobody commits",
  "clean-own-home": "the current code, with your home folder",
  old_checks: "with the old tests and checks",
  old_data: "with the old tests, checks and data",
  old_tests: "with the old tests, under new checks",
  old_settings: "with the old settings of the checks",
  apart: "the current code, with the tests in its sources elsewhere in them",
  without: "without this work",
  "without-plain": "without this work, with the old tests in its sources",
  "without-removed": "without this work, with the files of the checks that it removed",
  "without-data": "without this work, but for its data",
};

function renderCell(name: string): string {
  const once = name.replace(/-(?:again|beside)$|^once-more-\d+$/, "");
  if (once !== name) return `${renderCell(once || "clean")}, once more`;
  if (name.startsWith("steady-")) return "the code before this work, to see whether it was steady";
  return cellWords[name] ?? (name.startsWith("wrong-check") ? "with a wrong expectation" : "with this work made wrong");
}

/** With the wrong versions, if a check fails without the work; null if a signal cut them short. */
async function addWrong(
  request: MatrixRequest,
  matrix: MatrixFacts,
  run: Run,
  files: readonly ChangedFile[],
): Promise<MatrixFacts | null> {
  const { clean, without } = matrix;
  const { origin, repo, blobs } = request.ground;
  if (clean === null || without === null || origin === null || steadyFailures(matrix).length === 0) return matrix;
  if (request.noWrong !== null) return { ...matrix, no_wrong: request.noWrong };
  // A loop that was made wrong may never end: that is noticed, and need not take the whole time of the check.
  const longestMs = new Map(clean.results.map(({ name, duration_ms: ms }) => [name, atLeastMs + longerTimes * ms]));
  const heldOut = request.heldOut.map((check) => ({
    ...check,
    timeoutMs: Math.min(check.timeoutMs, longestMs.get(check.name) ?? check.timeoutMs),
  }));
  const outcome = await judgeWrong({
    ...{ repo, blobs, files, fingerprint: request.fingerprint },
    changedChecks: request.changedChecks,
    onlyNew: onlyNewFiles({ origin, fingerprint: request.fingerprint }, request.changedChecks),
    contents: presentContents(request),
    clean,
    earlier: request.earlier,
    deciding: steadyFailures(matrix),
    rules: request.wrongRules,
    run: (name, contents, only) => run(name, contents, heldOut, { only, longestMs }),
  });
  if (outcome.kind === "aborted") return null;
  if (outcome.kind === "refused") return { ...matrix, no_wrong: outcome.reason };
  return { ...matrix, wrong: outcome.wrong, wrong_checks: outcome.wrongChecks };
}
