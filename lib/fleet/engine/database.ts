import type { PoolClient, QueryResult } from "pg";
import { configError } from "../../text/errors.ts";
import type { EnginePlace } from "./engine.ts";
import { readEngineError } from "./engine-error.ts";
import type { EnginePackages } from "./engine-packages.ts";

export interface Sql {
  /** Values are only ever given as `$1`, `$2`. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** Connections to PostgreSQL, whose failures are those of `readEngineError`. */
export interface Database extends Sql {
  /** All of it happens, or nothing: an error takes it back. */
  transaction<Value>(act: (sql: Sql) => Promise<Value>): Promise<Value>;
  close(): Promise<void>;
}

/** A worker renews, reserves and leases at the same time; more are not needed. */
const connections = 4;
const connectMs = 10_000;
const queryMs = 30_000;
/**
 * A machine that freezes between two statements would hold its locks for as long, and with that of the ledger every other
 * worker: the server ends such a connection. What is committed stays, also where the server is set up to lose some of it.
 */
const begin = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
  SET LOCAL synchronous_commit = on; SET LOCAL lock_timeout = '15s'; SET LOCAL idle_in_transaction_session_timeout = '5s'`;

/** Connects when it is asked for the first time. Throws TP_ENGINE_URL, exit code 78. */
export function openDatabase({ pg }: Pick<EnginePackages, "pg">, place: Pick<EnginePlace, "urlEnv" | "env">): Database {
  const { urlEnv } = place;
  const pool = new pg.Pool({
    ...readUrl(pg, place),
    application_name: "task-phase",
    max: connections,
    connectionTimeoutMillis: connectMs,
    query_timeout: queryMs,
    keepAlive: true,
  });
  // For a connection that breaks while idle: the next call opens another one, or reports that it cannot.
  pool.on("error", () => undefined);
  const translated = async <Value>(act: () => Promise<Value>): Promise<Value> => {
    try {
      return await act();
    } catch (error) {
      throw readEngineError(urlEnv, error);
    }
  };
  return {
    query: (text, values) => translated(async () => rowsOf(await pool.query(text, values?.slice()))),
    transaction: (act) => translated(async () => await inTransaction(await pool.connect(), act)),
    close: () => pool.end(),
  };
}

async function inTransaction<Value>(client: PoolClient, act: (sql: Sql) => Promise<Value>): Promise<Value> {
  let broken: Error | boolean = false;
  // Also while no statement runs: unheard it would end the process.
  const onError = (error: Error) => {
    broken = error;
  };
  client.on("error", onError);
  try {
    await client.query(begin);
    const value = await act({ query: async (text, values) => rowsOf(await client.query(text, values?.slice())) });
    await client.query("COMMIT");
    return value;
  } catch (error) {
    // The server takes back what a closed connection began.
    broken = true;
    throw error;
  } finally {
    client.off("error", onError);
    client.release(broken);
  }
}

/** Several statements without values have several results. What a row holds is what the statement asked for. */
function rowsOf<Row>(result: QueryResult | readonly QueryResult[]): Row[] {
  return [result].flat().flatMap((one) => one.rows as Row[]);
}

/** What pg throws of a URL that it cannot read has all of it. */
function readUrl(pg: EnginePackages["pg"], { urlEnv, env }: Pick<EnginePlace, "urlEnv" | "env">) {
  const connectionString = env[urlEnv] ?? "";
  const fix = `set ${urlEnv} to a URL such as postgres://USER:PASSWORD@HOST/DATABASE`;
  if (connectionString === "") {
    const message = `the environment variable ${urlEnv} is not set; it must hold the URL of a PostgreSQL database`;
    throw configError("TP_ENGINE_URL", message, { fix });
  }
  try {
    if (!/^postgres(?:ql)?:\/\//.test(connectionString)) throw new Error("another kind of URL");
    new pg.Client({ connectionString });
    return { connectionString };
  } catch {
    const message = `the environment variable ${urlEnv} does not hold the URL of a PostgreSQL database`;
    throw configError("TP_ENGINE_URL", message, { fix });
  }
}
