import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { makeEngine, makeJob, namesOf, sizeOf } from "./engine-world.ts";
import { missing, type Postgres, startPostgres } from "./postgres.ts";

const heartbeatMs = 10_000;
/** How often an idle worker looks for a job. */
const pollMs = 2_000;
const count = sizeOf("ENGINE_TAKEOVERS", 0);
const skip = missing || (count === 0 && "takes as long as a lease; npm run test:engine runs it");

/** A machine that has one job, and renews its lease until it is killed. */
const worker = `
  const { openEngine } = await import(process.env.ENGINE);
  const engine = await openEngine(JSON.parse(process.env.PLACE));
  const lease = await engine.lease(process.env.NAME);
  process.stdout.write(lease.job.task + "\\n");
  setInterval(() => engine.renew(lease), ${heartbeatMs / 3});`;

const clock = "SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms";

describe("the jobs of workers that are killed", { skip }, () => {
  let postgres: Postgres;
  before(() => {
    postgres = startPostgres();
  });
  after(() => postgres.remove());

  test("are taken over by another one within the time of a lease and 5 s", async (t) => {
    const { engine, place, sql } = await makeEngine(t, postgres);
    for (const task of namesOf(count)) await engine.offer(makeJob(task));
    const env = {
      ...process.env,
      ENGINE: path.join(import.meta.dirname, "../../../lib/fleet/engine/open-engine.js"),
      PLACE: JSON.stringify(place),
    };
    const children: ChildProcess[] = [];
    t.after(() => {
      for (const child of children) child.kill("SIGKILL");
    });
    const tasks: string[] = [];
    for (const name of namesOf(count)) {
      const args = ["--input-type=module", "-e", worker];
      const child = spawn(process.execPath, args, {
        env: { ...env, NAME: name },
        stdio: ["ignore", "pipe", "inherit"],
      });
      children.push(child);
      const [task] = (await once(child.stdout, "data")) as [Buffer];
      tasks.push(String(task).trim());
    }
    const now = async () => (await sql<{ ms: number }>(clock))[0]?.ms ?? Number.NaN;
    const killed = new Map<string, number>();
    const kill = async () => {
      for (const [index, child] of children.entries()) {
        // At any moment between two renewals.
        await sleep((heartbeatMs / 3) * ((index * 0.37) % 1));
        killed.set(tasks[index] ?? "", await now());
        child.kill("SIGKILL");
      }
    };
    const seconds: number[] = [];
    const take = async () => {
      while (seconds.length < count) {
        const lease = await engine.lease("w-other");
        if (lease === null) await sleep(pollMs);
        else {
          seconds.push(((await now()) - (killed.get(lease.job.task) ?? Number.NaN)) / 1000);
          assert.deepEqual([lease.delivery, await engine.done(lease)], [2, true]);
        }
      }
    };
    await Promise.all([kill(), take()]);
    seconds.sort((one, other) => one - other);
    const p95 = seconds[Math.ceil(count * 0.95) - 1] ?? Number.POSITIVE_INFINITY;
    t.diagnostic(
      `${count} takeovers: median ${seconds[Math.floor(count / 2)]} s, p95 ${p95} s, longest ${seconds.at(-1)} s`,
    );
    assert.ok(p95 <= heartbeatMs / 1000 + 5, `p95 is ${p95} s`);
  });
});
