import { basename, join } from "node:path";
import { loadConfig } from "../../documents/config/load-config.ts";
import { notifyLoop } from "../../notify/events/notify-verdict.ts";
import { exitOfAbort, exitOfStanding } from "../../rules/exits.ts";
import { anchorFolder } from "../../task/records/anchor.ts";
import { recordRunner } from "../../task/records/records.ts";
import { locateTask, placeOf } from "../../task/records/task-place.ts";
import type { PassReport } from "../../task/request.ts";
import { cooldownsName } from "../../task/runtime-files.ts";
import { runtimeOf } from "../../task/runtime-place.ts";
import { requireTrust } from "../../task/trust.ts";
import { hasCode, messageOf, TaskPhaseError } from "../../text/errors.ts";
import { distinctFindings, type Finding } from "../../text/finding.ts";
import { msBetween } from "../../text/moment.ts";
import { inspectTask, realRoot } from "../views/inspect-root.ts";
import type { InspectedTask } from "../views/inspect-task.ts";
import type { LoopPorts, LoopReport, LoopRequest } from "./loop-request.ts";
import {
  beginState,
  costOf,
  type Ending,
  end,
  type LoopState,
  modelPasses,
  passesAreDone,
  readersOf,
  refreshView,
  rootOf,
} from "./loop-state.ts";
import { afterPass, type NextStep, onePass, recordWork, takeBranch } from "./one-pass.ts";
import { isBack, leaveTask, selectTask, standOf } from "./select-task.ts";
import { outlasts, tooLong, waitForAnswer, waitUntil } from "./wait.ts";
import { lockLoop, writeNotes } from "./write-notes.ts";

/**
 * Repeats passes on one task, or over a tasks root, until something stops it, and reports the cause. Throws what a
 * first pass on one task would throw; over a root, a broken task is skipped and reported.
 */
export async function runLoop(request: LoopRequest, ports: LoopPorts): Promise<LoopReport> {
  const target = realTarget(request.target, ports);
  requireTrust(rootOf(target), ports);
  const lock = lockLoop(target);
  // So that `cancel` finds the loop also while it waits between two passes.
  const note = target.kind === "task" ? recordRunner(anchorFolder(target.taskDir, ports)) : null;
  const state = beginState({ ...request, target }, ports);
  try {
    if (request.branch !== null) await takeBranch(request.branch, state.request, ports);
    const ending = await endOf(state);
    const digest = await writeNotes(state, ending);
    state.findings.push(...(await notifyEnding(state, ending)));
    return {
      run: state.run,
      digest,
      happened: state.happened,
      passes: state.passes,
      costUsd: costOf(state),
      findings: distinctFindings([
        ...state.findings,
        ...state.passedOver,
        ...state.passes.flatMap((pass) => pass.findings),
      ]),
      ...ending,
    };
  } finally {
    state.live?.forget();
    note?.forget();
    lock.release();
  }
}

/** The budget of a call or a day stops the loop and touches no task, so no pass reports it. */
async function notifyEnding(state: LoopState, ending: Ending): Promise<readonly Finding[]> {
  const { run, passes, request, ports } = state;
  const { exitName, reason, notify } = ending;
  if (notify !== true) return [];
  const { target, config } = request;
  const taskDir = target.kind === "task" ? target.taskDir : join(target.tasksRoot, "any");
  const { env, home, cwd } = ports;
  const loaded = loadConfig({ configFlag: config, env, home, cwd, taskDir });
  const facts = { exitName, reason, passes: modelPasses(passes).length, costUsd: costOf(state), run };
  return await notifyLoop(loaded.notify, facts, ports);
}

/** An error ends the call, and the report says so before it is thrown on. */
async function endOf(state: LoopState): Promise<Ending> {
  try {
    return await repeatPasses(state);
  } catch (error) {
    const exitName = error instanceof TaskPhaseError ? error.exitName : "failure";
    await writeNotes(state, end(exitName, messageOf(error)));
    throw error;
  }
}

function realTarget(target: LoopRequest["target"], { cwd, view }: LoopPorts): LoopRequest["target"] {
  const isOnBranch = (taskDir: string): boolean => view?.has(basename(taskDir)) === true;
  if (target.kind === "task") return { kind: "task", taskDir: locateTask(target.taskDir, cwd, isOnBranch).taskDir };
  return { kind: "root", tasksRoot: realRoot(target.tasksRoot) };
}

/** Keeps as many passes running as the call may, one a task; at its end none is left. */
async function repeatPasses(state: LoopState): Promise<Ending> {
  const { running, request } = state;
  let ending: Ending | null = null;
  let failed: { readonly error: unknown } | null = null;
  for (;;) {
    while (ending === null && failed === null && running.size < request.jobs) {
      const begun = await beginNext(state);
      if (begun === "nothing") break;
      if (begun !== "begun") ending = begun;
    }
    if (running.size > 0) {
      const ended = await Promise.race(running.values());
      running.delete(ended.taskDir);
      state.lacksRoom = false;
      if (hasCode(ended.error, "TP_STOPPED")) ending ??= stoppedEnd(state);
      else if (ended.report === null && ended.error !== null) failed ??= { error: ended.error };
      const after: Ending | null = ended.report === null ? null : await afterOne(state, ended.taskDir, ended.report);
      ending ??= after;
    } else if (failed !== null) throw failed.error;
    else if (ending !== null) return ending;
  }
}

function stoppedEnd({ ports }: LoopState): Ending {
  return end(exitOfAbort(ports.signal), "stopped by a signal");
}

/** `nothing`: what could go on waits for a pass that is running. */
async function beginNext(state: LoopState): Promise<"begun" | "nothing" | Ending> {
  const { ports, running, resting } = state;
  if (ports.signal.aborted) return stoppedEnd(state);
  if (state.lacksRoom && running.size > 0) return "nothing";
  await refreshView(state);
  // What there is to do comes first: a call that did its last pass and is done was not stopped by its limits.
  const next = nextTask(state);
  if (next.kind === "none") {
    if (running.size > 0) return "nothing";
    const look = async () => {
      await refreshView(state);
      return nextTask(state).kind === "selected";
    };
    return (await waitForAnswer(state, next, look)) ?? "nothing";
  }
  const { taskDir } = next;
  const spent = refuseSpentCall(state);
  if (spent !== null) return running.size > 0 ? "nothing" : (standsStill(state, taskDir) ?? spent);
  resting.delete(taskDir);
  state.begun.add(taskDir);
  const pass = onePass(state, taskDir).then(
    (report) => ({ taskDir, report, error: null }),
    (error: unknown) => ({ taskDir, report: null, error }),
  );
  running.set(taskDir, pass);
  return "begun";
}

/** What the end of a pass means for the call. */
async function afterOne(state: LoopState, taskDir: string, report: PassReport): Promise<Ending | null> {
  await refreshView(state);
  const lost = report.details.unkept ? report.details.end : null;
  if (lost !== null) state.lost.push({ taskDir, report, end: lost });
  if (report.verdict !== null || report.details.noted > 0 || lost !== null) {
    recordWork(state, taskDir);
    await writeNotes(state, null);
  }
  return await obey(state, taskDir, afterPass(report), report);
}

/** The reason why one task waits after the last pass that the call may do; null if it could run another. */
function standsStill(state: LoopState, taskDir: string): Ending | null {
  const { request } = state;
  if (request.target.kind === "root") return null;
  const task = inspectTask(placeOf(taskDir), request.config, readersOf(state));
  const exitName = exitOfStanding(task.standing, task.phase);
  return exitName === null ? null : end(exitName, task.why, task.until);
}

function refuseSpentCall(state: LoopState): Ending | null {
  const { request, deadline, ports } = state;
  const { maxPasses, maxMs } = request;
  if (maxPasses !== null && passesAreDone(state))
    return end(
      "iterations",
      `${maxPasses === 1 ? "the one pass" : `the ${maxPasses} passes`} of --max-passes ${maxPasses === 1 ? "is" : "are"} done`,
    );
  if (deadline !== null && msBetween(ports.now(), deadline) <= 0)
    return end("budget", `--max-seconds ${(maxMs ?? 0) / 1000} has passed`);
  return null;
}

type NextTask =
  | { readonly kind: "selected"; readonly taskDir: string }
  | { readonly kind: "none"; readonly ending: Ending; readonly tasks: readonly InspectedTask[] };

function nextTask(state: LoopState): NextTask {
  const { request, left, ports, running, resting } = state;
  const { target } = request;
  if (target.kind === "task") return nextOfOne(state, target.taskDir);
  const rests = (taskDir: string) => running.size > 0 && (resting.get(taskDir) ?? ports.now()) > ports.now();
  const isBusy = (taskDir: string) => running.has(taskDir) || rests(taskDir);
  const selected = selectTask(target.tasksRoot, request.config, readersOf(state), left, true, isBusy);
  state.passedOver = selected.findings;
  if (selected.kind === "selected") return selected;
  const { exitName, reason, nextEligibleAt, tasks } = selected;
  // The files of a task that a person has just paused do not say so yet: a run writes that, and calls no model.
  const untold = tasks.find(({ standing, history, place: { name, taskDir } }) => {
    const isNew = standing === "paused" && history.held?.standing !== "paused" && !left.has(taskDir);
    return isNew && !isBusy(taskDir) && !state.view.has(name);
  });
  if (untold !== undefined && refuseSpentCall(state) === null)
    return { kind: "selected", taskDir: untold.place.taskDir };
  return { kind: "none", ending: end(exitName, reason, nextEligibleAt), tasks };
}

function nextOfOne(state: LoopState, taskDir: string): NextTask {
  const { request, left, running } = state;
  const known = left.get(taskDir);
  if (known === undefined && !running.has(taskDir)) return { kind: "selected", taskDir };
  const task = inspectTask(placeOf(taskDir), request.config, readersOf(state));
  if (known === undefined) return { kind: "none", ending: end("ok", task.why), tasks: [task] };
  if (isBack(task, known)) return { kind: "selected", taskDir };
  return { kind: "none", ending: end(known.exitName, known.reason, task.until), tasks: [task] };
}

/** Null if the loop continues. */
async function obey(state: LoopState, taskDir: string, next: NextStep, report: PassReport): Promise<Ending | null> {
  switch (next.kind) {
    case "stop":
      state.lacksRoom = next.exitName === "budget" && state.running.size > 0;
      if (state.lacksRoom) return null;
      return { ...end(next.exitName, next.reason, report.next_eligible_at), notify: next.exitName === "budget" };
    case "leave":
      state.left.set(taskDir, leaveTask(inspectTask(placeOf(taskDir), state.request.config, readersOf(state)), next));
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
  const { ports, deadline } = state;
  const nextEligibleAt = until.toISOString();
  // To sleep until a time at which nothing may begin any more would only hold the next call up.
  if (outlasts(until, state)) return end("unavailable", reason, nextEligibleAt);
  if (passesAreDone(state)) return null;
  if (state.running.size > 0) {
    state.resting.set(taskDir, until);
    return null;
  }
  const long = tooLong(until, state.request.maxWaitMs, ports);
  if (long !== null) return end("unavailable", `${reason}; ${long}`, nextEligibleAt);
  ports.watch.waiting(until, reason, []);
  const place = placeOf(taskDir);
  const { state: stateFile, decisions, control, readme } = place;
  // The ways for a person to change that: end the cooldown, answer, pause, edit.
  const watched = [stateFile, decisions, control, readme, join(runtimeOf(place, ports).folder, cooldownsName)];
  const before = standOf(watched);
  await waitUntil(until, deadline, ports, async () => standOf(watched) !== before);
  return null;
}
