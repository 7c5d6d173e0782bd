import { type CheckResult, failedChecks, isSameCheck } from "../../rules/check-run.ts";
import { cellHolds } from "../../rules/matrix.ts";
import type { UnsteadyCheck } from "../../rules/steadiness.ts";
import type { CellOutcome } from "./cell.ts";
import type { CleanOutcome } from "./judge-clean.ts";
import { isSame, type MatrixRequest, presentContents, type Run } from "./matrix-runs.ts";

type Clean = Extract<CleanOutcome, { kind: "ran" }>;

/** A check that failed and then passed in this pass. */
interface Suspect {
  /** What it said when it failed first. */
  readonly check: CheckResult;
  readonly failed: number;
  readonly ran: number;
  /** The tests that failed, or one without a name. */
  readonly tests: readonly string[];
}

/** Enough to see a check that fails each third time. */
const mostRuns = 3;

/**
 * Whose doing it is that a required check failed and passed on the same code: the checks of pass 1 run on the work of pass
 * 1, in the same manner, up to 3 times. Each failing test that failed there too, and one of them not always: not this
 * work's. Passed there each time: this work's. Only if that cannot tell, since it failed each time, or now this and now
 * another check, a check that failed beside others, passed alone and failed beside others again fails by that. What
 * failed in an earlier pass on this code, and not since, is named. Null after a signal. Throws TP_DISK.
 */
export async function judgeSteadiness(
  request: MatrixRequest,
  clean: Clean | null,
  run: Run,
): Promise<UnsteadyCheck[] | null> {
  const suspects = findSuspects(request, clean);
  const names = suspects.map(({ check }) => check.name);
  const isWhole = request.parallel === true || suspects.some(({ check }) => isBeside(request, check));
  const how = isWhole ? { inTurn: false } : { inTurn: true, only: names };
  const { before } = request;
  const isNothingNew = before !== null && isSame(presentContents(request), before);
  const there: (readonly CheckResult[])[] = [];
  const canRun = clean !== null && cellHolds(clean.cell) && before !== null && !isNothingNew;
  while (canRun && there.length < mostRuns && suspects.some((suspect) => judgeThere(suspect, there) !== "unsteady")) {
    const ran = await run(`steady-${there.length + 1}`, before, [], how);
    if (ran.kind === "aborted") return null;
    if (ran.kind === "refused") break;
    there.push(ran.cell.results);
  }
  const isCollision = collides(there);
  let again: boolean | null = request.run.beside ?? null;
  const found: UnsteadyCheck[] = [];
  for (const suspect of suspects) {
    const { check, failed, ran, tests } = suspect;
    const seen = isNothingNew ? "unsteady" : judgeThere(suspect, there);
    const mayBeBeside = isBeside(request, check) && (seen === "untold" || (seen === "unsteady" && isCollision));
    if (mayBeBeside && again === null && clean !== null) {
      const outcome = await run("clean-beside", presentContents(request), request.heldOut, { inTurn: false });
      if (outcome.kind === "aborted") return null;
      again = failsBeside(outcome, clean);
    }
    const runs = failingIn(suspect, there);
    found.push({
      name: check.name,
      kind: mayBeBeside && again === true ? "beside" : seen === "unsteady" ? "before" : "since",
      ...{ failed, ran, passes: null, tests: tests.filter((test) => test !== ""), log: check.log },
      before: runs.length === 0 ? null : { failed: runs.filter((tests) => tests.length > 0).length, ran: runs.length },
    });
  }
  const earlier = await judgeEarlier(request, clean, { names, run });
  return earlier && [...found, ...earlier];
}

/** More than one check of its kind ran at the same time. */
function isBeside({ inTurn, parallel, ground }: MatrixRequest, { kind }: CheckResult): boolean {
  const { validators, scenarios } = ground.checks;
  return !inTurn && parallel !== true && (kind === "validator" ? validators : scenarios).length > 1;
}

function findSuspects({ run: { first = [] } }: MatrixRequest, clean: Clean | null): Suspect[] {
  const inClean = clean?.unsteady ?? [];
  const others = inClean.filter((check) => !first.some((one) => isSameCheck(one, check)));
  return [...first, ...others].map((check) => {
    const failures = [...first, ...inClean].filter((one) => isSameCheck(one, check));
    const tests = new Set(failures.flatMap(({ failure }) => failure?.tests ?? []));
    return {
      check,
      failed: failures.length,
      ran: failures.length + (clean === null ? 1 : 2),
      tests: tests.size === 0 ? [""] : [...tests],
    };
  });
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

/** Whether in each run some check failed that passed in another. */
function collides(runs: readonly (readonly CheckResult[])[]): boolean {
  const passesIn = (results: readonly CheckResult[], check: CheckResult) =>
    results.find((one) => isSameCheck(one, check))?.status === "pass";
  const passesOnce = (check: CheckResult) => runs.some((results) => passesIn(results, check));
  return runs.length > 1 && runs.every((results) => failedChecks({ results }).some(passesOnce));
}

function failsBeside(outcome: CellOutcome, { cell }: Clean): boolean {
  const fails = outcome.kind === "ran" ? failedChecks(outcome.cell) : [];
  return fails.some((check) => cell.results.some((one) => isSameCheck(one, check) && one.status === "pass"));
}

/** What failed on this code in an earlier pass runs up to 3 times more. */
async function judgeEarlier(
  request: MatrixRequest,
  clean: Clean | null,
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
