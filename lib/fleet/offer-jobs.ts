import { roomFor } from "./choose-jobs.ts";
import type { Engine, EngineStanding, Job } from "./engine/engine.ts";

export interface Offer {
  /** What was put into the queue. */
  readonly offered: readonly Job[];
  /** What the queue had no room for. */
  readonly left: readonly Job[];
}

/** Offers jobs in this order until the queue has enough. One that is in it already, or leased, is in neither list. */
export async function offerJobs(engine: Engine, jobs: readonly Job[], standing: EngineStanding): Promise<Offer> {
  const known = new Set(standing.jobs.map(({ job }) => keyOf(job)));
  const fresh = jobs.filter((job) => !known.has(keyOf(job)));
  const offered: Job[] = [];
  let room = roomFor(standing);
  for (const [index, job] of fresh.entries()) {
    if (room <= 0) return { offered, left: fresh.slice(index) };
    if ((await engine.offer(job)) === "there") continue;
    offered.push(job);
    room -= 1;
  }
  return { offered, left: [] };
}

export function keyOf({ repo, task }: Pick<Job, "repo" | "task">): string {
  return `${repo}/${task}`;
}
