import { type CheckResult, isSameCheck } from "../../rules/check-run.ts";
import { cellHolds, isHeldOut } from "../../rules/matrix.ts";
import type { UnsteadyCheck } from "../../rules/steadiness.ts";
import type { CleanRan } from "./judge-clean.ts";
import { isSame, type MatrixRequest, presentContents, type Run } from "./matrix-runs.ts";

/** A check that failed and then passed in this pass. */
interface Suspect {
  /** What it said when it failed first. */
  readonly check: CheckResult;
  readonly failed: number;
  readonly ran: number;
  /** It failed only while other checks ran. */
  readonly isBeside: boolean;
  /** The tests that failed, or one without a name. */
  readonly tests: readonly string[];
}

/** Enough to see a check that fails each third time. */
const mostRuns = 3;

/**
 * Decides what caused a required check to fail and pass on one version of the code. A check that failed beside others
 * runs alone up to 3 more times: if it passes each time, the others are the cause. For the rest, the checks of pass 1
 * run on the work of pass 1, in the same manner, up to 3 times. If each failing test failed there too, and one of them
 * not always, this work is not the cause. Otherwise it is. A failure in an earlier pass on this code, and not since, is
 * reported. Null after a signal. Throws TP_DISK.
 */
export async function judgeSteadiness(
  request: MatrixRequest,
  clean: CleanRan | null,
  run: Run,
): Promise<UnsteadyCheck[] | null> {
  const suspects = findSuspects(request, clean);
  const alone = await runAlone(request, clean, suspects, run);
  if (alone === null) return null;
  const others = suspects.filter((suspect) => !passesAlone(suspect, alone));
  const isWhole = request.parallel === true || others.some(({ isBeside }) => isBeside);
  const how = isWhole ? { inTurn: false } : { inTurn: true, only: others.map(({ check }) => check.name) };
  const { before } = request;
  const isNothingNew = before !== null && isSame(presentContents(request), before);
  const there: (readonly CheckResult[])[] = [];
  const canRun = clean !== null && cellHolds(clean.cell) && before !== null && !isNothingNew;
  while (canRun && there.length < mostRuns && others.some((suspect) => judgeThere(suspect, there) !== "unsteady")) {
    const ran = await run(`steady-${there.length + 1}`, before, [], how);
    if (ran.kind === "aborted") return null;
    if (ran.kind === "refused") break;
    there.push(ran.cell.results);
  }
  const found = suspects.map((suspect): UnsteadyCheck => {
    const { check, failed, ran, tests } = suspect;
    const own = { name: check.name, passes: null, tests: tests.filter((test) => test !== ""), log: check.log };
    if (!others.includes(suspect)) return { ...own, kind: "beside", failed, ran, before: null };
    const now = resultsOf(suspect, alone);
    const runs = failingIn(suspect, there);
    return {
      ...own,
      kind: isNothingNew || judgeThere(suspect, there) === "unsteady" ? "before" : "since",
      failed: failed + now.filter(({ status }) => status !== "pass").length,
      ran: ran + now.length,
      before: runs.length === 0 ? null : { failed: runs.filter((tests) => tests.length > 0).length, ran: runs.length },
    };
  });
  const names = suspects.map(({ check }) => check.name);
  const earlier = await judgeEarlier(request, clean, { names, run });
  return earlier && [...found, ...earlier];
}

/** What failed beside others, alone, until each has failed or all have run 3 times. Null after a signal. */
async function runAlone(
  request: MatrixRequest,
  clean: CleanRan | null,
  suspects: readonly Suspect[],
  run: Run,
): Promise<CheckResult[][] | null> {
  const runs: CheckResult[][] = [];
  for (;;) {
    const open = suspects.filter(
      (one) => one.isBeside && resultsOf(one, runs).every(({ status }) => status === "pass"),
    );
    if (clean === null || !cellHolds(clean.cell) || open.length === 0 || runs.length === mostRuns) return runs;
    const only = open.map(({ check }) => check.name);
    const ran = await run(`alone-${runs.length + 1}`, presentContents(request), [], { inTurn: true, only });
    if (ran.kind === "aborted") return null;
    if (ran.kind === "refused") return runs;
    runs.push([...ran.cell.results]);
  }
}

function resultsOf({ check }: Suspect, runs: readonly (readonly CheckResult[])[]): CheckResult[] {
  return runs.flatMap((results) => results.filter((one) => isSameCheck(one, check)));
}

function passesAlone(suspect: Suspect, alone: readonly (readonly CheckResult[])[]): boolean {
  const results = resultsOf(suspect, alone);
  return results.length === mostRuns && results.every(({ status }) => status === "pass");
}

function findSuspects(request: MatrixRequest, clean: CleanRan | null): Suspect[] {
  const { first = [], beside } = request.run;
  const inClean = clean?.unsteady ?? [];
  const others = inClean.filter((check) => !first.some((one) => isSameCheck(one, check)));
  return [...first, ...others].map((check) => {
    const failures = [...first, ...inClean].filter((one) => isSameCheck(one, check));
    const tests = new Set(failures.flatMap(({ failure }) => failure?.tests ?? []));
    return {
      check,
      failed: failures.length,
      ran: failures.length + (clean === null ? 1 : 2),
      // If the pass saw that they collide, they run in turn in the copy.
      isBeside: ranBeside(request, check) && !(beside === true && inClean.some((one) => isSameCheck(one, check))),
      tests: tests.size === 0 ? [""] : [...tests],
    };
  });
}

/** More than one check of its kind ran at the same time. */
function ranBeside({ inTurn, parallel, ground }: MatrixRequest, check: CheckResult): boolean {
  const { validators, scenarios } = ground.checks;
  if (inTurn || parallel === true || isHeldOut(check)) return false;
  return (check.kind === "validator" ? validators : scenarios).length > 1;
}

/** Of each run that says something of it: which of its failing tests failed there. */
function failingIn({ check, tests }: Suspect, runs: readonly (readonly CheckResult[])[]): (readonly string[])[] {
  return runs.flatMap((results) => {
    const there = results.find((one) => isSameCheck(one, check));
    if (there === undefined) return [];
    if (there.status === "pass") return [[]];
    if (tests.includes("")) return [tests];
    const names = there.failure?.tests ?? [];
    // Tests that could not even be loaded say nothing of the one that failed.
    return names.length === 0 ? [] : [tests.filter((test) => names.includes(test))];
  });
}

function judgeThere(suspect: Suspect, there: readonly (readonly CheckResult[])[]): "unsteady" | "steady" | "untold" {
  const runs = failingIn(suspect, there);
  if (runs.length === 0) return "untold";
  if (!suspect.tests.every((test) => runs.some((failing) => failing.includes(test)))) return "steady";
  return suspect.tests.some((test) => runs.some((failing) => !failing.includes(test))) ? "unsteady" : "untold";
}

/** What failed on this code in an earlier pass runs up to 3 times more. */
async function judgeEarlier(
  request: MatrixRequest,
  clean: CleanRan | null,
  { names, run }: { readonly names: readonly string[]; readonly run: Run },
): Promise<UnsteadyCheck[] | null> {
  const known = [...request.failedOn].filter(([name]) => !names.includes(name));
  const checks = request.run.results.filter(({ name, required }) => required && known.some(([one]) => one === name));
  const runs: (readonly CheckResult[])[] = [];
  while (checks.length > 0 && clean !== null && cellHolds(clean.cell) && runs.length < mostRuns) {
    const only = checks.map(({ name }) => name);
    const ran = await run(`once-more-${runs.length + 1}`, presentContents(request), [], { inTurn: true, only });
    if (ran.kind === "aborted") return null;
    if (ran.kind === "refused") break;
    runs.push(ran.cell.results);
  }
  return checks.map((check) => {
    const failures = runs.flatMap((results) =>
      results.filter((one) => isSameCheck(one, check) && one.status !== "pass"),
    );
    return {
      name: check.name,
      kind: failures.length === 0 ? "once" : "since",
      failed: 1 + failures.length,
      ran: 2 + (clean === null ? 0 : 1) + runs.length,
      before: null,
      passes: { passed: request.pass, failed: request.failedOn.get(check.name) ?? 0 },
      tests: [...new Set(failures.flatMap(({ failure }) => failure?.tests ?? []))],
      log: failures[0]?.log ?? check.log,
    };
  });
}
