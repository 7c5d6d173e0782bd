import { roomFor } from "./choose-jobs.ts";
import type { Engine, EngineStanding, Job } from "./engine/engine.ts";

/** Offers jobs in this order until the queue has enough; gives those that were not there already. */
export async function offerJobs(engine: Engine, jobs: readonly Job[], standing: EngineStanding): Promise<Job[]> {
  const known = new Set(standing.jobs.map(({ job }) => keyOf(job)));
  const offered: Job[] = [];
  let room = roomFor(standing);
  for (const job of jobs) {
    if (room <= 0) break;
    if (known.has(keyOf(job)) || (await engine.offer(job)) === "there") continue;
    offered.push(job);
    room -= 1;
  }
  return offered;
}

export function keyOf({ repo, task }: Pick<Job, "repo" | "task">): string {
  return `${repo}/${task}`;
}
