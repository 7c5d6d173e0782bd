import { realpathSync, type Stats, statSync } from "node:fs";
import { placeOf, type TaskPlace } from "../anchor/task-place.ts";
import { isRunnable } from "../machine/standing.ts";
import type { Standing } from "../machine/standing-facts.ts";
import { usageError } from "../report/errors.ts";
import type { ExitName } from "../report/exit-codes.ts";
import { distinctFindings, type Finding } from "../report/finding.ts";
import { listOnce } from "../task/dependencies.ts";
import { listTaskFolders } from "../task/guarded-paths.ts";
import { type InspectedTask, type InspectPorts, inspectTask } from "../upkeep/inspect-task.ts";
import { isBack, type LeftTask } from "./left-tasks.ts";

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

/** Every task of a tasks root, by folder name; a usage error if the root is not a folder. */
export function inspectRoot(tasksRoot: string, configFlag: string | null, ports: InspectPorts): InspectedTask[] {
  const places = listRoot(tasksRoot);
  const listed = listOnce(realpathSync(tasksRoot));
  return places.map((place) => inspectTask(place, configFlag, ports, listed));
}

/** The places of every task of a tasks root; a usage error if the root is not a folder. */
export function listRoot(tasksRoot: string): TaskPlace[] {
  const stat = lookThroughLinks(tasksRoot);
  if (stat?.isDirectory() !== true) {
    throw usageError(
      "TP_TASKS_ROOT",
      stat === null ? "the tasks root does not exist" : "the tasks root is not a folder",
      {
        file: tasksRoot,
        fix: "name the folder that directly contains the task folders",
      },
    );
  }
  return listTaskFolders(realpathSync(tasksRoot)).map(placeOf);
}

/** Null if nothing is there, a ring of links and a name that is too long included. */
function lookThroughLinks(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/** The exit of a call over all of them: unreadable outranks wrong. Null if all is well. */
export function worstExit(tasks: readonly InspectedTask[]): ExitName | null {
  const exits = tasks.map((task) => task.unreadable);
  return (["failure", "data", "config"] as const).find((name) => exits.includes(name)) ?? null;
}

/**
 * The next task that a run can do something with: one whose models cool down comes after the others, then priority
 * decides, high before low, then the id. A task with an open dependency is not runnable, so dependencies come before
 * what needs them.
 */
export function chooseNext<Task extends InspectedTask>(tasks: readonly Task[]): Task | null {
  const key = (task: Task) => task.id ?? task.place.name;
  const runnable = tasks.filter(isRunnable);
  const cools = (task: Task) => (task.standing === "cooling" ? 1 : 0);
  return (
    runnable.sort((a, b) => cools(a) - cools(b) || b.priority - a.priority || (key(a) < key(b) ? -1 : 1))[0] ?? null
  );
}

/** The exit of a run of a task that needs a person; null if it does not. */
export function exitOfStop({ standing, phase }: Pick<InspectedTask, "standing" | "phase">): ExitName | null {
  switch (standing) {
    case "asks":
      return "needs_user_decision";
    case "stuck":
      return phase === "needs_user_decision" ? "needs_user_decision" : "blocked";
    case "blocked":
      return "blocked";
    case "paused":
    case "cancelled":
      return "paused";
    default:
      return null;
  }
}

function asWarning(finding: Finding): Finding {
  return finding.severity === "error" ? { ...finding, severity: "warning" } : finding;
}

const nobody: ReadonlyMap<string, LeftTask> = new Map();

/**
 * The next task of a tasks root, or why there is none. Tasks that were left aside, by folder, are passed over until a
 * person has done something about them.
 */
export function selectTask(
  tasksRoot: string,
  configFlag: string | null,
  ports: InspectPorts,
  left: ReadonlyMap<string, LeftTask> = nobody,
): Selection {
  const tasks = inspectRoot(tasksRoot, configFlag, ports);
  const open = tasks.filter((task) => {
    const known = left.get(task.place.taskDir);
    return known === undefined || isBack(task, known);
  });
  // One whose brief is not written yet must not keep the others from going on.
  const next = chooseNext(open.filter(({ facts }) => facts.hindered === null)) ?? chooseNext(open);
  const findings = distinctFindings(tasks.flatMap((task) => task.findings));
  // A finding about another task must not fail this one, and must not be dropped silently either.
  if (next !== null) return { kind: "selected", taskDir: next.place.taskDir, findings: findings.map(asWarning) };
  return { kind: "none", findings, tasks, ...describeNone(tasksRoot, tasks, left) };
}

/** Why nothing is runnable: what a person must do comes first, then what ends by itself. */
function describeNone(
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
  const could = unavailable === undefined ? "" : describeCouldRun(tasks, left, unavailable.reason);
  const decides = tasks.find((task) => exitOfStop(task) === "needs_user_decision");
  if (decides !== undefined) return none("needs_user_decision", `a task waits for a person's decision${could}`);
  const blocked = tasks.find((task) => exitOfStop(task) === "blocked");
  if (blocked !== undefined) return none("blocked", `a task is ${blocked.standing}${could}`);
  if (unavailable !== undefined) return none("unavailable", unavailable.reason);
  const worst = worstExit(tasks) ?? leftWith("failure", "data", "config")?.exitName ?? null;
  if (worst !== null) return none(worst, "a task cannot be read, or its contract is wrong");
  const refused = leftWith("rejected");
  if (refused !== undefined) return none("rejected", refused.reason);
  if (has("paused")) return none("paused", "a person paused what is left");
  if (has("cancelled")) return none("paused", "a person cancelled what is left");
  if (has("running") || leftWith("locked") !== undefined) return none("locked", "another runner holds what is left");
  if (has("waits")) return none("blocked", "a task waits for another");
  return { exitName: "ok", reason: "every task is done; nothing to do", nextEligibleAt: null };
}

/** What a person who looks after the stopped task would else find out only afterwards. */
function describeCouldRun(
  tasks: readonly InspectedTask[],
  left: ReadonlyMap<string, LeftTask>,
  reason: string,
): string {
  const [first, ...more] = tasks.filter(({ place }) => left.get(place.taskDir)?.exitName === "unavailable");
  if (first === undefined) return "";
  const others = more.length === 0 ? "" : ` and ${more.length} more`;
  const what = "no model can be called: ";
  const why = reason.startsWith(what) ? reason.slice(what.length) : reason;
  return `; and ${first.id ?? first.place.name}${others} could run, but ${what}${why}`;
}

/** When the first task that waits for a time could continue; null if none does. */
export function earliestEligible(tasks: readonly InspectedTask[]): string | null {
  return tasks.flatMap(({ until }) => until ?? []).sort()[0] ?? null;
}
