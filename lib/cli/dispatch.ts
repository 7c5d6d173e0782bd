import { type DispatchTick, dispatchOnce, waitForLook } from "../fleet/dispatch.ts";
import type { Engine, Job } from "../fleet/engine/engine.ts";
import { showUrl } from "../git/push-target.ts";
import type { DispatchKeys } from "../rules/shapes/reports/fleet.ts";
import { TaskPhaseError } from "../text/errors.ts";
import { hasErrors } from "../text/finding.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import {
  connect,
  fleetPorts,
  type ReadRemotes,
  readRemotes,
  requireRemotes,
  requireSettings,
} from "./fleet-remotes.ts";
import { stoppedExit, withSignals } from "./signals.ts";

const usualPauseMs = 60_000;

export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const urls = requireRemotes(context, "task-phase dispatch");
  const once = context.flags.on("once");
  const pauseMs = context.flags.number("every") ?? usualPauseMs;
  return await withSignals(context, async (signal) => {
    const opened: { engine: Engine | null } = { engine: null };
    let last: Look | null = null;
    try {
      for (;;) {
        const look = await readOnce(urls, opened, context, signal, last === null || once);
        const stopped = stoppedExit(signal);
        if (stopped !== null) return toResult(last, stopped);
        last = look ?? last;
        if (look !== null) reportLook(look, context);
        if (once) return toResult(last, null);
        await pauseAfter(look, opened.engine, pauseMs, context, signal);
      }
    } finally {
      await opened.engine?.close();
    }
  });
}

interface Look {
  readonly read: ReadRemotes;
  readonly tick: DispatchTick;
}

/** Null if it failed and a later one may succeed; the first one has to. */
async function readOnce(
  urls: readonly string[],
  opened: { engine: Engine | null },
  context: CommandContext,
  signal: AbortSignal,
  mustSucceed: boolean,
): Promise<Look | null> {
  try {
    const read = await readRemotes(urls, context, signal);
    const settings = requireSettings(read);
    opened.engine ??= await connect(settings, context);
    return { read, tick: await dispatchOnce(read.remotes, opened.engine, fleetPorts(context, signal)) };
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    if (signal.aborted) return null;
    if (mustSucceed) throw error;
    for (const { code, message } of error.findings) context.tell(`${code} ${message}`);
    return null;
  }
}

async function pauseAfter(
  look: Look | null,
  engine: Engine | null,
  ms: number,
  context: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  const { sleep, tell } = context;
  if (engine === null) return await sleep(ms, signal);
  const onOffer = (job: Job): void => tell(renderOffer(job));
  await waitForLook(look?.tick.left ?? [], engine, { ms, sleep, signal, onOffer });
}

function renderOffer({ task, phase, url }: Job): string {
  return `queued: ${task} (${phase}) of ${showUrl(url)}`;
}

function reportLook({ read, tick }: Look, { tell }: CommandContext): void {
  for (const { code, message } of read.findings) tell(`${code} ${message}`);
  for (const job of tick.offered) tell(renderOffer(job));
  if (tick.settled > 0)
    tell(`settled the amounts held by ${tick.settled} dead ${tick.settled === 1 ? "attempt" : "attempts"}`);
}

function toResult(last: Look | null, stopped: ReturnType<typeof stoppedExit>): CommandResult {
  const findings = stopped === null ? (last?.read.findings ?? []) : [];
  const tick = last?.tick ?? { offered: [], left: [], runnable: 0, settled: 0 };
  const json: DispatchKeys = {
    offered: tick.offered.map(({ task, url, phase, priority }) => ({ task, url, phase, priority })),
    runnable: tick.runnable,
    settled: tick.settled,
  };
  const failed = hasErrors(findings) ? (last?.read.exitName ?? "failure") : "ok";
  const answer = [`${tick.runnable} runnable, ${tick.offered.length} queued now`];
  return { exitName: stopped ?? failed, json, story: [], answer, findings, told: findings };
}
