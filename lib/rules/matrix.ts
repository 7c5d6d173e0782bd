import type { Shape } from "../text/shape.ts";
import { type CheckFailure, type CheckResult, type CheckRun, failedChecks, ranFewer } from "./check-run.ts";
import type { calibration, matrixFacts, proof } from "./shapes/matrix-facts.ts";
import { renderUnsteady } from "./steadiness.ts";
import { plural } from "./wording.ts";
import type { proofModes } from "./words.ts";

/**
 * One run of the proof: a version of the checks on a version of the work. A cell that equals another by definition is
 * not run; its results are copied from the cell that `same_as` names.
 */
export type Cell = NonNullable<MatrixFacts["clean"]>;

/** Whether copies can be trusted: pass 1's checks agreed in the copy and the repo. */
export type Calibration = Shape<typeof calibration>;

/** For one fingerprint of the repo. */
export type MatrixFacts = Shape<typeof matrixFacts>;

export type WrongRuns = NonNullable<MatrixFacts["wrong"]>;

export type ProofMode = (typeof proofModes)[number];

export function cellHolds(cell: Cell): boolean {
  return failedChecks(cell).length === 0;
}

/**
 * Whether checks that fail in a clean copy of the present work also failed there before the work. They `differ` if a
 * check passed then, or failed for another reason or in none of these tests; the exit code does not matter. A check
 * that did not run then is no evidence.
 */
export function compareWithPassOne(
  now: readonly CheckResult[],
  atPassOne: readonly CheckResult[],
): "differs" | "alike" {
  const differs = failedChecks({ results: now }).some(({ name, kind, status, failure }) => {
    const before = atPassOne.find((one) => one.name === name && one.kind === kind);
    if (before === undefined) return false;
    if (before.status === "pass") return true;
    if (status !== "fail" || before.status !== "fail") return false;
    // If only some tests failed in both runs, the causes of the others are no evidence about these.
    const unlike = areNamed(failure, before.failure) && namesOf(failure) !== namesOf(before.failure);
    return failInOthers(failure, before.failure) || (!unlike && causeOf(failure) !== causeOf(before.failure));
  });
  return differs ? "differs" : "alike";
}

/** Whether two failures name tests and have none in common. Failures without names are never told apart. */
export function failInOthers(one: CheckFailure | undefined, other: CheckFailure | undefined): boolean {
  return areNamed(one, other) && one?.tests.some((test) => other?.tests.includes(test)) === false;
}

/** A crash in a copy counts like any failure: one missing file can end a test in many ways. */
function causeOf(failure: CheckFailure | undefined): string | undefined {
  return failure?.by === "crash" ? "other" : failure?.by;
}

function namesOf(failure: CheckFailure | undefined): string {
  return failure?.tests.join("\n") ?? "";
}

function areNamed(...failures: readonly (CheckFailure | undefined)[]): boolean {
  return failures.every((failure) => failure !== undefined && failure.tests.length > 0);
}

export type Proof = Shape<typeof proof>;

/** All that ran: the held-out ones ran in the clean copy alone. */
export function requiredChecks(
  checks: Pick<CheckRun, "results"> | null,
  matrix: Pick<MatrixFacts, "clean"> | null,
): CheckResult[] {
  const held = matrix?.clean?.results.filter(isHeldOut) ?? [];
  return [...(checks?.results ?? []), ...held].filter(({ required }) => required);
}

/** `shown`: a required check fails without the work. `kept`: none does. `unshown`: not judged, for a reason. */
export function gradeProof(checks: CheckRun | null, matrix: MatrixFacts | null): Proof {
  const all = requiredChecks(checks, matrix);
  const passed = all.filter(({ status }) => status === "pass").length;
  const { delivered, undelivered, on_top: onTop, steadiness = [] } = matrix ?? {};
  const excused = steadiness.filter(({ kind }) => kind === "before" || kind === "once");
  const told = {
    ...(delivered === undefined ? {} : { delivered: delivered.task }),
    ...(undelivered === undefined ? {} : { undelivered }),
    ...(onTop === undefined ? {} : { on_top: onTop }),
    ...(excused.length === 0 ? {} : { unsteady: excused.map(renderUnsteady) }),
  };
  const blank = { passed, failing: [], only_own: false, wrong: null, reason: null, ...told, looked: [] };
  const unshown = (reason: string): Proof => ({ ...blank, grade: "unshown", reason });
  if (checks === null || failedChecks(checks).length > 0) return unshown("a required check did not pass");
  if (matrix === null) return unshown("the checks were not run without the work");
  const { clean, without, calibration } = matrix;
  if (clean === null) return unshown(matrix.no_clean ?? "no clean copy was made");
  if (!cellHolds(clean))
    return unshown(`the checks do not pass in a clean copy (${calibration.reason ?? "not calibrated"})`);
  if (without === null) return unshown(matrix.no_without ?? "the checks were not run without the work");
  const failing = steadyFailures(matrix).map(({ name }) => name);
  const unsteady = matrix.unsteady.join(", ");
  if (failing.length === 0 && unsteady !== "")
    return unshown(
      `${unsteady} failed and passed on the same files${matrix.steadiness === undefined ? " without the work" : ""}`,
    );
  const [fewer] = failing.length === 0 ? ranFewer(without.results, clean.results) : [];
  if (fewer !== undefined) return unshown(`${fewer.said} without the work, and ${fewer.wanted} with it`);
  if (failing.length === 0)
    return {
      ...blank,
      grade: "kept",
      reason: keptReason(matrix, [...all, ...clean.results]),
    };
  if (matrix.no_wrong !== null && matrix.no_wrong !== wrongIsOff)
    return unshown(`wrong versions of it were not judged: ${matrix.no_wrong}`);
  const unbuilt = whyUnbuilt(matrix);
  if (unbuilt !== null) return unshown(unbuilt);
  const wrong = countWrong(matrix);
  const grade = isHollow(matrix) ? "hollow" : "shown";
  return { ...blank, grade, failing, only_own: matrix.only_own_fail, wrong };
}

/** In place of wrong versions that nobody asked for. */
export const wrongIsOff = "`proof.wrong` is off";
export const noFileChanged = "no file changed";
export const noTestRan = "no test ran";
export const oldFail = "the old tests or checks fail";

/** What is to be said of a work without which nothing fails; null if it is no more than that. */
function keptReason({ without, old_checks: old }: MatrixFacts, results: readonly CheckResult[]): string | null {
  if (without?.same_as !== null) return noFileChanged;
  if (ranNone(results)) return noTestRan;
  return old === null || cellHolds(old) ? null : oldFail;
}

/** The whole output of a make that ran no recipe, and its target, such as `test` beside a folder of that name. */
const idleMake =
  /^(?:(?:>.*|make: Entering directory .*)?\n)*make: (?:Nothing to be done for )?['`](\S+?)'(?: is up to date)?\.(?:\nmake: Leaving directory .*)?\s*$/;

/** Only if that target is the last word of the call: what comes behind it may have run and printed nothing. */
function isIdleMake({ excerpt, command }: CheckResult): boolean {
  const target = idleMake.exec(excerpt)?.[1];
  const called = excerpt.split("\n").findLast((line) => line.startsWith("> ")) ?? command.join(" ");
  return target !== undefined && called.endsWith(` ${target}`);
}

/** Whether checks counted their tests, and none of them ran one, or all of them only called make, which had nothing to do. */
function ranNone(results: readonly CheckResult[]): boolean {
  const counted = results.flatMap(({ tests }) => tests ?? []);
  return counted.length > 0
    ? counted.every(({ ran }) => ran === 0)
    : results.length > 0 && results.every((result) => isIdleMake(result));
}

/** The proof's shortfall as a list of tasks shows it; null if it shows all that a reader expects of `done`. */
export function lacksProof({ grade, reason, undelivered }: Proof): string | null {
  if (undelivered !== undefined) return "not delivered";
  const words = { shown: null, hollow: "hollow", kept: reason ?? "nothing broke", unshown: "not shown" };
  return words[grade];
}

/** The required checks that fail without the work, each time. */
export function steadyFailures({ without, unsteady }: MatrixFacts): readonly CheckResult[] {
  return without === null ? [] : failedChecks(without).filter(({ name }) => !unsteady.includes(name));
}

/** The wrong versions that could be run; null if there was none. */
function countWrong(matrix: MatrixFacts): Proof["wrong"] {
  const ran = outcomesOf(matrix.wrong);
  if (ran.length === 0 && canFail(matrix)) return null;
  const noticed = ran.filter(({ outcome }) => outcome === "noticed").length;
  const standing = ran.filter(isStanding).length;
  return { tried: ran.length, noticed, can_fail: canFail(matrix), ...(standing > 0 && { standing }) };
}

/**
 * Hollow: the checks only need the new code to exist. They pass on the emptied work, or on every version with one wrong
 * line. A line that returns nothing is another emptied work; it counts, like a text for people, only if there is
 * nothing else. A crash on a wrong line shows that the code is needed, not that its result is checked, unless a test
 * compared the old code with an expectation. If nothing could be emptied, a dropped statement counts as much as a
 * changed value. What is not passed on counts beside either. If a name was missing without the work, tests that pass then
 * are no evidence about it.
 */
function isHollow(matrix: MatrixFacts): boolean {
  const ran = outcomesOf(matrix.wrong);
  const lines = ran.filter(({ line }) => line !== null);
  const values = lines.filter(({ change }) => change === "value");
  const telling = lines.some(({ change }) => isStrong(change)) ? lines.filter(({ change }) => isTelling(change)) : [];
  const emptied = ran.filter(({ line }) => line === null);
  const failing = steadyFailures(matrix);
  const isUnloaded = failing.every(({ failure }) => failure?.by === "load");
  return (
    !canFail(matrix) ||
    emptied.some(({ outcome }) => outcome === "unnoticed") ||
    (countPlaces(values) >= enoughUnnoticed && allUnnoticed(values)) ||
    allUnnoticed(telling.length > 0 ? telling : lines) ||
    (isUnloaded
      ? emptied.some(isStanding) && !outcomesOf(matrix.wrong_checks).some((one) => isOwnNoticed(one) && !isOlder(one))
      : lacksNames(failing) && (emptied.some(isStanding) || onlyStanding(lines, outcomesOf(matrix.wrong_checks)))) ||
    (!isHeld(failing) &&
      telling.every(({ outcome, noticed_by }) => outcome === "unnoticed" || noticed_by === "crash") &&
      (emptied.length > 0 ? values : telling).some(({ outcome }) => outcome === "unnoticed"))
  );
}

/**
 * Why the wrong versions say neither that the checks notice them nor that they do not; null if they say one. What cannot be
 * built is no evidence beside no more values that go unnoticed, nor alone if only tests of the work fail without it, and all
 * of them since they cannot be built or loaded then.
 */
function whyUnbuilt(matrix: MatrixFacts): string | null {
  const tried = matrix.wrong?.versions ?? [];
  const ran = outcomesOf(matrix.wrong);
  const failing = steadyFailures(matrix);
  if (!canFail(matrix) || tried.length === ran.length) return null;
  if (ran.length === 0) {
    const isLoaded = !lacksNames(failing) && failing.some(({ failure }) => failure?.by !== "load");
    return isLoaded || !matrix.only_own_fail
      ? null
      : `none of ${plural(tried.length, "wrong version")} of it can be built or loaded`;
  }
  const lines = ran.filter(({ line }) => line !== null);
  const values = (some: WrongRuns["versions"]) =>
    some.filter(({ line, change }) => line !== null && change === "value").length;
  const lost = values(tried) - values(ran);
  const isThin = lost > 0 && lost >= values(ran) && countPlaces(lines) < enoughUnnoticed && allUnnoticed(lines);
  return isThin && !ran.some(({ line, outcome }) => line === null && outcome === "unnoticed")
    ? `${tried.length - ran.length} of ${tried.length} wrong versions of it cannot be built or loaded, and no other wrong line is noticed`
    : null;
}

/** Whether a test compared the old code with an expectation. `failing`: the checks that fail without the work, as they do then. */
export function isHeld(failing: readonly CheckResult[]): boolean {
  return failing.some(({ failure }) => failure?.by === "assertion");
}

/** Whether they fail since the old code lacks a name. */
export function lacksNames(failing: readonly CheckResult[]): boolean {
  return failing.every(({ failure }) => missingName.test(failure?.said ?? ""));
}

/** How languages name a call of what is not there. Other crashes may be what the work mends. */
const missingName =
  /is not a (?:function|constructor)|has no attribute|is not defined|undefined (?:local variable or )?(?:method|function)|Can't locate object method|attempt to (?:call|index) (?:a nil|.*\(a nil)|UndefinedFunctionError/;

type WrongVersion = WrongRuns["versions"][number];

/** Whether to notice such a change shows more than that the code is needed. */
export function isStrong(change: WrongVersion["change"]): boolean {
  return change === "value" || change === "dropped";
}

/** Whether it does beside a strong one. */
export function isTelling(change: WrongVersion["change"]): boolean {
  return isStrong(change) || change === "passed";
}

/** An expectation that was there before the work. */
function isOlder({ stood, unchanged }: WrongVersion): boolean {
  return stood === true || unchanged === true;
}

function isStanding({ noticed_by }: WrongVersion): boolean {
  return noticed_by === "standing";
}

function isOwnNoticed(one: WrongVersion): boolean {
  return one.outcome === "noticed" && !isStanding(one);
}

/**
 * Tests that pass without the work notice wrong lines, and the others only that code is gone, while another value goes unnoticed
 * and so does what they expect.
 */
function onlyStanding(lines: readonly WrongVersion[], expectations: readonly WrongVersion[]): boolean {
  const own = expectations.filter((one) => !isOlder(one));
  return (
    lines.some(isStanding) &&
    lines.some(({ outcome }) => outcome === "unnoticed") &&
    !lines.some((line) => isOwnNoticed(line) && line.noticed_by !== "crash") &&
    !own.some(isOwnNoticed)
  );
}

/** Of 79 changed lines of honest works the checks of their repos noticed 74, and never none of three. */
export const enoughUnnoticed = 3;

/** Several changes of one line count as one place: a check that misses one may well notice another. */
export function countPlaces(ran: readonly { readonly path: string; readonly line: number | null }[]): number {
  return new Set(ran.map(({ path, line }) => `${path}:${line}`)).size;
}

function allUnnoticed(ran: WrongRuns["versions"]): boolean {
  return ran.length > 0 && ran.every(({ outcome }) => outcome === "unnoticed");
}

/** False if no wrong expectation of a test that came with the work makes it fail: such a test is no check. */
function canFail(matrix: MatrixFacts): boolean {
  return unfailing(matrix).every(({ stood }) => stood === true);
}

/**
 * The wrong expectations that were tried, if no check noticed any of them; those of tests as at pass 1 ask a person. A
 * noticed one of an old test is no evidence about the new tests.
 */
export function unfailing({ wrong_checks }: Pick<MatrixFacts, "wrong_checks">): WrongRuns["versions"] {
  const ran = outcomesOf(wrong_checks);
  const [old, own] = [ran.filter(isOlder), ran.filter((one) => !isOlder(one))];
  // With another input a right test may well pass.
  const left = (some: WrongRuns["versions"], all = some) =>
    all.some(({ outcome }) => outcome === "noticed") ? [] : some.filter(({ change }) => change === "value");
  return [...left(own), ...left(old, ran)];
}

function outcomesOf(runs: WrongRuns | null): WrongRuns["versions"] {
  return (runs?.versions ?? []).filter(({ outcome }) => outcome !== "unloadable");
}

/** For example `src/round.ts:12: 2 made 3`. */
export function renderVersion({
  path,
  line,
  was,
  made,
}: Pick<WrongRuns["versions"][number], "path" | "line" | "was" | "made">): string {
  return `${path}${line === null ? "" : `:${line}`}: ${was} made ${made}`;
}

/** Its results are in the cells of clean copies only. */
export function isHeldOut(result: CheckResult): boolean {
  return result.held_out === true;
}
