import { createHash } from "node:crypto";
import type { TestContext } from "node:test";
import pg from "pg";
import { noLimits } from "../../../lib/documents/config/limits-schema.ts";
import type { Engine, EnginePlace, Job, Lease, LedgerFacts, SharedCall } from "../../../lib/fleet/engine/engine.ts";
import { openEngine } from "../../../lib/fleet/engine/open-engine.ts";
import { rebuildLedger } from "../../../lib/fleet/engine/rebuild-ledger.ts";
import { setupEngine } from "../../../lib/fleet/engine/setup-engine.ts";
import { type Postgres, readLog } from "./postgres.ts";

/** An engine in a schema of its own, set up and counted. */
export interface EngineWorld {
  readonly place: EnginePlace;
  readonly engine: Engine;
  /** One more, with connections of its own, as another machine has. */
  open(change?: Partial<EnginePlace>): Promise<Engine>;
  /** A statement behind the engine's back; `S` is the schema. */
  sql<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Offers a job of each task and leases them all. */
  leaseAll(tasks: readonly string[], by?: Engine): Promise<Lease[]>;
  /** As if the worker of this lease had not been heard of since before its time was over. */
  lapse(lease: Lease): Promise<void>;
  /** The lines of the server's log with this in it. */
  logged(pattern: RegExp): string[];
}

export const repo = createHash("sha256").update("https://git.example.org/app.git").digest("hex");
export const nothing: LedgerFacts = { days: new Map(), open: [], known: new Set() };

let schemas = 0;

export async function makeEngine(
  t: TestContext,
  postgres: Postgres,
  facts: LedgerFacts | null = nothing,
): Promise<EngineWorld> {
  schemas += 1;
  const place = postgres.place(`s${schemas}`);
  await setupEngine(place);
  if (facts !== null) await rebuildLedger(place, async () => facts);
  const pool = new pg.Pool({ connectionString: postgres.url, max: 1 });
  pool.on("error", () => undefined);
  t.after(() => pool.end());
  const open = async (change: Partial<EnginePlace> = {}) => {
    const engine = await openEngine({ ...place, ...change });
    t.after(() => engine.close());
    return engine;
  };
  const sql = async <Row>(text: string, values: readonly unknown[] = []) =>
    (await pool.query(text.replaceAll("S.", `"${place.schema}".`), values.slice())).rows as Row[];
  const engine = await open();
  return {
    place,
    engine,
    open,
    sql,
    leaseAll: async (tasks, by = engine) => {
      for (const task of tasks) await by.offer(makeJob(task));
      const leases: Lease[] = [];
      for (let lease = await by.lease("w-1"); lease !== null; lease = await by.lease("w-1")) leases.push(lease);
      return leases;
    },
    lapse: async ({ attempt }) => {
      await sql("UPDATE S.tp_lease SET until = clock_timestamp() - interval '1 second' WHERE attempt = $1", [attempt]);
    },
    logged: (pattern) =>
      readLog(postgres.folder)
        .split("\n")
        .filter((line) => pattern.test(line)),
  };
}

export function makeJob(task: string, change: Partial<Job> = {}): Job {
  return {
    v: 1,
    repo,
    url: "https://git.example.org/app.git",
    task,
    ref: `refs/heads/task-phase/${task}`,
    base_sha: "0".repeat(40),
    seen_seq: 3,
    phase: "implement",
    account: null,
    priority: 0,
    ...change,
  };
}

/** A call of 0.40, in the account a; no limits but those that are named. */
export function makeCall(
  { attempt, job }: Pick<Lease, "attempt" | "job">,
  change: Partial<SharedCall> = {},
  limits: Partial<SharedCall["limits"]> = {},
): SharedCall {
  return {
    attempt,
    repo: job.repo,
    task: job.task,
    pass: 1,
    account: "a",
    limits: { concurrent: null, startsPerMinute: null, day: noLimits, ...limits },
    estimate: { passes: 1, moneyUsd: 0.4, tokens: 1_000, timeMs: 0 },
    ...change,
  };
}

export function namesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `T-${index + 1}`);
}

/** A size of a test: what the environment variable says, else what `npm test` can wait for. */
export function sizeOf(name: string, usual: number): number {
  return Number(process.env[name] ?? usual);
}
