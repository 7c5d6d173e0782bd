import { realpathSync, type Stats, statSync } from "node:fs";
import { listTaskFolders } from "../pass/guarded-paths.ts";
import { type InspectedTask, type InspectPorts, inspectTask, isRunnable, type Standing } from "../pass/inspect-task.ts";
import { placeOf, type TaskPlace } from "../pass/task-place.ts";
import { usageError } from "../report/errors.ts";
import type { ExitName } from "../report/exit-codes.ts";
import { distinctFindings, type Finding } from "../report/finding.ts";

export type Selection =
  | { readonly kind: "selected"; readonly taskDir: string; readonly findings: readonly Finding[] }
  | {
      readonly kind: "none";
      readonly exitName: ExitName;
      readonly reason: string;
      readonly findings: readonly Finding[];
    };

/** Every task of a tasks root, by folder name; a usage error where the root is no folder. */
export function inspectRoot(tasksRoot: string, configFlag: string | null, ports: InspectPorts): InspectedTask[] {
  return listRoot(tasksRoot).map((place) => inspectTask(place, configFlag, ports));
}

/** The places of every task of a tasks root; a usage error where the root is no folder. */
export function listRoot(tasksRoot: string): TaskPlace[] {
  const stat = lookThroughLinks(tasksRoot);
  if (stat?.isDirectory() !== true) {
    throw usageError(
      "TP_TASKS_ROOT",
      stat === null ? "the tasks root does not exist" : "the tasks root is not a folder",
      {
        file: tasksRoot,
        fix: "name the folder that directly holds the task folders",
      },
    );
  }
  return listTaskFolders(realpathSync(tasksRoot)).map(placeOf);
}

/** Null where nothing is there, a ring of links and a name that is too long included. */
function lookThroughLinks(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/** What a call over all of them ends with: what cannot be read weighs more than what is wrong. Null where all is well. */
export function worstExit(tasks: readonly InspectedTask[]): ExitName | null {
  const exits = tasks.map((task) => task.unreadable);
  return (["failure", "data", "config"] as const).find((name) => exits.includes(name)) ?? null;
}

/**
 * The next task that a run can do something with: priority first, high before low, then id. A task with an open
 * dependency is not runnable, so dependencies come before what needs them.
 */
export function chooseNext(tasks: readonly InspectedTask[]): InspectedTask | null {
  const key = (task: InspectedTask) => task.id ?? task.place.name;
  const runnable = tasks.filter(isRunnable);
  return runnable.sort((a, b) => b.priority - a.priority || (key(a) < key(b) ? -1 : 1))[0] ?? null;
}

function asWarning(finding: Finding): Finding {
  return finding.severity === "error" ? { ...finding, severity: "warning" } : finding;
}

/** The next task of a tasks root, or why there is none. */
export function selectTask(tasksRoot: string, configFlag: string | null, ports: InspectPorts): Selection {
  const tasks = inspectRoot(tasksRoot, configFlag, ports);
  const next = chooseNext(tasks);
  const findings = distinctFindings(tasks.flatMap((task) => task.findings));
  // What is wrong with another task must not fail this one, and must not be passed over without a word either.
  if (next !== null) return { kind: "selected", taskDir: next.place.taskDir, findings: findings.map(asWarning) };
  const has = (...standings: Standing[]) => tasks.some((task) => standings.includes(task.standing));
  const none = (exitName: ExitName, reason: string): Selection => ({ kind: "none", exitName, reason, findings });
  if (tasks.length === 0) return none("ok", `no task folder in ${tasksRoot}; nothing to do`);
  if (has("asking")) return none("needs_user_decision", "nothing is runnable; a task waits for a person's decision");
  const worst = worstExit(tasks);
  if (worst !== null) return none(worst, "nothing is runnable; a task cannot be read, or its contract is wrong");
  if (has("blocked", "waiting")) return none("blocked", "nothing is runnable; a task is blocked or waits for another");
  if (has("running")) return none("locked", "nothing is runnable; every open task is held by another runner");
  return none("ok", "every task is done; nothing to do");
}
