import type { GitPlace } from "../git/place.ts";
import { locateEvidence } from "../pass/keep/hosted.ts";
import { newestRun } from "../queue/loop/run-report.ts";
import { chooseNext, worstExit } from "../queue/loop/select-task.ts";
import { shortRef } from "../queue/upkeep/branch-words.ts";
import { inspectTask } from "../queue/upkeep/inspect-root.ts";
import type { InspectedTask } from "../queue/upkeep/inspect-task.ts";
import { findLostCommit } from "../queue/upkeep/moved-since.ts";
import { readHistory } from "../rules/add-event.ts";
import type { RootStatus } from "../rules/shapes/reports/status.ts";
import { emptyJournal, readTaskJournal } from "../task/records/task-journal.ts";
import { locateTask } from "../task/records/task-place.ts";
import { distinctFindings, type Finding } from "../text/finding.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { chooseRepository, findBranchTask, readBranches, toShown } from "./read-branches.ts";
import { countAsks, findEditors, isOnBranch, showAsks } from "./show-asks.ts";
import { addMore, showRun, showTable, showTask, watchMore } from "./show-status.ts";
import { describe, describeAll, type ShownTask } from "./status-json.ts";
import { showRoot } from "./status-root.ts";
import { chooseTarget } from "./target.ts";

/** `status`: the state of each task, read without a lock. */
export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const repository = chooseRepository(context);
  if (repository !== null) return showBranches(repository, context);
  const target = chooseTarget(context);
  if (target.kind === "root") return await showRoot(target.tasksRoot, context);
  const found = inspectTask(locateTask(target.taskDir, context.cwd), context.flags.text("config"), context);
  const task = await toShow(found, context);
  const lost = found.phase === "done" ? await findLost(found, context) : [];
  return {
    exitName: worstExit([task]) ?? "ok",
    json: describe(task),
    story: [],
    answer: [...showTask(task, context.cwd), ...showAsks([task], context.cwd)],
    findings: [...found.findings, ...lost],
  };
}

/** The list of tasks has no room for what this needs of the journal, nor time to ask git about each task. */
async function findLost({ place, contract }: InspectedTask, context: CommandContext): Promise<Finding[]> {
  const history = readHistory((readTaskJournal(place.journal) ?? emptyJournal).events);
  return await findLostCommit({ place, contract, history }, null, context);
}

/** The task with the facts that are not in its own files. */
export async function toShow(task: InspectedTask, context: CommandContext): Promise<ShownTask> {
  const { place, contract, hasPage, hasGit } = task;
  const hosted = contract === null || !hasPage ? [] : [{ place, config: contract.config, hasPage, hasGit }];
  const evidenceUrl = (await locateEvidence(hosted, context)).get(place.taskDir)?.link ?? null;
  const editUrl = (await findEditors([task], context))(task);
  const branch = { onBranch: isOnBranch(context, task), ...(context.ahead && { ahead: context.ahead }) };
  return { ...addMore(task, await watchMore(context)(task)), editUrl, evidenceUrl, ...branch };
}

/** `status --git`: the state of each task as the branches of a repository have it. */
async function showBranches(repository: GitPlace, context: CommandContext): Promise<CommandResult> {
  const { base, tasks: found } = await readBranches(repository, context);
  const named = context.flags.text("task-dir");
  const now = context.now();
  if (named !== null) {
    const task = findBranchTask(found, named);
    const shown = toShown(task, now);
    const at =
      task.readAt === null ? [] : [`read from: ${shortRef(task.readAt.ref)} (${task.readAt.commit.slice(0, 12)})`];
    return {
      exitName: worstExit([shown]) ?? "ok",
      json: describe(shown),
      story: [],
      answer: [...showTask(shown, context.cwd), ...at, ...showAsks([shown], context.cwd)],
      findings: task.findings,
    };
  }
  const tasks = found.map((task) => toShown(task, now));
  const next = chooseNext(tasks);
  const run = newestRun(tasks);
  return {
    exitName: worstExit(tasks) ?? "ok",
    json: {
      // A loop is a matter of the machine that it runs on.
      ...describeAll(tasks, next, { tasks: tasks.map(describe), loop_running: false, cooldowns: [] }),
      git: { repository: repository.top, base },
    } satisfies RootStatus,
    story: [],
    answer:
      tasks.length === 0
        ? [`no task folder on any branch of ${repository.top}`]
        : [...showTable(tasks), ...showRun(run), ...showAsks(tasks, context.cwd), showNext(next, tasks)],
    findings: distinctFindings(tasks.flatMap((task) => task.findings)),
  };
}

/** The commands that act on a task work on folders. */
function showNext(next: ShownTask | null, tasks: readonly ShownTask[]): string {
  if (next !== null) return `next: ${next.id ?? next.place.name}`;
  const asks = countAsks(tasks);
  const waits = asks === 0 ? "" : `; ${asks === 1 ? "a question waits" : `${asks} questions wait`} for an answer`;
  return `next: nothing is runnable${waits}`;
}
