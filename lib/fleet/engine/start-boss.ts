import type { PgBoss } from "pg-boss";
import type { Database } from "./database.ts";
import type { EnginePackages } from "./engine-packages.ts";

/**
 * pg-boss on our own connections. It watches over nothing by itself: whoever asks for a job takes back what has lapsed,
 * and twenty idle workers that each watched would cost more than their work. `migrate` makes or upgrades its schema.
 */
export async function startBoss(
  { boss }: EnginePackages,
  database: Database,
  schema: string,
  migrate: boolean,
): Promise<PgBoss> {
  const instance = new boss.PgBoss({
    db: { executeSql: async (text, values) => ({ rows: await database.query(text, values) }) },
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
