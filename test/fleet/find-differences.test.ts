import assert from "node:assert/strict";
import { test } from "node:test";
import type { EngineStanding, Hold, JobStanding } from "../../lib/fleet/engine/engine.ts";
import { type ComparedRemote, findDifferences } from "../../lib/fleet/find-differences.ts";
import { noUsage } from "../../lib/rules/budgets.ts";

const now = new Date("2026-01-01T00:00:00.000Z");
const runner = { worker: "w", host: null, attempt: "a1", task_phase: "0", node: "v22" };
const claim = {
  ...{ pass: 4, phase: "verify" as const, model: "mine", at: "2025-12-31T23:59:00.000Z" },
  ...{ until: "2026-01-01T00:10:00.000Z", runner },
};
type Task = ComparedRemote["tasks"][number];
const task = (changes: Partial<Task>): Task => ({
  id: "T-1",
  standing: "runnable",
  why: "why",
  claim: null,
  ...changes,
});
const leased = (attempt: string, alive = true) => ({ worker: "w", attempt, until: now, alive });
const job = (changes: Partial<JobStanding> = {}, repo = "r"): JobStanding => ({
  job: {
    ...{ v: 1, repo, task: "T-1", url: "u", ref: "x", base_sha: null, seen_seq: 0, phase: "shape" },
    ...{ account: null, priority: 0 },
  },
  ...{ state: "queued", due: now, deliveries: 0, lease: null, why: null },
  ...changes,
});
const hold = (attempt: string, alive: boolean): Hold => {
  return { attempt, repo: "r", task: "T-1", pass: 4, account: "a", estimate: noUsage, at: now, alive };
};

function kinds(tasks: readonly Task[], standing: Partial<EngineStanding>): string[] {
  const empty = { now, rebuilt: true, jobs: [], holds: [], days: [], cooldowns: new Map(), workers: [] };
  return findDifferences([{ url: "u", repo: "r", tasks }], { ...empty, ...standing }).map((one) => {
    assert.doesNotMatch(one.why, /\.$/);
    return one.kind;
  });
}

test("what agrees is no difference: queued and runnable, leased and claimed, held and claimed", () => {
  assert.deepEqual(kinds([task({})], { jobs: [job()] }), []);
  const running = task({ standing: "running", claim });
  const jobs = [job({ state: "leased", lease: leased("a1") })];
  assert.deepEqual(kinds([running], { jobs, holds: [hold("a1", true)] }), []);
  assert.deepEqual(kinds([task({})], { jobs, holds: [hold("a1", true)] }), [], "reserved, and about to be claimed");
});

test("each difference has its name", () => {
  const done = task({ standing: "done" });
  assert.deepEqual(kinds([done], { jobs: [job()] }), ["job_without_work"]);
  assert.deepEqual(kinds([], { jobs: [job()] }), ["job_without_work"]);
  const running = task({ standing: "running", claim });
  assert.deepEqual(kinds([running], {}), ["claim_without_lease"]);
  assert.deepEqual(kinds([running], { jobs: [job({ lease: leased("a2") })] }), ["claim_without_lease"]);
  assert.deepEqual(kinds([done], { holds: [hold("a1", false)] }), ["hold_without_claim"]);
  assert.deepEqual(kinds([running], { jobs: [job({ lease: leased("a1", false) })] }), ["lapsed_lease"]);
  const workers = [
    { name: "w1", slots: 1, seen: now, alive: true },
    { name: "w2", slots: 1, seen: now, alive: false },
  ];
  assert.deepEqual(kinds([], { workers }), ["silent_worker"]);
});

test("a claim whose time is over is no difference, nor is a job of a remote that was not looked at", () => {
  const over = { ...claim, until: "2025-12-31T23:59:59.000Z" };
  assert.deepEqual(kinds([task({ claim: over })], {}), []);
  assert.deepEqual(kinds([], { jobs: [job({}, "other")] }), []);
});
