import type { CheckResult } from "../machine/check-run.ts";
import { type Calibration, type Cell, cellHolds, type SquareFacts } from "../machine/square.ts";
import { matcherOf } from "../store/glob-paths.ts";
import type { CellGround, CellOutcome, CellRequest } from "./cell.ts";
import { type CopyContents, contentsOf } from "./clean-copy.ts";
import type { PinnedCheck } from "./held-out.ts";
import { runCell } from "./run-cell.ts";

/** The input of the square, besides what each cell needs. */
export interface SquareRequest {
  readonly ground: CellGround;
  /** The present code: what the checks have just passed on. */
  readonly fingerprint: { readonly hash: string; readonly entries: ReadonlyMap<string, string> };
  /** Repo paths of the checks' side that differ from pass 1, sorted. */
  readonly changedChecks: readonly string[];
  /** Globs of tests that the task is meant to change: the guard takes them as they are now. */
  readonly testsMayChange: readonly string[];
  readonly calibration: Calibration;
  /** The results of the baseline; null if there was none. */
  readonly baseline: {
    readonly fingerprint: string;
    readonly results: readonly CheckResult[];
    /** The folders of dependencies that were there; null if no copy was made then. */
    readonly carried: readonly string[] | null;
  } | null;
  /** Of the work as at pass 1, whether its bytes are kept or not; null if they never were. */
  readonly originFingerprint: string | null;
  readonly heldOut: readonly PinnedCheck[];
  /** Why a cell is not to be run; null if it is. */
  readonly noControl: string | null;
  readonly noCounter: string | null;
  /** Absolute, and relative to the task folder. */
  readonly logFolder: string;
  readonly logRelative: string;
  readonly tell: (text: string) => void;
}

export type SquareOutcome =
  | { readonly kind: "judged"; readonly square: SquareFacts; readonly leftovers: readonly string[] }
  | { readonly kind: "aborted" };

/** At most so many paths that no copy holds are named. */
const mostLeftOut = 50;

/**
 * Judges the current code in clean copies. Cells that are equal by definition are not run: if no file of the checks'
 * side changed, the guard is the control and the counter is the baseline. If the control does not pass, nothing more is
 * run, since nothing more could be told from it. Throws TP_DISK.
 */
export async function judgeSquare(request: SquareRequest): Promise<SquareOutcome> {
  const blank: SquareFacts = {
    fingerprint: request.fingerprint.hash,
    calibration: request.calibration,
    changed_checks: request.changedChecks,
    control: null,
    guard: null,
    counter: null,
    no_control: request.noControl,
    no_guard: null,
    no_counter: null,
    left_out: [],
  };
  if (request.noControl !== null) return { kind: "judged", square: blank, leftovers: [] };
  const leftovers: string[] = [];
  const run: Run = async (name, contents, heldOut, restored = []) => {
    request.tell(`running the checks in a clean copy: ${describeCell[name]}`);
    const outcome = await runCell(request.ground, {
      name,
      contents,
      heldOut,
      restored,
      logFolder: `${request.logFolder}/${name}`,
      logRelative: `${request.logRelative}/${name}`,
    });
    if (outcome.kind !== "aborted" && outcome.leftover !== null) leftovers.push(outcome.leftover);
    return outcome;
  };
  const control = await run("control", presentContents(request), request.heldOut);
  if (control.kind === "aborted") return control;
  if (control.kind === "refused")
    return { kind: "judged", square: { ...blank, no_control: control.reason }, leftovers };
  const square: SquareFacts = {
    ...blank,
    control: control.cell,
    left_out: [...request.ground.nested, ...control.leftOut].slice(0, mostLeftOut),
  };
  if (!cellHolds(control.cell)) {
    const reason = "the checks do not pass in a clean copy of the current code";
    return { kind: "judged", square: { ...square, no_guard: reason, no_counter: reason }, leftovers };
  }
  const guard = await judgeGuard(request, control.cell, run);
  if (guard.kind === "aborted") return guard;
  const counter = await judgeCounter(request, control.carried, run);
  if (counter.kind === "aborted") return counter;
  return {
    kind: "judged",
    square: {
      ...square,
      guard: guard.kind === "cell" ? guard.cell : null,
      no_guard: guard.kind === "cell" ? null : guard.reason,
      counter: counter.kind === "cell" ? counter.cell : null,
      no_counter: counter.kind === "cell" ? null : counter.reason,
    },
    leftovers,
  };
}

const describeCell = {
  calibration: "the code of pass 1",
  control: "the current code",
  guard: "with the tests and checks of pass 1",
  counter: "without this work",
} as const;

type Run = (
  name: CellRequest["name"],
  contents: CopyContents,
  heldOut: readonly PinnedCheck[],
  restored?: readonly string[],
) => Promise<CellOutcome>;

type Settled =
  | { readonly kind: "cell"; readonly cell: Cell }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "aborted" };

const noOrigin = "the code of pass 1 is not kept on this machine";

/** Present work, checks of pass 1. */
async function judgeGuard(request: SquareRequest, control: Cell, run: Run): Promise<Settled> {
  const mayChange = matcherOf(request.testsMayChange);
  const restored = request.changedChecks.filter((path) => !mayChange(path));
  if (restored.length === 0) return { kind: "cell", cell: sameAs("control", control.results) };
  const { origin } = request.ground;
  if (origin === null) return { kind: "refused", reason: noOrigin };
  const contents = withPaths(presentContents(request), restored, origin.entries, "origin");
  return asSettled(await run("guard", contents, [], restored));
}

/** Work of pass 1, present checks. */
async function judgeCounter(request: SquareRequest, carried: readonly string[], run: Run): Promise<Settled> {
  if (request.noCounter !== null) return { kind: "refused", reason: request.noCounter };
  const { origin } = request.ground;
  const baseline = baselineInstead(request, carried);
  if (baseline !== null) return { kind: "cell", cell: sameAs("baseline", baseline) };
  if (origin === null) return { kind: "refused", reason: noOrigin };
  const work = contentsOf(origin.entries, "origin", request.ground);
  const contents = withPaths(work, request.changedChecks, request.fingerprint.entries, "repo");
  return asSettled(await run("counter", contents, request.heldOut));
}

/**
 * The baseline's results, if the counter would show nothing else: it ran on the work as at pass 1, no check changed
 * since, neither did the commands of the contract or which dependencies are there, and no check is held out.
 */
function baselineInstead(request: SquareRequest, carried: readonly string[]): readonly CheckResult[] | null {
  const { baseline, ground, changedChecks, heldOut } = request;
  if (baseline === null || changedChecks.length > 0 || heldOut.length > 0) return null;
  if (request.originFingerprint !== null && request.originFingerprint !== baseline.fingerprint) return null;
  if (baseline.carried !== null && baseline.carried.join("\n") !== carried.join("\n")) return null;
  const redact = (words: readonly string[]): string =>
    JSON.stringify(words.map((word) => ground.redactor.redact(word)));
  const required = [...ground.checks.validators, ...ground.checks.scenarios].filter((check) => check.required);
  const results = required.map(({ name, command }) =>
    baseline.results.find((result) => result.name === name && JSON.stringify(result.command) === redact(command)),
  );
  return results.includes(undefined) ? null : baseline.results;
}

function sameAs(other: "baseline" | "control", results: readonly CheckResult[]): Cell {
  return { same_as: other, results };
}

function asSettled(outcome: CellOutcome): Settled {
  if (outcome.kind === "ran") return { kind: "cell", cell: outcome.cell };
  return outcome.kind === "refused" ? { kind: "refused", reason: outcome.reason } : outcome;
}

/** The contents with these paths as the other version has them, or without them if it has none. */
function withPaths(
  contents: CopyContents,
  paths: readonly string[],
  entries: ReadonlyMap<string, string>,
  from: "repo" | "origin",
): CopyContents {
  const changed = new Map(contents);
  for (const path of paths) {
    changed.delete(path);
    const entry = entries.get(path);
    if (entry !== undefined) changed.set(path, { entry, from });
  }
  return changed;
}

function presentContents({ fingerprint, ground }: SquareRequest): CopyContents {
  return contentsOf(fingerprint.entries, "repo", ground);
}
