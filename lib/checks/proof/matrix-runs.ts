import type { Contract } from "../../documents/contract.ts";
import { type CheckResult, type CheckRun, failedChecks, isSameCheck } from "../../rules/check-run.ts";
import { type Cell, cellHolds } from "../../rules/matrix.ts";
import type { PinnedCheck } from "../../task/held-out.ts";
import { failsByCoverage } from "../runs/read-failure.ts";
import type { ExpectedData } from "../watch/expected-data.ts";
import type { CellCut, CellGround, CellOutcome, CellRan, CellRequest } from "./cell.ts";
import type { CellHome } from "./cell-home.ts";
import { type CopyContents, type CopyEntry, contentsOf } from "./clean-copy.ts";

/** The input of the matrix, besides what each cell needs. */
export interface MatrixRequest extends Pick<CellRequest, "heldOut" | "logFolder" | "logRelative"> {
  readonly ground: CellGround;
  /** The present code: what the checks have just passed on. */
  readonly fingerprint: { readonly hash: string; readonly entries: ReadonlyMap<string, string> };
  /** What is handed over of it. */
  readonly now: CopyContents;
  /** What stood below it at pass 1; null if this machine does not have that. */
  readonly before: CopyContents | null;
  /** Uncommitted tests that count as checks: paths of the repo. */
  readonly looseChecks: readonly string[];
  /** Paths that the repo has and the delivery lacks, or has with other bytes; each with its reason. */
  readonly undelivered: readonly { readonly path: string; readonly why: string }[];
  /** Repo paths of the checks' side that differ from pass 1, sorted. */
  readonly changedChecks: readonly string[];
  /** Data of both sides that differs, see expected-data.ts. */
  readonly sharedData: ExpectedData["shared"];
  /** Globs of tests that the task is meant to change: `old_checks` takes them as they are now. */
  readonly testsMayChange: readonly string[];
  /** Repo paths of tests that no check may rewrite in a copy of the present code, where none ran in the repo itself. */
  readonly guarded?: readonly string[];
  /** Those that the checks wrote before the work too: what they compare with is something else. */
  readonly ownWrites?: readonly string[];
  /** The checks of pass 1 on its work in a copy with an empty home, if they ran so already. */
  readonly calibration?: CellOutcome;
  /** The results in the repo before the work, null if there were none, and the run with which the checks just passed. */
  readonly earlier: readonly CheckResult[] | null;
  readonly run: CheckRun;
  /** The pass, and the checks that failed on this code in an earlier one, with that one. */
  readonly pass: number;
  readonly failedOn: ReadonlyMap<string, number>;
  /** How the checks of a cell run: see the contract; `inTurn`: one after the other from the start. */
  readonly parallel: Contract["parallel"];
  readonly inTurn: boolean;
  /** How many wrong versions are run at most, and for how many times as long as the checks take. */
  readonly wrongRules: { readonly max: number; readonly time: number };
  /** Why a cell is not to be run; null if it is. */
  readonly noClean: string | null;
  readonly noWithout: string | null;
  readonly noWrong: string | null;
  readonly tell: (text: string) => void;
  /** Why no more is run, and what runs was ended; null before that, and where a person ended it. Without it: never. */
  readonly isOver?: () => string | null;
}

export type Run = (
  name: string,
  contents: CopyContents,
  heldOut: readonly PinnedCheck[],
  how?: {
    readonly restored?: readonly string[];
    readonly only?: readonly string[];
    readonly longestMs?: ReadonlyMap<string, number>;
    readonly home?: CellHome;
    readonly inTurn?: boolean;
  },
) => Promise<CellOutcome>;

/**
 * Runs in which a check passes if only too little coverage fails: not all of these tests were written for this work. Only if
 * `mayPass`, which is asked one time, after the first such failure.
 */
export function passCoverage(run: Run, mayPass: () => Promise<boolean>): Run {
  let may: Promise<boolean> | undefined;
  return async (...call) => {
    const outcome = await run(...call);
    if (outcome.kind !== "ran" || !outcome.cell.results.some(failsByCoverage)) return outcome;
    may ??= mayPass();
    if (!(await may)) return outcome;
    const results = outcome.cell.results.map((result): CheckResult => {
      const { failure: _failure, ...rest } = result;
      return failsByCoverage(result) ? { ...rest, status: "pass" } : result;
    });
    return { ...outcome, cell: { ...outcome.cell, results } };
  };
}

interface SteadyRan extends CellRan {
  /** What the checks said that failed, and passed on the same bytes. */
  readonly unsteady: readonly CheckResult[];
}

/**
 * A run, and, if a required check failed in it, these checks once more on the same bytes, one after the other. `known`: the
 * first of them, where it was made already.
 */
export async function runTwice(
  run: Run,
  name: string,
  contents: CopyContents,
  heldOut: readonly PinnedCheck[],
  how: Parameters<Run>[3] = {},
  known?: CellOutcome,
): Promise<{ readonly first: CellOutcome; readonly again: CellOutcome | null }> {
  const first = known ?? (await run(name, contents, heldOut, how));
  if (first.kind !== "ran" || cellHolds(first.cell)) return { first, again: null };
  const only = failedChecks(first.cell).map((check) => check.name);
  return { first, again: await run(`${name}-again`, contents, heldOut, { ...how, only, inTurn: true }) };
}

/**
 * What fails is run once more on the same bytes: what passes then is unsteady, and of checks that ran side by side the
 * second run counts.
 */
export async function runSteadily(...call: Parameters<typeof runTwice>): Promise<SteadyRan | CellCut> {
  const { first, again } = await runTwice(...call);
  if (first.kind !== "ran") return first;
  if (again?.kind === "aborted") return again;
  const second = again?.kind === "ran" ? again.cell.results : [];
  const counts = second.filter(({ status }) => status === "pass" || first.cell.results.length > 1);
  const results = first.cell.results.map((one) => counts.find((two) => isSameCheck(one, two)) ?? one);
  const unsteady = first.cell.results.filter((one) =>
    second.some((two) => isSameCheck(one, two) && two.status === "pass"),
  );
  return { ...first, cell: { ...first.cell, results }, unsteady };
}

export const noOrigin = "the code of pass 1 is not kept on this machine";

/** The contents with these paths as the other version has them, or without them if it has none. */
export function withPaths(contents: CopyContents, paths: readonly string[], other: CopyContents): CopyContents {
  const changed = new Map(contents);
  for (const path of paths) {
    changed.delete(path);
    const entry = other.get(path);
    if (entry !== undefined) changed.set(path, entry);
  }
  return changed;
}

/** The contents with other texts of these files, as far as they are there. */
export function withTexts(contents: CopyContents, texts: ReadonlyMap<string, string>): CopyContents {
  const changed = new Map(contents);
  for (const [path, text] of texts) {
    const there = contents.get(path);
    if (there !== undefined) changed.set(path, { ...there, text });
  }
  return changed;
}

/** What is handed over, and the tests of a person that are not committed. */
export function presentContents({ now, looseChecks, fingerprint, ground }: MatrixRequest): CopyContents {
  return looseChecks.length === 0 ? now : withPaths(now, looseChecks, contentsOf(fingerprint.entries, "repo", ground));
}

/** Whether two versions have the same files. */
export function isSame(one: CopyContents, other: CopyContents): boolean {
  const isAs = ([path, { entry, text }]: [string, CopyEntry]) => other.get(path)?.entry === entry && text === undefined;
  return one.size === other.size && [...one].every(isAs);
}

/**
 * Of checks that failed on sources with other tests in them, those that fail so on the present work with its own, and
 * name no test: formatters and linters, which hold how it is written. Null after a signal.
 */
export async function findFormal(
  request: MatrixRequest,
  run: Run,
  apart: ReadonlyMap<string, string>,
  failed: readonly CheckResult[],
): Promise<readonly string[] | null> {
  const only = failed.flatMap(({ name, failure }) => ((failure?.tests.length ?? 0) === 0 ? [name] : []));
  if (apart.size === 0 || only.length === 0) return [];
  const ran = await run("apart", withTexts(presentContents(request), apart), [], { only });
  if (ran.kind === "aborted") return null;
  return ran.kind === "ran" ? failedChecks(ran.cell).map(({ name }) => name) : [];
}

/** The cell with the results that another has of these checks. */
export function withResults(cell: Cell, names: readonly string[], { results: others }: Cell): Cell {
  const results = cell.results.map((one) =>
    names.includes(one.name) ? (others.find((other) => isSameCheck(one, other)) ?? one) : one,
  );
  return { ...cell, results };
}
