import type { Shape } from "../text/shape.ts";
import { type CheckResult, failedChecks } from "./check-run.ts";
import type { matrixFacts } from "./shapes/matrix-facts.ts";
import type { VerdictEvent } from "./verdict-event.ts";
import { plural } from "./wording.ts";

type MatrixFacts = Shape<typeof matrixFacts>;

/** A required check that both failed and passed on one version of the code. */
export type UnsteadyCheck = NonNullable<MatrixFacts["steadiness"]>[number];

/** Not the work's doing: it says nothing of the work, and sends nothing to repair. */
export function isExcused({ kind }: UnsteadyCheck): boolean {
  return kind !== "since";
}

/** Whether the checks were seen to fail beside each other alone. */
export function failBeside(matrix: MatrixFacts | null): boolean {
  return matrix?.steadiness?.some(({ kind }) => kind === "beside") === true;
}

/** For example `since this work, tests fails 1 of 2 times; before it, 0 of 3 (wide rows)`. */
export function renderUnsteady({ name, kind, failed, ran, before, passes, tests }: UnsteadyCheck): string {
  if (kind === "beside") return `${name} fails beside other checks, and passes alone`;
  if (kind === "once" && passes !== null) return `${name}: ${renderFlip(passes)}`;
  const named = tests.length === 0 ? "" : ` (${tests.slice(0, mostNamed).join(", ")})`;
  const times = (count: number, of: number) => `${count} of ${plural(of, "time")}`;
  const known = before === null ? "before it, not known" : `before it, ${before.failed} of ${before.ran}`;
  if (kind === "since") return `since this work, ${name} fails ${times(failed, ran)}; ${known}${named}`;
  return `${name} fails ${times(failed, ran)} on the same code; before this work, ${before === null ? "not run" : times(before.failed, before.ran)}${named}`;
}

const mostNamed = 3;

/** For example `the same code passed in pass 6 and failed in pass 7`. */
export function renderFlip({ passed, failed }: NonNullable<UnsteadyCheck["passes"]>): string {
  const [first, second] = [`passed in pass ${passed}`, `failed in pass ${failed}`];
  return `the same code ${passed < failed ? `${first} and ${second}` : `${second} and ${first}`}`;
}

/** For example `tests and e2e fail side by side; the checks now run one after the other`. */
export function renderBeside(names: readonly string[]): string {
  const who = names.length === 1 ? `${names[0]} fails beside other checks` : `${names.join(" and ")} fail side by side`;
  return `${who}; the checks now run one after the other`;
}

/** The checks that failed on this code in an earlier pass, each with the newest such pass; excused ones are left out. */
export function failedOn(checked: readonly VerdictEvent[], fingerprint: string): ReadonlyMap<string, number> {
  const found = checked.flatMap(({ pass, checks, matrix }) => {
    if (checks?.fingerprint_after !== fingerprint) return [];
    const excused = (matrix?.steadiness ?? []).filter(isExcused).map(({ name }) => name);
    const first = checks.beside === true ? [] : (checks.first ?? []);
    const ofCode = failedChecks(checks).filter(({ failure }) => failure?.in_tasks !== true);
    const failed = [...ofCode, ...first, ...(matrix?.steadiness ?? [])].map(({ name }) => name);
    return failed.filter((name) => !excused.includes(name)).map((name) => [name, pass] as const);
  });
  return new Map(found);
}

/** Adds the newest earlier pass in which a check that fails in this one passed on this code. */
export function withPassed(
  results: readonly CheckResult[],
  checked: readonly VerdictEvent[],
  { pass, fingerprint }: { readonly pass: number; readonly fingerprint: string },
): CheckResult[] {
  const same = checked.filter(({ checks }) => checks?.fingerprint_after === fingerprint);
  return results.map((result) => {
    const passed = same.findLast(({ checks }) =>
      checks?.results.some(
        ({ name, kind, status }) => name === result.name && kind === result.kind && status === "pass",
      ),
    );
    return result.status === "pass" || passed === undefined
      ? result
      : { ...result, passes: { passed: passed.pass, failed: pass } };
  });
}
