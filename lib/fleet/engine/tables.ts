import type { Usage } from "../../rules/budgets.ts";

/** Raised when a table changes, so that an older program does not write into it. */
export const ledgerVersion = 1;

export type Tables = Readonly<ReturnType<typeof tablesOf>>;

/**
 * The names of our tables, beside those of pg-boss in its schema; each begins with `tp_`, as none of pg-boss does. A name
 * is no value that could be a parameter, so it must be one that needs no escape: throws for any other.
 */
export function tablesOf(schema: string) {
  if (!/^[a-z_][a-z0-9_]{0,49}$/.test(schema))
    throw new Error("the name of the schema is not one of lower-case letters");
  const name = (table: string) => `"${schema}".tp_${table}`;
  return {
    /** One row, for which all reservations queue, and which says whether the journals were counted. */
    ledger: name("ledger"),
    lease: name("lease"),
    hold: name("hold"),
    daySpend: name("day_spend"),
    cooldown: name("cooldown"),
    start: name("start"),
    worker: name("worker"),
  };
}

/** Sums of decimals are exact in `numeric`. */
const amounts = `passes numeric NOT NULL, money_usd numeric NOT NULL, tokens numeric NOT NULL, time_ms numeric NOT NULL`;

/** Makes what is missing, and changes nothing that is there. */
export function makeTables(tables: Tables): string {
  const { ledger, lease, hold, daySpend, cooldown, start, worker } = tables;
  return `
    CREATE TABLE IF NOT EXISTS ${ledger} (
      one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL,
      rebuilt boolean NOT NULL DEFAULT false, counted_from timestamptz);
    INSERT INTO ${ledger} (version) VALUES (${ledgerVersion}) ON CONFLICT DO NOTHING;
    CREATE TABLE IF NOT EXISTS ${lease} (
      attempt text PRIMARY KEY, job jsonb NOT NULL, delivery integer NOT NULL, worker text NOT NULL,
      heartbeat_ms integer NOT NULL, until timestamptz NOT NULL);
    CREATE TABLE IF NOT EXISTS ${hold} (
      attempt text PRIMARY KEY, repo text NOT NULL, task text NOT NULL, pass integer NOT NULL, account text NOT NULL,
      ${amounts}, at timestamptz NOT NULL DEFAULT clock_timestamp(), settled timestamptz);
    CREATE INDEX IF NOT EXISTS tp_hold_open ON ${hold} (account) WHERE settled IS NULL;
    CREATE TABLE IF NOT EXISTS ${daySpend} (day date PRIMARY KEY, ${amounts});
    CREATE TABLE IF NOT EXISTS ${cooldown} (account text PRIMARY KEY, until timestamptz NOT NULL, reason text NOT NULL);
    CREATE TABLE IF NOT EXISTS ${start} (account text NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp());
    CREATE INDEX IF NOT EXISTS tp_start_account ON ${start} (account, at);
    CREATE TABLE IF NOT EXISTS ${worker} (
      name text PRIMARY KEY, slots integer NOT NULL, heartbeat_ms integer NOT NULL, seen timestamptz NOT NULL)`;
}

/** Whatever the time zone of the server or of the session is. */
export const today = "(clock_timestamp() AT TIME ZONE 'UTC')::date";

/** As numbers, for `readUsage`; `of` is the alias of a table or of its sums. */
export function selectUsage(of: string): string {
  return `${of}.passes::float8 AS passes, ${of}.money_usd::float8 AS money_usd, ${of}.tokens::float8 AS tokens,
    ${of}.time_ms::float8 AS time_ms`;
}

export interface UsageRow {
  readonly passes: number;
  readonly money_usd: number;
  readonly tokens: number;
  readonly time_ms: number;
}

export function readUsageRow(row: UsageRow): Usage {
  return { passes: row.passes, moneyUsd: row.money_usd, tokens: row.tokens, timeMs: row.time_ms };
}

/** In the order of the columns. */
export function usageValues({ passes, moneyUsd, tokens, timeMs }: Usage): readonly number[] {
  return [passes, moneyUsd, tokens, timeMs];
}

/** Adds the amounts of four parameters, the first of which is number `first`, to the spending of a day. */
export function addToDay({ daySpend }: Tables, day: string, first: number): string {
  const [passes, money, tokens, time] = [0, 1, 2, 3].map((index) => `$${first + index}::numeric`);
  return `INSERT INTO ${daySpend} AS p (day, passes, money_usd, tokens, time_ms)
    VALUES (${day}, ${passes}, ${money}, ${tokens}, ${time})
    ON CONFLICT (day) DO UPDATE SET passes = p.passes + excluded.passes, money_usd = p.money_usd + excluded.money_usd,
      tokens = p.tokens + excluded.tokens, time_ms = p.time_ms + excluded.time_ms`;
}
