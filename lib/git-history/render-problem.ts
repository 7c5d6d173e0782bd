import type { describeCommits } from "../git/commits.ts";
import { errorFinding, type Finding, infoFinding, warningFinding } from "../report/finding.ts";
import type { ForgedStep } from "../shapes/reports/check.ts";
import { shorten } from "../text/shorten.ts";
import { nameCommit, type Problem, shownName } from "./problem.ts";

/** Of one task; a history that is wrong from end to end says nothing more after so many. */
const maxProblems = 50;

/** How commits are called, by their names. */
type Words = Awaited<ReturnType<typeof describeCommits>>;

/** What is said of a problem. `top` and `prefix`: what comes before the names of task folders. */
export function renderProblem(problem: Problem, top: string, prefix: string, words: Words): Finding {
  const { severity, code, text, sha, line, fix } = problem;
  const name = shownName(problem.task);
  const make = { error: errorFinding, warning: warningFinding, info: infoFinding }[severity];
  return make(code, `${shorten(name)}, ${nameCommit(sha, words.get(sha))}: ${text}`, {
    file: `${top}${shownName(prefix)}${name}/${problem.file}`,
    line,
    fix,
  });
}

/** A problem as the report lists it, with what was said of it. */
export function forgedStep(problem: Problem, finding: Finding | undefined, words: Words): ForgedStep {
  const { sha, move, code, line } = problem;
  const commit = words.get(sha);
  return {
    commit: sha,
    author: commit?.author ?? null,
    date: commit?.date ?? null,
    subject: commit?.subject ?? null,
    task: shownName(problem.task),
    from: move?.from ?? null,
    to: move?.to ?? null,
    code,
    file: finding?.file ?? problem.file,
    line,
    message: finding?.message ?? problem.text,
  };
}

/** The first ones, and how many more there are. */
export function firstProblems(problems: readonly Problem[]): readonly Problem[] {
  const rest = problems.slice(maxProblems);
  const told = rest.find(({ severity }) => severity === "error") ?? rest[0];
  if (told === undefined) return problems;
  const text = `${rest.length} more ${rest.length === 1 ? "remark" : "remarks"} about later commits of this task`;
  const more = { ...told, code: "TP_HISTORY_MORE", text, line: null, move: null, fix: "correct the first ones" };
  return [...problems.slice(0, maxProblems), more];
}
