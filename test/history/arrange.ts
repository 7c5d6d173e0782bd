import { mkdirSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { checkHistory } from "../../lib/history/check-history.ts";
import type { TaskEvent } from "../../lib/rules/events.ts";
import { parseTaskJournal } from "../../lib/task/records/task-journal.ts";
import { at, withFields } from "../cli/task-states.ts";
import { gitEnv } from "../git/git-repo.ts";
import { type CommitSpec, type MadeRepo, makeGitRepo } from "./git-maker.ts";
import { checksOn, type HonestTask, honestTask, taskAt } from "./honest-task.ts";

export type Files = CommitSpec["files"];

/** What is found, as `severity code order from → to`; `order` is the place of the commit in the list. */
interface Judged {
  readonly repo: MadeRepo;
  readonly report: Awaited<ReturnType<typeof checkHistory>>;
  readonly found: readonly string[];
}

export const everything = { task: null, since: null, standing: [], env: gitEnv, parseJournal: parseTaskJournal };

export async function judge(
  t: TestContext,
  commits: readonly CommitSpec[],
  options: { task?: string; root?: string; since?: number; standing?: readonly string[] } = {},
): Promise<Judged> {
  const repo = makeGitRepo(t, commits);
  const tasksRoot = path.join(repo.folder, options.root ?? "");
  mkdirSync(tasksRoot, { recursive: true });
  const report = await checkHistory({
    tasksRoot,
    task: options.task ?? null,
    since: options.since === undefined ? null : (repo.commits[options.since] ?? ""),
    standing: options.standing ?? [],
    env: gitEnv,
    parseJournal: parseTaskJournal,
  });
  const found = report.findings.map((finding) => {
    const order = repo.commits.findIndex((sha) => finding.message.includes(`commit ${sha.slice(0, 7)}`));
    return `${finding.severity} ${finding.code.replace("TP_HISTORY_", "")} ${order}`;
  });
  return { repo, report, found };
}

/** The files of a task as they stand in the tree of the repository. */
export function under(folder: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [path.posix.join(folder, name), content]));
}

export function commit(task: HonestTask, more: Files = {}, message = "a pass"): CommitSpec {
  return { files: under("T-1", { ...task.files(), ...more }), message };
}

export function stateOf(task: HonestTask, values: Readonly<Record<string, string>>): Files {
  return { "STATE.md": withFields(task.state(), values) };
}

/** Each pass of a task as a commit, up to the phase. */
export function walkTo(phase: Parameters<typeof taskAt>[0]): { task: HonestTask; commits: CommitSpec[] } {
  const task = honestTask();
  const commits = [commit(task)];
  for (const to of ["shape", "implement", "verify", "review", "done"] as const) {
    if (task.history().phase === phase) break;
    task.pass(to);
    commits.push(commit(task));
  }
  return { task, commits };
}

export const resumed = (from: "done" | "blocked", to: "intake" | "implement", state: string): TaskEvent => ({
  type: "resumed",
  at,
  from,
  to,
  reason: "again",
  state,
});

export const accepted = { verdict: "accepted", to: "done", escalation: null, failure: null, tickets: [] } as const;

export function present(fingerprint: string) {
  return { before: fingerprint, after: fingerprint, present: fingerprint };
}

/** The code that stands in review is not the one that was verified, and the journal says so. */
export function reviewedElsewhere(): HonestTask {
  const task = taskAt("verify");
  task.pass("review", { facts: { checks: checksOn("earlier"), fingerprint: present("earlier") } });
  return task;
}

/** A journal that begins like every other one, and went another way from its third event on. */
export function otherJournal(): string {
  const task = taskAt("shape");
  task.pass("done");
  return task.journal();
}

export function rename(files: Files, folder: string): Files {
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [name.replace(/^[^/]+/, folder), content]));
}
