import { type CheckResult, failedChecks, ranFewer } from "../../rules/check-run.ts";
import { type Cell, cellHolds, failInOthers } from "../../rules/matrix.ts";
import { mostTests } from "../runs/read-failure.ts";
import { testClass } from "../watch/test-paths.ts";
import type { CellCut, CellRan } from "./cell.ts";
import type { CopyContents } from "./clean-copy.ts";
import type { InnerTests } from "./inner-tests.ts";
import {
  findFormal,
  isSame,
  type MatrixRequest,
  noOrigin,
  presentContents,
  type Run,
  runTwice,
  withPaths,
  withResults,
  withTexts,
} from "./matrix-runs.ts";

type Counted = CellCut | (Pick<CellRan, "kind" | "cell"> & { readonly unsteady: readonly string[] });

/**
 * Work of pass 1, present checks, in the same minute as `clean`: a service that was down at pass 1 has no part in it. If
 * nothing changed it is `clean`. What fails is run a second time, since only what fails twice, in the same tests, fails
 * for want of the work. What a script of the checks asks is first held as it is now: it may be more than its examples.
 * Those that nothing fails without are the work (`scripts`), and only their examples are held.
 */
export async function judgeWithout(
  request: MatrixRequest,
  clean: Cell,
  run: Run,
  inner: InnerTests,
): Promise<{ readonly without: Counted; readonly scripts: readonly string[] }> {
  const scripts = request.changedChecks.filter((path) => inner.without.has(path));
  const others = (texts: ReadonlyMap<string, string>) =>
    new Map([...texts].filter(([path]) => !scripts.includes(path)));
  const rest = { ...inner, without: others(inner.without), apart: others(inner.apart) };
  const asNow = await judgeOnce(request, clean, run, rest);
  const isWork = scripts.length > 0 && asNow.kind === "ran" && cellHolds(asNow.cell);
  return isWork ? { without: await judgeOnce(request, clean, run, inner), scripts } : { without: asNow, scripts: [] };
}

async function judgeOnce(request: MatrixRequest, clean: Cell, run: Run, inner: InnerTests): Promise<Counted> {
  if (request.noWithout !== null) return { kind: "refused", reason: request.noWithout };
  const { before, changedChecks, looseChecks } = request;
  if (before === null) return { kind: "refused", reason: noOrigin };
  const now = presentContents(request);
  if (isSame(now, before)) return { kind: "ran", cell: { same_as: "clean", results: clean.results }, unsteady: [] };
  const paths = [...changedChecks, ...looseChecks];
  const bare = withPaths(before, paths, now);
  const contents = withTexts(bare, inner.without);
  const first = await failTwice(request, run, "without", contents);
  const formal = await withoutFormal(request, run, first, bare, inner);
  const plain = await withoutMissing(request, run, formal, contents, clean, inner.added);
  const removed = paths.filter((path) => before.has(path) && !now.has(path));
  if (removed.length > 0 && plain.kind === "ran" && failsByLoad(plain.cell)) {
    // The old work may only miss a file of the checks' side that is gone, and that says nothing of the new one.
    const left = paths.filter((path) => !removed.includes(path));
    const other = await failTwice(request, run, "without-removed", withPaths(before, left, now));
    if (other.kind === "aborted" || (other.kind === "ran" && cellHolds(other.cell))) return other;
  }
  if (plain.kind !== "ran" || !cellHolds(plain.cell) || request.sharedData.length === 0) return plain;
  // The program may have written the data that it is compared with: as it is now, the old program does not fit it.
  const all = [...paths, ...request.sharedData.map(({ path }) => path)];
  const other = await failTwice(request, run, "without-data", withPaths(before, all, now));
  return other.kind === "aborted" || (other.kind === "ran" && !cellHolds(other.cell)) ? other : plain;
}

/** With what checks of how a source is written say of it as it was. */
async function withoutFormal(
  request: MatrixRequest,
  run: Run,
  counted: Counted,
  bare: CopyContents,
  { apart }: InnerTests,
): Promise<Counted> {
  if (counted.kind !== "ran") return counted;
  const only = await findFormal(request, run, apart, failedChecks(counted.cell));
  if (only === null) return { kind: "aborted" };
  if (only.length === 0) return counted;
  const other = await failTwice(request, run, "without-plain", bare, only);
  return other.kind === "ran" ? { ...counted, cell: withResults(counted.cell, only, other.cell) } : other;
}

function failsByLoad(cell: Cell): boolean {
  const failed = failedChecks(cell);
  return failed.length > 0 && failed.every(({ failure }) => failure?.by === "load");
}

/**
 * Tests that the work brought, in test files or in new sources (`added`), and that did not run without it, twice: as if
 * they could not be loaded.
 */
async function withoutMissing(
  request: MatrixRequest,
  run: Run,
  counted: Counted,
  contents: CopyContents,
  clean: Cell,
  added: readonly string[],
): Promise<Counted> {
  if (counted.kind !== "ran" || !(added.length > 0 || request.changedChecks.some((path) => testClass(path) === "name")))
    return counted;
  const fewer = ranFewer(counted.cell.results, clean.results);
  if (fewer.length === 0) return counted;
  const only = fewer.map(({ name }) => name);
  const again = await run("without-again", contents, request.heldOut, { only, inTurn: true });
  if (again.kind !== "ran") return again;
  const both = ranFewer(again.cell.results, clean.results);
  const results = counted.cell.results.map((result): CheckResult => {
    const one = fewer.find(({ name }) => name === result.name);
    if (one === undefined || !both.some(({ said }) => said === one.said)) return result;
    const said = `${one.said} without the work, and ${one.wanted} with it`;
    return { ...result, status: "fail", failure: { by: "load", tests: [], said } };
  });
  return { ...counted, cell: { ...counted.cell, results } };
}

async function failTwice(
  request: MatrixRequest,
  run: Run,
  name: string,
  contents: CopyContents,
  only?: readonly string[],
): Promise<Counted> {
  const { calibration, before, changedChecks, heldOut } = request;
  // With the checks of pass 1 it is the same run.
  const isKnown = changedChecks.length + heldOut.length === 0 && before !== null && isSame(contents, before);
  const how = only && { only };
  const { first, again } = await runTwice(run, name, contents, heldOut, how, isKnown ? calibration : undefined);
  if (first.kind !== "ran") return first;
  if (again === null) return { kind: "ran", cell: first.cell, unsteady: [] };
  if (again.kind !== "ran") return again;
  const unsteady = failedChecks(first.cell).filter((check) => !failsAgain(check, again.cell.results));
  const results = first.cell.results.map((check) => failedTwice(check, again.cell.results));
  return { kind: "ran", cell: { ...first.cell, results }, unsteady: unsteady.map((check) => check.name) };
}

/** Without the tests that failed in the first run alone, where both name all that failed. */
function failedTwice(check: CheckResult, second: readonly CheckResult[]): CheckResult {
  const { failure } = check;
  const again = second.find(({ name }) => name === check.name)?.failure?.tests ?? [];
  if (failure === undefined || Math.max(failure.tests.length, again.length) >= mostTests) return check;
  const both = failure.tests.filter((test) => again.includes(test));
  return both.length === 0 ? check : { ...check, failure: { ...failure, tests: both } };
}

function failsAgain({ name, failure }: CheckResult, second: readonly CheckResult[]): boolean {
  const again = second.find((result) => result.name === name);
  return again !== undefined && again.status !== "pass" && !failInOthers(failure, again.failure);
}

/** A folder of that name elsewhere may be the work's own. */
const namesHeldOut = /\bTASK_PHASE_HELD_OUT\b|(?:^|[^\w/-]|(?:\.|\$\w+|[)}])\/)held-out(?![\w-])/;

/**
 * Whether all that fails without the work was written or changed with it: a check that passed before the work, or whose
 * failing tests are others than those that failed then, and of which nothing stood (`written`). Without the names of
 * tests a check that failed before counts as one that waited for the work.
 */
export function onlyOwnFail(
  { earlier, changedChecks }: MatrixRequest,
  failing: readonly CheckResult[],
  written: readonly string[],
): boolean {
  if (changedChecks.length === 0 || failing.length === 0) return false;
  return failing.every(({ name, failure, unmet, held_out: isHeldOut, command }) => {
    // No pass can write it, and no run of the repo has it.
    if (isHeldOut === true && command.some((word) => namesHeldOut.test(word))) return false;
    const then = earlier?.find((result) => result.name === name);
    if (then === undefined || written.includes(name) || then.status === "pass") return true;
    // It only fell short of what the brief expects of its output, and fails by itself now.
    return (then.unmet !== undefined && unmet === undefined) || failInOthers(then.failure, failure);
  });
}
