import { emptyJournal, readTaskJournal } from "../anchor/task-journal.ts";
import { expectedOf, isSet, nextUtcMidnight } from "../budget/budgets.ts";
import { renderSpent } from "../budget/describe-budget.ts";
import { readRootUsage } from "../budget/root-usage.ts";
import { isTrusted, trustFix, untrusted } from "../config/trust.ts";
import { type Budget, findSpent, type Usage } from "../machine/budgets.ts";
import type { Hindered } from "../machine/standing-facts.ts";
import { activeLoopFile } from "../pass/precheck.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { findRepo, type TaskContract } from "../task/load-contract.ts";
import { judgeChecksAt } from "../task/require-ready.ts";
import type { InspectedTask, InspectPorts } from "./inspect-task.ts";

/**
 * Looks whether a runnable task is hindered by what no file of it says: the models, programs, the day's budget, another
 * loop. For who reads; a run finds it out itself. The tasks that one of these is asked for are of one root, whose day
 * is added up once.
 */
export function watchHindrances(ports: InspectPorts): (task: InspectedTask) => Hindered | null {
  const now = ports.now();
  let day: Usage | null = null;
  return (task) => {
    const { contract, models, callsModel, facts } = task;
    if (!callsModel || contract === null) return null;
    if (!isTrusted(task.place.tasksRoot, ports))
      return { why: `${untrusted}; ${trustFix(task.place.tasksRoot)}`, until: null };
    if (models.unavailable !== null) return { why: models.unavailable, until: null };
    if (facts.hindered !== null) return facts.hindered;
    const inRepo = findRepoHindrance(task, contract, ports);
    if (inRepo !== null) return { why: inRepo, until: null };
    return findDayHindrance(task, contract, () => (day ??= usageOfDay(task, now)), now);
  };
}

function findRepoHindrance(
  { place, history }: InspectedTask,
  loaded: TaskContract,
  ports: InspectPorts,
): string | null {
  const [missing] = judgeChecksAt({ ...place, lastPass: history.lastPass }, loaded, null, ports);
  if (missing !== undefined) return missing.message;
  const repo = repoOf(() => findRepo(place, loaded.contract, null, ports));
  const other = repo === null ? null : activeLoopFile(repo);
  return other === null ? null : `another loop is active in the repo: ${other}`;
}

/** Null if none is found: the next run may name one with --repo. */
function repoOf(find: () => string): string | null {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    return null;
  }
}

function usageOfDay({ place }: InspectedTask, now: Date): Usage {
  return readRootUsage(place, readTaskJournal(place.journal) ?? emptyJournal, null, now).day;
}

/** Hindered only if no model that may be called fits into what the day has left. */
function findDayHindrance(task: InspectedTask, { config }: TaskContract, day: () => Usage, now: Date): Hindered | null {
  const limits = config.budget.day;
  if (!isSet(limits)) return null;
  const budget: Budget = { scope: "day", limits, used: day() };
  const cooling = task.models.cooldowns.map(({ model }) => model);
  const calls = config.models
    .filter(({ name }) => !cooling.includes(name))
    .map((model) => ({ name: model.name, spent: findSpent([budget], expectedOf(task, model, 1))[0] }));
  const [first] = calls;
  if (first?.spent === undefined || calls.some(({ spent }) => spent === undefined)) return null;
  const until = nextUtcMidnight(now);
  return { why: `the budget of the day stops it until ${until}: ${renderSpent(first.spent, first.name)}`, until };
}
