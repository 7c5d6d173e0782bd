import { type Selection, selectTask } from "../queue/loop/select-task.ts";
import { inspectTask } from "../queue/views/inspect-root.ts";
import { usageError } from "../text/errors.ts";
import { distinctFindings } from "../text/finding.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import type { FlagName } from "./command-table.ts";
import { livePass } from "./live-line.ts";
import type { Line } from "./paint.ts";
import { findNotify, makePorts, type NamedModels, readModels, withPing } from "./pass-ports.ts";
import { asksLeft, shownAsks } from "./show-asks.ts";
import { passResult } from "./show-pass.ts";
import { renderNext } from "./show-status.ts";
import { watchSignals } from "./signals.ts";
import { chooseTarget, type Target } from "./target.ts";
import { passesIn, placeOfNamed, seeNow, workspaceOf } from "./workspace.ts";

export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const named = readModels(context);
  if (context.flags.on("claim")) return await (await import("./run-claim.ts")).runClaim(context, named);
  const stray = ["remote", "task", "attempt"].find((name) => context.flags.text(name as FlagName) !== null);
  if (stray !== undefined || context.flags.on("takeover"))
    throw usageError("TP_USAGE_CLAIM", `--${stray ?? "takeover"} is only for --claim`, {
      fix: "add --claim, or omit it",
    });
  const target = chooseTarget(context);
  return await withPing(
    context,
    () => findNotify(context, target),
    () => runOn(target, named, context),
  );
}

async function runOn(target: Target, named: NamedModels, context: CommandContext): Promise<CommandResult> {
  const { flags } = context;
  const selected =
    target.kind === "task"
      ? ({ kind: "selected", taskDir: target.taskDir, findings: [] } as const)
      : selectTask(target.tasksRoot, flags.text("config"), context, undefined, !flags.on("dry-run"));
  if (selected.kind === "none")
    return {
      exitName: selected.exitName,
      json: { reason: selected.reason, next_eligible_at: selected.nextEligibleAt },
      story: [selected.reason, ...(await whatToType(selected, context))],
      answer: [],
      findings: selected.findings,
    };
  const watch = watchSignals(context);
  const live = livePass(context);
  try {
    const request = {
      taskDir: selected.taskDir,
      repo: flags.text("repo"),
      ...named,
      timeoutMs: flags.number("timeout"),
      config: flags.text("config"),
      dryRun: flags.on("dry-run"),
      run: null,
    };
    const onePass = passesIn(workspaceOf(selected.taskDir, context));
    const report = await onePass(request, { ...makePorts(context, watch.signal), ...live.ports });
    const result = passResult(report, context);
    // Whatever became of the pass: nothing continues before someone answers.
    const asks = report.exit_name === "needs_user_decision" || report.details.asks.length > 0;
    const now = asks ? await seeNow(selected.taskDir, context) : context;
    const inspected = () => [inspectTask(placeOfNamed(selected.taskDir, now), flags.text("config"), now)];
    const story = [...(result.story ?? []), ...(await asksLeft(asks, inspected, now))];
    return { ...result, story, findings: distinctFindings([...selected.findings, ...result.findings]) };
  } finally {
    live.stop();
    watch.stop();
  }
}

/** The open questions with their commands, else how the task that is stopped continues, else what the others wait for. */
async function whatToType({ exitName, tasks }: NoneSelected, context: CommandContext): Promise<Line[]> {
  if (!["needs_user_decision", "blocked"].includes(exitName)) return [];
  const asks = await asksLeft(true, () => tasks, context);
  if (asks.length > 0) return asks;
  const waiting = tasks.filter(({ standing }) => standing === "waits");
  if (tasks.some(({ standing }) => standing !== "done" && standing !== "waits"))
    return [renderNext(null, tasks, context.view)];
  return waiting.slice(0, shownAsks).map(({ id, place, why }) => `${id ?? place.name} ${why}`);
}

type NoneSelected = Extract<Selection, { kind: "none" }>;
