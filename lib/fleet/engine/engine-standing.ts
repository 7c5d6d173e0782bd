import type { PgBoss } from "pg-boss";
import { noUsage } from "../../rules/budgets.ts";
import type { SharedCooldown } from "../../task/records/ports.ts";
import type { Database, Sql } from "./database.ts";
import type { DaySpend, Engine, EngineStanding, Hold, Job, JobStanding, TaskKey, WorkerStanding } from "./engine.ts";
import { notSetUp } from "./engine-error.ts";
import { listQueued } from "./job-queue.ts";
import { sumHeld } from "./ledger.ts";
import { readUsageRow, selectUsage, type Tables, today, type UsageRow } from "./tables.ts";

export function createStanding(
  database: Database,
  boss: PgBoss,
  tables: Tables,
  place: { readonly urlEnv: string; readonly heartbeatMs: number },
): Pick<Engine, "holds" | "cooldowns" | "present" | "leave" | "standing"> {
  const { worker } = tables;
  return {
    holds: (of) => listHolds(database, tables, of ?? null),
    cooldowns: () => listCooldowns(database, tables),
    present: async ({ name, slots }) => {
      await database.query(
        `INSERT INTO ${worker} (name, slots, heartbeat_ms, seen) VALUES ($1, $2, $3, clock_timestamp())
         ON CONFLICT (name) DO UPDATE
           SET slots = excluded.slots, heartbeat_ms = excluded.heartbeat_ms, seen = excluded.seen`,
        [name, slots, place.heartbeatMs],
      );
    },
    leave: async (name) => {
      await database.query(`DELETE FROM ${worker} WHERE name = $1`, [name]);
    },
    standing: () => database.transaction((sql) => readStanding(sql, boss, tables, place.urlEnv)),
  };
}

async function readStanding(sql: Sql, boss: PgBoss, tables: Tables, urlEnv: string): Promise<EngineStanding> {
  const [ledger] = await sql.query<{ readonly now: Date; readonly rebuilt: boolean }>(
    `SELECT clock_timestamp() AS now, rebuilt FROM ${tables.ledger}`,
  );
  if (ledger === undefined) throw notSetUp(urlEnv, "its ledger is empty");
  const { now, rebuilt } = ledger;
  return {
    now,
    rebuilt,
    jobs: [...(await listLeased(sql, tables)), ...(await listQueued(sql, boss, now))],
    holds: await listHolds(sql, tables, null),
    days: await listDays(sql, tables),
    cooldowns: await listCooldowns(sql, tables),
    workers: await listWorkers(sql, tables),
  };
}

async function listHolds(sql: Sql, { hold, lease }: Tables, of: TaskKey | null): Promise<Hold[]> {
  const rows = await sql.query<UsageRow & Omit<Hold, "estimate">>(
    `SELECT h.attempt, h.repo, h.task, h.pass, h.account, h.at, ${selectUsage("h")},
       coalesce(l.until > clock_timestamp(), false) AS alive
     FROM ${hold} AS h LEFT JOIN ${lease} AS l USING (attempt)
     WHERE h.settled IS NULL AND ($1::text IS NULL OR (h.repo = $1 AND h.task = $2)) ORDER BY h.at, h.attempt`,
    [of?.repo ?? null, of?.task ?? null],
  );
  return rows.map((row) => {
    const { attempt, repo, task, pass, account, at, alive } = row;
    return { attempt, repo, task, pass, account, estimate: readUsageRow(row), at, alive };
  });
}

async function listCooldowns(sql: Sql, { cooldown }: Tables): Promise<ReadonlyMap<string, SharedCooldown>> {
  const rows = await sql.query<SharedCooldown & { readonly account: string }>(
    `SELECT account, until, reason FROM ${cooldown} WHERE until > clock_timestamp() ORDER BY account`,
  );
  return new Map(rows.map(({ account, until, reason }) => [account, { until, reason }]));
}

async function listLeased(sql: Sql, { lease }: Tables): Promise<JobStanding[]> {
  const rows = await sql.query<NonNullable<JobStanding["lease"]> & { readonly job: Job; readonly delivery: number }>(
    `SELECT job, attempt, delivery, worker, until, until > clock_timestamp() AS alive FROM ${lease} ORDER BY until`,
  );
  return rows.map(({ job, attempt, delivery, worker, until, alive }) => ({
    job,
    state: "leased",
    due: until,
    deliveries: delivery,
    lease: { worker, attempt, until, alive },
    why: null,
  }));
}

/** Today's is there before anything was spent. */
async function listDays(sql: Sql, tables: Tables): Promise<DaySpend[]> {
  const [held] = await sql.query<UsageRow>(`SELECT ${selectUsage("h")} FROM (${sumHeld(tables)}) AS h`);
  const rows = await sql.query<UsageRow & { readonly day: string; readonly is_today: boolean }>(
    `SELECT to_char(d.day, 'YYYY-MM-DD') AS day, d.day = ${today} AS is_today, ${selectUsage("p")}
     FROM (SELECT day FROM ${tables.daySpend} UNION SELECT ${today}) AS d
     LEFT JOIN ${tables.daySpend} AS p USING (day) ORDER BY d.day DESC`,
  );
  return rows.map((row) => ({
    day: row.day,
    spent: row.passes === null ? noUsage : readUsageRow(row),
    held: row.is_today && held !== undefined ? readUsageRow(held) : noUsage,
  }));
}

/** A worker that is dead for a day is forgotten. */
async function listWorkers(sql: Sql, { worker }: Tables): Promise<WorkerStanding[]> {
  await sql.query(`DELETE FROM ${worker} WHERE seen < clock_timestamp() - interval '1 day'`);
  return await sql.query<WorkerStanding>(
    `SELECT name, slots, seen, seen + 3 * heartbeat_ms * interval '1 millisecond' > clock_timestamp() AS alive
     FROM ${worker} ORDER BY name`,
  );
}
