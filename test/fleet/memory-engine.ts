import type {
  DaySpend,
  Engine,
  EngineStanding,
  HeldCall,
  Hold,
  Job,
  JobStanding,
  Lease,
  LedgerFacts,
  Refused,
  SharedCall,
} from "../../lib/fleet/engine/engine.ts";
import { addUsage, noUsage, type Usage } from "../../lib/rules/budgets.ts";
import type { SharedCooldown } from "../../lib/task/records/ports.ts";

interface Entry {
  readonly job: Job;
  readonly id: number;
  due: number;
  deliveries: number;
  lease: { worker: string; attempt: string; until: number } | null;
  why: string | null;
}

/** An engine in this process, by the contract of `Engine`, and what a test may do to it. */
export interface MemoryEngine extends Engine {
  /** By UTC day. */
  readonly spent: Map<string, Usage>;
  /** Each lease that was given out, in order. */
  readonly leases: readonly Lease[];
  rebuild(facts: LedgerFacts): void;
  /** All is forgotten, as by a database that was dropped. */
  drop(): void;
  /** As if PostgreSQL did not answer: each call throws this. */
  fault: Error | null;
}

/** A pass of a task in intake that anybody may do. */
export const intakeJob = (task: string): Job => ({
  ...{ v: 1, repo: "r", url: "/srv/r.git", task, ref: `refs/heads/task-phase/${task}` },
  ...{ base_sha: "0".repeat(40), seen_seq: 1, phase: "intake", account: null, priority: 0 },
});

const kinds = ["passes", "moneyUsd", "tokens", "timeMs"] as const;

export function memoryEngine({ heartbeatMs = 10_000, now = () => Date.now() } = {}): MemoryEngine {
  let rebuilt = true;
  let ids = 0;
  const jobs = new Map<string, Entry>();
  const holds = new Map<string, HeldCall>();
  const settled = new Set<string>();
  const cooldowns = new Map<string, SharedCooldown>();
  const starts = new Map<string, number[]>();
  const workers = new Map<string, { slots: number; seen: number }>();
  const spent = new Map<string, Usage>();
  const leases: Lease[] = [];
  const keyOf = ({ repo, task }: Pick<Job, "repo" | "task">) => `${repo}/${task}`;
  const isAlive = (attempt: string) =>
    [...jobs.values()].some(({ lease }) => lease?.attempt === attempt && lease.until > now());
  const mine = (lease: Lease): Entry | null => {
    const entry = jobs.get(keyOf(lease.job));
    return entry?.lease?.attempt === lease.attempt && entry.lease.until > now() ? entry : null;
  };
  const dayOf = () => new Date(now()).toISOString().slice(0, 10);
  const heldSum = () => [...holds.values()].reduce((sum, { estimate }) => addUsage(sum, estimate), noUsage);
  const toHold = (call: HeldCall): Hold => ({ ...call, alive: isAlive(call.attempt) });
  const check = () => {
    if (engine.fault !== null) throw engine.fault;
  };
  const refuse = (call: SharedCall): Refused | null => {
    const { account, limits, estimate } = call;
    if (!isAlive(call.attempt)) return { by: "lease", reason: "the lease is gone", again: null };
    if (!rebuilt) return { by: "not_rebuilt", reason: "the ledger was not rebuilt", again: null };
    const cooldown = cooldowns.get(account);
    if (cooldown !== undefined && cooldown.until.getTime() > now())
      return {
        by: "cooldown",
        reason: `the account ${account} cools down (${cooldown.reason})`,
        again: cooldown.until,
      };
    const live = [...holds.values()].filter((hold) => hold.account === account && isAlive(hold.attempt));
    if (limits.concurrent !== null && live.length >= limits.concurrent)
      return { by: "concurrent", reason: `the account ${account} has no free slot`, again: null };
    const recent = (starts.get(account) ?? []).filter((at) => at > now() - 60_000);
    if (limits.startsPerMinute !== null && recent.length >= limits.startsPerMinute)
      return { by: "starts", reason: "too many starts", again: new Date((recent[0] ?? now()) + 60_000) };
    const used = addUsage(addUsage(spent.get(dayOf()) ?? noUsage, heldSum()), estimate);
    const over = kinds.find((kind) => limits.day[kind] !== null && used[kind] > (limits.day[kind] ?? 0) + 1e-9);
    if (over !== undefined) return { by: "budget", reason: `the day has no ${over} left`, again: null };
    starts.set(account, [...recent, now()]);
    return null;
  };
  const engine: MemoryEngine = {
    spent,
    leases,
    fault: null,
    async offer(job) {
      check();
      if (jobs.has(keyOf(job))) return "there";
      jobs.set(keyOf(job), { job, id: ++ids, due: now(), deliveries: 0, lease: null, why: null });
      return "offered";
    },
    async lease(worker) {
      check();
      const due = [...jobs.values()].filter(({ lease, due: at }) =>
        lease === null ? at <= now() : lease.until <= now(),
      );
      const [next] = due.sort((one, other) => other.job.priority - one.job.priority || one.id - other.id);
      if (next === undefined) return null;
      next.deliveries += 1;
      const attempt = `job${next.id}-${next.deliveries}`;
      next.lease = { worker, attempt, until: now() + heartbeatMs };
      const lease = { job: next.job, attempt, delivery: next.deliveries, heartbeatMs, leasedAt: performance.now() };
      leases.push(lease);
      return lease;
    },
    async renew(lease) {
      check();
      const entry = mine(lease);
      if (entry?.lease == null) return false;
      entry.lease.until = now() + heartbeatMs;
      return true;
    },
    async done(lease) {
      check();
      return mine(lease) !== null && jobs.delete(keyOf(lease.job));
    },
    async fail(lease, why, again) {
      check();
      const entry = mine(lease);
      if (entry === null) return false;
      Object.assign(entry, { lease: null, why, due: again?.getTime() ?? now() });
      return true;
    },
    async reserve(call) {
      check();
      if (holds.has(call.attempt) || settled.has(call.attempt)) return null;
      const refused = refuse(call);
      if (refused !== null) return refused;
      const { attempt, repo, task, pass, account, estimate } = call;
      holds.set(attempt, { attempt, repo, task, pass, account, estimate, at: new Date(now()) });
      return null;
    },
    async settle(attempt, used) {
      check();
      if (!holds.delete(attempt)) return false;
      settled.add(attempt);
      if (used !== null) spent.set(dayOf(), addUsage(spent.get(dayOf()) ?? noUsage, used));
      return true;
    },
    async cool(account, until, reason) {
      check();
      if ((cooldowns.get(account)?.until.getTime() ?? 0) < until.getTime()) cooldowns.set(account, { until, reason });
    },
    async holds(of) {
      check();
      const all = [...holds.values()].map(toHold);
      return of === undefined ? all : all.filter(({ repo, task }) => repo === of.repo && task === of.task);
    },
    async cooldowns() {
      check();
      return new Map([...cooldowns].filter(([, { until }]) => until.getTime() > now()));
    },
    async present({ name, slots }) {
      check();
      workers.set(name, { slots, seen: now() });
    },
    async leave(worker) {
      check();
      workers.delete(worker);
    },
    async standing(): Promise<EngineStanding> {
      check();
      const today: DaySpend = { day: dayOf(), spent: spent.get(dayOf()) ?? noUsage, held: heldSum() };
      return {
        now: new Date(now()),
        rebuilt,
        jobs: [...jobs.values()].map((entry) => toStanding(entry, now())),
        holds: [...holds.values()].map(toHold),
        days: [today],
        cooldowns: await engine.cooldowns(),
        workers: [...workers].map(([name, { slots, seen }]) => {
          return { name, slots, seen: new Date(seen), alive: now() - seen <= 3 * heartbeatMs };
        }),
      };
    },
    async close() {},
    rebuild(facts) {
      spent.clear();
      holds.clear();
      settled.clear();
      for (const [day, usage] of facts.days) spent.set(day, usage);
      for (const call of facts.open) holds.set(call.attempt, call);
      rebuilt = true;
    },
    drop() {
      for (const each of [jobs, holds, settled, cooldowns, starts, workers, spent]) each.clear();
      rebuilt = false;
    },
  };
  return engine;
}

function toStanding({ job, lease, due, deliveries, why }: Entry, now: number): JobStanding {
  const state = lease !== null ? "leased" : due <= now ? "queued" : "waiting";
  const held = lease === null ? null : { ...lease, until: new Date(lease.until), alive: lease.until > now };
  return { job, state, due: new Date(due), deliveries, lease: held, why };
}
