import assert from "node:assert/strict";
import { test } from "node:test";
import { noLimits } from "../../lib/documents/config/limits-schema.ts";
import { openDesk, settleHolds } from "../../lib/fleet/answer-pass.ts";
import type { Job, Lease } from "../../lib/fleet/engine/engine.ts";
import { noUsage } from "../../lib/rules/budgets.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { errorFinding } from "../../lib/text/finding.ts";
import { memoryEngine } from "./memory-engine.ts";

const job: Job = {
  ...{ v: 1, repo: "r", task: "T-1", url: "u", ref: "x", base_sha: null, seen_seq: 0, phase: "shape" },
  ...{ account: null, priority: 0 },
};
const estimate = { ...noUsage, passes: 1, moneyUsd: 2 };
const used = { ...noUsage, passes: 1, moneyUsd: 0.5 };
const limits = { concurrent: null, startsPerMinute: null, day: noLimits };

/** An engine in which an attempt that is dead and one that lives hold money for the same task. */
async function arrange() {
  const engine = memoryEngine();
  await engine.offer(job);
  const reserve = async (): Promise<Lease> => {
    const lease = await engine.lease("w");
    assert(lease !== null);
    const call = { attempt: lease.attempt, repo: "r", task: "T-1", pass: 1, account: "a", limits, estimate };
    assert.equal(await engine.reserve(call), null);
    return lease;
  };
  const dead = await reserve();
  await engine.fail(dead, "killed", null);
  const living = await reserve();
  return { engine, dead: dead.attempt, living };
}

test("a hold ends with what the journal charges for its attempt, dead or alive", async () => {
  const { engine, dead, living } = await arrange();
  const attempts = [
    { attempt: dead, used },
    { attempt: living.attempt, used },
  ];
  assert.equal(await settleHolds(engine, await engine.holds(), attempts, () => false), 2);
  assert.deepEqual([...engine.spent.values()], [{ ...noUsage, passes: 2, moneyUsd: 1 }]);
  assert.equal(await settleHolds(engine, await engine.holds(), attempts, () => false), 0);
});

test("an open pass stays held, also of a dead attempt: its agent may have spent", async () => {
  const { engine, dead } = await arrange();
  assert.equal(await settleHolds(engine, await engine.holds(), [{ attempt: dead, used: null }], () => true), 0);
  assert.equal((await engine.holds()).length, 2);
});

test("what no journal knows is free only if it is dead and can never become a claim", async () => {
  const { engine, dead } = await arrange();
  assert.equal(await settleHolds(engine, await engine.holds(), [], () => false), 0);
  assert.equal(await settleHolds(engine, await engine.holds(), [], () => true), 1);
  assert.deepEqual([...engine.spent.values()], []);
  assert.deepEqual(
    (await engine.holds()).map(({ attempt }) => attempt === dead),
    [false],
  );
});

test("a pass frees what dead attempts hold once its own claim is in the branch, and not before", async () => {
  const { engine, dead, living } = await arrange();
  const desk = openDesk(engine, living);
  const tell = (attempts: readonly { attempt: string; pass: number; used: null }[]) =>
    desk.answer({ kind: "ask", id: 1, question: { kind: "attempts", attempts } });
  await tell([]);
  assert.equal((await engine.holds()).length, 2);
  assert.equal(desk.claimed(), false);
  await tell([{ attempt: living.attempt, pass: 1, used: null }]);
  assert.deepEqual(
    (await engine.holds()).map(({ attempt }) => attempt),
    [living.attempt],
    dead,
  );
  assert.equal(desk.claimed(), true);
});

test("what the engine throws goes back to the pass, with its findings", async () => {
  const { engine, living } = await arrange();
  const findings = [errorFinding("TP_ENGINE_UNREACHABLE", "away")];
  engine.fault = new TaskPhaseError("locked", findings);
  const answer = await openDesk(engine, living).answer({ kind: "ask", id: 9, question: { kind: "cooldowns" } });
  assert.deepEqual(answer, { kind: "fault", id: 9, exitName: "locked", findings });
});
