import type { PgBoss } from "pg-boss";
import { configError } from "../../text/errors.ts";
import { type Database, openDatabase } from "./database.ts";
import type { EnginePlace, EngineSetup } from "./engine.ts";
import { type EnginePackages, loadPackages, packageFolders } from "./engine-packages.ts";
import { dbOf, queueName, queueOptions } from "./job-queue.ts";
import { makeTables, type Tables, tablesOf } from "./tables.ts";

/** PostgreSQL 13; older ones have no gen_random_uuid of their own, which pg-boss uses. */
const oldestPostgres = 130_000;

/**
 * Makes the schema, the queue and the tables, or brings them up to this version; what is there already is kept. Throws
 * what `openEngine` throws, and TP_ENGINE_POSTGRES (78).
 */
export async function setupEngine(place: EnginePlace): Promise<EngineSetup> {
  const packages = loadPackages(packageFolders(place.cwd));
  const tables = tablesOf(place.schema);
  const database = openDatabase(packages, place);
  try {
    const server = await readServer(database);
    const before = await readVersions(database, place.schema);
    const boss = await startBoss(packages, database, place.schema, true);
    try {
      await boss.createQueue(queueName, queueOptions);
      const { policy: _, ...changeable } = queueOptions;
      await boss.updateQueue(queueName, changeable);
      await database.transaction(async (sql) => {
        // IF NOT EXISTS is no promise when two make the same table at once.
        await sql.query("SELECT pg_advisory_xact_lock(hashtext($1))", [`task-phase ${place.schema}`]);
        await sql.query(makeTables(tables));
      });
    } finally {
      await boss.stop({ graceful: false });
    }
    const after = await readVersions(database, place.schema);
    return {
      kind: before === null ? "made" : before === after ? "there" : "upgraded",
      ...server,
      pgBoss: packages.bossVersion,
      node: process.versions.node,
      rebuilt: await isRebuilt(database, tables),
    };
  } finally {
    await database.close();
  }
}

async function readServer(database: Database): Promise<Pick<EngineSetup, "postgres" | "clockDifferenceMs">> {
  const text =
    "SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer AS num";
  const [server] = await database.query<{ readonly version: string; readonly num: number }>(text);
  const version = server?.version ?? "unknown";
  if ((server?.num ?? 0) < oldestPostgres) {
    throw configError("TP_ENGINE_POSTGRES", `the engine needs PostgreSQL 13 or newer, found ${version}`, {
      fix: "use a newer server",
    });
  }
  const sent = Date.now();
  const [clock] = await database.query<{ readonly now: Date }>("SELECT clock_timestamp() AS now");
  const here = (sent + Date.now()) / 2;
  return { postgres: version, clockDifferenceMs: Math.round((clock?.now.getTime() ?? here) - here) };
}

/** Of both schemas, as one word; null: there is no table of ours. */
async function readVersions(database: Database, schema: string): Promise<string | null> {
  const { ledger } = tablesOf(schema);
  const [there] = await database.query<{ readonly ledger: string | null }>("SELECT to_regclass($1) AS ledger", [
    ledger,
  ]);
  if (there === undefined || there.ledger === null) return null;
  const [row] = await database.query<{ readonly ours: number; readonly theirs: number }>(
    `SELECT (SELECT version FROM ${ledger}) AS ours, (SELECT version FROM "${schema}".version) AS theirs`,
  );
  return `${row?.ours} ${row?.theirs}`;
}

async function isRebuilt(database: Database, { ledger }: Tables): Promise<boolean> {
  const [row] = await database.query<{ readonly rebuilt: boolean }>(`SELECT rebuilt FROM ${ledger}`);
  return row?.rebuilt ?? false;
}

/**
 * pg-boss on our own connections. It does not supervise by itself: a worker that asks for a job takes back what has
 * lapsed, and twenty idle workers that each supervised would cost more than their work. `migrate` makes or upgrades its
 * schema.
 */
export async function startBoss(
  { boss }: EnginePackages,
  database: Database,
  schema: string,
  migrate: boolean,
): Promise<PgBoss> {
  const instance = new boss.PgBoss({
    db: dbOf(database),
    schema,
    migrate,
    supervise: false,
    schedule: false,
    registerInstance: false,
    useListenNotify: false,
  });
  // Of its own timers: each call reports its own failure, and unheard they would end the process.
  instance.on("error", () => undefined);
  await instance.start();
  return instance;
}
