import type { BranchTask } from "../queue/views/inspect-branches.ts";
import { isHeld } from "../rules/claim.ts";
import type { DifferenceKind } from "../rules/shapes/reports/fleet.ts";
import { keyOf } from "./choose-jobs.ts";
import type { EngineStanding, Hold, JobStanding } from "./engine/engine.ts";

/** Git and the engine do not say the same. Git is right. */
export interface Difference {
  readonly kind: DifferenceKind;
  readonly task: string | null;
  readonly url: string | null;
  /** One sentence without a full stop. */
  readonly why: string;
}

export interface ComparedRemote {
  readonly url: string;
  readonly repo: string;
  readonly tasks: readonly Pick<BranchTask, "id" | "standing" | "why" | "claim">[];
}

/** All differences, by task; those of remotes that were not looked at are not known. */
export function findDifferences(remotes: readonly ComparedRemote[], standing: EngineStanding): Difference[] {
  const found = remotes.flatMap((remote) => compareRemote(remote, standing));
  const silent = standing.workers
    .filter(({ alive }) => !alive)
    .map(({ name, seen }): Difference => {
      const why = `worker ${name} was last seen at ${seen.toISOString()}; its jobs are handed out again`;
      return { kind: "silent_worker", task: null, url: null, why };
    });
  return [...found, ...silent];
}

function compareRemote({ url, repo, tasks }: ComparedRemote, { jobs, holds, now }: EngineStanding): Difference[] {
  const known = new Map(tasks.flatMap((task) => (task.id === null ? [] : [[task.id, task] as const])));
  const ids = new Set([
    ...known.keys(),
    ...[...jobs.map(({ job }) => job), ...holds].filter((one) => one.repo === repo).map(({ task }) => task),
  ]);
  return [...ids].sort().flatMap((id) => {
    const task = known.get(id);
    const key = keyOf({ repo, task: id });
    const job = jobs.find((one) => keyOf(one.job) === key);
    const say = (kind: DifferenceKind, why: string): Difference => ({ kind, task: id, url, why });
    const claim = task?.claim ?? null;
    const attempt = claim?.runner?.attempt ?? null;
    const own = holds.filter((hold) => keyOf(hold) === key);
    const found = judgeJob(job, task, say);
    if (claim !== null && attempt !== null && isHeld(claim, now) && job?.lease?.attempt !== attempt) {
      const claimed = `pass ${claim.pass} is claimed in git by attempt ${attempt} until ${claim.until}`;
      found.push(say("claim_without_lease", `${claimed}, but the engine has no lease for it`));
    }
    const stale = own.filter((hold) => !hold.alive && hold.attempt !== attempt);
    return [...found, ...stale.map((hold) => say("hold_without_claim", renderHold(hold)))];
  });
}

function judgeJob(
  job: JobStanding | undefined,
  task: ComparedRemote["tasks"][number] | undefined,
  say: (kind: DifferenceKind, why: string) => Difference,
): Difference[] {
  if (job === undefined) return [];
  const found: Difference[] = [];
  if (task === undefined)
    found.push(say("job_without_work", `there is a ${job.state} job, but no branch has the task`));
  else if (!["runnable", "refused"].includes(task.standing) && task.standing !== "running")
    found.push(say("job_without_work", `there is a ${job.state} job, but the task is ${task.standing}: ${task.why}`));
  const { lease } = job;
  if (lease !== null && !lease.alive) {
    const over = `the lease of worker ${lease.worker} (attempt ${lease.attempt}) expired at ${lease.until.toISOString()}`;
    found.push(say("lapsed_lease", `${over}; the next worker that asks gets the job`));
  }
  return found;
}

function renderHold({ attempt, pass, account }: Hold): string {
  return `attempt ${attempt} is dead but still holds money of ${account} for pass ${pass}, and git has no open claim of it; dispatch settles it`;
}
