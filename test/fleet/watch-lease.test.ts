import assert from "node:assert/strict";
import { test } from "node:test";
import type { Lease } from "../../lib/fleet/engine/engine.ts";
import { watchLease } from "../../lib/fleet/watch-lease.ts";

const heartbeatMs = 60;
const lease = (ageMs = 0) => ({ heartbeatMs, leasedAt: performance.now() - ageMs }) as Lease;

/** The reason why the lease was lost, and how often it was renewed before. */
function untilLost(renew: (count: number) => Promise<boolean>, ageMs = 0): Promise<{ why: string; renewals: number }> {
  let renewals = 0;
  return new Promise((resolve) => {
    const count = () => {
      renewals += 1;
      return renew(renewals);
    };
    watchLease({ renew: count }, lease(ageMs), 20, (why) => resolve({ why, renewals }));
  });
}

test("a lease that the engine gave to another worker is lost as soon as it says so", async () => {
  const lost = await untilLost(async (count) => count < 3);
  assert.match(lost.why, /gave the job to another worker/);
  assert.equal(lost.renewals, 3);
});

test("an engine that fails or hangs is asked again, until the time of the last renewal is over but for the margin", async () => {
  for (const renew of [() => Promise.reject(new Error("away")), () => new Promise<boolean>(() => undefined)]) {
    const lost = await untilLost(renew);
    assert.match(lost.why, /did not renew the lease in time/);
    assert(lost.renewals >= 1);
  }
});

test("the time counts from when a renewal was sent, not from when it was answered", async () => {
  // The answer comes when the time of the lease is over already.
  const lost = await untilLost((count) => new Promise((resolve) => setTimeout(() => resolve(true), count * 200)));
  assert.match(lost.why, /in time/);
});

test("a lease that was handed over too late is lost at once", async () => {
  assert.deepEqual((await untilLost(async () => true, 1_000)).renewals, 0);
});

test("nothing is lost once it is stopped", async () => {
  let lost = 0;
  const watch = watchLease({ renew: async () => false }, lease(), 20, () => {
    lost += 1;
  });
  watch.stop();
  await new Promise((resolve) => setTimeout(resolve, 2 * heartbeatMs));
  assert.equal(lost, 0);
});
