import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { noLimits } from "../../../lib/documents/config/limits-schema.ts";
import type { Engine, HeldCall, Lease, LedgerFacts } from "../../../lib/fleet/engine/engine.ts";
import { openEngine } from "../../../lib/fleet/engine/open-engine.ts";
import { rebuildLedger } from "../../../lib/fleet/engine/rebuild-ledger.ts";
import { setupEngine } from "../../../lib/fleet/engine/setup-engine.ts";
import { noUsage, type Usage } from "../../../lib/rules/budgets.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { patienceMs } from "../../patience.ts";
import { makeCall, makeEngine, makeJob, nothing, repo } from "./engine-world.ts";
import { missing, type Postgres, startPostgres } from "./postgres.ts";

const dollars = (moneyUsd: number): Usage => ({ ...noUsage, passes: 1, moneyUsd });

function codeOf(error: unknown): string {
  if (!(error instanceof TaskPhaseError)) throw error;
  assert.equal(error.findings.length, 1);
  return `${error.exitName} ${error.findings[0]?.code}`;
}

/** Each call of the engine, as what it ends with. */
async function callAll(engine: Engine, lease: Lease): Promise<string[]> {
  const calls: readonly Promise<unknown>[] = [
    engine.offer(makeJob("T-9")),
    engine.lease("w-1"),
    engine.renew(lease),
    engine.reserve(makeCall(lease)),
    engine.settle(lease.attempt, noUsage),
    engine.cool("a", new Date(), "429"),
    engine.holds(),
    engine.cooldowns(),
    engine.present({ name: "w-1", slots: 1 }),
    engine.leave("w-1"),
    engine.standing(),
    engine.done(lease),
    engine.fail(lease, "why", null),
  ];
  return await Promise.all(calls.map((call) => call.then(() => "answered", codeOf)));
}

function heldCall(lease: Pick<Lease, "attempt" | "job">, moneyUsd: number): HeldCall {
  const { attempt, job } = lease;
  return { attempt, repo, task: job.task, pass: 1, account: "a", estimate: dollars(moneyUsd), at: new Date(0) };
}

describe("an engine that is gone, empty or counted anew", { skip: missing }, () => {
  let postgres: Postgres;
  before(() => {
    postgres = startPostgres();
  });
  after(() => postgres.remove());

  test("a server that is killed is one clear error a call, and works again when it is back, with all that was there", async (t) => {
    const { engine, open, place, leaseAll } = await makeEngine(t, postgres);
    // The lease has to outlive the outage, which takes as long as a server needs to start.
    const [lease] = (await leaseAll(["T-1"], await open({ heartbeatMs: 600_000 }))) as [Lease];
    assert.equal(await engine.reserve(makeCall(lease)), null);
    // Its connections break while nobody uses them.
    const idle = await open();
    const underWay = Promise.allSettled(Array.from({ length: 8 }, () => engine.standing()));
    postgres.stop("immediate");
    for (const end of await underWay)
      assert.equal(
        end.status === "fulfilled" ? "locked TP_ENGINE_UNREACHABLE" : codeOf(end.reason),
        "locked TP_ENGINE_UNREACHABLE",
      );
    assert.deepEqual([...new Set(await callAll(engine, lease))], ["locked TP_ENGINE_UNREACHABLE"]);
    assert.equal(await openEngine(place).catch(codeOf), "locked TP_ENGINE_UNREACHABLE");
    assert.equal(await setupEngine(place).catch(codeOf), "locked TP_ENGINE_UNREACHABLE");
    postgres.start();
    assert.equal(await engine.renew(lease), true);
    assert.deepEqual(
      (await engine.holds()).map(({ attempt, alive }) => [attempt, alive]),
      [[lease.attempt, true]],
    );
    assert.equal(await engine.settle(lease.attempt, dollars(0.3)), true);
    assert.equal(await engine.done(lease), true);
    for (const other of [idle, await open()]) assert.equal((await other.standing()).days[0]?.spent.moneyUsd, 0.3);
  });

  test("a schema that is dropped is named by each call, and after setup nothing is granted before the journals are counted", async (t) => {
    const { engine, place, leaseAll, sql, open } = await makeEngine(t, postgres);
    const [lease] = (await leaseAll(["T-1"])) as [Lease];
    await sql(`DROP SCHEMA "${place.schema}" CASCADE`);
    assert.deepEqual([...new Set(await callAll(engine, lease))], ["config TP_ENGINE_NOT_SET_UP"]);
    assert.equal(await openEngine(place).catch(codeOf), "config TP_ENGINE_NOT_SET_UP");
    assert.equal(await rebuildLedger(place, async () => nothing).catch(codeOf), "config TP_ENGINE_NOT_SET_UP");
    assert.deepEqual([(await setupEngine(place)).kind, (await setupEngine(place)).kind], ["made", "there"]);
    // The worker that went on meanwhile works again, and its lease is gone.
    assert.equal(await engine.renew(lease), false);
    const [next] = (await leaseAll(["T-1"])) as [Lease];
    assert.equal((await engine.reserve(makeCall(next)))?.by, "not_rebuilt");
    const facts: LedgerFacts = {
      days: new Map([
        ["2026-11-20", dollars(1.25)],
        [(await engine.standing()).days[0]?.day ?? "", dollars(9.5)],
      ]),
      open: [heldCall(lease, 0.4)],
      known: new Set([lease.attempt, "older-0"]),
    };
    await rebuildLedger(place, async () => facts);
    const sums = await engine.standing();
    assert.deepEqual(
      [sums.rebuilt, sums.days.map(({ spent, held }) => [spent.moneyUsd, held.moneyUsd])],
      [
        true,
        [
          [9.5, 0.4],
          [1.25, 0],
        ],
      ],
    );
    assert.deepEqual(
      (await engine.holds()).map(({ attempt, alive }) => [attempt, alive]),
      [[lease.attempt, false]],
    );
    const day = { ...noLimits, moneyUsd: 10 };
    assert.equal((await engine.reserve(makeCall(next, {}, { day })))?.by, "budget");
    // What went on before the loss is settled as if nothing had happened.
    assert.equal(await engine.settle(lease.attempt, dollars(0.1)), true);
    assert.equal(await (await open()).reserve(makeCall(next, {}, { day })), null);
    await rebuildLedger(place, async () => ({ ...facts, known: new Set([...facts.known, next.attempt]) }));
    await rebuildLedger(place, async () => ({ ...facts, known: new Set([...facts.known, next.attempt]) }));
    assert.deepEqual(
      (await engine.standing()).days.map(({ spent, held }) => [spent.moneyUsd, held.moneyUsd]),
      [
        [9.5, 0.4],
        [1.25, 0],
      ],
    );
  });

  test("a ledger that is counted anew while passes go on counts each of them once", async (t) => {
    const { engine, place, leaseAll } = await makeEngine(t, postgres);
    const leases = await leaseAll(["T-1", "T-2", "T-3", "T-4", "T-5"]);
    const [told, between, unknown, left, late] = leases as [Lease, Lease, Lease, Lease, Lease];
    const { day: today = "" } = (await engine.standing()).days[0] ?? {};
    for (const lease of [told, between, unknown, left]) assert.equal(await engine.reserve(makeCall(lease)), null);
    await rebuildLedger(place, async () => {
      assert.equal((await engine.reserve(makeCall(late)))?.by, "not_rebuilt");
      // One whose verdict was read already, one that was still open then, and one that was not even claimed.
      for (const lease of [told, between, unknown])
        assert.equal(await engine.settle(lease.attempt, dollars(0.5)), true);
      return {
        days: new Map([[today, dollars(7)]]),
        open: [heldCall(between, 0.4), heldCall(late, 0.3)],
        known: new Set([told, between, late].map(({ attempt }) => attempt)),
      };
    });
    const { days, holds } = await engine.standing();
    assert.deepEqual(
      days.map(({ spent, held }) => [spent.moneyUsd, held.moneyUsd.toFixed(2)]),
      [[8, "0.70"]],
    );
    assert.deepEqual(holds.map(({ attempt }) => attempt).toSorted(), [left.attempt, late.attempt].toSorted());
    for (const lease of [told, between, unknown]) assert.equal(await engine.settle(lease.attempt, dollars(0.5)), false);
  });

  test("a hold whose verdict the journals have is not counted beside it", async (t) => {
    const { engine, place, leaseAll } = await makeEngine(t, postgres);
    const [lease] = (await leaseAll(["T-1"])) as [Lease];
    await engine.reserve(makeCall(lease));
    const { day: today = "" } = (await engine.standing()).days[0] ?? {};
    await rebuildLedger(place, async () => ({
      days: new Map([[today, dollars(0.5)]]),
      open: [],
      known: new Set([lease.attempt]),
    }));
    assert.deepEqual(await engine.holds(), []);
    assert.equal(await engine.settle(lease.attempt, dollars(0.5)), false);
    assert.equal((await engine.standing()).days[0]?.spent.moneyUsd, 0.5);
  });

  test("a rebuild that fails or is overtaken grants nothing", async (t) => {
    const { engine, place, leaseAll } = await makeEngine(t, postgres);
    const [lease] = (await leaseAll(["T-1"])) as [Lease];
    const failed = rebuildLedger(place, async () => {
      throw new Error("the remote does not answer");
    });
    await assert.rejects(failed, /the remote does not answer/);
    assert.equal((await engine.reserve(makeCall(lease)))?.by, "not_rebuilt");
    const overtaken = rebuildLedger(place, async () => {
      await rebuildLedger(place, async () => ({ ...nothing, days: new Map([["2026-11-20", dollars(2)]]) }));
      return nothing;
    });
    assert.equal(await overtaken.catch(codeOf), "config TP_ENGINE_REBUILD");
    const { rebuilt, days } = await engine.standing();
    assert.deepEqual([rebuilt, days.at(-1)?.spent.moneyUsd], [true, 2]);
    assert.equal(await engine.reserve(makeCall(lease)), null);
  });

  test("several may set it up at once, and what is there is kept", async (t) => {
    const { engine, place, leaseAll } = await makeEngine(t, postgres);
    const fresh = { ...place, schema: "fresh" };
    const kinds = await Promise.all([1, 2, 3].map(async () => (await setupEngine(fresh)).kind));
    assert.ok(kinds.includes("made"));
    const [lease] = (await leaseAll(["T-1"])) as [Lease];
    await engine.reserve(makeCall(lease));
    const { kind, rebuilt, pgBoss, postgres: version, node, clockDifferenceMs } = await setupEngine(place);
    assert.deepEqual([kind, rebuilt, node], ["there", true, process.versions.node]);
    assert.match(`${pgBoss} ${version}`, /^12\.\d+\.\d+ \d+/);
    assert.ok(Math.abs(clockDifferenceMs) < 60_000);
    assert.equal(await engine.renew(lease), true);
    assert.equal((await engine.holds()).length, 1);
  });

  test("a schema of another version, of pg-boss or of ours, is named", async (t) => {
    const { place, sql } = await makeEngine(t, postgres);
    const refusal = async () => {
      const error = await openEngine(place).catch((thrown: unknown) => thrown);
      return error instanceof TaskPhaseError ? error.message : String(error);
    };
    await sql("UPDATE S.tp_ledger SET version = 99");
    assert.equal(
      await refusal(),
      "the engine of TEST_ENGINE_URL is not set up: its ledger has version 99, and this task-phase needs 1",
    );
    await sql("UPDATE S.tp_ledger SET version = 1");
    await sql("UPDATE S.version SET version = version - 1");
    assert.match(
      await refusal(),
      /^the engine of TEST_ENGINE_URL is not set up: its schema is not that of pg-boss 12\.\d+\.\d+$/,
    );
  });

  test("a ledger without its one row is named", async (t) => {
    const { engine, leaseAll, sql } = await makeEngine(t, postgres);
    const [lease] = (await leaseAll(["T-1"])) as [Lease];
    await sql("DELETE FROM S.tp_ledger");
    const calls = [engine.standing(), engine.reserve(makeCall(lease)), engine.settle(lease.attempt, null)];
    const ends = await Promise.all(calls.map((call) => call.then(() => "answered", codeOf)));
    assert.deepEqual([...new Set(ends)], ["config TP_ENGINE_NOT_SET_UP"]);
  });

  test("a process that has closed its engine ends, and the server ends with the process that started it", async (t) => {
    const { place } = await makeEngine(t, postgres);
    const at = (name: string) => JSON.stringify(path.join(import.meta.dirname, name));
    const code = `
      const { openEngine } = await import(${at("../../../lib/fleet/engine/open-engine.js")});
      const { startPostgres } = await import(${at("postgres.js")});
      const engine = await openEngine(JSON.parse(process.env.PLACE));
      await engine.lease("w-1");
      await engine.close();
      process.stdout.write(startPostgres().folder);
      process.kill(process.pid, "SIGKILL");`;
    const env = { ...process.env, PLACE: JSON.stringify(place) };
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
      env,
      encoding: "utf8",
      timeout: 120_000,
    });
    assert.notEqual(stdout, "");
    for (let waited = 0; existsSync(stdout) && waited < patienceMs; waited += 20)
      await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(existsSync(stdout), false);
    const quiet = code.slice(0, code.indexOf("process.stdout"));
    const { status, signal } = spawnSync(process.execPath, ["--input-type=module", "-e", quiet], {
      env,
      timeout: 120_000,
    });
    assert.deepEqual([status, signal], [0, null]);
  });
});
