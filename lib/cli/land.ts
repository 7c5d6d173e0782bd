import { randomBytes } from "node:crypto";
import {
  isLanded,
  type LandableTask,
  type LandedTask,
  type LandingTask,
  listLandable,
  runLand,
} from "../fleet/land/run-land.ts";
import { sweepClones } from "../fleet/sweep-clones.ts";
import { realRoot } from "../queue/views/inspect-root.ts";
import type { LandKeys } from "../rules/shapes/reports/people.ts";
import { usageError } from "../text/errors.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { makeRunner } from "./fleet-remotes.ts";
import { type Line, paint } from "./paint.ts";
import { makePorts } from "./pass-ports.ts";
import { withSignals } from "./signals.ts";
import { chooseRoot } from "./target.ts";

export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const { flags } = context;
  const tasksRoot = realRoot(chooseRoot(context));
  return await withSignals(context, async (signal) => {
    const ports = makePorts(context, signal);
    const at = { tasksRoot, into: flags.text("into"), config: flags.text("config") };
    if (!flags.on("dry-run")) await sweepClones(tasksRoot, at.config, ports);
    const all = await listLandable(at, flags.list("task"), ports);
    const chosen = chooseTasks(all, context);
    if (chosen.length === 0) {
      const json: LandKeys = { tasks: [] };
      return {
        exitName: "ok",
        json,
        story: ["no branch of a task that is done is left to land"],
        answer: [],
        findings: [],
      };
    }
    const request = {
      ...{ ...at, tasks: chosen, open: all.filter(({ isIn }) => !isIn) },
      ...{ keep: flags.on("keep"), dryRun: flags.on("dry-run") },
      runner: makeRunner(context.env, randomBytes(6).toString("hex")),
    };
    const { tasks, findings } = await runLand(request, ports, (task) => context.tell(toLine(task)));
    const isDone = tasks.length === chosen.length && tasks.every(isLanded);
    return {
      exitName: isDone ? "ok" : "rejected",
      json: { tasks } satisfies LandKeys,
      answer: [],
      findings,
    };
  });
}

function toLine(landed: LandedTask): Line {
  const { task, outcome, why, fix } = landed;
  const style = isLanded(landed) ? "good" : "bad";
  const next = fix === null ? "" : `; next: ${fix}`;
  return [paint("heading", task), "  ", paint(style, outcome.replace("_", " ")), `  ${why}${next}`];
}

/** What a task depends on comes before it. */
function chooseTasks(all: readonly LandableTask[], { flags }: CommandContext): LandingTask[] {
  const named = flags.list("task");
  const done = all.filter(({ task }) => task.phase === "done");
  const open = done.filter(({ isIn }) => !isIn);
  if (named.length === 0 && (flags.on("all") || open.length === 1)) return inOrder(flags.on("all") ? done : open);
  if (flags.on("all") || named.length === 0)
    throw usageError("TP_USAGE_LAND", named.length > 0 ? "--all names every task already" : "no task was named", {
      fix: `write task-phase land --all, or name ${all.map(({ ahead }) => ahead.id).join(", ") || "a task with a branch"}`,
    });
  return inOrder(all.filter(({ task, ahead }) => named.includes(ahead.id) || named.includes(task.place.name)));
}

function inOrder(tasks: readonly LandingTask[]): LandingTask[] {
  const ordered: LandingTask[] = [];
  const visit = (one: LandingTask): void => {
    if (ordered.includes(one)) return;
    for (const id of one.task.told?.dependsOn ?? []) {
      const needed = tasks.find(({ ahead }) => ahead.id === id);
      if (needed !== undefined && needed !== one) visit(needed);
    }
    ordered.push(one);
  };
  for (const one of [...tasks].sort((left, right) => right.task.priority - left.task.priority)) visit(one);
  return ordered;
}
