import { intoBrief } from "../checks/proof/find-missing.ts";
import { type CheckResult, failedChecks, regressedTests, renderAttribution, whyFailed } from "../rules/check-run.ts";
import { whatFailed } from "../rules/gates-matrix.ts";
import { renderProof } from "../rules/headline.ts";
import { type Cell, gradeProof, type MatrixFacts } from "../rules/matrix.ts";
import type { ProveKeys, Proven } from "../rules/shapes/reports/prove.ts";
import { isExcused, renderUnsteady } from "../rules/steadiness.ts";
import { openChanges } from "../rules/watched.ts";
import type { ExitName } from "../text/exit-codes.ts";

export type JudgedKeys = Omit<ProveKeys, "base" | "duration_ms" | "proven_at" | "known" | "page">;

export interface JudgedProof {
  readonly keys: JudgedKeys;
  readonly tone: "good" | "amber" | "bad";
  readonly exitName: ExitName;
}

export interface Wishes {
  readonly acceptTests: boolean;
  readonly requireShown: boolean;
}

/** What the runs come to: the sentence, the table and the exit code. */
export function judgeProof(proven: Proven, base: string, wishes: Wishes): JudgedProof {
  const { matrix, watched, paths: changed, runs } = proven;
  const open = openChanges(watched, matrix);
  const failed = matrix?.clean ? failedChecks(matrix.clean) : [];
  const unsteady = (matrix?.steadiness ?? []).filter((check) => !isExcused(check));
  const sentence =
    matrix === null
      ? nothing(base, proven.uncompared)
      : proven.lack === undefined
        ? sentenceOf(matrix, failed, unsteady.map(renderUnsteady))
        : lacking(matrix, proven.lack);
  const isBad = proven.lack === undefined && (failed.length > 0 || unsteady.length > 0);
  const asks = open.length > 0 && !wishes.acceptTests;
  const { wrong } = sentence;
  const keys: JudgedKeys = {
    changed,
    grade: isBad ? null : sentence.grade,
    headline: asks && !isBad ? `${askFor(open.length)}. ${sentence.headline}` : sentence.headline,
    checks: tabulate(proven),
    wrong: wrong === null ? null : { tried: wrong.tried, noticed: wrong.noticed },
    unnoticed: listUnnoticed(matrix),
    watched: watched.map((change) => {
      const { name, kind, detail } = change;
      return { name, kind, change: change.change, detail: forChange(detail), asks: open.includes(change) };
    }),
    failing: failed.map((check) => ({
      ...renderFailure(check),
      compared: renderAttribution(check),
      failed_before: matrix?.calibration.kind === "differs" && regressedTests(check).length === 0,
    })),
    old_failing: matrix?.old_checks ? failedChecks(matrix.old_checks).map(renderOldFailure) : [],
    uncompared: proven.uncompared ?? null,
    unseparated: matrix?.unseparated ?? null,
    runs,
  };
  const isShort = wishes.requireShown && sentence.grade !== "shown";
  return {
    keys,
    tone: isBad || asks ? "bad" : sentence.tone,
    exitName: isBad ? "rejected" : asks ? "needs_user_decision" : exitUnasked(matrix, isShort),
  };
}

function exitUnasked(matrix: MatrixFacts | null, isShort: boolean): ExitName {
  // Nothing is known of the checks, so that 0 would say too much.
  if (matrix !== null && matrix.clean === null) return "failure";
  return isShort ? "no_progress" : "ok";
}

function renderFailure(check: CheckResult) {
  return { check: check.name, said: whyFailed(check), log: check.log };
}

/** Which tests of before fail is what a person has to look at. */
function renderOldFailure(check: CheckResult) {
  return { ...renderFailure(check), said: whatFailed(check) ?? whyFailed(check) };
}

interface Sentence extends Pick<JudgedKeys, "grade" | "headline" | "wrong"> {
  readonly tone: "good" | "amber";
}

function nothing(base: string, uncompared: string | undefined): Sentence {
  const rest = { wrong: null, tone: "amber" } as const;
  if (uncompared === undefined) return { ...rest, grade: "kept", headline: `Nothing differs from ${base}` };
  return { ...rest, grade: "unshown", headline: `Nothing else differs from ${base}; not compared: ${uncompared}` };
}

/** The checks pass here, and not in a copy. */
function lacking({ clean }: MatrixFacts, lack: string): Sentence {
  const passed = clean?.results.filter(({ required }) => required).length ?? 0;
  const proof = { passed, failing: [], only_own: false, wrong: null, looked: [], reason: forChange(lack) };
  return { grade: "unshown", headline: renderProof({ ...proof, grade: "unshown" }).shows, wrong: null, tone: "amber" };
}

function forChange(reason: string): string {
  return reason.replace(intoBrief, "below `defaults` of task-phase.yaml").replaceAll("pass 1", "the base");
}

function sentenceOf(matrix: MatrixFacts, failed: readonly CheckResult[], unsteady: readonly string[]): Sentence {
  const { clean, calibration } = matrix;
  if (clean === null)
    return { grade: "unshown", headline: `Not judged: ${matrix.no_clean ?? ""}`, wrong: null, tone: "amber" };
  if (failed.length > 0) {
    const reason = calibration.reason === null ? "It was not told from the base" : forChange(calibration.reason);
    const isTold = calibration.kind === "good" || failed.some((check) => regressedTests(check).length > 0);
    const before = isTold ? "" : `. ${reason}`;
    return {
      grade: null,
      headline: `${renderFailing(failed, clean).replace(/\.$/, "")}${before}`,
      wrong: null,
      tone: "amber",
    };
  }
  if (unsteady.length > 0) return { grade: null, headline: unsteady.join("; "), wrong: null, tone: "amber" };
  const run = { fingerprint_before: "", fingerprint_after: "", attempts: 1, moved: [], contract: "" };
  const proof = gradeProof({ ...run, results: clean.results }, matrix);
  const { tone, shows } = renderProof(proof);
  return { grade: proof.grade, headline: shows, wrong: proof.wrong, tone: tone === "good" ? "good" : "amber" };
}

const mostNamed = 3;

function renderFailing(failed: readonly CheckResult[], { results }: Cell): string {
  const told = failed.slice(0, mostNamed).map((check) => {
    const { name, failure } = check;
    // What the output says most about may be of a test that was broken before.
    const isMixed = (failure?.broken_before ?? []).length > 0 && regressedTests(check).length > 0;
    const said = isMixed ? renderAttribution(check) : whyFailed(check);
    return said === null ? name : `${name}: ${said}`;
  });
  const required = results.filter((result) => result.required).length;
  const who =
    required === 1
      ? "The check fails"
      : `${failed.length} of ${required} checks ${failed.length === 1 ? "fails" : "fail"}`;
  return `${who}: ${told.join("; ")}${failed.length > mostNamed ? "; and more" : ""}`;
}

function askFor(count: number): string {
  return `A person has to look at ${count === 1 ? "one change" : `${count} changes`} of tests or checks`;
}

function tabulate({ before, matrix }: Proven): JudgedKeys["checks"] {
  const { clean = null, old_checks = null, without = null } = matrix ?? {};
  const all = clean?.results ?? before;
  const markIn = (cell: Cell | null, { name, kind }: CheckResult) => {
    const found = cell?.results.find((one) => one.name === name && one.kind === kind);
    return found === undefined ? null : { status: found.status, log: cell?.same_as === null ? found.log : null };
  };
  return all.map((check) => ({
    name: check.name,
    command: check.command,
    before: markIn({ same_as: null, results: before }, check),
    clean: markIn(clean, check),
    old_checks: markIn(old_checks, check),
    without: markIn(without, check),
  }));
}

function listUnnoticed(matrix: MatrixFacts | null): JudgedKeys["unnoticed"] {
  const versions = [...(matrix?.wrong?.versions ?? []), ...(matrix?.wrong_checks?.versions ?? [])];
  return versions
    .filter(({ outcome }) => outcome === "unnoticed")
    .map(({ path, line, was, made }) => ({ path, line, was, made }));
}
