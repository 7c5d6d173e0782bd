import { randomBytes } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { runtimeRootOf } from "../fleet/run-local.ts";
import { sweepClones } from "../fleet/sweep-clones.ts";
import type { LoopReport, LoopRequest } from "../queue/loop/loop-request.ts";
import { modelPasses, rootOf } from "../queue/loop/loop-state.ts";
import { runLoop } from "../queue/loop/run-loop.ts";
import { inspectRoot, inspectTask, realRoot } from "../queue/views/inspect-root.ts";
import type { LoopKeys, RunReport } from "../rules/shapes/reports/run.ts";
import { plural } from "../rules/wording.ts";
import { TaskPhaseError, usageError } from "../text/errors.ts";
import type { ExitName } from "../text/exit-codes.ts";
import type { Finding } from "../text/finding.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { findTasksRoot } from "./find-root.ts";
import { inNewest } from "./in-newest.ts";
import { paint } from "./paint.ts";
import { findNotify, makePorts, readModels, withPing } from "./pass-ports.ts";
import { runCommand as runOnce } from "./run.ts";
import { asksLeft } from "./show-asks.ts";
import { passJson } from "./show-pass.ts";
import { watchSignals } from "./signals.ts";
import { chooseTarget, type Target } from "./target.ts";
import { renderDigest, shortenReason, watchLoop } from "./watch-loop.ts";
import { passesIn, placeOfNamed, seeNow, type Workspace, workspaceOf } from "./workspace.ts";

/** `loop`: passes until something stops it. A dry run shows the first of them, as `run` does. */
export async function runCommand(given: CommandContext): Promise<CommandResult> {
  const { flags } = given;
  if (flags.on("dry-run")) return await inNewest(runOnce, { name: "run", onBranch: "list" }, given);
  const { target, context } = await findTarget(given);
  const maxSeconds = atLeastOne("--max-seconds", flags.number("max-seconds"));
  const request = {
    ...readModels(context),
    target,
    repo: flags.text("repo"),
    timeoutMs: flags.number("timeout"),
    config: flags.text("config"),
    maxPasses: readMaxPasses(context),
    maxMs: maxSeconds === null ? null : maxSeconds * 1000,
    maxWaitMs: flags.number("max-wait"),
    branch: flags.text("branch"),
    jobs: atLeastOne("--jobs", context.flags.number("jobs")) ?? 1,
  };
  return await withPing(
    context,
    () => findNotify(context, target),
    () => runToEnd(request, context),
  );
}

/** A named task may be on its branch alone. */
async function findTarget(given: CommandContext): Promise<{ target: Target; context: CommandContext }> {
  try {
    return { target: chooseTarget(given), context: given };
  } catch (error) {
    const root = given.flags.text("task-dir") === null ? null : findTasksRoot(given.cwd);
    if (root === null) throw error;
    const context = await seeNow(join(root, "any"), given);
    return { target: chooseTarget(context), context };
  }
}

async function runToEnd(request: LoopRequest, context: CommandContext): Promise<CommandResult> {
  const signals = watchSignals(context);
  const watch = watchLoop(context);
  const inClones = context.flags.number("jobs") !== null;
  const workspace = inClones ? "branch" : workspaceOf(anyTask(request.target), context);
  if (workspace === "branch") refuseTree(context);
  const ports = makePorts(context, signals.signal);
  try {
    if (workspace === "branch") await sweepClones(realRoot(rootOf(request.target)), request.config, ports);
    const report = await runLoop(request, {
      ...ports,
      ...(context.view !== undefined && { view: context.view }),
      // Progress of a pass is for a terminal; in a log one line a pass is enough.
      tell: (stage, line) => (context.verbose ? context.tell(`${stage.padEnd(10)} ${line}`) : undefined),
      sleep: (ms, signal) => context.sleep(ms, signal),
      // Sorts by time, and no two calls have the same.
      newRunId: () =>
        `${context
          .now()
          .toISOString()
          .replace(/[-:]|\.\d+/g, "")}-${randomBytes(3).toString("hex")}`,
      watch,
      pass: passesIn(workspace),
      ...(workspace === "here" ? {} : { runtimeRoot: runtimeRootOf(realpathSync(rootOf(request.target)), context) }),
    });
    const result = resultOf(report, watch.told, workspace, context);
    const asks = report.exitName === "needs_user_decision";
    const seen = asks ? await seeNow(anyTask(request.target), context) : context;
    const inspected = () =>
      request.target.kind === "root"
        ? inspectRoot(request.target.tasksRoot, request.config, seen)
        : [inspectTask(placeOfNamed(request.target.taskDir, seen), request.config, seen)];
    return {
      ...result,
      story: [...(result.story ?? []), ...(await asksLeft(asks, inspected, seen))],
    };
  } catch (error) {
    if (!(error instanceof TaskPhaseError) || !isHeld(error) || tellsAlways(context)) throw error;
    return { exitName: "locked", json: {}, story: [], answer: [], findings: error.findings, tells: "nothing" };
  } finally {
    watch.stop();
    signals.stop();
  }
}

/** Another runner of ours is running, as a second start of cron finds it. */
function isHeld({ exitName, findings }: TaskPhaseError): boolean {
  return exitName === "locked" && findings.every(({ code }) => code === "TP_LOCKED");
}

/** A person is watching, or asked for the output. */
function tellsAlways(context: CommandContext): boolean {
  return context.verbose || context.live;
}

function readMaxPasses({ flags }: CommandContext): number | null {
  const passes = flags.number("max-passes");
  const iterations = flags.number("max-iterations");
  if (passes !== null && iterations !== null && passes !== iterations) {
    const message = "--max-passes and --max-iterations are the same limit, but have two values";
    throw usageError("TP_USAGE_BAD_VALUE", message, { fix: "omit one of them" });
  }
  return atLeastOne("--max-passes", passes ?? iterations);
}

/** What names the working tree says nothing of a clone. */
function refuseTree({ flags }: CommandContext): void {
  const named = (["repo", "branch"] as const).find((name) => flags.text(name) !== null);
  if (named === undefined) return;
  throw usageError("TP_USAGE_WORKSPACE", `--${named} is about the working tree, but these passes work in clones`, {
    fix: `omit --${named}; each task has its own branch, task-phase/ID`,
  });
}

function anyTask(target: LoopRequest["target"]): string {
  return target.kind === "task" ? target.taskDir : join(target.tasksRoot, "any");
}

function atLeastOne(flag: string, value: number | null): number | null {
  if (value === null || value >= 1) return value;
  throw usageError("TP_USAGE_BAD_VALUE", `${flag} expects a whole number of at least 1, found ${value}`, {
    fix: `write ${flag} 10`,
  });
}

function resultOf(
  report: LoopReport,
  told: readonly Finding[],
  workspace: Workspace,
  context: CommandContext,
): CommandResult {
  const { passes, exitName } = report;
  const last = passes.at(-1) ?? null;
  const count = modelPasses(passes).length;
  // A tick that finds nothing to do says nothing: cron sends a letter for every line.
  const tells = report.happened || needsWord(report) || tellsAlways(context);
  return {
    exitName,
    findings: report.findings,
    told,
    tells: tells ? "all" : "errors",
    answer: [],
    story: [
      [paint("heading", `stopped after ${plural(count, "pass", "passes")}`), `: ${renderEnd(report)}`],
      ...(report.digest === null ? [] : renderDigest(report.digest, context.cwd, workspace === "branch")),
    ],
    json: {
      ...(last === null ? {} : passJson(last)),
      reason: report.reason,
      run_id: report.run,
      iteration: count,
      passes: passes.map((pass) => ({
        task: pass.task,
        pass: pass.pass,
        from: pass.from,
        proposed: pass.proposed,
        to: pass.to,
        verdict: pass.verdict,
        reason: pass.reason,
        model: pass.model,
        duration_ms: pass.duration_ms,
        cost_usd: pass.cost_usd,
        tokens: pass.tokens,
      })),
      spent_usd: report.costUsd,
      report: report.digest?.report ?? null,
      next_eligible_at: report.nextEligibleAt,
    } satisfies Partial<RunReport> & LoopKeys,
  };
}

/** What does not end by itself, and is not recorded in the task: no model can be called, or an edit was restored. */
function needsWord({ exitName, nextEligibleAt }: LoopReport): boolean {
  return exitName === "rejected" || (exitName === "unavailable" && nextEligibleAt === null);
}

/** The line of the last pass has said its reason already; at done that is the headline, which nothing replaces. */
function renderEnd({ exitName, reason, passes, digest }: LoopReport): string {
  if (reason !== passes.at(-1)?.reason) return shortenReason(reason, digest);
  return ends[exitName] ?? reason;
}

const ends: Partial<Record<ExitName, string>> = {
  blocked: "the task is blocked",
  needs_user_decision: "a person must decide",
  no_progress: "the task is stuck",
  paused: "a person stopped it",
};
