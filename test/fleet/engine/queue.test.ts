import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Lease } from "../../../lib/fleet/engine/engine.ts";
import { openEngine } from "../../../lib/fleet/engine/open-engine.ts";
import { startCpuTime } from "../../patience.ts";
import { makeEngine, makeJob, namesOf } from "./engine-world.ts";
import { missing, type Postgres, startPostgres } from "./postgres.ts";

describe("the queue of an engine on PostgreSQL", { skip: missing }, () => {
  let postgres: Postgres;
  before(() => {
    postgres = startPostgres();
  });
  after(() => postgres.remove());

  test("a task has one job, whoever offers it how often", async (t) => {
    const { engine, open } = await makeEngine(t, postgres);
    const engines = [engine, await open(), await open()];
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => engines[index % 3]?.offer(makeJob("T-1", { priority: index }))),
    );
    assert.deepEqual(answers.toSorted(), ["offered", ...Array.from({ length: 29 }, () => "there")]);
    const lease = await engine.lease("w-1");
    assert.equal(lease?.job.task, "T-1");
    // Also while it is leased: the next pass is offered when this one is done.
    assert.equal(await engine.offer(makeJob("T-1")), "there");
    assert.equal(await engine.offer(makeJob("T-1", { repo: "f".repeat(64) })), "offered");
    assert.equal(await engine.done(lease as Lease), true);
    assert.equal(await engine.offer(makeJob("T-1")), "offered");
  });

  test("the job of the highest priority goes first, and of equal ones the older", async (t) => {
    const { engine, leaseAll } = await makeEngine(t, postgres);
    const priorities = { "T-1": 0, "T-2": 5, "T-3": -3, "T-4": 5 };
    for (const [task, priority] of Object.entries(priorities)) await engine.offer(makeJob(task, { priority }));
    const leases = await leaseAll([]);
    assert.deepEqual(
      leases.map(({ job }) => job.task),
      ["T-2", "T-4", "T-1", "T-3"],
    );
    assert.equal(await engine.lease("w-1"), null);
  });

  test("each job is leased once, however many ask at the same time", async (t) => {
    const { engine, open } = await makeEngine(t, postgres);
    for (const task of namesOf(40)) await engine.offer(makeJob(task));
    const engines = [engine, await open(), await open(), await open()];
    const leases = await Promise.all(Array.from({ length: 60 }, (_, index) => engines[index % 4]?.lease(`w-${index}`)));
    const got = leases.flatMap((lease) => lease ?? []);
    assert.deepEqual(got.map(({ job }) => job.task).toSorted(), namesOf(40).toSorted());
    assert.equal(new Set(got.map(({ attempt }) => attempt)).size, 40);
    for (const { attempt } of got) assert.match(attempt, /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/);
  });

  test("a lease is renewed and ended by whoever has it, and by nobody once it is over", async (t) => {
    const { engine, open, lapse, sql } = await makeEngine(t, postgres);
    await engine.offer(makeJob("T-1"));
    const first = (await engine.lease("w-1")) as Lease;
    assert.deepEqual([first.delivery, first.heartbeatMs, first.job], [1, 10_000, makeJob("T-1")]);
    await sql("UPDATE S.tp_lease SET until = until - interval '5 seconds'");
    assert.equal(await engine.renew(first), true);
    const [{ left } = { left: 0 }] = await sql<{ left: number }>(
      "SELECT extract(epoch FROM until - clock_timestamp())::float8 AS left FROM S.tp_lease",
    );
    assert.ok(left > 5 && left <= 10, `${left} s are left`);
    await lapse(first);
    // Over, though nobody has taken the job yet.
    for (const end of [engine.renew(first), engine.done(first), engine.fail(first, "late", null)])
      assert.equal(await end, false);
    const other = await open();
    const second = (await other.lease("w-2")) as Lease;
    assert.deepEqual([second.delivery, second.job], [2, first.job]);
    assert.notEqual(second.attempt, first.attempt);
    for (const end of [engine.renew(first), engine.done(first), engine.fail(first, "late", null)])
      assert.equal(await end, false);
    assert.equal(await other.renew(second), true);
    assert.equal(await other.done(second), true);
    assert.equal(await other.done(second), false);
    assert.equal(await other.lease("w-2"), null);
  });

  test("of many who find a lapsed lease one gets its job, and the one who had it nothing", async (t) => {
    const { engine, open, leaseAll, lapse } = await makeEngine(t, postgres);
    const lapsed = await leaseAll(namesOf(10));
    const engines = [engine, await open(), await open(), await open()];
    for (const lease of lapsed) await lapse(lease);
    const asks = Array.from({ length: 24 }, (_, index) => engines[index % 4]?.lease(`w-${index}`));
    const renewals = lapsed.map((lease) => engine.renew(lease));
    const early = (await Promise.all(asks)).flatMap((lease) => lease ?? []);
    assert.deepEqual(
      await Promise.all(renewals),
      Array.from({ length: 10 }, () => false),
    );
    // Some may have asked while another one was putting the jobs back.
    const got = [...early, ...(await leaseAll([]))];
    assert.deepEqual(got.map(({ job }) => job.task).toSorted(), namesOf(10).toSorted());
    assert.deepEqual([...new Set(got.map(({ delivery }) => delivery))], [2]);
  });

  test("a job that failed comes back at once, or not before its time, and never runs out of tries", async (t) => {
    const { engine, sql } = await makeEngine(t, postgres);
    await engine.offer(makeJob("T-1"));
    for (let delivery = 1; delivery <= 12; delivery += 1) {
      const lease = (await engine.lease("w-1")) as Lease;
      assert.equal(lease.delivery, delivery);
      assert.equal(await engine.fail(lease, "the remote does not answer", null), true);
    }
    const again = new Date(Date.now() + 3_600_000);
    const lease = (await engine.lease("w-1")) as Lease;
    assert.equal(await engine.fail(lease, `no ${"x".repeat(600)}\u001b[31m`, again), true);
    assert.equal(await engine.lease("w-1"), null);
    assert.equal(await engine.offer(makeJob("T-1")), "there");
    const [job] = (await engine.standing()).jobs;
    assert.deepEqual([job?.state, job?.due, job?.deliveries, job?.lease], ["waiting", again, 13, null]);
    assert.equal(job?.why?.length, 500);
    await sql("UPDATE S.job SET start_after = now()");
    assert.equal((await engine.lease("w-1"))?.delivery, 14);
  });

  test("a job that this version cannot read is dropped, and the next one is taken", async (t) => {
    const { engine, sql } = await makeEngine(t, postgres);
    await engine.offer(makeJob("T-1", { priority: 9 }));
    await sql(`UPDATE S.job SET data = jsonb_set(data, '{v}', '2')`);
    await engine.offer(makeJob("T-2"));
    assert.equal((await engine.lease("w-1"))?.job.task, "T-2");
    assert.equal(await engine.offer(makeJob("T-1")), "offered");
  });

  test("who works on what is told", async (t) => {
    const { engine, leaseAll, lapse, sql } = await makeEngine(t, postgres);
    const [first, second] = (await leaseAll(["T-1", "T-2"])) as [Lease, Lease];
    await engine.offer(makeJob("T-3"));
    await lapse(second);
    await engine.present({ name: "w-1", slots: 3 });
    await engine.present({ name: "w-1", slots: 2 });
    await engine.present({ name: "w-2", slots: 1 });
    await engine.present({ name: "w-3", slots: 1 });
    await engine.leave("w-3");
    await sql("UPDATE S.tp_worker SET seen = seen - interval '31 seconds' WHERE name = 'w-2'");
    const { jobs, workers } = await engine.standing();
    assert.deepEqual(
      jobs
        .map(({ job, state, deliveries, lease }) => [
          job.task,
          state,
          deliveries,
          lease?.attempt,
          lease?.worker,
          lease?.alive,
        ])
        .toSorted(),
      [
        ["T-1", "leased", 1, first.attempt, "w-1", true],
        ["T-2", "leased", 1, second.attempt, "w-1", false],
        ["T-3", "queued", 0, undefined, undefined, undefined],
      ],
    );
    assert.deepEqual(
      workers.map(({ name, slots, alive }) => [name, slots, alive]),
      [
        ["w-1", 2, true],
        ["w-2", 1, false],
      ],
    );
  });

  test("pg-boss is set up so that no pass is taken back early, no worker sleeps and none wakes for nothing", async (t) => {
    const { sql, engine } = await makeEngine(t, postgres);
    const rows = await sql("SELECT name, policy, notify, expire_seconds, retry_limit, retry_delay FROM S.queue");
    assert.deepEqual(rows, [
      {
        name: "passes",
        policy: "exclusive",
        notify: false,
        expire_seconds: 86_400,
        retry_limit: 1_000_000_000,
        retry_delay: 0,
      },
    ]);
    await engine.offer(makeJob("T-1"));
    assert.deepEqual(await sql("SELECT heartbeat_seconds FROM S.job"), [{ heartbeat_seconds: 10 }]);
    // It lists no instance, and watches over nothing by itself.
    assert.deepEqual(await sql("SELECT * FROM S.instance"), []);
  });

  test("an idle worker costs one transaction a look, and a hundredth of the time between two of them", async (t) => {
    const { place, sql } = await makeEngine(t, postgres);
    const looks = 200;
    const transactions = async () => {
      const [row] = await sql<{ count: number }>(
        "SELECT (xact_commit + xact_rollback)::integer AS count FROM pg_stat_database WHERE datname = current_database()",
      );
      return row?.count ?? 0;
    };
    const engine = await openEngine(place);
    for (let look = 0; look < 20; look += 1) assert.equal(await engine.lease("w-1"), null);
    const before = await transactions();
    const cpuMs = startCpuTime();
    for (let look = 0; look < looks; look += 1) await engine.lease("w-1");
    const each = cpuMs() / looks;
    // What a connection did is counted at the latest when it ends.
    await engine.close();
    const counted = async () => (await transactions()) - before;
    while ((await counted()) < looks) await sleep(20);
    const all = await counted();
    assert.ok(all < looks * 1.5, `${all} transactions`);
    assert.ok(each < 20, `${each} ms`);
  });

  test("once an hour whoever looks for a job has pg-boss remove what is done for a day", async (t) => {
    const { engine, leaseAll, sql } = await makeEngine(t, postgres);
    for (const lease of await leaseAll(["T-1", "T-2"])) await engine.done(lease);
    await sql("UPDATE S.job SET completed_on = completed_on - interval '25 hours' WHERE data ->> 'task' = 'T-1'");
    const left = () => sql("SELECT data ->> 'task' AS task FROM S.job ORDER BY 1");
    await engine.lease("w-1");
    assert.deepEqual(await left(), [{ task: "T-1" }, { task: "T-2" }]);
    const later = performance.now() + 3_600_000;
    t.mock.method(performance, "now", () => later);
    assert.equal(await engine.lease("w-1"), null);
    assert.deepEqual(await left(), [{ task: "T-2" }]);
  });

  test("a lease lasts as long as pg-boss waits, whatever heartbeat its worker has", async (t) => {
    const { engine, open } = await makeEngine(t, postgres);
    await engine.offer(makeJob("T-1"));
    const other = await open({ heartbeatMs: 60_000 });
    assert.equal((await other.lease("w-1"))?.heartbeatMs, 10_000);
    await other.offer(makeJob("T-2"));
    assert.equal((await engine.lease("w-1"))?.heartbeatMs, 60_000);
    const tooShort = await open({ heartbeatMs: 8_000 });
    await assert.rejects(tooShort.offer(makeJob("T-3")), /heartbeatSeconds must be an integer >= 10/);
  });

  test("a job that somebody else took back from pg-boss is gone for its worker", async (t) => {
    const { engine, sql, leaseAll } = await makeEngine(t, postgres);
    const [lease] = (await leaseAll(["T-1"])) as [Lease];
    await sql("UPDATE S.job SET state = 'retry', start_after = now()");
    assert.equal(await engine.renew(lease), false);
    const next = (await engine.lease("w-2")) as Lease;
    assert.equal(next.delivery, 2);
    assert.equal(await engine.done(lease), false);
    assert.equal(await engine.done(next), true);
  });
});
