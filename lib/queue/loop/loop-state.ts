import { dirname } from "node:path";
import type { ModelEnd } from "../../rules/model-end.ts";
import { sumSpend } from "../../rules/usage.ts";
import type { AsideModel, PassReport } from "../../task/request.ts";
import type { Stop } from "../../task/session.ts";
import type { ExitName } from "../../text/exit-codes.ts";
import type { Finding } from "../../text/finding.ts";
import { laterBy } from "../../text/moment.ts";
import { type RootView, readView } from "../views/root-view.ts";
import type { LoopPorts, LoopRequest } from "./loop-request.ts";
import type { WorkedTask } from "./run-report.ts";
import type { LeftTask } from "./select-task.ts";

/** The memory of one call of the loop. Everything that a later call needs is in the journals. */
export interface LoopState {
  readonly run: string;
  readonly began: Date;
  readonly request: LoopRequest;
  readonly ports: LoopPorts;
  readonly deadline: Date | null;
  readonly passes: PassReport[];
  readonly findings: Finding[];
  /** Tasks that cannot continue in this call, by folder. */
  readonly left: Map<string, LeftTask>;
  readonly asideModels: AsideModel[];
  /** The folders of the tasks that it began a pass of, in that order. */
  readonly begun: Set<string>;
  /** What this call has done so far, by task folder. */
  readonly worked: Map<string, WorkedTask>;
  /** Passes that called a model and whose verdict no journal has: what they cost was spent. */
  readonly lost: { readonly taskDir: string; readonly report: PassReport; readonly end: ModelEnd }[];
  /** Passes that run now, by task folder. */
  readonly running: Map<string, Promise<LoopPass>>;
  /** Until when a task waits for its models, by folder, while others go on. */
  readonly resting: Map<string, Date>;
  /** A budget of several tasks has none beside the passes that run, which count with their estimates until they end. */
  lacksRoom: boolean;
  /** The tasks that are newer on their branches, as last read. */
  view: RootView;
  /** Findings about tasks that were passed over at the last choice. */
  passedOver: readonly Finding[];
  happened: boolean;
  /** Says in the state folder that this process is the call, from its first pass on. */
  live: { forget(): void } | null;
}

/** `report`: null if the task was left aside because it cannot be worked on at all. */
export interface LoopPass {
  readonly taskDir: string;
  readonly report: PassReport | null;
  readonly error: unknown;
}

export interface Ending extends Pick<Stop, "exitName" | "reason" | "nextEligibleAt"> {
  /** A budget over several tasks stopped it. */
  readonly notify?: boolean;
}

export function beginState(request: LoopRequest, ports: LoopPorts): LoopState {
  return {
    run: ports.newRunId(),
    began: ports.now(),
    request,
    ports,
    deadline: request.maxMs === null ? null : laterBy(request.maxMs, ports.now()),
    passes: [],
    findings: [],
    left: new Map(),
    asideModels: [],
    begun: new Set(),
    worked: new Map(),
    lost: [],
    running: new Map(),
    resting: new Map(),
    lacksRoom: false,
    view: new Map(),
    passedOver: [],
    happened: false,
    live: null,
  };
}

export function rootOf(target: LoopRequest["target"]): string {
  return target.kind === "root" ? target.tasksRoot : dirname(target.taskDir);
}

/** For what reads tasks: each where it is newest. */
export function readersOf({ ports, view }: Pick<LoopState, "ports" | "view">): LoopPorts {
  return { ...ports, view };
}

export async function refreshView(state: LoopState): Promise<void> {
  const { request, ports, view } = state;
  state.view = await readView(rootOf(request.target), request.config, ports, view);
}

/** Where the notes of the call are kept. */
export function notesRoot({ request, ports }: Pick<LoopState, "request" | "ports">): string {
  return ports.runtimeRoot ?? rootOf(request.target);
}

export function end(exitName: ExitName, reason: string, nextEligibleAt: string | null = null): Ending {
  return { exitName, reason, nextEligibleAt };
}

/** Those that called a model. Of a loop with `--jobs`, a move without one may be a call of its own. */
export function modelPasses(passes: readonly PassReport[]): readonly PassReport[] {
  return passes.filter(({ details }) => details.end?.kind !== "no_model");
}

/** Whether the passes of `--max-passes` are done. Passes without a model do not count. */
export function passesAreDone({
  request: { maxPasses },
  passes,
  running,
}: Pick<LoopState, "request" | "passes" | "running">): boolean {
  if (maxPasses === null) return false;
  return modelPasses(passes).filter(({ verdict }) => verdict !== "unavailable").length + running.size >= maxPasses;
}

export function costOf({ worked }: LoopState): number | null {
  return sumSpend([...worked.values()].map(({ spend }) => spend)).knownUsd;
}
