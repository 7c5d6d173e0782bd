import { lstatSync } from "node:fs";
import { exitOfStanding } from "../../rules/exits.ts";
import { isRunnable, statusOf } from "../../rules/standing.ts";
import type { Standing } from "../../rules/standing-facts.ts";
import type { ExitName } from "../../text/exit-codes.ts";
import { asWarning, distinctFindings, type Finding } from "../../text/finding.ts";
import { inspectRoot } from "../views/inspect-root.ts";
import type { InspectedTask, InspectPorts } from "../views/inspect-task.ts";

export type Selection =
  | { readonly kind: "selected"; readonly taskDir: string; readonly findings: readonly Finding[] }
  | {
      readonly kind: "none";
      readonly exitName: ExitName;
      readonly reason: string;
      /** When something could continue by itself, if that is known; ISO 8601, UTC. */
      readonly nextEligibleAt: string | null;
      readonly findings: readonly Finding[];
      readonly tasks: readonly InspectedTask[];
    };

const nobody: ReadonlyMap<string, LeftTask> = new Map();

/**
 * The next task of a tasks root, or why there is none. Tasks that were left aside, by folder, are passed over until a
 * person has done something about them. `keeps`: as for `inspectRoot`. `busy`: those that this call works on.
 */
export function selectTask(
  tasksRoot: string,
  configFlag: string | null,
  ports: InspectPorts,
  left: ReadonlyMap<string, LeftTask> = nobody,
  keeps = true,
  busy: (taskDir: string) => boolean = () => false,
): Selection {
  const tasks = inspectRoot(tasksRoot, configFlag, ports, keeps);
  const open = tasks.filter((task) => {
    const { taskDir } = task.place;
    const known = left.get(taskDir);
    if (busy(taskDir)) return false;
    return known === undefined || isBack(task, known);
  });
  // A task whose brief is not written yet must not keep the others from going on.
  const next = chooseNext(open.filter(({ facts }) => facts.hindered === null)) ?? chooseNext(open);
  const findings = distinctFindings(tasks.flatMap((task) => task.findings));
  // A finding about another task must not fail this one, and must not be dropped silently either.
  if (next !== null) return { kind: "selected", taskDir: next.place.taskDir, findings: findings.map(asWarning) };
  return { kind: "none", findings, tasks, ...explainNone(tasksRoot, tasks, left) };
}

/** Why nothing is runnable: what a person must do comes first, then what ends by itself. */
function explainNone(
  tasksRoot: string,
  tasks: readonly InspectedTask[],
  left: ReadonlyMap<string, LeftTask>,
): Pick<Selection & { kind: "none" }, "exitName" | "reason" | "nextEligibleAt"> {
  const none = (exitName: ExitName, reason: string) => ({
    exitName,
    reason: `nothing is runnable; ${reason}`,
    nextEligibleAt: earliestEligible(tasks),
  });
  if (tasks.length === 0)
    return { exitName: "ok", reason: `no task folder in ${tasksRoot}; nothing to do`, nextEligibleAt: null };
  const has = (...standings: Standing[]) => tasks.some((task) => standings.includes(task.standing));
  const leftWith = (...exits: ExitName[]) => [...left.values()].find(({ exitName }) => exits.includes(exitName));
  const unavailable = leftWith("unavailable");
  const could = unavailable === undefined ? "" : renderCouldRun(tasks, left, unavailable.reason);
  const decides = tasks.find((task) => exitOfStanding(task.standing, task.phase) === "needs_user_decision");
  if (decides !== undefined) return none("needs_user_decision", `a task waits for a person's decision${could}`);
  const blocked = tasks.find((task) => exitOfStanding(task.standing, task.phase) === "blocked");
  if (blocked !== undefined) {
    const { id, place, standing, brief } = blocked;
    return none("blocked", `${id ?? place.name} is ${statusOf({ standing, brief })}${could}`);
  }
  if (unavailable !== undefined) return none("unavailable", unavailable.reason);
  const worst = worstExit(tasks);
  if (worst !== null) return none(worst, "a task cannot be read, or its contract is wrong");
  const failed = leftWith("failure", "data", "config");
  if (failed !== undefined) return none(failed.exitName, failed.reason);
  const refused = leftWith("rejected");
  if (refused !== undefined) return none("rejected", refused.reason);
  if (has("paused")) return none("paused", "a person paused the remaining tasks");
  if (has("cancelled")) return none("paused", "a person cancelled the remaining tasks");
  if (has("running")) return none("locked", "another runner holds the remaining tasks");
  const locked = leftWith("locked");
  if (locked !== undefined) return none("locked", locked.reason);
  if (has("waits")) return none("blocked", "a task waits for another task");
  return { exitName: "ok", reason: "every task is done; nothing to do", nextEligibleAt: null };
}

/** Names a task that could run, which a person who looks after the stopped one would find out only afterwards. */
function renderCouldRun(tasks: readonly InspectedTask[], left: ReadonlyMap<string, LeftTask>, reason: string): string {
  const [first, ...more] = tasks.filter(({ place }) => left.get(place.taskDir)?.exitName === "unavailable");
  if (first === undefined) return "";
  const others = more.length === 0 ? "" : ` and ${more.length} more`;
  const what = "no model can be called: ";
  const why = reason.startsWith(what) ? reason.slice(what.length) : reason;
  return `; and ${first.id ?? first.place.name}${others} could run, but ${what}${why}`;
}

export interface LeftTask {
  readonly exitName: ExitName;
  readonly reason: string;
  /** The result of `markOf` when the task was left; null: nothing brings it back in this call. */
  readonly mark: string | null;
}

/** The ends that a person's word, or the deadline of a question, changes. */
const untilPerson: ReadonlySet<ExitName> = new Set([
  "needs_user_decision",
  "blocked",
  "no_progress",
  "paused",
  "iterations",
  "budget",
]);

export function leaveTask(task: InspectedTask, { exitName, reason }: Pick<LeftTask, "exitName" | "reason">): LeftTask {
  return { exitName, reason, mark: untilPerson.has(exitName) ? markOf(task) : null };
}

/** True if a person did something about a task that was left, or a deadline passed, and a run can go on with it. */
export function isBack(task: InspectedTask, { mark }: LeftTask): boolean {
  return mark !== null && isRunnable(task) && markOf(task) !== mark;
}

function markOf({ place, asked }: InspectedTask): string {
  const { state, decisions, control, readme } = place;
  const due = asked.flatMap((question) => (question.due ? question.id : []));
  return [standOf([state, decisions, control, readme]), ...due].join("\n");
}

/** The exit of a call over all of them: unreadable outranks wrong. Null if all is well. */
export function worstExit(tasks: readonly Pick<InspectedTask, "unreadable">[]): ExitName | null {
  const exits = tasks.map((task) => task.unreadable);
  return (["failure", "data", "config"] as const).find((name) => exits.includes(name)) ?? null;
}

type Ranked = Pick<InspectedTask, "standing" | "priority" | "id" | "place">;

/**
 * The next task that a run can do something with: one whose models cool down comes after the others, then priority
 * decides, high before low, then the id. A task with an open dependency is not runnable, so dependencies come before
 * what needs them.
 */
export function chooseNext<Task extends Ranked>(tasks: readonly Task[]): Task | null {
  let first: Task | null = null;
  for (const task of tasks) {
    if (isRunnable(task) && (first === null || comesBefore(task, first))) first = task;
  }
  return first;
}

function comesBefore(task: Ranked, other: Ranked): boolean {
  const cools = task.standing === "cooling";
  if (cools !== (other.standing === "cooling")) return !cools;
  if (task.priority !== other.priority) return task.priority > other.priority;
  return (task.id ?? task.place.name) < (other.id ?? other.place.name);
}

/** When the first task that waits for a time could continue; null if none does. */
export function earliestEligible(tasks: readonly Pick<InspectedTask, "until">[]): string | null {
  return tasks.flatMap(({ until }) => until ?? []).sort()[0] ?? null;
}

/** A text that differs as soon as one of these files was changed, made or removed. */
export function standOf(paths: readonly string[]): string {
  return paths
    .map((path) => lstatSync(path, { bigint: true, throwIfNoEntry: false }))
    .map((stats) => (stats === undefined ? "-" : `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`))
    .join("\n");
}
