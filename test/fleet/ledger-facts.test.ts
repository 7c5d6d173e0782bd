import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readLedgerFacts } from "../../lib/fleet/ledger-facts.ts";
import { readRemote } from "../../lib/fleet/read-remote.ts";
import { addUsage, noUsage } from "../../lib/rules/budgets.ts";
import { type Fleet, makeFleet, makeReviewed } from "./fleet-world.ts";

async function facts(fleet: Fleet) {
  const { env } = fleet.machine("reader");
  const ports = { env, home: fleet.path("home"), cwd: fleet.folder, signal: new AbortController().signal };
  const remote = await readRemote({ url: fleet.remote, config: null }, { ...ports, now: () => new Date() });
  if (typeof remote === "string") throw new Error(remote);
  const { days, open, known } = await readLedgerFacts([remote], { ...ports, now: () => new Date() });
  // Of all days: a test may begin on one and end on the next.
  const { passes, moneyUsd } = [...days.values()].reduce(addUsage, noUsage);
  return {
    spent: { passes, moneyUsd },
    open: open.map(({ attempt, pass, estimate }) => [attempt, pass, estimate]),
    known: [...known],
  };
}

describe("what a ledger is counted from", { concurrency: 2 }, () => {
  test("a pass that was killed among the reviewers before it is open, with what it was expected to cost", async (t) => {
    const fleet = await makeReviewed(t);
    const one = fleet.machine("one");
    await one.claim("T-1", ["--attempt", "a1"], { env: { REVIEW_FIRST: "kill -9 $PPID" } });
    const found = await facts(fleet);
    assert.deepEqual(found.open, [["a1", 2, { passes: 1, moneyUsd: 0.5, tokens: 0, timeMs: 0 }]]);
    assert.equal(found.known.at(-1), "a1");
    const before = found.spent;
    assert.equal((await one.pass("T-1", ["--attempt", "a2"])).verdict, "accepted");
    const after = await facts(fleet);
    assert.deepEqual(after.open, []);
    assert.deepEqual(after.known.slice(-2), ["a1", "a2"]);
    const paid = after.spent.moneyUsd - before.moneyUsd;
    assert.equal(paid, 1.5, "that of the killed one, and both calls of the one that went on");
  });

  test("a pass that was killed is open as long as nobody claimed the next one, and then spent", async (t) => {
    const fleet = makeFleet(t, { model: "estimate_usd: 0.25" });
    const one = fleet.machine("one");
    await one.claim("T-1", ["--attempt", "a1"], { env: { AGENT_FIRST: "kill -9 $PPID" } });
    const found = await facts(fleet);
    assert.deepEqual(found.open, [["a1", 1, { passes: 1, moneyUsd: 0.25, tokens: 0, timeMs: 0 }]]);
    assert.deepEqual(found.spent, { passes: 0, moneyUsd: 0 });
    assert.equal((await one.pass("T-1", ["--attempt", "a2"])).verdict, "accepted");
    const after = await facts(fleet);
    const spent = { passes: 1, moneyUsd: 0.5 };
    assert.deepEqual([after.open, after.spent], [[], spent], "an interrupted pass costs money, and no pass");
  });
});
