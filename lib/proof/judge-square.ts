import { type Cell, cellHolds, type SquareFacts, steadyFailures } from "../machine/square.ts";
import { matcherOf } from "../store/glob-paths.ts";
import { judgeControl } from "./judge-control.ts";
import { judgeCounter, onlyOwnFail } from "./judge-counter.ts";
import { judgeWrong } from "./judge-wrong.ts";
import { runCell } from "./run-cell.ts";
import {
  asSettled,
  noOrigin,
  presentContents,
  type Run,
  type Settled,
  type SquareRequest,
  withPaths,
} from "./square-runs.ts";

export type SquareOutcome =
  | { readonly kind: "judged"; readonly square: SquareFacts; readonly leftovers: readonly string[] }
  | { readonly kind: "aborted" };

/** At most so many paths that no copy holds are named. */
const mostLeftOut = 50;

/**
 * Judges the current code in clean copies. Cells that are equal by definition are not run: if no file of the checks'
 * side changed, the guard is the control. If the control does not pass, nothing more is run, since nothing more could be
 * told from it. Throws TP_DISK.
 */
export async function judgeSquare(request: SquareRequest): Promise<SquareOutcome> {
  const blank: SquareFacts = {
    fingerprint: request.fingerprint.hash,
    calibration: { kind: "none", reason: request.noControl, home: null },
    changed_checks: request.changedChecks,
    control: null,
    guard: null,
    counter: null,
    no_control: request.noControl,
    no_guard: null,
    no_counter: null,
    unsteady: [],
    only_own_fail: false,
    wrong: null,
    wrong_checks: null,
    no_wrong: null,
    left_out: [],
  };
  if (request.noControl !== null) return { kind: "judged", square: blank, leftovers: [] };
  const leftovers: string[] = [];
  let home = request.ground.home.seen;
  const run: Run = async (name, contents, heldOut, { restored = [], only, home: seen = home } = {}) => {
    request.tell(`running the checks in a clean copy: ${describeCell(name)}`);
    const outcome = await runCell(
      { ...request.ground, home: { ...request.ground.home, seen } },
      {
        name,
        contents,
        heldOut,
        restored,
        ...(only === undefined ? {} : { only }),
        logFolder: `${request.logFolder}/${name}`,
        logRelative: `${request.logRelative}/${name}`,
      },
    );
    if (outcome.kind !== "aborted" && outcome.leftover !== null) leftovers.push(outcome.leftover);
    return outcome;
  };
  const control = await judgeControl(request, run, request.ground.home.seen);
  if (control.kind === "aborted") return control;
  if (control.kind === "refused")
    return { kind: "judged", square: { ...blank, no_control: control.reason }, leftovers };
  home = control.home;
  const square: SquareFacts = {
    ...blank,
    calibration: control.calibration,
    control: control.cell,
    left_out: [...request.ground.nested, ...control.leftOut].slice(0, mostLeftOut),
  };
  if (!cellHolds(control.cell)) {
    const reason = "the checks do not pass in a clean copy of the current code";
    return { kind: "judged", square: { ...square, no_guard: reason, no_counter: reason }, leftovers };
  }
  const guard = await judgeGuard(request, control.cell, run);
  if (guard.kind === "aborted") return guard;
  const counter = await judgeCounter(request, run);
  if (counter.kind === "aborted") return counter;
  const judged: SquareFacts = {
    ...square,
    guard: guard.kind === "cell" ? guard.cell : null,
    no_guard: guard.kind === "cell" ? null : guard.reason,
    counter: counter.kind === "cell" ? counter.cell : null,
    no_counter: counter.kind === "cell" ? null : counter.reason,
    unsteady: counter.kind === "cell" ? counter.unsteady : [],
  };
  const wrong = await addWrong(
    request,
    { ...judged, only_own_fail: onlyOwnFail(request, steadyFailures(judged)) },
    run,
  );
  return wrong === null ? { kind: "aborted" } : { kind: "judged", square: wrong, leftovers };
}

const cellWords: Readonly<Record<string, string>> = {
  calibration: "the code of pass 1",
  "calibration-own-home": "the code of pass 1, with your home folder",
  control: "the current code",
  "control-own-home": "the current code, with your home folder",
  guard: "with the tests and checks of pass 1",
  counter: "without this work",
  "counter-again": "without this work, once more",
};

function describeCell(name: string): string {
  return cellWords[name] ?? (name.startsWith("wrong-check") ? "with a wrong expectation" : "with this work made wrong");
}

/** With the wrong versions, if a check fails without the work; null if a signal cut them short. */
async function addWrong(request: SquareRequest, square: SquareFacts, run: Run): Promise<SquareFacts | null> {
  const { control, counter } = square;
  const { origin, repo } = request.ground;
  if (control === null || counter === null || steadyFailures(square).length === 0) return square;
  if (request.noWrong !== null) return { ...square, no_wrong: request.noWrong };
  if (origin === null) return { ...square, no_wrong: noOrigin };
  const outcome = await judgeWrong({
    repo,
    origin,
    fingerprint: request.fingerprint,
    changedChecks: request.changedChecks,
    contents: presentContents(request),
    clean: control,
    deciding: steadyFailures(square),
    rules: request.wrongRules,
    run: (name, contents, only) => run(name, contents, request.heldOut, { only }),
  });
  if (outcome.kind === "aborted") return null;
  if (outcome.kind === "refused") return { ...square, no_wrong: outcome.reason };
  return { ...square, wrong: outcome.wrong, wrong_checks: outcome.wrongChecks };
}

/** Present work, checks of pass 1. */
async function judgeGuard(request: SquareRequest, control: Cell, run: Run): Promise<Settled> {
  const mayChange = matcherOf(request.testsMayChange);
  const restored = request.changedChecks.filter((path) => !mayChange(path));
  if (restored.length === 0) return { kind: "cell", cell: { same_as: "control", results: control.results } };
  const { origin } = request.ground;
  if (origin === null) return { kind: "refused", reason: noOrigin };
  const contents = withPaths(presentContents(request), restored, origin.entries, "origin");
  return asSettled(await run("guard", contents, [], { restored }));
}
