import { locateTask } from "../anchor/task-place.ts";
import { locateEvidence } from "../keep/hosted.ts";
import { chooseNext, earliestEligible, worstExit } from "../loop/choose-next.ts";
import { isLoopRunning } from "../loop/loop-lock.ts";
import { newestRun } from "../loop/newest-run.ts";
import { distinctFindings } from "../report/finding.ts";
import type { RootStatus } from "../shapes/reports/status.ts";
import { watchHindrances } from "../upkeep/hindrance.ts";
import { inspectTask } from "../upkeep/inspect-one.ts";
import { inspectRoot } from "../upkeep/inspect-root.ts";
import { type InspectedTask, withFacts } from "../upkeep/inspect-task.ts";
import { watchMoved } from "../upkeep/moved-since.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { showAct } from "./next-act.ts";
import { findEditors, showAsks } from "./show-asks.ts";
import { showCooldown, showRun, showTable, showTask } from "./show-status.ts";
import { describe, type ShownTask } from "./status-json.ts";
import { chooseTarget } from "./target.ts";

/** `status`: the state of each task, read without a lock. */
export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const target = chooseTarget(context);
  if (target.kind === "task") {
    const found = inspectTask(locateTask(target.taskDir, context.cwd), context.flags.text("config"), context);
    const tasks = await toShow([found], context);
    return {
      exitName: worstExit(tasks) ?? "ok",
      json: tasks.map(describe)[0] ?? {},
      story: [],
      answer: [...tasks.flatMap((task) => showTask(task, context.cwd)), ...showAsks(tasks, context.cwd)],
      findings: found.findings,
    };
  }
  const tasks = await toShow(inspectRoot(target.tasksRoot, context.flags.text("config"), context), context);
  const next = nextOf(tasks);
  const run = newestRun(tasks);
  // They are those of the tasks root; a task that cannot be read knows of none.
  const cooldowns = tasks.map((task) => task.models.cooldowns).find((list) => list.length > 0) ?? [];
  return {
    exitName: worstExit(tasks) ?? "ok",
    json: {
      run_id: run?.id ?? null,
      iteration: run?.passes ?? null,
      loop_running: isLoopRunning({ kind: "root", tasksRoot: target.tasksRoot }),
      // Made only if it is printed.
      get tasks() {
        return tasks.map(describe);
      },
      next: next?.id ?? next?.place.name ?? null,
      cooldowns,
      next_eligible_at: next === null ? earliestEligible(tasks) : next.until,
    } satisfies RootStatus,
    story: [],
    answer:
      tasks.length === 0
        ? [`no task folder in ${target.tasksRoot}`]
        : [
            ...showTable(tasks),
            ...cooldowns.map(showCooldown),
            ...showRun(run),
            ...showAsks(tasks, context.cwd),
            showNext(next, tasks),
          ],
    findings: distinctFindings(tasks.flatMap((task) => task.findings)),
  };
}

/** The tasks with all that is found out about them besides their own files. */
export async function toShow(tasks: readonly InspectedTask[], context: CommandContext): Promise<ShownTask[]> {
  const hindranceOf = watchHindrances(context);
  const located = await locateEvidence(
    tasks.flatMap(({ place, contract, hasPage, hasGit }) =>
      contract === null || !hasPage ? [] : [{ place, config: contract.config, hasPage, hasGit }],
    ),
    context,
  );
  const movedOf = watchMoved(context);
  const editorOf = await findEditors(tasks, context);
  const shown: ShownTask[] = [];
  for (const task of tasks) {
    const hindered = hindranceOf(task);
    const moved = task.phase === "done" ? await movedOf(task) : null;
    const isSame = hindered === task.facts.hindered && moved === task.facts.moved;
    const more = { editUrl: editorOf(task), evidenceUrl: located.get(task.place.taskDir)?.link ?? null };
    // Not a copy: there may be many, and nobody else has them.
    shown.push(Object.assign(isSame ? task : withFacts(task, { hindered, moved }), more));
  }
  return shown;
}

/** The first that a run would work on; if every one is hindered, the first of these. */
function nextOf(tasks: readonly ShownTask[]): ShownTask | null {
  return chooseNext(tasks.filter(({ facts }) => facts.hindered === null)) ?? chooseNext(tasks);
}

function showNext(next: ShownTask | null, tasks: readonly ShownTask[]): string {
  if (next === null) return `next: nothing is runnable${showAct(tasks)}`;
  const { id, facts, until } = next;
  if (facts.hindered !== null) return `next: ${id}, but ${facts.hindered.why}`;
  return `next: ${id}${until === null ? "" : `, not before ${until}: every model is cooling down`}`;
}
