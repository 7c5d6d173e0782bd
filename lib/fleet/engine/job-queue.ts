import type { Db, JobAttempt, PgBoss } from "pg-boss";
import * as v from "valibot";
import { shorten } from "../../text/shorten.ts";
import type { Database, Sql } from "./database.ts";
import { type Engine, type Job, type JobStanding, jobSchema, type Lease } from "./engine.ts";
import type { Tables } from "./tables.ts";

export const queueName = "passes";

/**
 * One queued or active job a key. A pass may take longer than the quarter of an hour after which pg-boss takes a job
 * back by default; a day is its longest. The journal, never the queue, counts how often a task is tried. `notify` stays
 * off: with it idle workers ask every 30 s, and a job that comes back raises no notification.
 */
export const queueOptions = {
  policy: "exclusive",
  expireInSeconds: 24 * 3600,
  retryLimit: 1_000_000_000,
  retryDelay: 0,
  retentionSeconds: 14 * 24 * 3600,
  deleteAfterSeconds: 24 * 3600,
  notify: false,
} as const;

const maintainEachMs = 3_600_000;
const mostQueued = 10_000;
const longestWhy = 500;

type Queue = Pick<Engine, "offer" | "lease" | "renew" | "done" | "fail">;

/**
 * Jobs are pg-boss's; their holders and times are in our own table, changed in the same transactions. A worker that
 * asks for a job first takes back what others let lapse, so that nothing has to watch over an idle queue.
 */
export function createQueue(database: Database, boss: PgBoss, tables: Tables, heartbeatMs: number): Queue {
  let maintained = performance.now();
  const maintain = async () => {
    if (performance.now() - maintained < maintainEachMs) return;
    maintained = performance.now();
    await boss.supervise(queueName);
  };
  return {
    offer: async (job) => {
      const options = {
        singletonKey: `${job.repo}/${job.task}`,
        priority: job.priority,
        heartbeatSeconds: Math.ceil(heartbeatMs / 1000),
      };
      return (await boss.send(queueName, job, options)) === null ? "there" : "offered";
    },
    lease: async (worker) => {
      await maintain();
      const leasedAt = performance.now();
      return await database.transaction(async (sql) => {
        await takeBack(sql, boss, tables);
        return await takeNext(sql, boss, tables, { worker, heartbeatMs, leasedAt });
      });
    },
    renew: ({ attempt }) =>
      database.transaction(async (sql) => {
        const ours = await sql.query(
          `UPDATE ${tables.lease} SET until = clock_timestamp() + heartbeat_ms * interval '1 millisecond'
           WHERE attempt = $1 AND until > clock_timestamp() RETURNING attempt`,
          [attempt],
        );
        if (ours.length === 0) return false;
        if (wasActive(await boss.touch(queueName, readAttempt(attempt), { db: dbOf(sql) }))) return true;
        await sql.query(`DELETE FROM ${tables.lease} WHERE attempt = $1`, [attempt]);
        return false;
      }),
    done: ({ attempt }) =>
      database.transaction(async (sql) => {
        if (!(await dropLease(sql, tables, attempt))) return false;
        return wasActive(await boss.complete(queueName, readAttempt(attempt), null, { db: dbOf(sql) }));
      }),
    fail: ({ attempt }, why, again) =>
      database.transaction(async (sql) => {
        if (!(await dropLease(sql, tables, attempt))) return false;
        return await putBack(sql, boss, readAttempt(attempt), shorten(why, longestWhy), again);
      }),
  };
}

/** False if it is over: the job of a lapsed lease goes back as `takeBack` does it. */
async function dropLease(sql: Sql, { lease }: Tables, attempt: string): Promise<boolean> {
  const text = `DELETE FROM ${lease} WHERE attempt = $1 AND until > clock_timestamp() RETURNING attempt`;
  return (await sql.query(text, [attempt])).length > 0;
}

/** The jobs of leases whose time is over go back into the queue, each by one of those who look at the same time. */
async function takeBack(sql: Sql, boss: PgBoss, { lease }: Tables): Promise<void> {
  const lapsed = await sql.query<{ readonly attempt: string }>(
    `DELETE FROM ${lease} WHERE attempt IN
       (SELECT attempt FROM ${lease} WHERE until <= clock_timestamp() FOR UPDATE SKIP LOCKED)
     RETURNING attempt`,
  );
  for (const { attempt } of lapsed) {
    await putBack(sql, boss, readAttempt(attempt), "its worker did not renew the lease", null);
  }
}

async function putBack(sql: Sql, boss: PgBoss, job: JobAttempt, why: string, again: Date | null): Promise<boolean> {
  const db = dbOf(sql);
  const isBack = wasActive(await boss.fail(queueName, job, { why }, { db }));
  if (isBack && again !== null) await boss.update(queueName, undefined, { id: job.id, startAfter: again, db });
  return isBack;
}

async function takeNext(
  sql: Sql,
  boss: PgBoss,
  tables: Tables,
  taker: Pick<Lease, "heartbeatMs" | "leasedAt"> & { readonly worker: string },
): Promise<Lease | null> {
  for (;;) {
    const [found] = await boss.fetch<unknown>(queueName, { db: dbOf(sql), includeMetadata: true });
    if (found === undefined) return null;
    const job = readJob(found.data);
    if (job === null) {
      await boss.cancel(queueName, found.id, { db: dbOf(sql) });
      continue;
    }
    // pg-boss takes the job back after this; the worker that offered it may have another heartbeat than this one.
    const heartbeatMs = found.heartbeatSeconds === null ? taker.heartbeatMs : found.heartbeatSeconds * 1000;
    const [attempt, delivery] = [`${found.id}-${found.retryCount}`, found.retryCount + 1];
    await sql.query(
      `INSERT INTO ${tables.lease} (attempt, job, delivery, worker, heartbeat_ms, until)
       VALUES ($1, $2, $3, $4, $5, clock_timestamp() + $5::integer * interval '1 millisecond')`,
      [attempt, JSON.stringify(job), delivery, taker.worker, heartbeatMs],
    );
    return { job, attempt, delivery, heartbeatMs, leasedAt: taker.leasedAt };
  }
}

/** The jobs without a lease. */
export async function listQueued(sql: Sql, boss: PgBoss, now: Date): Promise<JobStanding[]> {
  const found = await boss.findJobs<unknown>(queueName, { queued: true, limit: mostQueued, db: dbOf(sql) });
  return found.flatMap((one): JobStanding[] => {
    const job = readJob(one.data);
    if (job === null) return [];
    const state = one.startAfter > now ? "waiting" : "queued";
    const deliveries = one.startedOn === null ? 0 : one.retryCount + 1;
    return [{ job, state, due: one.startAfter, deliveries, lease: null, why: readWhy(one.output) }];
  });
}

function readWhy(output: unknown): string | null {
  const why = (output as { readonly why?: unknown } | null)?.why;
  return typeof why === "string" ? why : null;
}

/** What a job that is delivered again shares with none of its other deliveries: `JOB-RETRIES`. */
function readAttempt(attempt: string): JobAttempt {
  const at = attempt.lastIndexOf("-");
  return { id: attempt.slice(0, at), retryCount: Number(attempt.slice(at + 1)) };
}

function wasActive(response: object): boolean {
  return (response as { readonly affected?: number }).affected === 1;
}

export function dbOf(sql: Sql): Db {
  return { executeSql: async (text, values) => ({ rows: await sql.query(text, values) }) };
}

/** Null if this version cannot do it: anyone with access to the database may have written it. */
function readJob(data: unknown): Job | null {
  const read = v.safeParse(jobSchema, data);
  return read.success ? read.output : null;
}
