import { readAttempts } from "../machine/attempts.ts";
import { chooseJobs } from "./choose-jobs.ts";
import type { Engine, EngineStanding, Hold, Job } from "./engine/engine.ts";
import { offerJobs } from "./offer-jobs.ts";
import { readJournalsOf } from "./read-attempts.ts";
import type { FleetPorts, FleetRemote } from "./read-remote.ts";
import { settleHolds } from "./settle-holds.ts";

export interface DispatchTick {
  /** The jobs that were put into the queue, the most urgent first. */
  readonly offered: readonly Job[];
  /** How many tasks a pass can do something with now. */
  readonly runnable: number;
  /** How many holds of dead attempts were ended. */
  readonly settled: number;
}

/**
 * A claim that was reserved is pushed within a minute or not at all; only a process that slept in between could push it
 * later. The next claim of the task ends that sooner.
 */
const lateClaimMs = 15 * 60_000;

/**
 * One look of the dispatcher: what dead attempts hold is settled by the journals, and each runnable task gets a job, as
 * many as the queue takes. Nothing is remembered from one look to the next, and two dispatchers do no harm.
 */
export async function dispatchOnce(
  remotes: readonly FleetRemote[],
  engine: Engine,
  ports: FleetPorts,
): Promise<DispatchTick> {
  const standing = await engine.standing();
  let settled = 0;
  for (const remote of remotes) settled += await settleRemote(remote, standing, engine, ports);
  const jobs = chooseJobs(remotes, standing.holds);
  return { offered: await offerJobs(engine, jobs, standing), runnable: jobs.length, settled };
}

/** What lives is left to its worker, which hears of each step first. */
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
