import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { leadPass } from "../../lib/fleet/lead-pass.ts";
import type { LeasedEnd, PassMessage, WorkerMessage } from "../../lib/fleet/pass-channel.ts";
import type { StartPass } from "../../lib/fleet/start-pass.ts";
import { intakeJob as job, memoryEngine } from "./memory-engine.ts";

const accepted: LeasedEnd = {
  ...{ exitName: "ok", verdict: "accepted", reason: "", findings: [], nextEligibleAt: null, story: [] },
  goesOnIn: null,
};

/** A process of a pass that ends like this at once, and finds one task when it looks at the remote. */
async function lead(end: LeasedEnd, queued: readonly string[] = []) {
  const engine = memoryEngine();
  await engine.present({ name: "one", slots: 1 });
  await engine.offer(job("T-1"));
  const lease = (await engine.lease("one")) ?? assert.fail("no lease");
  for (const task of queued) await engine.offer(job(task));
  const said: WorkerMessage["kind"][] = [];
  const start: StartPass = (heard: (message: PassMessage) => void) => {
    let exit: () => void = () => undefined;
    const ended = new Promise<{ exitCode: number; signal: null; problem: null }>((resolve) => {
      exit = () => resolve({ exitCode: 0, signal: null, problem: null });
    });
    const send = ({ kind }: WorkerMessage): void => {
      said.push(kind);
      if (kind === "begin") heard({ kind: "ended", end });
      if (kind === "judge") heard({ kind: "jobs", jobs: [job("T-9")] });
      if (kind === "part") exit();
    };
    return { ended, send, terminate: exit, kill: async () => exit() };
  };
  const pass = leadPass(lease, {
    ...{ engine, start, config: null, verbose: false, marginMs: 1_000, tell: () => undefined },
    ...{ now: () => new Date(), signal: new AbortController().signal },
  });
  const listJobs = async (): Promise<string[]> => {
    const { jobs } = await engine.standing();
    return jobs.map(({ job: { task, phase }, state }) => `${task} ${phase} ${state}`);
  };
  await pass.released;
  const atRelease = await listJobs();
  await pass.gone;
  return { said, atRelease, jobs: await listJobs() };
}

describe("after a pass", { concurrency: true }, () => {
  test("whose task goes on, its next pass is offered, and nobody looks at the remote", async () => {
    const { said, jobs } = await lead({ ...accepted, goesOnIn: "shape" });
    assert.deepEqual([said, jobs], [["begin", "part"], ["T-1 shape queued"]]);
  });

  test("its next pass is there before the slot is free, for whoever asks next", async () => {
    const { atRelease } = await lead({ ...accepted, goesOnIn: "shape" });
    assert.deepEqual(atRelease, ["T-1 shape queued"]);
  });

  test("whose task does not go on, what the remote has now is offered", async () => {
    const { said, jobs } = await lead(accepted);
    assert.deepEqual([said, jobs], [["begin", "judge", "part"], ["T-9 intake queued"]]);
  });

  test("nothing is offered where enough is queued, so that no task pushes in before the others", async () => {
    for (const goesOnIn of ["shape", null] as const) {
      const { said, jobs } = await lead({ ...accepted, goesOnIn }, ["T-2"]);
      assert.deepEqual([said, jobs], [["begin", "part"], ["T-2 intake queued"]]);
    }
  });

  test("without a verdict the task waits for the dispatcher", async () => {
    const { said, jobs } = await lead({ ...accepted, verdict: null });
    assert.deepEqual([said, jobs], [["begin", "part"], []]);
  });
});
