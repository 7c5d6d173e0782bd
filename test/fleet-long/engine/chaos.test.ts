import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { missing, type Postgres, startPostgres } from "../../fleet/engine/postgres.ts";
import { playChaos } from "./chaos.ts";

// A few by default; `npm run test:fleet` asks for more.
const workers = Number(process.env.FLEET_WORKERS ?? "2");
const tasks = Number(process.env.FLEET_CHAOS_TASKS ?? "2");
const kills = Number(process.env.FLEET_KILLS ?? "2");
const seed = Number(process.env.FLEET_SEED ?? "7");

describe("a fleet whose processes are killed at random", { skip: missing }, () => {
  let postgres: Postgres;
  before(() => {
    postgres = startPostgres();
  });
  after(() => postgres.remove());

  test(`${workers} workers, ${tasks} tasks, ${kills} kills (seed ${seed}): nothing twice, nothing lost, every cent in the ledger`, async (t) => {
    const result = await playChaos(t, postgres, { workers, tasks, kills, seed, schema: "chaos" });
    t.diagnostic(JSON.stringify(result));
  });

  test("and whose engine ends at once in the middle, is dropped, and is counted again from git: the same", async (t) => {
    const schema = "dropped";
    const result = await playChaos(t, postgres, {
      ...{ workers, tasks, kills, seed: seed + 1, schema },
      halfway: async ({ call }) => {
        postgres.stop("immediate");
        postgres.start();
        const psql = ["-q", "-d", postgres.url, "-c", `DROP SCHEMA IF EXISTS ${schema} CASCADE`];
        // Workers use its tables meanwhile, in another order: the deadlock may end this side.
        const drop = () => spawnSync(path.join(postgres.bin, "psql"), psql, { encoding: "utf8" });
        let dropped = drop();
        for (let tries = 1; dropped.status !== 0 && tries < 10; tries += 1) {
          t.diagnostic(dropped.stderr);
          dropped = drop();
        }
        assert.equal(dropped.status, 0, dropped.stderr);
        await call("fleet setup --rebuild");
      },
    });
    t.diagnostic(JSON.stringify(result));
  });
});
