import type { CellGround, CellOutcome } from "../../../lib/checks/proof/cell.ts";
import type { CopyContents } from "../../../lib/checks/proof/clean-copy.ts";
import type { MatrixRequest, Run } from "../../../lib/checks/proof/matrix-runs.ts";
import type { CheckFailure, CheckResult } from "../../../lib/rules/check-run.ts";
import { createRedactor } from "../../../lib/text/redact.ts";
import { check, checkRun, failing } from "../../rules/arrange.ts";
import { cell } from "../../rules/matrix-facts.ts";

/** How a cell ends: with these results, for a reason, or by a signal. */
export type Ending = readonly CheckResult[] | { readonly reason: string; readonly leftOut?: never } | "aborted";

export interface RunCall {
  readonly name: string;
  readonly contents: CopyContents;
  readonly how: NonNullable<Parameters<Run>[3]>;
}

export function ran(
  results: readonly CheckResult[],
  leftOut: readonly string[] = [],
): Extract<CellOutcome, { kind: "ran" }> {
  return { kind: "ran", cell: cell(results), copy: "/copy", leftOut, rewritten: [] };
}

/** Cells that end as the script says; any other cell is an error. */
export function scriptRuns(script: Readonly<Record<string, Ending>>) {
  const calls: RunCall[] = [];
  const run: Run = (name, contents, _heldOut, how = {}) => {
    calls.push({ name, contents, how });
    const end = script[name];
    if (end === undefined) throw new Error(`the cell ${name} was not expected`);
    if (end === "aborted") return Promise.resolve({ kind: "aborted" });
    return Promise.resolve("reason" in end ? { kind: "refused", reason: end.reason } : ran(end));
  };
  return { run, calls, names: () => calls.map(({ name }) => name) };
}

export const passes = [check()];

/** The check `tests` with a failure by an assertion in these tests. */
export function fails(tests: readonly string[] = ["adds"], by: CheckFailure["by"] = "assertion"): CheckResult[] {
  return [failing({ failure: { by, tests: [...tests], said: null } })];
}

export function contents(entries: Readonly<Record<string, string>>): CopyContents {
  return new Map(Object.entries(entries).map(([path, entry]) => [path, { entry, from: "repo" as const }]));
}

export function ground(more: Partial<CellGround> = {}): CellGround {
  return {
    ...{ repo: "/nonexistent/repo", top: "/nonexistent/repo", blobs: "/nonexistent/blobs" },
    ...{ origin: null, history: null, pins: null, unseparated: null, sandbox: null, isSeen: () => true },
    ...{ listed: new Set<string>(), nested: [], settings: [], env: {}, rules: { carry: [], prepare: [] } },
    checks: { validators: [], scenarios: [] },
    home: { path: "/nonexistent/home", seen: "private" },
    ...{ copies: "/nonexistent/copies", temporary: "/nonexistent/work", redactor: createRedactor({}) },
    mark: { id: "mark", keepalivePath: "/nonexistent/mark" },
    signal: new AbortController().signal,
    ...more,
  };
}

export const old = { "work.js": "file 644 a", "a.test.js": "file 644 b" };
export const present = { ...old, "work.js": "file 644 c" };

/** Work that changed `work.js` and is delivered as it is; no check changed. */
export function matrixRequest(more: Partial<MatrixRequest> = {}): MatrixRequest {
  return {
    ground: ground(),
    fingerprint: { hash: "now", entries: new Map(Object.entries(present)) },
    ...{ now: contents(present), before: contents(old), looseChecks: [], undelivered: [], changedChecks: [] },
    ...{ sharedData: [], testsMayChange: [], earlier: null, run: checkRun(passes), pass: 2, failedOn: new Map() },
    ...{ parallel: "auto", inTurn: false, heldOut: [], wrongRules: { max: 8, time: 2 } },
    ...{ noClean: null, noWithout: null, noWrong: null, logFolder: "/nonexistent/logs", logRelative: "logs" },
    tell: () => undefined,
    ...more,
  };
}
