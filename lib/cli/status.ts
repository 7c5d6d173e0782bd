import type { GitPlace } from "../git/place.ts";
import { type HostedTask, locateDecisions, locateEvidence } from "../pass/checkpoint/hosted.ts";
import { newestRun } from "../queue/loop/run-report.ts";
import { chooseNext, worstExit } from "../queue/loop/select-task.ts";
import { isLoopRunning } from "../queue/loop/write-notes.ts";
import { shortRef } from "../queue/views/branch-words.ts";
import type { CooldownView } from "../queue/views/inspect-cooldowns.ts";
import { inspectTask, openRoot } from "../queue/views/inspect-root.ts";
import type { RootTasks } from "../queue/views/inspect-rows.ts";
import type { InspectedTask } from "../queue/views/inspect-task.ts";
import { findLostCommit } from "../queue/views/moved-since.ts";
import { readHistory } from "../rules/add-event.ts";
import type { RootStatus, TaskStatus } from "../rules/shapes/reports/status.ts";
import type { StandingFacts } from "../rules/standing-facts.ts";
import { emptyJournal, readTaskJournal } from "../task/records/task-journal.ts";
import { locateTask } from "../task/records/task-place.ts";
import { distinctFindings, type Finding } from "../text/finding.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import type { Line } from "./paint.ts";
import { chooseRepository, findBranchTask, readBranches, toShown } from "./read-branches.ts";
import { countAsks, findEditors, isOnBranch, showAsks, shownAsks } from "./show-asks.ts";
import {
  addMore,
  type More,
  renderCooldown,
  renderNext,
  showRun,
  showTable,
  showTask,
  watchMore,
} from "./show-status.ts";
import { type ShownTask, toStatusKeys, toTaskKeys } from "./status-json.ts";
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
    json: toTaskKeys(task),
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
      json: toTaskKeys(shown),
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
      ...toStatusKeys(tasks, next, { tasks: tasks.map(toTaskKeys), loop_running: false, cooldowns: [] }),
      git: { repository: repository.top, base },
    } satisfies RootStatus,
    answer:
      tasks.length === 0
        ? [`no task folder on any branch of ${repository.top}`]
        : [...showTable(tasks), ...showRun(run), ...showAsks(tasks, context.cwd), renderNextTask(next, tasks)],
    findings: distinctFindings(tasks.flatMap((task) => task.findings)),
  };
}

/** The commands that act on a task work on folders. */
function renderNextTask(next: ShownTask | null, tasks: readonly ShownTask[]): string {
  if (next !== null) return `next: ${next.id ?? next.place.name}`;
  const asks = countAsks(tasks);
  const waits = asks === 0 ? "" : `; ${asks === 1 ? "a question waits" : `${asks} questions wait`} for an answer`;
  return `next: nothing is runnable${waits}`;
}

/** What is kept of each task until it is printed. */
interface BriefTask
  extends Pick<InspectedTask, "place" | "id" | "priority" | "phase" | "standing" | "brief" | "why" | "tone">,
    Pick<InspectedTask, "until" | "asked" | "history" | "unreadable">,
    More {
  readonly facts: Pick<StandingFacts, "briefEdited">;
}

interface Gathered {
  readonly tasks: BriefTask[];
  readonly asking: HostedTask[];
  /** Tasks with an evidence page. */
  readonly proven: HostedTask[];
  /** Each object once. */
  readonly findings: Set<Finding>;
  cooldowns: readonly CooldownView[];
}

/** `status` of a tasks root. Keeps of each task only what the summary needs; `--json` inspects it once more. */
async function showRoot(tasksRoot: string, context: CommandContext): Promise<CommandResult> {
  const root = openRoot(tasksRoot, context.flags.text("config"), context);
  const all = await gather(root, context);
  const { tasks, cooldowns } = all;
  // The first that a run would work on; if every one is hindered, the first of these.
  const next = chooseNext(tasks.filter(({ hindered }) => hindered === null)) ?? chooseNext(tasks);
  const run = newestRun(tasks);
  return {
    exitName: worstExit(tasks) ?? "ok",
    json: toStatusKeys(tasks, next, {
      tasks: () => toTasksKeys(root, all, context),
      loop_running: isLoopRunning({ kind: "root", tasksRoot }),
      cooldowns,
    }),
    answer: async () => {
      if (tasks.length === 0) return [`no task folder in ${tasksRoot}`];
      const asks = await showFirstAsks(all, context);
      const rest = [...cooldowns.map(renderCooldown), ...showRun(run), ...asks, renderNext(next, tasks, context.view)];
      return inTurn(showTable(tasks), rest);
    },
    findings: distinctFindings([...all.findings]),
  };
}

async function gather(root: RootTasks, context: CommandContext): Promise<Gathered> {
  const all: Gathered = { tasks: [], asking: [], proven: [], findings: new Set(), cooldowns: [] };
  const moreOf = watchMore(context);
  for (const task of root) {
    const { place, contract, hasPage, hasGit, asked, models } = task;
    const more = await moreOf(task);
    all.tasks.push(toBrief(addMore(task, more), more, all.tasks.at(-1)));
    for (const finding of task.findings) all.findings.add(finding);
    // They are those of the tasks root; a task that cannot be read knows of none.
    if (all.cooldowns.length === 0) all.cooldowns = models.cooldowns;
    if (contract === null) continue;
    if (hasPage) all.proven.push({ place, config: contract.config, hasPage, hasGit });
    if (asked.length > 0 && !isOnBranch(context, task)) all.asking.push({ place, config: contract.config, hasGit });
  }
  return all;
}

/** Many tasks have equal facts, which are stored once if the task before has them. */
function toBrief(task: InspectedTask, { hindered, moved }: More, last: BriefTask | undefined): BriefTask {
  const { place, id, priority, phase, standing, tone, until, asked, history, unreadable } = task;
  const why = task.why === last?.why ? last.why : task.why;
  const brief = task.brief === why ? why : task.brief;
  const facts = { briefEdited: task.facts.briefEdited };
  const more = { hindered, moved, facts };
  return { place, id, priority, phase, standing, brief, why, tone, until, asked, history, unreadable, ...more };
}

/** Each task in the JSON object. Git is asked where their evidence is, and where a browser answers them. */
async function toTasksKeys(
  root: RootTasks,
  { tasks, asking, proven }: Gathered,
  context: CommandContext,
): Promise<Iterable<TaskStatus>> {
  const located = await locateEvidence(proven, context);
  const editors = await locateDecisions(asking, context);
  const one = (task: InspectedTask, more: More) => {
    const editUrl = editors.get(task.place.taskDir) ?? null;
    const evidenceUrl = located.get(task.place.taskDir)?.link ?? null;
    // Not a copy: a spread of so many keys leaves a dictionary a task behind.
    const ahead = context.view?.get(task.place.name);
    return toTaskKeys(Object.assign(addMore(task, more), { editUrl, evidenceUrl, ...(ahead && { ahead }) }));
  };
  return (function* () {
    for (const [at, more] of tasks.entries()) {
      const task = root.at(at);
      if (task !== undefined) yield one(task, more);
    }
  })();
}

async function showFirstAsks({ tasks, asking }: Gathered, context: CommandContext): Promise<Line[]> {
  const first = tasks.filter(({ asked }) => asked.length > 0).slice(0, shownAsks);
  const editors = await locateDecisions(asking.slice(0, shownAsks), context);
  const shown = first.map(({ id, place, asked }) => ({
    id,
    place,
    asked,
    editUrl: editors.get(place.taskDir) ?? null,
    onBranch: isOnBranch(context, { place }),
  }));
  return showAsks(shown, context.cwd, countAsks(tasks));
}

function* inTurn(table: Iterable<Line>, rest: readonly Line[]): Generator<Line, void> {
  yield* table;
  yield* rest;
}
