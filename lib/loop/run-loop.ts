import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadConfig } from "../config/load-config.ts";
import { requireTrust } from "../config/trust.ts";
import { anchorFolder } from "../pass/anchor.ts";
import { inspectTask } from "../pass/inspect-task.ts";
import { notifyLoop } from "../pass/notify-verdict.ts";
import { signalName } from "../pass/ports.ts";
import type { AsideModel, PassReport } from "../pass/request.ts";
import { runPass } from "../pass/run-pass.ts";
import { noteRunner } from "../pass/runner-note.ts";
import { locateTask, placeOf } from "../pass/task-place.ts";
import { TaskPhaseError } from "../report/errors.ts";
import type { ExitName } from "../report/exit-codes.ts";
import { distinctFindings, type Finding } from "../report/finding.ts";
import { afterPass, type NextStep } from "./after-pass.ts";
import { lockLoop } from "./loop-lock.ts";
import type { LoopPorts, LoopReport, LoopRequest } from "./loop-request.ts";
import { exitOfStop, type LeftTask, listRoot, selectTask } from "./select-task.ts";
import { takeBranch } from "./take-branch.ts";
import { standOf, waitUntil } from "./wait.ts";

/** What one call of the loop remembers. All that a later call must know too stands in the journals. */
interface LoopState {
  readonly run: string;
  readonly request: LoopRequest;
  readonly ports: LoopPorts;
  readonly deadline: Date | null;
  readonly passes: PassReport[];
  readonly findings: Finding[];
  /** Tasks that cannot go on in this call, by folder. */
  readonly left: Map<string, LeftTask>;
  readonly asideModels: AsideModel[];
  /** What is wrong with tasks that were passed over at the last choice. */
  passedOver: readonly Finding[];
  happened: boolean;
}

interface Ending {
  readonly exitName: ExitName;
  readonly reason: string;
  readonly nextEligibleAt: string | null;
  /** A budget over several tasks stopped it. */
  readonly notify?: boolean;
}

/**
 * Repeats passes on one task, or over a tasks root, until something stops it, and says what. Throws what a first pass
 * on one task would throw; over a root, a task that is wrong is left aside and told of.
 */
export async function runLoop(request: LoopRequest, ports: LoopPorts): Promise<LoopReport> {
  const target = realTarget(request.target, ports.cwd);
  requireTrust(target.kind === "task" ? dirname(target.taskDir) : target.tasksRoot, ports);
  const lock = lockLoop(target);
  // So that `cancel` finds the loop also while it waits between two passes.
  const note = target.kind === "task" ? noteRunner(anchorFolder(target.taskDir, ports)) : null;
  try {
    const state = beginState({ ...request, target }, ports);
    if (request.branch !== null) await takeBranch(request.branch, state.request, ports);
    const ending = await repeatPasses(state);
    state.findings.push(...(await tellEnding(state, ending)));
    return {
      run: state.run,
      happened: state.happened,
      passes: state.passes,
      costUsd: sumCosts(state.passes),
      findings: distinctFindings([
        ...state.findings,
        ...state.passedOver,
        ...state.passes.flatMap((pass) => pass.findings),
      ]),
      ...ending,
    };
  } finally {
    note?.forget();
    lock.release();
  }
}

/** The budget of a call or a day stops the loop and touches no task, so no pass tells of it. */
async function tellEnding({ run, passes, request, ports }: LoopState, ending: Ending): Promise<readonly Finding[]> {
  const { exitName, reason, notify } = ending;
  if (notify !== true) return [];
  const { target, config } = request;
  const taskDir = target.kind === "task" ? target.taskDir : join(target.tasksRoot, "any");
  const { env, home, cwd } = ports;
  const loaded = loadConfig({ configFlag: config, env, home, cwd, taskDir });
  const facts = { exitName, reason, passes: passes.length, costUsd: sumCosts(passes), run };
  return await notifyLoop(loaded.notify, facts, ports);
}

/** Null where no cost is known. */
function sumCosts(passes: readonly PassReport[]): number | null {
  const costs = passes.flatMap(({ costUsd }) => costUsd ?? []);
  return costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0);
}

function realTarget(target: LoopRequest["target"], cwd: string): LoopRequest["target"] {
  if (target.kind === "task") return { kind: "task", taskDir: locateTask(target.taskDir, cwd).taskDir };
  listRoot(target.tasksRoot);
  return { kind: "root", tasksRoot: realpathSync(target.tasksRoot) };
}

function beginState(request: LoopRequest, ports: LoopPorts): LoopState {
  return {
    run: ports.newRunId(),
    request,
    ports,
    deadline: request.maxMs === null ? null : new Date(ports.now().getTime() + request.maxMs),
    passes: [],
    findings: [],
    left: new Map(),
    asideModels: [],
    passedOver: [],
    happened: false,
  };
}

async function repeatPasses(state: LoopState): Promise<Ending> {
  for (;;) {
    const { ports } = state;
    if (ports.signal.aborted) return end(signalName(ports), "stopped by a signal");
    // What there is to do comes first: a call that did its last pass and is done was not stopped by its limits.
    const taskDir = nextTask(state);
    if (typeof taskDir !== "string") return taskDir;
    const spent = refuseSpentCall(state);
    if (spent !== null) return standsStill(state, taskDir) ?? spent;
    const report = await onePass(state, taskDir);
    if (report === null) continue;
    const ending = await obey(state, taskDir, afterPass(report), report);
    if (ending !== null) return ending;
  }
}

/** What one task waits for after the last pass that the call may do, where it would run no other; null elsewhere. */
function standsStill({ request, ports }: LoopState, taskDir: string): Ending | null {
  if (request.target.kind === "root") return null;
  const task = inspectTask(placeOf(taskDir), request.config, ports);
  const exitName = exitOfStop(task);
  return exitName === null ? null : end(exitName, task.why);
}

/** The limits of the call itself. */
function refuseSpentCall({ request, passes, deadline, ports }: LoopState): Ending | null {
  const { maxPasses, maxMs } = request;
  if (maxPasses !== null && passes.length >= maxPasses)
    return end(
      "iterations",
      `${maxPasses === 1 ? "the one pass" : `the ${maxPasses} passes`} of --max-passes ${maxPasses === 1 ? "is" : "are"} done`,
    );
  if (deadline !== null && ports.now() >= deadline)
    return end("budget", `--max-seconds ${(maxMs ?? 0) / 1000} is over`);
  return null;
}

function nextTask(state: LoopState): string | Ending {
  const { request, left, ports } = state;
  const { target } = request;
  if (target.kind === "task") {
    const known = left.get(target.taskDir);
    return known === undefined ? target.taskDir : end(known.exitName, known.reason);
  }
  const selected = selectTask(target.tasksRoot, request.config, ports, left);
  state.passedOver = selected.findings;
  if (selected.kind === "selected") return selected.taskDir;
  return end(selected.exitName, selected.reason, selected.nextEligibleAt);
}

/** Null where the task was left aside because it cannot be worked on at all. */
async function onePass(state: LoopState, taskDir: string): Promise<PassReport | null> {
  const { request, ports, run, asideModels } = state;
  const { repo, model, models, timeoutMs, config } = request;
  try {
    const report = await runPass(
      {
        taskDir,
        repo,
        model,
        models,
        timeoutMs,
        config,
        dryRun: false,
        run: { id: run, asideModels: [...asideModels] },
      },
      { ...ports, began: (pass) => ports.watch.began(pass) },
    );
    if (report.verdict !== null || report.noted > 0) state.happened = true;
    if (report.verdict !== null) state.passes.push(report);
    else state.findings.push(...report.findings);
    ports.watch.ended(report);
    return report;
  } catch (error) {
    if (request.target.kind === "task" || !isOfTask(error)) throw error;
    // That another runner is at work is no fault.
    const held = error.exitName === "locked";
    state.findings.push(
      ...error.findings.map((finding) => (held ? { ...finding, severity: "info" as const } : finding)),
    );
    state.left.set(taskDir, { exitName: error.exitName, reason: error.findings[0]?.message ?? error.message });
    return null;
  }
}

/** Another runner, or what is wrong with that task's files or the runner's record of it, says nothing about the next. */
function isOfTask(error: unknown): error is TaskPhaseError {
  if (!(error instanceof TaskPhaseError)) return false;
  return ["locked", "data", "config"].includes(error.exitName) || error.findings[0]?.code === "TP_ANCHOR";
}

/** Null where the loop goes on. */
async function obey(state: LoopState, taskDir: string, next: NextStep, report: PassReport): Promise<Ending | null> {
  switch (next.kind) {
    case "stop":
      return { ...end(next.exitName, next.reason, report.nextEligibleAt), notify: next.exitName === "budget" };
    case "leave":
      state.left.set(taskDir, next);
      return null;
    case "go_on":
      if (next.aside !== null) state.asideModels.push(next.aside);
      return null;
    case "wait":
      return await waitForModels(state, taskDir, next);
  }
}

async function waitForModels(
  state: LoopState,
  taskDir: string,
  { until, reason }: NextStep & { kind: "wait" },
): Promise<Ending | null> {
  const { ports, deadline, request } = state;
  const nextEligibleAt = until.toISOString();
  // To sleep until a time at which nothing may begin any more would only hold the next call up.
  if (deadline !== null && until >= deadline) return end("unavailable", reason, nextEligibleAt);
  if (request.maxPasses !== null && state.passes.length >= request.maxPasses) return null;
  ports.watch.waiting(until, reason);
  const { state: stateFile, decisions, control, readme, runtime } = placeOf(taskDir);
  // What a person may do about it: end the cooldown, answer, pause, edit.
  const watched = [stateFile, decisions, control, readme, join(runtime, "cooldowns.json")];
  const before = standOf(watched);
  await waitUntil(until, deadline, ports, () => standOf(watched) !== before);
  return null;
}

function end(exitName: ExitName, reason: string, nextEligibleAt: string | null = null): Ending {
  return { exitName, reason, nextEligibleAt };
}
