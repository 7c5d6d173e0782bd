import { readAttempts } from "../rules/claim.ts";
import { settleHolds } from "./answer-pass.ts";
import { chooseJobs, type Offer, offerJobs } from "./choose-jobs.ts";
import type { Engine, EngineStanding, Hold, Job } from "./engine/engine.ts";
import { ignoreFault } from "./engine/engine-error.ts";
import { readJournalsOf } from "./ledger-facts.ts";
import type { FleetPorts, FleetRemote } from "./read-remote.ts";

/** The jobs are in their order of urgency. */
export interface DispatchTick extends Offer {
  readonly runnable: number;
  readonly settled: number;
}

/**
 * A claim that was reserved is pushed within a minute or not at all; only a process that slept in between could push it
 * later. The next claim of the task ends that sooner.
 */
const lateClaimMs = 15 * 60_000;

/** Settles what dead attempts reserved, and queues runnable tasks. Safe with two dispatchers. */
export async function dispatchOnce(
  remotes: readonly FleetRemote[],
  engine: Engine,
  ports: FleetPorts,
): Promise<DispatchTick> {
  const standing = await engine.standing();
  let settled = 0;
  for (const remote of remotes) settled += await settleRemote(remote, standing, engine, ports);
  const jobs = chooseJobs(remotes, standing.holds);
  return { ...(await offerJobs(engine, jobs, standing)), runnable: jobs.length, settled };
}

export interface LookPause {
  /** How long it is to the next look, in milliseconds. */
  readonly ms: number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
  /** Called with each job that is put into the queue in the meantime. */
  readonly onOffer: (job: Job) => void;
}

/** How often the engine is asked for room: as often as an idle worker asks for a job. */
const roomEachMs = 2_000;

/**
 * Waits for the next look. The jobs that the last one had no room for are offered as soon as there is some: workers may
 * have come since, or taken all that was queued. Where the engine does not answer they are left to the next look.
 */
export async function waitForLook(left: readonly Job[], engine: Engine, pause: LookPause): Promise<void> {
  const { sleep, signal, onOffer } = pause;
  let [waiting, rest] = [left, pause.ms];
  for (; waiting.length > 0 && rest > roomEachMs && !signal.aborted; rest -= roomEachMs) {
    await sleep(roomEachMs, signal);
    if (signal.aborted) return;
    const found = await offerRoom(waiting, engine);
    for (const job of found.offered) onOffer(job);
    waiting = found.left;
  }
  await sleep(rest, signal);
}

async function offerRoom(waiting: readonly Job[], engine: Engine): Promise<Offer> {
  try {
    return await offerJobs(engine, waiting, await engine.standing());
  } catch (error) {
    ignoreFault(error);
    return { offered: [], left: [] };
  }
}

/** A living attempt is left to its worker, which reports each step first. */
async function settleRemote(
  remote: FleetRemote,
  { holds, now }: EngineStanding,
  engine: Engine,
  ports: FleetPorts,
): Promise<number> {
  const dead = holds.filter(({ repo, alive }) => repo === remote.repo && !alive);
  const read = await readJournalsOf(remote, (task) => dead.some((hold) => hold.task === task), ports);
  const isLate = ({ at }: Hold) => now.getTime() - at.getTime() > lateClaimMs;
  let settled = 0;
  for (const { task, events } of read) {
    if (events === null) continue;
    const own = dead.filter((hold) => hold.task === task);
    settled += await settleHolds(engine, own, readAttempts(events), isLate);
  }
  return settled;
}
