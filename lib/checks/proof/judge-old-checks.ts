import { type CheckResult, failedChecks, ranFewer } from "../../rules/check-run.ts";
import { type Cell, cellHolds } from "../../rules/matrix.ts";
import { couldNotStart } from "../../rules/nothing-stood.ts";
import { matcherOf } from "../../store/glob-paths.ts";
import { readOriginText } from "../../task/origin.ts";
import { scriptsIn } from "../watch/manifests.ts";
import { testClass } from "../watch/test-paths.ts";
import type { CellCut, CellRan } from "./cell.ts";
import type { InnerTests } from "./inner-tests.ts";
import {
  findFormal,
  type MatrixRequest,
  noOrigin,
  presentContents,
  type Run,
  runSteadily,
  withPaths,
  withResults,
  withTexts,
} from "./matrix-runs.ts";

interface JudgedOld extends Pick<CellRan, "kind" | "cell"> {
  /** The checks of which nothing stood at pass 1. */
  readonly written: readonly string[];
  /** Data of both sides, or sources, with whose values or tests of pass 1 a check fails. */
  readonly data: readonly string[];
}

/**
 * The checks of pass 1 on the present work; if they fail, once more with the texts of `ended` in their place, and that counts
 * if they pass. Throws TP_DISK.
 */
export async function judgeOldChecks(
  request: MatrixRequest,
  clean: Cell,
  run: Run,
  inner: InnerTests,
  { builds, ended }: { readonly builds: ReadonlyMap<string, string>; readonly ended: ReadonlyMap<string, string> },
): Promise<JudgedOld | CellCut> {
  const first = await judgeOld(request, clean, run, inner, builds);
  if (ended.size === 0 || first.kind !== "ran" || cellHolds(first.cell)) return first;
  const apart: Run = (name, ...rest) => run(`${name}-unmarked`, ...rest);
  const again = await judgeOld(request, clean, apart, inner, new Map([...builds, ...ended]));
  return again.kind === "refused" || (again.kind === "ran" && !cellHolds(again.cell)) ? first : again;
}

/**
 * Present work, checks of pass 1, with `builds` as its text of what also builds the work; and once more with the data of
 * both sides that lost a value, as at pass 1, and with the tests of pass 1 in sources that hold both (`inner`): if a check
 * fails by an assertion then, or for those tests by anything, they were made to fit; a page or query only if that did not
 * fail at pass 1. Throws TP_DISK.
 */
async function judgeOld(
  request: MatrixRequest,
  clean: Cell,
  run: Run,
  inner: InnerTests,
  builds: ReadonlyMap<string, string>,
): Promise<JudgedOld | CellCut> {
  const old = await judgeChecks(request, clean, run, builds);
  const lost = request.sharedData.filter((one) => one.lost);
  const paths = lost.map(({ path }) => path);
  const { before } = request;
  const mayChange = matcherOf(request.testsMayChange);
  const tests = new Map([...inner.old].filter(([path]) => !mayChange(path)));
  const isAll = paths.length + tests.size === 0;
  if (old.kind !== "ran" || !cellHolds(old.cell) || isAll || before === null) return old;
  const texts = new Map([...builds, ...tests]);
  const restored = [...restoredOf(request), ...paths].filter((path) => !texts.has(path));
  const contents = withTexts(withPaths(presentContents(request), restored, before), texts);
  const held = await runSteadily(run, "old_data", contents, [], { restored });
  if (held.kind === "aborted") return held;
  if (held.kind === "refused") return old;
  const formal = await findFormal(request, run, inner.apart, failedChecks(held.cell));
  if (formal === null) return { kind: "aborted" };
  const cell = withResults(held.cell, [...formal, ...old.written], old.cell);
  // A page or a query may be what a test waited for, which says nothing of the rest.
  const isKnown = (check: CheckResult) =>
    lost.every(({ isSource }) => isSource) && failedBefore(check, request.earlier);
  const fails = failedChecks(cell).some(
    (check) => tests.size > 0 || (check.failure?.by === "assertion" && !isKnown(check)),
  );
  return fails ? { kind: "ran", cell, written: [], data: [...paths, ...tests.keys()] } : old;
}

/** Whether a check failed at pass 1, and each test that fails now did, too. */
function failedBefore({ name, kind, failure }: CheckResult, earlier: MatrixRequest["earlier"]): boolean {
  const was = earlier?.find((one) => one.name === name && one.kind === kind && one.status !== "pass");
  return was !== undefined && (failure?.tests ?? []).every((test) => was.failure?.tests.includes(test));
}

/** The paths of the checks' side that are taken as at pass 1. */
export function restoredOf({ changedChecks, testsMayChange }: MatrixRequest): string[] {
  const mayChange = matcherOf(testsMayChange);
  return changedChecks.filter((path) => !mayChange(path));
}

/**
 * A check that could not start then either is held against the tests that stood, and
 * against nothing if none did: it was written with this work. Throws TP_DISK.
 */
async function judgeChecks(
  request: MatrixRequest,
  clean: Cell,
  run: Run,
  builds: ReadonlyMap<string, string>,
): Promise<JudgedOld | CellCut> {
  const all = restoredOf(request);
  if (all.length === 0)
    return { kind: "ran", cell: { same_as: "clean", results: clean.results }, written: [], data: [] };
  const { before } = request;
  if (before === null) return { kind: "refused", reason: noOrigin };
  const restored = all.filter((path) => !builds.has(path));
  const contents = withTexts(withPaths(presentContents(request), restored, before), builds);
  const old = await runSteadily(run, "old_checks", contents, [], { restored });
  if (old.kind !== "ran") return old;
  const held = await holdWritten(request, { cell: old.cell, clean, restored: all }, run);
  if (held.kind !== "ran") return held;
  // Tests that the brief names are as they are now, so that their number says nothing.
  const isAll = all.length === request.changedChecks.length;
  const [fewer] = isAll && cellHolds(held.cell) ? ranFewer(held.cell.results, request.earlier ?? []) : [];
  if (fewer === undefined) return held;
  return { kind: "refused", reason: `with the tests of pass 1, ${fewer.said}, and ${fewer.wanted} before the work` };
}

/** Files that hold many scripts, targets or tasks, of which one is new. */
const scriptFiles =
  /(?:^|\/)(?:package\.json|composer\.json|deno\.jsonc?|pyproject\.toml|(?:GNU)?[Mm]akefile|\.?[Jj]ustfile|Rakefile|[Tt]askfile\.ya?ml)$/;

/** The checks that could not start, neither at pass 1 nor now, with what stood at pass 1 alone. */
async function holdWritten(
  request: MatrixRequest,
  { cell, clean, restored }: { readonly cell: Cell; readonly clean: Cell; readonly restored: readonly string[] },
  run: Run,
): Promise<JudgedOld | CellCut> {
  const { before, earlier, ground } = request;
  const scripts = scriptsIn(ground.origin === null ? null : readOriginText(ground.origin, "package.json"));
  const missing = failedChecks(cell).flatMap((check) => {
    const was = earlier?.find(({ name, kind }) => name === check.name && kind === check.kind);
    const words = wordsOf(check, scripts);
    const why = was === undefined ? null : couldNotStart(was, words);
    return why === null || couldNotStart(check, words) === null ? [] : [{ check, why }];
  });
  const hasTests = [...(before?.keys() ?? [])].some((path) => testClass(path) === "name");
  if (missing.length === 0 || before === null || (hasTests && missing.some(({ why }) => why === "tests")))
    return { kind: "ran", cell, written: [], data: [] };
  const isScript = missing.every(({ why }) => why === "script");
  const stood = restored.filter((path) => before.has(path) && !(isScript && scriptFiles.test(path)));
  const names = missing.map(({ check }) => check.name);
  const held =
    stood.length === 0
      ? { kind: "ran" as const, cell: clean }
      : await runSteadily(run, "old_tests", withPaths(presentContents(request), stood, before), [], {
          restored: stood,
          only: names,
        });
  if (held.kind !== "ran") return held;
  const results = cell.results.map((result): CheckResult => {
    const again = held.cell.results.find((one) => one.name === result.name && one.kind === result.kind);
    return names.includes(result.name) && again !== undefined ? again : result;
  });
  const passed = names.filter((name) => results.some((result) => result.name === name && result.status === "pass"));
  return { kind: "ran", cell: { ...cell, results }, written: passed, data: [] };
}

/**
 * The words of a command, `TEST` and `test/a.rb` for `TEST=test/a.rb`, and those of the package scripts of pass 1 that it
 * names.
 */
function wordsOf({ command }: CheckResult, scripts: ReadonlyMap<string, string>): string[] {
  const texts = [...command, ...command.map((word) => scripts.get(word) ?? "")];
  return texts.flatMap((text) => text.split(/[\s;&|"'=]+/));
}
