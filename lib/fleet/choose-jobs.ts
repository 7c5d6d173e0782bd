import type { FleetConfig } from "../documents/config/fleet-schema.ts";
import type { LoadedConfig } from "../documents/config/load-config.ts";
import { findSameRefs, taskRefOf } from "../git/task-branches.ts";
import type { BranchTask } from "../queue/views/inspect-branches.ts";
import { orIfForeseen } from "../text/attempt.ts";
import type { Engine, EngineStanding, Hold, Job } from "./engine/engine.ts";
import { repoOf } from "./read-remote.ts";

export interface JudgedRemote {
  readonly url: string;
  readonly config: Pick<LoadedConfig, "fleet" | "models">;
  readonly tasks: readonly JudgedTask[];
}

export type JudgedTask = Pick<BranchTask, "id" | "priority" | "standing" | "phase" | "readAt" | "claim" | "seq">;

/**
 * A job for each task that a pass can do something with now, the most urgent first: by priority, high before low, then by
 * the name of the task. A task whose claim belongs to an attempt that is dead by the engine can be taken over. Tasks whose
 * ids name the same branch on some machines get none: each of their passes would be refused.
 */
export function chooseJobs(remotes: readonly JudgedRemote[], holds: readonly Hold[]): Job[] {
  const dead = new Set(holds.filter(({ alive }) => !alive).map(({ attempt }) => attempt));
  return remotes
    .flatMap((remote) => {
      const alike = new Set(findSameRefs(remote.tasks.flatMap(({ id }) => id ?? [])).flat());
      const able = remote.tasks.filter((task) => canGoOn(task, dead) && !alike.has(task.id ?? ""));
      return able.flatMap((task) => jobFor(task, remote));
    })
    .sort(
      (one, other) => other.priority - one.priority || compare(one.task, other.task) || compare(one.url, other.url),
    );
}

function canGoOn({ standing, claim }: JudgedTask, dead: ReadonlySet<string>): boolean {
  if (standing === "runnable" || standing === "refused") return true;
  return standing === "running" && dead.has(claim?.runner?.attempt ?? "");
}

function jobFor({ id, priority, phase, readAt, seq }: JudgedTask, { url, config }: JudgedRemote): Job[] {
  const ref = id === null ? null : findRef(id, config.fleet);
  if (id === null || ref === null || readAt === null) return [];
  const seen = { base_sha: readAt.commit, seen_seq: seq, phase: phase ?? "intake" };
  const account = likelyAccount(config);
  return [{ v: 1, repo: repoOf(url), url: urlOfJob(url), task: id, ref, ...seen, account, priority }];
}

/** Null for an id that cannot be a branch: no machine can claim a pass of such a task. */
function findRef(id: string, fleet: FleetConfig | null): string | null {
  return orIfForeseen(() => taskRefOf(id, fleet?.ref), null);
}

/** The user of ssh is part of the address; everything else before the host may be a secret. */
export function urlOfJob(url: string): string {
  return url.replace(/^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/@]*)@/, (_whole, scheme: string, login: string) =>
    scheme.toLowerCase() === "ssh" ? `${scheme}://${login.split(":", 1)[0]}@` : `${scheme}://`,
  );
}

/** The account whose limits apply to a call of this model. A model in no account has its own, without limits. */
export function accountOf(model: string, fleet: Pick<FleetConfig, "accounts"> | null) {
  const account = fleet?.accounts.find(({ models }) => models.includes(model));
  return account ?? { name: `model:${model}`, models: [model], concurrent: null, startsPerMinute: null };
}

/** The account of all models, if they share one. */
function likelyAccount({ models, fleet }: JudgedRemote["config"]): string | null {
  const names = new Set(models.map(({ name }) => accountOf(name, fleet).name));
  const [only] = names;
  return names.size === 1 && only !== undefined ? only : null;
}

/** How many jobs may wait for each pass that the living workers can do at a time: edits and priorities count soon. */
const jobsPerSlot = 2;

/** How many more jobs the queue takes. Without a worker a few wait for the first one. */
export function roomFor({ jobs, workers }: Pick<EngineStanding, "jobs" | "workers">): number {
  const queued = jobs.filter(({ state }) => state === "queued").length;
  return Math.max(0, jobsPerSlot * Math.max(1, slotsOf(workers)) - queued);
}

export function slotsOf(workers: EngineStanding["workers"]): number {
  return workers.filter(({ alive }) => alive).reduce((sum, { slots }) => sum + slots, 0);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

export type Offer = Readonly<Awaited<ReturnType<typeof offerJobs>>>;

/**
 * Offers jobs in this order until the queue has enough; `left`: those that it had no room for. One that is in it already,
 * or leased, is in neither list.
 */
export async function offerJobs(engine: Engine, jobs: readonly Job[], standing: EngineStanding) {
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
