import assert from "node:assert/strict";
import { test } from "node:test";
import { noLimits } from "../../../lib/documents/config/limits-schema.ts";
import type { SharedCall } from "../../../lib/fleet/engine/engine.ts";
import { type CallFacts, refuseCall } from "../../../lib/fleet/engine/refuse-call.ts";
import { noUsage } from "../../../lib/rules/budgets.ts";

const now = new Date("2026-11-23T23:59:50Z");
const facts: CallFacts = {
  now,
  rebuilt: true,
  settled: false,
  leased: true,
  cooldown: null,
  running: 0,
  starts: [],
  spent: noUsage,
  held: noUsage,
};
const call: SharedCall = {
  attempt: "a-0",
  repo: "r",
  task: "T-1",
  pass: 1,
  account: "team-a",
  limits: { concurrent: null, startsPerMinute: null, day: noLimits },
  estimate: { passes: 1, moneyUsd: 0.4, tokens: 1000, timeMs: 60_000 },
};

const judge = (known: Partial<CallFacts>, limits: Partial<SharedCall["limits"]> = {}) => {
  const refused = refuseCall({ ...facts, ...known }, { ...call, limits: { ...call.limits, ...limits } });
  return refused === null ? null : [refused.by, refused.reason, refused.again?.toISOString() ?? null];
};
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);

test("without limits nothing but the lease and the count of the journals is asked for", () => {
  assert.equal(judge({ running: 99, starts: [now, now], spent: { ...noUsage, moneyUsd: 1e6 } }), null);
  assert.deepEqual(judge({ leased: false }), ["lease", "the attempt no longer has a lease", null]);
  assert.deepEqual(judge({ settled: true }), ["lease", "the attempt is settled already", null]);
  assert.deepEqual(judge({ rebuilt: false }), [
    "not_rebuilt",
    "the ledger is not counted from the journals; run `task-phase fleet setup --rebuild`",
    "2026-11-24T00:00:50.000Z",
  ]);
});

test("an account on cooldown, that is full or that began too much lately waits for as long as it must", () => {
  assert.deepEqual(judge({ cooldown: { until: at(90), reason: "usage limit" } }), [
    "cooldown",
    "the account team-a cools down until 2026-11-24T00:01:20.000Z (usage limit)",
    "2026-11-24T00:01:20.000Z",
  ]);
  assert.equal(judge({ running: 2 }, { concurrent: 3 }), null);
  assert.deepEqual(judge({ running: 3 }, { concurrent: 3 }), [
    "concurrent",
    "the account team-a has 3 passes under way, but its limit is 3",
    "2026-11-24T00:00:00.000Z",
  ]);
  assert.match(judge({ running: 1 }, { concurrent: 1 })?.[1] ?? "", /has 1 pass under way/);
  assert.equal(judge({ starts: [at(-50)] }, { startsPerMinute: 2 }), null);
  assert.match(judge({ starts: [at(-50)] }, { startsPerMinute: 1 })?.[1] ?? "", /began 1 pass within a minute/);
  // Three within a minute: a third may begin when the second of them is a minute old.
  assert.deepEqual(judge({ starts: [at(-50), at(-40), at(-10)] }, { startsPerMinute: 2 }), [
    "starts",
    "the account team-a began 3 passes within a minute, but its limit is 2",
    at(20).toISOString(),
  ]);
});

test("a spent day budget waits for the next UTC day, a held one for what is given back", () => {
  const day = { ...noLimits, moneyUsd: 20, tokens: 10_000, timeMs: 3_600_000 };
  assert.equal(judge({ spent: { ...noUsage, moneyUsd: 19.6 } }, { day }), null);
  assert.deepEqual(judge({ spent: { ...noUsage, moneyUsd: 19.7 } }, { day }), [
    "budget",
    "19.70 of 20.00 of fleet.budget.day.money_usd is spent or held, and the call is estimated at 0.40",
    "2026-11-24T00:00:00.000Z",
  ]);
  assert.deepEqual(judge({ spent: { ...noUsage, tokens: 5000 }, held: { ...noUsage, tokens: 4500 } }, { day }), [
    "budget",
    "9500 of 10000 of fleet.budget.day.tokens is spent or held, and the call is estimated at 1000",
    at(10).toISOString(),
  ]);
  assert.deepEqual(
    judge({ spent: { ...noUsage, timeMs: 3_600_000 } }, { day })?.[1],
    "1h of 1h of fleet.budget.day.time is spent or held",
  );
  assert.equal(judge({ spent: { ...noUsage, timeMs: 3_599_999 } }, { day }), null);
  assert.deepEqual(judge({ held: { ...noUsage, passes: 2 } }, { day: { ...noLimits, passes: 2 } })?.[0], "budget");
});
