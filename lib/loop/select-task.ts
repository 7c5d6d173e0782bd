import { exitOfStanding } from "../machine/exits.ts";
import type { Standing } from "../machine/standing-facts.ts";
import type { ExitName } from "../report/exit-codes.ts";
import { distinctFindings, type Finding } from "../report/finding.ts";
import { inspectRoot } from "../upkeep/inspect-root.ts";
import type { InspectedTask, InspectPorts } from "../upkeep/inspect-task.ts";
import { chooseNext, earliestEligible, worstExit } from "./choose-next.ts";
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

function asWarning(finding: Finding): Finding {
  return finding.severity === "error" ? { ...finding, severity: "warning" } : finding;
}

const nobody: ReadonlyMap<string, LeftTask> = new Map();

/**
 * The next task of a tasks root, or why there is none. Tasks that were left aside, by folder, are passed over until a
 * person has done something about them. `keeps`: as for `inspectRoot`.
 */
export function selectTask(
  tasksRoot: string,
  configFlag: string | null,
  ports: InspectPorts,
  left: ReadonlyMap<string, LeftTask> = nobody,
  keeps = true,
): Selection {
  const tasks = inspectRoot(tasksRoot, configFlag, ports, keeps);
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
  const decides = tasks.find((task) => exitOfStanding(task.standing, task.phase) === "needs_user_decision");
  if (decides !== undefined) return none("needs_user_decision", `a task waits for a person's decision${could}`);
  const blocked = tasks.find((task) => exitOfStanding(task.standing, task.phase) === "blocked");
  if (blocked !== undefined) return none("blocked", `a task is ${blocked.standing}${could}`);
  if (unavailable !== undefined) return none("unavailable", unavailable.reason);
  const worst = worstExit(tasks) ?? leftWith("failure", "data", "config")?.exitName ?? null;
  if (worst !== null) return none(worst, "a task cannot be read, or its contract is wrong");
  const refused = leftWith("rejected");
  if (refused !== undefined) return none("rejected", refused.reason);
  if (has("paused")) return none("paused", "a person paused the remaining tasks");
  if (has("cancelled")) return none("paused", "a person cancelled the remaining tasks");
  if (has("running") || leftWith("locked") !== undefined)
    return none("locked", "another runner holds the remaining tasks");
  if (has("waits")) return none("blocked", "a task waits for another task");
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
