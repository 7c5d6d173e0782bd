import { noUsage, type Usage } from "../../rules/budgets.ts";
import type { Database, Sql } from "./database.ts";
import type { Engine, Refused, SharedCall } from "./engine.ts";
import { notSetUp } from "./engine-error.ts";
import { type CallFacts, refuseCall } from "./refuse-call.ts";
import { addToDay, readUsageRow, selectUsage, type Tables, today, type UsageRow, usageValues } from "./tables.ts";

/** Tombstones of settled attempts, so that none is counted twice however late a call of it comes. */
const keptTombstones = "interval '2 days'";
const keptDays = "40";

/** What may still be spent. Each change waits for the one before it, so that none is judged on what another changes. */
export function createLedger(
  database: Database,
  tables: Tables,
  urlEnv: string,
): Pick<Engine, "reserve" | "settle" | "cool"> {
  const inTurn = <Value>(act: (sql: Sql) => Promise<Value>) =>
    database.transaction(async (sql) => {
      const rows = await sql.query(`SELECT one FROM ${tables.ledger} FOR UPDATE`);
      if (rows.length === 0) throw notSetUp(urlEnv, "its ledger is empty");
      return await act(sql);
    });
  return {
    reserve: (call) => inTurn((sql) => reserve(sql, tables, call)),
    settle: (attempt, used) => inTurn((sql) => settle(sql, tables, attempt, used)),
    cool: (account, until, reason) => inTurn((sql) => cool(sql, tables, account, until, reason)),
  };
}

async function reserve(sql: Sql, tables: Tables, call: SharedCall): Promise<Refused | null> {
  const { hold, start } = tables;
  const open = `SELECT 1 AS one FROM ${hold} WHERE attempt = $1 AND settled IS NULL`;
  if ((await sql.query(open, [call.attempt])).length > 0) return null;
  const refused = refuseCall(await readFacts(sql, tables, call), call);
  if (refused !== null) return refused;
  await sql.query(
    `INSERT INTO ${hold} (attempt, repo, task, pass, account, passes, money_usd, tokens, time_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [call.attempt, call.repo, call.task, call.pass, call.account, ...usageValues(call.estimate)],
  );
  await sql.query(
    `WITH old AS (DELETE FROM ${start} WHERE account = $1 AND at <= clock_timestamp() - interval '1 minute')
     INSERT INTO ${start} (account) VALUES ($1)`,
    [call.account],
  );
  return null;
}

interface FactsRow extends Omit<CallFacts, "cooldown" | "spent" | "held">, UsageRow {
  readonly until: Date | null;
  readonly reason: string | null;
  readonly spent: UsageRow | null;
}

async function readFacts(sql: Sql, tables: Tables, { attempt, account }: SharedCall): Promise<CallFacts> {
  const { ledger, hold, lease, cooldown, start, daySpend } = tables;
  const [row] = await sql.query<FactsRow>(
    `SELECT clock_timestamp() AS now, l.rebuilt, r.until, r.reason,
       EXISTS (SELECT 1 FROM ${hold} WHERE attempt = $1) AS settled,
       EXISTS (SELECT 1 FROM ${lease} WHERE attempt = $1 AND until > clock_timestamp()) AS leased,
       (SELECT count(*)::integer FROM ${hold} JOIN ${lease} AS theirs USING (attempt)
         WHERE account = $2 AND settled IS NULL AND theirs.until > clock_timestamp()) AS running,
       ARRAY(SELECT at FROM ${start} WHERE account = $2 AND at > clock_timestamp() - interval '1 minute' ORDER BY at)
         AS starts,
       (SELECT row_to_json(s) FROM (SELECT ${selectUsage("p")} FROM ${daySpend} AS p WHERE p.day = ${today}) AS s) AS spent,
       ${selectUsage("held")}
     FROM ${ledger} AS l
     LEFT JOIN ${cooldown} AS r ON r.account = $2 AND r.until > clock_timestamp()
     CROSS JOIN LATERAL (${sumHeld(tables)}) AS held`,
    [attempt, account],
  );
  if (row === undefined) throw new Error("the one row of the ledger is gone while it is locked");
  const { now, rebuilt, settled, leased, until, reason, running, starts, spent } = row;
  return {
    now,
    rebuilt,
    settled,
    leased,
    cooldown: until === null ? null : { until, reason: reason ?? "" },
    running,
    starts,
    spent: spent === null ? noUsage : readUsageRow(spent),
    held: readUsageRow(row),
  };
}

/** What all open holds are taken to use. */
export function sumHeld({ hold }: Tables): string {
  const sums = ["passes", "money_usd", "tokens", "time_ms"].map((name) => `coalesce(sum(${name}), 0) AS ${name}`);
  return `SELECT ${sums.join(", ")} FROM ${hold} WHERE settled IS NULL`;
}

async function settle(sql: Sql, tables: Tables, attempt: string, used: Usage | null): Promise<boolean> {
  const { hold, daySpend } = tables;
  const values = usageValues(used ?? noUsage);
  const ended = await sql.query(
    `UPDATE ${hold} SET settled = clock_timestamp(), passes = $2, money_usd = $3, tokens = $4, time_ms = $5
     WHERE attempt = $1 AND settled IS NULL RETURNING attempt`,
    [attempt, ...values],
  );
  if (ended.length === 0) return false;
  await sql.query(addToDay(tables, today, 1), values);
  await sql.query(`DELETE FROM ${hold} WHERE settled < clock_timestamp() - ${keptTombstones}`);
  await sql.query(`DELETE FROM ${daySpend} WHERE day < ${today} - ${keptDays}`);
  return true;
}

async function cool(sql: Sql, { cooldown }: Tables, account: string, until: Date, reason: string): Promise<void> {
  await sql.query(
    `INSERT INTO ${cooldown} AS r (account, until, reason) VALUES ($1, $2, $3)
     ON CONFLICT (account) DO UPDATE SET until = excluded.until, reason = excluded.reason
       WHERE r.until < excluded.until`,
    [account, until, reason],
  );
}
