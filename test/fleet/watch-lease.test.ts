import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Lease } from "../../lib/fleet/engine/engine.ts";
import type { LeasedEnd } from "../../lib/fleet/pass-channel.ts";
import { endLease, type PassOutcome, watchLease } from "../../lib/fleet/watch-lease.ts";
import { errorFinding } from "../../lib/text/finding.ts";

const heartbeatMs = 60;
const lease = (ageMs = 0) => ({ heartbeatMs, leasedAt: performance.now() - ageMs }) as Lease;

/** From now on time goes by only in the function that it returns, where what was asked is answered between two ticks. */
function stopClock(t: TestContext): (ms: number) => Promise<void> {
  let now = 0;
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  t.mock.method(performance, "now", () => now);
  return async (ms) => {
    for (const end = now + ms; now < end; ) {
      now += 1;
      t.mock.timers.tick(1);
      await nextTurn();
    }
  };
}

type Pass = ReturnType<typeof stopClock>;

/** The reason why the lease was lost, and how often it was renewed before. */
async function untilLost(pass: Pass, renew: (count: number) => Promise<boolean>, ageMs = 0) {
  let renewals = 0;
  const reasons: string[] = [];
  const count = () => {
    renewals += 1;
    return renew(renewals);
  };
  watchLease({ renew: count }, lease(ageMs), 20, (why) => void reasons.push(why));
  await pass(10 * heartbeatMs);
  assert.equal(reasons.length, 1);
  return { why: reasons[0] ?? "", renewals };
}

test("a lease that the engine gave to another worker is lost as soon as it says so", async (t) => {
  const lost = await untilLost(stopClock(t), async (count) => count < 3);
  assert.match(lost.why, /gave the job to another worker/);
  assert.equal(lost.renewals, 3);
});

test("an engine that fails or hangs is asked again, until the time of the last renewal is over but for the margin", async (t) => {
  const pass = stopClock(t);
  const hangs = () => new Promise<boolean>(() => undefined);
  const hangsLater = (count: number) => (count === 1 ? Promise.resolve(true) : hangs());
  for (const renew of [() => Promise.reject(new Error("away")), hangs, hangsLater]) {
    const lost = await untilLost(pass, renew);
    assert.match(lost.why, /did not renew the lease in time/);
    assert(lost.renewals >= 1);
  }
});

test("the time counts from when a renewal was sent, not from when it was answered", async (t) => {
  // The answer comes when the time of the lease is over already.
  const late = (count: number) =>
    new Promise<boolean>((resolve) => setTimeout(() => resolve(true), count * heartbeatMs));
  const lost = await untilLost(stopClock(t), late);
  assert.match(lost.why, /in time/);
});

test("a lease that was handed over too late is lost at once", async (t) => {
  assert.deepEqual((await untilLost(stopClock(t), async () => true, 1_000)).renewals, 0);
});

test("nothing is lost once it is stopped", async (t) => {
  const pass = stopClock(t);
  let lost = 0;
  const watch = watchLease({ renew: async () => false }, lease(), 20, () => {
    lost += 1;
  });
  watch.stop();
  await pass(2 * heartbeatMs);
  assert.equal(lost, 0);
});

const now = new Date("2026-01-01T00:00:00.000Z");
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);

function ended(changes: Partial<LeasedEnd>, codes: readonly string[] = []): LeasedEnd {
  const findings = codes.map((code) => errorFinding(code, "said"));
  const usual = {
    exitName: "ok",
    verdict: null,
    reason: "why",
    nextEligibleAt: null,
    goesOnIn: null,
    story: [],
  } as const;
  return { ...usual, findings, ...changes };
}

const judge = (changes: Partial<PassOutcome>) =>
  endLease({ end: ended({}), refused: null, stopping: false, delivery: 1, now, ...changes });

test("a verdict, a pass of another machine and a task with nothing to do end the job", () => {
  for (const end of [
    ended({ verdict: "accepted" }),
    ended({ verdict: "rejected", exitName: "rejected" }),
    ended({ verdict: "interrupted", exitName: "paused" }),
    ended({ exitName: "locked" }, ["TP_SUPERSEDED"]),
    ended({ exitName: "locked" }, ["TP_CLAIMED"]),
    ended({ exitName: "blocked" }),
    ended({}),
  ])
    assert.deepEqual(judge({ end }), { kind: "done" }, JSON.stringify(end));
});

test("what the engine refused comes again when it says so, else soon", () => {
  const refused = { by: "budget", reason: "the day is spent", again: at(3600) } as const;
  assert.deepEqual(judge({ refused }), { kind: "back", why: "the day is spent", again: at(3600) });
  assert.deepEqual(judge({ refused: { ...refused, again: null } }), {
    ...{ kind: "back", why: "the day is spent", again: at(10) },
  });
  const end = ended({ verdict: "accepted" });
  assert.deepEqual(judge({ refused, end }), { kind: "done" }, "a pass that was judged after all is over");
});

test("a remote or an engine that does not answer is asked again after pauses that double, up to a quarter of an hour", () => {
  for (const code of ["TP_REMOTE_UNREACHABLE", "TP_PUSH_UNREACHABLE", "TP_ENGINE_UNREACHABLE"]) {
    const end = ended({ exitName: "locked" }, [code]);
    const pauses = [1, 2, 3, 7, 1_000_000].map((delivery) => judge({ end, delivery }));
    assert.deepEqual(
      pauses,
      [15, 30, 60, 900, 900].map((seconds) => ({ kind: "back", why: "why", again: at(seconds) })),
    );
  }
});

test("a stopped worker gives its job back at once, and keeps one that was judged", () => {
  const back = { kind: "back", why: "its worker was stopped", again: null };
  for (const end of [null, ended({ verdict: "interrupted", exitName: "sigterm" }), ended({ exitName: "sigterm" })])
    assert.deepEqual(judge({ end, stopping: true }), back);
  assert.deepEqual(judge({ end: ended({ verdict: "accepted" }), stopping: true }), { kind: "done" });
});

test("a process that ended without a word is tried again at once, then with pauses", () => {
  assert.deepEqual(judge({ end: null }), {
    ...{ kind: "back", why: "the process of the pass ended without a report", again: null },
  });
  assert.equal((judge({ end: null, delivery: 2 }) as { again: Date }).again.getTime(), at(30).getTime());
});

test("a configuration that a person has to mend, and models that rest, do not make a busy loop", () => {
  assert.deepEqual(judge({ end: ended({ exitName: "config" }) }), { kind: "back", why: "why", again: at(600) });
  const nextEligibleAt = at(1234).toISOString();
  const resting = ended({ exitName: "unavailable", nextEligibleAt });
  assert.deepEqual(judge({ end: resting }), { kind: "back", why: "why", again: at(1234) });
  assert.deepEqual(judge({ end: ended({ exitName: "failure" }) }), { kind: "back", why: "why", again: at(15) });
});

test("a remote that this machine does not trust is for another worker, at once", () => {
  const end = ended({ exitName: "config" }, ["TP_UNTRUSTED"]);
  assert.deepEqual(judge({ end }), { kind: "back", why: "why", again: null });
});
