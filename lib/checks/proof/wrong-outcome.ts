import type { CheckResult } from "../../rules/check-run.ts";
import { failInOthers, type WrongRuns } from "../../rules/matrix.ts";
import { mostTests } from "../runs/read-failure.ts";

/** What running the checks on a wrong version showed. */
type Judged = Pick<WrongRuns["versions"][number], "outcome" | "noticed_by">;

export const unloadable: Judged = { outcome: "unloadable" };

interface Others {
  readonly clean: readonly CheckResult[];
  readonly without: readonly CheckResult[];
  /** The checks of pass 1 on its work. */
  readonly before: readonly CheckResult[];
  /** Whether a test is in a file as at pass 1, and in no other. */
  readonly isOld: (test: string) => boolean;
}

/**
 * `clean`, `without`: the deciding checks on the present work, and without it. `asTypes`: the checks only compile, so that
 * what does not is what they notice. A version is noticed if a deciding check
 * fails, and not only since something could not be built or loaded. What could not is known by the tests that ran, of which
 * there may be none, by the output, and, where it has neither, by what the checks say of a file that cannot be read at all.
 */
export async function outcomeOf(
  results: readonly CheckResult[],
  { clean: deciding, without, before, isOld }: Others,
  asTypes: boolean,
  whenBroken: () => Promise<string | null>,
): Promise<Judged> {
  const failed = results.filter(({ status }) => status !== "pass");
  if (failed.length === 0) return { outcome: "unnoticed" };
  let inDoubt: Judged | null = null;
  let standing: Judged | null = null;
  for (const result of failed) {
    if (result.status === "timeout") return { outcome: "noticed", noticed_by: "timeout" };
    if (result.status === "not_started") continue;
    const clean = deciding.find(({ name }) => name === result.name);
    // Whatever it failed by: the test runner could not load its tests.
    if (!asTypes && result.tests?.ran === 0 && clean?.tests?.ran !== 0) continue;
    const by = result.failure?.by ?? "other";
    const noticed: Judged = { outcome: "noticed", noticed_by: by };
    const gone = without.find(({ name }) => name === result.name);
    const passedThen = before.some(({ name, status }) => name === result.name && status === "pass");
    if (isStanding(result, clean, gone) || (passedThen && isOfOld(result, clean, gone, isOld))) {
      standing = { outcome: "noticed", noticed_by: "standing" };
      continue;
    }
    if (by === "assertion") return noticed;
    if (clean?.tests !== undefined && result.tests !== undefined) {
      if (by !== "load" && result.tests.ran >= clean.tests.ran) return noticed;
    } else if (!endedBefore(result, clean, gone) && (by !== "load" || asTypes)) inDoubt = noticed;
  }
  if (inDoubt === null) return standing ?? unloadable;
  return (await whenBroken()) === results.map(signatureOf).join("\n") ? unloadable : inDoubt;
}

/**
 * Whether all tests that fail pass without the work, as far as the test runner names them: those say nothing of what is new.
 * A runner that ran fewer tests may have stopped before the others.
 */
function isStanding(
  { failure, tests }: CheckResult,
  clean: CheckResult | undefined,
  without: CheckResult | undefined,
): boolean {
  const gone = without?.failure;
  if (failure === undefined || gone === undefined || gone.by === "load" || failure.by === "load") return false;
  if (tests === undefined || clean?.tests === undefined || tests.ran < clean.tests.ran) return false;
  if (gone.tests.length >= mostTests) return false;
  return failInOthers(failure, gone);
}

/**
 * Whether all tests that fail are as at pass 1, where without the work none could be built or loaded, so that nothing says
 * which of them pass then, but that the check passed before the work. Go prints no count, but each package, and goes on after
 * a test that fails unless it crashed; a script may call it more than once, and stop.
 */
function isOfOld(
  { failure, tests, excerpt, command }: CheckResult,
  clean: CheckResult | undefined,
  without: CheckResult | undefined,
  isOld: Others["isOld"],
): boolean {
  if (without?.failure?.by !== "load" || failure === undefined || failure.by === "load" || failure.by === "crash")
    return false;
  const packages = goPackages(excerpt);
  const isGo =
    /^--- FAIL: /m.test(excerpt) &&
    !/\[(?:build|setup) failed\]/.test(excerpt) &&
    !command.includes("-failfast") &&
    goPackages(clean?.excerpt ?? "").every((name) => packages.includes(name));
  const isAll = tests === undefined || clean?.tests === undefined ? isGo : tests.ran >= clean.tests.ran;
  return isAll && failure.tests.length > 0 && failure.tests.length < mostTests && failure.tests.every(isOld);
}

/** The packages whose tests ran, as Go names them. */
function goPackages(excerpt: string): string[] {
  return [...excerpt.matchAll(/^(?:ok {2}|FAIL)\t(\S+)/gm)].map(([, name = ""]) => name);
}

/**
 * Whether a check that counts tests counts none, as if settings that are wrong end the test runner before the first. A signal
 * ends it in one, and so does what the check may do beside its tests, if it compared the old work with an expectation.
 */
function endedBefore(
  { tests, exit_code: code }: CheckResult,
  clean: CheckResult | undefined,
  without: CheckResult | undefined,
): boolean {
  const counted = clean?.tests?.ran ?? 0;
  return counted > 0 && tests === undefined && code !== null && code < 128 && without?.failure?.by !== "assertion";
}

/** How a check ended, without what differs from run to run. */
export function signatureOf({ name, status, exit_code, excerpt, tests }: CheckResult): string {
  const plain = excerpt.replace(/\d+/g, "0").replace(/\S*\/\S*/g, "");
  return JSON.stringify([name, status, exit_code, tests?.ran ?? null, plain]);
}
