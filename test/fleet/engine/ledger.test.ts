import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { noLimits } from "../../../lib/documents/config/limits-schema.ts";
import { openDatabase } from "../../../lib/fleet/engine/database.ts";
import type { Engine, Lease, Refused } from "../../../lib/fleet/engine/engine.ts";
import { noUsage } from "../../../lib/rules/budgets.ts";
import { type EngineWorld, makeCall, makeEngine, makeJob, namesOf, repo, sizeOf } from "./engine-world.ts";
import { missing, type Postgres, startPostgres } from "./postgres.ts";

/** Many leases at once, as if so many jobs had been offered and taken. */
async function putLeases({ sql }: EngineWorld, count: number): Promise<Pick<Lease, "attempt" | "job">[]> {
  const leases = namesOf(count).map((task) => ({ attempt: `${task}-0`, job: makeJob(task) }));
  await sql(
    `INSERT INTO S.tp_lease SELECT a, j, 1, 'w-1', 10000, clock_timestamp() + interval '1 hour'
     FROM unnest($1::text[], $2::jsonb[]) AS t (a, j)`,
    [leases.map(({ attempt }) => attempt), leases.map(({ job }) => JSON.stringify(job))],
  );
  return leases;
}

/** Refuses in the database itself whatever leads beyond a limit, however short it lasts. */
async function watchHolds({ sql }: EngineWorld, sum: string, limit: number): Promise<void> {
  await sql(`CREATE FUNCTION S.watch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF (${sum}) > ${limit} THEN RAISE EXCEPTION 'beyond the limit'; END IF; RETURN NULL; END $$`);
  await sql("CREATE TRIGGER watch AFTER INSERT OR UPDATE ON S.tp_hold FOR EACH ROW EXECUTE FUNCTION S.watch()");
}

/** The same numbers from 0 to 1 for the same seed (Park and Miller). */
function drawFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

function countBy(answers: readonly (Refused | null)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[answer?.by ?? "granted"] = (counts[answer?.by ?? "granted"] ?? 0) + 1;
  return counts;
}

describe("the ledger of an engine on PostgreSQL", { skip: missing }, () => {
  let postgres: Postgres;
  before(() => {
    postgres = startPostgres();
  });
  after(() => postgres.remove());

  /** Four machines with four connections each. */
  const openFour = async ({ engine, open }: EngineWorld) => [engine, await open(), await open(), await open()];
  const any = (engines: readonly Engine[], index: number) => engines[index % engines.length] as Engine;

  test("as many racing calls are granted as the budget allows", async (t) => {
    const racers = sizeOf("ENGINE_RACERS", 160);
    const world = await makeEngine(t, postgres);
    const leases = await putLeases(world, racers);
    const engines = await openFour(world);
    const day = { ...noLimits, moneyUsd: 20 };
    const answers = await Promise.all(
      leases.map((lease, index) => any(engines, index).reserve(makeCall(lease, {}, { day }))),
    );
    assert.deepEqual(countBy(answers), { granted: 50, budget: racers - 50 });
    const [today] = (await world.engine.standing()).days;
    assert.deepEqual(today?.held, { passes: 50, moneyUsd: 20, tokens: 50_000, timeMs: 0 });
    assert.deepEqual(world.logged(/deadlock/i), []);
  });

  test("no budget is exceeded by concurrent reserving, settling and freeing", async (t) => {
    const world = await makeEngine(t, postgres);
    const draw = drawFrom(sizeOf("ENGINE_SEED", 7));
    const leases = await putLeases(world, sizeOf("ENGINE_ATTEMPTS", 200));
    const spent = "(SELECT coalesce(sum(money_usd), 0) FROM S.tp_day_spend)";
    const held = "(SELECT coalesce(sum(money_usd), 0) FROM S.tp_hold WHERE settled IS NULL)";
    await watchHolds(world, `SELECT ${spent} + ${held}`, 25);
    const engines = await openFour(world);
    const used: number[] = [];
    const plans = leases.map((lease) => ({ lease, estimate: Math.ceil(draw() * 100) / 100, share: draw() }));
    await Promise.all(
      plans.map(async ({ lease, estimate, share }, index) => {
        const engine = any(engines, index);
        const call = makeCall(
          lease,
          { estimate: { ...noUsage, moneyUsd: estimate } },
          { day: { ...noLimits, moneyUsd: 25 } },
        );
        if ((await engine.reserve(call)) !== null) return;
        const cost = Math.floor(share * estimate * 100) / 100;
        const isFree = share < 0.3;
        if (!isFree) used.push(cost);
        assert.equal(await engine.settle(lease.attempt, isFree ? null : { ...noUsage, moneyUsd: cost }), true);
      }),
    );
    const [today] = (await world.engine.standing()).days;
    assert.ok(used.length > 20, `${used.length} were granted`);
    assert.deepEqual(today?.held, noUsage);
    assert.equal(today?.spent.moneyUsd.toFixed(2), used.reduce((sum, one) => sum + one, 0).toFixed(2));
    assert.deepEqual(world.logged(/deadlock|beyond the limit/i), []);
  });

  test("an account never has more passes under way than its limit, and starts none while it cools down", async (t) => {
    const world = await makeEngine(t, postgres);
    const leases = await putLeases(world, sizeOf("ENGINE_PASSES", 60));
    const alive = `SELECT count(*) FROM S.tp_hold JOIN S.tp_lease USING (attempt) WHERE settled IS NULL AND until > clock_timestamp()`;
    await watchHolds(world, alive, 3);
    const engines = await openFour(world);
    const left = [...leases];
    let cooled = false;
    const work = async (engine: Engine): Promise<void> => {
      for (let lease = left.pop(); lease !== undefined; lease = left.pop()) {
        const call = makeCall(lease, {}, { concurrent: 3 });
        while ((await engine.reserve(call)) !== null) await sleep(20);
        // A provider that answers 429 once.
        if (!cooled && left.length < leases.length / 2) {
          cooled = true;
          const [{ until } = { until: new Date() }] = await world.sql<{ until: Date }>(
            "SELECT clock_timestamp() + interval '1 second' AS until",
          );
          await engine.cool("a", until, "429");
          await world.sql("CREATE TABLE S.cooled AS SELECT clock_timestamp() AS at");
        }
        assert.equal(await engine.settle(lease.attempt, { ...noUsage, passes: 1 }), true);
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, index) => work(any(engines, index))));
    const [starts] = await world.sql(
      `SELECT count(*) FILTER (WHERE h.at > c.at AND h.at < r.until)::integer AS early,
         count(*) FILTER (WHERE h.at >= r.until)::integer > 0 AS later, count(*)::integer AS starts
       FROM S.tp_hold AS h, S.cooled AS c, S.tp_cooldown AS r`,
    );
    assert.deepEqual(starts, { early: 0, later: true, starts: leases.length });
    assert.deepEqual(world.logged(/deadlock|beyond the limit/i), []);
  });

  test("an account starts as many passes in any minute as it may", async (t) => {
    const world = await makeEngine(t, postgres);
    const leases = await putLeases(world, 30);
    const engines = await openFour(world);
    const ask = (account: string) =>
      Promise.all(
        leases.map((lease, index) =>
          any(engines, index).reserve(makeCall(lease, { account, attempt: lease.attempt }, { startsPerMinute: 5 })),
        ),
      );
    const answers = await ask("a");
    assert.deepEqual(countBy(answers), { granted: 5, starts: 25 });
    const [{ first } = { first: new Date() }] = await world.sql<{ first: Date }>(
      "SELECT min(at) + interval '1 minute' AS first FROM S.tp_start",
    );
    assert.deepEqual([...new Set(answers.flatMap((one) => one?.again?.getTime() ?? []))], [first.getTime()]);
    await world.sql("UPDATE S.tp_start SET at = at - interval '61 seconds'");
    // Those that have theirs are answered as before, and count no second time.
    assert.deepEqual(countBy(await ask("a")), { granted: 10, starts: 20 });
    assert.deepEqual(await world.sql("SELECT count(*)::integer AS starts FROM S.tp_start"), [{ starts: 5 }]);
    // Whoever shares no limit with them does not wait for them.
    assert.deepEqual(countBy(await ask("b")), { granted: 15, starts: 15 });
  });

  test("an attempt is counted once, however often and late it asks, and only while it has its lease", async (t) => {
    const world = await makeEngine(t, postgres);
    const { engine, lapse } = world;
    const engines = await openFour(world);
    const [lease, other] = (await world.leaseAll(["T-1", "T-2"])) as [Lease, Lease];
    const call = makeCall(lease);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => any(engines, index).reserve(call)));
    assert.deepEqual(countBy(answers), { granted: 20 });
    assert.deepEqual((await engine.standing()).days[0]?.held, call.estimate);
    const ends = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        any(engines, index).settle(lease.attempt, { ...noUsage, moneyUsd: 0.55 }),
      ),
    );
    assert.deepEqual(ends.filter(Boolean), [true]);
    assert.equal((await engine.reserve(call))?.reason, "the attempt is settled already");
    assert.deepEqual((await engine.standing()).days[0]?.spent, { ...noUsage, moneyUsd: 0.55 });
    await lapse(other);
    assert.equal((await engine.reserve(makeCall(other)))?.by, "lease");
    assert.equal((await engine.reserve(makeCall({ ...other, attempt: "never-leased" })))?.by, "lease");
    assert.equal(await engine.settle("never-held", null), false);
  });

  test("a dead attempt keeps its money and frees its slot", async (t) => {
    const world = await makeEngine(t, postgres);
    const [dead, next] = (await world.leaseAll(["T-1", "T-2"])) as [Lease, Lease];
    const limits = { concurrent: 1, day: { ...noLimits, moneyUsd: 0.8 } };
    assert.equal(await world.engine.reserve(makeCall(dead, {}, limits)), null);
    assert.equal((await world.engine.reserve(makeCall(next, {}, limits)))?.by, "concurrent");
    await world.lapse(dead);
    assert.equal(await world.engine.reserve(makeCall(next, {}, limits)), null);
    const holds = await world.engine.holds();
    assert.deepEqual(
      holds.map(({ attempt, task, account, estimate, alive }) => [attempt, task, account, estimate.moneyUsd, alive]),
      [
        [dead.attempt, "T-1", "a", 0.4, false],
        [next.attempt, "T-2", "a", 0.4, true],
      ],
    );
    assert.deepEqual(await world.engine.holds({ repo, task: "T-1" }), holds.slice(0, 1));
    assert.deepEqual(await world.engine.holds({ repo: "0".repeat(64), task: "T-1" }), []);
    const again = await world.engine.lease("w-2");
    assert.deepEqual([again?.job.task, again?.delivery], ["T-1", 2]);
    const more = makeCall(again as Lease, {}, { day: limits.day });
    assert.equal((await world.engine.reserve(more))?.by, "budget");
    assert.equal(await world.engine.settle(dead.attempt, null), true);
    assert.equal(await world.engine.reserve(more), null);
  });

  test("what is used counts for the UTC day of the server, wherever it is and whenever it was reserved", async (t) => {
    const world = await makeEngine(t, postgres);
    const [lease, other] = (await world.leaseAll(["T-1", "T-2"])) as [Lease, Lease];
    const utcDay = async () => {
      const [row] = await world.sql<{ day: string }>("SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day");
      return row?.day ?? "";
    };
    const before = await utcDay();
    const limits = { day: { ...noLimits, moneyUsd: 1 } };
    assert.equal(await world.engine.reserve(makeCall(lease, {}, limits)), null);
    await world.sql("UPDATE S.tp_hold SET at = at - interval '1 day'");
    await world.sql("INSERT INTO S.tp_day_spend VALUES ('2001-01-01', 9, 9, 9, 9), ($1::date - 1, 7, 7, 7, 7)", [
      before,
    ]);
    await world.engine.settle(lease.attempt, { ...noUsage, moneyUsd: 0.7 });
    const refused = await world.engine.reserve(makeCall(other, {}, limits));
    const [today, yesterday, ...older] = (await world.engine.standing()).days;
    const days = [before, await utcDay()];
    assert.ok(days.includes(today?.day ?? ""), `${today?.day} of ${days}`);
    assert.deepEqual([today?.spent.moneyUsd, yesterday?.spent.moneyUsd, older], [0.7, 7, []]);
    assert.equal(refused?.by, "budget");
    assert.deepEqual(
      days
        .map((day) => new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString())
        .includes(refused?.again?.toISOString() ?? ""),
      true,
    );
  });

  test("the longest cooldown seen counts, for each account apart", async (t) => {
    const { engine, leaseAll, sql } = await makeEngine(t, postgres);
    const [lease] = (await leaseAll(["T-1"])) as [Lease];
    const [near, far] = [new Date(Date.now() + 60_000), new Date(Date.now() + 3_600_000)];
    await engine.cool("a", near, "overloaded");
    await engine.cool("a", far, "usage limit");
    await engine.cool("a", near, "overloaded");
    await engine.cool("c", new Date(0), "long ago");
    assert.deepEqual(await engine.cooldowns(), new Map([["a", { until: far, reason: "usage limit" }]]));
    const refused = await engine.reserve(makeCall(lease));
    assert.deepEqual([refused?.by, refused?.again], ["cooldown", far]);
    assert.equal(await engine.reserve(makeCall(lease, { account: "b" })), null);
    await sql("UPDATE S.tp_cooldown SET until = clock_timestamp()");
    assert.equal((await engine.cooldowns()).size, 0);
  });

  test("a machine that freezes with the ledger in its hand stops nobody for long", async (t) => {
    const { engine, place, leaseAll } = await makeEngine(t, postgres);
    const [lease] = (await leaseAll(["T-1"])) as [Lease];
    const frozen = openDatabase({ pg }, place);
    t.after(() => frozen.close());
    let settings: unknown;
    const events = new EventEmitter();
    const [locked, thawed] = [once(events, "locked"), once(events, "thawed")];
    const end = frozen
      .transaction(async (sql) => {
        settings = await sql.query(
          "SELECT current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('lock_timeout') AS wait",
        );
        await sql.query(`SELECT one FROM "${place.schema}".tp_ledger FOR UPDATE`);
        await sql.query("SET LOCAL idle_in_transaction_session_timeout = '300ms'");
        events.emit("locked");
        await thawed;
        return await sql.query("SELECT 1");
      })
      .catch((error: Error) => error.message);
    await locked;
    assert.equal(await engine.reserve(makeCall(lease)), null);
    events.emit("thawed");
    assert.match(String(await end), /the engine of TEST_ENGINE_URL does not answer/);
    assert.deepEqual(settings, [{ idle: "5s", wait: "15s" }]);
  });
});
