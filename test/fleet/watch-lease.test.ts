import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Lease } from "../../lib/fleet/engine/engine.ts";
import { watchLease } from "../../lib/fleet/watch-lease.ts";

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
