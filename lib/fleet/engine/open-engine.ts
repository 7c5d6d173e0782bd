import type { PgBoss } from "pg-boss";
import { TaskPhaseError } from "../../text/errors.ts";
import { type Database, openDatabase } from "./database.ts";
import type { Engine, EnginePlace } from "./engine.ts";
import { notSetUp } from "./engine-error.ts";
import { type EnginePackages, loadPackages, packageFolders } from "./engine-packages.ts";
import { createStanding } from "./engine-standing.ts";
import { createQueue } from "./job-queue.ts";
import { createLedger } from "./ledger.ts";
import { startBoss } from "./setup-engine.ts";
import { ledgerVersion, tablesOf } from "./tables.ts";

/**
 * The engine on PostgreSQL, through pg-boss. Throws, with exit code 78, TP_ENGINE_NODE, TP_ENGINE_MISSING,
 * TP_ENGINE_URL, TP_ENGINE_REFUSED and TP_ENGINE_NOT_SET_UP; with 75 TP_ENGINE_UNREACHABLE. The caller must close it:
 * its timers keep the process alive.
 */
export async function openEngine(place: EnginePlace): Promise<Engine> {
  const packages = loadPackages(packageFolders(place.cwd));
  const tables = tablesOf(place.schema);
  const database = openDatabase(packages, place);
  try {
    await requireVersion(database, tables.ledger, place);
    const boss = await startPrepared(packages, database, place);
    return {
      ...createQueue(database, boss, tables, place.heartbeatMs),
      ...createLedger(database, tables, place.urlEnv),
      ...createStanding(database, boss, tables, place),
      close: async () => {
        await boss.stop({ graceful: false });
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Also called by what works on the ledger without pg-boss. */
export async function requireVersion(
  database: Database,
  ledger: string,
  { urlEnv }: Pick<EnginePlace, "urlEnv">,
): Promise<void> {
  const [row] = await database.query<{ readonly version: number }>(`SELECT version FROM ${ledger}`);
  const found = row?.version ?? null;
  if (found !== ledgerVersion) {
    throw notSetUp(urlEnv, `its ledger has version ${found ?? "none"}, and this task-phase needs ${ledgerVersion}`);
  }
}

async function startPrepared(packages: EnginePackages, database: Database, place: EnginePlace): Promise<PgBoss> {
  try {
    return await startBoss(packages, database, place.schema, false);
  } catch (error) {
    if (error instanceof TaskPhaseError) throw error;
    // It compares the version of its schema with its own, and says no more than that they differ.
    throw notSetUp(place.urlEnv, `its schema is not that of pg-boss ${packages.bossVersion}`);
  }
}
