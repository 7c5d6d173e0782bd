import type { Usage } from "../../rules/budgets.ts";
import { configError } from "../../text/errors.ts";
import { openDatabase, type Sql } from "./database.ts";
import type { EnginePlace, LedgerFacts } from "./engine.ts";
import { loadPackages, packageFolders } from "./engine-packages.ts";
import { requireVersion } from "./open-engine.ts";
import { addToDay, readUsageRow, selectUsage, type Tables, tablesOf, type UsageRow, usageValues } from "./tables.ts";

/**
 * Counts the ledger anew from what the journals say. `read` is called when nothing new is granted any more, so that it sees
 * every pass that began before; workers may go on meanwhile. If it throws, nothing is granted until a later call succeeds.
 * Throws TP_ENGINE_REBUILD (78) if another rebuild began in between.
 */
export async function rebuildLedger(place: EnginePlace, read: () => Promise<LedgerFacts>): Promise<void> {
  const tables = tablesOf(place.schema);
  const database = openDatabase(loadPackages(packageFolders(place.cwd)), place);
  try {
    await requireVersion(database, tables.ledger, place);
    const [closed] = await database.query<{ readonly at: string }>(
      `UPDATE ${tables.ledger} SET rebuilt = false, counted_from = clock_timestamp() RETURNING counted_from::text AS at`,
    );
    const facts = await read();
    await database.transaction(async (sql) => {
      const from = `SELECT 1 AS one FROM ${tables.ledger} WHERE counted_from = $1::timestamptz FOR UPDATE`;
      if ((await sql.query(from, [closed?.at ?? null])).length === 0) {
        throw configError("TP_ENGINE_REBUILD", "another rebuild of the ledger has started", {
          fix: "wait for it to end, and run `task-phase fleet setup --rebuild` again if it fails",
        });
      }
      await count(sql, tables, facts);
      await sql.query(`UPDATE ${tables.ledger} SET rebuilt = true`);
    });
  } finally {
    await database.close();
  }
}

async function count(sql: Sql, tables: Tables, facts: LedgerFacts): Promise<void> {
  const { hold, daySpend } = tables;
  const late = await listLate(sql, tables, facts);
  await sql.query(`DELETE FROM ${daySpend}`);
  for (const [day, used] of facts.days) await sql.query(addToDay(tables, "$1::date", 2), [day, ...usageValues(used)]);
  for (const { day, used } of late) await sql.query(addToDay(tables, "$1::date", 2), [day, ...usageValues(used)]);
  // The journal has their verdicts, so what they used is in the sums above.
  const closed = [...facts.known].filter((attempt) => !facts.open.some((one) => one.attempt === attempt));
  await sql.query(
    `UPDATE ${hold} SET settled = clock_timestamp(), passes = 0, money_usd = 0, tokens = 0, time_ms = 0
     WHERE settled IS NULL AND attempt = ANY($1)`,
    [closed],
  );
  const lateAttempts = new Set(late.map(({ attempt }) => attempt));
  for (const one of facts.open.filter(({ attempt }) => !lateAttempts.has(attempt))) {
    const { attempt, repo, task, pass, account, estimate, at } = one;
    await sql.query(
      `INSERT INTO ${hold} (attempt, repo, task, pass, account, passes, money_usd, tokens, time_ms, at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       ON CONFLICT (attempt) DO UPDATE SET settled = NULL, passes = excluded.passes, money_usd = excluded.money_usd,
         tokens = excluded.tokens, time_ms = excluded.time_ms`,
      [attempt, repo, task, pass, account, ...usageValues(estimate), at],
    );
  }
}

/** Attempts that were settled while the journals were read, and whose verdicts are not in what was read. */
async function listLate(
  sql: Sql,
  { hold, ledger }: Tables,
  { open, known }: LedgerFacts,
): Promise<{ attempt: string; day: string; used: Usage }[]> {
  const rows = await sql.query<UsageRow & { readonly attempt: string; readonly day: string }>(
    `SELECT attempt, to_char(settled AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, ${selectUsage("h")}
     FROM ${hold} AS h, ${ledger} WHERE settled >= counted_from`,
  );
  const isOpen = new Set(open.map(({ attempt }) => attempt));
  return rows
    .filter(({ attempt }) => isOpen.has(attempt) || !known.has(attempt))
    .map((row) => ({ attempt: row.attempt, day: row.day, used: readUsageRow(row) }));
}
