import { emptyJournal, readTaskJournal } from "../anchor/task-journal.ts";
import { locateTask } from "../anchor/task-place.ts";
import { locateEvidence } from "../keep/hosted.ts";
import { worstExit } from "../loop/choose-next.ts";
import { readHistory } from "../machine/add-event.ts";
import type { Finding } from "../report/finding.ts";
import { inspectTask } from "../upkeep/inspect-one.ts";
import type { InspectedTask } from "../upkeep/inspect-task.ts";
import { findLostCommit } from "../upkeep/lost-commit.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { addMore, watchMore } from "./more-facts.ts";
import { chooseRepository } from "./read-branches.ts";
import { findEditors, showAsks } from "./show-asks.ts";
import { showTask } from "./show-status.ts";
import { showBranches } from "./status-branches.ts";
import { describe, type ShownTask } from "./status-json.ts";
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

/** The task with all that is found out about it besides its own files. */
export async function toShow(task: InspectedTask, context: CommandContext): Promise<ShownTask> {
  const { place, contract, hasPage, hasGit } = task;
  const hosted = contract === null || !hasPage ? [] : [{ place, config: contract.config, hasPage, hasGit }];
  const evidenceUrl = (await locateEvidence(hosted, context)).get(place.taskDir)?.link ?? null;
  const editUrl = (await findEditors([task], context))(task);
  return { ...addMore(task, await watchMore(context)(task)), editUrl, evidenceUrl };
}
