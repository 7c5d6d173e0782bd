import type { CommitWords, readCommits } from "../git/commits.ts";
import { shownName } from "../git/list-tree.ts";
import type { GitPlace } from "../git/place.ts";
import type { Phase } from "../rules/phases.ts";
import type { ForgedStep } from "../rules/shapes/reports/check.ts";
import { plural } from "../rules/wording.ts";
import type { ExitName } from "../text/exit-codes.ts";
import { errorFinding, type Finding, infoFinding, warningFinding } from "../text/finding.ts";
import { shorten } from "../text/shorten.ts";

export interface Problem {
  readonly severity: Finding["severity"];
  readonly code: string;
  /** The exit for an error: an unreadable file is not a refused transition. */
  readonly exit: "rejected" | "data";
  readonly text: string;
  /** The commit's place among all, oldest first. */
  readonly order: number;
  readonly sha: string;
  readonly task: string;
  readonly file: string;
  readonly line: number | null;
  readonly fix: string | null;
  readonly move: { readonly from: Phase | null; readonly to: Phase } | null;
}

/** Such as `commit 1a2b3c4 ("Set done", Ann Example, 2026-11-21)`, safe to print. */
function nameCommit(sha: string, words: CommitWords | undefined): string {
  if (words === undefined) return `commit ${sha.slice(0, 12)}`;
  const { short, author, date, subject } = words;
  return `commit ${short} ("${shorten(subject, 60)}", ${shorten(author, 40)}, ${shorten(date.slice(0, 10), 10)})`;
}

const maxProblems = 50;

type Words = Awaited<ReturnType<typeof readCommits>>;

/** `top` and `prefix` come before the names of task folders. */
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

export function firstProblems(problems: readonly Problem[]): readonly Problem[] {
  const rest = problems.slice(maxProblems);
  const told = rest.find(({ severity }) => severity === "error") ?? rest[0];
  if (told === undefined) return problems;
  const text = `${plural(rest.length, "more remark")} about later commits of this task`;
  const more = { ...told, code: "TP_HISTORY_MORE", text, line: null, move: null, fix: "correct the first ones" };
  return [...problems.slice(0, maxProblems), more];
}

export function noGit(root: string): Finding {
  return errorFinding("TP_HISTORY_NO_GIT", "--history checks commits, but this folder is in no git repository", {
    file: root,
    fix: "omit --history, or check a clone",
  });
}

export function shallow(place: GitPlace): Finding {
  return errorFinding("TP_HISTORY_SHALLOW", "the history is incomplete: this is a shallow clone", {
    file: place.top,
    fix: "fetch the rest with git fetch --unshallow; in CI set fetch-depth: 0 (GitHub) or GIT_DEPTH: 0 (GitLab)",
  });
}

export function partial(place: GitPlace): Finding {
  return errorFinding("TP_HISTORY_PARTIAL", "files of the history are missing: this is a partial clone", {
    file: place.top,
    fix: "clone without --filter",
  });
}

/** No commit has a task here. With task folders on disk, a passing gate would have checked nothing. */
export function nothing(root: string, standing: readonly string[]): { finding: Finding; exits: readonly ExitName[] } {
  if (standing.length === 0) {
    const text = "no commit has a STATE.md or a journal of a task here, and there is no task folder here either";
    const fix = "check that the tasks root is the right one";
    return { finding: warningFinding("TP_HISTORY_EMPTY", text, { file: root, fix }), exits: [] };
  }
  const names = standing.slice(0, 5).map((name) => shorten(name, 40));
  const which = `${names.join(", ")}${standing.length > 5 ? " and more" : ""}`;
  const text = `there are task folders here but none was ever committed (${which}), so nothing was judged`;
  const fix = "commit them with STATE.md and artifacts/journal.jsonl, and make sure that git does not ignore them";
  return { finding: errorFinding("TP_HISTORY_UNCOMMITTED", text, { file: root, fix }), exits: ["data"] };
}
