import { chooseJobs } from "../fleet/choose-jobs.ts";
import {
  type ChannelEnds,
  type LeasedEnd,
  openPassChannel,
  type PassChannel,
  type PassOrder,
  type WorkerMessage,
} from "../fleet/pass-channel.ts";
import { readRemote } from "../fleet/read-remote.ts";
import { runClaimed } from "../fleet/run-claimed.ts";
import { sharedLimits } from "../fleet/shared-limits.ts";
import { isWorkingPhase, type Phase } from "../rules/phases.ts";
import type { PassPorts } from "../task/records/ports.ts";
import type { PassReport } from "../task/request.ts";
import { catchForeseenIn } from "../text/attempt.ts";
import { asForeseen } from "../text/errors.ts";
import { exitCodes } from "../text/exit-codes.ts";
import { makeRunner } from "./fleet-remotes.ts";
import { homeOf, type Io } from "./io.ts";
import { plainText } from "./paint.ts";
import { makePorts } from "./pass-ports.ts";
import { renderStory } from "./show-pass.ts";

/**
 * One pass for a worker, in a process of its own that talks to the worker alone: it asks for money and slots there, and
 * never talks to the engine. If the worker disappears for any reason, the pass ends in order, as at SIGTERM.
 */
export async function leasedPass(io: Io): Promise<number> {
  if (process.send === undefined) {
    io.stderr.write("only a worker starts this\n");
    return exitCodes.usage;
  }
  const stop = new AbortController();
  const end = (): void => stop.abort("SIGTERM");
  process.on("SIGTERM", end);
  const channel = openPassChannel(processEnds(), end);
  try {
    const order = await channel.order;
    if (order === null) return exitCodes.sigterm;
    const { env, cwd } = io;
    const around = { env, cwd, home: homeOf(env), now: () => io.now(), tell: channel.tell, verbose: order.verbose };
    const ports = makePorts(around, stop.signal);
    const done = await runOrder(order, ports, channel);
    if (await channel.finish(done)) channel.send({ kind: "jobs", jobs: await readJobs(order, ports) });
    return exitCodes[done.exitName];
  } finally {
    process.removeListener("SIGTERM", end);
    channel.close();
  }
}

async function runOrder(order: PassOrder, ports: PassPorts, channel: PassChannel): Promise<LeasedEnd> {
  const { job, attempt, dead, config } = order;
  const shared = sharedLimits({ ask: channel.ask, tell: channel.tell });
  const known = new Set(dead);
  const request = {
    ...{
      url: job.url,
      task: job.task,
      root: null,
      local: null,
      takeover: false,
      isDead: (one: string) => known.has(one),
    },
    runner: makeRunner(ports.env, attempt),
    onBase: shared.setBase,
    pass: { ...{ repo: null, model: null, models: null, timeoutMs: null, config }, dryRun: false, run: null },
  };
  const around = { ...ports, shared };
  try {
    return toLeasedEnd(await runClaimed(request, around), ports);
  } catch (error) {
    const { exitName, findings } = asForeseen(error, "the pass failed unexpectedly");
    const reason = findings[0]?.message ?? "";
    return { exitName, verdict: null, reason, findings, nextEligibleAt: null, goesOnIn: null, story: [reason] };
  }
}

function toLeasedEnd(report: PassReport, { cwd }: PassPorts): LeasedEnd {
  const { exit_name: exitName, verdict, reason, findings, next_eligible_at: nextEligibleAt } = report;
  const told = findings.filter(({ severity }) => severity !== "info").map(({ code, message }) => `${code} ${message}`);
  const story = [...renderStory(report, cwd).map(plainText), ...told];
  return { exitName, verdict, reason, findings, nextEligibleAt, goesOnIn: goesOnIn(report), story };
}

/** From the report alone, without reading anything. One offer too many is a pass that ends before it is claimed. */
function goesOnIn({ verdict, to, details: { escalated, aborted } }: PassReport): Phase | null {
  const isOn = (verdict === "accepted" || verdict === "redirected") && escalated === null && !aborted;
  return isOn && to !== null && isWorkingPhase(to) ? to : null;
}

/** The jobs of the remote as it is now; null: it cannot be read, which the dispatcher says. */
async function readJobs({ job, config }: PassOrder, ports: PassPorts) {
  const read = async () => {
    const remote = await readRemote({ url: job.url, config }, ports);
    return typeof remote === "string" ? null : chooseJobs([remote], []);
  };
  return await catchForeseenIn(read, () => null);
}

function processEnds(): ChannelEnds {
  return {
    send: (message) => void process.send?.(message, undefined, undefined, () => undefined),
    listen: (heard, closed) => {
      process.on("message", (message) => heard(message as WorkerMessage));
      process.on("disconnect", closed);
    },
    close: () => {
      if (process.connected) process.disconnect();
    },
  };
}
