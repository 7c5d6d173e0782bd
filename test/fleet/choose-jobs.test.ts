import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { accountOf, chooseJobs, type JudgedTask, offerJobs, roomFor, urlOfJob } from "../../lib/fleet/choose-jobs.ts";
import type { Hold, JobStanding } from "../../lib/fleet/engine/engine.ts";
import { noUsage } from "../../lib/rules/budgets.ts";
import { memoryEngine } from "./memory-engine.ts";

const at = { ref: "refs/heads/main", commit: "c0ffee", path: "tasks/T-1", merged: null };
const runner = { worker: "w", host: null, attempt: "a1", task_phase: "0", node: "v22" };
const claim = {
  ...{
    pass: 1,
    phase: "shape" as const,
    model: "mine",
    at: "2026-01-01T00:00:00.000Z",
    until: "2026-01-01T01:00:00.000Z",
  },
  runner,
} as const;

function task(id: string, changes: Partial<JudgedTask> = {}): JudgedTask {
  return { id, priority: 0, standing: "runnable", phase: "shape", readAt: at, claim: null, seq: 3, ...changes };
}

const config = { fleet: null, models: [] };
const url = "https://host.example/app.git";
const choose = (tasks: readonly JudgedTask[], holds: readonly Hold[] = []) =>
  chooseJobs([{ url, config, tasks }], holds).map((job) => job.task);
const hold = (attempt: string, alive: boolean): Hold => {
  const known = { attempt, repo: "r", task: "T-1", pass: 1, account: "a", estimate: noUsage };
  return { ...known, at: new Date(0), alive };
};

describe("the jobs that a dispatcher chooses", () => {
  test("a task has one if a pass can do something with it, high priority first, then by id", () => {
    const tasks = [
      task("T-4"),
      task("T-2", { priority: 5 }),
      task("T-3", { priority: 5 }),
      ...(["done", "waits", "asks", "paused", "blocked", "running", "cancelled", "unreadable"] as const).map(
        (standing) => task(`X-${standing}`, { standing }),
      ),
      task("T-1", { priority: -1 }),
    ];
    assert.deepEqual(choose(tasks), ["T-2", "T-3", "T-4", "T-1"]);
  });

  test("a claim of an attempt that is dead by the engine keeps nobody away, any other one does", () => {
    const claimed = [task("T-1", { standing: "running", claim })];
    assert.deepEqual(choose(claimed), []);
    assert.deepEqual(choose(claimed, [hold("a1", true), hold("b2", false)]), []);
    assert.deepEqual(choose(claimed, [hold("a1", false)]), ["T-1"]);
  });

  test("a task that has no one commit, no id, or an id that cannot be a branch has none", () => {
    assert.deepEqual(choose([task("T-1", { readAt: null }), task("T-2", { id: null }), task("a..b"), task("a b")]), []);
  });

  test("tasks whose branches are one on some machines have none, and the others do", () => {
    assert.deepEqual(choose([task("T-1"), task("t-1"), task("T-2")]), ["T-2"]);
  });

  test("a job names the task without a secret", () => {
    const [job] = chooseJobs([{ url: "https://me:secret@host.example/app.git", config, tasks: [task("T-1")] }], []);
    assert.deepEqual(job, {
      ...{ v: 1, repo: chooseJobs([{ url, config, tasks: [task("T-1")] }], [])[0]?.repo, url, task: "T-1" },
      ...{ ref: "refs/heads/task-phase/T-1", base_sha: "c0ffee", seen_seq: 3, phase: "shape", account: null },
      priority: 0,
    });
    assert.equal(urlOfJob("ssh://git:pw@host/x.git"), "ssh://git@host/x.git");
    assert.equal(urlOfJob("git@host:x.git"), "git@host:x.git");
  });

  test("a model belongs to the account that names it, else to one of its own without bounds", () => {
    const team = { name: "team-a", models: ["claude"], concurrent: 3, startsPerMinute: null };
    assert.equal(accountOf("claude", { accounts: [team] }), team);
    const own = { name: "model:codex", models: ["codex"], concurrent: null, startsPerMinute: null };
    assert.deepEqual(accountOf("codex", { accounts: [team] }), own);
  });
});

describe("the queue", () => {
  const worker = (slots: number, alive: boolean) => ({ name: `${slots}${alive}`, slots, seen: new Date(0), alive });

  test("takes two jobs for each slot of a living worker, and two without any", () => {
    assert.equal(roomFor({ jobs: [], workers: [] }), 2);
    assert.equal(roomFor({ jobs: [], workers: [worker(3, true), worker(1, true), worker(9, false)] }), 8);
    const queued = { state: "queued" } as JobStanding;
    const jobs = [queued, { ...queued, state: "leased" }, { ...queued, state: "waiting" }] as const;
    assert.equal(roomFor({ jobs, workers: [] }), 1);
  });

  test("is filled up with the most urgent ones, and a task is never in it twice", async () => {
    const engine = memoryEngine();
    await engine.present({ name: "w", slots: 1 });
    const jobs = chooseJobs([{ url, config, tasks: ["T-1", "T-2", "T-3"].map((id) => task(id)) }], []);
    const offer = async () => (await offerJobs(engine, jobs, await engine.standing())).offered.map((job) => job.task);
    assert.deepEqual(await offer(), ["T-1", "T-2"]);
    assert.deepEqual(await offer(), []);
    const lease = await engine.lease("w");
    assert.equal(lease?.job.task, "T-1");
    assert.deepEqual(await offer(), ["T-3"], "what is leased is not offered again, and its place is free");
    assert.equal((await engine.standing()).jobs.length, 3);
  });
});
