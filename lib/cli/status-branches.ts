import type { GitPlace } from "../git/place.ts";
import { chooseNext, worstExit } from "../loop/choose-next.ts";
import { newestRun } from "../loop/newest-run.ts";
import { distinctFindings } from "../report/finding.ts";
import type { RootStatus } from "../shapes/reports/status.ts";
import { shortRef } from "../upkeep/branch-words.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { showAct } from "./next-act.ts";
import { findBranchTask, readBranches, toShown } from "./read-branches.ts";
import { showAsks } from "./show-asks.ts";
import { showRun, showTable, showTask } from "./show-status.ts";
import { describe, describeAll, type ShownTask } from "./status-json.ts";

/** `status --git`: the state of each task as the branches of a repository have it. */
export async function showBranches(repository: GitPlace, context: CommandContext): Promise<CommandResult> {
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
        : [...showTable(tasks), ...showRun(run), ...showAsks(tasks, context.cwd), showNext(tasks, next)],
    findings: distinctFindings(tasks.flatMap((task) => task.findings)),
  };
}

function showNext(tasks: readonly ShownTask[], next: ShownTask | null): string {
  if (next !== null) return `next: ${next.id ?? next.place.name}`;
  // The commands that it names for a task that is stopped work on folders.
  return `next: nothing is runnable${showAct(tasks.filter(({ standing }) => standing === "asks"))}`;
}
